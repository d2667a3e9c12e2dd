"""Benches by name: where a recording is replayed, `unix` in this process, `rp2040` in a fork of a started chip."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final

from sabot_sim.bench import BenchError
from sabot_sim.board_rig import BoardRig
from sabot_sim.rig import Rig, UnixRig

from sabot_tools.broker import Server
from sabot_tools.replaying import Found, Recorded, Replay
from sabot_tools.stage import PATIENCE_S, Stage

BENCHES: Final = ("unix", "rp2040")
Progress = Callable[[float], None]


@contextmanager
def shared_broker() -> Iterator[Server]:
    """One nats-server for many replays."""
    with tempfile.TemporaryDirectory(prefix="sabot-") as folder:
        server = Server(Path(folder))
        try:
            yield server
        finally:
            server.stop()


def replayed(
    recorded: Recorded,
    bench: str,
    server: Server,
    progress: Progress = lambda share: None,
    firmware: Path | None = None,
    patience_s: float = PATIENCE_S,
) -> Found:
    """What a recording brings on this bench, with this firmware; after so long without a move it has stalled."""
    if bench == "unix":
        key = recorded.house().key
        return _on(lambda work_dir: UnixRig(work_dir, key, firmware), recorded, server, progress, patience_s)
    if firmware is not None:
        raise BenchError(f"another firmware runs on the unix bench, not on {bench}: choose --bench unix")
    if bench == "rp2040":
        return _on_chip(recorded, progress)
    if is_port(bench):
        return _on(lambda _: BoardRig(bench, recorded.house().key), recorded, server, progress)
    raise BenchError(f"no bench {bench!r}: choose one of {', '.join(BENCHES)}, or a board's port as /dev/ttyACM0")


def is_port(bench: str) -> bool:
    """Whether this names a serial port."""
    return "/" in bench or bench.startswith("COM")


def _on(
    rig: Callable[[Path], Rig],
    recorded: Recorded,
    server: Server,
    progress: Progress,
    patience_s: float = PATIENCE_S,
) -> Found:
    with tempfile.TemporaryDirectory(prefix="sabot-") as folder:
        work_dir = Path(folder)
        stage = Stage(rig(work_dir), recorded.house(), server, work_dir, patience_s)
        try:
            return Replay(recorded, stage).run(progress)
        finally:
            stage.close()


def _on_chip(recorded: Recorded, progress: Progress) -> Found:
    """Each on a copy of the started chip, with a broker of its own."""
    from sabot_sim.rig_chip import ChipRig, in_fork

    chip = spare_chip(recorded.house().key)

    def play() -> Found:
        with shared_broker() as server:
            return _on(lambda _: ChipRig(chip), recorded, server, progress)

    found: Found = in_fork(play)
    return found


@cache
def spare_chip(key: bytes | None = None) -> Any:
    """A chip that has just started, made once a process: it takes half a minute."""
    try:
        from sabot_sim.rig_chip import new_spare
    except ImportError as error:
        raise BenchError(
            f"the emulated chip needs the package {error.name}: pip install -e '.[dev]', or choose --bench unix"
        ) from error
    return new_spare(key)

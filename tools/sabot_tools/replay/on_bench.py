"""Replay a recording on the bench that a name stands for: `unix`, `rp2040` or a serial port."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final

from sabot_sim.rigs.board import BoardRig
from sabot_sim.rigs.rig import BenchError, Rig
from sabot_sim.rigs.unix import UnixRig

from sabot_tools.replay.replayer import LoadedRecording, Replayer, ReplayResult
from sabot_tools.replay.system import PATIENCE_S, ReplaySystem
from sabot_tools.stand.broker import LocalBroker
from sabot_tools.text.errors import not_installed

BENCHES: Final = ("unix", "rp2040")
Progress = Callable[[float], None]


@contextmanager
def shared_broker() -> Iterator[LocalBroker]:
    """One nats-server for many replays."""
    with tempfile.TemporaryDirectory(prefix="sabot-") as folder:
        server = LocalBroker(Path(folder))
        try:
            yield server
        finally:
            server.stop()


def check_bench(bench: str, firmware: Path | None) -> None:
    """BenchError where there is no such bench, or it runs no other firmware."""
    if bench not in BENCHES and not is_port(bench):
        raise BenchError(f"no bench {bench!r}: choose one of {', '.join(BENCHES)}, or a board's port as /dev/ttyACM0")
    if firmware is not None and bench != "unix":
        raise BenchError(f"another firmware runs on the unix bench, not on {bench}: choose --bench unix")


def replay_on_bench(
    recorded: LoadedRecording,
    bench: str,
    server: LocalBroker,
    progress: Progress = lambda share: None,
    firmware: Path | None = None,
    patience_s: float = PATIENCE_S,
) -> ReplayResult:
    """What a recording brings on this bench, with this firmware; after so long without a move it has stalled."""
    check_bench(bench, firmware)
    key = recorded.table_setup().key
    if bench == "unix":
        return _on(lambda work_dir: UnixRig(work_dir, key, firmware), recorded, server, progress, patience_s)
    if bench == "rp2040":
        return _on_chip(recorded, progress)
    return _on(lambda _: BoardRig(bench, key), recorded, server, progress)


def is_port(bench: str) -> bool:
    """Whether this names a serial port."""
    return "/" in bench or bench.startswith("COM")


def _on(
    rig: Callable[[Path], Rig],
    recorded: LoadedRecording,
    server: LocalBroker,
    progress: Progress,
    patience_s: float = PATIENCE_S,
) -> ReplayResult:
    with tempfile.TemporaryDirectory(prefix="sabot-") as folder:
        work_dir = Path(folder)
        system = ReplaySystem(rig(work_dir), recorded.table_setup(), server, work_dir, patience_s)
        try:
            return Replayer(recorded, system).run(progress)
        finally:
            system.close()


def _on_chip(recorded: LoadedRecording, progress: Progress) -> ReplayResult:
    """Each on a copy of the started chip, with a broker of its own."""
    from sabot_sim.rigs.rp2040 import ChipRig, in_fork

    chip = started_chip(recorded.table_setup().key)

    def play() -> ReplayResult:
        with shared_broker() as server:
            return _on(lambda _: ChipRig(chip), recorded, server, progress)

    found: ReplayResult = in_fork(play)
    return found


@cache
def started_chip(key: bytes | None = None) -> Any:
    """A chip that has just started, made once a process: it takes half a minute."""
    try:
        from sabot_sim.rigs.rp2040 import new_spare
    except ImportError as error:
        raise BenchError(f"the emulated chip: {not_installed(error.name, 'dev')}, or choose --bench unix") from error
    return new_spare(key)

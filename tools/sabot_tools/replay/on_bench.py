"""Replays a recording on a bench: `unix` in this process, `rp2040` in a fork of a started chip, or a board's port."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final

from sabot_sim.rigs.board import BoardRig
from sabot_sim.rigs.compiled import compiled_firmware
from sabot_sim.rigs.rig import BenchError, Rig
from sabot_sim.rigs.unix import UnixRig

from sabot_tools.replay.recording_file import LoadedRecording
from sabot_tools.replay.replayer import Replayer
from sabot_tools.replay.result import ReplayResult
from sabot_tools.replay.system import PATIENCE_S, ReplaySystem
from sabot_tools.stand.broker import LocalBroker
from sabot_tools.stand.memory import fast_folder
from sabot_tools.text.errors import not_installed

BENCHES: Final = ("unix", "rp2040")
Progress = Callable[[float], None]


@contextmanager
def shared_broker() -> Iterator[LocalBroker]:
    """Run one broker for many replays."""
    with tempfile.TemporaryDirectory(prefix="sabot-") as folder:
        broker = LocalBroker(Path(folder))
        try:
            yield broker
        finally:
            broker.stop()


def check_bench(bench: str, firmware: Path | None) -> None:
    """Raise BenchError if there is no such bench, or if it cannot run another firmware."""
    if bench not in BENCHES and not is_port(bench):
        known = ", ".join(BENCHES)
        raise BenchError(f"unknown bench {bench!r}: choose one of {known}, or a board's port such as /dev/ttyACM0")
    if firmware is not None and bench != "unix":
        raise BenchError(f"another firmware can run only on the unix bench, not on {bench}: choose --bench unix")


def replay_on_bench(
    recording: LoadedRecording,
    bench: str,
    broker: LocalBroker,
    progress: Progress = lambda share: None,
    firmware: Path | None = None,
    patience_s: float = PATIENCE_S,
) -> ReplayResult:
    """Replay a recording; give up when nothing has changed for `patience_s`."""
    check_bench(bench, firmware)
    key = recording.table_setup().key
    if bench == "unix":
        program = firmware or compiled_firmware()
        return _run(lambda work_dir: UnixRig(work_dir, key, program), recording, broker, progress, patience_s)
    if bench == "rp2040":
        return _on_chip(recording, progress)
    return _run(lambda _: BoardRig(bench, key), recording, broker, progress)


def is_port(bench: str) -> bool:
    """Return True if the name of a bench is a serial port."""
    return "/" in bench or bench.startswith("COM")


def _run(
    rig: Callable[[Path], Rig],
    recording: LoadedRecording,
    broker: LocalBroker,
    progress: Progress,
    patience_s: float = PATIENCE_S,
) -> ReplayResult:
    with tempfile.TemporaryDirectory(prefix="sabot-", dir=fast_folder()) as folder:
        work_dir = Path(folder)
        system = ReplaySystem(rig(work_dir), recording.table_setup(), broker, work_dir, patience_s)
        try:
            return Replayer(recording, system).run(progress)
        finally:
            system.close()


def _on_chip(recording: LoadedRecording, progress: Progress) -> ReplayResult:
    """Replay on a copy of the started chip, with its own broker."""
    from sabot_sim.chip.rp2040 import ChipRig, in_fork

    chip = started_chip(recording.table_setup().key)

    def play() -> ReplayResult:
        with shared_broker() as broker:
            return _run(lambda _: ChipRig(chip), recording, broker, progress)

    found: ReplayResult = in_fork(play)
    return found


@cache
def started_chip(key: bytes | None = None) -> Any:
    """Return a chip that has just started; it is made once in a process: half a minute in rp2040py."""
    try:
        from sabot_sim.chip.rp2040 import started_shoe
    except ImportError as error:
        raise BenchError(f"the emulated chip: {not_installed(error.name, 'dev')}, or choose --bench unix") from error
    return started_shoe(key)

"""Replays files: compares each with its sidecar, on all processors if the bench allows it, or writes the sidecars."""

import difflib
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path

import typer
from sabot_protocol.recording import RecordingError
from sabot_sim.rigs.compiled import compiled_firmware
from sabot_sim.rigs.rig import BenchError

from sabot_tools.replay import sidecar
from sabot_tools.replay.comparison import differences
from sabot_tools.replay.on_bench import check_bench, replay_on_bench, shared_broker
from sabot_tools.replay.recording_file import LoadedRecording, load
from sabot_tools.replay.sidecar import SidecarError, sidecar_path
from sabot_tools.replay.system import PATIENCE_S, ReplayError
from sabot_tools.stand.broker import LocalBroker, NoBrokerError
from sabot_tools.text.errors import describe

ERRORS = (RecordingError, SidecarError, ReplayError, BenchError, NoBrokerError, OSError)
_BAR_LENGTH = 30
_LINE_LENGTH = 100


class ProgressBar:
    """A progress bar over all files on stderr, if that is a terminal."""

    def __init__(self, files: int) -> None:
        self._files, self.file, self.name = files, 0, ""

    def __call__(self, share: float) -> None:
        """Show that this share of the current file is done."""
        if sys.stderr.isatty():
            full = int((self.file + share) / self._files * _BAR_LENGTH)
            bar = f"[{'#' * full:<{_BAR_LENGTH}}] {self.file + 1}/{self._files} {self.name[:40]:<40}"
            typer.echo(f"\r{bar}", nl=False, err=True)

    def clear(self) -> None:
        """Erase the bar, before a line is printed."""
        if sys.stderr.isatty():
            typer.echo("\r" + " " * _LINE_LENGTH + "\r", nl=False, err=True)


def check(files: list[Path], bench: str, firmware: Path | None, *, accept: bool) -> None:
    """Raise an error for anything that cannot be replayed, before a process is started."""
    if accept and (bench != "unix" or firmware is not None):
        raise BenchError(
            "sidecars are written only from the unix bench with this firmware, as times and speeds differ elsewhere: "
            "leave out --bench and --firmware"
        )
    check_bench(bench, firmware)
    for path in files:
        path.open("rb").close()
    if firmware is not None and not (firmware / "main.py").is_file():
        raise BenchError(f"{firmware} has no main.py: choose a folder with main.py and sabot/, such as firmware/")


def compare(files: list[Path], bench: str, firmware: Path | None) -> bool:
    """Print which recordings differ from their sidecars, in order; return True if one does."""
    bar, failed = ProgressBar(len(files)), 0
    processes = min(len(files), os.cpu_count() or 1) if bench == "unix" else 1
    found = _in_processes(files, firmware, processes) if processes > 1 else _in_turn(files, bench, firmware, bar)
    for bar.file, path in enumerate(files):
        bar.name = path.name
        bar(0)
        different = next(found)
        bar.clear()
        typer.echo(f"{path}: {'DIFFERS' if different else 'as expected'}")
        for difference in different:
            typer.echo(difference)
        failed += bool(different)
    typer.echo(f"sabot replay: {len(files) - failed} of {len(files)} as expected on {_named(bench)}", err=True)
    return failed > 0


def _named(bench: str) -> str:
    """Return the name of a bench, with the emulator if it is the emulated chip."""
    if bench != "rp2040":
        return bench
    from sabot_sim.chip.emulators import chosen

    return f"{bench}: {chosen()}"


def _in_turn(files: list[Path], bench: str, firmware: Path | None, bar: ProgressBar) -> Iterator[list[str]]:
    with shared_broker() as broker:
        for path in files:
            yield differences_from_sidecar(path, bench, broker, bar, firmware)


def _in_processes(files: list[Path], firmware: Path | None, processes: int) -> Iterator[list[str]]:
    """Yield what differs in each file, in order; the longest are replayed first. Each process has its own broker."""
    firmware = firmware or compiled_firmware()  # once for all of them
    with (
        tempfile.TemporaryDirectory(prefix="sabot-", ignore_cleanup_errors=True) as folder,
        ProcessPoolExecutor(processes, get_context("fork")) as pool,
    ):
        longest_first = sorted(set(files), key=lambda path: path.stat().st_size, reverse=True)
        waiting = {path: pool.submit(_in_a_worker, path, firmware, folder) for path in longest_first}
        try:
            for path in files:
                yield waiting[path].result()
        finally:
            pool.shutdown(cancel_futures=True)


def _in_a_worker(path: Path, firmware: Path | None, folder: str) -> list[str]:
    return differences_from_sidecar(path, "unix", _worker_broker(folder), firmware=firmware)


@cache
def _worker_broker(folder: str) -> LocalBroker:
    """Return the broker of this process, with which it ends."""
    return LocalBroker(Path(tempfile.mkdtemp(dir=folder)))


def _no_progress(_share: float) -> None:
    pass


def differences_from_sidecar(
    path: Path,
    bench: str,
    broker: LocalBroker,
    progress: Callable[[float], None] = _no_progress,
    firmware: Path | None = None,
    patience_s: float = PATIENCE_S,
) -> list[str]:
    """Return what differs from the sidecar, or why nothing can be compared; empty if all is as expected."""
    try:
        expected = sidecar.read(path)
        sidecar.check(path, expected)
        result = replay_on_bench(load(path), bench, broker, progress, firmware, patience_s)
    except ERRORS as error:
        return [describe(error)]
    return differences(expected, result, bench)


def accept(files: list[Path]) -> None:
    """Write the sidecars once every recording has been replayed to its end, and print what changed."""
    bar, texts = ProgressBar(len(files)), {}
    with shared_broker() as broker:
        for bar.file, path in enumerate(files):
            bar.name = path.name
            recording = _load(path)
            result = replay_on_bench(recording, "unix", broker, bar)
            if result.problem or not result.events:
                raise ReplayError(f"{path}: {result.problem or 'the shoe logged no event'}; no sidecar was written")
            texts[path] = sidecar.accepted(path, recording.metadata, result)
    bar.clear()
    diffs = [_write(sidecar_path(path), text) for path, text in texts.items()]
    typer.echo("\n".join(diffs))  # after all are written: a reader that closes stdout early must not stop the writing


def _load(path: Path) -> LoadedRecording:
    try:
        return load(path)
    except RecordingError as error:
        raise ReplayError(f"{path}: {error}; no sidecar was written") from error


def _write(path: Path, text: str) -> str:
    """Write a sidecar and return what changed, as a diff."""
    before = path.read_text() if path.exists() else ""
    lines = difflib.unified_diff(before.splitlines(), text.splitlines(), str(path), str(path), "before", "now", 1, "")
    path.write_text(text)
    return "\n".join(lines) or f"{path}: unchanged"

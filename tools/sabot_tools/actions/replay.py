"""sabot replay: play recordings through firmware, link, gateway, ledger and broker; compare with their sidecars."""

import difflib
import sys
from pathlib import Path
from typing import Annotated

import typer
from sabot_protocol.recording import RecordingError
from sabot_sim.rigs.rig import BenchError

from sabot_tools.replay import sidecar
from sabot_tools.replay.comparison import differences
from sabot_tools.replay.on_bench import check_bench, replay_on_bench, shared_broker
from sabot_tools.replay.recording_file import LoadedRecording, load
from sabot_tools.replay.sidecar import SidecarError, sidecar_path
from sabot_tools.replay.system import PATIENCE_S, ReplayError
from sabot_tools.stand.broker import LocalBroker, NoBrokerError
from sabot_tools.text.errors import describe, failure

app = typer.Typer(rich_markup_mode=None, add_completion=False)

EPILOG = """\b
Example: sabot replay hil_tests/recordings/*/*.shoe
Example: sabot replay --firmware firmware hil_tests/recordings/clean/star-baccarat-3.shoe
Example: sabot replay --accept hil_tests/recordings/by_hand/one-coup.shoe
"""
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


def _no_progress(_share: float) -> None:
    pass


@app.command(epilog=EPILOG)
def replay(
    files: Annotated[list[Path], typer.Argument(help="Recordings; each has its sidecar NAME.json in the same folder.")],
    bench: Annotated[
        str,
        typer.Option(help="unix: the firmware on the MicroPython VM; rp2040: on the emulated chip, slower; or a port."),
    ] = "unix",
    firmware: Annotated[
        Path | None, typer.Option(help="Run the main.py and sabot/ of this folder instead; unix only.")
    ] = None,
    accept: Annotated[
        bool, typer.Option("--accept", help="Write the results into the sidecars, and show what changed.")
    ] = False,
) -> None:
    """Replay recordings through the whole path and compare every event and message; exit 1 if anything differs."""
    try:
        _check(files, bench, firmware, accept=accept)
        with shared_broker() as broker:
            failed = _accept(files, broker) if accept else _compare(files, bench, broker, firmware)
    except ERRORS as error:
        raise failure("replay", error) from error
    raise typer.Exit(int(failed))


def _check(files: list[Path], bench: str, firmware: Path | None, *, accept: bool) -> None:
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


def _compare(files: list[Path], bench: str, broker: LocalBroker, firmware: Path | None) -> bool:
    bar, failed = ProgressBar(len(files)), 0
    for bar.file, path in enumerate(files):
        bar.name = path.name
        found = differences_from_sidecar(path, bench, broker, bar, firmware)
        bar.clear()
        typer.echo(f"{path}: {'DIFFERS' if found else 'as expected'}")
        for difference in found:
            typer.echo(difference)
        failed += bool(found)
    typer.echo(f"sabot replay: {len(files) - failed} of {len(files)} as expected on {_named(bench)}", err=True)
    return failed > 0


def _named(bench: str) -> str:
    """Return the name of a bench, with the emulator if it is the emulated chip."""
    if bench != "rp2040":
        return bench
    from sabot_sim.chip.emulators import chosen

    return f"{bench}: {chosen()}"


def differences_from_sidecar(
    path: Path,
    bench: str,
    broker: LocalBroker,
    progress: ProgressBar | None = None,
    firmware: Path | None = None,
    patience_s: float = PATIENCE_S,
) -> list[str]:
    """Return what differs from the sidecar, or why nothing can be compared; empty if all is as expected."""
    try:
        expected = sidecar.read(path)
        sidecar.check(path, expected)
        result = replay_on_bench(load(path), bench, broker, progress or _no_progress, firmware, patience_s)
    except ERRORS as error:
        return [describe(error)]
    return differences(expected, result, bench)


def _accept(files: list[Path], broker: LocalBroker) -> bool:
    """Write the sidecars once every recording has been replayed to its end."""
    bar, texts = ProgressBar(len(files)), {}
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
    return False


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

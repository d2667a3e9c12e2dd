"""sabot replay: a recording through firmware, link, gateway, ledger and broker, compared with its sidecar."""

import difflib
import sys
from pathlib import Path
from typing import Annotated

import typer
from sabot_protocol.recording import RecordingError
from sabot_sim.rigs.rig import BenchError

from sabot_tools.replay import sidecar
from sabot_tools.replay.on_bench import check_bench, replay_on_bench, shared_broker
from sabot_tools.replay.replayer import LoadedRecording, load
from sabot_tools.replay.sidecar import SidecarError
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
_BAR = 30


def _silent(_share: float) -> None:
    """Nobody looks."""


class Bar:
    """Progress on stderr, where that is a terminal."""

    def __init__(self, files: int) -> None:
        self._files, self.file, self.name = files, 0, ""

    def __call__(self, share: float) -> None:
        """So much of the file is done."""
        if sys.stderr.isatty():
            full = int((self.file + share) / self._files * _BAR)
            typer.echo(
                f"\r[{'#' * full:<{_BAR}}] {self.file + 1}/{self._files} {self.name[:40]:<40}", nl=False, err=True
            )

    def clear(self) -> None:
        """Make room for a line."""
        if sys.stderr.isatty():
            typer.echo("\r" + " " * 100 + "\r", nl=False, err=True)


@app.command(epilog=EPILOG)
def replay(
    files: Annotated[list[Path], typer.Argument(help="Recordings; the sidecar NAME.json stands beside each.")],
    bench: Annotated[
        str, typer.Option(help="unix: the firmware on the MicroPython VM; rp2040: on a slow emulated chip.")
    ] = "unix",
    firmware: Annotated[
        Path | None, typer.Option(help="A folder with another main.py and sabot/ for the shoe; unix only.")
    ] = None,
    accept: Annotated[
        bool, typer.Option("--accept", help="Write what comes into the sidecars, and show the difference.")
    ] = False,
) -> None:
    """Replay recordings through the whole path and compare every event and message; exit 1 if anything differs."""
    try:
        _check(files, bench, firmware, accept=accept)
        with shared_broker() as server:
            failed = _accept(files, server) if accept else _compare(files, bench, server, firmware)
    except ERRORS as error:
        raise failure("replay", error) from error
    raise typer.Exit(int(failed))


def _check(files: list[Path], bench: str, firmware: Path | None, *, accept: bool) -> None:
    """Refuse what cannot be replayed, before anything is started."""
    if accept and (bench != "unix" or firmware is not None):
        raise BenchError(
            "sidecars are written from the unix bench and this firmware: times and speeds of others differ; "
            "leave out --bench and --firmware"
        )
    check_bench(bench, firmware)
    for path in files:
        path.open("rb").close()
    if firmware is not None and not (firmware / "main.py").is_file():
        raise BenchError(f"{firmware}: no main.py there; give a folder with main.py and sabot/, as firmware/ has them")


def _compare(files: list[Path], bench: str, server: LocalBroker, firmware: Path | None) -> bool:
    bar, failed = Bar(len(files)), 0
    for bar.file, path in enumerate(files):
        bar.name = path.name
        told = differences_from_sidecar(path, bench, server, bar, firmware)
        bar.clear()
        typer.echo(f"{path}: {'DIFFERS' if told else 'as expected'}")
        for difference in told:
            typer.echo(difference)
        failed += bool(told)
    typer.echo(f"sabot replay: {len(files) - failed} of {len(files)} as expected on {bench}", err=True)
    return failed > 0


def differences_from_sidecar(
    path: Path,
    bench: str,
    server: LocalBroker,
    progress: Bar | None = None,
    firmware: Path | None = None,
    patience_s: float = PATIENCE_S,
) -> list[str]:
    """What differs from the sidecar, or why nothing can be compared; nothing where all is as expected."""
    try:
        expected = sidecar.read(path)
        sidecar.check(path, expected)
        found = replay_on_bench(load(path), bench, server, progress or _silent, firmware, patience_s)
    except ERRORS as error:
        return [describe(error)]
    return sidecar.differences(expected, found, bench)


def _accept(files: list[Path], server: LocalBroker) -> bool:
    """Written only when all have come to their end."""
    bar, new = Bar(len(files)), {}
    for bar.file, path in enumerate(files):
        bar.name = path.name
        recorded = _loaded(path)
        found = replay_on_bench(recorded, "unix", server, bar)
        if found.problem or not found.events:
            raise ReplayError(f"{path}: {found.problem or 'the shoe logged no event'}; nothing was written")
        new[path] = sidecar.accepted(path, recorded.metadata, found)
    bar.clear()
    told = [_written(sidecar.path_of(path), text) for path, text in new.items()]
    typer.echo("\n".join(told))  # behind the last of them: who reads only the beginning stops nothing
    return False


def _loaded(path: Path) -> LoadedRecording:
    try:
        return load(path)
    except RecordingError as error:
        raise ReplayError(f"{path}: {error}; nothing was written") from error


def _written(path: Path, text: str) -> str:
    """Write it, and say what is different."""
    before = path.read_text() if path.exists() else ""
    lines = difflib.unified_diff(before.splitlines(), text.splitlines(), str(path), str(path), "before", "now", 1, "")
    path.write_text(text)
    return "\n".join(lines) or f"{path}: as before"

"""sabot replay: play recordings through firmware, link, gateway, ledger and broker; compare with their sidecars."""

from pathlib import Path
from typing import Annotated

import typer

from sabot_tools.text.errors import failure

app = typer.Typer(rich_markup_mode=None, add_completion=False)

EPILOG = """\b
Example: sabot replay hil_tests/recordings/*/*.shoe
Example: sabot replay --firmware firmware hil_tests/recordings/clean/star-baccarat-3.shoe
Example: sabot replay --accept hil_tests/recordings/by_hand/one-coup.shoe
"""


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
    """Replay recordings through the whole path and compare every event and message; exit 1 if anything differs.

    On the unix bench twice as many recordings as there are processors are replayed at a time, the longest first.
    """
    from sabot_tools.replay import files as replays  # the whole gateway: not for --help

    try:
        replays.check(files, bench, firmware, accept=accept)
        if accept:
            replays.accept(files)
            return
        failed = replays.compare(files, bench, firmware)
    except replays.ERRORS as error:
        raise failure("replay", error) from error
    raise typer.Exit(int(failed))

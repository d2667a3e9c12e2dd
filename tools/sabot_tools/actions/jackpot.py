"""sabot jackpot: everything that people do about a jackpot."""

import typer

from sabot_tools.actions import jackpot_replay

app = typer.Typer(rich_markup_mode=None, add_completion=False, no_args_is_help=True)
app.command(name="replay", epilog=jackpot_replay.EPILOG)(jackpot_replay.replay)


@app.callback()
def jackpot() -> None:
    """Replay entries of a jackpot."""

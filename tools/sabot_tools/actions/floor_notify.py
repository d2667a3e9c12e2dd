"""sabot floor notify: try the channels of a config, and list what was sent."""

from pathlib import Path
from typing import Annotated

import typer

from sabot_tools.stand import floor_daemon
from sabot_tools.stand.daemon import fail
from sabot_tools.stand.floor_store import StoreUrl, open_to_read

app = typer.Typer(rich_markup_mode=None, add_completion=False, no_args_is_help=True)

ConfigFile = Annotated[Path, typer.Option("--config", envvar="SABOT_FLOOR_CONFIG", help="The floor's TOML file.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON lines.")]


@app.callback()
def notify() -> None:
    """Try the notifications, and list them."""


@app.command("test", epilog="Example: sabot floor notify test --config /etc/sabot/floor.toml --channel pit")
def try_channels(
    config: ConfigFile = floor_daemon.CONFIG,
    channel: Annotated[str | None, typer.Option(help="Only this channel.")] = None,
    as_json: Json = False,
) -> None:
    """Send a test message through each channel, and print what the receiver answered. Exit status 1 if one failed."""
    import time

    import msgspec
    from sabot_floor import config as configs
    from sabot_floor.notify.notices import of_test
    from sabot_floor.notify.senders.sending import send
    from sabot_protocol.inputs.config_file import ConfigError
    from sabot_protocol.inputs.plain_text import escaped_json, printable
    from sabot_service.moment import utc

    try:
        found = configs.load(config)
    except ConfigError as error:
        fail(str(error))
    chosen = [one for one in found.notify if channel in (None, one.name)]
    if not chosen:
        known = ", ".join(one.name for one in found.notify) or "none; write a table [[notify]]"
        fail(f"{config}: there is no channel{f' {channel}' if channel else ''}; there are {known}")
    failed = False
    for one in chosen:
        outcome = send(one, of_test(found.site, one.name, utc(time.time())))
        failed = failed or outcome.result != "sent"
        line = {"channel": one.name, "result": outcome.result, "says": outcome.say, "problem": outcome.problem}
        more = f"; {outcome.problem}" if outcome.problem else ""
        text = printable(f"{one.name}: {outcome.result}: {outcome.say}{more}")
        typer.echo(escaped_json(msgspec.json.encode(line)) if as_json else text)
    if failed:
        raise typer.Exit(1)


@app.command("list", epilog="Example: sabot floor notify list --config /etc/sabot/floor.toml --last 20")
def list_(
    config: floor_daemon.Config = floor_daemon.CONFIG,
    store: StoreUrl = None,
    last: Annotated[int, typer.Option(min=1, max=10_000, help="How many.")] = 50,
    as_json: Json = False,
) -> None:
    """List the newest notifications: what waits, was sent, failed or was given up. Reads the store itself."""
    import msgspec
    from sabot_floor.notify.history import newest
    from sabot_protocol.inputs.plain_text import escaped_json, printable

    from sabot_tools.text.notifications import row_line

    with open_to_read(config, store) as found:
        rows = newest(found, last)
    for row in rows:
        typer.echo(escaped_json(msgspec.json.encode(row)) if as_json else printable(row_line(row)))

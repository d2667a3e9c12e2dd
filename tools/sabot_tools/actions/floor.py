"""sabot floor: the service for the jackpots of all tables; write, check and run its config."""

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from sabot_tools.actions import floor_notify
from sabot_tools.options.install import DryRun
from sabot_tools.stand import floor_daemon
from sabot_tools.stand.daemon import fail
from sabot_tools.stand.floor_store import StoreUrl, open_to_read, open_to_write

app = typer.Typer(rich_markup_mode=None, add_completion=False, no_args_is_help=True)
app.add_typer(floor_notify.app, name="notify")

ConfigFile = Annotated[Path, typer.Option("--config", envvar="SABOT_FLOOR_CONFIG", help="The floor's TOML file.")]


@app.callback()
def floor() -> None:
    """Run the floor service."""


@app.command(epilog="Example: sabot floor run --config /etc/sabot/floor.toml")
def run(
    config: ConfigFile = floor_daemon.CONFIG,
    worker: Annotated[
        str | None,
        typer.Option(help="Name of this worker, if several share a store; default: the config's."),
    ] = None,
) -> None:
    """Serve the jackpots of a site until stopped."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # until the daemon handles it: it is about to read the config anyway
    from sabot_floor import app as floor_app
    from sabot_floor.store import StoreError
    from sabot_protocol.inputs.config_file import ConfigError
    from sabot_service.messages import ControlError

    try:
        floor_app.main(config, worker)
    except (ConfigError, ControlError, StoreError) as error:
        typer.echo(f"sabot floor: {error}", err=True)
        raise typer.Exit(1) from error


@app.command(epilog="Example: sabot floor check --config /etc/sabot/floor.toml")
def check(
    config: ConfigFile = floor_daemon.CONFIG,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON line per check: status, subject, says.")
    ] = False,
) -> None:
    """Check a config on this PC. Parameters, keys, store, broker and channels; nothing is changed, nobody notified."""
    from sabot_floor.check import facts
    from sabot_gateway.verify.alarms.catalogue import ALARMS

    from sabot_tools.text.facts import print_facts

    print_facts("floor check", facts(config, alarms=list(ALARMS)), as_json=as_json)


@app.command(epilog="Example: sabot floor install --dry-run")
def install(dry_run: DryRun = False) -> None:
    """Set up this PC for an installed wheel: account, directories, configs, unit. What exists is kept."""
    from sabot_tools.package.installer import install_service
    from sabot_tools.package.steps import FLOOR

    install_service(FLOOR, dry_run=dry_run)


@app.command(epilog="Example: sabot floor init --config floor.toml")
def init(
    config: ConfigFile,
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False,
) -> None:
    """Write a commented example config, and jackpots.toml beside it."""
    from sabot_gateway.ops.example import directory

    jackpots = config.parent / "jackpots.toml"
    for path, example in ((config, "floor.toml"), (jackpots, "jackpots.toml")):
        if path == jackpots and path.exists():
            continue  # the gateways' own
        try:
            with path.open("w" if force else "x", encoding="utf-8") as file:
                file.write((directory() / example).read_text(encoding="utf-8"))
        except FileExistsError:
            fail(f"{path} exists; edit it, or overwrite it with --force")
        except OSError as error:
            fail(f"{path}: {error.strerror}; give a path that you can write to")
    typer.echo(
        f"wrote {config}, with {jackpots} beside it. Edit both, then:\n"
        f"  sabot floor check --config {config}\n"
        f"  sabot floor run --config {config}",
        err=True,
    )


@app.command(
    epilog="Example: sabot floor accept --as asmith --reason 'disk replaced, copy of 3 March' "
    "--config /etc/sabot/floor.toml"
)
def accept(
    reason: Annotated[str, typer.Option(help="Why, for the log.")],
    person: Annotated[str, typer.Option("--as", metavar="PERSON", help="Your id; the PIN or badge is asked for.")] = "",
    by: Annotated[str, typer.Option(help="Your name, if the store has no people to log in.")] = "",
    role: Annotated[str, typer.Option(help="With --by: your role in the rulebook, such as area_manager.")] = "",
    config: floor_daemon.Config = floor_daemon.CONFIG,
    socket: floor_daemon.Socket = None,
) -> None:
    """Go on with a store that is behind its meters at the broker. Compare what was paid first."""
    _accept(Who(person, by, role), "accept", {"reason": reason}, config, socket)


class Who(NamedTuple):
    """Who accepts: a person who logs in, or a name and a role as typed."""

    person: str
    by: str
    role: str


def _accept(who: Who, verb: str, args: dict[str, Any], config: Path, socket: Path | None) -> None:
    from sabot_protocol.inputs.plain_text import printable
    from sabot_service.messages import Request

    from sabot_tools.stand.secret_prompt import ask_login

    if bool(who.person) == bool(who.by) or bool(who.by) != bool(who.role):
        fail("give --as PERSON, or both --by NAME and --role ROLE")
    own = {"login": ask_login(who.person)} if who.person else {"role": who.role}
    answer = floor_daemon.ask(config, socket, Request(verb, by=who.by, args={**args, **own}))
    typer.echo(printable(answer.say))


@app.command(
    "accept-gateway",
    epilog="Example: sabot floor accept-gateway 6a7e000000000001 --table bac-01 --as asmith "
    "--reason 'the PC of pit-1 is broken' --config /etc/sabot/floor.toml",
)
def accept_gateway(
    gateway: Annotated[str, typer.Argument(help="The id of its ledger, as `sabot floor status` names it.")],
    reason: Annotated[str, typer.Option(help="Why, for the log.")],
    table: Annotated[str, typer.Option(help="The table that it serves from now on.")] = "",
    name: Annotated[str | None, typer.Option(help="Or: the name that it has now, empty without one.")] = None,
    person: Annotated[str, typer.Option("--as", metavar="PERSON", help="Your id; the PIN or badge is asked for.")] = "",
    by: Annotated[str, typer.Option(help="Your name, if the store has no people to log in.")] = "",
    role: Annotated[str, typer.Option(help="With --by: your role in the rulebook, such as area_manager.")] = "",
    config: floor_daemon.Config = floor_daemon.CONFIG,
    socket: floor_daemon.Socket = None,
) -> None:
    """Accept that a gateway speaks for a table, where its own topics do not show it, or that it has another name."""
    args = {"reason": reason, "gateway": gateway, "table": table, "name": name}
    _accept(Who(person, by, role), "accept-gateway", args, config, socket)


@app.command(epilog="Example: sabot floor status --config /etc/sabot/floor.toml")
def status(
    config: floor_daemon.Config = floor_daemon.CONFIG,
    socket: floor_daemon.Socket = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the daemon's JSON.")] = False,
) -> None:
    """Show the jackpots of the running service, and what is wrong."""
    import json

    from sabot_protocol.inputs.plain_text import escaped_json, printable
    from sabot_service.messages import Request

    from sabot_tools.text.floor_status import status_lines

    data = bytes(floor_daemon.ask(config, socket, Request("status")).data)
    lines = status_lines(json.loads(data), "" if socket else str(config))
    typer.echo(escaped_json(data) if as_json else "\n".join(map(printable, lines)))


@app.command(epilog="Example: sabot floor verify --store floor.db")
def verify(
    config: floor_daemon.Config = floor_daemon.CONFIG,
    store: StoreUrl = None,
    heads: Annotated[
        Path | None,
        typer.Option("--heads", help="Heads of the logs kept elsewhere, as published: one JSON line each."),
    ] = None,
    published: Annotated[
        bool, typer.Option("--published", help="Compare with the heads that the broker of the config keeps.")
    ] = False,
    key: Annotated[
        Path | None, typer.Option(help="The key that signs heads; default: head_key of the config, or STORE-key.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON line per log.")] = False,
) -> None:
    """Recompute every log of the store, and compare the rows of the reports. Exit status 1 if something differs."""
    import msgspec
    from sabot_protocol.inputs.plain_text import counted, escaped_json, printable

    from sabot_tools.stand.floor_heads import kept, verdict

    wrong, known = 0, kept(config, heads, published=published)
    with open_to_read(config, store) as found:
        compared = [("heads", *verdict(found, known, config, store, key))] if known else []
        for log, entries, faults in (*_verdicts(found), *compared):
            wrong += bool(faults)
            line = {"log": log, "entries": entries, "faults": faults}
            what = "in the chains of all logs" if log == "store" else "recomputed"
            count = counted(entries, "row", "rows") if log == "projection" else counted(entries, "entry", "entries")
            count, what = (counted(entries, "head"), "compared") if log == "heads" else (count, what)
            lines = [f"{log}: {count} {what}", *(f"{log}: {fault}" for fault in faults)]
            typer.echo(escaped_json(msgspec.json.encode(line)) if as_json else "\n".join(map(printable, lines)))
    if wrong:
        raise typer.Exit(1)


def _verdicts(store: Any) -> Iterator[tuple[str, int, list[str]]]:
    """Yield what is right and wrong with each log, and with the store itself."""
    from sabot_floor.commands import audit as commands
    from sabot_floor.jackpots import audit as jackpots
    from sabot_floor.people import audit as people
    from sabot_floor.projection import audit as projection
    from sabot_floor.projection import gateway_audit as gateways
    from sabot_floor.signs import audit as signs
    from sabot_floor.store import audit as chains

    found = people.verify(store)
    yield "people", found.entries, found.faults
    found = commands.verify(store)
    yield "commands", found.entries, found.faults
    found = signs.verify(store)
    yield "signs", found.entries, found.faults
    found = gateways.verify(store)
    yield "gateways", found.entries, found.faults
    found = projection.verify(store)
    yield "projection", found.entries, found.faults
    for jackpot in jackpots.jackpots(store):
        verdict = jackpots.verify(store, jackpot)
        yield f"jackpot/{jackpot}", verdict.entries, verdict.faults
    whole = chains.verify(store)
    yield "store", whole.entries, whole.faults


@app.command(epilog="Example: sabot floor backup /mnt/backup/floor --config /etc/sabot/floor.toml --keep 14")
def backup(
    place: Annotated[Path, typer.Argument(help="The directory of the copies.", metavar="DIR")],
    config: floor_daemon.Config = floor_daemon.CONFIG,
    store: StoreUrl = None,
    keep: Annotated[
        int | None, typer.Option(min=1, help="Keep so many of the newest copies and remove older ones; default: all.")
    ] = None,
) -> None:
    """Copy a store in an SQLite file, also while the service runs. The copy is verified before it gets its name."""
    import time

    from sabot_floor import backup as backups
    from sabot_service.moment import utc

    with open_to_read(config, store) as found:
        path, entries = backups.backup(found, place, utc(time.time()))
    removed = backups.rotate(place, keep) if keep else []
    for old in removed:
        typer.echo(f"sabot floor: {old.name} removed", err=True)
    typer.echo(f"{path}: {entries} entries, {path.stat().st_size} bytes, verified")


@app.command(epilog="Example: sabot floor dump --store floor.db > projection.jsonl")
def dump(config: floor_daemon.Config = floor_daemon.CONFIG, store: StoreUrl = None) -> None:
    """Print the projection in a canonical form. One JSON line per row, in order of table and key."""
    import sys

    from sabot_floor.projection import dump as dumps

    with open_to_read(config, store) as found:
        for line in dumps.lines(found):
            sys.stdout.buffer.write(line + b"\n")


@app.command(epilog="Example: sabot floor rebuild --ledger /var/lib/sabot/ledger.db --config /etc/sabot/floor.toml")
def rebuild(
    ledger: Annotated[
        list[Path],
        typer.Option(
            exists=True, dir_okay=False, readable=False, help="A gateway's ledger; give one or more.", metavar="FILE"
        ),
    ],
    config: floor_daemon.Config = floor_daemon.CONFIG,
    store: StoreUrl = None,
) -> None:
    """Make the projection again from the ledgers of gateways. The service may run; rows of pruned entries stay."""
    from sabot_tools.stand import projection_rebuild

    with open_to_write(config, store) as found:
        for path in ledger:
            typer.echo(projection_rebuild.rebuilt(found, path))

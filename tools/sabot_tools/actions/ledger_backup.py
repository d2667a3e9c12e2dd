"""sabot ledger backup, ship, restore and drill: copies and segments of the gateway's ledger, and a ledger from them."""

import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer
from sabot_gateway.ledger import LedgerError, Reader, heads, retention
from sabot_protocol.inputs.plain_text import counted, printable
from sabot_protocol.topics import LedgerMessage
from sabot_service.moment import utc

from sabot_tools.stand.daemon import CONFIG
from sabot_tools.text.ledger_errors import errors_to_stderr
from sabot_tools.text.progress import bar

app = typer.Typer()  # its commands are those of `sabot ledger`

Place = Annotated[Path, typer.Argument(help="The directory of this gateway's backups.", metavar="DIR")]
LedgerFile = Annotated[
    Path | None, typer.Option("--ledger", help="The ledger; default: that of the config.", metavar="FILE")
]
ConfigFile = Annotated[
    Path | None,
    typer.Option(envvar="SABOT_CONFIG", help=f"The gateway's config; default: {CONFIG}.", metavar="TOML"),
]
Key = Annotated[Path | None, typer.Option(help="The copy that was kept of the ledger's key.", metavar="KEY")]
Heads = Annotated[
    Path | None,
    typer.Option("--heads", help="Heads kept elsewhere, as published: one JSON line each.", metavar="HEADS"),
]
Broker = Annotated[str | None, typer.Option(help="Compare with the head that this broker keeps: mqtt://host:1883.")]
BrokerConfig = Annotated[
    Path | None, typer.Option("--config", help="The gateway's config, for its broker and login.", metavar="TOML")
]
_FOLLOW_S = 1.0


def known_heads(file: Path | None, broker: str | None, config: Path | None) -> list[LedgerMessage]:
    """Return the heads in a file and at a broker."""
    known = list(heads.load(file)) if file else []
    if broker or config:
        from sabot_tools.text import ledger_heads  # a client of MQTT and the daemon's config: half of the start

        known += ledger_heads.at_broker(broker, config)
    return known


def _ledger_of(file: Path | None, config: Path | None) -> Path:
    if file is not None:
        return file
    from sabot_gateway import config as configs

    found, problems = configs.read(config or CONFIG)
    if found is None:
        raise LedgerError(f"{config or CONFIG}: {problems[0]}; or give the ledger with --ledger FILE")
    return Path(found.ledger)


def _count(file: Path) -> int:
    reader = Reader(file)
    try:
        return reader.span()
    finally:
        reader.close()


@app.command(epilog="Example: sabot ledger backup /mnt/backup/bac-01 --ledger /var/lib/sabot/ledger.db --keep 14")
def backup(
    place: Place,
    ledger: LedgerFile = None,
    config: ConfigFile = None,
    keep: Annotated[
        int | None, typer.Option(min=1, help="Keep so many of the newest copies and remove older ones; default: all.")
    ] = None,
) -> None:
    """Copy the ledger, also while the daemon writes it. The copy is verified before it gets its name."""
    from sabot_gateway.backup import backup as copies
    from sabot_gateway.backup.pace import Pace, give_way

    begun_s = time.monotonic()
    with errors_to_stderr():
        file = _ledger_of(ledger, config)
        entries = _count(file)
        give_way()
        with bar("copying", entries) as progress:
            made = copies.backup(file, place, utc(time.time()), Pace(), progress)
        removed = copies.rotate(place, keep) if keep else []
    if place.stat().st_dev == file.stat().st_dev:
        _note(f"{place} is on the same disk as the ledger: a lost disk loses both")
    for path in removed:
        _note(f"{path.name} removed")
    typer.echo(
        f"{made.path}: {made.entries} entries, the last is {made.seq}, hash {made.hash.hex()}; "
        f"{made.path.stat().st_size} bytes in {time.monotonic() - begun_s:.1f} s, verified"
    )


@app.command(epilog="Example: sabot ledger ship /mnt/backup/bac-01 --ledger /var/lib/sabot/ledger.db")
def ship(
    place: Place,
    ledger: LedgerFile = None,
    config: ConfigFile = None,
    follow: Annotated[bool, typer.Option("--follow", help="Go on every second until stopped.")] = False,
) -> None:
    """Append the entries since the last shipped one to the segments in DIR. Goes on where it was interrupted."""
    from sabot_gateway.backup import shipping
    from sabot_gateway.backup.pace import Pace, give_way

    with errors_to_stderr():
        file = _ledger_of(ledger, config)
        _count(file)
        give_way()
        while True:
            shipped = shipping.ship(file, place, Pace())
            if shipped.added or not follow:
                typer.echo(
                    f"{place}: {counted(shipped.added, 'entry', 'entries')} shipped, "
                    f"the last is {shipped.seq}, hash {shipped.hash.hex()}"
                )
            if not follow:
                return
            time.sleep(_FOLLOW_S)


@app.command(
    epilog="Example: sabot ledger restore /mnt/backup/bac-01 --out ledger.db --key /media/safe/ledger.db-key "
    "--heads heads.jsonl"
)
def restore(
    place: Place,
    out: Annotated[Path, typer.Option(help="The ledger to make; a file that is there is refused.", metavar="FILE")],
    to: Annotated[int | None, typer.Option(min=1, help="Restore up to this entry; default: all.")] = None,
    key: Key = None,
    heads_file: Heads = None,
    broker: Broker = None,
    config: BrokerConfig = None,
) -> None:
    """Make a ledger of the newest copy and the segments behind it. Status 1 if a head contradicts it."""
    from sabot_gateway.backup import restoring

    begun_s = time.monotonic()
    with errors_to_stderr():
        known = known_heads(heads_file, broker, config)
        restored = restoring.restore(place, out, to=to, key=key, known=known)
    for note in restored.notes:
        _note(note)
    made_of = restored.copy.name if restored.copy else "no copy"
    typer.echo(
        f"{out}: {restored.entries} entries, the last is {restored.seq}, hash {restored.hash.hex()}; made of {made_of} "
        f"and {counted(restored.from_segments, 'entry', 'entries')} of segments in {time.monotonic() - begun_s:.1f} s, "
        "verified"
    )
    typer.echo(f"{out}: {printable(restored.proof.say())}")
    if not out.with_name(f"{out.name}-key").exists():
        _note("its key is not here: give it with --key, or the daemon makes a new one and does not know its old heads")
    if restored.proof.contradictions:
        raise typer.Exit(1)


@app.command(
    epilog="Example: sabot ledger drill /mnt/backup/bac-01 --ledger /var/lib/sabot/ledger.db --heads heads.jsonl"
)
def drill(
    place: Place,
    ledger: Annotated[
        Path | None, typer.Option("--ledger", help="Compare with the ledger in use.", metavar="FILE")
    ] = None,
    key: Key = None,
    heads_file: Heads = None,
    broker: Broker = None,
    config: BrokerConfig = None,
    hours: Annotated[int, typer.Option(min=1, help="A backup that is older than this is a fault.")] = 26,
    work: Annotated[
        Path | None, typer.Option(help="Restore in this directory; default: where temporary files are.", metavar="DIR")
    ] = None,
) -> None:
    """Restore the newest backup into a temporary place, verify and compare it. Status 1 if it could not be used."""
    from sabot_gateway.backup import drill as drills
    from sabot_gateway.backup.pace import give_way

    begun_s = time.monotonic()
    beside = retention.key_path(ledger) if ledger else None
    if key is None and beside is not None and os.access(beside, os.R_OK):
        key = beside
    with errors_to_stderr():
        drills.check_any(place)
        give_way()
        found = drills.drill(
            place, work, ledger=ledger, key=key, known=known_heads(heads_file, broker, config),
            oldest=datetime.now(UTC) - timedelta(hours=hours),
        )  # fmt: skip
    for note in (*found.restored.notes, *found.faults):
        _note(note)
    restored, seconds = found.restored, time.monotonic() - begun_s
    typer.echo(
        f"{place}: {restored.entries} entries restored and verified in {seconds:.1f} s, the last is {restored.seq}"
    )
    typer.echo(f"{place}: {printable(restored.proof.say())}")
    if found.newer is not None:
        typer.echo(f"{place}: the ledger in use has {counted(found.newer, 'entry', 'entries')} beyond the backup")
    typer.echo(f"{place}: drill {'failed' if found.faults else 'passed'}")
    if found.faults:
        raise typer.Exit(1)


def _note(text: str) -> None:
    typer.echo(f"sabot ledger: {printable(text)}", err=True)

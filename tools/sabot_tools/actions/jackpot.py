"""sabot jackpot: everything that people do about a jackpot; the floor service's log keeps each act."""

import secrets
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from sabot_protocol.inputs.plain_text import escaped_json, printable
from sabot_service.messages import Request

from sabot_tools.actions import jackpot_replay, jackpot_sign
from sabot_tools.stand.daemon import fail
from sabot_tools.stand.floor_daemon import CONFIG, Config, Socket, ask
from sabot_tools.stand.floor_store import StoreUrl, open_to_read
from sabot_tools.stand.secret_prompt import ask_login

app = typer.Typer(rich_markup_mode=None, add_completion=False, no_args_is_help=True)
app.command(name="replay", epilog=jackpot_replay.EPILOG)(jackpot_replay.replay)
app.command(name="sign", epilog=jackpot_sign.EPILOG)(jackpot_sign.sign)

Jackpot = Annotated[str, typer.Argument(help="Id of the jackpot: see `sabot floor status`.", metavar="JACKPOT")]
WinId = Annotated[str, typer.Argument(help="Id of the win, or TABLE/SHOE/COUP as bac-01/3/17.", metavar="WIN")]
TableName = Annotated[str, typer.Argument(help="Name of the table.", metavar="TABLE")]
As = Annotated[
    str,
    typer.Option(
        "--as",
        help="Your id; your PIN, password or badge is asked for. `badge`: your badge shows who you are.",
        metavar="PERSON",
    ),
]
By = Annotated[str, typer.Option(help="Your name, for the log, where no log-in is required.")]
Role = Annotated[str, typer.Option(help="With --by: your role, as the rulebook calls it, such as area_manager.")]
Reason = Annotated[str, typer.Option(help="Why, for the log.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.callback()
def jackpot() -> None:
    """Show, confirm, adjust and verify the jackpots of a floor. Acts go through the service's socket."""


class _Who(NamedTuple):
    """Who acts: a person who logs in, or a name and a role as typed."""

    person: str
    by: str
    role: str


def _act(config: Path, socket: Path | None, as_json: bool, verb: str, who: _Who, **args: Any) -> None:
    """Send an act and print the answer."""
    if bool(who.person) == bool(who.by) or bool(who.by) != bool(who.role):
        fail("give --as PERSON, or both --by NAME and --role ROLE")
    if who.person:
        args = {"login": ask_login(who.person), **args}
    else:
        args["role"] = who.role
    second = args.pop("second_person", "")
    if second:
        args["second_login"] = ask_login(second)
    answer = ask(config, socket, Request(verb, by=who.by, args=args))
    typer.echo(escaped_json(bytes(answer.data)) if as_json else printable(answer.say))


@app.command(epilog="Example: sabot jackpot show lucky-tie --config /etc/sabot/floor.toml")
def show(jackpot: Jackpot, config: Config = CONFIG, socket: Socket = None, as_json: AsJson = False) -> None:
    """Show the meters, the open and newest wins, and what was missed."""
    import json

    from sabot_tools.text.jackpot_show import show_lines

    data = bytes(ask(config, socket, Request("show", args={"jackpot": jackpot})).data)
    typer.echo(escaped_json(data) if as_json else "\n".join(map(printable, show_lines(json.loads(data)))))


@app.command(epilog="Example: sabot jackpot confirm lucky-tie bac-01/3/17 --as asmith --notified 'B. Jones'")
def confirm(
    jackpot: Jackpot,
    win: WinId,
    as_person: As = "",
    by: By = "",
    role: Role = "",
    notified: Annotated[str, typer.Option(help="Id of the person who was notified, where the book asks.")] = "",
    config: Config = CONFIG,
    socket: Socket = None,
    as_json: AsJson = False,
) -> None:
    """Confirm a pay-out. Confirmed twice, it is paid once."""
    _act(config, socket, as_json, "confirm", _Who(as_person, by, role), jackpot=jackpot, win=win, notified=notified)


@app.command(epilog="Example: sabot jackpot invalid lucky-tie bac-01/3/17 --as asmith --reason 'no tie wager'")
def invalid(
    jackpot: Jackpot,
    win: WinId,
    reason: Reason,
    as_person: As = "",
    by: By = "",
    role: Role = "",
    config: Config = CONFIG,
    socket: Socket = None,
    as_json: AsJson = False,
) -> None:
    """Deem a win invalid. The meter goes on as if it had not been hit."""
    _act(config, socket, as_json, "invalid", _Who(as_person, by, role), jackpot=jackpot, win=win, reason=reason)


@app.command(
    epilog="Example: sabot jackpot order lucky-tie bac-01/3/17 --before bac-02/5/9 --as asmith --reason 'video'"
)
def order(
    jackpot: Jackpot,
    win: WinId,
    reason: Reason,
    before: Annotated[str, typer.Option(help="The win that it comes before: its id, or TABLE/SHOE/COUP.")] = "",
    last: Annotated[bool, typer.Option("--last", help="It comes after all wins that it was open against.")] = False,
    as_person: As = "",
    by: By = "",
    role: Role = "",
    config: Config = CONFIG,
    socket: Socket = None,
    as_json: AsJson = False,
) -> None:
    """Decide which win was recorded first, where an outage hides it. Nothing of them is paid before."""
    if bool(before) == last:
        fail("give --before WIN, or --last")
    args = {"jackpot": jackpot, "win": win, "before": before, "reason": reason}
    _act(config, socket, as_json, "order", _Who(as_person, by, role), **args)


@app.command(epilog="Example: sabot jackpot settle lucky-tie bac-01/3/17 --as asmith --reason 'paid by voucher 17'")
def settle(
    jackpot: Jackpot,
    win: WinId,
    reason: Reason,
    as_person: As = "",
    by: By = "",
    role: Role = "",
    config: Config = CONFIG,
    socket: Socket = None,
    as_json: AsJson = False,
) -> None:
    """Close the difference between what a win was paid and what it was worth, once it is paid or recovered."""
    _act(config, socket, as_json, "settle", _Who(as_person, by, role), jackpot=jackpot, win=win, reason=reason)


@app.command(
    epilog="Example: sabot jackpot adjust lucky-tie --amount 500 --as asmith --second-as bjones "
    "--reason 'two coups of 12 March'"
)
def adjust(
    jackpot: Jackpot,
    amount: Annotated[
        int, typer.Option(help="In cents (minor units), not dollars: 500 is 5.00; negative to take away.")
    ],
    reason: Reason,
    as_person: As = "",
    by: By = "",
    role: Role = "",
    second_as: Annotated[
        str, typer.Option("--second-as", help="With --as: id of the second person.", metavar="PERSON")
    ] = "",
    second: Annotated[str, typer.Option(help="With --by: name of the second person.")] = "",
    config: Config = CONFIG,
    socket: Socket = None,
    as_json: AsJson = False,
) -> None:
    """Change the meter by an amount in cents. Two people answer for it; the answer has the amount as money."""
    if bool(as_person) != bool(second_as) or bool(by) != bool(second):
        fail("two people are needed: --as PERSON and --second-as PERSON, or --by NAME and --second NAME")
    args = {"jackpot": jackpot, "amount": amount, "second": second, "second_person": second_as, "reason": reason}
    _act(config, socket, as_json, "adjust", _Who(as_person, by, role), **args, id=_request_id("adjust"))


def _request_id(verb: str) -> str:
    """Return an id with which the service knows a repetition."""
    return f"{verb}-{secrets.token_hex(8)}"


@app.command(epilog="Example: sabot jackpot withdraw lucky-tie bac-01 --as asmith --reason 'display dark'")
def withdraw(
    jackpot: Jackpot,
    table: TableName,
    reason: Reason,
    as_person: As = "",
    by: By = "",
    role: Role = "",
    config: Config = CONFIG,
    socket: Socket = None,
    as_json: AsJson = False,
) -> None:
    """Withdraw a jackpot from a table. Coups there do not count until it is restored, and can be made good."""
    _act(config, socket, as_json, "withdraw", _Who(as_person, by, role), jackpot=jackpot, table=table, reason=reason)


@app.command(epilog="Example: sabot jackpot restore lucky-tie bac-01 --as asmith --reason 'display repaired'")
def restore(
    jackpot: Jackpot,
    table: TableName,
    as_person: As = "",
    by: By = "",
    role: Role = "",
    reason: Annotated[str, typer.Option(help="What was repaired, for the log.")] = "",
    config: Config = CONFIG,
    socket: Socket = None,
    as_json: AsJson = False,
) -> None:
    """Offer a jackpot at a table again."""
    args = {"jackpot": jackpot, "table": table, **({"reason": reason} if reason else {})}
    _act(config, socket, as_json, "restore", _Who(as_person, by, role), **args)


@app.command(
    "make-good",
    epilog="Example: sabot jackpot make-good lucky-tie 5ab0000000000001-812 --as asmith",
)
def make_good(
    jackpot: Jackpot,
    missed: Annotated[
        str, typer.Argument(help="Id of what was missed, or TABLE/SHOE/COUP: see `show`.", metavar="MISSED")
    ],
    as_person: As = "",
    by: By = "",
    role: Role = "",
    reason: Annotated[str, typer.Option(help="Why, for the log.")] = "",
    amount: Annotated[
        int | None, typer.Option(help="In cents (minor units), if it is not the amount listed: 500 is 5.00.")
    ] = None,
    config: Config = CONFIG,
    socket: Socket = None,
    as_json: AsJson = False,
) -> None:
    """Add the contribution of a missed coup."""
    args = {"jackpot": jackpot, "missed": missed, "reason": reason, **({} if amount is None else {"amount": amount})}
    _act(config, socket, as_json, "make-good", _Who(as_person, by, role), **args)


@app.command(epilog="Example: sabot jackpot draw lucky-seat --as asmith")
def draw(
    jackpot: Jackpot,
    as_person: As = "",
    by: By = "",
    role: Role = "",
    config: Config = CONFIG,
    socket: Socket = None,
    as_json: AsJson = False,
) -> None:
    """Draw a table, seat or location at random. `sabot jackpot verify` recomputes the choice."""
    _act(config, socket, as_json, "draw", _Who(as_person, by, role), jackpot=jackpot, id=_request_id("draw"))


@app.command(epilog="Example: sabot jackpot history lucky-tie --last 20 --store floor.db")
def history(
    jackpot: Jackpot,
    last: Annotated[int, typer.Option(min=1, help="How many entries.")] = 50,
    config: Config = CONFIG,
    store: StoreUrl = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON line per entry.")] = False,
) -> None:
    """Print the newest entries of a jackpot's log, from the store itself. The service need not run."""
    from sabot_floor.jackpots import engine
    from sabot_floor.jackpots.batch import log_name

    from sabot_tools.text import jackpot_history

    with open_to_read(config, store) as opened:
        head = opened.head(log_name(jackpot))
        if head is None or head.state is None:
            fail(f"{opened.place} has no jackpot {jackpot}: see `sabot floor status`")
        currency = engine.decode(head.state).parameters.currency
        for entry in opened.entries(log_name(jackpot), max(0, head.seq - last)):
            if as_json:
                typer.echo(escaped_json(jackpot_history.as_json(entry)))
            else:
                typer.echo(printable(jackpot_history.line(entry, currency)))


@app.command(epilog="Example: sabot jackpot verify lucky-tie --store floor.db")
def verify(
    jackpot: Annotated[str, typer.Argument(help="Id of the jackpot; default: all.", metavar="JACKPOT")] = "",
    config: Config = CONFIG,
    store: StoreUrl = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON line per jackpot.")] = False,
) -> None:
    """Recompute every entry, meter, win and draw of the logs. Exit status 1 if something differs."""
    import msgspec
    from sabot_floor.jackpots import audit

    from sabot_tools.text.jackpot_verdict import verdict_json, verdict_lines

    wrong = 0
    with open_to_read(config, store) as opened:
        names = audit.jackpots(opened)
        if jackpot and jackpot not in names:
            fail(f"{opened.place} has no jackpot {jackpot}; there are {', '.join(names) or 'none'}")
        for name in [jackpot] if jackpot else names:
            verdict = audit.verify(opened, name)
            wrong += bool(verdict.faults)
            if as_json:
                typer.echo(escaped_json(msgspec.json.encode(verdict_json(name, verdict))))
            else:
                typer.echo("\n".join(map(printable, verdict_lines(name, verdict))))
    for name in () if store or jackpot else _without_log(config, names):
        wrong += 1
        typer.echo(
            f"{name}: the jackpots of {config} have it, but the store has not: start the service if it is new; if it "
            "was served before, its log is gone: put back a copy of the store",
            err=True,
        )
    if wrong:
        raise typer.Exit(1)


def _without_log(config: Path, names: list[str]) -> list[str]:
    """Return the jackpots of the config that are in force and have no log; print an error and exit without them."""
    import time

    from sabot_floor import config as configs
    from sabot_protocol.inputs.config_file import ConfigError
    from sabot_protocol.jackpots import dates
    from sabot_service.moment import utc

    found, _ = configs.read(config)
    try:
        listed = found.parameters() if found else ()
    except ConfigError as error:
        fail(str(error))
    now = utc(time.time())
    return [one.id for one in listed if one.id not in names and not dates.not_yet(one, now)]

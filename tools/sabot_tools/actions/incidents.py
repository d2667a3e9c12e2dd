"""sabot table T open|step|dispute|payment|record|withdraw: what people must settle at a table, and what they record."""

import json
from typing import Annotated, Any, Literal

import typer
from sabot_service.messages import Request

from sabot_tools.stand.daemon import ask, fail
from sabot_tools.stand.table_target import By, Target
from sabot_tools.text.incidents import incident_lines

Note = Annotated[str | None, typer.Option(help="What happened, in a few words.")]
Coup = Annotated[str | None, typer.Option(metavar="SHOE/COUP", help="Default: the coup on the table.")]
Patron = Annotated[str | None, typer.Option(help="Name or number of the patron.")]


def add_to(app: typer.Typer) -> None:
    """Add the commands to those of `sabot table`."""
    app.command("open", epilog="Example: sabot table bac-01 open")(open_incidents)
    app.command(
        epilog="Example: sabot table bac-01 step --incident foreign_card --step notify_inspector --by 'A. Smith'"
    )(step)
    app.command(
        epilog="Example: sabot table bac-01 dispute --patron 'B. Lee' --note 'says the Banker won' --by 'A. Smith'"
    )(dispute)
    app.command(
        epilog="Example: sabot table bac-01 payment --over 2500.00 --patron 'B. Lee' --coup 3/17 --by 'A. Smith'"
    )(payment)
    app.command(epilog="Example: sabot table bac-01 record --act close_table --at 2030-05-01T22:00Z --by 'A. Smith'")(
        record
    )
    app.command(
        epilog="Example: sabot table bac-01 invalidate --coup 3/17 --cause fraud --reason cheat --by 'A. Smith' "
        "--clause 14.5.2"
    )(invalidate)
    app.command(
        "end-shoe", epilog="Example: sabot table bac-01 end-shoe --cause revealed --by 'A. Smith' --clause 4.13"
    )(end_shoe)
    app.command(
        epilog="Example: sabot table bac-01 withdraw --incident wrong_payment --reason mistake --by 'A. Smith'"
    )(withdraw)


def open_incidents(
    ctx: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """List the open incidents of the table: each step that somebody must do, and who may."""
    target: Target = ctx.obj
    target.only_here("open")
    answer = ask(target.config, target.socket, Request("status"))
    tables: list[dict[str, Any]] = json.loads(bytes(answer.data or b"{}")).get("tables", [])
    found = next((table for table in tables if table["table"] == target.table), None)
    if found is None:
        there = ", ".join(table["table"] for table in tables)
        fail(f"this gateway has no table {target.table!r}; it has {there}. See `sabot gateway status`.")
    incidents, more = found.get("incidents", []), found.get("more_incidents", 0)
    if as_json:
        typer.echo(json.dumps({"table": target.table, "incidents": incidents, "more": more}, ensure_ascii=False))
        return
    lines = [line for incident in incidents for line in incident_lines(target.table, incident)]
    typer.echo("\n".join(lines) or f"{target.table}: nothing is open.")
    if more:
        typer.echo(f"{target.table}: {more} more are open and not listed: see `sabot ledger show`.")


def step(
    ctx: typer.Context,
    incident: Annotated[str, typer.Option(help="Id of the incident, or its kind if one of it is open: see `open`.")],
    step: Annotated[str, typer.Option(help="Name of the step that is done.")],
    by: By,
    note: Note = None,
    settled: Annotated[
        bool, typer.Option("--settled", help="The patron is satisfied: the steps after it are not needed.")
    ] = False,
) -> None:
    """Record that a step of an incident is done. Steps that the shoe's log proves are done by themselves."""
    more = {"settled": True} if settled else {}
    ctx.obj.request("step", by, incident=incident, step=step, note=note, **more)


def dispute(
    ctx: typer.Context,
    patron: Annotated[str, typer.Option(help="Name or number of the patron.")],
    by: By,
    note: Note = None,
    coup: Coup = None,
) -> None:
    """Open a dispute of a player. Its instances are steps: first, review, final; then the inspector is advised."""
    ctx.obj.request("dispute", by, patron=patron, note=note, coup=coup)


def _cents(amount: str, option: str) -> int:
    """Return an amount such as 2500.00 in cents."""
    whole, _, cents = amount.replace(",", "").partition(".")
    if not (whole.isascii() and whole.isdigit() and len(cents) in (0, 2) and (cents + "0").isdigit()):
        raise typer.BadParameter(f"{amount}: write an amount as 2500 or 2500.00", param_hint=option)
    return int(whole) * 100 + int(cents or 0)


def payment(
    ctx: typer.Context,
    by: By,
    over: Annotated[str | None, typer.Option(metavar="AMOUNT", help="Paid too much by this: 2500.00.")] = None,
    under: Annotated[str | None, typer.Option(metavar="AMOUNT", help="Paid too little by this.")] = None,
    date: Annotated[str | None, typer.Option(help="Date of the error, 2026-05-01; default: today, at the PC.")] = None,
    patron: Patron = None,
    intentional: Annotated[bool, typer.Option("--intentional", help="The error was intentional.")] = False,
    note: Note = None,
    coup: Coup = None,
) -> None:
    """Open the case file of an over- or underpayment: enquiry, rectification, report."""
    if (over is None) == (under is None):
        raise typer.BadParameter("give one of them", param_hint="--over, --under")
    direction: Literal["over", "under"] = "over" if over is not None else "under"
    amount = _cents(over if over is not None else under or "", f"--{direction}")
    facts = {"date": date, "patron": patron, "note": note, "coup": coup, "intentional": intentional or None}
    ctx.obj.request("payment", by, direction=direction, amount_cents=amount, **facts)


def record(
    ctx: typer.Context,
    by: By,
    act: Annotated[
        str | None,
        typer.Option(help="Act: `sabot authority --rulebook ID --table` lists those of the table's rulebook."),
    ] = None,
    report: Annotated[str | None, typer.Option(help="Report of the rulebook, where no act causes it.")] = None,
    fact: Annotated[list[str] | None, typer.Option(help="A fact that is true; repeat for each.")] = None,
    no_fact: Annotated[list[str] | None, typer.Option(help="A fact that is false; repeat for each.")] = None,
    done: Annotated[list[str] | None, typer.Option(help="A step that is done already; repeat for each.")] = None,
    at: Annotated[str | None, typer.Option(help="When the act takes place, 2030-05-01T22:00Z.")] = None,
    amount: Annotated[str | None, typer.Option(metavar="AMOUNT", help="Amount that it is about: 2500.00.")] = None,
    patron: Patron = None,
    note: Note = None,
    coup: Coup = None,
) -> None:
    """Record an act that only people do: a barred person, a sign, a closure … Nothing is enforced.

    What the rulebook asks for after the act is open as steps; `sabot table T open` lists them.
    """
    if (act is None) == (report is None):
        raise typer.BadParameter("give one of them", param_hint="--act, --report")
    facts = dict.fromkeys(fact or [], True) | dict.fromkeys(no_fact or [], False)
    cents = _cents(amount, "--amount") if amount is not None else None
    more = {"at": at, "amount_cents": cents, "patron": patron, "note": note, "coup": coup}
    ctx.obj.request("record", by, act=act, report=report, facts=facts, done=done or [], **more)


def invalidate(
    ctx: typer.Context,
    coup: Annotated[str, typer.Option(metavar="SHOE/COUP", help="The coup, however long ago it was settled.")],
    cause: Annotated[Literal["disruption", "fraud"], typer.Option(help="It decides who may do it.")],
    reason: Annotated[str, typer.Option(help="What happened, in a few words.")],
    by: By,
    clause: Annotated[str, typer.Option(help="Clause of the cause: `sabot authority` has it.")] = "",
) -> None:
    """Invalidate the outcome of a coup: it becomes void, and results, reports and jackpots are corrected."""
    ctx.obj.request("invalidate", by, clause, coup=coup, cause=cause, reason=reason)


def end_shoe(
    ctx: typer.Context,
    cause: Annotated[
        Literal["shuffle", "unfit", "revealed", "misdeal"],
        typer.Option(help="An extra shuffle, unfit cards, a revealed sequence, or the rest after a void misdeal."),
    ],
    by: By,
    clause: Annotated[str, typer.Option(help="Clause of the cause: `sabot authority` has it.")] = "",
    agreed: Annotated[bool, typer.Option("--agreed", help="All players at the table agree.")] = False,
    note: Note = None,
) -> None:
    """End the shoe because its cards must be shuffled or replaced. What follows is open as steps."""
    ctx.obj.request("end-shoe", by, clause, cause=cause, agreed=agreed, note=note or "")


def withdraw(
    ctx: typer.Context,
    incident: Annotated[str, typer.Option(help="Id of the incident, or its kind if one of it is open: see `open`.")],
    reason: Annotated[str, typer.Option(help="Why it is withdrawn, in a few words.")],
    by: By,
) -> None:
    """Withdraw what was opened by mistake with `dispute`, `payment` or `record`. The ledger keeps both entries."""
    ctx.obj.request("withdraw", by, incident=incident, reason=reason)

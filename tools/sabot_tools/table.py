"""sabot table: what a supervisor says to a table, through the daemon's socket; each word of it is in the ledger."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from sabot_gateway.control import Request
from sabot_protocol.fields import NO_CARD, Slot

from sabot_tools.daemon import CONFIG, Config, Socket, ask

app = typer.Typer(rich_markup_mode=None, add_completion=False, no_args_is_help=True)

By = Annotated[str, typer.Option(help="Who says so.")]
Clause = Annotated[str, typer.Option(help="The clause of the rulebook under which.")]
Coup = Annotated[str | None, typer.Option(help="The id of the disputed coup, where there are several.")]


@dataclass(frozen=True)
class Chosen:
    """The table, and how to reach its daemon."""

    table: str
    config: Path
    socket: Path | None

    def say(self, verb: str, by: str, clause: str = "", **args: Any) -> None:
        """Ask, and print what came of it."""
        given = {name: value for name, value in args.items() if value is not None}
        answer = ask(self.config, self.socket, Request(verb, self.table, by, clause, given))
        typer.echo(answer.say)


@app.callback(
    epilog="Example: sabot table bac-01 void --by 'A. Smith' --clause 12.13   "
    "Who may is decided by the permissions of the daemon's socket."
)
def table(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="TABLE", help="As the gateway's config names it.")],
    config: Config = CONFIG,
    socket: Socket = None,
) -> None:
    """Say something to a table: confirm, void, acknowledge, key in a card, and so on."""
    ctx.obj = Chosen(name, config, socket)


@app.command(epilog="Example: sabot table bac-01 confirm --by 'A. Smith' --clause 12.13")
def confirm(
    ctx: typer.Context,
    by: By,
    clause: Clause = "",
    coup: Coup = None,
    winner: Annotated[
        str | None, typer.Option(help="Of a disputed coup: player, banker or tie; else as its cards have it.")
    ] = None,
) -> None:
    """Confirm a disputed coup; where none is disputed, as the dealer's Confirm."""
    ctx.obj.say("confirm", by, clause, coup=coup, winner=winner)


@app.command(epilog="Example: sabot table bac-01 void --by 'A. Smith' --clause 12.6 --reason short_shoe")
def void(
    ctx: typer.Context,
    by: By,
    clause: Clause,
    coup: Coup = None,
    reason: Annotated[
        str, typer.Option(help="Of a coup on the table: supervisor, misdeal, short_shoe …")
    ] = "supervisor",
    new_cards: Annotated[bool, typer.Option("--new-cards", help="The cards are replaced first.")] = False,
) -> None:
    """Void a disputed coup; where none is disputed, the coup on the table."""
    ctx.obj.say("void", by, clause, coup=coup, reason=reason, then="new_cards" if new_cards else "go_on")


@app.command("ack-alarm", epilog="Example: sabot table bac-01 ack-alarm all --by 'A. Smith'")
def ack_alarm(
    ctx: typer.Context,
    by: By,
    alarm: Annotated[str, typer.Argument(help="Its id; or all.")] = "all",
    clause: Clause = "",
) -> None:
    """Acknowledge an alarm: somebody has seen it."""
    ctx.obj.say("ack-alarm", by, clause, alarm=alarm)


@app.command("key-card", epilog="Example: sabot table bac-01 key-card 8H --by 'A. Smith' --clause 11.8.12")
def key_card(
    ctx: typer.Context,
    card: Annotated[str, typer.Argument(help="Value and suit: 8H, TD, AS.")],
    by: By,
    clause: Clause = "",
    face_up: Annotated[bool, typer.Option("--face-up", help="It lay face up in the shoe.")] = False,
    exposed: Annotated[bool, typer.Option("--exposed", help="It was seen before it was due.")] = False,
) -> None:
    """Key in the card that the shoe could not read."""
    ctx.obj.say("key-card", by, clause, card=card.upper(), flags={"face_up": face_up, "exposed": exposed})


@app.command(epilog="Example: sabot table bac-01 authorise --by 'A. Smith' --clause 11.8.13")
def authorise(
    ctx: typer.Context, by: By, clause: Clause = "", times: Annotated[int, typer.Option(min=1, max=255)] = 1
) -> None:
    """Allow what the book puts under a supervisor's word: a dummy coup, a keyed card."""
    ctx.obj.say("authorise", by, clause, times=times)


@app.command("no-bet", epilog="Example: sabot table bac-01 no-bet --by 'A. Smith' --clause 7.4")
def no_bet(
    ctx: typer.Context,
    by: By,
    clause: Clause = "",
    kind: Annotated[str, typer.Option(help="no_bet, void_hand, free_hand or dummy, as the book has it.")] = "no_bet",
) -> None:
    """The next coup is dealt without wagers."""
    ctx.obj.say("no-bet", by, clause, kind=kind)


@app.command("open-shoe", epilog="Example: sabot table bac-01 open-shoe --decks 8 --burn one --by 'A. Smith'")
def open_shoe(
    ctx: typer.Context,
    by: By,
    decks: Annotated[int, typer.Option(min=1, max=8)],
    burn: Annotated[str, typer.Option(help="none, one, shown or face_up.")] = "none",
    clause: Clause = "",
) -> None:
    """New cards are in: as the button New shoe."""
    ctx.obj.say("open-shoe", by, clause, decks=decks, burn=burn)


@app.command("clear-fault", epilog="Example: sabot table bac-01 clear-fault card --by 'A. Smith'")
def clear_fault(
    ctx: typer.Context,
    fault: Annotated[str, typer.Argument(help="As the alarm names it.")],
    by: By,
    clause: Clause = "",
) -> None:
    """The fault has been seen to; the coup goes on where it was."""
    ctx.obj.say("clear-fault", by, clause, fault=fault)


@app.command(epilog="Example: sabot table bac-01 report bad_order --fact reconstructible --by 'A. Smith' --clause 12.1")
def report(
    ctx: typer.Context,
    case: Annotated[str, typer.Argument(help="As `sabot irregularity` names it.")],
    by: By,
    clause: Clause = "",
    fact: Annotated[list[str] | None, typer.Option(help="What is so; again for each.")] = None,
) -> None:
    """Report an irregularity, or correct the one the shoe took it for."""
    ctx.obj.say("irregularity", by, clause, case=case, facts=dict.fromkeys(fact or [], True))


@app.command(epilog="Example: sabot table bac-01 tell lock --by 'A. Smith'")
def tell(
    ctx: typer.Context,
    what: Annotated[
        str,
        typer.Argument(help="lock, unlock, close-shoe, burn-card, card-returned, self-test, reboot, or export-coup."),
    ],
    by: By,
    clause: Clause = "",
) -> None:
    """Tell the shoe something that needs no more words."""
    ctx.obj.say(what, by, clause)


@app.command("import-coup", epilog="Example: sabot table bac-01 import-coup 12 player_1=8H banker_1=2C --by 'A. Smith'")
def import_coup(
    ctx: typer.Context,
    coup: Annotated[int, typer.Argument(help="Its number, as the other shoe told it.")],
    cards: Annotated[list[str], typer.Argument(help="slot=card, for each card on the table.", metavar="CARDS")],
    by: By,
    clause: Clause = "",
    kind: Annotated[str, typer.Option(help="live, no_bet, void_hand, free_hand or dummy.")] = "live",
) -> None:
    """Go on with a coup that another shoe began and has exported."""
    empty = dict.fromkeys((slot for slot in Slot.encmapping if slot not in ("burn", "unused")), NO_CARD)
    laid = dict(card.partition("=")[::2] for card in cards)
    ctx.obj.say("import-coup", by, clause, coup_no=coup, kind=kind, cards={**empty, **laid})


@app.command("deck-check", epilog="Example: sabot table bac-01 deck-check --decks 8 --by 'A. Smith'")
def deck_check(
    ctx: typer.Context,
    by: By,
    decks: Annotated[int, typer.Option(min=1, max=8)] = 8,
    end: Annotated[bool, typer.Option("--end", help="All cards have been fed through.")] = False,
) -> None:
    """Feed every card through once; what is missing or surplus is named."""
    ctx.obj.say("deck-check", by, "", on=0 if end else 1, decks=decks)

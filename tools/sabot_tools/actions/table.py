"""sabot table: what a supervisor asks of a table, through the daemon's socket; each request is in the ledger."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from sabot_gateway.operator.messages import MOST_CAPTURE_BYTES, MOST_CAPTURE_S, ControlError, Request
from sabot_gateway.operator.plain_text import shown
from sabot_gateway.operator.socket_path import SocketPathError, socket_path

from sabot_tools.actions import capture as captures
from sabot_tools.stand.daemon import CONFIG, Config, OptionsAnywhere, Socket, ask, fail

app = typer.Typer(cls=OptionsAnywhere, rich_markup_mode=None, add_completion=False, no_args_is_help=True)

By = Annotated[str, typer.Option(help="Your name.")]
Clause = Annotated[str, typer.Option(help="The clause of the table's rulebook, such as 12.1(b).")]
OnTheTable = Annotated[
    str | None,
    typer.Option(metavar="SHOE/COUP", help="The coup that you mean: nothing is done if another is on the table."),
]


@dataclass(frozen=True)
class Chosen:
    """The table, and how to reach its daemon."""

    table: str
    config: Path
    socket: Path | None

    def ask(self, verb: str, by: str, clause: str = "", **args: Any) -> None:
        """Ask, and print what came of it."""
        given = {name: value for name, value in args.items() if value is not None}
        answer = ask(self.config, self.socket, Request(verb, self.table, by, clause, given))
        typer.echo(shown(answer.say))


@app.callback(
    epilog="Example: sabot table bac-01 void --coup 3/17 --by 'A. Smith' --clause 12.1.2   "
    "Access is controlled by the permissions of the daemon's socket."
)
def table(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="TABLE", help="As the gateway's config names it.")],
    config: Config = CONFIG,
    socket: Socket = None,
) -> None:
    """Ask something of a table: decide a disputed coup, confirm, void, acknowledge, key in a card, and so on."""
    ctx.obj = Chosen(name, config, socket)


@app.command(
    epilog="Example: sabot table bac-01 decide --coup 3/17 --verdict confirmed --winner banker --by 'A. Smith' "
    "--clause 12.13"
)
def decide(
    ctx: typer.Context,
    coup: Annotated[str, typer.Option(metavar="COUP", help="SHOE/COUP as 3/17, or its id; `status` lists both.")],
    verdict: Annotated[Literal["confirmed", "void"], typer.Option(help="Does a result stand?")],
    by: By,
    clause: Clause,
    winner: Annotated[
        Literal["player", "banker", "tie"] | None,
        typer.Option(help="Of a confirmed coup; as its cards have it, unless given."),
    ] = None,
) -> None:
    """Decide a disputed coup; where the dispute holds the shoe, the shoe goes on."""
    ctx.obj.ask("decide", by, clause, coup=coup, verdict=verdict, winner=winner)


@app.command(epilog="Example: sabot table bac-01 confirm --coup 3/17 --by 'A. Smith' --clause 12.13")
def confirm(ctx: typer.Context, by: By, clause: Clause = "", coup: OnTheTable = None) -> None:
    """Confirm the coup on the table, as the dealer's Confirm; a disputed coup is decided by `decide`."""
    ctx.obj.ask("confirm", by, clause, coup=coup)


@app.command(epilog="Example: sabot table bac-01 void --coup 3/17 --by 'A. Smith' --clause 12.6 --reason short_shoe")
def void(
    ctx: typer.Context,
    by: By,
    clause: Clause,
    coup: OnTheTable = None,
    reason: Annotated[str, typer.Option(help="supervisor, misdeal, short_shoe, foreign_card …")] = "supervisor",
    new_cards: Annotated[bool, typer.Option("--new-cards", help="The cards are replaced first.")] = False,
) -> None:
    """Void the coup on the table; a disputed coup is decided by `decide`."""
    ctx.obj.ask("void", by, clause, coup=coup, reason=reason, then="new_cards" if new_cards else "go_on")


@app.command("ack-alarm", epilog="Example: sabot table bac-01 ack-alarm all --by 'A. Smith'")
def ack_alarm(
    ctx: typer.Context,
    by: By,
    alarm: Annotated[str, typer.Argument(help="Its id; or all.")] = "all",
    clause: Clause = "",
) -> None:
    """Acknowledge an alarm; one that stands for a fault of the shoe stays until that is over."""
    ctx.obj.ask("ack-alarm", by, clause, alarm=alarm)


@app.command("key-card", epilog="Example: sabot table bac-01 key-card 8H --by 'A. Smith'")
def key_card(
    ctx: typer.Context,
    card: Annotated[str, typer.Argument(help="Value and suit: 8H, TD, AS.")],
    by: By,
    clause: Clause = "",
    face_up: Annotated[bool, typer.Option("--face-up", help="It lay face up in the shoe.")] = False,
    exposed: Annotated[bool, typer.Option("--exposed", help="It was seen before it was due.")] = False,
) -> None:
    """Key in the card that the shoe could not read."""
    ctx.obj.ask("key-card", by, clause, card=card.upper(), flags={"face_up": face_up, "exposed": exposed})


@app.command(epilog="Example: sabot table bac-01 authorise --by 'A. Smith' --clause 7.4")
def authorise(
    ctx: typer.Context, by: By, clause: Clause = "", times: Annotated[int, typer.Option(min=1, max=255)] = 1
) -> None:
    """Allow what the book puts under a supervisor's word: a dummy coup, a keyed card."""
    ctx.obj.ask("authorise", by, clause, times=times)


@app.command("no-bet", epilog="Example: sabot table bac-01 no-bet --by 'A. Smith' --clause 7.4")
def no_bet(
    ctx: typer.Context,
    by: By,
    clause: Clause = "",
    kind: Annotated[str, typer.Option(help="no_bet, void_hand, free_hand or dummy, as the book has it.")] = "no_bet",
) -> None:
    """The next coup is dealt without wagers; for the one in progress see `this-no-bet`."""
    ctx.obj.ask("no-bet", by, clause, kind=kind)


@app.command(
    "this-no-bet", epilog="Example: sabot table bac-01 this-no-bet --coup 3/17 --by 'A. Smith' --clause 12.1.1"
)
def this_no_bet(ctx: typer.Context, by: By, clause: Clause, coup: OnTheTable = None) -> None:
    """The coup in progress goes on without wagers; those that are up go back. Not every book has a clause for it."""
    ctx.obj.ask("this-no-bet", by, clause, coup=coup)


@app.command("open-shoe", epilog="Example: sabot table bac-01 open-shoe --by 'A. Smith'")
def open_shoe(
    ctx: typer.Context,
    by: By,
    decks: Annotated[int | None, typer.Option(min=1, max=8, help="As the config has them, and no other.")] = None,
    burn: Annotated[
        str | None, typer.Option(help="none, one, shown or face_up; as book and config have it, unless given.")
    ] = None,
    clause: Clause = "",
) -> None:
    """New cards are in: as the button New shoe."""
    ctx.obj.ask("open-shoe", by, clause, decks=decks, burn=burn)


@app.command("clear-fault", epilog="Example: sabot table bac-01 clear-fault card --by 'A. Smith'")
def clear_fault(
    ctx: typer.Context,
    fault: Annotated[str, typer.Argument(help="As the alarm names it.")],
    by: By,
    clause: Clause = "",
) -> None:
    """The fault has been seen to; the coup goes on where it was."""
    ctx.obj.ask("clear-fault", by, clause, fault=fault)


@app.command(epilog="Example: sabot table bac-01 report bad_order --fact reconstructible --by 'A. Smith' --clause 12.1")
def report(
    ctx: typer.Context,
    case: Annotated[str, typer.Argument(help="As `sabot irregularity` names it.")],
    by: By,
    clause: Clause = "",
    fact: Annotated[list[str] | None, typer.Option(help="What is so; again for each.")] = None,
    no_fact: Annotated[list[str] | None, typer.Option(help="What is not so; again for each.")] = None,
) -> None:
    """Report an irregularity, or correct the one the shoe took it for; the answer is what follows by the book.

    Say every fact on which that depends. The shoe itself knows last_coup and first_coup_complete; a misdeal is
    notified_before_next unless you say --no-fact notified_before_next: then it is about a coup before.
    """
    facts = dict.fromkeys(fact or [], True) | dict.fromkeys(no_fact or [], False)
    if len(facts) < len([*(fact or []), *(no_fact or [])]):
        raise typer.BadParameter("a fact is named twice", param_hint="--fact, --no-fact")
    ctx.obj.ask("irregularity", by, clause, case=case, facts=facts)


@app.command(epilog="Example: sabot table bac-01 tell lock --by 'A. Smith'")
def tell(
    ctx: typer.Context,
    what: Annotated[
        Literal["lock", "unlock", "close-shoe", "burn-card", "card-returned", "self-test", "reboot", "export-coup"],
        typer.Argument(help="What the shoe does."),
    ],
    by: By,
    clause: Clause = "",
) -> None:
    """Have the shoe do something that needs no more words; export-coup needs a clause: --clause 11.8.15."""
    ctx.obj.ask(what, by, clause)


@app.command("import-coup", epilog="Example: sabot table bac-01 import-coup 12 player_1=8H banker_1=2C --by 'A. Smith'")
def import_coup(
    ctx: typer.Context,
    coup: Annotated[int, typer.Argument(help="Its number, as the other shoe told it.")],
    cards: Annotated[list[str], typer.Argument(help="slot=card, for each card on the table.", metavar="CARDS")],
    by: By,
    clause: Clause = "",
    kind: Annotated[str | None, typer.Option(help="live, no_bet, void_hand, free_hand or dummy.")] = None,
    decks: Annotated[int | None, typer.Option(min=1, max=8, help="In that shoe.")] = None,
    cards_out: Annotated[int | None, typer.Option(min=1, help="Of that shoe, the coup's own included.")] = None,
    coups_left: Annotated[
        int | None, typer.Option(min=0, max=2, help="1 if it is the last coup, 2 if the next is, else 0.")
    ] = None,
) -> None:
    """Go on with a coup that another shoe began and has exported (`tell export-coup`); open the shoe here first.

    What you leave out is as the coup had it at the other table of this gateway. Nothing is burnt again.
    """
    laid = dict(card.partition("=")[::2] for card in cards)
    if len(laid) < len(cards):
        raise typer.BadParameter("a slot is named twice", param_hint="CARDS")
    place = {"decks": decks, "cards_out": cards_out, "coups_left": coups_left}
    ctx.obj.ask("import-coup", by, clause, coup_no=coup, kind=kind, cards=laid, **place)


@app.command("deck-check", epilog="Example: sabot table bac-01 deck-check --decks 8 --by 'A. Smith'")
def deck_check(
    ctx: typer.Context,
    by: By,
    decks: Annotated[int | None, typer.Option(min=1, max=8, help="As the config has them, unless given.")] = None,
    end: Annotated[bool, typer.Option("--end", help="All cards have been fed through.")] = False,
    clause: Clause = "",
) -> None:
    """Feed every card through once; what is missing or surplus is named."""
    ctx.obj.ask("deck-check", by, clause, on=0 if end else 1, decks=decks)


@app.command(
    epilog="Example: sabot table bac-01 capture --seconds 60 --out evening.shoe && sabot inspect evening.shoe --text"
)
def capture(
    ctx: typer.Context,
    seconds: Annotated[float, typer.Option(min=0.1, max=MOST_CAPTURE_S, help="How long; Ctrl-C ends it before.")] = 60,
    out: Annotated[
        Path | None, typer.Option(help="The .shoe file to write; - is stdout.", show_default="TABLE-TIME.shoe, here")
    ] = None,
    most: Annotated[
        int, typer.Option("--bytes", min=1, max=MOST_CAPTURE_BYTES, help="At most so much of the line.")
    ] = 1 << 22,
) -> None:
    """Capture what the table's line carries, both ways, for `sabot inspect`; the table goes on as it is.

    The daemon only streams: the file is written by this command, with your rights. Keys are not on the line.
    """
    chosen: Chosen = ctx.obj
    path = out or captures.default_name(chosen.table, time.time())
    request = Request("capture", chosen.table, args={"seconds": seconds, "bytes": most})
    try:
        socket = chosen.socket or socket_path(chosen.config)
        with captures.new_file(path) as file:
            sizes = captures.record(socket, request, seconds, file)
    except (captures.CaptureError, ControlError, SocketPathError) as error:
        fail(str(error))
    typer.echo(f"sabot: {path}: {sizes['shoe']} bytes from the shoe, {sizes['gateway']} to it", err=True)
    if out is None:
        typer.echo(path)

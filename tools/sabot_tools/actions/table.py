"""sabot table: requests of people to a table, at its daemon's socket or by the floor service; the ledger keeps each."""

import time
from pathlib import Path
from typing import Annotated, Literal

import typer
from sabot_gateway.operator.capture_limits import MOST_CAPTURE_BYTES, MOST_CAPTURE_S
from sabot_gateway.operator.socket_path import socket_path
from sabot_service.messages import ControlError, Request
from sabot_service.socket_path import SocketPathError

from sabot_tools.actions import capture as captures
from sabot_tools.actions import incidents
from sabot_tools.options.numbers import finite
from sabot_tools.stand.daemon import CONFIG, Config, OptionsAnywhere, Socket, fail
from sabot_tools.stand.table_target import As, By, Floor, Second, Target

app = typer.Typer(cls=OptionsAnywhere, rich_markup_mode=None, add_completion=False, no_args_is_help=True)

Clause = Annotated[str, typer.Option(help="Clause of the table's rulebook, such as 12.1(b).")]
OnTheTable = Annotated[
    str | None,
    typer.Option(metavar="SHOE/COUP", help="Refuse if another coup is on the table."),
]


EPILOG = """Access is controlled by the permissions of the daemon's socket and by [roles] in its config.

\b
Example: sabot table bac-01 void --coup 3/17 --by 'A. Smith' --clause 12.1.2
Example: sabot table bac-01 void --clause 12.1.2 --floor floor.toml --as asmith
"""


@app.callback(epilog=EPILOG)
def table(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="TABLE", help="Name of the table in the gateway's config.")],
    config: Config = CONFIG,
    socket: Socket = None,
    floor: Floor = None,
    person: As = "",
    second: Second = "",
) -> None:
    """Send a request to a table: decide a disputed coup, confirm, void, acknowledge an alarm, key in a card …"""
    ctx.obj = Target(name, config, socket, floor, person, second)


@app.command(
    epilog="Example: sabot table bac-01 decide --coup 3/17 --verdict confirmed --winner banker --by 'A. Smith' "
    "--clause 12.13"
)
def decide(
    ctx: typer.Context,
    coup: Annotated[
        str, typer.Option(metavar="COUP", help="SHOE/COUP as 3/17, or its id: see `sabot gateway status`.")
    ],
    verdict: Annotated[Literal["confirmed", "void"], typer.Option(help="Whether the coup has a result.")],
    by: By,
    clause: Clause,
    winner: Annotated[
        Literal["player", "banker", "tie"] | None,
        typer.Option(help="Winner of a confirmed coup; default: by its cards."),
    ] = None,
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why the winner is not that of the cards.")] = "",
) -> None:
    """Decide a disputed coup. A shoe that waits for the decision goes on."""
    more = {"reason": reason} if reason else {}
    ctx.obj.request("decide", by, clause, coup=coup, verdict=verdict, winner=winner, **more)


@app.command(epilog="Example: sabot table bac-01 confirm --coup 3/17 --by 'A. Smith'")
def confirm(
    ctx: typer.Context,
    by: By,
    clause: Clause = "",
    coup: OnTheTable = None,
    winner: Annotated[str | None, typer.Option(help="The winning result, where the rulebook wants it first.")] = None,
) -> None:
    """Confirm the coup on the table, as the dealer does. A disputed coup is refused: use `decide`.

    Where the rulebook wants the result before Confirm, as star-rapid does (7.7.4.9), it was pressed at the shoe, or
    --winner gives it.
    """
    ctx.obj.request("confirm", by, clause, coup=coup, winner=winner)


@app.command(epilog="Example: sabot table bac-01 void --coup 3/17 --by 'A. Smith' --clause 12.6 --reason short_shoe")
def void(
    ctx: typer.Context,
    by: By,
    clause: Clause,
    coup: OnTheTable = None,
    reason: Annotated[str, typer.Option(help="Such as supervisor, misdeal, short_shoe, foreign_card.")] = "supervisor",
    new_cards: Annotated[bool, typer.Option("--new-cards", help="Replace the cards before the next coup.")] = False,
) -> None:
    """Void the coup on the table. For a disputed coup use `decide`."""
    ctx.obj.request("void", by, clause, coup=coup, reason=reason, then="new_cards" if new_cards else "go_on")


@app.command("ack-alarm", epilog="Example: sabot table bac-01 ack-alarm all --by 'A. Smith'")
def ack_alarm(
    ctx: typer.Context,
    by: By,
    alarm: Annotated[str, typer.Argument(help="Id of the alarm, or all: see `sabot gateway status`.")] = "all",
    clause: Clause = "",
) -> None:
    """Acknowledge an alarm. The alarm of a fault stays active until the fault is cleared."""
    ctx.obj.request("ack-alarm", by, clause, alarm=alarm)


@app.command("key-card", epilog="Example: sabot table bac-01 key-card 8H --by 'A. Smith'")
def key_card(
    ctx: typer.Context,
    card: Annotated[str, typer.Argument(help="Value and suit, such as 8H, TD, AS.")],
    by: By,
    clause: Clause = "",
    face_up: Annotated[bool, typer.Option("--face-up", help="The card lay face up in the shoe.")] = False,
    exposed: Annotated[bool, typer.Option("--exposed", help="The card was seen before it was due.")] = False,
) -> None:
    """Key in the card that the shoe could not read.

    Where the rulebook wants two people, as star-rapid does (11.8.12), the dealer is --by, and the supervisor who
    approves is --second: sabot table rap-01 key-card 8H --by 'A. Smith' --second 'B. Jones'
    """
    ctx.obj.request("key-card", by, clause, card=card.upper(), flags={"face_up": face_up, "exposed": exposed})


@app.command(epilog="Example: sabot table bac-01 authorise --by 'A. Smith' --clause 7.4")
def authorise(
    ctx: typer.Context,
    by: By,
    clause: Clause = "",
    times: Annotated[int, typer.Option(min=1, max=255, help="For how many acts.")] = 1,
) -> None:
    """Authorise what needs a supervisor. The rulebook says what: a dummy coup, a keyed card."""
    ctx.obj.request("authorise", by, clause, times=times)


@app.command("no-more-bets", epilog="Example: sabot table bac-01 no-more-bets --by 'A. Smith'")
def no_more_bets(ctx: typer.Context, by: By, clause: Clause = "", coup: OnTheTable = None) -> None:
    """Record the dealer's call while the wagers of a coup are open. Displays show it at once."""
    ctx.obj.request("no-more-bets", by, clause, coup=coup)


@app.command("reopen-wagers", epilog="Example: sabot table bac-01 reopen-wagers --no-fact method_a --by 'A. Smith'")
def reopen_wagers(
    ctx: typer.Context,
    by: By,
    clause: Clause = "",
    coup: OnTheTable = None,
    fact: Annotated[list[str] | None, typer.Option(help="A fact that is true; repeat for each.")] = None,
    no_fact: Annotated[list[str] | None, typer.Option(help="A fact that is false; repeat for each.")] = None,
) -> None:
    """Let wagers of a coup be placed or changed again while none of its cards is exposed.

    Give the facts on which the rulebook's clause depends; the refusal names them. Then the dealer calls no more bets
    again.
    """
    facts = dict.fromkeys(fact or [], True) | dict.fromkeys(no_fact or [], False)
    ctx.obj.request("reopen-wagers", by, clause, coup=coup, facts=facts)


@app.command("card-exposed", epilog="Example: sabot table bac-01 card-exposed --by 'A. Smith'")
def card_exposed(ctx: typer.Context, by: By, clause: Clause = "", coup: OnTheTable = None) -> None:
    """Record that a card of the coup was turned, disclosed, or handled by a patron: its wagers are closed."""
    ctx.obj.request("card-exposed", by, clause, coup=coup)


@app.command("no-bet", epilog="Example: sabot table bac-01 no-bet --by 'A. Smith' --clause 7.4")
def no_bet(
    ctx: typer.Context,
    by: By,
    clause: Clause = "",
    kind: Annotated[
        str | None, typer.Option(help="no_bet, void_hand, free_hand or dummy; default: as the rulebook names it.")
    ] = None,
) -> None:
    """Deal the next coup without wagers. For the coup in progress use `this-no-bet`."""
    ctx.obj.request("no-bet", by, clause, kind=kind)


@app.command("this-no-bet", epilog="Example: sabot table bac-01 this-no-bet --coup 3/17 --by 'A. Smith' --clause 7.5")
def this_no_bet(ctx: typer.Context, by: By, clause: Clause, coup: OnTheTable = None) -> None:
    """Go on with this coup without wagers. The rulebook must have a clause for it; wagers are returned."""
    ctx.obj.request("this-no-bet", by, clause, coup=coup)


@app.command("open-shoe", epilog="Example: sabot table bac-01 open-shoe --by 'A. Smith'")
def open_shoe(
    ctx: typer.Context,
    by: By,
    decks: Annotated[int | None, typer.Option(min=1, max=8, help="Must be the number in the config.")] = None,
    burn: Annotated[
        str | None, typer.Option(help="none, one, shown or face_up; default: by rulebook and config.")
    ] = None,
    clause: Clause = "",
) -> None:
    """Open a shoe with new cards, as the button New shoe does. An incomplete coup on the table becomes void."""
    ctx.obj.request("open-shoe", by, clause, decks=decks, burn=burn)


@app.command("clear-fault", epilog="Example: sabot table bac-01 clear-fault card --by 'A. Smith'")
def clear_fault(
    ctx: typer.Context,
    fault: Annotated[str, typer.Argument(help="Name of the fault: see `sabot gateway status`.")],
    by: By,
    clause: Clause = "",
) -> None:
    """Clear the fault that the shoe reports. The coup goes on where it was."""
    ctx.obj.request("clear-fault", by, clause, fault=fault)


@app.command("clear-error", epilog="Example: sabot table bac-01 clear-error --card keep --by 'A. Smith'")
def clear_error(
    ctx: typer.Context,
    by: By,
    card: Annotated[
        Literal["keep", "discard"] | None,
        typer.Option(help="After an overdraw only: keep the card for the next coup, or discard it by a clause."),
    ] = None,
    clause: Clause = "",
) -> None:
    """Clear the error of an Angel Eye. Its table needs `commands = true` in the gateway's config."""
    ctx.obj.request("clear-error", by, clause, card=card)


@app.command(epilog="Example: sabot table bac-01 report bad_order --fact reconstructible --by 'A. Smith' --clause 12.1")
def report(
    ctx: typer.Context,
    case: Annotated[str, typer.Argument(help="Name of the case, as in `sabot irregularity`.")],
    by: By,
    clause: Clause = "",
    fact: Annotated[list[str] | None, typer.Option(help="A fact that is true; repeat for each.")] = None,
    no_fact: Annotated[list[str] | None, typer.Option(help="A fact that is false; repeat for each.")] = None,
) -> None:
    """Report an irregularity. The answer is what the rulebook says; it also corrects a case that the shoe reported.

    Give every fact on which the answer depends. The shoe knows last_coup and first_coup_complete. A misdeal counts as
    notified_before_next; give --no-fact notified_before_next if it concerns an earlier coup.
    """
    facts = dict.fromkeys(fact or [], True) | dict.fromkeys(no_fact or [], False)
    if len(facts) < len([*(fact or []), *(no_fact or [])]):
        raise typer.BadParameter("give each fact once", param_hint="--fact, --no-fact")
    ctx.obj.request("irregularity", by, clause, case=case, facts=facts)


@app.command(epilog="Example: sabot table bac-01 tell lock --by 'A. Smith'")
def tell(
    ctx: typer.Context,
    what: Annotated[
        Literal["lock", "unlock", "close-shoe", "burn-card", "card-returned", "self-test", "reboot", "export-coup"],
        typer.Argument(help="What the shoe is to do."),
    ],
    by: By,
    clause: Clause = "",
) -> None:
    """Send the shoe a command without arguments. export-coup needs a clause, such as --clause 11.8.15."""
    ctx.obj.request(what, by, clause)


@app.command("import-coup", epilog="Example: sabot table bac-01 import-coup 12 player_1=8H banker_1=2C --by 'A. Smith'")
def import_coup(
    ctx: typer.Context,
    coup: Annotated[int, typer.Argument(help="Its number at the other shoe.")],
    cards: Annotated[list[str], typer.Argument(help="slot=card for each card on the table.", metavar="CARDS")],
    by: By,
    clause: Clause = "",
    kind: Annotated[str | None, typer.Option(help="live, no_bet, void_hand, free_hand or dummy.")] = None,
    decks: Annotated[int | None, typer.Option(min=1, max=8, help="Decks of the other shoe.")] = None,
    cards_out: Annotated[
        int | None, typer.Option(min=1, help="Cards that have left the other shoe, this coup included.")
    ] = None,
    coups_left: Annotated[
        int | None, typer.Option(min=0, max=2, help="1 if it is the last coup, 2 if the next is, else 0.")
    ] = None,
) -> None:
    """Go on with a coup that another shoe exported. Open a new shoe here first; see `tell export-coup`.

    Options that you leave out are taken from the other table, if this gateway has it. No card is burnt.
    """
    by_slot = dict(card.partition("=")[::2] for card in cards)
    if len(by_slot) < len(cards):
        raise typer.BadParameter("give each slot once", param_hint="CARDS")
    other_shoe = {"decks": decks, "cards_out": cards_out, "coups_left": coups_left}
    ctx.obj.request("import-coup", by, clause, coup_no=coup, kind=kind, cards=by_slot, **other_shoe)


def _by_wager(given: list[str] | None, option: str) -> dict[str, list[int]]:
    """Return the stakes of options such as tie=100,300."""
    found: dict[str, list[int]] = {}
    for one in given or []:
        wager, _, stakes = one.partition("=")
        if wager in found or not wager or not stakes:
            raise typer.BadParameter(f"{one}: write each wager once, as tie=100,300", param_hint=option)
        if not all(stake.isascii() and stake.isdigit() and int(stake) for stake in stakes.split(",")):
            text = f"{one}: write each stake as a whole number of minor units, 1 or more"
            raise typer.BadParameter(text, param_hint=option)
        found[wager] = [int(stake) for stake in stakes.split(",")]
    return found


@app.command(epilog="Example: sabot table bac-01 stakes --wager tie=100,300 --by 'A. Smith'")
def stakes(
    ctx: typer.Context,
    by: By,
    wager: Annotated[
        list[str] | None,
        typer.Option(metavar="WAGER=STAKES", help="Every stake, in minor units: tie=100,300; repeat for each wager."),
    ] = None,
) -> None:
    """Record the stakes of the coup on the table, for a jackpot from wagers. Without --wager: nobody wagered."""
    ctx.obj.request("stakes", by, stakes=_by_wager(wager, "--wager"))


@app.command(
    "record-win",
    epilog="Example: sabot table bac-01 record-win --jackpot lucky-tie --stakes tie=100,300 --by 'A. Smith'",
)
def record_win(
    ctx: typer.Context,
    jackpot: Annotated[str, typer.Option(help="Id of the jackpot: see `sabot gateway status`.")],
    by: By,
    coup: Annotated[str | None, typer.Option(metavar="COUP", help="SHOE/COUP as 3/17; default: the newest.")] = None,
    stakes: Annotated[
        list[str] | None,
        typer.Option(metavar="WAGER=STAKES", help="Stakes that take part in the pay-out; default: those recorded."),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="The floor service did not take the first record; its time stays.")
    ] = False,
) -> None:
    """Record a winning hand of a jackpot, at once. The order of these records is the order of the wins."""
    given = _by_wager(stakes, "--stakes") if stakes else None
    more = {"again": True} if again else {}
    ctx.obj.request("record-win", by, jackpot=jackpot, coup=coup, stakes=given, **more)


@app.command("deck-check", epilog="Example: sabot table bac-01 deck-check --decks 8 --by 'A. Smith'")
def deck_check(
    ctx: typer.Context,
    by: By,
    decks: Annotated[int | None, typer.Option(min=1, max=8, help="Default: the number in the config.")] = None,
    end: Annotated[bool, typer.Option("--end", help="End the check: all cards have been fed through.")] = False,
    clause: Clause = "",
) -> None:
    """Begin or end a deck check. Feed every card through once; missing and surplus cards are reported."""
    ctx.obj.request("deck-check", by, clause, on=0 if end else 1, decks=decks)


@app.command(
    epilog="Example: sabot table bac-01 capture --seconds 60 --out evening.shoe && sabot inspect evening.shoe --text"
)
def capture(
    ctx: typer.Context,
    seconds: Annotated[
        float,
        typer.Option(
            callback=finite,
            min=0.1,
            max=MOST_CAPTURE_S,
            help="How long; Ctrl-C ends it earlier.",
        ),
    ] = 60,
    out: Annotated[
        Path | None,
        typer.Option(help="The .shoe file to write, or - for stdout.", show_default="TABLE-TIME.shoe, here"),
    ] = None,
    most: Annotated[
        int, typer.Option("--bytes", min=1, max=MOST_CAPTURE_BYTES, help="Stop after so many bytes of the line.")
    ] = 1 << 22,
) -> None:
    """Capture the table's serial line, both ways. Read the file with `sabot inspect`; play is not disturbed.

    This command writes the file, with your permissions. The line never carries keys.
    """
    target: Target = ctx.obj
    target.only_here("capture")
    path = out or captures.default_path(target.table, time.time())
    request = Request("capture", target.table, args={"seconds": seconds, "bytes": most})
    try:
        socket = target.socket or socket_path(target.config)
        with captures.new_file(path) as file:
            sizes = captures.record(socket, request, seconds, file)
    except (captures.CaptureError, ControlError, SocketPathError) as error:
        fail(str(error))
    typer.echo(f"sabot: {path}: {sizes['shoe']} bytes from the shoe, {sizes['gateway']} to it", err=True)
    if out is None:
        typer.echo(path)


incidents.add_to(app)

"""Verbs about the shoe as a whole: open-shoe, close-shoe, deck-check, lock, unlock, clear-error, self-test, reboot."""

from typing import Annotated, Any

from msgspec import Meta
from sabot_protocol import fields
from sabot_protocol.topics import UNWAGERED

from sabot_gateway.angel_eye.commands import DISCARD, KEEP
from sabot_gateway.operator.table_view import TableView
from sabot_gateway.operator.verbs.verb import Coup, Decks, RefusedError, ShoeVerb, expect, still_locked
from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.alarms.catalogue import SHOE_VOID
from sabot_gateway.verify.reports.exit_lock import LOCKED
from sabot_gateway.verify.state import ShoeState

_BURNS = {  # by fields.Burn: what the dealer does first
    "none": "Burn no card: deal the first card of the first coup.",
    "one": "Draw one card and burn it face down.",
    "shown": "Draw one card, show it, and burn it.",
    "face_up": "Draw one card face up, then burn as many cards face down as its value.",
}


class OpenShoe(ShoeVerb, frozen=True):
    """Open a shoe with new cards, as the button New shoe does; decks and burn default to the table's."""

    title = "Open shoe"
    command = "open_shoe"
    of_coup = True
    not_now = (
        "a coup, the burn or a deck check is in progress, or the shoe's log is damaged. Finish or void the coup, or "
        "end the deck check; then repeat it."
    )
    decks: Decks | None = None
    burn: str | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for an unknown way to burn."""
        if self.burn is not None:
            expect("burn", self.burn, fields.Burn.encmapping)

    def possible(self, state: ShoeState) -> bool:
        """Return True if no coup is in progress."""
        return not state.dealing()

    def check(self, table: TableView) -> None:
        """Refuse cards that must be checked or replaced first, and another number of decks than the config has."""
        refuse_doubtful_cards(table)
        refuse_owed_coup(table)
        decks = table.verifier.profile["decks"]
        if self.decks not in (None, decks):
            raise RefusedError(
                f"{table.name} plays with {decks} decks by the gateway's config, not {self.decks}. Leave --decks out, "
                "or change the config to a number that the rulebook allows."
            )

    def data(self, table: TableView) -> dict[str, Any]:
        """Add what was left out, from the table's profile."""
        profile = table.verifier.profile
        return {"decks": profile["decks"], "burn": profile["burn"], **super().data(table)}

    def done(self, table: TableView, event: Event, coup: Coup | None) -> str:
        """Return how the shoe begins, and what still locks the exit."""
        data, locks = self.data(table), table.verifier.alarms.named(LOCKED)
        shut = "Shut the lid." if table.verifier.state.lid_open else ""
        say = f"A shoe of {data['decks']} decks is open. {_BURNS[data['burn']]}"
        return " ".join(filter(None, (say, shut, *(alarm.say for alarm in locks))))


def refuse_doubtful_cards(table: TableView) -> None:
    """Refuse to deal on while cards are neither checked nor replaced (The Star 12.11, Premium 14.11, Rapid 11.8.10)."""
    held, name = table.verifier.alarms.held(), table.name
    if table.verifier.alarms.named(SHOE_VOID):  # whose text says what ends it: no check of the cards does
        raise RefusedError(table.verifier.alarms.named(SHOE_VOID)[-1].say)
    if held:
        raise RefusedError(
            f"{held[-1].say} The cards are neither checked nor replaced. Close the shoe, then have every card checked: "
            f"`sabot table {name} deck-check --by NAME`; or record what was done: `sabot table {name} record --act "
            f"replace_unfit_cards --by NAME`, or the step that `sabot table {name} open` lists."
        )


def refuse_owed_coup(table: TableView) -> None:
    """Refuse other cards before a coup that begins with a card in excess, unless the cards must go anyway.

    A card that nobody has seen may go with the others where the book permits it (New Zealand 12.1(b), 12.2).
    """
    verifier, state = table.verifier, table.verifier.state
    number = state.coup_no + 1
    waits = state.returned or bool(state.dealt.get(number))
    if state.phase not in ("between", "complete") or not waits or verifier.alarms.held():
        return
    unwagered = verifier.checks.notices.kind_of(number) in UNWAGERED
    may_go = verifier.book.switch["replace_before_excess_card"]
    if not unwagered and may_go.value:
        return
    how = "dealt without wagers" if unwagered else f"used for that coup (rule {may_go.clause})"
    first = "Confirm the coup on the table, then deal" if state.phase == "complete" else "Deal"
    raise RefusedError(
        f"coup {state.shoe_no}/{number} begins with a card that was drawn in excess, and the rulebook has it {how}. "
        f"{first} that coup, or void it; then repeat this."
    )


class CloseShoe(ShoeVerb, frozen=True):
    """Close the shoe: no more coup is dealt from it."""

    title = "Close shoe"
    command = "close_shoe"
    of_coup = True
    not_now = "a coup is in progress, or no shoe is open. Finish or void the coup, then repeat it."

    def check(self, table: TableView) -> None:
        """Refuse to end the shoe before a coup that it still owes."""
        refuse_owed_coup(table)

    def done(self, table: TableView, event: Event, coup: Coup | None) -> str:
        """Return how the next shoe begins."""
        return f"The shoe is closed. Put in new cards, then press New shoe or run `sabot table {table.name} open-shoe`."


class DeckCheck(ShoeVerb, frozen=True):
    """Begin (1) or end (0) a deck check: every card is fed through once; decks default to the table's."""

    title = "Deck check"
    command = "deck_check"
    not_now = (
        "a deck check begins only when no shoe is open, and ends only while one is in progress. Close the shoe with "
        "`sabot table {table} tell close-shoe --by NAME`, then begin it."
    )
    on: Annotated[int, Meta(ge=0, le=1)]
    decks: Decks | None = None

    def data(self, table: TableView) -> dict[str, Any]:
        """Add the table's decks if they were left out."""
        return {"decks": table.verifier.profile["decks"], **super().data(table)}

    def done(self, table: TableView, event: Event, coup: Coup | None) -> str:
        """Return how the check goes on, or where its result is."""
        if self.on:
            end = f"`sabot table {table.name} deck-check --end --by NAME`"
            decks = self.data(table)["decks"]
            return f"Feed every card of {decks} deck{'s'[: decks > 1]} through the shoe, then run {end}."
        return "The check has ended. Cards that are missing or too many are alarms: see `sabot gateway status`."


class Lock(ShoeVerb, frozen=True):
    """Lock the exit."""

    title = "Lock"
    command = "lock"

    def done(self, table: TableView, event: Event, coup: Coup | None) -> str:
        """Return how the exit is released."""
        return f"The exit is locked. To release it, run `sabot table {table.name} tell unlock --by NAME`."


class Unlock(ShoeVerb, frozen=True):
    """Unlock the exit, unless a fault or the coup locks it."""

    title = "Unlock"
    command = "unlock"

    def check(self, table: TableView) -> None:
        """Refuse while the cards are in doubt: the gateway releases the exit when they are checked or replaced."""
        refuse_doubtful_cards(table)

    def done(self, table: TableView, event: Event, coup: Coup | None) -> str:
        """Return what else locks the exit."""
        return " ".join(filter(None, ("The exit is no longer locked by command.", still_locked(table, LOCKED))))


class ClearError(ShoeVerb, frozen=True):
    """Clear the error for which an Angel Eye has stopped; after an overdraw choose what happens with the card."""

    title = "Clear error"
    command = "clear_error"
    not_now = "the shoe's error has changed since it was requested. See `sabot gateway status`, then repeat it."
    card: str | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for an unknown use of the card."""
        if self.card is not None:
            expect("card", self.card, (KEEP, DISCARD))

    def check_clause(self, table: TableView, clause: str) -> None:
        """Raise RefusedError also if the card is discarded without a clause: most rules have it kept."""
        super().check_clause(table, clause)
        if self.card == DISCARD and not clause:
            book = table.verifier.rulebook
            raise RefusedError(
                f"a card is discarded only by a clause of {book}, and most have it kept for the next coup. See the "
                "alarm; then keep it, or add --clause N."
            )

    def done(self, table: TableView, event: Event, coup: Coup | None) -> str:
        """Return what becomes of the card."""
        card = {
            KEEP: "The card is the first of the next coup: leave it where it is.",
            DISCARD: "Put the card aside: the next card takes its place.",
        }
        return " ".join(filter(None, ("The error is cleared.", card.get(self.card or ""))))


class SelfTest(ShoeVerb, frozen=True):
    """Run the shoe's self-test."""

    title = "Self-test"
    command = "self_test"

    def done(self, table: TableView, event: Event, coup: Coup | None) -> str:
        """Return where its result is."""
        return "The shoe tests itself. What it finds is a fault and an alarm: see `sabot gateway status`."


class Reboot(ShoeVerb, frozen=True):
    """Restart the shoe; it goes on where it was."""

    title = "Reboot"
    command = "reboot"

    def done(self, table: TableView, event: Event, coup: Coup | None) -> str:
        """Return what to compare."""
        return "The shoe restarts and goes on where it was. Then compare its lamps with the cards on the table."

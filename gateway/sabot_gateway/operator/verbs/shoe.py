"""Verbs about the shoe as a whole: open-shoe, close-shoe, deck-check, lock, unlock, self-test, reboot."""

from typing import Annotated, Any

from msgspec import Meta
from sabot_protocol import fields

from sabot_gateway.operator.table_view import TableView
from sabot_gateway.operator.verbs.verb import Decks, RefusedError, ShoeVerb, expect


class OpenShoe(ShoeVerb, frozen=True):
    """Open a shoe with new cards, as the button New shoe does; decks and burn default to the table's."""

    title = "Open shoe"
    command = "open_shoe"
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

    def check(self, table: TableView) -> None:
        """Refuse another number of decks than the config has."""
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


class CloseShoe(ShoeVerb, frozen=True):
    """Close the shoe: no more coup is dealt from it."""

    title = "Close shoe"
    command = "close_shoe"
    not_now = "a coup is in progress, or no shoe is open. Finish or void the coup, then repeat it."


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


class Lock(ShoeVerb, frozen=True):
    """Lock the exit."""

    title = "Lock"
    command = "lock"


class Unlock(ShoeVerb, frozen=True):
    """Unlock the exit, unless a fault or the coup locks it."""

    title = "Unlock"
    command = "unlock"


class SelfTest(ShoeVerb, frozen=True):
    """Run the shoe's self-test."""

    title = "Self-test"
    command = "self_test"


class Reboot(ShoeVerb, frozen=True):
    """Restart the shoe; it goes on where it was."""

    title = "Reboot"
    command = "reboot"

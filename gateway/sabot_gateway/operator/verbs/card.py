"""Verbs about one card: key-card, burn-card, card-returned."""

import msgspec

from sabot_gateway.operator.table_view import TableView
from sabot_gateway.operator.verbs.verb import Coup, RefusedError, ShoeVerb, expect_card
from sabot_gateway.shoe.parse import Event


class KeyedFlags(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What a person saw of the card that is keyed in."""

    face_up: bool = False
    exposed: bool = False


class KeyCard(ShoeVerb, frozen=True):
    """Key in the card that the shoe could not read."""

    title = "Key card"
    command = "key_card"
    of_coup = True
    not_now = (
        "no card is out that left the shoe at {table} and was not read. A card that is in the shoe, or that goes back "
        "into it, is drawn again once the fault is cleared; if a card is on the table that the shoe does not know, "
        "void the coup."
    )
    card: str
    flags: KeyedFlags = KeyedFlags()

    def __post_init__(self) -> None:
        """Raise ValueError if it is not one of the 52 cards."""
        expect_card("card", self.card)

    def check(self, table: TableView) -> None:
        """Refuse a card if the shoe's log shows that none waits."""
        if table.verifier.unread_cards() == 0:
            raise RefusedError(self.not_now.format(table=table.name))

    def done(self, table: TableView, event: Event, coup: Coup | None) -> str:
        """Return that the card counts."""
        return f"{self.card} counts as the card that was not read. The shoe goes on."


class BurnCard(ShoeVerb, frozen=True):
    """Burn one card before the next coup; or the burn that was missed, and deal the first coup again."""

    title = "Burn card"
    command = "burn_card"
    of_coup = True
    not_now = "a coup is in progress, a fault holds the shoe, or no shoe is open. Finish the coup, then repeat it."

    def done(self, table: TableView, event: Event, coup: Coup | None) -> str:
        """Return what to do with the cards."""
        return (
            "The next card is a burn: draw it and burn it face down. If the burn of this shoe was missed, put the "
            "cards of the first coup back into the shoe in their order first, and deal them again after the burn."
        )


class CardReturned(ShoeVerb, frozen=True):
    """The last card drawn too many is back in the shoe."""

    title = "Card returned"
    command = "card_returned"
    of_coup = True
    not_now = "no card was drawn too many at a complete coup, so none can go back. Leave the cards on the table."

    def done(self, table: TableView, event: Event, coup: Coup | None) -> str:
        """Return how it is drawn again."""
        return "The last card that was drawn too many counts as back in the shoe. Confirm the coup; it is drawn again."

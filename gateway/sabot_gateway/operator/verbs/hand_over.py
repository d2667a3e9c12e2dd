"""Verbs that move a coup in progress to another shoe (Rapid 11.8.15): export-coup, import-coup."""

from typing import Annotated, Any

from msgspec import Meta
from sabot_protocol import fields

from sabot_gateway.operator.table_view import TableView
from sabot_gateway.operator.verbs.verb import Coup, Decks, RefusedError, ShoeVerb, expect, expect_card, still_locked
from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.moves import Cards, Moved, import_command, on_table
from sabot_gateway.verify.reports.exit_lock import AWAITING, LID

_SLOTS = tuple(slot for slot in fields.Slot.encmapping if slot not in ("burn", "unused"))


class ExportCoup(ShoeVerb, frozen=True):
    """End the shoe in mid-coup; the coup goes on at another shoe."""

    title = "Export coup"
    command = "export_coup"
    of_coup = True
    needs_clause = True
    not_now = "no coup is in progress, so there is none to export. Open the other shoe and deal from it."

    def done(self, table: TableView, event: Event, coup: Coup | None) -> str:
        """Return what to do with the cards, and the line to type at the other table."""
        coup_no, cards = table.verifier.leaving_coup(event)
        if table.verifier.checks.irregularities.face_down:
            cards = ()  # not every one may be turned
        return (
            f"Coup {coup_no} is not void, and its wagers stand. Put all cards into another shoe, open it there, and "
            f"type {import_command(coup_no, cards)}."
        )


class ImportCoup(ShoeVerb, frozen=True):
    """Go on with a coup that another shoe began; what is left out is as the coup had it when it was exported."""

    title = "Import coup"
    command = "import_coup"
    not_now = "the shoe has dealt a coup already. Open a new shoe with `sabot table {table} open-shoe --by NAME`."
    coup_no: Annotated[int, Meta(ge=1, le=0xFFFF)]
    cards: dict[str, str]
    kind: str | None = None
    decks: Decks | None = None
    cards_out: Annotated[int, Meta(ge=1, le=0xFFFF)] | None = None
    coups_left: Annotated[int, Meta(ge=0, le=2)] | None = None
    awaiting: Annotated[int, Meta(ge=0, le=1)] | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for an unknown kind, slot or card."""
        if self.kind is not None:
            expect("kind", self.kind, fields.CoupKind.encmapping)
        for slot, card in self.cards.items():
            expect("slot", slot, _SLOTS)
            if card != fields.NO_CARD:
                expect_card(slot, card)

    def check(self, table: TableView) -> None:
        """Refuse a coup that goes on elsewhere, left with other cards or as another kind, or does not fit this shoe."""
        moved = self._moved(table)
        if moved is None:
            self._refuse_other_cards(table)
        elif moved.taken_by:
            raise RefusedError(
                f"coup {self.coup_no} of {moved.table} goes on at {moved.taken_by} already. Deal it there."
            )
        elif self.kind not in (None, moved.kind):
            raise RefusedError(
                f"coup {self.coup_no} left {moved.table} as {moved.kind}, and a coup keeps its kind. Leave --kind out."
            )
        if not table.verifier.state.is_new():
            decks = moved.position()["decks"] if moved else table.verifier.decks
            raise RefusedError(
                "the shoe has dealt a coup already, and an imported coup must be its first. Open a new shoe with "
                f"`sabot table {table.name} open-shoe --decks {decks} --by NAME`."
            )
        self._refuse_count(table)

    def data(self, table: TableView) -> dict[str, Any]:
        """Return the whole coup: what was left out as it was exported, every slot with a card or none."""
        given, moved = super().data(table), self._moved(table)
        unknown = {
            "decks": table.verifier.decks,
            "cards_out": len(self._laid()),
            "coups_left": 0,
            "awaiting": 0,
            "kind": "live",
        }
        known = {**moved.position(), "kind": moved.kind} if moved else unknown
        return {**known, **given, "cards": {**dict.fromkeys(_SLOTS, fields.NO_CARD), **self.cards}}

    def done(self, table: TableView, event: Event, coup: Coup | None) -> str:
        """Return what to do next, and what still locks the exit."""
        say = f"Coup {self.coup_no} goes on here: burn no card, and deal the card that is due."
        return " ".join(filter(None, (say, still_locked(table, AWAITING, LID))))

    def _laid(self) -> Cards:
        return on_table(self.cards)

    def _moved(self, table: TableView) -> Moved | None:
        return table.verifier.moves.find(self.coup_no, self._laid())

    def _refuse_count(self, table: TableView) -> None:
        """Refuse a count of cards that so many decks cannot give; a continuous shoe deals cards again."""
        whole, laid = self.data(table), len(self._laid())
        out, decks = whole["cards_out"], whole["decks"]
        if out < laid:
            raise RefusedError(
                f"--cards-out {out}: {laid} cards are on the table, and they are out too. Count all cards that "
                "have left that shoe, the coup's own included."
            )
        if out > 52 * decks and not table.verifier.continuous:
            raise RefusedError(
                f"--cards-out {out}: {decks} decks have {52 * decks} cards. Count the cards that have left that shoe, "
                "and give its --decks."
            )

    def _refuse_other_cards(self, table: TableView) -> None:
        """Refuse if a coup of this number left a table of this gateway with other cards, and waits for its shoe."""
        other = table.verifier.moves.with_other_cards(self.coup_no, self._laid())
        if other:
            raise RefusedError(
                f"coup {self.coup_no} left {other.table} with other cards. Look at each card as it lies, and type "
                f"{import_command(self.coup_no, table=table.name)}. If this is another coup, from a shoe of "
                f"another gateway, acknowledge first that the one of {other.table} does not go on here: "
                f"`sabot table {other.table} ack-alarm {other.alarm} --by NAME`."
            )

"""Hand-over: a coup that comes from another shoe of this gateway is the one that left there, and goes on once."""

from dataclasses import dataclass

from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.checks.composition import CompositionCheck
from sabot_gateway.verify.findings import NONE, Finding, Findings
from sabot_gateway.verify.moves import Cards, Moved, Moves, as_arguments, on_table
from sabot_gateway.verify.state import ShoeState


@dataclass
class HandOverCheck:
    """The coups that leave this table and come to it."""

    state: ShoeState
    table: str
    moves: Moves
    composition: CompositionCheck

    def handed_over(self, event: Event) -> Findings:
        """A coup leaves with all that is known of it, or comes with what is known of it here."""
        state, number = self.state, event.data["coup_no"]
        if not event.data["import"]:
            doubtful = number in state.doubtful
            self.moves.left(Moved(self.table, event, state.time, self.composition.all_out(), doubtful))
            return NONE
        moved = self.moves.arrived(event, self.table, state.time)
        if moved is None:
            return self._unknown(number, on_table(event.data["cards"]))
        self.composition.came_with(moved.out)
        state.came = moved
        if moved.doubtful:
            state.doubtful.add(number)
        if event.data["kind"] == moved.kind:
            return NONE
        fact = f"A coup came from another shoe and changed its kind since it left {moved.table}."
        return (Finding(fact, event.data["kind"], moved.kind, "", number),)

    def _unknown(self, number: int, cards: Cards) -> Findings:
        """The coup goes on elsewhere already, or left with other cards; a coup of another gateway is not known here."""
        says, same = f"coup {number}: {as_arguments(cards)}", self.moves.find(number, cards)
        if same:
            fact = "A coup came from another shoe, but it is already played at another table."
            return (Finding(fact, says, f"coup {number} of {same.table} is played at {same.taken_by}", "", number),)
        other = self.moves.with_other_cards(number, cards)
        if other is None:
            return NONE
        fact = f"A coup came from another shoe and its cards are not those that left {other.table}."
        return (Finding(fact, says, f"coup {number}: {as_arguments(other.cards)}", "", number),)

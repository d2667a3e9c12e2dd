"""Numbering: shoes and coups rise by one, cards come in the order of the draw, and no closed shoe deals."""

from dataclasses import dataclass

from sabot_protocol.fields import NO_CARD
from sabot_protocol.rulebooks import Rulebook

from sabot_gateway import rules
from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.findings import NONE, Finding, Findings
from sabot_gateway.verify.state import NO_COUP, ShoeState

_SHOES = 1 << 16
_NOT_NUMBERED = frozenset(("unknown", "checking"))  # phases in which a card can come from anywhere


def draw_clause(book: Rulebook, cards: list[str]) -> str:
    """Return the clause for the cards that follow the first four."""
    draw = book.draw
    player, banker = cards[0:3:2], cards[1:4:2]
    if len(cards) >= 4 and max(rules.points(player), rules.points(banker)) >= 8:
        return draw.natural
    if len(cards) >= 4 and not rules.player_draws(rules.points(player)):
        return draw.player_stands
    return f"{draw.table_1}, {draw.table_2}"


@dataclass
class NumberingCheck:
    """Numbers and slots of each event, compared with the state before it."""

    state: ShoeState
    book: Rulebook
    _reported_shoe: int | None = None  # the shoe that should not deal; it is reported once
    _left: int = -1  # the coup that left for another shoe: it is not counted here
    _unread: int = -1  # the coup in which a card left the shoe and was not read

    def shoe_opened(self, event: Event) -> Findings:
        """A shoe opens under the next number, after the one before is closed."""
        state, number = self.state, event.data["shoe_no"]
        self._left, self._reported_shoe, self._unread = -1, None, -1
        if state.phase in ("between", "dealing", "complete"):
            fact = "A shoe was opened before the last one was closed."
            yield Finding(fact, f"shoe {number} opened", f"shoe {state.shoe_no} is not closed")
        if state.shoe_no is not None and number != (state.shoe_no + 1) % _SHOES:
            yield Finding("The shoe's number is not the next one.", f"shoe {number}", f"shoe {state.shoe_no + 1}")

    def shoe_closed(self, event: Event) -> Findings:
        """The open shoe closes, with the number of coups that it dealt."""
        state, data = self.state, event.data
        if state.phase == "closed":
            yield Finding("A shoe was closed that was not open.", f"shoe {data['shoe_no']} closed", "no shoe is open")
        dealt = state.coup_no - (self._left == state.coup_no)
        if state.whole and state.phase != "closed" and data["coups"] != dealt:
            fact = "The shoe's number of coups does not match its log."
            yield Finding(fact, f"{data['coups']} coups", f"{dealt} coups")

    def card(self, event: Event) -> Findings:
        """A card comes from the open shoe, in the coup and the slot that are due."""
        state, data = self.state, event.data
        phase = state.phase
        if phase in _NOT_NUMBERED:
            return NONE
        if phase == "closed" or data["shoe_no"] != state.shoe_no:
            return self._wrong_shoe(event)
        slot = data["slot"]
        if slot in NO_COUP:
            return NONE
        expected = state.surplus_coup_no() if data["flags"].get("surplus") else state.next_coup_no()
        if data["coup_no"] != expected:
            return (_another_coup(data["coup_no"], expected, state.coup_no),)
        due = state.due(expected)
        return NONE if slot == due or expected == state.gap_in else self._wrong_place(event, expected, due)

    def _wrong_shoe(self, event: Event) -> Findings:
        data, state = event.data, self.state
        if data["shoe_no"] == self._reported_shoe:
            return NONE
        self._reported_shoe = data["shoe_no"]
        if state.phase == "closed":
            card = f"{data['card']} as {data['slot']}"
            return (Finding("A card was dealt, but no shoe is open.", card, "no card is due"),)
        fact = "The log names a shoe that is not open."
        return (Finding(fact, f"shoe {data['shoe_no']}", f"shoe {state.shoe_no}", "", data["coup_no"]),)

    def _wrong_place(self, event: Event, expected: int, slot: str | None) -> Findings:
        """The card is not in this slot, which is due; None: the coup is complete."""
        data, dealt = event.data, self.state.cards(expected)
        fact = "A card is in the wrong place."
        due = f"{slot} is due" if slot else "the coup is complete"
        clause = draw_clause(self.book, dealt)
        return (Finding(fact, f"{data['card']} as {data['slot']}", f"after {' '.join(dealt)} {due}", clause, expected),)

    def coup(self, event: Event) -> Findings:
        """The result belongs to the coup on the table, and comes once."""
        state, number = self.state, event.data["coup_no"]
        if state.phase == "dealing" and number == state.coup_no:
            return NONE
        if state.phase == "complete":
            fact = "The shoe reported a coup twice."
            return (Finding(fact, f"coup {number}", f"coup {state.coup_no} is complete", "", number),)
        if state.phase == "closed":
            fact = "The shoe reported a coup, but no shoe is open."
            return (Finding(fact, f"coup {number}", "no shoe is open", "", number),)
        if state.phase in ("between", "dealing") and number != state.next_coup_no():
            return (_another_coup(number, state.next_coup_no(), number),)
        return NONE

    def reject(self, event: Event) -> Findings:
        """A card of this coup may be out that was not read."""
        self._unread = self.state.next_coup_no()
        return NONE

    def coup_void(self, event: Event) -> Findings:
        """Only the coup on the table can be void, or the one before until the next has begun."""
        state, data = self.state, event.data
        if state.phase in ("unknown", "closed"):
            return NONE
        wanted = state.coup_no if self._was_dealt(data["coup_no"]) else state.next_coup_no()
        if data["coup_no"] != wanted:
            return (_another_coup(data["coup_no"], wanted, state.coup_no),)
        out = len(state.dealt.get(wanted, ()))
        if state.whole and data["cards"] != out:
            fact = "The shoe's count of the void coup's cards does not match its log."
            return (Finding(fact, f"{data['cards']} cards", f"{out} cards"),)
        if state.whole and not out and wanted != self._unread:
            fact = "A coup was voided that was not dealt."
            return (Finding(fact, f"coup {wanted} void", "no card of it is out"),)
        return NONE

    def _was_dealt(self, coup_no: int) -> bool:
        """Return True if the coup is on the table, or was confirmed and no card of the next is drawn."""
        return self.state.phase == "complete" or (coup_no == self.state.coup_no and bool(self.state.dealt.get(coup_no)))

    def handed_over(self, event: Event) -> Findings:
        """A coup leaves with the cards it has; a coup comes only to a shoe that has dealt none."""
        state, data = self.state, event.data
        number = data["coup_no"]
        if state.phase in ("unknown", "checking"):
            return NONE
        if data["import"]:
            if state.phase == "between" and not state.coup_no:
                return NONE
            fact = "A coup came from another shoe, but this shoe has dealt already."
            return (Finding(fact, f"coup {number} came", f"coup {state.coup_no} was dealt here", "", number),)
        self._left = number
        cards = [card for card in data["cards"].values() if card != NO_CARD]
        dealt, out = state.next_coup_no(), state.cards(state.next_coup_no())
        if cards and (number, sorted(cards)) == (dealt, sorted(out)):
            return NONE
        fact = "The coup that left for another shoe is not the coup that was dealt."
        return (Finding(fact, f"coup {number}: {' '.join(cards)}", f"coup {dealt}: {' '.join(out)}"),)

    def cutting_card(self, event: Event) -> Findings:
        """The cutting card comes where the state has it: before a coup or in it."""
        state, data = self.state, event.data
        if state.phase in ("unknown", "closed", "checking"):
            return NONE
        before = state.phase != "dealing" and not state.dealt.get(state.next_coup_no())
        if bool(data["before_first_card"]) != before or data["coup_no"] != state.next_coup_no():
            fact = "The cutting card did not come where the shoe reports it."
            says = _place(data["coup_no"], bool(data["before_first_card"]))
            return (Finding(fact, says, _place(state.next_coup_no(), before), "", state.next_coup_no()),)
        return NONE

    def checkpoint(self, event: Event) -> Findings:
        """Between two coups a checkpoint names the next one."""
        state, number = self.state, event.data["coup_no"]
        if state.phase == "between" and number and number != state.next_coup_no():
            return (_another_coup(number, state.next_coup_no(), 0),)
        return NONE


def _another_coup(reported: int, expected: int, doubtful: int) -> Finding:
    return Finding("The coup's number is not the next one.", f"coup {reported}", f"coup {expected}", "", doubtful)


def _place(coup_no: int, before_first_card: bool) -> str:
    return f"{'before' if before_first_card else 'in'} coup {coup_no}"

"""Numbering: shoes and coups rise by one, cards come in the order of the draw, and nothing is dealt from no shoe."""

from dataclasses import dataclass

from sabot_protocol.fields import NO_CARD
from sabot_protocol.rulebooks import Rulebook

from sabot_gateway import rules
from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.findings import NONE, Finding, Findings
from sabot_gateway.verify.state import NO_COUP, Dealt, Reading

_SHOES = 1 << 16


def draw_clause(book: Rulebook, cards: list[str]) -> str:
    """The clause that says how these cards go on after the first four."""
    draw = book.draw
    player, banker = cards[0:3:2], cards[1:4:2]
    if len(cards) >= 4 and max(rules.points(player), rules.points(banker)) >= 8:
        return draw.natural
    if len(cards) >= 4 and not rules.player_draws(rules.points(player)):
        return draw.player_stands
    return f"{draw.table_1}, {draw.table_2}"


def told(dealt: Dealt) -> str:
    """Cards in the order drawn."""
    return " ".join(card for _, card in dealt)


@dataclass
class Numbering:
    """Event by event against where the shoe stood."""

    read: Reading
    book: Rulebook
    _told_of: int | None = None  # the shoe that should not deal, told once
    _empty: int = -1  # a coup that has a number and was not dealt here
    _unread: int = -1  # the coup in which a card left the shoe unread

    def shoe_opened(self, event: Event) -> Findings:
        """A shoe is opened when the one before is closed, under the next number."""
        read, number = self.read, event.data["shoe_no"]
        self._empty, self._told_of, self._unread = -1, None, -1
        if read.phase in ("between", "dealing", "complete"):
            fact = "A shoe was opened while another was open."
            yield Finding(fact, f"shoe {number} opened", f"shoe {read.shoe_no} is not closed")
        if read.shoe_no is not None and number != (read.shoe_no + 1) % _SHOES:
            yield Finding("The number of the shoe is not the next one.", f"shoe {number}", f"shoe {read.shoe_no + 1}")

    def shoe_closed(self, event: Event) -> Findings:
        """The shoe that is open, with as many coups as were dealt."""
        read, data = self.read, event.data
        if read.phase == "closed":
            yield Finding("A shoe was closed that was not open.", f"shoe {data['shoe_no']} closed", "no shoe is open")
        dealt = read.coup_no - (self._empty == read.coup_no)
        if read.whole and read.phase != "closed" and data["coups"] != dealt:
            yield Finding("The shoe counts other coups than it dealt.", f"{data['coups']} coups", f"{dealt} coups")

    def card(self, event: Event) -> Findings:
        """From an open shoe, in the coup on the table or the next, in the slot that is due."""
        read, data = self.read, event.data
        if read.phase in ("unknown", "checking"):
            return NONE
        if read.phase == "closed" or data["shoe_no"] != read.shoe_no:
            return self._from_no_shoe(event)
        return NONE if data["slot"] in NO_COUP else self._dealt(event)

    def _from_no_shoe(self, event: Event) -> Findings:
        data, read = event.data, self.read
        if data["shoe_no"] == self._told_of:
            return NONE
        self._told_of = data["shoe_no"]
        if read.phase == "closed":
            card = f"{data['card']} as {data['slot']}"
            return (Finding("A card was dealt and no shoe is open.", card, "no card can come"),)
        fact = "The log speaks of another shoe than the one that is open."
        return (Finding(fact, f"shoe {data['shoe_no']}", f"shoe {read.shoe_no}", "", data["coup_no"]),)

    def _dealt(self, event: Event) -> Findings:
        read, data = self.read, event.data
        surplus = bool(data["flags"].get("surplus"))
        expected = read.surplus_coup_no() if surplus else read.next_coup_no()
        if data["coup_no"] != expected:
            return (_another_coup(data["coup_no"], expected, read.coup_no),)
        slot = read.due(expected)
        if data["slot"] == slot or expected == read.gap_in:
            return NONE
        dealt = read.cards(expected)
        fact = "A card was put where the draw has none, or another."
        due = f"{slot} is due" if slot else "the coup is complete"
        clause = draw_clause(self.book, dealt)
        return (Finding(fact, f"{data['card']} as {data['slot']}", f"after {' '.join(dealt)} {due}", clause, expected),)

    def coup(self, event: Event) -> Findings:
        """The coup on the table is complete, once."""
        read, number = self.read, event.data["coup_no"]
        if read.phase == "complete":
            yield Finding("A coup was told again.", f"coup {number}", f"coup {read.coup_no} is complete", "", number)
        elif read.phase in ("between", "dealing") and number != read.next_coup_no():
            yield _another_coup(number, read.next_coup_no(), number)
        elif read.phase == "closed":
            yield Finding("A coup was told and no shoe is open.", f"coup {number}", "no shoe is open", "", number)

    def reject(self, event: Event) -> Findings:
        """A card of this coup may be out that nobody can name."""
        self._unread = self.read.next_coup_no()
        return NONE

    def coup_void(self, event: Event) -> Findings:
        """The coup that is void is the one on the table, or the one before until the next has begun."""
        read, data = self.read, event.data
        if read.phase in ("unknown", "closed"):
            return NONE
        wanted = read.coup_no if self._was_dealt(data["coup_no"]) else read.next_coup_no()
        if data["coup_no"] != wanted:
            return (_another_coup(data["coup_no"], wanted, read.coup_no),)
        out = len(read.dealt.get(wanted, ()))
        if read.whole and data["cards"] != out:
            fact = "The shoe counts other cards of the void coup than it told."
            return (Finding(fact, f"{data['cards']} cards", f"{out} cards"),)
        if read.whole and not out and wanted != self._unread:
            fact = "A coup was declared void that was not dealt."
            return (Finding(fact, f"coup {wanted} void", "no card of it is out"),)
        return NONE

    def _was_dealt(self, coup_no: int) -> bool:
        """It is on the table, or it was confirmed and no card of the next is drawn."""
        return self.read.phase == "complete" or (coup_no == self.read.coup_no and bool(self.read.dealt.get(coup_no)))

    def handed_over(self, event: Event) -> Findings:
        """A coup leaves while it is dealt, with the cards it has; one comes to a shoe that has dealt none."""
        read, data = self.read, event.data
        number = data["coup_no"]
        if read.phase in ("unknown", "checking"):
            return NONE
        if data["import"]:
            if read.phase == "between" and not read.coup_no:
                return NONE
            fact = "A coup came from another shoe, and this one is not new."
            return (Finding(fact, f"coup {number} came", f"coup {read.coup_no} was dealt here", "", number),)
        self._empty = number
        cards = [card for card in data["cards"].values() if card != NO_CARD]
        dealt, out = read.next_coup_no(), read.cards(read.next_coup_no())
        if cards and (number, sorted(cards)) == (dealt, sorted(out)):
            return NONE
        fact = "Another coup left for another shoe than the one that was dealt."
        return (Finding(fact, f"coup {number}: {' '.join(cards)}", f"coup {dealt}: {' '.join(out)}"),)

    def cutting_card(self, event: Event) -> Findings:
        """Whether a card of the coup was out."""
        read, data = self.read, event.data
        if read.phase in ("unknown", "closed", "checking"):
            return NONE
        before = read.phase != "dealing" and not read.dealt.get(read.next_coup_no())
        if bool(data["before_first_card"]) != before or data["coup_no"] != read.next_coup_no():
            fact = "The cutting card came at another place than the shoe says."
            says = _place(data["coup_no"], bool(data["before_first_card"]))
            return (Finding(fact, says, _place(read.next_coup_no(), before), "", read.next_coup_no()),)
        return NONE

    def checkpoint(self, event: Event) -> Findings:
        """It stands between two coups."""
        read, number = self.read, event.data["coup_no"]
        if read.phase == "between" and number and number != read.next_coup_no():
            return (_another_coup(number, read.next_coup_no(), 0),)
        return NONE


def _another_coup(said: int, expected: int, doubtful: int) -> Finding:
    return Finding("The number of the coup is not the next one.", f"coup {said}", f"coup {expected}", "", doubtful)


def _place(coup_no: int, before_first_card: bool) -> str:
    return f"{'before' if before_first_card else 'in'} coup {coup_no}"

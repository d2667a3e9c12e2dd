"""ShoeState: what the log of one shoe has shown so far: the coup on the table, its cards, what is over."""

from dataclasses import dataclass, field
from typing import Any, Final, Literal

from sabot_gateway import rules
from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.deciders import Decider
from sabot_gateway.verify.moves import Moved

Dealt = list[tuple[str, str]]  # slots and cards, in the order drawn
# unknown: part of the log is missing; between: no card of the next coup is out.
Phase = Literal["unknown", "closed", "checking", "between", "dealing", "complete"]
NOT_OPEN: Final = frozenset(("unknown", "closed", "checking"))  # phases without a coup
NO_COUP: Final = frozenset(("burn", "unused"))  # slots of cards that belong to no coup
_OF_CONTROLLER = ("journal", "journal_full", "image", "program")  # faults that are about no coup
_FIRST, _FOUR = rules.FIRST_FOUR[0], len(rules.FIRST_FOUR)
DECK_CARDS: Final = 52
RESULTS = ("player", "banker", "tie")
SURPLUS: Final = ("player_overdraw", "banker_overdraw", "excess_card")  # cases of a card that was not due


@dataclass
class ShoeState:
    """The shoe of one table, as `effects` follow its log; checks and reports read it."""

    unit: str = ""
    time: str = ""  # the gateway's clock at the event that is verified now

    # The shoe
    shoe_no: int | None = None  # the last one that the log named
    phase: Phase = "unknown"
    whole: bool = False  # nothing of the log of this shoe, or of this check of the decks, is missing
    line_lost: bool = False  # an alarm was raised when the line was lost, and it is not opened again
    missed: bool = False  # a coup of this shoe is known to be missing
    decks: int = 0
    table_decks: int = 0  # of the table's profile: of a closed shoe the log may not show any
    opened: dict[str, Any] = field(default_factory=lambda: {"decks": 0, "card_set": 0, "burn": "none"})
    burning: bool = False  # the burn of a new shoe is not over
    spoiled: bool = False  # a foreign card was among the cards of this shoe, so the rest of them must go
    lid_open: bool = False
    result_first: bool = False  # the book wants the dealer's entry before Confirm, and only the two together count

    # Its coups
    coup_no: int = 0  # on the table, or the last that was
    dealt: dict[int, Dealt] = field(default_factory=dict)  # by coup; surplus cards begin the next
    surplus: list[int] = field(default_factory=list)  # the coup that each surplus card begins; 0: the card is not used
    returned: bool = False  # a card in excess was put back, and the next card is to be that one (Crown 7.1.5)
    unread: bool = False  # since the last coup ended a card left the shoe and was not read
    gap_in: int | None = None  # the coup in which part of the log is missing
    winner: str = ""  # of the newest coup, as the shoe logged it
    entered: str = ""  # the dealer's entry of its result at the shoe, the newest
    cases: list[tuple[int, str, str]] = field(default_factory=list)  # coup, case and code of irregularities logged

    # Kept by reports for the result of a coup
    doubtful: set[int] = field(default_factory=set)  # coups with a discrepancy before their result
    decision_cleared: bool = False  # a supervisor has ended the fault `decision` at the shoe, or by command
    cleared_by: Decider | None = None  # who gave that command
    came: Moved | None = None  # the coup that came from another shoe
    no_bet_by: tuple[int, Decider] | None = None  # the coup that became one without wagers, and by whom

    def missed_a_shoe(self, event: Event) -> bool:
        """Return True if the log goes on with another shoe after a missing part."""
        if self.phase != "unknown" or self.shoe_no is None:
            return False
        return bool(event.data.get("shoe_no", self.shoe_no) != self.shoe_no)

    def is_every_card(self, cards: int) -> bool:
        """Return True if so many cards are all that the decks have."""
        decks = self.decks or self.table_decks
        return decks > 0 and cards >= DECK_CARDS * decks

    def codes(self, coup_no: int) -> set[str]:
        """Return the codes of the irregularities that the log has for a coup."""
        return {code for number, _, code in self.cases if number == coup_no}

    def cards(self, coup_no: int) -> list[str]:
        """Return the cards of a coup, in the order drawn."""
        return [card for _, card in self.dealt.get(coup_no, ())]

    def next_coup_no(self) -> int:
        """Return the coup that the next card belongs to, if it is due."""
        return self.coup_no if self.phase == "dealing" else self.coup_no + 1

    def unbegun_coup_no(self) -> int:
        """Return the coup whose kind a person may decide: the next, or the one after if cards in excess began it."""
        begun = self.phase == "between" and not self.burning and bool(self.dealt.get(self.coup_no + 1))
        return self.coup_no + 1 + begun

    def surplus_coup_no(self) -> int:
        """Return the coup that the next surplus card begins: after the coup that is due, and those that are full."""
        number = self.coup_no + 1 if self.burning or self.phase != "between" else self.coup_no + 2
        while self.due(number) is None:
            number += 1
        return number

    def next_of_case(self, case: str, coup_no: int) -> int:
        """Return the coup that "the next" is in a case of this coup: the one that a card in excess begins or joins."""
        begun = self.surplus[-1] if case in SURPLUS and self.surplus else 0
        return max(coup_no + 1, begun)

    def waited_for(self) -> int:
        """Return the coup that the last surplus card begins or joins if that is one after the next; else 0."""
        number = self.surplus[-1] if self.surplus else 0
        on_table = self.coup_no if self.phase == "complete" else self.next_coup_no()
        return number if number > on_table + 1 else 0

    def none_to_void(self) -> bool:
        """Return True if every coup is complete or has no card out: new cards void no coup (A-46)."""
        if self.phase == "between":
            return not self.unread and not self.dealt.get(self.coup_no + 1)
        return self.phase == "complete"

    def restarts_at_once(self) -> bool:
        """Return True if a missed burn has the first coup dealt again at once: no card of it is out (Crown 10.1.1)."""
        return self.phase == "between" and not self.burning and self.none_to_void()

    def burn_restarts(self) -> bool:
        """Return True if a burn that is ordered now has the first coup dealt again, whose cards are out."""
        reported = any(code == "RESTART_SHOE" for _, _, code in self.cases)
        first = self.phase == "between" and not self.burning and not self.coup_no and not self.none_to_void()
        return self.phase == "dealing" or (first and reported)

    def due(self, coup_no: int) -> str | None:
        """Return the slot of the next card of a coup, None when the coup is complete."""
        dealt = self.dealt.get(coup_no)
        if not dealt:
            return _FIRST
        return rules.FIRST_FOUR[len(dealt)] if len(dealt) < _FOUR else rules.due([card for _, card in dealt])

    def dealing(self) -> bool:
        """Return True if a coup has begun and is not complete."""
        return self.phase == "dealing"

    def is_new(self) -> bool:
        """Return True if the open shoe has dealt no coup, or if that is not known."""
        return self.phase == "unknown" or (self.phase == "between" and not self.coup_no)

    def coup_on_table(self) -> tuple[int, int] | None:
        """Return shoe and coup that a person means by "the coup on the table"; None if part of the log is missing."""
        if self.phase == "unknown" or self.shoe_no is None:
            return None
        return self.shoe_no, self.coup_no if self.phase == "complete" else self.next_coup_no()

    def coup_begun(self) -> tuple[int, int] | None:
        """Return shoe and coup of the newest card that was due; None if part of the log is missing."""
        return None if self.phase == "unknown" or self.shoe_no is None else (self.shoe_no, self.coup_no)

    def fault_coup_no(self, fault: str) -> int:
        """Return the coup that a fault is about, as rejects and irregularities name it: 0 before the first coup."""
        if self.phase == "unknown" or fault in _OF_CONTROLLER:
            return self.coup_no
        if self.phase in NOT_OPEN or self.burning:
            return 0
        return self.coup_no if self.phase == "complete" else self.next_coup_no()

    def held_by_entry(self) -> bool:
        """Return True if Confirm cannot end the coup: the dealer entered no result, or another than the shoe."""
        return self.result_first and self.phase == "complete" and self.entered != self.winner

    def awaits_confirm(self, unit: str, shoe_no: int, coup_no: int) -> bool:
        """Return True if this coup is on the table, complete and not confirmed."""
        return self.phase == "complete" and (unit, shoe_no, coup_no) == (self.unit, self.shoe_no, self.coup_no)

"""ShoeState: where the shoe stands, followed from its log alone: the coup on the table, its cards, what is over."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from sabot_protocol.fields import NO_CARD

from sabot_gateway import rules
from sabot_gateway.shoe.parse import Event

Dealt = list[tuple[str, str]]  # slots and cards, in the order drawn
# unknown: part of the log is missing; between: no card of the next coup is out.
Phase = Literal["unknown", "closed", "checking", "between", "dealing", "complete"]
NO_COUP = ("burn", "unused")
_MOST_OF_A_COUP = 12  # twice what a coup can have: a log that goes on is wrong long before
_MOST_SURPLUS = 16  # cards too many that the shoe remembers
_UNREAD = ("blank", "columns", "doubtful", "not_in_set", "foreign", "spacing")  # a card left the shoe all the same
RESULTS = ("player", "banker", "tie")


@dataclass
class ShoeState:
    """The shoe of one table; `follow` each event once."""

    unit: str = ""
    shoe_no: int | None = None  # the last that was heard of
    coup_no: int = 0  # on the table, or the last that was
    phase: Phase = "unknown"
    whole: bool = False  # nothing of the log of this shoe, or of this check of decks, is missing
    decks: int = 0
    burning: bool = False  # the burn of a new shoe is not over
    dealt: dict[int, Dealt] = field(default_factory=dict)  # by coup; surplus cards begin the next
    surplus: list[int] = field(default_factory=list)  # the coup that each card too many begins, 0 where it is not used
    unread: bool = False  # a card left the shoe since the last coup was over, and was not read
    gap_in: int | None = None  # the coup in which part of the log is missing

    def __post_init__(self) -> None:
        """Which event changes what."""
        self._follow: dict[str, Callable[[dict[str, Any]], None]] = {
            "shoe_opened": self._shoe_opened,
            "shoe_closed": self._shoe_closed,
            "burn": self._burn,
            "card": self._card,
            "reject": self._reject,
            "coup": self._coup,
            "coup_void": self._coup_void,
            "button": self._button,
            "handed_over": self._handed_over,
            "irregularity": self._irregularity,
            "command_done": self._command_done,
        }

    def follow(self, event: Event) -> None:
        """Go on by this event."""
        step = self._follow.get(event.kind)
        if step:
            step(event.data)

    def gap(self) -> None:
        """Part of the log is missing here: where the shoe stands is not known until a coup or a shoe begins."""
        if self.phase == "dealing":
            self.gap_in = self.coup_no
        self.whole, self.phase = False, "unknown"

    def missed_a_shoe(self, event: Event) -> bool:
        """The log speaks of another shoe after a part that is missing: nothing is known of it."""
        if self.phase != "unknown" or self.shoe_no is None:
            return False
        return bool(event.data.get("shoe_no", self.shoe_no) != self.shoe_no)

    def cards(self, coup_no: int) -> list[str]:
        """The cards of a coup, in the order drawn."""
        return [card for _, card in self.dealt.get(coup_no, ())]

    def next_coup_no(self) -> int:
        """The coup that the next card due belongs to."""
        return self.coup_no if self.phase == "dealing" else self.coup_no + 1

    def surplus_coup_no(self) -> int:
        """The coup that the next card too many begins: behind the coup that is due, and those that are full."""
        number = self.coup_no + 1 if self.burning or self.phase != "between" else self.coup_no + 2
        while self.due(number) is None:
            number += 1
        return number

    def none_to_void(self) -> bool:
        """Whether every coup is complete, or none of its cards is out: new cards come, and each coup stands (A-46)."""
        if self.phase == "between":
            return not self.unread and not self.dealt.get(self.coup_no + 1)
        return self.phase == "complete"

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

    def awaits_confirm(self, unit: str, shoe_no: int, coup_no: int) -> bool:
        """Return True if this coup is on the table, complete and not confirmed."""
        return self.phase == "complete" and (unit, shoe_no, coup_no) == (self.unit, self.shoe_no, self.coup_no)

    def due(self, coup_no: int) -> str | None:
        """The slot of the next card of a coup, None when it is complete."""
        return rules.due(self.cards(coup_no))

    def _shoe_opened(self, data: dict[str, Any]) -> None:
        self.shoe_no, self.coup_no, self.decks = data["shoe_no"], 0, data["decks"]
        self.dealt, self.phase, self.whole, self.gap_in = {}, "between", True, None
        self.surplus.clear()
        self.burning, self.unread = data["burn"] != "none", False

    def _burn(self, data: dict[str, Any]) -> None:
        self.burning = False

    def _shoe_closed(self, data: dict[str, Any]) -> None:
        self.shoe_no, self.dealt, self.phase, self.gap_in = data["shoe_no"], {}, "closed", None

    def _card(self, data: dict[str, Any]) -> None:
        coup_no, slot = data["coup_no"], data["slot"]
        if data["flags"].get("surplus"):
            self.surplus = [*self.surplus, 0 if slot in NO_COUP else coup_no][-_MOST_SURPLUS:]
        if slot in NO_COUP:
            return
        if self.phase == "unknown":
            self.shoe_no = data["shoe_no"]
            if slot != "player_1":
                self.gap_in = coup_no  # its first cards were not seen
        dealt = self.dealt.setdefault(coup_no, [])
        if len(dealt) < _MOST_OF_A_COUP:
            dealt.append((slot, data["card"]))
        if not data["flags"].get("surplus"):
            self._begin(coup_no)

    def _reject(self, data: dict[str, Any]) -> None:
        self.unread |= data["reason"] in _UNREAD and self.phase == "between" and not self.burning

    def _begin(self, coup_no: int) -> None:
        """This coup is on the table; cards of those before it decide nothing any more."""
        if coup_no != self.coup_no:
            self.dealt = {number: cards for number, cards in self.dealt.items() if number >= coup_no}
            self.surplus = [number for number in self.surplus if number > coup_no]
        self.coup_no, self.phase = coup_no, "dealing"

    def _coup(self, data: dict[str, Any]) -> None:
        self._begin(data["coup_no"])
        self.phase, self.gap_in = "complete", None

    def _coup_void(self, data: dict[str, Any]) -> None:
        self._begin(data["coup_no"])
        self.dealt.pop(self.coup_no, None)
        self.phase, self.gap_in = "between", None
        self._use_surplus()

    def _use_surplus(self) -> None:
        """The next coup takes the cards that begin it; those that nobody uses are gone."""
        self.unread = False
        self.surplus = [number for number in self.surplus if number > self.coup_no + 1]

    def _button(self, data: dict[str, Any]) -> None:
        if data["button"] == "confirm":
            self._confirmed()

    def _confirmed(self) -> None:
        if self.phase == "complete":
            self.phase = "between"
            self._use_surplus()

    def _handed_over(self, data: dict[str, Any]) -> None:
        if data["import"]:
            cards = [(slot, card) for slot, card in data["cards"].items() if card != NO_CARD]
            self.dealt[data["coup_no"]] = cards
            self._begin(data["coup_no"])
            self.decks = data["decks"]
        else:
            self.dealt.pop(data["coup_no"], None)
            self.phase, self.gap_in = "between", None

    def _irregularity(self, data: dict[str, Any]) -> None:
        if data["code"] == "RESTART_SHOE" and self.phase == "between":
            self._restart()
        if data["code"] == "NOT_USED" and self.surplus:
            self._withdraw(self.surplus.pop())
            self.surplus.append(0)

    def _command_done(self, data: dict[str, Any]) -> None:
        if data["command"] == "confirm":
            self._confirmed()
        elif data["command"] == "card_returned" and self.surplus:
            self._withdraw(self.surplus.pop())
        elif data["command"] == "burn_card" and self.phase == "dealing":
            self._restart()
        elif data["command"] == "deck_check":
            self._check_decks(bool(data["data"]["on"]))

    def _check_decks(self, on: bool) -> None:
        self.phase, self.whole = ("checking", True) if on else ("closed", self.whole)

    def _withdraw(self, coup_no: int) -> None:
        """The last surplus card begins no coup: it is not used, or in the shoe again (Crown 7.1.5)."""
        cards = self.dealt.get(coup_no)
        if cards:
            cards.pop()
            if not cards:
                del self.dealt[coup_no]

    def _restart(self) -> None:
        """The cards of the first coup go back, and it is dealt again (Crown 10.1.1)."""
        self.dealt.clear()
        self.surplus.clear()
        self.coup_no, self.phase, self.gap_in, self.burning = 0, "between", None, True

"""Tracker: messages of an Angel Eye shoe in, coups and shoes out; values only, no time, no bytes.

Repeats are dropped before it. What it does on each message, and how it reads what the facts leave open: README.md.
"""

from collections.abc import Callable
from typing import Any, Final, Literal, TypeVar, cast

from msgspec import UNSET, UnsetType
from sabot_protocol.angel_eye.messages import Message

from sabot_gateway.angel_eye import coup as flags
from sabot_gateway.angel_eye.condition import Condition
from sabot_gateway.angel_eye.coup import FIRST_CARD, Coup, ShoeResult, TrackedCoup
from sabot_gateway.angel_eye.steps import (
    AgainIgnored,
    AgainUnclear,
    BurnPart,
    Burnt,
    CardKept,
    CardOutside,
    CardPlaced,
    CardSame,
    CardUnplaced,
    Conflict,
    Connected,
    CoupClosed,
    CoupOpened,
    KeptForgotten,
    LateCopy,
    Restarted,
    ResultUndefined,
    ResultWithoutCoup,
    ShoeCause,
    ShoeClosed,
    ShoeEnding,
    ShoeOpened,
    Step,
)

_HANDS: Final = ("player", "banker")
_BURN: Final = ("burn_first", "burn_count", "burn")
_CARDS: Final = ("D", "d", "R")  # messages that carry a card
ResentCard = Literal["keep", "ignore"]
T = TypeVar("T")


class Tracker:
    """The coup and the shoe of one line, as far as its messages prove them.

    One class because one message can end a coup, change the shoe, use the kept card and open the next coup.
    """

    def __init__(
        self,
        *,
        shoe: int = 1,
        coups: int = 0,
        shoe_coups: int = 0,
        shoe_changes: bool = False,
        resent_card: ResentCard = "keep",
    ) -> None:
        """Start in `shoe` with the coups that were counted before: over all shoes, and in this one.

        `shoe_changes`: the message that opened the next shoe is taken again.
        """
        self.shoe, self.coups, self.shoe_coups = shoe, coups, shoe_coups
        self.coup: Coup | None = None
        self.kept: str | None = None  # by the shoe, as the first card of the next coup
        self.shoe_ending = shoe_changes
        self.condition = Condition()
        self.coup_known = self.shoe_known = False  # False after a connect, until a coup or a shoe begins
        self._resent_card = resent_card
        # S came after the cutting card, with a coup open: a burn or Player 1 opens the shoe.
        self._change_waits = shoe_changes
        self._last: Message | None = None
        self._last_result: Message | None = None  # since the last card
        self._takes: dict[str, Callable[[Message], list[Step]]] = {
            "D": self._drawn,
            "d": self._outside,
            "R": self._again,
            "G": self._result,
            "C": self._cutting_card,
            "S": self._start,
            "E": self._error,
            "e": self.condition.cancelled,
            "L": self.condition.key,
            "SYN": self._fact,
        }

    def take(self, message: Message) -> list[Step]:
        """Take one message that is no repeat; return what it means, in order."""
        if message.t != "S" and message in (self._last, self._last_result):
            return [LateCopy(message.t)]
        if message.seq is not UNSET:
            self._last = message
        if message.t in _CARDS:
            self._last_result = None
        takes = self._takes.get(message.t)
        return takes(message) if takes else []

    def connect(self) -> list[Step]:
        """The line was opened: an open coup is lost, and what the shoe does not send again is unknown."""
        steps: list[Step] = [Connected()]
        if self.coup:
            self.coup.flag(flags.LINK_LOST_INSIDE)
        steps += self._close_incomplete() + self._forget_kept()
        self.condition.forget()
        self._last = None
        self.coup_known = self.shoe_known = False
        return steps

    def open_shoe(self, why: ShoeCause = "person") -> list[Step]:
        """A new set of cards is in: an open coup is closed incomplete."""
        steps = self._close_incomplete() + self._forget_kept()
        steps.append(ShoeClosed(self.shoe, self.shoe_coups))
        self.shoe, self.shoe_coups = self.shoe + 1, 0
        self.shoe_ending = self._change_waits = False
        self.shoe_known = True
        return [*steps, ShoeOpened(self.shoe, why)]

    def open_coup(self) -> TrackedCoup | None:
        """Return the open coup as it is now, or None."""
        return self.coup.end("open") if self.coup else None

    def final(self) -> dict[str, Any]:
        """Return shoe, lock and error in the form of the test data."""
        condition = self.condition
        return {
            "shoe": self.shoe,
            "shoe_ending": self.shoe_ending,
            "locked": condition.locked,
            "error": condition.error,
        }

    def _drawn(self, message: Message) -> list[Step]:
        """`D`: a card of a hand, of the burn, or for a target that is not defined."""
        if message.target in _BURN:
            return self._burnt(message)
        if message.target not in _HANDS:
            return [CardUnplaced(cast("int", message.index), _given(message.card))]
        place, card = f"{message.target}_{message.index}", cast("str", message.card)
        if place == FIRST_CARD:
            return self._first_card(card)
        if self.coup:
            return _placed(self.coup, place, card)
        carried = self.kept if place == "banker_1" else None
        steps = self._open_with_kept(carried) if carried else self._open(flags.FIRST_CARD_MISSING)
        return steps + _placed(cast("Coup", self.coup), place, card)

    def _first_card(self, card: str) -> list[Step]:
        """Player 1 opens a coup, unless the open one holds only this very card."""
        if self.coup and self.coup.cards == {FIRST_CARD: card}:
            return [CardSame(FIRST_CARD, card)]
        steps = self.open_shoe("first_card") if self._change_waits else self._close_incomplete()
        steps += self._open()
        return steps + _placed(cast("Coup", self.coup), FIRST_CARD, card)

    def _open(self, *names: str) -> list[Step]:
        """Open a coup with these flags; a card that was kept for it and did not begin it is forgotten."""
        self.coups, self.shoe_coups = self.coups + 1, self.shoe_coups + 1
        self.coup = Coup(self.coups, self.shoe_coups, self.shoe, names)
        self.coup_known = True
        return [*self._forget_kept(), CoupOpened(self.coups, self.shoe_coups, self.shoe, names)]

    def _open_with_kept(self, card: str) -> list[Step]:
        self.kept = None
        steps = self._open(flags.CARRIED_FIRST_CARD)
        return steps + _placed(cast("Coup", self.coup), FIRST_CARD, card, carried=True)

    def _close_incomplete(self) -> list[Step]:
        """Close the open coup, if there is one, without a result."""
        return self._closed(self.coup.end("incomplete")) if self.coup else []

    def _closed(self, coup: TrackedCoup) -> list[Step]:
        self.coup = None
        return [CoupClosed(coup)]

    def _forget_kept(self) -> list[Step]:
        card, self.kept = self.kept, None
        return [KeptForgotten(card)] if card else []

    def _burnt(self, message: Message) -> list[Step]:
        """A burn message opens the shoe that waits for it; a first burn card opens one if this shoe has coups."""
        is_first = message.target == "burn_first"
        opens = self._change_waits or (is_first and self.shoe_coups > 0)
        steps = self.open_shoe("burn") if opens else []
        self.shoe_known = self.shoe_known or is_first
        target, index, count = cast("BurnPart", message.target), _given(message.index), _given(message.count)
        return [*steps, Burnt(target, index, count, _given(message.card))]

    def _outside(self, message: Message) -> list[Step]:
        """`d`: evidence and alarm; no change."""
        return [CardOutside(cast("str", message.mode), cast("int", message.low), _given(message.card))]

    def _again(self, message: Message) -> list[Step]:
        """`R`: nothing if the card is held; a kept card if it can be one; else unclear."""
        target, index, card = cast("str", message.target), _given(message.index), _given(message.card)
        if self._resent_card == "ignore":
            return [AgainIgnored(target, index, card)]
        place = f"{target}_{index}"
        held = self.coup.cards.get(place) if self.coup else None
        can_keep = place == FIRST_CARD and (self.coup is None or self.coup.is_dealt())
        if card and (card == held or (can_keep and card == self.kept)):
            return [CardSame(place, card)]
        if card and can_keep:
            before, self.kept = self.kept, card
            return [CardKept(card, before)]
        if self.coup:
            self.coup.flag(flags.AGAIN_UNCLEAR)
        return [AgainUnclear(self._n(), target, index, card)]

    def _result(self, message: Message) -> list[Step]:
        """`G`: settles the open coup."""
        self._last_result = message
        found = ShoeResult(cast("str", message.result), bool(message.player_pair), bool(message.banker_pair))
        self.coup_known = True
        if self.coup is None:
            return [ResultWithoutCoup(*found)]
        undefined: list[Step] = [ResultUndefined(self.coup.n)] if found.result == "unknown" else []
        return undefined + self._closed(self.coup.settle(found))

    def _cutting_card(self, message: Message) -> list[Step]:
        """`C`: the shoe is ending; the open coup is flagged."""
        self.shoe_ending = True
        if self.coup:
            self.coup.flag(flags.CUTTING_CARD_INSIDE)
        return [ShoeEnding(self.shoe, self.shoe_coups + (self.coup is None), self.coup is None)]

    def _start(self, message: Message) -> list[Step]:
        """`S`: a new shoe if the shoe is ending and no coup is open; an open coup is kept, and the change waits."""
        self.condition.forget()
        steps: list[Step] = [Restarted(self._n())]
        if self.coup:
            self.coup.flag(flags.RESTART_INSIDE)
            self._change_waits = self.shoe_ending
        elif self.shoe_ending:
            steps += self.open_shoe("start")
        return steps

    def _error(self, message: Message) -> list[Step]:
        """`E`: the open coup is flagged."""
        if self.coup:
            self.coup.flag(flags.ERROR_INSIDE)
        return self.condition.raised(message, self._n())

    def _fact(self, message: Message) -> list[Step]:
        """Facts of the gateway: a connect, a lock command that the shoe took, new cards that a person reported."""
        if message.name == "connect":
            return self.connect()
        act = _given(message.fact) or {}
        match message.name, act.get("command"), act.get("outcome"):
            case "command", "lock" | "unlock" as verb, "ack":
                return self.condition.commanded(verb == "lock")
            case "command", "open_shoe", "done":
                return self.open_shoe()
        return []

    def _n(self) -> int | None:
        return self.coup.n if self.coup else None


def _given(value: T | UnsetType) -> T | None:
    """Return the value of a field, None if the message does not have it."""
    return None if value is UNSET else value


def _placed(coup: Coup, place: str, card: str, *, carried: bool = False) -> list[Step]:
    """Put a card in its place of a coup; the first card of a place stays."""
    held = coup.cards.get(place)
    if held is None:
        coup.cards[place] = card
        return [CardPlaced(coup.n, place, card, carried)]
    if held == card:
        return [CardSame(place, card)]
    coup.flag(flags.CONFLICT)
    return [Conflict(coup.n, place, held, card)]

"""Coup: the cards of one coup as an Angel Eye shoe placed them, and what they are worth at its end."""

from typing import Any, Final, Literal, NamedTuple

from sabot_gateway import rules

Status = Literal["open", "complete", "disputed", "partial", "incomplete", "forced_end"]
Hand = tuple[str | None, ...]

FIRST_CARD_MISSING: Final = "first_card_missing"
CARRIED_FIRST_CARD: Final = "carried_first_card"
CONFLICT: Final = "conflict"
AGAIN_UNCLEAR: Final = "again_unclear"
RESULT_MISMATCH: Final = "result_mismatch"
PAIR_MISMATCH: Final = "pair_mismatch"
THIRD_CARD_WRONG: Final = "third_card_wrong"
CUTTING_CARD_INSIDE: Final = "cutting_card_inside"
RESTART_INSIDE: Final = "restart_inside"
ERROR_INSIDE: Final = "error_inside"
LINK_LOST_INSIDE: Final = "link_lost_inside"
MISMATCHES: Final = frozenset({RESULT_MISMATCH, PAIR_MISMATCH, THIRD_CARD_WRONG})  # found with the result
DISPUTES: Final = MISMATCHES | {CONFLICT, AGAIN_UNCLEAR}

FIRST_CARD: Final = "player_1"
_FIRST_FOUR: Final = ("player_1", "banker_1", "player_2", "banker_2")
_DRAWN: Final = (*_FIRST_FOUR, "player_3", "banker_3")
_PLAYER: Final = ("player_1", "player_2", "player_3")
_BANKER: Final = ("banker_1", "banker_2", "banker_3")


class ShoeResult(NamedTuple):
    """What the shoe reported at the end of a coup."""

    result: str
    player_pair: bool
    banker_pair: bool


class TrackedCoup(NamedTuple):
    """A coup as the tracker has it. A hand is listed up to its last card, with None where a card is missing."""

    n: int  # over all shoes
    number: int  # in its shoe
    shoe: int
    player: Hand
    banker: Hand
    result: str | None  # by the shoe: player, tie, banker, forced_end or unknown
    player_pair: bool
    banker_pair: bool
    status: Status
    flags: tuple[str, ...]  # in the order in which they came

    def report(self) -> dict[str, Any]:
        """Return the coup in the form of the test data."""
        fields = self._asdict()
        del fields["number"]
        return {**fields, "player": list(self.player), "banker": list(self.banker), "flags": list(self.flags)}


class Coup:
    """The open coup."""

    def __init__(self, n: int, number: int, shoe: int, flags: tuple[str, ...] = ()) -> None:
        self.n, self.number, self.shoe = n, number, shoe
        self.cards: dict[str, str] = {}  # by place
        self._flags = dict.fromkeys(flags)  # a set that keeps the order

    @property
    def flags(self) -> tuple[str, ...]:
        """The flags in the order in which they came."""
        return tuple(self._flags)

    def flag(self, name: str) -> None:
        """Set a flag; a second time changes nothing."""
        self._flags[name] = None

    def is_dealt(self) -> bool:
        """Return True if the cards are a whole coup by the rules: none is due, none is too many."""
        try:
            slots = rules.play([self.cards[place] for place in _DRAWN if place in self.cards]).slots
        except rules.NotACoupError:
            return False
        return set(slots) == set(self.cards)

    def end(self, status: Status, shoe_result: ShoeResult | None = None) -> TrackedCoup:
        """Return the coup as it is now, with this status."""
        result, player_pair, banker_pair = shoe_result or (None, False, False)
        player, banker = self._hand(_PLAYER), self._hand(_BANKER)
        return TrackedCoup(
            self.n, self.number, self.shoe, player, banker, result, player_pair, banker_pair, status, self.flags
        )

    def settle(self, shoe_result: ShoeResult) -> TrackedCoup:
        """Return the coup with the status that the shoe's result and the cards give it."""
        if shoe_result.result == "forced_end":
            return self.end("forced_end", shoe_result)
        if not all(place in self.cards for place in _FIRST_FOUR):
            return self.end("partial", shoe_result)
        for name in self._mismatches(shoe_result):
            self.flag(name)
        return self.end("complete" if DISPUTES.isdisjoint(self._flags) else "disputed", shoe_result)

    def _mismatches(self, shoe_result: ShoeResult) -> list[str]:
        """Return the flags of what differs between the shoe's result and the cards held."""
        player, banker = self._held(_PLAYER), self._held(_BANKER)
        found = []
        if shoe_result.result != rules.winner(rules.points(player), rules.points(banker)):
            found.append(RESULT_MISMATCH)
        if (shoe_result.player_pair, shoe_result.banker_pair) != (rules.is_pair(player), rules.is_pair(banker)):
            found.append(PAIR_MISMATCH)
        if not self.is_dealt():
            found.append(THIRD_CARD_WRONG)
        return found

    def _held(self, places: tuple[str, ...]) -> list[str]:
        return [self.cards[place] for place in places if place in self.cards]

    def _hand(self, places: tuple[str, ...]) -> Hand:
        last = max((i for i, place in enumerate(places, 1) if place in self.cards), default=0)
        return tuple(self.cards.get(place) for place in places[:last])

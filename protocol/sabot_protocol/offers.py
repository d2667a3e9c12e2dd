"""Offers: the wagers that a dealer must offer in the middle of a coup, by the cards exposed so far (D-22, D-23)."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

import msgspec

from sabot_protocol import table_of_play
from sabot_protocol.rulebooks.model import Rulebook, Wager
from sabot_protocol.table_of_play import points
from sabot_protocol.wagers.table import Priced, Settings, Table


class Offer(msgspec.Struct, frozen=True):
    """A wager to offer now: `before` is the number of the card before which, or 0: before the other hand is turned."""

    wager: str
    title: str
    side: str  # of the main wager that a player must have; empty: Player or Banker
    odds: str
    wins: str
    before: int
    clause: str
    say: str


class Exposed(NamedTuple):
    """What is on the table: the exposed cards of each hand in the order drawn, and how many cards have been dealt."""

    player: Sequence[str]
    banker: Sequence[str]
    dealt: int

    def sides(self, side: str) -> tuple[Sequence[str], Sequence[str]]:
        """Return the hand backed, then the other."""
        return (self.player, self.banker) if side == "player" else (self.banker, self.player)

    def shape(self, side: str) -> tuple[int, int, int]:
        """Return how many cards of the hand backed and of the other are exposed, and how many are dealt."""
        own, other = self.sides(side)
        return len(own), len(other), self.dealt


class _Found(NamedTuple):
    """The outcome whose price counts, and where the rulebook has the condition."""

    outcome: str
    clause: str


_Check = Callable[[Exposed, str], _Found | None]
_HANDS: Final = {"player": "the Player", "banker": "the Banker"}


def due(book: Rulebook, settings: Settings, wagers: Sequence[str], exposed: Exposed) -> list[Offer]:
    """Return the offers of a coup with wagers that are due now; `wagers` are those of the table, empty for all."""
    table = Table(book, settings)
    return [
        offer
        for name, priced in table.wagers.items()
        if isinstance(priced, Priced) and (not wagers or name in wagers)
        for offer in _offers(priced, exposed)
    ]


def _offers(priced: Priced, exposed: Exposed) -> Iterator[Offer]:
    """Yield the offer of a wager if its condition holds and an outcome has a price (A-12)."""
    wager = priced.wager
    check = _CHECKS.get(wager.bet)
    found = check(exposed, wager.side) if check else None
    price = priced.prices.get(found.outcome) if found else None
    if found is None or price is None:
        return
    title, wins = _TITLES[wager.bet].format(side=wager.side.title()), _wins(wager, found.outcome)
    odds, before = _odds(price.odds), 0 if wager.bet == "insurance_1" else exposed.dealt + 1
    when = f"before card {before}" if before else "before the other hand is turned"
    to = f"players with a {wager.side.title()} wager" if wager.side else "players with a Player or Banker wager"
    say = f"Offer {title} to {to}, {when}: {odds} if {wins}."
    yield Offer(wager.id, title, wager.side, odds, wins, before, f"{found.clause}, {price.rule}", say)


def _odds(odds: Fraction) -> str:
    return f"{odds.numerator} to {odds.denominator}"


def _wins(wager: Wager, outcome: str) -> str:
    """Return in which event the wager wins."""
    if wager.bet == "insurance_no_6":
        return "the Banker does not win with 6"
    other = _HANDS["banker" if wager.side == "player" else "player"]
    if outcome in ("9_ties_natural_9", "final_9_ties"):
        return f"{other} ties with {'a natural ' if outcome[0] == '9' else ''}9"
    natural = {"7_v_natural": " with a natural", "8_v_natural_9": " with a natural 9"}
    return f"{other} wins{natural.get(outcome, '')}"


# The conditions


def _must_draw(exposed: Exposed) -> bool:
    return table_of_play.due(exposed.player, exposed.banker) != ""


def _shield(exposed: Exposed, side: str) -> _Found | None:
    """Crown 5.9.1: after four exposed cards, 6 or 7 against 0 to 5, before card 5."""
    own, other = exposed.sides(side)
    if exposed.shape(side) != (2, 2, 4) or points(own) not in (6, 7) or points(other) > 5:
        return None
    return _Found(f"{side}_{points(own)}", "5.9.1(a)" if side == "player" else "5.9.1(b)")


def _insurance_no_6(exposed: Exposed, _side: str) -> _Found | None:
    """Crown 1.1: the Banker has 6 with two cards and the Player must draw (A-28)."""
    if exposed.shape("player") != (2, 2, 4) or points(exposed.banker) != 6 or points(exposed.player) > 5:
        return None
    return _Found("no_6", "5.5.4")


def _insurance_1(exposed: Exposed, side: str) -> _Found | None:
    """New Zealand 11H.3(a), (b): four cards are dealt, and only this hand is turned: 7, 8 or 9."""
    if exposed.shape(side) != (2, 0, 4):
        return None
    outcomes = {7: "7_v_natural", 8: "8_v_natural_9", 9: "9_ties_natural_9"}
    outcome = outcomes.get(points(exposed.sides(side)[0]))
    return _Found(outcome, "11H.3(b)" if side == "player" else "11H.3(a)") if outcome else None


def _insurance_2(exposed: Exposed, side: str) -> _Found | None:
    """New Zealand 11H.3(c), (d): four cards are exposed, this hand leads, and more cards must be dealt."""
    own, other = exposed.sides(side)
    if exposed.shape(side) != (2, 2, 4) or points(own) <= points(other) or not _must_draw(exposed):
        return None
    if side == "player" and points(own) == 5 and points(other) != 4:
        return None  # 11H.4(h) pays 5 against 4 only
    return _Found(f"interim_{points(own)}", "11H.3(d)" if side == "player" else "11H.3(c)")


def _insurance_3(exposed: Exposed, side: str) -> _Found | None:
    """New Zealand 11H.3(e), (f): this hand has its third card and leads, and the sixth card must be dealt."""
    own, other = exposed.sides(side)
    if exposed.shape(side) != (3, 2, 5) or points(own) <= points(other):
        return None
    if not (_must_draw(exposed) if side == "player" else _banker_drew_first(exposed)):
        return None
    final = points(own)
    return _Found("final_9_ties" if final == 9 else f"final_{final}", "11H.3(f)" if side == "player" else "11H.3(e)")


def _banker_drew_first(exposed: Exposed) -> bool:
    """Return True if the Player must still draw; the Banker can draw before him on 0 to 2 only (A-13)."""
    return points(exposed.banker[:2]) <= 2 and points(exposed.player) <= 5


_CHECKS: Final[dict[str, _Check]] = {
    "shield": _shield,
    "insurance_no_6": _insurance_no_6,
    "insurance_1": _insurance_1,
    "insurance_2": _insurance_2,
    "insurance_3": _insurance_3,
}
_TITLES: Final = {
    "shield": "{side} Shield",
    "insurance_no_6": "Insurance/No 6",
    "insurance_1": "{side} Insurance, Bet 1",
    "insurance_2": "{side} Insurance, Bet 2",
    "insurance_3": "{side} Insurance, Bet 3",
}

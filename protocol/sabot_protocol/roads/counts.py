"""What a display counts: results and pairs of a shoe, and consecutive results for the Dragon Tail Indicator."""

from collections.abc import Iterable
from typing import NamedTuple

from sabot_protocol.roads.results import NO_BET, RoadResult

LATE_WAIT = 6  # results at which late Dragon Tail wagers remain for one more coup (Crown, Table 7)


class Counts(NamedTuple):
    """Coups of a shoe with wagers, by result; `no_bet` counts the coups without wagers, which are in no other count."""

    banker: int = 0
    player: int = 0
    tie: int = 0
    banker_pair: int = 0
    player_pair: int = 0
    natural: int = 0
    no_bet: int = 0


class DragonTail(NamedTuple):
    """The Dragon Tail Indicator: consecutive results of each side."""

    banker: int = 0
    player: int = 0

    @property
    def late_waits(self) -> bool:
        """Return True if late wagers remain for one more coup before they are settled."""
        return LATE_WAIT in self


def counts(results: Iterable[RoadResult]) -> Counts:
    """Return the counts of a shoe."""
    coups = list(results)
    marks = [result.mark for result in coups]
    return Counts(
        banker=marks.count("B"),
        player=marks.count("P"),
        tie=marks.count("T"),
        banker_pair=sum(result.banker_pair for result in coups),
        player_pair=sum(result.player_pair for result in coups),
        natural=sum(result.natural for result in coups),
        no_bet=marks.count(NO_BET),
    )


def dragon_tail(results: Iterable[RoadResult], is_shoe_open: bool = True) -> DragonTail:
    """Return the indicator: a tie, the other side and the end of the shoe reset it, a coup without wagers does not."""
    side, length = "", 0
    for result in results if is_shoe_open else ():
        if result.mark != NO_BET:
            length = length + 1 if result.mark == side else 1
            side = result.mark
    return DragonTail(banker=length if side == "B" else 0, player=length if side == "P" else 0)

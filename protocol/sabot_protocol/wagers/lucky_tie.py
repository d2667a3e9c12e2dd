"""The Lucky Tie jackpot: which outcome a coup is for each option; the ranges of percent are in the rulebook."""

from collections.abc import Callable, Sequence
from typing import Final

from sabot_protocol.rulebooks.model import Jackpot


def _one_colour(suits: set[str]) -> bool:
    return suits <= set("DH") or suits <= set("CS")


# By the suits of the four initial cards.
OUTCOMES: Final[dict[str, Callable[[set[str]], bool]]] = {
    "suited": lambda suits: len(suits) == 1,
    "non_suited": lambda suits: len(suits) > 1,
    "coloured": lambda suits: len(suits) > 1 and _one_colour(suits),
    "non_coloured": lambda suits: not _one_colour(suits),
    "lucky_tie": lambda suits: True,
}


def outcomes(jackpot: Jackpot, player: Sequence[str], banker: Sequence[str]) -> dict[str, dict[str, object] | None]:
    """Return, by option, the outcome and the range of percent of the meter it may pay; None if not a Lucky Tie."""
    initial = [*player[:2], *banker[:2]]
    if any(card[0] != jackpot.initial_rank for card in initial):
        return dict.fromkeys(jackpot.option)
    suits = {card[1] for card in initial}
    return {name: _outcome(option, suits) for name, option in jackpot.option.items()}


def _outcome(option: dict[str, tuple[int, int]], suits: set[str]) -> dict[str, object]:
    outcome = next(name for name in option if OUTCOMES[name](suits))
    return {"outcome": outcome, "percent_range": list(option[outcome])}

"""The Lucky Tie jackpot of Crown: four eights (A-41), and what each option of Table 20 makes of them."""

from collections.abc import Sequence


def outcomes(player: Sequence[str], banker: Sequence[str]) -> dict[str, dict[str, object] | None]:
    """By option: the outcome and the range of percent of the meter that it may pay; None when it is no Lucky Tie."""
    four = [*player[:2], *banker[:2]]
    if any(card[0] != "8" for card in four):
        return {"option_1": None, "option_2": None, "option_3": None}
    suits = {card[1] for card in four}
    suited, coloured = len(suits) == 1, suits <= set("DH") or suits <= set("CS")
    by_colour = ("suited", [100, 100]) if suited else ("coloured", [5, 20]) if coloured else ("non_coloured", [1, 10])
    by_suit = ("suited", [100, 100]) if suited else ("non_suited", [1, 20])
    return {
        option: {"outcome": outcome, "percent_range": percent}
        for option, (outcome, percent) in {
            "option_1": by_colour,
            "option_2": by_suit,
            "option_3": ("lucky_tie", [100, 100]),
        }.items()
    }

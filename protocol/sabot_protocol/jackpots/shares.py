"""Shares: the value of a win, rounded up, its prize, and the parts of the prize; parts always add up."""

from collections.abc import Sequence
from typing import assert_never

from sabot_protocol.jackpots.parameters import Division, Part, share


class ShareError(ValueError):
    """A prize that cannot be divided; the message has the reason and the next step."""


def rounded_up(value: int, unit: int) -> int:
    """Return the value rounded up to the smallest payable amount (002 18.17, 003 13.4.7(a))."""
    return -(-value // unit) * unit


def prize(value: int, unit: int, percent: Part) -> int:
    """Return the per cent of the rounded value; a fraction of a minor unit stays on the meter."""
    return rounded_up(value, unit) * share(percent) // 1


def split(amount: int, stakes: Sequence[int], division: Division) -> list[int]:
    """Return the part of each wager by largest remainder, the earlier wager first; the parts add up to the amount."""
    weights = _weights(stakes, division)
    total = sum(weights)
    parts = [amount * weight // total for weight in weights]
    remainders = [amount * weight % total for weight in weights]
    by_remainder = sorted(range(len(parts)), key=lambda place: -remainders[place])  # sorting is stable
    for place in by_remainder[: amount - sum(parts)]:
        parts[place] += 1
    return parts


def _weights(stakes: Sequence[int], division: Division) -> list[int]:
    if not stakes:
        raise ShareError("no qualifying wager takes part in this prize; record the wagers, or deem the win invalid")
    if bad := [stake for stake in stakes if type(stake) is not int or stake <= 0]:
        raise ShareError(f"stake {bad[0]!r} is not a whole number of minor units above 0; record the stakes again")
    match division:
        case "equal":
            return [1] * len(stakes)
        case "proportional":
            return list(stakes)
        case _:
            assert_never(division)

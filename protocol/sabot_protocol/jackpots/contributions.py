"""Contributions: what one coup adds to a jackpot, in whole minor units, with the exact rest carried on."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import floor
from typing import NamedTuple

from sabot_protocol.jackpots.parameters import Parameters, share
from sabot_protocol.topics import WAGERED, CoupKind

Stakes = Mapping[str, Sequence[int]]


class ContributionError(ValueError):
    """A contribution that must not be made; the message names the figure, and the next step."""


class Contribution(NamedTuple):
    """What one coup adds, or a reversal takes back; the sum of amounts plus `carry` is the exact sum."""

    amount: int
    operator: int  # the operator's part of it
    carry: Fraction  # not yet contributed


def contribution(parameters: Parameters, kind: CoupKind, stakes: Stakes, carry: Fraction) -> Contribution:
    """Return what a coup contributes after `carry`; ContributionError for a wrong stake or an unreasonable amount."""
    operator, exact = _exact_parts(parameters, kind, stakes)
    from_wagers = max(0, floor(exact + carry)) if exact else 0
    amount = operator + from_wagers
    if amount > parameters.unreasonable:
        raise ContributionError(
            f"jackpot {parameters.id}: {amount} from one coup is more than the most that is reasonable, "
            f"{parameters.unreasonable}; check the stakes, and make it good by hand if they are right"
        )
    return Contribution(amount, operator, carry + exact - from_wagers)


def reversal(parameters: Parameters, kind: CoupKind, stakes: Stakes, amount: int, carry: Fraction) -> Contribution:
    """Return what takes back a contribution of `amount`: the carry too loses this coup's part, and may be below 0."""
    operator, exact = _exact_parts(parameters, kind, stakes)
    return Contribution(-amount, -operator, carry - exact + (amount - operator))


def _exact_parts(parameters: Parameters, kind: CoupKind, stakes: Stakes) -> tuple[int, Fraction]:
    """Return the operator's part and the exact part of the qualifying stakes."""
    if kind == "void" or (kind not in WAGERED and not parameters.unwagered):
        return 0, Fraction(0)
    operator = parameters.increment if parameters.funding != "wager" else 0
    if kind not in WAGERED or parameters.funding == "operator":
        return operator, Fraction(0)
    parts = (
        share(percent) * _sum(parameters, wager, stakes.get(wager, ()))
        for wager, percent in parameters.wager_increment.items()
    )
    return operator, sum(parts, Fraction(0))


def _sum(parameters: Parameters, wager: str, stakes: Sequence[int]) -> int:
    for stake in stakes:
        if type(stake) is not int or stake <= 0:
            raise ContributionError(
                f"jackpot {parameters.id}: stake {stake!r} on {wager} is not a whole number of minor units above 0; "
                "record the stakes again"
            )
    return sum(stakes)

"""The time axis of a picture, with long pauses cut out."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

LEFT, RIGHT = 84, 1250
_LONGEST_US = 600_000  # a moving card never pauses for longer
_CUT_WIDE = 46


@dataclass(frozen=True)
class TimeAxis:
    """Maps time to x, by pieces of (start and end in us, x of the start, x of the end)."""

    pieces: list[tuple[float, float, float, float]]

    @classmethod
    def of(cls, times_us: Sequence[int], start_us: float, end_us: float) -> "TimeAxis":
        """Return an axis from start to end over the whole width."""
        cuts = _cuts([start_us, *(t_us for t_us in times_us if start_us < t_us < end_us), end_us])
        shown_us = end_us - start_us - sum(to_us - from_us for from_us, to_us in cuts)
        scale = (RIGHT - LEFT - _CUT_WIDE * len(cuts)) / shown_us
        pieces, x = [], float(LEFT)
        for from_us, to_us in zip(
            [start_us, *(cut[1] for cut in cuts)], [*(cut[0] for cut in cuts), end_us], strict=True
        ):
            pieces.append((from_us, to_us, x, x + (to_us - from_us) * scale))
            x = pieces[-1][3] + _CUT_WIDE
        return cls(pieces)

    def x(self, t_us: float) -> float:
        """Return the x of a time; a time that is cut out is in the middle of the cut."""
        for from_us, to_us, left, right in self.pieces:
            if t_us < from_us:
                return max(float(LEFT), left - _CUT_WIDE / 2)
            if t_us <= to_us:
                return left + (t_us - from_us) / (to_us - from_us) * (right - left)
        return self.pieces[-1][3]

    def holds(self, t_us: float) -> bool:
        """Return True if a time is not cut out."""
        return any(from_us <= t_us <= to_us for from_us, to_us, _, _ in self.pieces)


def _cuts(times_us: Sequence[float]) -> list[tuple[float, float]]:
    """Return the pauses to cut out: longer than everything else together, or than any pull of a card."""
    rest_us = times_us[-1] - times_us[0]
    cuts = []
    for gap_us, from_us, to_us in sorted(
        ((late - early, early, late) for early, late in pairwise(times_us)), reverse=True
    ):
        if gap_us < min(_LONGEST_US, rest_us / 2) or rest_us - gap_us <= 0:
            break
        rest_us -= gap_us
        cuts.append((from_us, to_us))
    keep_us = rest_us * 0.03
    return sorted((from_us + keep_us, to_us - keep_us) for from_us, to_us in cuts if to_us - from_us > 3 * keep_us)


def round_step(least: float) -> float:
    """Return the smallest of 1, 2, 5, 10, 20, … that is at least this."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * 0.999)

"""Trend: a slope that outliers do not move (Theil-Sen), and whether it is more than chance (Mann-Kendall)."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from math import sqrt
from statistics import median

Point = tuple[float, float]


def theil_sen(points: Sequence[Point]) -> tuple[float, float]:
    """Return slope and intercept: the median of the slopes of all pairs, and of what is left (Sen 1968)."""
    slopes = [(y2 - y1) / (x2 - x1) for (x1, y1), (x2, y2) in combinations(points, 2) if x1 != x2]
    slope = median(slopes) if slopes else 0.0
    return slope, median(y - slope * x for x, y in points)


def mann_kendall(values: Sequence[float]) -> float:
    """Return the standard score of Kendall's S, with the correction for ties; below 0 the values fall."""
    count = len(values)
    s = sum((later > earlier) - (later < earlier) for earlier, later in combinations(values, 2))
    ties = sum(n * (n - 1) * (2 * n + 5) for n in Counter(values).values())
    variance = (count * (count - 1) * (2 * count + 5) - ties) / 18
    if s == 0 or variance <= 0:
        return 0.0
    return (s - 1 if s > 0 else s + 1) / sqrt(variance)

"""Series: one measured value of a part, shoe by shoe; when its trend reaches a limit."""

from dataclasses import dataclass, field
from statistics import median
from typing import Final

from sabot_gateway.forecast.trend import Point, mann_kendall, theil_sen

MOST_SHOES: Final = 30
LEAST_SHOES: Final = 8
_WINDOWS: Final = (12, MOST_SHOES)  # newest shoes: a quick fall is seen in few, a slow one in many
_CERTAIN: Final = -2.58  # standard score: less than one in 200 by chance
_RESET_SHOES: Final = 2  # so many in a row far above the trend: the part was cleaned or replaced
_SPREADS: Final = 4.0


@dataclass
class Series:
    """The newest shoes; those before a cleaning are forgotten."""

    jump: float  # above the trend by at least so much: cleaned
    _points: dict[int, float] = field(default_factory=dict)  # by shoe number

    def add(self, shoe: int, value: float) -> None:
        """Take the value of a shoe; the same shoe again replaces it."""
        self._points = dict(sorted((self._points | {shoe: value}).items())[-MOST_SHOES:])
        if self._was_reset():
            self._points = dict(self.points()[-_RESET_SHOES:])  # type: ignore[arg-type]

    def points(self) -> list[Point]:
        """Return shoe and value, the oldest first."""
        return list(self._points.items())

    def _was_reset(self) -> bool:
        before, newest = self.points()[:-_RESET_SHOES], self.points()[-_RESET_SHOES:]
        if len(before) < LEAST_SHOES:
            return False
        slope, level = theil_sen(before)
        left = [y - slope * x - level for x, y in before]
        far = max(self.jump, _SPREADS * median(map(abs, left)))
        return all(y - slope * x - level > far for x, y in newest)

    def shoes_until(self, limit: float) -> float | None:
        """Return in how many shoes the value falls to this limit; None if it does not fall for certain."""
        found = [self._until(self.points()[-window:], limit) for window in _WINDOWS]
        return min((shoes for shoes in found if shoes is not None), default=None)

    def slope(self) -> float | None:
        """Return the change a shoe, None for too few shoes."""
        points = self.points()
        return theil_sen(points)[0] if len(points) >= LEAST_SHOES else None

    def _until(self, points: list[Point], limit: float) -> float | None:
        if len(points) < LEAST_SHOES or mann_kendall([value for _, value in points]) > _CERTAIN:
            return None
        slope, level = theil_sen(points)
        if slope >= 0:
            return None
        return max(0.0, (level + slope * points[-1][0] - limit) / -slope)

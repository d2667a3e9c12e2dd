"""Wear: the sensors, the heap and the flash of the shoes at one table, and which of them will fail soon."""

from dataclasses import dataclass, field
from math import floor
from typing import Final, NamedTuple

from sabot_protocol.sensors import LEAST_READS, REJECTS_BELOW_PCT

from sabot_gateway.forecast.series import Series

SENSORS: Final = ("entry", "a", "b", "exit")
PARTS: Final = (*SENSORS, "heap", "flash")
SOON_SHOES, LATER_SHOES = 40, 80  # about three days of play; an alarm is cleared beyond the second
HEAP_LEAST_BYTES: Final = 16_384
FLASH_EVENTS: Final = 22 * 111 * 100_000  # sectors, events in each, erases that each stands: firmware/README.md
_FLASH_SOON, _FLASH_LATER = 0.9, 0.89  # share of it
_MOST_UNITS: Final = 4  # at one table
_JUMP_PCT, _JUMP_BYTES, _NO_JUMP = 5.0, 4096.0, float("inf")
_MOST_FORECAST: Final = 10_000  # shoes; beyond it the trend means nothing


class Outlook(NamedTuple):
    """What is to come of one part."""

    part: str
    shoes: int | None  # until it fails; None: no trend
    soon: bool  # an alarm is due
    over: bool  # an alarm is not due any more
    facts: str  # the figures


def _new_parts() -> dict[str, Series]:
    jumps = {"heap": _JUMP_BYTES, "flash": _NO_JUMP}
    return {part: Series(jumps.get(part, _JUMP_PCT)) for part in PARTS}


@dataclass
class WearBook:
    """Shoe by shoe for each unit, of the newest few units."""

    _units: dict[str, dict[str, Series]] = field(default_factory=dict)
    _events: dict[str, int] = field(default_factory=dict)  # by unit: the newest number
    _found: dict[tuple[str, str], Outlook] = field(default_factory=dict)  # by unit and part, until it has a new value

    def sensor(self, unit: str, sensor: str, shoe: int, reads: int, margin_pct: int) -> None:
        """Take what a sensor has measured over a shoe; the mean of a few cards means little."""
        if reads >= LEAST_READS:
            self._parts(unit)[sensor].add(shoe, margin_pct)

    def health(self, unit: str, shoe: int, event_no: int, heap_free_bytes: int) -> None:
        """Take the heap after a shoe, and how many events the unit has logged in its life."""
        parts = self._parts(unit)
        parts["heap"].add(shoe, heap_free_bytes)
        parts["flash"].add(shoe, event_no)
        self._events[unit] = max(event_no, self._events.get(unit, 0))

    def _parts(self, unit: str) -> dict[str, Series]:
        parts = self._units.pop(unit, None) or _new_parts()
        self._units[unit] = parts  # the newest last
        while len(self._units) > _MOST_UNITS:
            oldest = next(iter(self._units))
            del self._units[oldest]
            self._events.pop(oldest, None)
        self._found = {}
        return parts

    def flash_worn(self, unit: str) -> float | None:
        """Return the share of the flash's life that is used; None if it is not known."""
        return self._events[unit] / FLASH_EVENTS if unit in self._events else None

    def outlooks(self, unit: str, *parts: str) -> list[Outlook]:
        """Return what is to come of these parts of a unit, or of all."""
        return [self._outlook_of(unit, part) for part in parts or PARTS] if unit in self._units else []

    def _outlook_of(self, unit: str, part: str) -> Outlook:
        if (unit, part) not in self._found:
            self._found[unit, part] = self._outlook(unit, part, self._units[unit][part])
        return self._found[unit, part]

    def _outlook(self, unit: str, part: str, series: Series) -> Outlook:
        if part == "flash":
            return self._flash(unit, series)
        shoes = _whole(series.shoes_until(HEAP_LEAST_BYTES if part == "heap" else REJECTS_BELOW_PCT))
        soon = shoes is not None and shoes <= SOON_SHOES
        over = shoes is None or shoes > LATER_SHOES
        return Outlook(part, shoes, soon, over, _facts(part, series))

    def _flash(self, unit: str, series: Series) -> Outlook:
        worn, slope = self.flash_worn(unit) or 0.0, series.slope()
        left = max(0, FLASH_EVENTS - self._events.get(unit, 0))
        shoes = floor(left / slope) if slope and slope > 0 else None
        facts = f"{worn:.0%} of its erases are used"
        return Outlook("flash", shoes, worn >= _FLASH_SOON, worn < _FLASH_LATER, facts)


def _whole(shoes: float | None) -> int | None:
    return None if shoes is None or shoes > _MOST_FORECAST else floor(shoes)


def _facts(part: str, series: Series) -> str:
    points, slope = series.points(), series.slope() or 0.0
    if not points:
        return ""
    unit, rounded = ("bytes", 0) if part == "heap" else ("%", 1)
    return f"{points[-1][1]:.0f} {unit} after the last shoe, {slope:+.{rounded}f} {unit} a shoe over {len(points)}"

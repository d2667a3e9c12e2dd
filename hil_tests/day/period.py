"""Period and section: which rows of a report are compared."""

from collections.abc import Callable
from typing import NamedTuple

from sabot_sim.world.truth import Decision, Truth

from day.compare import Clause, Line
from day.known import utc


class Period(NamedTuple):
    """From `begin` to before `end`, as messages have times."""

    begin: str
    end: str

    def holds(self, seconds: float) -> bool:
        """Return True if a moment of the day is in it."""
        return self.begin <= utc(seconds) < self.end


class Section(NamedTuple):
    """How to find the rows of a section, and the fields that name one row."""

    keys: tuple[str, ...]
    rows: Callable[[Truth, Period], list[Line]]


def decision_of(one: Decision) -> Line:
    """Return who decided, with the role where the floor service knows it."""
    return {"by": one.by.name, "role": "" if one.local else one.by.role, "clause": Clause(one.clause)}


def seconds(start_s: float, end_s: float) -> float | None:
    return round(end_s - start_s, 3) if end_s else None

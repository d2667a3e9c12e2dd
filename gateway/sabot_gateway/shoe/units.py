"""Units: one unit id is served at one table; the second is refused, unless only it proves the unit's key."""

from collections.abc import Mapping

from sabot_gateway.shoe import refusals
from sabot_gateway.table_session import TableSession

_BOTH_S = 2.0  # what a shoe had sent before it was carried to another port has been read by then
_OVER_S = 5.0  # after a start, both shoes have answered by then
_Refused = tuple[str, str, float]  # unit, the table that serves it, when it was first refused


class Units:
    """Which table may serve which shoe, over all tables of a gateway."""

    def __init__(self, tables: Mapping[str, TableSession]) -> None:
        self._tables = tables
        self._refused: dict[str, _Refused] = {}  # by table
        self._single_s: dict[str, float] = {}  # by table: since when its unit id answers nowhere else

    def claim(self, table: str, unit: str, authenticated: bool, now_s: float) -> str | None:
        """Return why a shoe that sends HELLO at a table is not served there, or None."""
        for other in self._tables.values():
            if other.name == table:
                continue
            if other.serves(unit) and (other.link.authenticated or not authenticated):
                self._refuse(table, unit, other.name, now_s)
                return refusals.at_another_table(unit, other.name)
            if other.serves(unit):
                other.link.refuse(refusals.taken_over(unit, table))
                other.due_s = 0.0
            if any(entry.unit == unit for entry in other.pending):
                return refusals.in_a_moment(unit, other.name)
        return None

    def _refuse(self, table: str, unit: str, other: str, now_s: float) -> None:
        if self._refused.get(table, ("", ""))[:2] != (unit, other):
            self._refused[table] = unit, other, now_s

    def say_twice(self, table: str, now_s: float) -> str | None:
        """Return that the unit id at a table answers at another one too; empty once it does not, None until then."""
        say = self._twice(table)
        if say:
            self._single_s.pop(table, None)
            return say
        return "" if now_s - self._single_s.setdefault(table, now_s) >= _OVER_S else None

    def _twice(self, table: str) -> str:
        for second, refused in list(self._refused.items()):
            if not self._is_refused(second, refused):
                del self._refused[second]
            elif table in (second, refused[1]) and self._answers_since(refused):
                return refusals.unit_id_twice(refused[0], refused[1], second)
        return ""

    def _is_refused(self, second: str, refused: _Refused) -> bool:
        unit, other, _ = refused
        tables = self._tables
        both = second in tables and other in tables and tables[other].serves(unit)
        return both and tables[second].link.problem == refusals.at_another_table(unit, other)

    def _answers_since(self, refused: _Refused) -> bool:
        """Return True if the shoe that is served sends on: it was not carried to the other port."""
        last_s = self._tables[refused[1]].link.last_frame_s
        return last_s is not None and last_s > refused[2] + _BOTH_S

"""Units: one unit id is served at one table; the second is refused, unless only it proves the unit's key."""

from collections.abc import Mapping

from sabot_gateway.shoe import refusals
from sabot_gateway.table_session import TableSession


class Units:
    """Which table may serve which shoe, over all tables of a gateway."""

    def __init__(self, tables: Mapping[str, TableSession]) -> None:
        self._tables = tables

    def claim(self, table: str, unit: str, authenticated: bool) -> str | None:
        """Return why a shoe that sends HELLO at a table is not served there, or None."""
        for other in self._tables.values():
            if other.name == table:
                continue
            if other.serves(unit) and (other.link.authenticated or not authenticated):
                return refusals.at_another_table(unit, other.name)
            if other.serves(unit):
                other.link.refuse(refusals.taken_over(unit, table))
                other.due_s = 0.0
            if any(entry.unit == unit for entry in other.pending):
                return refusals.in_a_moment(unit, other.name)
        return None

"""Units: one unit id is served at one table; who comes second is refused, unless it alone proves the unit's key."""

from collections.abc import Callable, Iterable

from sabot_gateway.shoe import refusals
from sabot_gateway.table_session import TableSession


class Units:
    """All tables of a gateway, as they are now."""

    def __init__(self, places: Callable[[], Iterable[TableSession]]) -> None:
        self._places = places

    def claim(self, table: str, unit: str, authenticated: bool) -> str | None:
        """Why a shoe that says HELLO at a table is not served there; None where it is."""
        for place in self._places():
            if place.name == table:
                continue
            if place.serves(unit) and (place.link.authenticated or not authenticated):
                return refusals.at_another_table(unit, place.name)
            if place.serves(unit):
                place.link.refuse(refusals.taken_over(unit, table))
            if any(entry.unit == unit for entry in place.pending):
                return refusals.in_a_moment(unit, place.name)
        return None

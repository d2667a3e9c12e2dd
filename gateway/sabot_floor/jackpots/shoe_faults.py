"""Shoe faults: a table whose shoe has a fault is withdrawn from its jackpots until it is cleared (003 13.4.9(a))."""

from collections.abc import Iterable, Mapping

from sabot_protocol.angel_eye.tables import ERROR_WORDS
from sabot_protocol.jackpots.parameters import Parameters

from sabot_floor.jackpots import engine
from sabot_floor.jackpots.engine.entries import Withdrawn
from sabot_floor.jackpots.intake import TableStatus
from sabot_floor.jackpots.order import StateOf

PATIENCE_S = 10.0  # coups dealt before the fault come first; a faulty shoe deals none
SHOE_REASON = "Fault of the shoe: "


class ShoeFaults:
    """Faults that do not pass within a moment withdraw the table; their end restores it at once."""

    def __init__(self, state_of: StateOf) -> None:
        self._state_of = state_of
        self._waiting: dict[str, tuple[float, str]] = {}  # by table: since when, and which fault

    def status(self, found: TableStatus, jackpots: Mapping[str, Parameters], now_s: float) -> list[str]:
        """Take note of a table's status; return the jackpots in which the table is to be restored."""
        if found.fault:
            if any(found.table in parameters.tables for parameters in jackpots.values()):
                self._waiting.setdefault(found.table, (now_s, found.fault))
            return []
        self._waiting.pop(found.table, None)
        if not found.online:
            return []
        return [name for name in jackpots if self._reason(name, found.table).startswith(SHOE_REASON)]

    def due(self, jackpots: Mapping[str, Parameters], now_s: float, time: str) -> Iterable[tuple[str, Withdrawn]]:
        """Yield the withdrawals that are due; call it when no messages of tables are waiting."""
        for table, (since_s, fault) in list(self._waiting.items()):
            if now_s - since_s < PATIENCE_S:
                continue
            del self._waiting[table]
            for name, parameters in jackpots.items():
                if table in parameters.tables and not self._reason(name, table):
                    yield (
                        name,
                        Withdrawn(time=time, table=table, reason=f"{SHOE_REASON}{ERROR_WORDS.get(fault, fault)}"),
                    )

    def _reason(self, jackpot: str, table: str) -> str:
        """Return why a jackpot is not offered at a table, empty if it is."""
        state = self._state_of(jackpot)
        return engine.not_offered(state).get(table, "") if state is not None else ""

"""GroupCommit: one transaction for all tables; entries that cannot be stored for one table never stop another."""

from collections.abc import Sequence

import structlog

from sabot_gateway.ledger import Entry, EntryError, Ledger
from sabot_gateway.operator.desk import Desk
from sabot_gateway.ops.moment import Moment
from sabot_gateway.table_session import TableSession

_REFUSED_S = 60.0  # until the table is tried again

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class GroupCommit:
    """Into one ledger; what is refused for good is dropped, with a word to whom it concerns."""

    def __init__(self, ledger: Ledger, desk: Desk) -> None:
        self._ledger, self._desk = ledger, desk

    def store(self, entries: Sequence[Entry], full: dict[TableSession, None], at: Moment) -> list[TableSession]:
        """All entries at once, or table by table where one is refused; the tables given up, LedgerError for all."""
        try:
            self._ledger.append(entries)
        except EntryError as error:
            log.error(f"{error}; each table is stored by itself")
            return self._store_apart(full, at)
        return []

    def _store_apart(self, full: dict[TableSession, None], at: Moment) -> list[TableSession]:
        """In `full` stays what the ledger could not take for now."""
        given_up = []
        for place in list(full):
            try:
                self._ledger.append(place.pending)
            except EntryError as error:
                self._give_up(place, error, at)
                given_up.append(place)
            place.stored(at.now_s)
            del full[place]
        try:
            self._ledger.append(self._desk.own.waiting)
        except EntryError as error:
            self._desk.drop(str(error))
        return given_up

    def _give_up(self, place: TableSession, error: EntryError, at: Moment) -> None:
        """Nothing of it was acknowledged: the shoe still has it. The table is read again from what is stored."""
        problem = f"table {place.name}: {error}; nothing is taken from its shoe for {_REFUSED_S:.0f} seconds"
        log.error(problem)
        place.start_again(self._ledger)
        place.link.refuse(f"{problem}; report this with the ledger", at.now_s + _REFUSED_S)
        say = f"Events of this table cannot be stored. {error}. Do not deal; report this with the ledger."
        self._desk.own.raise_alarm(place, "not_stored", say, at)

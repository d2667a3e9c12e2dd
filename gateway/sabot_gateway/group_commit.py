"""Group commit: one transaction for all tables and the desk; what one table cannot store never stops another."""

from collections.abc import Sequence

import structlog
from sabot_service.moment import Moment

from sabot_gateway.guard import Guard
from sabot_gateway.hold import HoldControl
from sabot_gateway.jackpots.jackpots import Jackpots
from sabot_gateway.ledger import Entry, EntryError, Ledger, LedgerError
from sabot_gateway.operator.desk import Desk
from sabot_gateway.publish.stage import PublishStage
from sabot_gateway.table_lines import TableLines
from sabot_gateway.table_session import TableSession

_GATHER_S, _GATHER_FEW_S = 0.006, 0.04  # after a commit: ports share the next one, for longer if little comes
_FEW, _FEW_OF_A_TABLE, _FEW_A_S = 16, 2, 1000  # entries
_MOST_COMMITS = 4  # for a request: its attempt, its outcome, and what follows
_REFUSED_S = 60.0  # until the table is tried again

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class GroupCommit:
    """Stores what waits; only then acknowledges it to the shoes and carries out what people requested."""

    def __init__(
        self,
        ledger: Ledger,
        desk: Desk,
        hold: HoldControl,
        lines: TableLines,
        publish: PublishStage,
        guard: Guard,
        jackpots: Jackpots,
    ) -> None:
        self._jackpots = jackpots
        self._ledger, self._desk, self._own, self._hold = ledger, desk, desk.own, hold
        self._lines, self._publish, self._guard = lines, publish, guard
        self.waiting: dict[TableSession, None] = {}  # tables that have something to be stored, in the order it came
        self.gather_until_s = self._stored_s = 0.0

    def idle(self) -> bool:
        """Return True if nothing waits to be stored."""
        return not self.waiting and not self._own.waiting

    def commit(self, at: Moment) -> None:
        """Store all that waits in one transaction; while the gateway is held, only when a retry is due."""
        if self._hold.active and not self._hold.retry_due(at.now_s):
            return
        entries = [entry for table in self.waiting for entry in table.pending] + self._own.waiting
        if entries:
            try:
                given_up = self._store(entries, at)
            except LedgerError as error:
                self._hold.ledger_failed("entries", error, at, lambda: None)  # the next commit tries them again
                return
            self._stored(entries, given_up, at)
        if self._hold.active:
            self._hold.retry(at)

    def commit_all(self, at: Moment) -> bool:
        """Commit until nothing waits, the outcomes of requests included; return False if the ledger refuses it."""
        for _ in range(_MOST_COMMITS):
            if self._hold.active or self.idle():
                break
            self.commit(at)
        return not self._hold.active and self.idle()

    def _stored(self, entries: list[Entry], given_up: list[TableSession], at: Moment) -> None:
        """Acknowledge what is durable, and carry out what people requested."""
        last_seq = self._ledger.last_seq()
        self._publish.stored(entries, last_seq, at.now_s)
        self._publish.all_changed(table.name for table in given_up)
        self._lines.pace.stored(last_seq, (entry.table for entry in entries if entry.topic))
        stored, self.waiting = self.waiting, {}
        self._own.waiting.clear()
        for table in stored:
            self._guard.run(TableSession.stored, table, at)
        self._jackpots.raise_alarms(at)
        self._desk.committed(at)
        self.gather_until_s = at.now_s + (_GATHER_FEW_S if self._few(len(entries), len(stored), at) else _GATHER_S)
        self._stored_s = at.now_s

    def _few(self, entries: int, tables: int, at: Moment) -> bool:
        """Return True if little comes from all tables together, and no shoe sends what it logged during an outage."""
        of_each = entries <= max(_FEW, _FEW_OF_A_TABLE * tables)
        return of_each and entries <= (at.now_s - self._stored_s) * _FEW_A_S

    def _store(self, entries: Sequence[Entry], at: Moment) -> list[TableSession]:
        """Store all entries at once, or table by table where one is refused; return the tables given up."""
        try:
            self._append(entries)
        except EntryError as error:
            log.error(f"{error}; each table is stored in a transaction of its own")
            return self._store_apart(at)
        return []

    def _store_apart(self, at: Moment) -> list[TableSession]:
        """Leave in `waiting` what the ledger could not take for now."""
        given_up = []
        for table in list(self.waiting):
            try:
                self._append(table.pending)
            except EntryError as error:
                self._give_up(table, error, at)
                given_up.append(table)
            table.stored(at)
            del self.waiting[table]
        try:
            self._append(self._own.waiting)
        except EntryError as error:
            self._desk.drop(str(error))
        return given_up

    def _append(self, entries: Sequence[Entry]) -> None:
        """Store entries in one transaction, with the increments that follow from them."""
        if self._jackpots.active:
            self._jackpots.append(entries)
        else:
            self._ledger.append(entries)

    def _give_up(self, table: TableSession, error: EntryError, at: Moment) -> None:
        """Drop what was not acknowledged, which the shoe still has, and read the table again from the ledger."""
        problem = f"table {table.name}: {error}; nothing is taken from its shoe for {_REFUSED_S:.0f} seconds"
        log.error(problem)
        table.start_again(self._ledger)
        table.link.refuse(f"{problem}; report this with the ledger", at.now_s + _REFUSED_S)
        say = f"Events of this table cannot be stored. {error}. Do not deal; report this with the ledger."
        self._own.raise_alarm(table, "not_stored", say, at)

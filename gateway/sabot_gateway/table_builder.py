"""Table builder: makes the session of a table from its config and from what the ledger holds of it."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import structlog
from sabot_protocol import rulebooks

from sabot_gateway.config import Config, Table
from sabot_gateway.incidents.book import IncidentBook
from sabot_gateway.ledger import Ledger, LedgerError
from sabot_gateway.operator.desk import Desk
from sabot_gateway.shoe.keys import KeyRing
from sabot_gateway.shoe.link import ShoeLink
from sabot_gateway.shoe.ports import Line
from sabot_gateway.shoe.units import Units
from sabot_gateway.table_session import TableSession
from sabot_gateway.verify import Verifier
from sabot_gateway.verify.moves import Moves

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class TableBuilder:
    """`config` is the one in use: a reload replaces it."""

    def __init__(self, config: Config, ledger: Ledger, desk: Desk, tables: Mapping[str, TableSession]) -> None:
        self.config, self._ledger, self._desk = config, ledger, desk
        self._gateway = ledger.gateway_id()
        self._moves, self._units = Moves(), Units(tables)
        self._unreadable: tuple[str, LedgerError] | None = None

    def build(self, table: Table, before: TableSession | None = None) -> TableSession:
        """Return a table as the ledger has it; one that plays by the same rules as before keeps its verifier."""
        book = rulebooks.load(table.rulebook)
        profile = book.profile(table.decks, table.card_set, table.shoe)
        link = ShoeLink(
            profile,
            self._last_stored,
            self._gateway,
            self._keys,
            keys_required=self.config.requires_keys(),
            stored=self._ledger,
            claim=partial(self._units.claim, table.name),
        )
        line = Line(table.port, table.baud)
        if before is not None and before.verifier.uses(book, profile):
            return TableSession(table, line, link, before.verifier, before.incidents, shoe_fault=before.shoe_fault)
        who = self._desk.attempts.decider_of
        verifier = Verifier(table.name, book, profile, who, self._moves)
        session = TableSession(table, line, link, verifier, IncidentBook(table.name, book, who))
        if not session.catch_up(self._ledger):
            log.warning(
                "the coup in progress is unknown: the log of the shoe on this table comes from another release, or is "
                "too long to read again; compare the cards on the table with the shoe's lamps",
                table=table.name,
            )
        verifier.recall_decisions(self._desk.attempts.decisions(table.name))
        return session

    def _last_stored(self, unit: str) -> int | None:
        """Return the last stored event of a unit; None where the ledger cannot be read."""
        try:
            return self._ledger.durable_event_no(unit)
        except LedgerError as error:
            self._unreadable = unit, error
            return None

    def take_unreadable(self) -> tuple[str, LedgerError] | None:
        """Return the unit whose last event could not be read since the last call, and the error."""
        unreadable, self._unreadable = self._unreadable, None
        return unreadable

    def _keys(self, unit: str) -> list[bytes]:
        return KeyRing(Path(self.config.keys)).keys(unit) if self.config.keys is not None else []

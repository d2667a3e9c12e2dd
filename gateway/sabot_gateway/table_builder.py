"""Table builder: makes the session of a table from its config and from what the ledger holds of it."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import structlog
from sabot_protocol import rulebooks

from sabot_gateway.angel_eye.driver import AngelEyeDriver
from sabot_gateway.angel_eye.events import learnt_bcc, unit_of
from sabot_gateway.angel_eye.verifier import AngelEyeVerifier, Settings
from sabot_gateway.config import Config, Table, firmware_key_of
from sabot_gateway.incidents.book import IncidentBook
from sabot_gateway.ledger import Ledger, LedgerError
from sabot_gateway.operator.desk import Desk
from sabot_gateway.shoe.driver import Driver
from sabot_gateway.shoe.keys import KeyRing
from sabot_gateway.shoe.link import ShoeLink
from sabot_gateway.shoe.ports import Line
from sabot_gateway.shoe.units import Units
from sabot_gateway.table_session import TableSession
from sabot_gateway.verify import Verifier
from sabot_gateway.verify.moves import Moves

_RECALLED_EVENTS = 2000  # of an Angel Eye: some of them may be outcomes of commands

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class TableBuilder:
    """`config` is the one in use: a reload replaces it."""

    def __init__(self, config: Config, ledger: Ledger, desk: Desk, tables: Mapping[str, TableSession]) -> None:
        self.config, self._ledger, self._desk = config, ledger, desk
        self._gateway = ledger.gateway_id()
        self._moves, self.units = Moves(), Units(tables)
        self._unreadable: tuple[str, LedgerError] | None = None

    def build(self, table: Table, before: TableSession | None = None) -> TableSession:
        """Return a table as the ledger has it; one that plays by the same rules as before keeps its verifier."""
        book = rulebooks.load(table.rulebook)
        profile = book.profile(table.decks, table.card_set, table.shoe)
        link = self._driver(table, profile)
        line = Line(table.port, table.line_baud())
        settings = Settings(table.confirm, table.resent_card) if table.driver == "angel-eye" else None
        if before is not None and before.verifier.uses(book, profile, settings):
            fault, screens, counts = before.shoe_fault, before.screens, before.counts
            return TableSession(
                table, line, link, before.verifier, before.incidents, shoe_fault=fault, screens=screens, counts=counts
            )
        who = self._desk.attempts.decider_of
        verifier = (
            Verifier(table.name, book, profile, who, self._moves)
            if settings is None
            else AngelEyeVerifier(table.name, book, profile, who, self._moves, settings)
        )
        session = TableSession(table, line, link, verifier, IncidentBook(table.name, book, who))
        if not session.catch_up(self._ledger):
            log.warning(
                "the coup in progress is unknown: the log of the shoe on this table comes from another release, or is "
                "too long to read again; compare the cards on the table with the shoe's lamps",
                table=table.name,
            )
        verifier.recall_decisions(self._desk.attempts.decisions(table.name))
        for call in self._desk.attempts.calls(table.name):
            session.screens.called(call)
        return session

    def _driver(self, table: Table, profile: dict[str, Any]) -> Driver:
        """Return the driver of the table's shoe."""
        if table.driver == "angel-eye":
            return self._angel_eye(table)
        return ShoeLink(
            profile,
            self._last_stored,
            self._gateway,
            self._keys,
            keys_required=self.config.requires_keys(),
            stored=self._ledger,
            claim=partial(self.units.claim, table.name),
            firmware_key=lambda: firmware_key_of(self.config),
        )

    def _angel_eye(self, table: Table) -> AngelEyeDriver:
        unit = unit_of(self._gateway, table.name)
        durable_no = self._ledger.durable_event_no(unit) + self._ledger.lost_after(unit)
        newest = self._ledger.log_of(unit, durable_no - _RECALLED_EVENTS + 1)
        return AngelEyeDriver(
            unit,
            durable_no,
            baud=table.line_baud(),
            commands=table.commands,
            with_stx=learnt_bcc(entry.frame for entry in newest),
            who=self._desk.attempts.decider_of,
        )

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

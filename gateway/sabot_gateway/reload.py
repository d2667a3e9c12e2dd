"""Reload: read the config again after SIGHUP; tables that are the same go on untouched."""

from collections.abc import Callable

import msgspec
import structlog
from sabot_service.moment import Moment
from sabot_service.signals import Signals

from sabot_gateway import config as configs
from sabot_gateway.config import Changes, Config, floor_key_of, jackpots_of
from sabot_gateway.jackpots.jackpots import Jackpots
from sabot_gateway.ledger import LedgerError
from sabot_gateway.operator.desk import Desk
from sabot_gateway.operator.floor_commands import FloorCommands
from sabot_gateway.operator.local_roles import LocalRoles
from sabot_gateway.publish.stage import PublishStage
from sabot_gateway.table_builder import TableBuilder
from sabot_gateway.table_lines import TableLines
from sabot_gateway.table_session import TableSession

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class Reload:
    """Needs everything stored before; a config that cannot be used changes nothing."""

    def __init__(
        self,
        signals: Signals,
        reread: Callable[[], Config],
        tables: dict[str, TableSession],
        builder: TableBuilder,
        lines: TableLines,
        publish: PublishStage,
        desk: Desk,
        jackpots: Jackpots,
        commands: FloorCommands,
        roles: LocalRoles,
    ) -> None:
        self._jackpots, self._commands, self._roles = jackpots, commands, roles
        self._signals, self.reread, self._tables, self._builder = signals, reread, tables, builder
        self._lines, self._publish, self._desk = lines, publish, desk

    def run(self, at: Moment) -> None:
        """Reload; after a LedgerError the request stays, to be tried when the ledger can be read again."""
        self._signals.reloading = False
        try:
            self._reload(at)
        except LedgerError:
            self._signals.reloading = True
            raise

    def _reload(self, at: Moment) -> None:
        try:
            new = self.reread()
            jackpots, floor_key = jackpots_of(new), floor_key_of(new)
        except Exception as error:  # of a file, which can hold anything
            log.error(f"the config stays as it was: {error or type(error).__name__}")
            return
        changes = configs.changes(self._builder.config, new)
        try:
            opened = self._build(new, changes)
        except LedgerError:
            raise
        except Exception:
            log.exception("the config stays as it was: internal error; report it with this log")
            return
        self._apply(changes, opened, at)
        self._jackpots.configure(*jackpots, at.time)
        self._publish.listen(self._jackpots)
        self._commands.key = floor_key
        self._roles.configure(new.roles)

    def _build(self, new: Config, changes: Changes) -> dict[str, TableSession]:
        """Return the tables that are new or changed; the config in use stays the old one where one fails."""
        before = self._builder.config
        fixed = {key: getattr(before, key) for key in configs.ONLY_AT_START}
        self._builder.config = msgspec.structs.replace(new, **fixed)
        try:
            changed = (*changes.added, *changes.changed)
            opened = {table.name: self._builder.build(table, self._tables.get(table.name)) for table in changed}
            self._publish.serve([*changes.kept, *opened])
        except BaseException:
            self._builder.config = before
            raise
        return opened

    def _apply(self, changes: Changes, opened: dict[str, TableSession], at: Moment) -> None:
        for name in (*changes.removed, *(table.name for table in changes.changed)):
            self._close(self._tables.pop(name), at, removed=name not in opened)
        self._tables |= opened
        self._lines.pace.tables = len(self._tables)
        self._publish.status_topics.keys = self._builder.config.keys
        self._publish.all_changed(opened)
        for message in changes.restart:
            log.warning(message)
        counts = {name: len(getattr(changes, name)) for name in ("added", "removed", "changed", "kept")}
        log.info("config read again", **counts)

    def _close(self, table: TableSession, at: Moment, *, removed: bool) -> None:
        """Close a table of which everything is stored, and answer everyone who waits for its shoe."""
        self._lines.close(table, at.now_s)
        self._desk.close_table(table, at)
        self._publish.close_table(table, at)
        alarms, disputed = len(table.verifier.active()), len(table.verifier.disputed())
        if removed and (alarms or disputed):
            log.warning(
                "alarms and disputed coups of a table that is no longer in the config stay in the ledger; "
                "put the table back under its name to decide them",
                table=table.name,
                alarms=alarms,
                disputed=disputed,
            )

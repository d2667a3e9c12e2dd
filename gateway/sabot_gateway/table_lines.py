"""Table lines: opens, watches, reads and writes the port of each table, and reports which shoe is served there."""

import selectors
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime

import structlog
from sabot_protocol.codec import CodecError
from sabot_service.moment import Moment

from sabot_gateway.angel_eye.line_watch import closed_by_converter, is_converter
from sabot_gateway.operator.capture_streams import CaptureStreams
from sabot_gateway.own_entries import OwnEntries
from sabot_gateway.publish.status import StatusTopics
from sabot_gateway.shoe.pace import Pace
from sabot_gateway.shoe.ports import PortError
from sabot_gateway.table_session import TableSession

_SHOE_EPOCH_S = int(datetime(2020, 1, 1, tzinfo=UTC).timestamp())

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class TableLines:
    """While `paused` no port is read: what the shoes send waits in their journals, or in this PC's kernel."""

    def __init__(
        self,
        tables: Mapping[str, TableSession],
        selector: selectors.BaseSelector,
        status_topics: StatusTopics,
        captures: CaptureStreams,
        own: OwnEntries,
        clock: Callable[[], float],
    ) -> None:
        self._tables, self._selector, self._status_topics = tables, selector, status_topics
        self._captures, self._own, self._clock = captures, own, clock
        self.pace = Pace(len(tables))
        self.paused, self._paused_s = False, 0.0
        self._resting_s: dict[str, float] = {}  # since when

    def open(self, table: TableSession, at: Moment) -> None:
        """Make one step towards an open port, where there is none."""
        if table.line.port is not None:
            return
        opened = table.line.open(at.now_s)
        if isinstance(opened, PortError):
            self._status_topics.problem(table, str(opened), at)
        elif opened is not None:
            table.link.reset()
            self.watch(table)

    def watch(self, table: TableSession) -> None:
        """Have the selector report what comes on this port."""
        port = table.line.port
        if port is not None and not self.paused and port not in self._selector.get_map():
            self._selector.register(port, selectors.EVENT_READ, table)

    def unwatch(self, table: TableSession) -> None:
        """Leave what comes on this port unread."""
        if table.line.port is not None:
            with suppress(KeyError):  # not watched while paused
                self._selector.unregister(table.line.port)

    def pause(self, now_s: float) -> None:
        """Read no port until `resume`."""
        self.paused, self._paused_s = True, now_s
        for table in self._tables.values():
            self.unwatch(table)

    def resume(self, now_s: float) -> list[TableSession]:
        """Read every open port again; return their tables."""
        self.paused = False
        self.read_late(self._paused_s, now_s)
        opened = [table for table in self._tables.values() if table.line.port is not None]
        for table in opened:
            table.resume(now_s)
            self.watch(table)
        self.all_due()
        return opened

    def all_due(self) -> None:
        """Have every table looked at soon: something was done that is not seen in what its shoe sends."""
        for table in self._tables.values():
            table.due_s = 0.0

    def read_late(self, since_s: float, now_s: float) -> None:
        """Note that no port was read since then, because the loop was busy or paused."""
        for table in self._tables.values():
            table.link.read_late(since_s, now_s)

    def read(self, table: TableSession, at: Moment) -> bytes | None:
        """Return what has come, within the pace of the table; None for nothing, or when the port was lost."""
        if table.line.port is None:  # lost in this very turn
            return None
        data = table.line.port.read(self.pace.most_bytes(table.name))
        if data == b"":
            self.lose(table, at)
            return None
        if data is not None and self._captures.running:
            self._captures.add(table.name, "shoe", data, at.now_s)
        return data

    def tend(self, table: TableSession, at: Moment) -> None:
        """Write what the shoe is due, and report what has changed about it."""
        self._tend_push(table, at)
        if table.line.port is None:
            return
        if not self.paused and table.drop_silent(at.now_s):
            silent = f"the shoe on {table.config.port} sends nothing; check its power and its cable"
            self._status_topics.problem(table, silent, at)
        link = table.link
        link.tick(at.now_s)
        if not self.paused:
            table.keep_locked(at.now_s)
        self._write(table, at)
        if self.paused:  # the link takes unread bytes for silence
            return
        while link.reports:
            self._own.raise_alarm(table, *link.reports.popitem(), at)
        problem = link.problem
        if problem:
            self._status_topics.problem(table, problem, at)
        elif table.newly_served():
            self._greet(table, at)
        elif link.unit is not None and (table.condition_changed() or table.fault != table.published_fault):
            self._status_topics.concern(table, at)

    def _tend_push(self, table: TableSession, at: Moment) -> None:
        """End a push that waits for too long, also without a port; store how a push has ended."""
        push = table.link.firmware
        if push is None or self.paused:
            return
        push.tick(at.now_s)
        while push.ended:
            self._own.add_push(table, push.ended.pop(0), at)

    def _write(self, table: TableSession, at: Moment) -> None:
        data, port = table.link.output(), table.line.port
        if not data or port is None:
            return
        count = port.write(data)
        if count is None:
            self.lose(table, at)
        else:
            table.link.written(count)
            if self._captures.running:
                self._captures.add(table.name, "gateway", data[:count], at.now_s)

    def _greet(self, table: TableSession, at: Moment) -> None:
        """Publish that a shoe is served, and set its clock."""
        self._status_topics.connected(table, at.time)
        now_ms = int(self._clock() * 1000)
        try:
            table.link.command("set_time", {"utc_s": now_ms // 1000 - _SHOE_EPOCH_S, "utc_ms": now_ms % 1000})
        except CodecError:
            log.warning(
                f"this PC's clock is wrong: {at.time} is outside what a shoe can count; set it, and check the time "
                "server"
            )

    def lose(self, table: TableSession, at: Moment, why: str = "") -> None:
        """Close a port that is gone, or that must begin again; it is opened again later."""
        self.unwatch(table)
        table.line.lose(at.now_s)
        table.due_s = 0.0
        table.link.port_lost()
        alarm = table.verifier.line_lost()
        if alarm:
            self._own.raise_alarm(table, *alarm, at)
        problem = why or _gone(table)
        self._status_topics.problem(table, f"{problem}; the gateway opens the port again as soon as it can", at)

    def share_out(self, ready: Iterable[object], published_seq: int, now_s: float, *, connected: bool) -> None:
        """Leave a table unread while it is ahead of the broker by more than its share."""
        self.pace.published(published_seq, connected=connected)
        for source in ready:
            if isinstance(source, TableSession) and self.pace.rest(source.name, now_s):
                self.unwatch(source)
                self._resting_s.setdefault(source.name, now_s)
        for name in self.pace.rested(now_s):
            since_s = self._resting_s.pop(name, now_s)
            if name in self._tables:
                self._tables[name].link.read_late(since_s, now_s)
                self.watch(self._tables[name])

    def close(self, table: TableSession, now_s: float) -> None:
        """Give the port of a table back, and end its capture."""
        self.unwatch(table)
        table.line.close()
        self._captures.end(table.name, now_s)


def _gone(table: TableSession) -> str:
    """Return what is known of a port that was closed from the other side."""
    port = table.config.port
    if table.config.driver == "angel-eye" and is_converter(port):
        return closed_by_converter(port)
    return f"the shoe on {port} is gone"

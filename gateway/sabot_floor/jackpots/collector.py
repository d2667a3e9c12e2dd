"""Collector: the messages of one turn become one batch for each jackpot, and what came of them is noted."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import NamedTuple

import msgspec
import structlog
from sabot_protocol.topics import ConfirmedMessage, CoupMessage
from sabot_service.moment import Moment, utc
from sabot_service.rate_limit import LogLimiter

from sabot_floor.inbox import Arrived
from sabot_floor.jackpots.batch import Batch
from sabot_floor.jackpots.engine import Applied, Refused
from sabot_floor.jackpots.engine.entries import Increment, Proposed, Restored, Withdrawn
from sabot_floor.jackpots.engine.entries import Recorded as RecordedEntry
from sabot_floor.jackpots.intake import (
    Beat,
    Coup,
    ForJackpot,
    GatewayStatus,
    Ignored,
    Intake,
    Parsed,
    Rejected,
    TableStatus,
)
from sabot_floor.jackpots.logs import JackpotLogs
from sabot_floor.jackpots.missing import MissingIncrements
from sabot_floor.jackpots.order import Order
from sabot_floor.jackpots.receipts import Receipts
from sabot_floor.jackpots.refusals import Refusals
from sabot_floor.jackpots.shoe_faults import ShoeFaults

log: structlog.stdlib.BoundLogger = structlog.get_logger()

_BACKLOG = 50  # messages of tables in one turn: more come only after an outage


class Work(NamedTuple):
    """What one transaction stores, and the messages that are acknowledged after it."""

    batches: list[Batch]
    messages: list[Arrived]


class Collector:
    """Knows what each kind of message means for the jackpots.

    A gateway is `believed` on its own topics only; one that `names_itself` and its tables sends beats.
    """

    def __init__(
        self,
        intake: Intake,
        logs: JackpotLogs,
        believed: Callable[[str, str], bool] = lambda name, gateway: True,
        names_itself: Callable[[str], bool] = lambda gateway: False,
    ) -> None:
        self._intake, self._logs, self._believed, self._names_itself = intake, logs, believed, names_itself
        self.order, self.missing, self.refusals = Order(logs.state), MissingIncrements(), Refusals()
        self.offline: set[str] = set()  # tables of the jackpots, by their newest status
        self._shoe_faults, self._limiter = ShoeFaults(logs.state), LogLimiter()
        self.receipts = Receipts()

    def collect(self, arrived: Iterable[Arrived], at: Moment) -> Work:
        """Return the batches of these messages, and of older ones whose turn has come."""
        batches: dict[str, Batch] = {}
        messages: list[Arrived] = []
        for_jackpots: list[ForJackpot] = []
        for one in arrived:
            parsed = self._parse(one, at)
            if isinstance(parsed, ForJackpot) and parsed.jackpot in self._logs.served:
                for_jackpots.append(self._with_receipt(parsed, at))
                continue
            messages.append(one)
            self._note(parsed, batches, at)
        for item in self.order.take(for_jackpots, at.now_s):
            messages.append(item.arrived)
            self._batch(batches, item.jackpot, at).entries.append(item.entry)
        for jackpot, proposals in self.missing.due(self._logs.served, at.now_s, at.time).items():
            self._batch(batches, jackpot, at).entries.extend(proposals)
        if len(for_jackpots) < _BACKLOG:
            for jackpot, withdrawn in self._shoe_faults.due(self._logs.served, at.now_s, at.time):
                self._batch(batches, jackpot, at).entries.append(withdrawn)
        for jackpot, fault in self.receipts.take_faults(self._logs.served):
            self._batch(batches, jackpot, at).faults.append(fault)
        self.receipts.turn(at.now_s, quiet=not messages and not for_jackpots)
        for jackpot, faults in self.refusals.take_faults().items():
            if jackpot in self._logs.served:
                self._batch(batches, jackpot, at).faults.extend(faults)
        return Work(list(batches.values()), messages)

    def _with_receipt(self, item: ForJackpot, at: Moment) -> ForJackpot:
        """Return an item as it came: a record with what is known of its moment."""
        at_s, time = _came(item.arrived, at)
        self.receipts.message(item.entry.message, at_s, time)
        if self._names_itself(item.entry.message.gateway):
            self.receipts.sends_beats(item.entry.message.gateway)
        if not isinstance(item.entry, RecordedEntry):
            return item
        entry = item.entry.receipt.entry if item.entry.receipt else 0
        receipt = self.receipts.receipt(item.entry.message, entry, at_s, time)
        return item._replace(entry=msgspec.structs.replace(item.entry, time=time, receipt=receipt))

    def _parse(self, arrived: Arrived, at: Moment) -> Parsed:
        """Return what a message means; whatever is in it, it costs no more than itself."""
        try:
            return self._intake.parse(arrived, at.time)
        except Exception as error:
            if self._limiter.take("parse", at.now_s) is not None:
                log.exception("a message could not be read; report it with this log", topic=arrived.topic)
            return Rejected(arrived, "", "", "malformed", f"{arrived.topic}: {type(error).__name__}. It was dropped")

    def _batch(self, batches: dict[str, Batch], jackpot: str, at: Moment) -> Batch:
        return batches.setdefault(jackpot, Batch(jackpot, at.time))

    def _note(self, parsed: object, batches: dict[str, Batch], at: Moment) -> None:
        match parsed:
            case Coup(message=ConfirmedMessage() as message):
                self.missing.confirmed(message, self._logs.served, at.now_s)
            case Coup(message=CoupMessage() as message):
                self.missing.coup(message, self._logs.served)
            case GatewayStatus(gateway=gateway, name=name):
                if self._believed(name, gateway):
                    self.receipts.sends_beats(gateway)
            case Beat(arrived=arrived, message=beat, name=name):
                if self._believed(name, beat.gateway):
                    self.receipts.beat(beat, *_came(arrived, at))
            case TableStatus():
                self._note_status(parsed)
                for jackpot in self._shoe_faults.status(parsed, self._logs.served, at.now_s):
                    restored = Restored(time=at.time, table=parsed.table)
                    self._batch(batches, jackpot, at).entries.append(restored)
            case Rejected():
                known = parsed.jackpot in self._logs.served
                self.refusals.note(
                    parsed.jackpot if known else "", parsed.table, parsed.reason, parsed.say, at.now_s, fault=known
                )
            case ForJackpot():
                say = (
                    f"{parsed.arrived.topic}: there is no jackpot {parsed.jackpot} in the parameters' file of the "
                    "floor service; give both the same file. It was not counted"
                )
                self.refusals.note("", parsed.entry.message.table, "state", say, at.now_s, fault=False)
            case Ignored():
                pass

    def _note_status(self, status: TableStatus) -> None:
        if status.online:
            self.offline.discard(status.table)
        elif any(status.table in parameters.table_names for parameters in self._logs.served.values()):
            self.offline.add(status.table)

    def stored(self, batches: Iterable[Batch], at: Moment) -> None:
        """Take note of what the engine made of batches that are durable now."""
        for batch in batches:
            for entry, result in zip(batch.entries, batch.results, strict=True):
                if isinstance(entry, Increment):
                    skipped = result.missing if isinstance(result, Applied) else ()
                    self.missing.counted(batch.jackpot, entry.message, skipped, at.now_s)
                if isinstance(result, Refused) and not isinstance(entry, Proposed | Withdrawn | Restored):
                    table = getattr(getattr(entry, "message", entry), "table", "")
                    wanted = result.fault is None and result.then is None
                    self.refusals.note(batch.jackpot, table, result.reason, result.say, at.now_s, fault=wanted)

    def open_wins(self) -> dict[str, dict[str, int]]:
        """Return, by jackpot, how many wins people must settle, or decide the order of."""
        return self._logs.open_wins()

    def lost(self) -> None:
        """Forget messages that wait for others: the broker sends them again."""
        self.order.lost()


def _came(arrived: Arrived, at: Moment) -> tuple[float, str]:
    """Return when a message came, by both clocks: it may have waited for the store."""
    at_s = at.now_s if arrived.at_s is None else arrived.at_s
    waited_s = max(0.0, at.now_s - at_s)
    return at_s, utc(datetime.fromisoformat(at.time).timestamp() - waited_s) if waited_s else at.time

"""Table end: reads into a table's session, and all that comes of them, to be compared."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec
from sabot_gateway.screens.hand import hand_message
from sabot_gateway.screens.history import history_message
from sabot_gateway.table_session import TableSession
from sabot_protocol.table_states import HandMessage, HistoryMessage
from sabot_protocol.topics import AlarmsMessage
from sabot_service.moment import Moment, utc

from fuzzing.reads import parts

_START_S = 1_790_000_000.0


class Segment(NamedTuple):
    """Bytes that come so many seconds after those before."""

    after_s: float
    data: bytes


def split(segments: Iterable[Segment]) -> Iterator[Segment]:
    """Yield the same bytes at the same times, in small reads."""
    for one in segments:
        for at, part in enumerate([*parts(one.data)] or [b""]):
            yield Segment(0.0 if at else one.after_s, part)


def played(session: TableSession, reads: Iterable[Segment]) -> object:
    """Return entries, alarms, incidents, screens and counters after these reads, each stored as the loop does."""
    entries, now_s = list[object](), 0.0
    for read in reads:
        now_s += read.after_s
        at = Moment(now_s, utc(_START_S + now_s))
        session.receive(read.data, now_s, at.time)
        entries += session.pending
        session.stored(at)
        session.link.tick(now_s)
        session.link.written(len(session.link.output()))
    return entries, _shown(session, utc(_START_S + now_s)), session.link.line_counters()


def _shown(session: TableSession, time: str) -> object:
    """Return what is published of the table; each message can be read again by its own definition."""
    verifier, screens = session.verifier, session.screens
    hand = msgspec.json.encode(hand_message("bac-01", verifier, screens, session.fault_fields(), time))
    history = msgspec.json.encode(history_message("bac-01", verifier, screens, time))
    alarms = session.alarms(time)
    msgspec.json.decode(hand, type=HandMessage)
    msgspec.json.decode(history, type=HistoryMessage)
    msgspec.json.decode(alarms, type=AlarmsMessage)
    incidents = [incident.id for incident in session.incidents.open()]
    disputed = [coup.id for coup in verifier.disputed()]
    return hand, history, alarms, incidents, disputed, session.concern(), session.fault

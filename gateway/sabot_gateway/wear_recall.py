"""Recall: the wear of a table's last shoes, from the ledger; without it every restart would forget the trend."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

import msgspec
from sabot_protocol.codec import CodecError
from sabot_protocol.topics import ShoeMessage

from sabot_gateway.angel_eye.events import is_unit
from sabot_gateway.forecast.series import MOST_SHOES
from sabot_gateway.ledger import Ledger, Stored
from sabot_gateway.shoe import parse
from sabot_gateway.shoe.parse import Event

_MOST_BETWEEN = 200  # events between the end of a shoe and the opening of the next
# What a unit logged before its entry ?1, back to the end of the shoe before.
_BEFORE = """WITH RECURSIVE log (at, what, bytes, earlier) AS (
    SELECT seq, '', frame, before FROM entries WHERE seq = ?1
    UNION ALL SELECT seq, topic, frame, before FROM log CROSS JOIN entries ON seq = earlier WHERE what <> 'shoe'
    LIMIT ?2)
    SELECT bytes FROM log WHERE at <> ?1 AND length(bytes) > 0 ORDER BY at"""


def wear_events(ledger: Ledger, table: str) -> list[Event]:
    """Return what sensors and controllers logged after the last shoes of a table, the oldest first."""
    openings = [entry for entry in islice(ledger.newest_shoes(table), 2 * MOST_SHOES) if _is_opening(entry)]
    return [event for entry in reversed(openings) for event in _logged_before(ledger, entry)]


def _is_opening(entry: Stored) -> bool:
    if is_unit(entry.unit):
        return False  # an Angel Eye measures nothing
    try:
        return msgspec.json.decode(entry.payload, type=ShoeMessage).state == "open"
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return False


def _logged_before(ledger: Ledger, opening: Stored) -> Iterator[Event]:
    for (frame,) in ledger.query(_BEFORE, opening.seq, _MOST_BETWEEN):
        with suppress(CodecError):  # of another release
            event = parse.event(opening.unit, parse.frame(bytes(frame)))
            if event.kind in ("sensor", "health"):
                yield event

"""Opening: the incidents that were open before anybody was to be notified, from the tables of the floor's store."""

import msgspec
from sabot_protocol.topics import IncidentMessage, Step

from sabot_floor.notify.state import MOST_WATCHED
from sabot_floor.projection.reading import Reading
from sabot_floor.projection.rows import Incident
from sabot_floor.store import Store

_steps = msgspec.json.Decoder(list[Step])


def open_incidents(store: Store) -> list[IncidentMessage]:
    """Return the incidents that are open now, as their newest messages have them, oldest first."""
    return [_message(row) for row in Reading(store).open_incidents()[:MOST_WATCHED]]


def _message(row: Incident) -> IncidentMessage:
    return IncidentMessage(
        id=row.incident,
        unit=row.unit,
        event_no=0,
        table=row.table,
        shoe=row.shoe,
        coup=row.coup,
        time=row.time,
        rulebook="",
        entry=row.entry,
        incident=row.incident,
        kind=row.kind,
        state="open",
        say=row.say,
        clause=row.clause,
        opened=row.opened,
        steps=_steps.decode(row.steps),
    )

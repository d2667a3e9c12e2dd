"""Opening: incidents in the store that nobody was notified of: from before the start, or from a rebuild."""

import msgspec
from sabot_protocol.topics import IncidentMessage, Step

from sabot_floor.notify.state import MOST_WATCHED, State, key
from sabot_floor.projection.reading import Reading
from sabot_floor.store import Store
from sabot_floor.store.rows import Incident

_steps = msgspec.json.Decoder(list[Step])
_facts = msgspec.json.Decoder(dict[str, str | int | bool])
_OLDEST_OPEN = (
    "SELECT \"table\", incident, entry, time FROM incidents WHERE state = 'open' ORDER BY opened, gateway, incident "
    f"LIMIT {MOST_WATCHED}"
)


def unknown_incidents(store: Store, state: State) -> list[IncidentMessage]:
    """Return the incidents that are newer in the store than in the state, oldest first; those that are closed too.

    A rebuild changes them without a message. At most as many new ones as the state has room for.
    """
    room = MOST_WATCHED - len(state.watched)
    versions = {
        key(table, own_id): (int(entry), str(time)) for table, own_id, entry, time in store.select(_OLDEST_OPEN)
    }
    changed, new = list[str](), list[str]()
    for own, version in versions.items():
        watched = state.watched.get(own)
        if watched is None and state.closed.get(own, (-1, "")) < version:
            new.append(own)
        elif watched is not None and watched.version < version:
            changed.append(own)
    gone = [own for own in state.watched if own not in versions]
    if not (changed or gone or (new and room > 0)):
        return []
    wanted = {*changed, *gone, *new[: max(room, 0)]}
    rows = Reading(store).incidents_by_id([own.partition(" ")[2] for own in wanted])
    return [_message(row) for row in rows if key(row.table, row.incident) in wanted and _is_newer(row, state)]


def _is_newer(row: Incident, state: State) -> bool:
    watched = state.watched.get(key(row.table, row.incident))
    return watched is None or watched.version < (row.entry, row.time)


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
        state="closed" if row.state == "closed" else "open",
        say=row.say,
        clause=row.clause,
        opened=row.opened,
        facts=_facts.decode(row.facts),
        steps=_steps.decode(row.steps),
    )

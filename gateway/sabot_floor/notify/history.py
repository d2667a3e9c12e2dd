"""History: the newest notices of the log, each with what has become of it."""

import msgspec

from sabot_floor.notify.delivery import Fate
from sabot_floor.notify.notices import Notice
from sabot_floor.store import Store, Stored

LOG = "notifications"
_MOST_READ = 20_000  # entries, for one look


class Row(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A notice: waiting, failed (it is tried again at `next`), sent or given_up, since `changed`."""

    id: str
    state: str
    changed: str
    channel: str
    occasion: str
    subject: str = ""
    attempts: int = 0
    say: str = ""  # the receiver's answer, or the reason
    next: str = ""
    problem: str = ""
    decided: str = ""
    table: str = ""
    alarm: str = ""
    incident: str = ""
    step: str = ""
    to: list[str] = []
    until: str = ""


def sent_about(store: Store, since: str) -> dict[tuple[str, str, str], list[str]]:
    """Return what was sent about steps from a time on: by table, incident and step; time, channel and answer.

    An entry of an earlier release has no table: its notice has it.
    """
    found: dict[tuple[str, str, str], list[str]] = {}
    tables: dict[str, str] = {}  # by notice
    for entry in store.entries(LOG, _first_since(store, since)):
        if entry.kind == "decided":
            tables[entry.id] = msgspec.json.decode(entry.payload, type=Notice).table
        elif entry.kind == "sent" and entry.time >= since:
            fate = msgspec.json.decode(entry.payload, type=Fate)
            if fate.incident and fate.to:
                line = f"{entry.time} {fate.channel}, {fate.occasion}: {fate.say}"
                about = fate.table or tables.get(entry.id, ""), fate.incident, fate.step
                found.setdefault(about, []).append(line)
    return found


def _first_since(store: Store, since: str) -> int:
    """Return the number before the first entry since a time, wherever later ones lie; the newest if there is none."""
    query = "SELECT min(seq + 0), max(seq + 0) FROM entries WHERE log = ?"
    first = store.select(f"{query} AND time >= ?", (LOG, since))[0][0]
    return int(first) - 1 if first is not None else int(store.select(query, (LOG,))[0][1] or 0)


def newest(store: Store, count: int) -> list[Row]:
    """Return the notices that changed last, oldest change first."""
    head = store.head(LOG)
    rows: dict[str, Row] = {}
    first = max(head.seq - _MOST_READ, 0) if head is not None else 0
    for entry in store.entries(LOG, first):
        row = _changed(rows.pop(entry.id, None), entry)
        rows[entry.id] = row
    return list(rows.values())[-count:]


def _changed(row: Row | None, entry: Stored) -> Row:
    if entry.kind == "decided":
        return _decided(msgspec.json.decode(entry.payload, type=Notice), entry.time)
    fate = msgspec.json.decode(entry.payload, type=Fate)
    if row is None:  # decided before the entries that were read
        row = Row(id=entry.id, state="", changed="", channel=fate.channel, occasion=fate.occasion)
        row.table, row.alarm, row.incident, row.step, row.to = (
            fate.table,
            fate.alarm,
            fate.incident,
            fate.step,
            fate.to,
        )
    row.state, row.changed, row.attempts, row.say = entry.kind, entry.time, fate.attempt, fate.say
    row.next, row.problem = fate.next, fate.problem
    return row


def _decided(notice: Notice, time: str) -> Row:
    return Row(
        id=notice.id,
        state="waiting",
        changed=time,
        channel=notice.channel,
        occasion=notice.occasion,
        subject=notice.subject,
        decided=time,
        table=notice.table,
        alarm=notice.alarm,
        incident=notice.incident,
        step=notice.step,
        to=notice.to,
        until=notice.until,
    )

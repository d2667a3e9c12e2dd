"""Derived: shoes, coups, alarms, incidents and what concerns jackpots as tables, computed from the entries alone."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from sabot_protocol.topics import JACKPOT

from sabot_gateway.ledger.chain import Entry, Stored
from sabot_gateway.ledger.inserts import Insert, places

NAMES: tuple[str, ...] = (
    "shoes",
    "coups",
    "alarms",
    "increments",
    "recorded_wins",
    "stakes",
    "jackpot_parameters",
    "incidents",
)
TABLES: tuple[str, ...] = (
    """CREATE TABLE shoes (
    table_name TEXT, unit TEXT, shoe INTEGER, opened TEXT, closed TEXT, decks INTEGER, card_set INTEGER, burn TEXT,
    coups INTEGER, opened_seq INTEGER, seq INTEGER, PRIMARY KEY (table_name, unit, shoe)) WITHOUT ROWID""",
    """CREATE TABLE coups (
    id TEXT UNIQUE, table_name TEXT, unit TEXT, shoe INTEGER, coup INTEGER, time TEXT, kind TEXT, status TEXT,
    winner TEXT, player TEXT, banker TEXT, player_points INTEGER, banker_points INTEGER, player_pair INTEGER,
    banker_pair INTEGER, natural INTEGER, last_coup INTEGER, rulebook TEXT, corrects TEXT, corrected_by TEXT,
    said_by TEXT, clause TEXT, confirmed TEXT, seq INTEGER PRIMARY KEY)""",
    "CREATE INDEX disputed ON coups (table_name, seq) WHERE status = 'disputed' AND corrected_by = ''",
    """CREATE TABLE alarms (
    alarm TEXT PRIMARY KEY, table_name TEXT, shoe INTEGER, coup INTEGER, name TEXT, severity TEXT, state TEXT,
    raised TEXT, last TEXT, said_by TEXT, say TEXT, clause TEXT, raised_seq INTEGER, seq INTEGER) WITHOUT ROWID""",
    "CREATE INDEX active ON alarms (table_name, raised_seq) WHERE state <> 'cleared'",
    "CREATE INDEX alarms_by_entry ON alarms (raised_seq)",
    """CREATE TABLE increments (
    id TEXT UNIQUE, table_name TEXT, jackpot TEXT, unit TEXT, shoe INTEGER, coup INTEGER, time TEXT, coup_id TEXT,
    kind TEXT, amount INTEGER, currency TEXT, count INTEGER, total INTEGER, carry TEXT, parameters TEXT,
    outcome TEXT, reverses TEXT, reversed_by TEXT, seq INTEGER PRIMARY KEY)""",
    "CREATE INDEX increments_of_a_table ON increments (table_name, jackpot, seq)",
    "CREATE INDEX increments_of_a_coup ON increments (coup_id)",
    """CREATE TABLE recorded_wins (
    id TEXT UNIQUE, table_name TEXT, jackpot TEXT, shoe INTEGER, coup INTEGER, coup_id TEXT, outcome TEXT,
    recorded TEXT, said_by TEXT, seq INTEGER PRIMARY KEY)""",
    """CREATE TABLE stakes (
    id TEXT UNIQUE, table_name TEXT, shoe INTEGER, coup INTEGER, said_by TEXT, seq INTEGER PRIMARY KEY)""",
    "CREATE INDEX stakes_of_a_table ON stakes (table_name, seq)",
    "CREATE TABLE jackpot_parameters (jackpot TEXT, digest TEXT, time TEXT, seq INTEGER PRIMARY KEY)",
    """CREATE TABLE incidents (
    incident TEXT PRIMARY KEY, table_name TEXT, unit TEXT, shoe INTEGER, coup INTEGER, kind TEXT, state TEXT,
    opened TEXT, last TEXT, said_by TEXT, alarm TEXT, coup_id TEXT, late INTEGER, say TEXT, clause TEXT,
    opened_seq INTEGER, seq INTEGER) WITHOUT ROWID""",
    "CREATE INDEX open_incidents ON incidents (table_name, opened_seq) WHERE state = 'open'",
    "CREATE INDEX incidents_by_entry ON incidents (table_name, opened_seq)",
)

# The first message about a shoe makes its row, and each later one changes its own part.
_SHOE_CHANGED = " ON CONFLICT DO UPDATE SET seq = excluded.seq, "
_SHOE = f"INSERT INTO shoes VALUES {places(11)}{_SHOE_CHANGED}"
_OPENED = (
    _SHOE + "opened = excluded.opened, decks = excluded.decks, card_set = excluded.card_set, burn = excluded.burn, "
    "opened_seq = excluded.opened_seq"
)
_CLOSED = _SHOE + "closed = excluded.closed"
COUNTS = Insert(
    "INSERT INTO shoes", "(?, ?, ?, '', '', 0, 0, '', ?, ?, ?)", _SHOE_CHANGED + "coups = coups + excluded.coups"
)
COUNTED = COUNTS.one_row
COUPS = Insert("INSERT OR IGNORE INTO coups", places(24))
COUP = COUPS.one_row
_CORRECTED = "UPDATE coups SET corrected_by = ? WHERE id = ?"
CONFIRMED = "UPDATE coups SET confirmed = ? WHERE id = ?"  # the id of the message on `confirmed`
_ALARM = (
    f"INSERT INTO alarms VALUES {places(14)} ON CONFLICT DO UPDATE SET severity = excluded.severity, "
    "state = excluded.state, last = excluded.last, said_by = excluded.said_by, say = excluded.say, "
    "clause = excluded.clause, seq = excluded.seq"
)
_INCREMENT = f"INSERT OR IGNORE INTO increments VALUES {places(19)}"
_REVERSED = "UPDATE increments SET reversed_by = ? WHERE id = ?"
_RECORDED = f"INSERT OR IGNORE INTO recorded_wins VALUES {places(10)}"
_STAKES = "INSERT OR IGNORE INTO stakes VALUES (?, ?, ?, ?, ?, ?)"
_INCIDENT = (
    f"INSERT INTO incidents VALUES {places(17)} ON CONFLICT DO UPDATE SET state = excluded.state, "
    "last = excluded.last, coup_id = excluded.coup_id, late = excluded.late, seq = excluded.seq"
)
_PARAMETERS = "INSERT INTO jackpot_parameters VALUES (?, ?, ?, ?)"

_RECORDED_TOPIC = "/recorded"  # ends the topic of a recorded win
_Whole = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]  # as SQLite holds it
Values = tuple[Any, ...]
Change = tuple[str, Values]  # a statement and its values
Select = Callable[[str, tuple[Any, ...]], Iterable[Stored]]  # entries by a WHERE clause


class _Common(msgspec.Struct, kw_only=True, frozen=True):
    """Of every message, what the tables need; a field that older releases did not have gets a default."""

    id: str
    unit: str
    table: str
    shoe: int
    coup: int
    time: str
    by: str = ""
    clause: str = ""


class _Shoe(_Common, frozen=True):
    state: str
    decks: int
    card_set: int
    burn: str


class _Coup(_Common, frozen=True):
    rulebook: str
    kind: str
    status: str
    winner: str | None
    player: list[str]
    banker: list[str]
    player_points: int
    banker_points: int
    player_pair: bool
    banker_pair: bool
    natural: bool
    last_coup: bool
    corrects: str = ""


class _Confirmed(_Common, frozen=True):
    coup_id: str


class _Alarm(_Common, frozen=True):
    name: str
    say: str
    alarm: str = ""
    severity: str = "warning"
    state: str = "raised"


class _Increment(_Common, frozen=True):
    jackpot: str
    coup_id: str
    kind: str
    amount: _Whole
    currency: str
    count: _Whole
    total: _Whole
    parameters: str
    carry: str = "0"
    trigger: str = ""
    reverses: str = ""


class _Recorded(_Common, frozen=True):
    jackpot: str
    coup_id: str
    outcome: str
    at: str


class _Step(msgspec.Struct, frozen=True):
    late: bool = False


class _Incident(_Common, frozen=True):
    incident: str
    kind: str
    state: str
    say: str
    opened: str
    alarm: str = ""
    coup_id: str = ""
    steps: tuple[_Step, ...] = ()


class _Parameters(msgspec.Struct, frozen=True):
    jackpot: str
    digest: str
    time: str


def _shoe(seq: int, message: _Shoe) -> list[Change]:
    opened = message.state == "open"
    times = (message.time, "") if opened else ("", message.time)
    row = (
        message.table,
        message.unit,
        message.shoe,
        *times,
        message.decks,
        message.card_set,
        message.burn,
        0,
        seq,
        seq,
    )
    return [(_OPENED if opened else _CLOSED, row)]


def _coup(seq: int, message: _Coup) -> list[Change]:
    row = (
        message.id, message.table, message.unit, message.shoe, message.coup, message.time, message.kind, message.status,
        message.winner or "", " ".join(message.player), " ".join(message.banker), message.player_points,
        message.banker_points, +message.player_pair, +message.banker_pair, +message.natural, +message.last_coup,
        message.rulebook, message.corrects, "", message.by, message.clause, "", seq,
    )  # fmt: skip  # `+` makes a bool a number, for Python's sqlite3 takes a bool by a detour
    if message.corrects:
        return [(COUP, row), (_CORRECTED, (message.id, message.corrects))]
    return [(COUP, row), (COUNTED, (message.table, message.unit, message.shoe, 1, seq, seq))]


def _confirmed(seq: int, message: _Confirmed) -> list[Change]:
    return [(CONFIRMED, (message.id, message.coup_id))]


def _alarm(seq: int, message: _Alarm) -> list[Change]:
    start = (
        message.alarm or message.id,
        message.table,
        message.shoe,
        message.coup,
        message.name,
        message.severity,
        message.state,
    )
    return [(_ALARM, (*start, message.time, message.time, message.by, message.say, message.clause, seq, seq))]


def _increment(seq: int, message: _Increment) -> list[Change]:
    where = (message.unit, message.shoe, message.coup, message.time, message.coup_id, message.kind)
    sums = (message.amount, message.currency, message.count, message.total, message.carry, message.parameters)
    rest = (message.trigger, message.reverses, "", seq)
    change = (_INCREMENT, (message.id, message.table, message.jackpot, *where, *sums, *rest))
    return [change, (_REVERSED, (message.id, message.reverses))] if message.reverses else [change]


def _recorded(seq: int, message: _Recorded) -> list[Change]:
    where = (message.id, message.table, message.jackpot, message.shoe, message.coup, message.coup_id)
    return [(_RECORDED, (*where, message.outcome, message.at, message.by, seq))]


def _stakes(seq: int, message: _Common) -> list[Change]:
    return [(_STAKES, (message.id, message.table, message.shoe, message.coup, message.by, seq))]


def _incident(seq: int, message: _Incident) -> list[Change]:
    where = (message.incident, message.table, message.unit, message.shoe, message.coup, message.kind, message.state)
    cause = (message.opened, message.time, message.by, message.alarm, message.coup_id)
    late = sum(step.late for step in message.steps)
    return [(_INCIDENT, (*where, *cause, late, message.say, message.clause, seq, seq))]


def _parameters(seq: int, message: _Parameters) -> list[Change]:
    return [(_PARAMETERS, (message.jackpot, message.digest, message.time, seq))]


_TOPICS: dict[str, tuple[Any, Callable[[int, Any], list[Change]]]] = {
    "shoe": (msgspec.json.Decoder(_Shoe), _shoe),
    "coup": (msgspec.json.Decoder(_Coup), _coup),
    "confirmed": (msgspec.json.Decoder(_Confirmed), _confirmed),
    "alarm": (msgspec.json.Decoder(_Alarm), _alarm),
    "stakes": (msgspec.json.Decoder(_Common), _stakes),
    "incident": (msgspec.json.Decoder(_Incident), _incident),
    "jackpot_parameters": (msgspec.json.Decoder(_Parameters), _parameters),
}
_OF_A_JACKPOT = (msgspec.json.Decoder(_Increment), _increment), (msgspec.json.Decoder(_Recorded), _recorded)


# The entries that the tables are computed from.
SOURCES = (
    f"WHERE topic IN ({', '.join(repr(topic) for topic in _TOPICS)}) "
    f"OR (topic >= '{JACKPOT}' AND topic < '{JACKPOT[:-1]}{chr(ord(JACKPOT[-1]) + 1)}')"
)


def changes(seq: int, entry: Entry | Stored) -> list[Change]:
    """Return what an entry changes in the tables: nothing, where it is of another kind."""
    return changes_of(seq, entry.topic, entry.payload)


def changes_of(seq: int, topic: str, payload: bytes) -> list[Change]:
    """Return what a message of a topic changes in the tables."""
    if topic in _TOPICS:
        decoder, made_of = _TOPICS[topic]
    elif topic.startswith(JACKPOT):
        decoder, made_of = _OF_A_JACKPOT[topic.endswith(_RECORDED_TOPIC)]
    else:
        return []
    try:
        return made_of(seq, decoder.decode(payload))
    except (msgspec.MsgspecError, UnicodeError, TypeError, RecursionError):  # of a file, which can hold anything
        return []


def changes_of_entries(seq: int, entries: Iterable[Entry]) -> list[Change]:
    """Return what entries change that follow one another, the first of which is `seq`."""
    made = list[Change]()
    for number, (_, _, _, topic, payload, _, _, _) in enumerate(entries, seq):
        if topic in _TOPICS or topic.startswith(JACKPOT):
            made += changes_of(number, topic, payload)
    return made


def apply(db: sqlite3.Connection, made: list[Change]) -> None:
    """Change the tables: coups at once, then what confirms them, which touches nothing else; the rest in order."""
    coups, confirmed, rest = list[Values](), list[Values](), list[Change]()
    for change in made:
        statement, values = change
        if statement is COUP:
            coups.append(values)
        elif statement is CONFIRMED:
            confirmed.append(values)
        else:
            rest.append(change)
    COUPS.write(db, coups)
    db.executemany(CONFIRMED, confirmed)
    for statement, alike in groupby(rest, itemgetter(0)):
        rows = [values for _, values in alike]
        if statement is COUNTED:
            COUNTS.write(db, rows)
        else:
            db.executemany(statement, rows)


def trim(db: sqlite3.Connection, seq: int, entries: Select) -> None:
    """Make the tables what they are without the entries up to `seq`; inside a transaction of the caller."""
    rest: list[Stored] = []
    for table, unit, shoe, last in db.execute(_CUT_SHOES, (seq, seq)).fetchall():
        rest += _rest_of_shoe((table, unit, shoe), seq, last, entries)
    for table, alarm, last in db.execute(_CUT_ALARMS, (seq, seq)).fetchall():
        rest += _rest_of_alarm(table, alarm, seq, last, entries)
    for table, incident, last in db.execute(_CUT_INCIDENTS, (seq, seq)).fetchall():
        found = entries(_OF_TABLE.format("'incident'"), (table, seq, last))
        rest += [entry for entry in found if _names(entry, incident=incident)]
    for name, first in (("shoes", "opened_seq"), ("alarms", "raised_seq"), ("incidents", "opened_seq")):
        db.execute(f"DELETE FROM {name} WHERE {first} <= ?", (seq,))
    for name in ("coups", "increments", "recorded_wins", "stakes", "jackpot_parameters"):
        db.execute(f"DELETE FROM {name} WHERE seq <= ?", (seq,))
    for entry in sorted(rest, key=lambda entry: entry.seq):
        apply(db, changes(entry.seq, entry))


_CUT_SHOES = "SELECT table_name, unit, shoe, seq FROM shoes WHERE opened_seq <= ? AND seq > ?"
_CUT_ALARMS = "SELECT table_name, alarm, seq FROM alarms WHERE raised_seq <= ? AND seq > ?"
_CUT_INCIDENTS = "SELECT table_name, incident, seq FROM incidents WHERE opened_seq <= ? AND seq > ?"
_OF_TABLE = "WHERE table_name = ? AND topic = {} AND seq > ? AND seq <= ?"
_COUPS_OF_SHOE = """SELECT seq FROM coups WHERE seq > ? AND seq <= ? AND table_name = ? AND unit = ? AND shoe = ?
    AND corrects = ''"""


def _rest_of_shoe(key: tuple[str, str, int], seq: int, last: int, entries: Select) -> Iterator[Stored]:
    """Yield the entries after `seq` that its row follows from: its coups, and that it was opened or closed."""
    table, unit, shoe = key
    yield from entries(f"WHERE seq IN ({_COUPS_OF_SHOE})", (seq, last, *key))
    for entry in entries(_OF_TABLE.format("'shoe'"), (table, seq, last)):
        if _names(entry, unit=unit, shoe=shoe):
            yield entry


def _rest_of_alarm(table: str, alarm: str, seq: int, last: int, entries: Select) -> Iterator[Stored]:
    for entry in entries(_OF_TABLE.format("'alarm'"), (table, seq, last)):
        if _names(entry, alarm=alarm) or _names(entry, alarm="", id=alarm):
            yield entry


def _names(entry: Stored, **wanted: Any) -> bool:
    """Return True if the entry's message has these values."""
    decoder, _ = _TOPICS[entry.topic]
    try:
        message = decoder.decode(entry.payload)
    except (msgspec.MsgspecError, UnicodeError, TypeError, RecursionError):
        return False
    return all(getattr(message, name) == value for name, value in wanted.items())

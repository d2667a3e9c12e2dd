"""Retention: old entries may be removed; a signed checkpoint replaces them, and the chain goes on from it."""

import hmac
import secrets
import sqlite3
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from sabot_protocol.auth import KEY_BYTES
from sabot_protocol.inputs.secret_file import SecretError, read_key, write_new

from sabot_gateway.ledger.chain import Origin
from sabot_gateway.ledger.errors import LedgerError
from sabot_gateway.ledger.files import sidecar_path
from sabot_gateway.ledger.units import Pruned

_NEVER = 2**62


class Checkpoint(msgspec.Struct, frozen=True):
    """What replaces the entries that were removed, up to and with `seq`."""

    seq: int
    hash: str
    count: int  # removed with this one; a pruning goes in slices
    time: str  # of the last entry removed
    units: dict[str, int]  # the last event number that was held of each unit
    increments: dict[str, tuple[int, int, str]] = {}  # by jackpot/table/currency: count, total, carry of the last one
    parameters: dict[str, str] = {}  # by jackpot: the last entry with its parameters
    shoes: dict[str, int] = {}  # by table/unit of an Angel Eye, which the gateway numbers: its last shoe

    def last_increment(self, jackpot: str, table: str, currency: str) -> tuple[int, int, str] | None:
        """Return count, total and carry of the last increment removed; older files do not name its currency."""
        name = f"{jackpot}/{table}"
        return self.increments.get(f"{name}/{currency}") or self.increments.get(name)


class Plan(msgspec.Struct, frozen=True):
    """Which entries can go, and what keeps the next one."""

    seq: int
    count: int
    kept_by: str


def moment(text: str) -> str:
    """Return a date or time as the ledger writes it."""
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        raise LedgerError(f"{text!r} is not a date; write 2026-01-31, or 2026-01-31T06:00:00Z") from None
    when = when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
    return when.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def plan(db: sqlite3.Connection, before: str, removed: int) -> Plan:
    """Return the longest run of oldest entries that nothing needs. Reads every entry: not for the daemon's loop."""
    values = {"before": before, "angel_eye": _angel_eye()}
    bounds = [(_one(db, query, values), why) for why, query in (_BY_TIME | _NEEDED).items()]
    seq, why = min(bounds, key=lambda bound: bound[0])
    return Plan(max(seq, removed), max(seq - removed, 0), why)


def _angel_eye() -> str:
    """Return how the units of Angel Eye shoes begin, as LIKE takes it."""
    from sabot_protocol.angel_eye.tables import UNIT_PREFIX  # a fifth of the start of `sabot ledger verify`

    return f"{UNIT_PREFIX}%"


_BY_TIME = {
    "of that time or later": "SELECT min(seq) - 1 FROM entries WHERE time >= :before",
    "of a time that is not known to be before": """SELECT ifnull(max(seq), 0) FROM entries
    WHERE time < :before AND time <> ''""",
    # An event that closes one shoe and opens the next has its number and frame in the first of its entries.
    # Nothing closes the shoe of an Angel Eye that is not used any more: after its last card it keeps no entries.
    "of the shoe on a table": """SELECT min(ifnull((SELECT seq FROM entries WHERE seq <= shoe.opened_seq
    AND +unit = shoe.unit AND event_no IS NOT NULL ORDER BY seq DESC LIMIT 1), opened_seq)) - 1
    FROM shoes AS shoe WHERE closed = ''
    AND (unit NOT LIKE :angel_eye OR ifnull((SELECT time FROM entries WHERE unit = shoe.unit AND topic = 'cards'
    ORDER BY seq DESC LIMIT 1), opened) >= :before) AND NOT EXISTS
    (SELECT 1 FROM shoes WHERE table_name = shoe.table_name AND opened_seq > shoe.opened_seq)""",
}
_NEEDED = {
    "not yet published": """SELECT ifnull(min(seq), 0) FROM cursors WHERE EXISTS
    (SELECT 1 FROM cursors WHERE name = 'mqtt')""",
    "of an alarm that is not cleared": "SELECT min(raised_seq) - 1 FROM alarms WHERE state <> 'cleared'",
    "of an open incident": "SELECT min(opened_seq) - 1 FROM incidents WHERE state = 'open'",
    "of a disputed coup": """SELECT min(ifnull((SELECT seq FROM coups WHERE id = disputed.corrects), seq)) - 1
    FROM coups AS disputed WHERE status = 'disputed' AND corrected_by = ''""",
}


def _one(db: sqlite3.Connection, query: str, values: dict[str, str]) -> int:
    found = db.execute(query, values).fetchone()[0]
    return _NEVER if found is None else int(found)


def remove(db: sqlite3.Connection, seq: int, removed: int, key: bytes) -> None:
    """Put a checkpoint in the place of the entries up to `seq`; inside a transaction of the caller."""
    digest, time = db.execute("SELECT hash, time FROM entries WHERE seq = ?", (seq,)).fetchone()
    before = checkpoint(db)
    units = dict(before.units) if before else {}
    for unit, event_no in db.execute(
        "SELECT unit, max(event_no) FROM entries WHERE seq <= ? AND event_no IS NOT NULL GROUP BY unit", (seq,)
    ):
        units[unit] = max(event_no, units.get(unit, 0))
    jackpots = _jackpots(db, seq, before)
    shoes = {**(before.shoes if before else {}), **dict(db.execute(_LAST_SHOES, (_angel_eye(), seq)))}
    made = msgspec.json.encode(Checkpoint(seq, digest.hex(), seq - removed, time, units, *jackpots, shoes))
    signature = hmac.digest(key, made, "sha256")
    db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", [("checkpoint", made), ("signature", signature)])
    db.execute("DELETE FROM entries WHERE seq <= ?", (seq,))


def _jackpots(
    db: sqlite3.Connection, seq: int, before: Checkpoint | None
) -> tuple[dict[str, tuple[int, int, str]], dict[str, str]]:
    """Return what must outlive the entries up to `seq`: the last counts of each table, the last parameters."""
    counts, parameters = (dict(before.increments), dict(before.parameters)) if before else ({}, {})
    for jackpot, table, currency, *counted, _ in db.execute(_LAST_INCREMENTS, (seq,)):
        counts.pop(f"{jackpot}/{table}", None)
        counts[f"{jackpot}/{table}/{currency}"] = counted[0], counted[1], counted[2]
    for (payload,) in db.execute(_PARAMETERS, (seq,)):
        with suppress(msgspec.MsgspecError, UnicodeError):  # of a file, which can hold anything
            parameters[msgspec.json.decode(payload, type=_Named).jackpot] = bytes(payload).decode()
    return counts, parameters


class _Named(msgspec.Struct):
    """Whose parameters an entry holds."""

    jackpot: str


_PARAMETERS = (
    "SELECT payload FROM entries WHERE seq IN (SELECT seq FROM jackpot_parameters WHERE seq <= ?) ORDER BY seq"
)
_LAST_SHOES = """SELECT table_name || '/' || unit, max(shoe) FROM shoes
    WHERE unit LIKE ? AND opened_seq <= ? GROUP BY table_name, unit"""
_LAST_INCREMENTS = """SELECT jackpot, table_name, currency, count, total, carry, max(seq) FROM increments WHERE seq <= ?
    GROUP BY jackpot, table_name, currency ORDER BY max(seq)"""


def checkpoint(db: sqlite3.Connection) -> Checkpoint | None:
    """Return the checkpoint that replaces removed entries, or None."""
    made = meta(db, "checkpoint")
    try:
        return msgspec.json.decode(made, type=Checkpoint) if made is not None else None
    except (msgspec.MsgspecError, RecursionError) as error:
        raise LedgerError(f"the checkpoint of its pruned entries cannot be read: {error}") from error


def pruned_units(db: sqlite3.Connection) -> Pruned:
    """Return what the checkpoint has of the units whose entries were removed."""
    made = checkpoint(db)
    return Pruned(made.seq, made.units) if made else Pruned()


def origin(db: sqlite3.Connection, version: int) -> Origin:
    """Return where the chain of a file begins."""
    if version < 2:
        return Origin(second_from=_NEVER)
    pruned, second_from = checkpoint(db), int(meta(db, "second_from") or 0)
    if pruned is None:
        return Origin(second_from=second_from)
    return Origin(pruned.seq, bytes.fromhex(pruned.hash), second_from)


def meta(db: sqlite3.Connection, name: str) -> bytes | None:
    """Return a value of the ledger's own, None where there is none, or no such table."""
    if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone():
        return None
    row = db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
    return row[0] if row else None


def signed(db: sqlite3.Connection, key: bytes) -> bool:
    """Return True if the checkpoint was made with this key."""
    made, signature = meta(db, "checkpoint") or b"", meta(db, "signature") or b""
    return hmac.compare_digest(hmac.digest(key, made, "sha256"), signature)


def key_path(path: Path) -> Path:
    """Return where the key of a ledger's checkpoints is, unless it is kept elsewhere."""
    return sidecar_path(path, "key")


def read(path: Path) -> bytes | None:
    """Return the key in a file, None where there is none."""
    try:
        return read_key(path)
    except SecretError as error:
        raise LedgerError(f"{str(error).split(';')[0]}; put the key of this ledger back, with mode 0600") from None


def make_key(path: Path) -> bytes:
    """Return the ledger's key, made where there is none."""
    found = read(path)
    if found is None:
        found = secrets.token_bytes(KEY_BYTES)
        write_new(path, found.hex().encode() + b"\n")
    return found

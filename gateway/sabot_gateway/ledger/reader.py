"""Reader: a ledger read only, while the daemon writes it or when nobody does."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
from sabot_protocol.topics import is_published

from sabot_gateway.ledger import files, rebuilding, recompute, retention, schema, units
from sabot_gateway.ledger.chain import Origin, Stored
from sabot_gateway.ledger.errors import LedgerError
from sabot_gateway.ledger.heads import ACCEPTED, Accepted

_KIND_AT = 12  # of an event's frame
_OPEN_CASES = "status = 'disputed' AND corrected_by = ''"
_NAMES = {"table_name": "table", "said_by": "by"}  # which are no names in SQL


@contextmanager
def reading() -> Iterator[None]:
    """Raise every error of SQLite as a LedgerError; also a decorator."""
    try:
        yield
    except sqlite3.Error as error:
        raise LedgerError(f"the ledger cannot be read: {error}") from error


class Reader:
    """One file, read only.

    One class because every query shares the connection, the file's version and the handling of its errors.
    """

    _rest: files.Rest | None = None

    def __init__(self, path: Path, rest: files.Rest | None = None) -> None:
        self.path, self._rest = path, rest
        try:
            self._db = files.connect_read_only(path, rest)
            self._learn()
        except LedgerError as error:
            raise type(error)(f"ledger {path}: {error}") from error
        except sqlite3.Error as error:
            raise LedgerError(
                f"ledger {path}: {error}; give the path of the ledger, or put back a copy of it"
            ) from error

    def _learn(self) -> None:
        """Read version and origin of the file."""
        self.version = schema.version(self._db)
        self._columns = schema.columns(self.version)
        self.origin = retention.origin(self._db, self.version)
        self._numbers = units.NO_NUMBERS

    def close(self) -> None:
        """Give the file back."""
        self._db.close()

    @reading()
    def hold(self) -> None:
        """From now on see the ledger as it is at this moment, whatever the daemon adds."""
        self._db.execute("BEGIN")
        self.newest()

    @reading()
    def durable_event_no(self, unit: str) -> int:
        """Return the last event number held of a unit, 0 when there is none."""
        pruned = retention.checkpoint(self._db)
        held = int(self._one("SELECT last_no FROM units WHERE unit = ?", unit) or 0)
        return max(held, pruned.units.get(unit, 0)) if pruned else held

    @reading()
    def frame_of(self, unit: str, event_no: int) -> bytes | None:
        """Return the frame in which an event of a unit came, None where it is not held any more."""
        if not self._numbers.covers(unit, event_no):
            self._numbers = units.numbers(self._db, unit, event_no)
        seq = self._numbers.entries.get(event_no)
        row = self._db.execute("SELECT frame FROM entries WHERE seq = ?", (seq,)).fetchone()
        return bytes(row[0]) if row else None

    @reading()
    def log_of(self, unit: str, event_no: int, table: str = "", most: int = -1) -> list[Stored]:
        """Return the events of a unit from this one on, in order: those of one table, and at most so many."""
        query = units.EVENTS.format(columns=self._columns)
        found = self._db.execute(query, (units.newest(self._db, unit), event_no, table, most))
        return list(map(Stored._make, found))

    @reading()
    def newest_event(self, unit: str, kinds: Sequence[int], within: int) -> bytes | None:
        """Return the frame of the newest event of these kinds among so many last ones of a unit."""
        wanted = [bytes([kind]) for kind in kinds]
        found = self.log_of(unit, self.durable_event_no(unit) - within + 1)
        of_kinds = (bytes(entry.frame) for entry in reversed(found) if entry.frame[_KIND_AT : _KIND_AT + 1] in wanted)
        return next(of_kinds, None)

    def since(self, seq: int, limit: int) -> list[Stored]:
        """Return the entries after `seq`, in order."""
        return list(self._select("WHERE seq > ? ORDER BY seq LIMIT ?", (seq, limit)))

    def this_shoe(self, table: str, most: int = -1) -> list[Stored]:
        """Return the log of a table's shoe from its last opening or closing on, at most so many entries."""
        newest = "SELECT max(seq) FROM entries WHERE table_name = ? AND topic = 'shoe'"
        for change in list(self._select(f"WHERE seq = ({newest})", (table,))):
            # An event that closes one shoe and opens the next has its number in the first of its entries.
            return self.log_of(change.unit, units.number_at(self._db, change.seq), table, most)
        return []

    @reading()
    def newest_shoe_nos(self, table: str) -> dict[str, int]:
        """Return the highest number of a table's shoes, by unit; of an Angel Eye also if its entries are pruned."""
        pruned = retention.checkpoint(self._db)
        known = {name.removeprefix(f"{table}/"): number for name, number in (pruned.shoes if pruned else {}).items()}
        held = self._db.execute("SELECT unit, max(shoe) FROM shoes WHERE table_name = ? GROUP BY unit", (table,))
        return {unit: number for unit, number in known.items() if "/" not in unit} | dict(held)

    @reading()
    def last_shoe(self, table: str, seq: int) -> Stored | None:
        """Return the last entry up to this one that a shoe of a table was opened or closed."""
        last = "WHERE table_name = ? AND topic = 'shoe' AND seq <= ? ORDER BY seq DESC LIMIT 1"
        return next(self._select(last, (table, seq)), None)

    def newest_shoes(self, table: str) -> Iterator[Stored]:
        """Yield the entries that a shoe of a table was opened or closed, the newest first."""
        return self._select("WHERE table_name = ? AND topic = 'shoe' ORDER BY seq DESC", (table,))

    @reading()
    def last_published(self, seq: int) -> int:
        """Return the last entry up to this one that is published, or where the pruned ones end; reads back to it."""
        back = self._db.execute("SELECT seq, topic, table_name FROM entries WHERE seq <= ? ORDER BY seq DESC", (seq,))
        return next((number for number, topic, table in back if is_published(topic, table)), self.origin.seq)

    @reading()
    def day_of_play(self, back: int) -> str | None:
        """Return the date of the day of play `back` days of play ago, or None where there are fewer."""
        days = "SELECT DISTINCT substr(opened, 1, 10) AS day FROM shoes WHERE opened <> ''"
        row = self._db.execute(f"{days} ORDER BY day DESC LIMIT 1 OFFSET ?", (back,)).fetchone()
        return row[0] if row else None

    @reading()
    def active_alarms(self, table: str) -> list[bytes]:
        """Return the last message of each alarm that is not cleared, oldest alarm first."""
        return self._payloads(
            "SELECT seq FROM alarms WHERE table_name = ? AND state <> 'cleared' ORDER BY raised_seq", table
        )

    @reading()
    def incidents(self, table: str, most: int) -> list[bytes]:
        """Return the last message of each open incident and of the newest others, oldest incident first."""
        newest = "SELECT opened_seq FROM incidents WHERE table_name = ? ORDER BY opened_seq DESC LIMIT ?"
        wanted = f"state = 'open' OR opened_seq IN ({newest})"
        return self._payloads(
            f"SELECT seq FROM incidents WHERE table_name = ? AND ({wanted}) ORDER BY opened_seq, incident",
            table, table, most,
        )  # fmt: skip

    @reading()
    def last_coup(self, table: str, shoe: int) -> int | None:
        """Return the number of the last coup of a table's shoe, 0 if it has none; None if there is no such shoe."""
        shoes = self._db.execute(
            "SELECT unit, opened_seq, seq FROM shoes WHERE table_name = ? AND shoe = ?", (table, shoe)
        ).fetchall()
        last = "SELECT max(coup) FROM coups WHERE seq BETWEEN ? AND ? AND table_name = ? AND unit = ? AND shoe = ?"
        places = [(first, seq, table, unit, shoe) for unit, first, seq in shoes]
        return max((self._db.execute(last, place).fetchone()[0] or 0 for place in places), default=None)

    @reading()
    def shoe_numbers(self, table: str) -> tuple[int, int] | None:
        """Return the lowest and the highest number of a table's shoes; None if it has none."""
        row = self._db.execute("SELECT min(shoe), max(shoe) FROM shoes WHERE table_name = ?", (table,)).fetchone()
        return None if row[0] is None else (row[0], row[1])

    @reading()
    def disputed(self, table: str, most: int = -1) -> list[bytes]:
        """Return the message of each coup that nobody has confirmed or voided yet, oldest first; of many the newest."""
        newest = f"SELECT seq FROM coups WHERE table_name = ? AND {_OPEN_CASES} ORDER BY seq DESC LIMIT ?"
        return self._payloads(f"SELECT seq FROM ({newest}) ORDER BY seq", table, most)

    @reading()
    def disputed_count(self, table: str) -> int:
        """Return how many coups nobody has confirmed or voided yet."""
        return int(self._one(f"SELECT count(*) FROM coups WHERE table_name = ? AND {_OPEN_CASES}", table) or 0)

    @reading()
    def confirmed(self, table: str, most: int) -> dict[str, str]:
        """Of disputed coups that were confirmed before, the newest: the id of the message on `confirmed`, by theirs."""
        before = "SELECT id, (SELECT confirmed FROM coups WHERE id = later.corrects) AS earlier FROM coups AS later"
        newest = f"{before} WHERE table_name = ? AND {_OPEN_CASES} ORDER BY seq DESC LIMIT ?"
        return {coup: earlier for coup, earlier in self._db.execute(newest, (table, most)) if earlier}

    def _payloads(self, query: str, *values: Any) -> list[bytes]:
        return [self._payload(seq) for (seq,) in self._db.execute(query, values).fetchall()]

    def _payload(self, seq: int) -> bytes:
        row = self._db.execute("SELECT payload FROM entries WHERE seq = ?", (seq,)).fetchone()
        if row is None:
            raise LedgerError(
                f"entry {seq} is not there, though a derived table has it; `sabot ledger verify` lists what is wrong"
            )
        return bytes(row[0])

    @reading()
    def query(self, query: str, *values: str | int) -> list[Any]:
        """Return the rows of a query."""
        return self._db.execute(query, values).fetchall()

    @reading()
    def cursor(self, name: str) -> int:
        """Return how far a reader has come."""
        return int(self._one("SELECT seq FROM cursors WHERE name = ?", name) or 0)

    def _one(self, query: str, value: str) -> int | None:
        row = self._db.execute(query, (value,)).fetchone()
        return row[0] if row else None

    @reading()
    def count(self, name: str = "entries") -> int:
        """Return how many rows a table has; entries are not counted, for their numbers have no gap."""
        if name == "entries" or not self.version:
            return max(self.span(), 0)
        return int(self._db.execute(f"SELECT count(*) FROM {name}").fetchone()[0])

    @reading()
    def span(self) -> int:
        """Return how many entries there are between the first and the last, without counting them."""
        return self.newest()[0] - self.origin.seq

    def entries(self, where: str = "", values: tuple[Any, ...] = ()) -> Iterator[Stored]:
        """Entries in order, all or those of a WHERE clause."""
        return self._select(f"{where} ORDER BY seq", values) if self.version else iter(())

    def latest(self, table: str | None = None) -> Iterator[Stored]:
        """Entries from the newest back, all or those of one table."""
        where, values = ("WHERE table_name = ?", (table,)) if table else ("", ())
        return self._select(f"{where} ORDER BY seq DESC", values) if self.version else iter(())

    def _select(self, clauses: str, values: tuple[Any, ...]) -> Iterator[Stored]:
        with reading():
            yield from map(Stored._make, self._db.execute(f"SELECT {self._columns} FROM entries {clauses}", values))

    def rows(self, name: str) -> Iterator[dict[str, Any]]:
        """Yield one derived table, each row by the names that messages use."""
        first = schema.WITH_TIMES if name in ("shoes", "coups", "alarms") else schema.WITH_JACKPOTS
        first = schema.WITH_INCIDENTS if name == "incidents" else first
        if self.version < first:
            raise LedgerError(
                f"ledger {self.path} is of version {self.version} and has no table {name}; "
                f"`sabot ledger rebuild {self.path}` brings it to version {schema.VERSION}"
            )
        return self._rows(name)

    def _rows(self, name: str) -> Iterator[dict[str, Any]]:
        with reading():
            found = self._db.execute(f"SELECT * FROM {name} ORDER BY seq")
            names = [_NAMES.get(column[0], column[0]) for column in found.description]
            yield from (dict(zip(names, row, strict=True)) for row in found)

    @reading()
    def newest(self) -> tuple[int, bytes]:
        """Return the last entry's number and hash, or those of what was pruned."""
        last = "SELECT seq, hash FROM entries ORDER BY seq DESC LIMIT 1"
        row = self._db.execute(last).fetchone() if self.version else None
        return row or (self.origin.seq, self.origin.hash)

    def ranges(self) -> Iterator[recompute.Range]:
        """Yield ranges of entries, in order, that are the whole ledger."""
        return recompute.ranges(self.origin.seq, self.newest()[0])

    @reading()
    def follow(self, part: recompute.Range) -> units.Run:
        """Recompute the hashes of a range; an error names the first bad entry."""
        head = self.hash_of(part.after)
        if head is None:
            raise LedgerError(f"entry {part.after} is missing: the chain breaks there")
        before = "before" if self.version == schema.VERSION else "0"
        behind = "" if part.after == self.origin.seq else f"seq > {part.after} AND"  # nothing is before the first one
        query = f"SELECT {self._columns}, {before} FROM entries WHERE {behind} seq <= ? ORDER BY seq"
        rows = self._db.execute(query, (part.last,))
        return recompute.follow(rows, Origin(part.after, head, self.origin.second_from), part.last)

    def verify_chain(self) -> int:
        """Recompute every hash; the number of entries, or an error that names the first bad one."""
        return sum(self.follow(part).entries for part in self.ranges())

    def verify_newest(self, count: int) -> None:
        """Recompute the hashes of the newest entries; an error names the first bad one."""
        newest = self.newest()[0]
        self.follow(recompute.Range(max(newest - count, self.origin.seq), newest))

    @reading()
    def hash_of(self, seq: int) -> bytes | None:
        """Return the hash of an entry, or of the last that was pruned; None where it is not there."""
        if seq == self.origin.seq:
            return self.origin.hash
        row = self._db.execute("SELECT hash FROM entries WHERE seq = ?", (seq,)).fetchone()
        return row[0] if row else None

    @reading()
    def gateway(self) -> str:
        """Return the id of the gateway that writes this ledger, empty where it has none yet."""
        found = retention.meta(self._db, "gateway") if self.version else None
        return bytes(found).hex() if found else ""

    @reading()
    def accepted(self) -> list[Accepted]:
        """Return what people accepted of a ledger that was made shorter."""
        found = []
        for entry in self.entries(f"WHERE topic = '{ACCEPTED}'"):
            with suppress(msgspec.MsgspecError, UnicodeError, TypeError):  # of a file, which can hold anything
                found.append(msgspec.json.decode(entry.payload, type=Accepted))
        return found

    @reading()
    def lost_after(self, unit: str) -> int:
        """Return how many entries that people accepted as lost may have come after the newest one of a unit."""
        newest = units.newest(self._db, unit)
        return sum(one.count() for one in self.accepted() if one.after >= newest)

    @reading()
    def cursor_problems(self, kept: Mapping[str, int]) -> dict[str, tuple[int, str]]:
        """Return by cursor its entry and what is wrong with it, or nothing; `kept` is what the head beside it has."""
        if self.version < schema.WITH_CURSOR_HASH:
            return {}
        rows = self._db.execute("SELECT name, seq, hash FROM cursors ORDER BY name").fetchall()
        found = {name: (seq, self._cursor_problem(name, seq, digest)) for name, seq, digest in rows}
        for name in kept.keys() - found.keys():
            found[name] = 0, f"the cursor {name} is missing: the head beside the ledger has it at entry {kept[name]}"
        return found

    def _cursor_problem(self, name: str, seq: int, digest: bytes) -> str:
        if seq in (0, self.origin.seq) and not digest:
            return ""
        expected = self.hash_of(seq)
        if expected == digest and expected is not None:
            return ""
        where = "there is no such entry" if expected is None else "it was not put there by the gateway"
        return f"the cursor {name} is at entry {seq}, but {where}"

    @reading()
    def verify_structure(self) -> None:
        """SQLite's own check of pages, tables and indexes."""
        found = self._db.execute("PRAGMA integrity_check(1)").fetchone()[0]
        if found != "ok":
            raise LedgerError(f"SQLite finds it malformed: {found}")

    @reading()
    def derived_difference(self) -> str | None:
        """Return where a derived table is not what the entries give."""
        return self.units_difference() or self.tables_difference()

    @reading()
    def units_difference(self, runs: Iterable[units.Run] | None = None) -> str | None:
        """Return where the logs of the units are not what the entries give; with all runs only the runs are read."""
        if self.version != schema.VERSION:
            return None
        pruned = retention.pruned_units(self._db)
        return units.difference(self._db, pruned) if runs is None else units.difference_by_runs(self._db, pruned, runs)

    @reading()
    def tables_difference(self) -> str | None:
        """Return where shoes, coups, alarms or another table about play is not what the entries give."""
        if self.version != schema.VERSION:
            return None
        return rebuilding.difference(self.path, self._rest)

    @reading()
    def schema_difference(self) -> str | None:
        """Return where tables, indexes, triggers and views are not those of a ledger."""
        return schema.difference(self._db)

    @reading()
    def plan(self, before: str) -> retention.Plan:
        """Return which entries are older and needed by nobody. Reads every entry."""
        return retention.plan(self._db, retention.moment(before), self.origin.seq)

    @reading()
    def pruned(self) -> retention.Checkpoint | None:
        """Return the checkpoint that replaces entries that were pruned, or None."""
        return retention.checkpoint(self._db) if self.version >= schema.WITH_TIMES else None

    @reading()
    def checkpoint_bytes(self) -> tuple[bytes, bytes]:
        """Return the checkpoint of a pruning as it was signed, and its signature; empty where nothing was pruned."""
        found = dict(self._db.execute("SELECT name, value FROM meta WHERE name IN ('checkpoint', 'signature')"))
        return found.get("checkpoint", b""), found.get("signature", b"")

    @reading()
    def cursors(self) -> dict[str, int]:
        """Return how far each reader has come."""
        return dict(self._db.execute("SELECT name, seq FROM cursors ORDER BY name"))

    @reading()
    def unsigned_checkpoint(self, key: bytes | None) -> str | None:
        """Return what is wrong with the signature of the pruning checkpoint; None if nothing is, or without a key."""
        if key is None or self.pruned() is None or retention.signed(self._db, key):
            return None
        return "the checkpoint of its pruned entries is not signed by this key: it was changed, or the key is another"

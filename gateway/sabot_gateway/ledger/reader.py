"""Reader: the ledger as others may look at it, while the daemon writes or when nobody does."""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from sabot_gateway.ledger import chain, derived, retention, schema
from sabot_gateway.ledger.chain import LedgerError, Stored
from sabot_gateway.ledger.sums import beside

_NAMES = {"table_name": "table", "said_by": "by"}  # which are no names in SQL


class Reader:
    """One file, read only."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._db = _connect(path)
            self._learn()
        except LedgerError as error:
            raise type(error)(f"ledger {path}: {error}") from error
        except sqlite3.Error as error:
            raise LedgerError(f"ledger {path}: {error}") from error

    def _learn(self) -> None:
        """What the file says of itself."""
        self.version = schema.version(self._db)
        self._columns = schema.columns(self.version)
        self.origin = retention.origin(self._db, self.version)

    def close(self) -> None:
        """Give the file back."""
        self._db.close()

    def hold(self) -> None:
        """From now on see the ledger as it is at this moment, whatever the daemon adds."""
        self._db.execute("BEGIN")
        self.newest()

    def durable_event_no(self, unit: str) -> int:
        """The last event number held of a unit, 0 when there is none."""
        pruned = retention.checkpoint(self._db)
        held = int(self._one("SELECT max(event_no) FROM entries WHERE unit = ?", unit) or 0)
        return max(held, pruned.units.get(unit, 0)) if pruned else held

    def since(self, seq: int, limit: int) -> list[Stored]:
        """The entries after `seq`, in order."""
        return list(self._select("WHERE seq > ? ORDER BY seq LIMIT ?", (seq, limit)))

    def this_shoe(self, table: str) -> list[Stored]:
        """What the shoe of a table has said since it was last opened or closed, that word included."""
        newest = "SELECT max(seq) FROM entries WHERE table_name = ? AND topic = 'shoe'"
        for word in list(self._select(f"WHERE seq = ({newest})", (table,))):
            since = (word.unit, word.event_no, table)
            return list(self._select("WHERE unit = ? AND event_no >= ? AND table_name = ? ORDER BY event_no", since))
        return []

    def day_of_play(self, back: int) -> str | None:
        """The date of the newest day but so many on which a shoe was opened; None where there are not so many."""
        days = "SELECT DISTINCT substr(opened, 1, 10) AS day FROM shoes WHERE opened <> ''"
        row = self._db.execute(f"{days} ORDER BY day DESC LIMIT 1 OFFSET ?", (back,)).fetchone()
        return row[0] if row else None

    def active_alarms(self, table: str) -> list[bytes]:
        """The last message of each alarm that is not cleared, oldest alarm first."""
        return self._payloads(
            "SELECT seq FROM alarms WHERE table_name = ? AND state <> 'cleared' ORDER BY raised_seq", table
        )

    def disputed(self, table: str) -> list[bytes]:
        """The message of each coup that nobody has confirmed or voided yet, oldest first."""
        open_cases = "status = 'disputed' AND corrected_by = ''"
        return self._payloads(f"SELECT seq FROM coups WHERE table_name = ? AND {open_cases} ORDER BY seq", table)

    def _payloads(self, query: str, table: str) -> list[bytes]:
        found = [seq for (seq,) in self._db.execute(query, (table,)).fetchall()]
        return [self._db.execute("SELECT payload FROM entries WHERE seq = ?", (seq,)).fetchone()[0] for seq in found]

    def cursor(self, name: str) -> int:
        """How far a reader has come."""
        return int(self._one("SELECT seq FROM cursors WHERE name = ?", name) or 0)

    def _one(self, query: str, value: str) -> int | None:
        row = self._db.execute(query, (value,)).fetchone()
        return row[0] if row else None

    def count(self, name: str = "entries") -> int:
        """How many rows a table has."""
        return int(self._db.execute(f"SELECT count(*) FROM {name}").fetchone()[0]) if self.version else 0

    def entries(self, where: str = "", values: tuple[Any, ...] = ()) -> Iterator[Stored]:
        """Entries in order, all or those of a WHERE clause."""
        return self._select(f"{where} ORDER BY seq", values) if self.version else iter(())

    def latest(self, table: str | None = None) -> Iterator[Stored]:
        """Entries from the newest back, all or those of one table."""
        where, values = ("WHERE table_name = ?", (table,)) if table else ("", ())
        return self._select(f"{where} ORDER BY seq DESC", values) if self.version else iter(())

    def _select(self, clauses: str, values: tuple[Any, ...]) -> Iterator[Stored]:
        return map(Stored._make, self._db.execute(f"SELECT {self._columns} FROM entries {clauses}", values))

    def rows(self, name: str) -> Iterator[dict[str, Any]]:
        """One derived table, each row by the names that messages use."""
        if self.version < schema.WITH_SUMS:
            raise LedgerError(
                f"ledger {self.path} is of version {self.version} and has no table {name}; "
                f"`sabot ledger rebuild {self.path}` brings it to version {schema.VERSION}"
            )
        found = self._db.execute(f"SELECT * FROM {name} ORDER BY seq")
        names = [_NAMES.get(column[0], column[0]) for column in found.description]
        return (dict(zip(names, row, strict=True)) for row in found)

    def newest(self) -> tuple[int, bytes]:
        """The last entry's number and hash, or those of what was pruned."""
        row = (
            self._db.execute("SELECT seq, hash FROM entries ORDER BY seq DESC LIMIT 1").fetchone()
            if self.version
            else None
        )
        return row or (self.origin.seq, self.origin.hash)

    def verify_chain(self, progress: Callable[[int], None] = lambda done: None) -> int:
        """Recompute every hash; the number of entries, or an error that names the first bad one."""
        return chain.verify(self.entries(), self.origin, progress)

    def verify_from(self, seq: int, head: bytes) -> None:
        """Recompute the hashes of what follows an entry, which must be there; an error names the first bad one."""
        if seq > self.origin.seq:
            row = self._db.execute("SELECT hash FROM entries WHERE seq = ?", (seq,)).fetchone()
            if row != (head,):
                raise LedgerError(f"entry {seq} is not what was written: its hash is not the one kept with the sums")
            chain.verify(self.entries("WHERE seq > ?", (seq,)), chain.Origin(seq, head, self.origin.second_from))
        else:
            self.verify_chain()

    def verify_structure(self) -> None:
        """SQLite's own check of pages, tables and indexes."""
        found = self._db.execute("PRAGMA integrity_check(1)").fetchone()[0]
        if found != "ok":
            raise LedgerError(f"SQLite finds it malformed: {found}")

    def derived_difference(self) -> str | None:
        """Where shoes, coups and alarms are not what the entries give."""
        return derived.difference(self._db, self.entries(derived.FOLDED)) if self.version >= schema.WITH_SUMS else None

    def pruned(self) -> retention.Checkpoint | None:
        """What stands for entries that were pruned."""
        return retention.checkpoint(self._db) if self.version >= schema.WITH_SUMS else None

    def pruned_signed(self, key: bytes) -> bool:
        """Whether that was made with this key."""
        return retention.signed(self._db, key)


def _connect(path: Path) -> sqlite3.Connection:
    """Read only; a closed ledger as it lies there, so that nothing is made beside it."""
    if not path.is_file():
        raise LedgerError("no such file; give the path of the ledger, as `ledger` of the gateway's config has it")
    mode = "mode=ro" if beside(path, "wal").exists() else "immutable=1"
    return sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True, isolation_level=None)

"""A copy of a ledger, and what somebody with the source and the sqlite3 shell can do to it."""

import json
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from siege.lab import sabot

LEDGER = "ledger.db"
KILLED, CLOSED = "killed", "closed"


class NotThereError(Exception):
    """The part that a case changes does not exist in this version."""


@dataclass
class Copy:
    """A copy of a ledger with everything beside it; `old` has an earlier one of the same gateway."""

    folder: Path
    old: Path

    @property
    def ledger(self) -> Path:
        """The file itself."""
        return self.folder / LEDGER

    def beside(self, suffix: str) -> Path:
        """A file beside the ledger."""
        return self.folder / f"{LEDGER}-{suffix}"

    def sql(self, *statements: str) -> None:
        """Run SQL as in the sqlite3 shell."""
        with closing(sqlite3.connect(self.ledger)) as db:
            for statement in statements:
                db.execute(statement)
            db.commit()

    def one(self, query: str) -> Any:
        """The first value of a query."""
        with closing(sqlite3.connect(self.ledger)) as db:
            row = db.execute(query).fetchone()
        return row[0] if row else None

    def fits(self, head: bytes) -> bool:
        """True if the entry that a published head names is there, with its hash: then no head can show a change."""
        if not head or not self.ledger.exists():
            return not head
        named = json.loads(head)
        with tempfile.TemporaryDirectory() as folder:  # opening a ledger changes the files beside it
            look = Path(folder) / "look"
            shutil.copytree(self.folder, look)
            try:
                found = Copy(look, self.old).one(f"SELECT hex(hash) FROM entries WHERE seq = {int(named['entry'])}")
            except sqlite3.DatabaseError:
                return False
        return bool(str(found).lower() == named["hash"])

    def fit_cursors(self) -> None:
        """Cursors within the ledger, each with the hash of its entry where this version keeps one."""
        self.sql("UPDATE cursors SET seq = min(seq, (SELECT max(seq) FROM entries))")
        if self.one("SELECT count(*) FROM pragma_table_info('cursors') WHERE name = 'hash'"):
            self.sql("UPDATE cursors SET hash = (SELECT hash FROM entries WHERE entries.seq = cursors.seq)")

    def rebuild(self) -> None:
        """Rebuild the derived tables with the gateway's own tool."""
        sabot("ledger", "rebuild", str(self.ledger))


Change = Callable[[Copy], None]


@dataclass(frozen=True)
class Case:
    """A way to change a ledger, on a copy after a kill or after a clean stop."""

    name: str
    base: str
    change: Change
    needs_heads: bool = False  # no reading of the file itself can find it
    undone: bool = False  # a power cut can leave the same, so it is no fault; the next start undoes it and logs that


def also(change: Change, *suffixes: str) -> Change:
    """The same, and files beside the ledger are removed."""

    def done(copy: Copy) -> None:
        change(copy)
        gone = [copy.beside(suffix) for suffix in suffixes if copy.beside(suffix).exists()]
        if not gone:
            raise NotThereError(f"no file {LEDGER}-{suffixes[0]} in this version")
        for path in gone:
            path.unlink()

    return done


def side(suffix: str, change: Callable[[Path], None]) -> Change:
    """A change of a file beside the ledger."""

    def done(copy: Copy) -> None:
        path = copy.beside(suffix)
        if not path.exists():
            raise NotThereError(f"no file {path.name} in this version")
        change(path)

    return done

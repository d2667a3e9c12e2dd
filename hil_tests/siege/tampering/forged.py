"""An earlier ledger in the place of this one, and rewritten ledgers in which every hash is right."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing

from sabot_gateway.ledger import chain

from siege.tampering.ledgers import LEDGER, Copy
from siege.tampering.rows import everything_deleted, last_rows_deleted
from siege.tampering.wal import without_index


def cut_with_all_that_follows(copy: Copy) -> None:
    """Shorten with cursor and derived tables, as a reader of LEDGER.md would."""
    last_rows_deleted(copy)
    copy.fit_cursors()
    copy.rebuild()


def rolled_back(copy: Copy) -> None:
    """An earlier copy of the file in its place; the files beside it stay."""
    copy.beside("wal").unlink(missing_ok=True)
    without_index(copy)
    copy.ledger.write_bytes((copy.old / LEDGER).read_bytes())


def rolled_back_with_all(copy: Copy) -> None:
    """An earlier copy of everything."""
    everything_deleted(copy)
    for path in copy.old.iterdir():
        shutil.copy2(path, copy.folder / path.name)


def _rechained(copy: Copy, change: Callable[[sqlite3.Connection], None]) -> None:
    """Change entries, then compute every hash again, as an attacker with the source would."""
    with closing(sqlite3.connect(copy.ledger)) as db:
        change(db)
        (second_from,) = db.execute("SELECT value FROM meta WHERE name = 'second_from'").fetchone()
        head = bytes(32)
        rows = db.execute(
            "SELECT seq, unit, event_no, table_name, topic, payload, frame, time, rulebook FROM entries ORDER BY seq"
        )
        for seq, *fields in rows.fetchall():
            (head,) = chain.links(head, seq, [chain.Entry(*fields)], int(second_from))
            db.execute("UPDATE entries SET hash = ? WHERE seq = ?", (head, seq))
        db.commit()
    copy.fit_cursors()
    copy.rebuild()


def forged_card(copy: Copy) -> None:
    """One card of one coup is another, everywhere, and every hash is right."""

    def change(db: sqlite3.Connection) -> None:
        seq, payload = db.execute(
            "SELECT seq, payload FROM entries WHERE topic = 'coup' ORDER BY seq LIMIT 1 OFFSET 5"
        ).fetchone()
        coup = json.loads(payload)
        coup["winner"] = "banker" if coup["winner"] != "banker" else "player"
        db.execute(
            "UPDATE entries SET payload = ? WHERE seq = ?", (json.dumps(coup, separators=(",", ":")).encode(), seq)
        )

    _rechained(copy, change)


def forged_without_a_coup(copy: Copy) -> None:
    """A coup is gone, the rest moves up, and every hash is right."""

    def change(db: sqlite3.Connection) -> None:
        (seq,) = db.execute("SELECT seq FROM entries WHERE topic = 'coup' ORDER BY seq LIMIT 1 OFFSET 5").fetchone()
        db.execute("DELETE FROM entries WHERE seq = ?", (seq,))
        db.execute("UPDATE entries SET seq = -seq WHERE seq > ?", (seq,))
        db.execute("UPDATE entries SET seq = -seq - 1 WHERE seq < 0")

    _rechained(copy, change)

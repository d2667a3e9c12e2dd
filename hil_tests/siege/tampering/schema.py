"""Changes of what follows from the entries, of meta, of the schema and of the files beside the ledger."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from siege.tampering.ledgers import Change, Copy, NotThereError


def derived_winner(copy: Copy) -> None:
    copy.sql(
        "UPDATE coups SET winner = CASE winner WHEN 'player' THEN 'banker' ELSE 'player' END "
        "WHERE seq = (SELECT min(seq) FROM coups)"
    )


def derived_coup_deleted(copy: Copy) -> None:
    copy.sql("DELETE FROM coups WHERE seq = (SELECT max(seq) FROM coups)")


def derived_alarm_state(copy: Copy) -> None:
    if not copy.one("SELECT count(*) FROM alarms"):
        raise NotThereError("no alarm in this ledger")
    copy.sql("UPDATE alarms SET state = CASE state WHEN 'cleared' THEN 'raised' ELSE 'cleared' END")


def derived_shoe(copy: Copy) -> None:
    copy.sql("UPDATE shoes SET coups = coups + 1")


def meta_gateway(copy: Copy) -> None:
    copy.sql("UPDATE meta SET value = x'0102030405060708' WHERE name = 'gateway'")


def meta_second_from(copy: Copy) -> None:
    copy.sql("UPDATE meta SET value = 5 WHERE name = 'second_from'")


def meta_deleted(copy: Copy) -> None:
    copy.sql("DELETE FROM meta")


def meta_checkpoint(copy: Copy) -> None:
    """The first entries go, and a checkpoint of the attacker's own making stands in their place."""
    with closing(sqlite3.connect(copy.ledger)) as db:
        (digest,) = db.execute("SELECT hash FROM entries WHERE seq = 20").fetchone()
    made = {
        "seq": 20,
        "hash": digest.hex(),
        "count": 20,
        "entries": 20,
        "time": "2026-01-01T00:00:00.000Z",
        "units": {},
    }
    with closing(sqlite3.connect(copy.ledger)) as db:
        db.execute("DELETE FROM entries WHERE seq <= 20")
        db.execute("INSERT OR REPLACE INTO meta VALUES ('checkpoint', ?)", (json.dumps(made).encode(),))
        db.commit()


def index_dropped(copy: Copy) -> None:
    names = [row for row in ("disputed", "active", "shoes_of_a_table") if _has(copy, row)]
    if not names:
        raise NotThereError("no such index")
    copy.sql(*(f"DROP INDEX {name}" for name in names))


def _has(copy: Copy, name: str) -> bool:
    return bool(copy.one(f"SELECT count(*) FROM sqlite_master WHERE name = '{name}'"))


def trigger_added(copy: Copy) -> None:
    """Every coup that comes from now on is the banker's."""
    copy.sql("CREATE TRIGGER t AFTER INSERT ON coups BEGIN UPDATE coups SET winner = 'banker' WHERE id = new.id; END")


def trigger_on_entries(copy: Copy) -> None:
    """No alarm is ever stored again."""
    copy.sql("CREATE TRIGGER t BEFORE INSERT ON entries WHEN new.topic = 'alarm' BEGIN SELECT RAISE(IGNORE); END")


def view_added(copy: Copy) -> None:
    copy.sql("CREATE VIEW results AS SELECT 1")


def table_added(copy: Copy) -> None:
    copy.sql("CREATE TABLE more (a)", "INSERT INTO more VALUES (zeroblob(100000))")


def unit_reset(copy: Copy) -> None:
    """The events of a unit could be stored once more."""
    copy.sql("UPDATE units SET last_no = 0 WHERE unit = (SELECT min(unit) FROM units)")


def pointer_moved(copy: Copy) -> None:
    """Part of a unit's log would be passed over."""
    copy.sql("UPDATE entries SET before = 1 WHERE seq = (SELECT max(seq) FROM entries)")


def version(number: int) -> Change:
    def done(copy: Copy) -> None:
        copy.sql(f"PRAGMA user_version = {number}")

    return done


def garbage(path: Path) -> None:
    path.write_bytes(b"\xff\x00garbage")


def other_number(path: Path) -> None:
    """Every number in the file is one more."""
    text = path.read_text()
    path.write_text("".join(chr((ord(char) - 47) % 10 + 48) if char.isdigit() else char for char in text))

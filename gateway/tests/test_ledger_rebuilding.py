"""Coups and confirmations are written in batches: the tables are what the entries give one by one."""

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from ledger_entries import UNIT, alarm, confirmed, coup, shoe
from sabot_gateway.ledger import Entry, Ledger, audit, derived, rebuilding
from sabot_gateway.ledger.rebuilding import Source

IDS = 1300  # of coups: more than a batch has


def random_entries(rng: random.Random, count: int) -> Iterator[Entry]:
    """Coups, also twice or corrected, confirmed before, behind and long after them; shoes and alarms between them."""
    for number in range(1, count + 1):
        near = rng.choice((max(number - rng.randint(0, 3), 1), rng.randint(1, IDS)))
        match rng.choices(("coup", "again", "correct", "confirm", "shoe", "alarm"), (40, 8, 3, 45, 1, 1))[0]:
            case "coup":
                yield coup(number, 1, number % 3, number)
            case "again":
                yield coup(number, 2, number % 3, number, id=f"{UNIT}-{near}", winner="player")
            case "correct":
                yield coup(number, 3, 1, number, corrects=f"{UNIT}-{near}")
            case "confirm":
                yield confirmed(number, 4, f"{UNIT}-{near}")
            case "shoe":
                yield shoe(number, 5, number % 3, rng.choice(("open", "closed")))
            case _:
                yield alarm(number, 6, "reject", "raised", f"a{near}")


def tables(db: sqlite3.Connection) -> dict[str, list[Any]]:
    return {name: db.execute(f"SELECT * FROM {name} ORDER BY 1, 2, 3").fetchall() for name in derived.NAMES}


def made() -> sqlite3.Connection:
    db = sqlite3.connect(":memory:", isolation_level=None)
    for statement in derived.TABLES:
        db.execute(statement)
    return db


@pytest.mark.parametrize("seed", range(12))
def test_in_batches_or_one_by_one_the_tables_are_the_same(seed: int) -> None:
    entries = list(enumerate(random_entries(random.Random(seed), 4000), 1))
    with closing(made()) as batches, closing(made()) as one_by_one:
        rebuilding.rebuild(batches, (Source(seq, entry.topic, entry.payload) for seq, entry in entries))
        for seq, entry in entries:
            for statement, values in derived.changes(seq, entry):
                one_by_one.execute(statement, values)
        assert tables(batches) == tables(one_by_one)
        assert len(tables(batches)["coups"]) > 1000


def as_played(entries: Iterator[Entry]) -> Iterator[Entry]:
    """Leave out what confirms or corrects a coup that was not dealt yet."""
    dealt = {""}
    for entry in entries:
        message = msgspec.json.decode(entry.payload)
        if {message.get("coup_id", ""), message.get("corrects", "")} <= dealt:
            dealt |= {message["id"]} if entry.topic == "coup" else set()
            yield entry


@pytest.mark.parametrize("seed", range(4))
def test_appended_in_commits_of_any_size_the_tables_are_what_the_entries_give_one_by_one(
    tmp_path: Path, seed: int
) -> None:
    rng = random.Random(seed)
    entries, path = list(as_played(random_entries(rng, 3000))), tmp_path / "ledger.db"
    with closing(Ledger(path)) as ledger:
        while ledger.last_seq() < len(entries):
            ledger.append(entries[ledger.last_seq() : ledger.last_seq() + rng.randint(1, 300)])
    with closing(sqlite3.connect(path)) as appended, closing(made()) as one_by_one:
        for seq, entry in enumerate(entries, 1):
            for statement, values in derived.changes(seq, entry):
                one_by_one.execute(statement, values)
        assert tables(appended) == tables(one_by_one)
    assert audit.verify(path).faults == []


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE coups ADD COLUMN more", "UPDATE coups SET winner = x'706c61796572' WHERE seq = 2",
        "UPDATE coups SET winner = NULL WHERE seq = 2", "DELETE FROM coups WHERE seq = 2",
        "UPDATE coups SET winner = upper(winner) WHERE seq = 2",
        "INSERT INTO coups SELECT 'x', table_name, unit, shoe, coup, time, kind, status, winner, player, banker, "
        "player_points, banker_points, player_pair, banker_pair, natural, last_coup, rulebook, corrects, corrected_by, "
        "said_by, clause, confirmed, 2 FROM coups WHERE seq = 3",
    ],
)  # fmt: skip
def test_a_row_that_is_another_is_found_whatever_its_type(tmp_path: Path, change: str) -> None:
    path = tmp_path / "ledger.db"
    entries = [coup(1, 1, 1, 1), coup(2, 2, 1, 2), coup(3, 3, 1, 3)]
    if change.startswith("INSERT"):
        entries[1] = alarm(2, 2, "reject", "raised", "a1")
    with closing(Ledger(path)) as ledger:
        ledger.append(entries)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute(change)
    first = 1 if change.startswith("ALTER") else 2
    named = f"table coups: entry {first} gives something else than the table has"
    assert audit.verify(path).faults == [f"{named}; `sabot ledger rebuild {path}` rebuilds it"]

"""A store with years of history for the bench of reports: made by direct inserts, seeded, kept between runs."""

import os
import random
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final, NamedTuple

from sabot_floor.store import open_store
from sabot_floor.store import tables as schema
from sabot_floor.store.tables import Table
from sabot_protocol.cards import DECK

GATEWAYS: Final = 10
TABLES_EACH: Final = 5  # of a gateway
COUPS_A_SHOE: Final = 70
COUP_S: Final = 120  # from one coup to the next at a table: 720 a day
SEED: Final = 1
_BEGIN = datetime(2024, 1, 1, tzinfo=UTC)
_VERSION = 1  # of what is made; an older file in the cache is not used
Progress = Callable[[int], None]


class History(NamedTuple):
    """A store, how many coups it has, and how long it took to make it: 0 if it was in the cache."""

    path: Path
    coups: int
    made_s: float

    @property
    def day(self) -> date:
        """Return a day in the middle of the history."""
        days = self.coups / (GATEWAYS * TABLES_EACH) * COUP_S / 86_400
        return date.fromordinal(_BEGIN.date().toordinal() + int(days / 2))


def cache_dir() -> Path:
    """Return where histories are kept: SABOT_BENCH_CACHE, else the user's cache directory."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("SABOT_BENCH_CACHE") or Path(home) / "sabot-bench")


def history(coups: int, progress: Progress, directory: Path | None = None) -> History:
    """Return the history of this size from the cache, or make it; `progress` gets the coups made."""
    directory = directory or cache_dir()
    directory.mkdir(parents=True, exist_ok=True)
    each = coups // GATEWAYS
    path = directory / f"history-{_VERSION}-{SEED}-{each * GATEWAYS}.db"
    if path.exists():
        return History(path, each * GATEWAYS, 0.0)
    started, new = time.monotonic(), path.with_suffix(f".{os.getpid()}")
    try:
        _make(new, each, progress)
        new.rename(path)
    finally:
        for left in directory.glob(f"{new.name}*"):
            left.unlink()
    return History(path, each * GATEWAYS, time.monotonic() - started)


def _make(path: Path, each: int, progress: Progress) -> None:
    open_store(str(path)).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = OFF")
        db.execute("PRAGMA synchronous = OFF")
        indexes = db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL").fetchall()
        for name, _ in indexes:
            db.execute(f"DROP INDEX {name}")
        for gateway in range(GATEWAYS):
            for statement in _statements():
                db.execute(statement, {"g": gateway, "each": each, "begin": _BEGIN.timestamp(), "cards": _shoe()})
            progress(each)
        for _, statement in indexes:
            db.execute(statement)
        db.execute("PRAGMA journal_mode = WAL")
    open_store(str(path)).close()


def _shoe() -> str:
    cards = list(DECK) * 8
    random.Random(SEED).shuffle(cards)
    return "".join(cards)


# One row for each coup of a gateway: its number, table, coup of the table, a number below 1000 by chance, its time.
_EACH = f"""WITH RECURSIVE
numbers(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbers WHERE i + 1 < :each),
dealt(i, t, j, h) AS (SELECT i, i % {TABLES_EACH}, i / {TABLES_EACH},
  ((i * 2654435761 + :g * 40503 + {SEED}) >> 8) % 1000 FROM numbers),
d AS (SELECT *, :begin + j * {COUP_S} + t * 7 AS s, printf('gw-%02d', :g) AS gateway, i * 10 AS e,
  printf('bac-%03d', :g * {TABLES_EACH} + t) AS tbl, printf('5ab0%012x', :g * {TABLES_EACH} + t) AS unit,
  j / {COUPS_A_SHOE} + 1 AS shoe, j % {COUPS_A_SHOE} + 1 AS coup FROM dealt)
"""
_DISPUTED, _UNWAGERED, _REJECTED = "h IN (500, 501)", "h < 10", "h IN (600, 601, 602)"
_PERSON = "printf('Person %03d', h % 7 + j % 31)"
_STEP = '[{"name":"decide","say":"Confirm the outcome or void the coup.","act":"decide_discrepancy","clause":"12.13",'
_COUP = {
    "table": "tbl",
    "unit": "unit",
    "shoe": "shoe",
    "coup": "coup",
    "rulebook": "'5f3a'",
    "kind": f"CASE WHEN {_UNWAGERED} THEN 'no_bet' ELSE 'live' END",
    "status": f"CASE WHEN {_DISPUTED} THEN 'disputed' ELSE 'verified' END",
    "winner": "CASE WHEN h % 100 < 46 THEN 'banker' WHEN h % 100 < 91 THEN 'player' ELSE 'tie' END",
    "player": "substr(:cards, 2 * (h % 400) + 1, 4 + 2 * (h % 2))",
    "banker": "substr(:cards, 2 * (h % 397) + 9, 4 + 2 * (h / 2 % 2))",
    "player_points": "h % 10",
    "banker_points": "h / 10 % 10",
    "flags": "CASE h % 13 WHEN 0 THEN 'P' WHEN 1 THEN 'B' ELSE '' END",
}
_ALARM = {
    "alarm": "unit || '-' || (j * 8 + 7)",
    "severity": "'warning'",
    "say": "'The card was not read for certain.'",
    "clause": "'12.13'",
    "shoe_says": "'banker'",
    "cards_say": "'player'",
}


def _statements() -> Iterator[str]:
    """Yield what fills the tables with the history of one gateway."""
    here = {name: _COUP[name] for name in ("table", "unit", "shoe", "coup")}
    yield _insert(schema.COUPS, 1, "1 = 1", 0, _COUP | {"id": "unit || '-' || (j * 8 + 7)"})
    decided = {"status": "'confirmed'", "by": _PERSON, "clause": "'12.13'", "decided": _time(60)}
    yield _insert(
        *(schema.COUPS, 6, _DISPUTED, 60),
        _COUP | decided | {"id": "'d' || e || '-' || gateway", "corrects": "unit || '-' || (j * 8 + 7)"},
    )
    confirmed = {"id": "'c' || e || '-' || gateway", "coup_id": "unit || '-' || (j * 8 + 7)", "status": "'confirmed'"}
    yield _insert(schema.CONFIRMED, 7, f"NOT {_DISPUTED}", 15, here | confirmed)
    shoe = here | {"decks": "8", "card_set": "1", "burn": "'one'", "id": "'s' || e || '-' || gateway"}
    yield _insert(schema.SHOES, 0, "coup = 1", -90, shoe | {"state": "'open'"})
    yield _insert(schema.SHOES, 9, f"coup = {COUPS_A_SHOE}", 30, shoe | {"state": "'closed'"})
    card = here | {"slot": "'burn'", "card": "'5H'", "id": "'k' || e || '-' || gateway"}
    yield _insert(schema.CARDS, 2, "coup = 1", -60, card)
    for name, rare in (("discrepancy", _DISPUTED), ("reject", _REJECTED)):
        alarm = here | _ALARM | {"name": f"'{name}'", "id": "'a' || e || '-' || gateway"}
        yield _insert(schema.ALARMS, 3, rare, 1, alarm | {"state": "'raised'"})
        yield _insert(schema.ALARMS, 8, rare, 61, alarm | {"state": "'cleared'", "by": _PERSON})
    yield from _people(here)
    yield _increments()


def _people(here: dict[str, str]) -> Iterator[str]:
    """Yield the requests about disputed coups and coups without wagers, and their incidents."""
    for verb, rare, after_s in (("decide", _DISPUTED, 58), ("no-bet", _UNWAGERED, -20)):
        asked = {"table": "tbl", "by": _PERSON, "verb": f"'{verb}'", "role": "'casino_supervisor'", "args": "'{}'"}
        yield _insert(schema.ATTEMPTS, 4, rare, after_s, asked | {"id": "'q' || e || '-' || gateway"})
        answer = {"table": "tbl", "attempt": "'q' || e || '-' || gateway", "ok": "1", "say": "'Done.'"}
        yield _insert(schema.OUTCOMES, 5, rare, after_s + 1, answer | {"id": "'o' || e || '-' || gateway"})
    steps = f'\'{_STEP}"done":"\' || {_time(60)} || \'","by":"\' || {_PERSON} || \'"}}]\''
    incident = {
        **here,
        "incident": "unit || '-' || (j * 8 + 7)",
        "kind": "'discrepancy'",
        "state": "'closed'",
        "opened": _time(1),
        "say": "'Shoe and cards disagree'",
        "clause": "'12.13'",
        "alarm": "unit || '-' || (j * 8 + 7)",
        "facts": "'{}'",
        "steps": steps,
    }
    yield _insert(schema.INCIDENTS, 6, _DISPUTED, 60, incident)


def _increments() -> str:
    """Return what fills in the contributions to a jackpot: one row a table and half hour."""
    values = {
        "jackpot": "'lucky-tie'",
        "table": "tbl",
        "half_hour": f"substr({_time(0)}, 1, 16)",
        "currency": "'AUD'",
        "counted": "j + 1",
        "total": "(j + 1) * 25",
    }
    return _insert(schema.INCREMENTS, 2, f"j * {COUP_S} % 1800 = 0", 0, values)


def _time(after_s: int) -> str:
    return f"strftime('%Y-%m-%dT%H:%M:%fZ', s + {after_s}, 'unixepoch')"


def _insert(table: Table, entry: int, condition: str, after_s: int, values: dict[str, str]) -> str:
    """Return the statement that inserts a row for each coup with a condition; other columns are empty."""
    known = {"gateway": "gateway", "entry": f"e + {entry}", "time": _time(after_s), **values}
    kinds = table.row.__annotations__
    selected = ", ".join(known.get(name, "0" if kinds[name] is int else "''") for name in table.columns)
    columns = ", ".join(f'"{name}"' for name in table.columns)
    return f"INSERT INTO {table.name} ({columns}) {_EACH} SELECT {selected} FROM d WHERE {condition}"

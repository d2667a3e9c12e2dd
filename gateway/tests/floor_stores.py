"""Floor stores: a fresh SQLite file or PostgreSQL database per test; one server per test session."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sabot_floor.store import Decide, Decision, Entry, Head, Store, open_store

if TYPE_CHECKING:  # for all tests: a driver of PostgreSQL is imported only by those that use one
    from sabot_tools.stand.postgres import LocalPostgres

BACKENDS = ("sqlite", "postgresql")
AT = "2026-11-17T12:00:00.000Z"


@pytest.fixture(scope="session")
def postgres() -> Iterator[LocalPostgres]:
    """A real PostgreSQL in a temporary directory, started once per session."""
    from sabot_tools.stand.postgres import LocalPostgres

    with LocalPostgres() as server:
        yield server


@pytest.fixture(params=BACKENDS)
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty store, of each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "floor.db")
    server: LocalPostgres = request.getfixturevalue("postgres")
    return server.new_store()


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    """An empty store of each kind."""
    with open_store(store_url) as opened:
        yield opened


def edit(url: str, query: str, *values: object) -> int:
    """Change a store as somebody with the database's own client can; return the number of rows. `?` is a value."""
    if not url.startswith("postgresql:"):
        with closing(sqlite3.connect(url, isolation_level=None)) as file:
            return file.execute(query, values).rowcount
    import psycopg

    with psycopg.connect(url, autocommit=True) as database:
        return database.execute(query.replace("?", "%s").encode(), values).rowcount


def numbered(first: int, count: int) -> list[Entry]:
    """Entries `e<first>` and on."""
    return [Entry(f"e{number}", "increment", b'{"amount":%d}' % number, AT) for number in range(first, first + count)]


def adding(count: int) -> Decide:
    """Append so many entries; the state is the number of entries, as text."""

    def decide(head: Head) -> Decision:
        assert int(head.state or b"0") == head.seq
        return Decision(numbered(head.seq + 1, count), b"%d" % (head.seq + count))

    return decide

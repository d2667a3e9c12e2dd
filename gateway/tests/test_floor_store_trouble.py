"""Trouble of a store: locks, lost connections, a server that hangs, damaged files, other versions, passwords."""

import os
import signal
import sqlite3
import stat
import time
import traceback
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest
from floor_stores import adding, edit, numbered
from projection_rows import coup
from sabot_floor.projection.reading import Reading
from sabot_floor.projection.writing import insert
from sabot_floor.store import DamagedError, Decision, Head, Store, StoreError, audit, open_store
from sabot_floor.store import tables as projection
from sabot_floor.store.postgres import PostgresStore
from sabot_floor.store.postgres_url import PostgresUrl
from sabot_tools.stand.postgres import PASSWORD, LocalPostgres
from support.patience import is_quick


@contextmanager
def locked(url: str) -> Iterator[None]:
    """Hold the lock of log a as another process does that hangs."""
    if url.startswith("postgresql:"):
        with psycopg.connect(url) as database:
            database.execute("SELECT 1 FROM logs WHERE name = 'a' FOR UPDATE")
            yield
    else:
        with closing(sqlite3.connect(url, isolation_level=None)) as file:
            file.execute("BEGIN IMMEDIATE")
            yield


def test_a_lock_is_not_waited_for_without_end(store: Store, store_url: str) -> None:
    store.append_many({"a": adding(1), "b": adding(1)})
    with open_store(store_url, lock_s=0.2) as other:
        with locked(store_url):

            def refused_s() -> float:
                started = time.monotonic()
                with pytest.raises(StoreError, match=r"another process .* Nothing was stored"):
                    other.append("a", adding(1))
                return time.monotonic() - started

            assert is_quick(refused_s, 5.0)
            assert len(other.read("a")) == 1
        other.append("a", adding(1))
    assert audit.verify(store) == audit.Verdict(entries=3)


def test_a_lock_of_one_log_leaves_the_others_free(postgres: LocalPostgres) -> None:
    url = postgres.new_store()
    with open_store(url, lock_s=0.2) as store:
        store.append_many({"a": adding(1), "b": adding(1)})
        with locked(url):
            store.append("b", adding(1))
            store.append("new", adding(1))
        assert [len(store.read(log)) for log in ("a", "b", "new")] == [1, 2, 1]


def test_a_connection_lost_in_mid_append_stores_nothing_and_comes_back(postgres: LocalPostgres) -> None:
    url = postgres.new_store()
    with open_store(url) as store:
        store.append("a", adding(1))

        def lose(head: Head) -> Decision:
            edit(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'sabot-floor'")
            return Decision(numbered(head.seq + 1, 1), b"lost")

        with pytest.raises(StoreError, match=r"cannot be reached \(to append to log a\).*The next try connects again"):
            store.append("a", lose)
        store.append("a", adding(1))
        assert audit.verify(store) == audit.Verdict(entries=2)


def test_a_server_that_is_killed_and_comes_back() -> None:
    with LocalPostgres() as server:
        url = server.new_database()
        store = open_store(url)
        store.append("a", adding(700))
        server.kill()
        for _ in range(2):
            with pytest.raises(StoreError, match=r"^store postgresql://sabot@.* cannot be reached"):
                store.append("a", adding(1))
        server.start()
        store.append("a", adding(1))
        assert audit.verify(store) == audit.Verdict(entries=701)


def test_a_server_that_hangs_is_not_waited_for_without_end() -> None:
    with LocalPostgres() as server, PostgresStore(server.new_database()) as store:
        store.append("a", adding(1))
        backend = store._connected().info.backend_pid
        store._connected().answer_s = 0.5
        os.kill(backend, signal.SIGSTOP)
        with pytest.raises(StoreError, match=r"the server has not answered for 0\.5 s"):
            store.append("a", adding(1))
        os.kill(backend, signal.SIGCONT)
        store.append("a", adding(1))
        assert audit.verify(store) == audit.Verdict(entries=2)


def test_of_several_hosts_the_one_that_runs_is_used(postgres: LocalPostgres) -> None:
    url = postgres.new_store().replace("?host=", "?host=/nowhere,")
    with open_store(url) as store:
        assert len(store.append("a", adding(1))) == 1


def test_a_store_of_a_later_release_is_refused(store: Store, store_url: str) -> None:
    store.close()
    for version in ("5", "99", "1.5", "x"):
        edit(store_url, "UPDATE meta SET value = ? WHERE name = 'version'", version)
        for read_only in (False, True):
            with pytest.raises(StoreError, match=rf"it is of version {version}, and this release knows up to 4; use"):
                open_store(store_url, read_only=read_only)
    edit(store_url, "UPDATE meta SET value = '4' WHERE name = 'version'")
    with open_store(store_url) as again:
        again.append("a", adding(1))


def test_a_store_of_the_first_version_gets_the_projection_and_keeps_its_logs(store: Store, store_url: str) -> None:
    store.append("a", adding(3))
    store.close()
    for table in (*projection.TABLES, *projection.BESIDE, projection.COVERAGE):
        edit(store_url, f"DROP TABLE {table.name}")
    edit(store_url, "UPDATE meta SET value = '1' WHERE name = 'version'")
    with pytest.raises(StoreError, match="of an older release: start the floor service once"):
        open_store(store_url, read_only=True)
    with open_store(store_url) as again:
        assert again.select("SELECT count(*) FROM coups") == [(0,)]
        assert len(again.read("a")) == 3


def test_a_store_of_the_second_version_gets_the_rows_about_sensors_and_keeps_the_others(
    store: Store, store_url: str
) -> None:
    with store.writing("projection"):
        insert(store, [coup(1)])
    store.close()
    for table in (*projection.BY_VERSION[3], *projection.BY_VERSION[4]):
        edit(store_url, f"DROP TABLE {table.name}")
    edit(store_url, "UPDATE meta SET value = '2' WHERE name = 'version'")
    with open_store(store_url) as again:
        assert again.select("SELECT count(*) FROM health") == [(0,)]
        assert [row.entry for row in Reading(again).coups("2026", "2027")] == [1]


def test_tables_are_made_all_or_none(store_url: str) -> None:
    edit(store_url, "CREATE TABLE cursors (name TEXT)")
    with pytest.raises(StoreError):
        open_store(store_url)
    edit(store_url, "DROP TABLE cursors")
    with open_store(store_url) as store:
        store.append("a", adding(1))


def test_files_are_readable_only_by_their_owner(tmp_path: Path) -> None:
    path = tmp_path / "floor.db"
    with open_store(str(path)) as store:
        store.append("a", adding(1))
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
        assert modes == dict.fromkeys(("floor.db", "floor.db-wal", "floor.db-shm"), 0o600)
    path.chmod(0o644)
    open_store(str(path)).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_every_commit_is_synchronous(store: Store, store_url: str) -> None:
    store.append("a", adding(1))
    store.move_cursor("mqtt", "a", 1)
    store.append("a", adding(1))
    if store_url.startswith("postgresql:"):
        assert store._execute("SHOW synchronous_commit") == [("on",)]
    else:
        assert [store._execute(f"PRAGMA {name}") for name in ("journal_mode", "synchronous")] == [[("wal",)], [(2,)]]


def test_a_role_that_commits_without_waiting_is_overruled(postgres: LocalPostgres) -> None:
    url = postgres.new_database()
    edit(url, f"ALTER DATABASE {PostgresUrl(url).settings['dbname']} SET synchronous_commit = off")
    with open_store(url) as store:
        assert store._execute("SHOW synchronous_commit") == [("on",)]


PLACES = {
    "missing/floor.db": r"there is no directory .*/missing; make it",
    "file/floor.db": r"there is no directory .*/file; make it",
    "folder": r"this is not a plain file",
    "open/floor.db": r"everybody may replace files in .*/open: chmod o-w",
}


@pytest.mark.parametrize("place", PLACES)
def test_a_place_where_no_store_can_be(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    with pytest.raises(StoreError, match=rf"^store {tmp_path}/{place}: {PLACES[place]}"):
        open_store(str(tmp_path / place))


def damage(path: Path, at: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(data)


@pytest.mark.parametrize("at", [0, 4096, 3 * 4096])
def test_a_damaged_file(tmp_path: Path, at: int) -> None:
    path = tmp_path / "floor.db"
    with open_store(str(path)) as store:
        store.append("a", adding(500))
    damage(path, at, b"\xff" * 4096)
    with pytest.raises(DamagedError, match=r"put back a copy|the chain breaks there"):
        open_store(str(path))


def test_an_old_page_that_is_damaged_is_found_by_the_audit(tmp_path: Path) -> None:
    path = tmp_path / "floor.db"
    with open_store(str(path)) as store:
        store.append("a", adding(8000))
    damage(path, path.stat().st_size // 4, b"\xff" * 8192)
    with open_store(str(path), read_only=True) as reader:
        assert audit.verify(reader).faults


def test_a_file_that_is_something_else(tmp_path: Path) -> None:
    path = tmp_path / "floor.db"
    path.write_text("This is my shopping list. " * 100)
    with pytest.raises(DamagedError, match="is damaged: file is not a database"):
        open_store(str(path))
    assert path.read_text().startswith("This is my")


def test_a_kind_of_store_that_is_not_known() -> None:
    with pytest.raises(StoreError, match="unknown kind of store 'mysql'"):
        open_store("mysql://u:secret@host/db")


WITH_SECRET = {
    "wrong password": "postgresql://sabot:s3cr3t%2Fw%40rd%25@/postgres?host={dir}",
    "as a setting": "postgresql://sabot@/postgres?host={dir}&password=s3cr3t%2Fw%40rd%25",
    "no such host": "postgresql://sabot:s3cr3t%2Fw%40rd%25@host.invalid/postgres",
    "no such socket": "postgresql://sabot:s3cr3t%2Fw%40rd%25@/postgres?host=/nowhere",
    "not escaped": "postgresql://sabot:s3cr3t/w@rd%@localhost/postgres",
    "not escaped, a number": "postgresql://sabot:12/s3cr3tw@rd@localhost/postgres",
    "two at signs": "postgresql://sabot:12@s3cr3tw@rd@localhost/postgres",
    "bad escape": "postgresql://sabot:s3cr3t%zz@localhost/postgres",
    "unknown setting": "postgresql://sabot:s3cr3t@localhost/postgres?passwrd=w@rd",
    "also the name of a database": "postgresql://sabot:{password}@/{password}?host={dir}",
}


@pytest.mark.parametrize("name", WITH_SECRET)
def test_a_password_is_in_no_error(postgres: LocalPostgres, name: str) -> None:
    folder = PostgresUrl(postgres.url("postgres")).settings["host"]
    with pytest.raises(StoreError) as raised:
        open_store(WITH_SECRET[name].format(dir=folder, password=PASSWORD))
    text = "".join(traceback.format_exception(raised.value, chain=True)) + repr(raised.value.args)
    assert [part for part in ("s3cr3t", "w@rd", "w%40rd", PASSWORD) if part in text] == []


def test_a_password_is_in_no_text_of_an_open_store(postgres: LocalPostgres) -> None:
    url = postgres.new_store()
    with open_store(url) as store:
        assert PASSWORD not in f"{store!r} {store.place} {store.notes} {PostgresUrl(url)!r} {PostgresUrl(url)}"


def test_a_password_from_the_environment_or_a_file(
    postgres: LocalPostgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgres.new_store().replace(f":{PASSWORD}", "")
    passwords = tmp_path / "pgpass"
    passwords.write_text(f"*:*:*:*:{PASSWORD}\n")
    passwords.chmod(0o600)
    with pytest.raises(StoreError, match="cannot be reached"):
        open_store(url)
    open_store(f"{url}&passfile={passwords}").close()
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    open_store(url).close()

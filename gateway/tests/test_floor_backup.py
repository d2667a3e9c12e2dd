"""Copies of the floor's store: whole, verified, private; PostgreSQL has its own tools."""

from pathlib import Path

import pytest
from floor_stores import adding, edit
from sabot_floor.backup import backup, rotate
from sabot_floor.store import Store, StoreError, open_store
from sabot_floor.store import audit as chains

NIGHT = "2026-05-02T03:00:00.123Z"


@pytest.fixture
def opened(tmp_path: Path) -> Store:
    found = open_store(str(tmp_path / "floor.db"))
    found.append("log", adding(50))
    (tmp_path / "backups").mkdir()
    return found


def test_a_copy_beside_the_service_holds_the_same(opened: Store, tmp_path: Path) -> None:
    place = tmp_path / "backups"
    (place / "floor-20260501T030000Z.db.part").write_text("left")
    reader = open_store(str(tmp_path / "floor.db"), read_only=True)
    path, entries = backup(reader, place, NIGHT)
    opened.append("log", adding(1))
    assert (path.name, entries, path.stat().st_mode & 0o777) == ("floor-20260502T030000Z.db", 50, 0o600)
    assert [file.name for file in place.iterdir()] == [path.name]
    with open_store(str(path)) as copy:
        assert (copy.read("log", 0, 100), chains.verify(copy).faults) == (opened.read("log", 0, 50), [])


def test_a_damaged_store_is_not_copied(opened: Store, tmp_path: Path) -> None:
    edit(str(tmp_path / "floor.db"), "UPDATE entries SET payload = ? WHERE seq = 7", b"{}")
    with pytest.raises(StoreError, match="the copy is not intact: "):
        backup(opened, tmp_path / "backups", NIGHT)
    assert list((tmp_path / "backups").iterdir()) == []


def test_old_copies_go(opened: Store, tmp_path: Path) -> None:
    made = [backup(opened, tmp_path / "backups", f"2026-05-0{day}T03:00:00.000Z")[0] for day in (1, 2, 3)]
    assert rotate(tmp_path / "backups", 1) == [made[1], made[0]]


@pytest.mark.parametrize("store_url", ["postgresql"], indirect=True)
def test_a_database_is_backed_up_by_its_own_tools(store_url: str, tmp_path: Path) -> None:
    with open_store(store_url) as database, pytest.raises(StoreError, match="tools of PostgreSQL, such as pg_dump"):
        backup(database, tmp_path, NIGHT)

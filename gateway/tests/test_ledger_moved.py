"""Files that are moved away or replaced under the running daemons: noticed, nothing is stored, clear words."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from floor import Floor
from floor_stores import adding
from sabot_floor.store import StoreError, open_store

TABLES = ("bac-01", "bac-02")


@pytest.fixture
def floor(tmp_path: Path) -> Iterator[Floor]:
    with ExitStack() as stack:
        made = Floor(stack, tmp_path, *TABLES)
        made.greet()
        yield made


def moved(path: Path) -> None:
    path.rename(path.with_name("away.db"))


def replaced(path: Path) -> None:
    copy = path.with_name("copy.db")
    shutil.copy(path, copy)
    path.rename(path.with_name("away.db"))
    copy.rename(path)


@pytest.mark.parametrize(("change", "said"), [(moved, "was moved away or removed"), (replaced, "was replaced by")])
def test_a_ledger_that_is_not_in_its_place_holds_until_it_is_back(
    floor: Floor, change: Callable[[Path], None], said: str
) -> None:
    path = floor.app._ledger.path
    stored = floor.app._ledger.last_seq()
    change(path)
    floor.step(3, pass_s=1.0)
    problem = floor.retained("status")["problem"]
    assert str(path) in problem
    assert said in problem
    floor.lines["bac-01"].coup(1)
    floor.step(5, pass_s=1.1)
    assert floor.app._ledger.last_seq() == stored
    path.with_name("away.db").rename(path)
    floor.step(5, pass_s=1.1)
    assert "problem" not in floor.retained("status")
    assert floor.app._ledger.last_seq() > stored
    assert floor.alarms("bac-01") == ["ledger_not_writable"]


def test_a_write_ahead_log_that_is_removed_holds(floor: Floor) -> None:
    floor.lines["bac-01"].coup(1)
    floor.step(3)
    floor.app._ledger.path.with_name(f"{floor.app._ledger.path.name}-wal").unlink()
    floor.step(3, pass_s=1.0)
    assert "-wal was moved away or removed" in floor.retained("status")["problem"]


@pytest.mark.parametrize("change", [moved, replaced])
def test_a_store_of_the_floor_that_is_not_in_its_place_takes_nothing(
    tmp_path: Path, change: Callable[[Path], None]
) -> None:
    path = tmp_path / "floor.db"
    with open_store(str(path)) as store:
        store.append("log", adding(2))
        change(path)
        with pytest.raises(StoreError, match=r"was (moved away or removed|replaced by another file) while the service"):
            store.append("log", adding(1))
        store.close()  # as after an error of the database
        with pytest.raises(StoreError, match="while the service"):
            store.append("log", adding(1))
        path.with_name("away.db").rename(path)
        store.append("log", adding(1))
        assert store.head("log") is not None


def test_a_write_ahead_log_of_the_floor_that_is_removed_takes_nothing(tmp_path: Path) -> None:
    path, log = tmp_path / "floor.db", tmp_path / "floor.db-wal"
    with open_store(str(path)) as store:
        store.append("log", adding(2))
        log.rename(tmp_path / "away")
        with pytest.raises(StoreError, match=r"floor.db-wal was moved away or removed while the service"):
            store.append("log", adding(1))
        (tmp_path / "away").rename(log)
        store.append("log", adding(1))
        store.close()  # the log goes into the file, and the next one is another
        store.append("log", adding(1))
    with open_store(str(path)) as store:
        head = store.head("log")
        assert head is not None
        assert head.seq == 4

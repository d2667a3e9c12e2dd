"""The check of a floor's config: a store that cannot be written is wrong; one that can be is left as it is."""

import sqlite3
from pathlib import Path

import psycopg
import pytest
from floor_rig import JACKPOTS
from sabot_floor.check import facts
from sabot_floor.store import StoreError, open_store
from sabot_gateway.ledger import Ledger
from sabot_gateway.ledger.audit import verify


@pytest.fixture
def config(tmp_path: Path, store_url: str) -> Path:
    """A config, and a store with one entry."""
    (tmp_path / "jackpots.toml").write_text(JACKPOTS)
    path = tmp_path / "floor.toml"
    path.write_text(f'site = "x"\nstore = "{store_url}"\nbroker = "mqtt://127.0.0.1:9"\njackpots = "jackpots.toml"\n')
    open_store(store_url).close()
    return path


def store_fact(config: Path) -> tuple[str, str]:
    return next((fact.status, fact.says) for fact in facts(config) if fact.subject == "store")


def test_a_store_that_can_be_written_is_left_as_it_is(config: Path, store_url: str) -> None:
    status, says = store_fact(config)
    assert (status, says.endswith("can be read and written")) == ("ok", True)
    with open_store(store_url, read_only=True) as store:
        assert (store.logs(), store.logs_of_entries(), store.cursors()) == ([], [], [])


def test_a_store_that_cannot_be_written_is_wrong(config: Path, store_url: str) -> None:
    if store_url.startswith("postgresql"):
        with psycopg.connect(store_url) as db:
            db.execute("LOCK TABLE entries IN EXCLUSIVE MODE")
            status, says = store_fact(config)
            db.rollback()
        assert "another process held a lock too long" in says
    else:
        other = sqlite3.connect(store_url, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        status, says = store_fact(config)
        other.close()
        assert "another process has kept it locked" in says
    assert status == "wrong"


def test_ledger_and_store_are_not_taken_for_each_other(tmp_path: Path) -> None:
    Ledger(tmp_path / "ledger.db").close()
    open_store(str(tmp_path / "floor.db")).close()
    for read_only in (True, False):
        with pytest.raises(StoreError, match="check it with `sabot ledger verify`"):
            open_store(str(tmp_path / "ledger.db"), read_only=read_only)
    assert "no ledger but a store of the floor service" in verify(tmp_path / "floor.db").faults[0]
    assert verify(tmp_path / "ledger.db").faults == []

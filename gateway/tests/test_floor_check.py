"""The check of a floor's config: a store that cannot be written is wrong; one that can be is left as it is."""

import socket
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from floor_rig import JACKPOTS
from sabot_floor.check import facts
from sabot_floor.store import StoreError, open_store
from sabot_gateway.ledger import Ledger
from sabot_gateway.ledger.audit import verify
from sabot_tools.stand import broker
from sabot_tools.stand.children import Children
from sabot_tools.stand.ports import free_port
from support.patience import PATIENCE_S


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


USERS = """\
server_name: sabot
listen: "127.0.0.1:-1"
jetstream {{ store_dir: "{store}" }}
mqtt {{ listen: "127.0.0.1:{port}" }}
authorization {{ users: [
  {{ user: "floor", password: "open" }},
  {{ user: "blind", password: "open", permissions: {{ subscribe: {{ deny: "sabot.v1.x.*.incident" }} }} }},
] }}
"""


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[str]:
    """Start a broker that requires a login; return its URL."""
    children, port = Children(tmp_path), free_port()
    (tmp_path / "users.conf").write_text(USERS.format(store=tmp_path / "jetstream", port=port))
    children.start("guarded", [broker.nats_server(), "-c", str(tmp_path / "users.conf")])
    give_up_s = time.monotonic() + PATIENCE_S
    while socket.socket().connect_ex(("127.0.0.1", port)):
        assert time.monotonic() < give_up_s
        time.sleep(0.02)
    yield f"mqtt://127.0.0.1:{port}"
    children.stop()


def test_check_tries_the_broker_the_login_and_what_the_floor_must_read_and_write(tmp_path: Path, guarded: str) -> None:
    (tmp_path / "jackpots.toml").write_text(JACKPOTS)
    (tmp_path / "password").touch(mode=0o600)
    path = tmp_path / "floor.toml"

    def found(url: str, user: str, password: str = "open") -> tuple[str, str]:
        (tmp_path / "password").write_text(password)
        login = f'login = {{ user = "{user}", password_file = "password" }}'
        path.write_text(f'site = "x"\nstore = "f.db"\nbroker = "{url}"\njackpots = "jackpots.toml"\n{login}\n')
        return next((fact.status, fact.says) for fact in facts(path) if fact.subject == "broker")

    assert found(guarded, "floor") == ("ok", f"{guarded}: lets us in and takes what we publish")
    assert found(guarded, "floor", "wrong")[0] == "wrong"
    status, says = found(guarded, "blind")
    assert (status, "does not let this user read sabot/v1/x/+/incident;" in says) == ("wrong", True)
    status, says = found("mqtt://127.0.0.1:9", "floor")
    assert (status, says.startswith("no broker at mqtt://127.0.0.1:9: ")) == ("wrong", True)


def test_ledger_and_store_are_not_taken_for_each_other(tmp_path: Path) -> None:
    Ledger(tmp_path / "ledger.db").close()
    open_store(str(tmp_path / "floor.db")).close()
    for read_only in (True, False):
        with pytest.raises(StoreError, match="check it with `sabot ledger verify`"):
            open_store(str(tmp_path / "ledger.db"), read_only=read_only)
    assert "no ledger but a store of the floor service" in verify(tmp_path / "floor.db").faults[0]
    assert verify(tmp_path / "ledger.db").faults == []


def test_names_as_typed_are_a_warning(config: Path) -> None:
    def people() -> tuple[str, bool]:
        return next((fact.status, "people_required" in fact.says) for fact in facts(config) if fact.subject == "people")

    assert people() == ("warning", True)
    config.write_text(f"people_required = true\n{config.read_text()}")
    assert people() == ("ok", False)

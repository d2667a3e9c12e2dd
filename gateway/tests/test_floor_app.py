"""The floor service on a real broker: each increment counts once, whatever is killed; held without a store."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec
import psycopg
from floor_rig import BASE, INCREMENT, JACKPOT, JACKPOTS, Rig, display, rig, server
from sabot_floor.app import App
from sabot_floor.config import Config
from sabot_floor.store import Store
from sabot_floor.store.postgres import PostgresStore
from sabot_floor.store.sqlite import SqliteStore
from sabot_protocol.jackpots.messages import FaultMessage
from sabot_service.broker import Login
from sabot_tools.stand.broker import LocalBroker, nats_server
from sabot_tools.stand.children import Children
from sabot_tools.stand.ports import free_port
from support.patience import PATIENCE_S

__all__ = ["rig", "server"]
LOCK_S = 0.05


def test_increments_move_the_meter(rig: Rig) -> None:
    rig.start()
    table = rig.table()
    rig.send(*(table.increment() for _ in range(40)))
    rig.settle()
    assert rig.meter().meters.display == BASE + 40 * INCREMENT
    assert rig.meter().meters.in_ == 40 * INCREMENT
    assert rig.meter().balanced
    assert display(rig) == BASE + 40 * INCREMENT


def test_what_is_committed_but_not_acknowledged_counts_once(rig: Rig) -> None:
    app = rig.start(relayed=True)
    table = rig.table()
    rig.relay.mute = True  # the service dies before the broker gets its acknowledgements
    rig.send(*(table.increment() for _ in range(10)))
    rig.until(lambda: app.logs.state(JACKPOT).in_ == 10 * INCREMENT)  # type: ignore[union-attr]
    rig.relay.cut()
    rig.kill(app)
    again = rig.start()
    rig.send(*(table.increment() for _ in range(5)))
    rig.until(lambda: again.collector.refusals.counts[JACKPOT, "repeat"] == 10)
    rig.until(lambda: rig.meter().meters.in_ == 15 * INCREMENT)
    assert display(rig) == BASE + 15 * INCREMENT


def test_what_comes_while_the_service_is_away_is_counted_when_it_is_back(rig: Rig) -> None:
    app = rig.start()
    table = rig.table()
    rig.send(table.increment())
    rig.settle()
    rig.kill(app)
    rig.send(*(table.increment() for _ in range(20)))
    rig.until(lambda: not rig.client.unacknowledged)
    rig.start()
    rig.until(lambda: rig.meter().meters.in_ == 21 * INCREMENT)
    assert display(rig) == BASE + 21 * INCREMENT


def test_the_broker_is_killed_and_comes_back(tmp_path: Path, store_url: str) -> None:
    own = LocalBroker(tmp_path)
    try:
        with ExitStack() as stack:
            rig = Rig(stack, own, tmp_path, store_url)
            app = rig.start()
            table = rig.table()
            rig.send(*(table.increment() for _ in range(3)))
            rig.settle()
            ahead = [table.increment() for _ in range(4)]
            rig.send(*ahead[1:])
            rig.until(lambda: len(app.collector.order) == 3)
            own.stop()
            rig.until(lambda: not app.mqtt.client.is_connected())
            assert (app.inbox.waiting(), len(app.collector.order)) == (0, 0)
            rig.send(ahead[0])
            own.start()
            rig.until(lambda: rig.meter().meters.in_ == 7 * INCREMENT, pass_s=0.1)
            assert display(rig) == BASE + 7 * INCREMENT
    finally:
        own.stop()


@contextmanager
def locked(rig: Rig) -> Iterator[None]:
    """Keep the store from being written, as another process that hangs does."""
    if rig.store_url.startswith("postgresql"):
        with psycopg.connect(rig.store_url) as db:
            db.execute("LOCK TABLE logs IN EXCLUSIVE MODE")
            yield
            db.rollback()
    else:
        db_file = sqlite3.connect(rig.store_url, isolation_level=None)
        db_file.execute("BEGIN IMMEDIATE")
        yield
        db_file.execute("ROLLBACK")
        db_file.close()


def impatient(rig: Rig) -> Store:
    """Return a store that waits a moment for a lock."""
    if rig.store_url.startswith("postgresql"):
        return PostgresStore(rig.store_url, lock_s=LOCK_S)
    return SqliteStore(Path(rig.store_url), lock_s=LOCK_S)


def test_a_store_that_cannot_be_written_holds_everything_and_recovers(rig: Rig) -> None:
    app = rig.start(store=impatient(rig))
    table = rig.table()
    rig.send(table.increment())
    rig.settle()
    before = len(rig.client.on("meter"))
    with locked(rig):
        rig.send(*(table.increment() for _ in range(5)))
        rig.until(lambda: app.hold.problem and app.inbox.waiting() == 5)
        for _ in range(5):
            rig.step(0.5)
        assert app.inbox.waiting() == 5
        assert len(rig.client.on("meter")) == before
        status = msgspec.json.decode(rig.ask("status").data)
        assert "lock" in status["store"]["problem"]
        refused = rig.ask(
            "adjust", "A. Smith", jackpot=JACKPOT, id="adjust-1", amount=5, second="B. Jones", role="am", reason="x"
        )
        assert not refused.ok
        assert refused.say.startswith("Nothing was changed: ")
    rig.until(lambda: rig.meter().meters.in_ == 6 * INCREMENT, pass_s=0.2)
    rig.settle()
    assert app.inbox.waiting() == 0
    assert app.hold.problem == ""
    assert msgspec.json.decode(rig.ask("status").data)["store"]["problem"] is None
    assert display(rig) == BASE + 6 * INCREMENT


def test_an_increment_that_is_ahead_waits_for_those_before_it(rig: Rig) -> None:
    app = rig.start()
    table = rig.table()
    first, second, third = (table.increment() for _ in range(3))
    rig.send(third, second)
    rig.until(lambda: len(app.collector.order) == 2)
    for _ in range(20):
        rig.step(1.0)
    assert app.inbox.waiting() == 2
    rig.send(first)
    rig.until(lambda: rig.meter().meters.in_ == 3 * INCREMENT)
    rig.settle()
    assert rig.meter().not_offered == {}


def test_what_stays_missing_is_a_gap_and_withdraws_the_table(rig: Rig) -> None:
    rig.start()
    table = rig.table()
    rig.send(table.increment())
    rig.settle()
    table.increment()  # lost
    rig.send(table.increment())
    rig.until(lambda: rig.meter().not_offered, pass_s=2.0)
    rig.settle()
    assert rig.meter().not_offered == {"bac-01": "increments are missing"}
    assert "bac-01" in rig.meter().tables
    assert rig.meter().meters.in_ == INCREMENT
    faults = [msgspec.convert(fault, FaultMessage) for fault in rig.client.on("fault")]
    assert {fault.name for fault in faults} == {"withdrawn", "mismatch"}
    assert display(rig) == BASE + INCREMENT


def test_a_floor_service_that_is_new_at_a_running_site_joins_once_people_restore_the_table(rig: Rig) -> None:
    rig.start()
    table = rig.table()
    for _ in range(499):
        table.increment()
    rig.send(table.increment())
    rig.until(lambda: rig.meter().not_offered, pass_s=2.0)
    assert rig.ask("restore", "A. Smith", jackpot=JACKPOT, table="bac-01", role="hdd").ok
    rig.send(table.increment(), table.increment())
    rig.until(lambda: rig.meter().meters.in_ == 2 * INCREMENT)
    shown = msgspec.json.decode(rig.ask("show", jackpot=JACKPOT).data)
    assert [(missed["amount"], missed["coups"]) for missed in shown["missed"]] == [(500 * INCREMENT, 500)]


NO_COUPS = """\
server_name: test
listen: "127.0.0.1:-1"
jetstream {{ store_dir: "{store}" }}
mqtt {{ listen: "127.0.0.1:{port}" }}
accounts {{ A {{ jetstream: enabled, users: [
  {{ user: floor, password: secret, permissions: {{ subscribe: {{ deny: ["sabot.v1.*.*.coup"] }} }} }}
] }} }}
"""


def test_topics_that_may_not_be_read_are_named(tmp_path: Path) -> None:
    children, port = Children(tmp_path), free_port()
    (tmp_path / "nats.conf").write_text(NO_COUPS.format(store=tmp_path / "js", port=port))
    (tmp_path / "password").write_text("secret")
    (tmp_path / "password").chmod(0o600)
    (tmp_path / "jackpots.toml").write_text(JACKPOTS)
    children.start("broker", [nats_server(), "-c", str(tmp_path / "nats.conf")])
    config = Config(
        site="test",
        store=str(tmp_path / "floor.db"),
        broker=f"mqtt://127.0.0.1:{port}",
        jackpots=str(tmp_path / "jackpots.toml"),
        login=Login(user="floor", password_file=str(tmp_path / "password")),
    )
    app = App(config)
    try:
        give_up_s = time.monotonic() + PATIENCE_S
        while not app.subscribed:
            app.step(0.01)
            assert time.monotonic() < give_up_s, app.mqtt.problem
        assert app.mqtt.problem is not None
        assert "does not let floor read sabot/v1/test/+/coup: what comes there is not counted" in app.mqtt.problem
    finally:
        app.close()
        children.stop()

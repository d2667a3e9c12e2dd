"""The floor service on a real broker: counted once whatever is killed, refused in a sentence, held without a store."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pytest
from floor_rig import INCREMENT, JACKPOT, JACKPOTS, PATIENCE_S, TIME, Rig, confirmed, server
from sabot_floor.app import App
from sabot_floor.config import Config
from sabot_floor.jackpots import audit
from sabot_floor.jackpots.batch import log_name
from sabot_floor.store import Store
from sabot_floor.store.postgres import PostgresStore
from sabot_floor.store.sqlite import SqliteStore
from sabot_protocol.jackpots.messages import FaultMessage, IncrementMessage, PendingMessage, WinMessage
from sabot_protocol.service.broker import Login
from sabot_protocol.topics import increment_topic
from sabot_tools.stand.broker import LocalBroker, free_port, nats_server
from sabot_tools.stand.children import Children

__all__ = ["server"]
BASE = 100_000
LOCK_S = 0.05


@pytest.fixture
def rig(server: LocalBroker, tmp_path: Path, store_url: str) -> Iterator[Rig]:
    with ExitStack() as stack:
        yield Rig(stack, server, tmp_path, store_url)


def display(rig: Rig) -> int:
    """Return the display in the store; the log must verify, and the meters add up."""
    store = rig.store()
    verdict = audit.verify(store, JACKPOT)
    assert verdict.faults == []
    assert verdict.state is not None
    assert verdict.state.balanced()
    return verdict.state.display


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
    assert rig.meter().meters.in_ == INCREMENT
    faults = [msgspec.convert(fault, FaultMessage) for fault in rig.client.on("fault")]
    assert {fault.name for fault in faults} == {"withdrawn", "mismatch"}
    assert display(rig) == BASE + INCREMENT


def changed(**changes: Any) -> Callable[[IncrementMessage], bytes]:
    """Return what makes a bad payload of a good one."""

    def make(good: IncrementMessage) -> bytes:
        values = msgspec.to_builtins(good) | changes
        return msgspec.json.encode({name: value for name, value in values.items() if value is not None})

    return make


BAD: dict[str, tuple[Callable[[IncrementMessage], bytes], str]] = {
    "no JSON": (lambda good: b"25", "malformed"),
    "nothing": (lambda good: b"", "malformed"),
    "bytes": (lambda good: bytes(range(256)), "malformed"),
    "deep": (lambda good: b"[" * 60_000, "malformed"),
    "huge": (lambda good: changed(gateway="x" * 70_000)(good), "malformed"),
    "an amount with a fraction": (changed(amount=25.5), "malformed"),
    "an amount as a float": (changed(amount=25.0), "malformed"),
    "an amount as text": (changed(amount="25"), "malformed"),
    "no amount": (changed(amount=None), "malformed"),
    "an endless amount": (changed(amount=10**40), "malformed"),
    "more than the parameters give": (changed(amount=26, total=26), "unreasonable"),
    "less than the parameters give": (changed(amount=24, total=24), "amount"),
    "a negative amount": (changed(amount=-25, total=-25), "amount"),
    "another currency": (changed(currency="NZD"), "currency"),
    "another table": (changed(table="bac-02"), "table"),
    "another jackpot": (changed(jackpot="seat"), "malformed"),
    "a coup of another unit": (changed(coup_id="5ab00000000000ff-1"), "coup"),
    "unknown parameters": (changed(parameters="0" * 16), "parameters"),
    "a void coup": (changed(kind="void"), "coup"),
    "no such outcome": (changed(trigger="royal"), "win"),
    "an id of control characters": (changed(id="a\nb"), "malformed"),
    "an empty id": (changed(id=""), "malformed"),
    "a long id": (changed(id="x" * 500), "malformed"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_payload_is_refused_with_a_sentence_and_changes_nothing(
    what: str, server: LocalBroker, tmp_path: Path
) -> None:
    make, reason = BAD[what]
    with ExitStack() as stack:
        rig = Rig(stack, server, tmp_path, str(tmp_path / "floor.db"))
        app = rig.start()
        table = rig.table()
        good = table.increment()
        rig.client.publish(increment_topic(rig.site, "bac-01", JACKPOT), make(good))
        rig.settle()
        assert dict(app.collector.refusals.counts) == {(JACKPOT, reason): 1}
        assert rig.meter().meters.in_ == 0
        assert rig.meter().not_offered == {}
        (sentence,) = app.collector.refusals.newest
        assert len(sentence) > 20
        status = msgspec.json.decode(rig.ask("status").data)
        assert status["refused"] == {JACKPOT: {reason: 1}}
        rig.until(lambda: rig.client.on("fault"))
        assert rig.client.on("fault")[0]["say"] == sentence
        rig.send(good)
        rig.until(lambda: rig.meter().meters.in_ == INCREMENT)


def test_a_flood_of_bad_payloads_leaves_few_entries(rig: Rig) -> None:
    app = rig.start()
    for _ in range(300):
        rig.client.publish(increment_topic(rig.site, "bac-01", JACKPOT), b"{}")
        rig.client.publish(rig.topic("bac-01", "jackpot", "no-such"), b"{}")
        rig.client.publish(rig.topic("bac-01", "jackpot", JACKPOT, "more", "levels"), b"{}")
    rig.settle()
    assert app.collector.refusals.counts == {(JACKPOT, "malformed"): 300, ("", "malformed"): 600}
    head = rig.store().head(log_name(JACKPOT))
    assert head is not None
    assert head.seq < 10


def test_with_a_key_only_signed_messages_count(rig: Rig) -> None:
    key_file = rig.work_dir / "jackpot.key"
    key_file.write_text("5a" * 32 + "\n")
    key_file.chmod(0o600)
    app = rig.start(jackpot_key=str(key_file))
    table = rig.table()
    good = table.increment()
    rig.send(good)
    rig.key = b"\x01" * 32
    rig.send(good)
    rig.settle()
    assert app.collector.refusals.counts == {(JACKPOT, "forged"): 2}
    assert rig.meter().meters.in_ == 0
    rig.key = b"\x5a" * 32
    rig.send(good)
    rig.until(lambda: rig.meter().meters.in_ == INCREMENT)


def test_a_win_goes_from_the_hand_to_the_pay_out(rig: Rig) -> None:
    rig.start()
    table = rig.table()
    rig.send(*(table.increment() for _ in range(3)))
    won = table.increment(trigger="coloured")
    rig.send(table.recorded(won, stakes={"tie": [100, 300]}), won)  # the record may overtake its hand
    rig.until(lambda: rig.client.on("win"))
    rig.settle()
    pending = msgspec.convert(rig.client.on("pending")[-1], PendingMessage)
    assert [(win.table, win.outcome, win.state) for win in pending.wins] == [("bac-01", "coloured", "pending")]
    # 100,000 + 4 x 25 = 100,100 is a multiple of 100; 15 per cent are 15,015; two wagers: 7,508 and 7,507.
    assert pending.wins[0].prize == 15_015
    assert sorted(pending.wins[0].shares) == [7507, 7508]
    refused = rig.ask("confirm", "D. Low", jackpot=JACKPOT, win="bac-01/1/4", role="dealer")
    assert not refused.ok
    assert "13.4.5" in refused.say
    done = rig.ask("confirm", "A. Smith", jackpot=JACKPOT, win="bac-01/1/4", role="area_manager", notified="C. Manager")
    assert done.ok
    assert "prize AUD 150.15" in done.say
    again = rig.ask("confirm", "A. Smith", jackpot=JACKPOT, win="bac-01/1/4", role="area_manager", notified="C.")
    assert not again.ok
    rig.until(lambda: rig.meter().meters.hits == 1)
    rig.settle()
    assert rig.meter().meters.display == 100_100 - 15_015
    assert rig.meter().meters.wins == 15_015
    wins = [msgspec.convert(win, WinMessage) for win in rig.client.on("win")]
    assert [win.win.state for win in wins] == ["pending", "paid"]
    assert len({win.id for win in wins}) == 2
    assert display(rig) == 100_100 - 15_015


def test_wins_are_published_once_more_after_a_kill_and_not_lost(rig: Rig) -> None:
    app = rig.start()
    table = rig.table()
    won = table.increment(trigger="suited")
    rig.send(won)
    rig.settle()
    app.mqtt.hang_up()
    recorded = table.recorded(won, stakes={"tie": [100]})
    rig.send(recorded)
    rig.until(lambda: not rig.client.unacknowledged)
    rig.kill(app)
    rig.start()
    rig.until(lambda: rig.client.on("win"))
    assert rig.client.on("win")[0]["win"]["state"] == "pending"


def test_a_win_that_the_broker_never_got_is_published_after_a_restart(rig: Rig) -> None:
    app = rig.start(relayed=True)
    table = rig.table()
    won = table.increment(trigger="suited")
    rig.send(won)
    rig.settle()
    rig.relay.mute = True
    rig.send(table.recorded(won, stakes={"tie": [100]}))
    rig.until(lambda: app.logs.state(JACKPOT).open[won.coup_id].state == "pending")  # type: ignore[union-attr]
    for _ in range(10):
        rig.step(1.0)  # the cursor is saved
    rig.relay.cut()
    rig.kill(app)
    assert rig.client.on("win") == []
    rig.start()
    rig.until(lambda: rig.client.on("win"))


def test_a_draw_is_made_published_and_verified(rig: Rig) -> None:
    rig.start()
    commitment = rig.apps[0].logs.state("seat").commitment  # type: ignore[union-attr]
    done = rig.ask("draw", "A. Smith", jackpot="seat", role="casino_supervisor", id="draw-0001")
    assert done.ok, done.say
    assert "nz-01 seat " in done.say
    rig.until(lambda: rig.client.on("win", "seat"))
    rig.until(lambda: rig.meter("seat").commitment != commitment)
    verdict = audit.verify(rig.store(), "seat")
    assert (verdict.faults, verdict.draws) == ([], 1)


def test_a_meter_that_others_publish_is_overwritten(rig: Rig) -> None:
    rig.start()
    rig.send(rig.table().increment())
    rig.settle()
    right = rig.client.on("meter")[-1]
    rig.client.publish(rig.topic("jackpot", JACKPOT, "meter"), b'{"forged": true}', retain=True)
    rig.until(lambda: rig.client.on("meter")[-1] == {"forged": True})
    rig.until(lambda: rig.client.on("meter")[-1] == right, pass_s=0.1)


def test_a_fault_of_the_shoe_withdraws_the_table_until_it_is_cleared(rig: Rig) -> None:
    rig.start()
    status = rig.topic("bac-01", "status")
    rig.client.publish(status, msgspec.json.encode({"state": "online", "time": TIME, "fault": "card"}), retain=True)
    rig.until(lambda: rig.meter().not_offered)
    assert rig.meter().not_offered == {"bac-01": "Fault of the shoe: card"}
    rig.client.publish(status, msgspec.json.encode({"state": "online", "time": TIME}), retain=True)
    rig.until(lambda: not rig.meter().not_offered)


def test_a_person_withdraws_a_table_and_a_cleared_fault_does_not_restore_it(rig: Rig) -> None:
    rig.start()
    act = {"jackpot": JACKPOT, "table": "bac-01", "role": "hdd"}
    assert rig.ask("withdraw", "A. Smith", **act, reason="display dark").ok
    rig.client.publish(rig.topic("bac-01", "status"), msgspec.json.encode({"state": "online", "time": TIME}))
    rig.settle()
    assert rig.meter().not_offered == {"bac-01": "display dark"}
    assert rig.ask("restore", "A. Smith", **act).ok
    rig.until(lambda: not rig.meter().not_offered)


def test_a_confirmed_coup_without_increment_is_proposed_and_made_good_once(rig: Rig) -> None:
    rig.start()
    table = rig.table()
    rig.client.publish(rig.topic("bac-01", "confirmed"), msgspec.json.encode(confirmed(table, 1)))
    rig.settle()
    shown = msgspec.json.decode(rig.ask("show", jackpot=JACKPOT).data)
    assert shown["missed"] == []
    rig.until(lambda: rig.client.on("fault"), pass_s=3.0)
    shown = msgspec.json.decode(rig.ask("show", jackpot=JACKPOT).data)
    (missed,) = shown["missed"]
    assert (missed["amount"], missed["trigger"], missed["coup"]) == (INCREMENT, "non_coloured", 1)
    act = {"jackpot": JACKPOT, "missed": missed["id"], "role": "area_manager"}
    assert rig.ask("make-good", "A. Smith", **act).ok
    assert not rig.ask("make-good", "A. Smith", **act).ok
    rig.until(lambda: rig.meter().meters.in_ == INCREMENT)
    assert display(rig) == BASE + INCREMENT


def test_a_confirmed_coup_with_its_increment_is_not_proposed(rig: Rig) -> None:
    app = rig.start()
    table = rig.table()
    good = table.increment()
    rig.client.publish(rig.topic("bac-01", "confirmed"), msgspec.json.encode(confirmed(table, 1)))
    rig.send(good)
    rig.settle()
    for _ in range(200):
        rig.step(1.0)
    assert app.logs.state(JACKPOT).missed == []  # type: ignore[union-attr]
    assert rig.client.on("fault") == []


def test_new_parameters_are_noted_and_wait(rig: Rig) -> None:
    app = rig.start()
    rig.send(rig.table().increment())
    rig.settle()
    before = rig.meter()
    path = rig.work_dir / "jackpots.toml"
    path.write_text(path.read_text().replace("increment = 25\n", "version = 2\nincrement = 20\n", 1))
    app._signals.reloading = True
    rig.until(lambda: rig.meter().waiting, pass_s=0.2)
    assert rig.meter().parameters == before.parameters
    path.write_text("no = 1")
    app._signals.reloading = True
    rig.until(lambda: not app._signals.reloading, pass_s=0.2)
    assert set(app.logs.served) == {JACKPOT, "seat"}


def test_two_workers_on_one_store_count_once(server: LocalBroker, tmp_path: Path, postgres: Any) -> None:
    with ExitStack() as stack:
        rig = Rig(stack, server, tmp_path, postgres.new_store())
        one, two = rig.start("1"), rig.start("2")
        tables = [rig.table("bac-01"), rig.table("bac-02")]
        for _ in range(30):
            rig.send(*(table.increment() for table in tables for _ in range(5)))
            rig.step()
        rig.settle()
        rig.kill(one)
        for _ in range(5):
            rig.send(*(table.increment() for table in tables))
            rig.step()
        three = rig.start("1")
        rig.until(lambda: rig.meter().meters.in_ == 310 * INCREMENT)
        rig.settle()
        assert two.logs.standing(JACKPOT) is not None
        assert three.logs.standing(JACKPOT) is not None
        assert display(rig) == BASE + 310 * INCREMENT
        increments = [entry for entry in rig.store().entries(log_name(JACKPOT)) if entry.kind == "increment"]
        assert len(increments) == len({entry.id for entry in increments}) == 310


def test_a_worker_sees_at_once_what_another_has_stored(server: LocalBroker, tmp_path: Path, postgres: Any) -> None:
    with ExitStack() as stack:
        rig = Rig(stack, server, tmp_path, postgres.new_database())
        one, two = rig.start("1"), rig.start("2")
        table = rig.table()
        rig.until(lambda: one.idle() and two.idle())
        for _ in range(5):  # in no time: nothing is due by time alone
            rig.send(*(table.increment() for _ in range(3)))
            rig.until(lambda: not rig.client.unacknowledged, pass_s=0.0)
            rig.until(lambda: _count(one) == _count(two) == table.count, pass_s=0.0)
            rig.until(lambda: not one.inbox.waiting() and not two.inbox.waiting(), pass_s=0.0)
        won = table.increment(trigger="suited")
        rig.apps.remove(two)  # it stands still
        rig.send(won, table.recorded(won, stakes={"tie": [100]}))
        rig.until(lambda: rig.client.on("win"))
        done = rig.ask_of(two, "confirm", "A", jackpot=JACKPOT, win="bac-01/1/16", role="am", notified="B")
        assert done.ok, done.say
        rig.apps.append(two)


def _count(app: App) -> int:
    state = app.logs.state(JACKPOT)
    assert state is not None
    return state.sequences["bac-01"]["gw-1"].count if state.sequences else 0


def test_a_new_worker_does_not_publish_old_wins_again(rig: Rig) -> None:
    app = rig.start()
    table = rig.table()
    won = table.increment(trigger="suited")
    rig.send(won, table.recorded(won, stakes={"tie": [100]}))
    rig.until(lambda: rig.client.on("win"))
    rig.settle()
    rig.step(2.0)  # the cursor is saved
    rig.kill(app)
    rig.start("2")
    rig.settle()
    assert len(rig.client.on("win")) == 1


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

"""Several workers of the floor service on one store: nothing counts twice."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any

from floor_rig import BASE, INCREMENT, JACKPOT, Rig, display, rig, server
from sabot_floor.app import App
from sabot_floor.jackpots.batch import log_name
from sabot_tools.stand.broker import LocalBroker

__all__ = ["rig", "server"]


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

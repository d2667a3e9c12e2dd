"""Wins, tables and missed coups through the floor service: what people do, and what is published."""

import msgspec
import pytest
from floor_rig import BASE, INCREMENT, JACKPOT, TIME, Rig, confirmed, display, rig, server
from sabot_floor.jackpots import audit
from sabot_protocol.jackpots.messages import PendingMessage, WinMessage

__all__ = ["rig", "server"]


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


def test_a_coup_that_was_corrected_is_named_by_shoe_and_coup(rig: Rig) -> None:
    """Two wins have the same table, shoe and coup: what is asked says which of them is meant."""
    rig.start()
    table, who = rig.table(), {"jackpot": JACKPOT, "win": "bac-01/1/1", "role": "area_manager"}
    won = table.increment(trigger="coloured")
    rig.send(won, table.recorded(won, stakes={"tie": [100]}))
    rig.settle()
    assert rig.ask("confirm", "A. Smith", **who, notified="C. Manager").ok
    back = table.increment(amount=-INCREMENT, reverses=won.id, coup_id="gw-1-7", coup=1, operator=-INCREMENT)
    again = table.increment(trigger="suited", coup_id="gw-1-8", coup=1)
    rig.send(back, again, table.recorded(again, stakes={"tie": [100]}))
    rig.settle()
    assert rig.ask("settle", "O. Berg", **who, reason="recovered").ok
    done = rig.ask("confirm", "A. Smith", **who, notified="C. Manager")
    assert done.ok, done.say
    third = table.increment(amount=-INCREMENT, reverses=again.id, coup_id="gw-1-9", coup=1, operator=-INCREMENT)
    rig.send(third)
    rig.settle()
    assert rig.ask("settle", "O. Berg", **who, reason="recovered").ok
    shown = msgspec.json.decode(rig.ask("show", jackpot=JACKPOT).data)
    assert shown["differences"] == []
    assert audit.verify(rig.store(), JACKPOT).faults == []


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


@pytest.mark.parametrize(
    ("fault", "words"),
    [("card", "Fault of the shoe: card"), ("cannot_read", "Fault of the shoe: a card that cannot be read")],
)
def test_a_fault_of_the_shoe_withdraws_the_table_until_it_is_cleared(rig: Rig, fault: str, words: str) -> None:
    rig.start()
    status = rig.topic("bac-01", "status")
    rig.client.publish(status, msgspec.json.encode({"state": "online", "time": TIME, "fault": fault}), retain=True)
    rig.settle()
    assert rig.meter().not_offered == {}
    rig.until(lambda: rig.meter().not_offered, pass_s=0.5)
    assert rig.meter().not_offered == {"bac-01": words}
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


def test_coups_before_a_fault_count_also_if_the_service_was_away(rig: Rig) -> None:
    app = rig.start()
    table = rig.table()
    rig.kill(app)
    status = msgspec.json.encode({"state": "online", "time": TIME, "fault": "card"})
    rig.send(*(table.increment() for _ in range(30)))
    rig.client.publish(rig.topic("bac-01", "status"), status, retain=True)
    rig.until(lambda: not rig.client.unacknowledged)
    rig.start()
    rig.until(lambda: rig.meter().meters.in_ == 30 * INCREMENT, pass_s=0.002)  # not faster than the broker
    rig.until(lambda: rig.meter().not_offered, pass_s=0.2)
    assert rig.meter().meters.in_ == 30 * INCREMENT

"""What was missed is made good at the floor service: by table, shoe and coup, and with another amount."""

import msgspec
from floor_rig import BASE, JACKPOT, Rig, confirmed, display, rig, server

__all__ = ["rig", "server"]


def test_a_missed_coup_is_made_good_by_its_place_and_with_another_amount(rig: Rig) -> None:
    rig.start()
    act = {"jackpot": JACKPOT, "missed": "bac-01/1/1", "role": "area_manager"}
    rig.client.publish(rig.topic("bac-01", "confirmed"), msgspec.json.encode(confirmed(rig.table(), 1)))
    rig.settle()
    early = rig.ask("make-good", "A. Smith", **act)
    assert not early.ok
    assert "its increment may still come" in early.say
    rig.until(lambda: rig.client.on("fault"), pass_s=3.0)
    assert not rig.ask("make-good", "A. Smith", **act, amount=26).ok  # one coup gives no more than 25
    assert rig.ask("make-good", "A. Smith", **act, amount=20).ok
    rig.until(lambda: rig.meter().meters.in_ == 20)
    assert display(rig) == BASE + 20


def test_a_win_in_a_sum_that_was_made_good_is_recorded_at_once(rig: Rig) -> None:
    rig.start()
    table = rig.table()
    rig.send(table.increment())
    lost = table.increment(trigger="suited")
    rig.settle()
    act = {"jackpot": JACKPOT, "role": "area_manager"}
    assert rig.ask("withdraw", "A. Smith", **act, table="bac-01", reason="the line is cut").ok
    assert rig.ask("restore", "A. Smith", **act, table="bac-01", reason="the cable is replaced").ok
    (logged,) = [entry for entry in rig.store().entries(f"jackpot/{JACKPOT}") if entry.kind == "restored"]
    assert msgspec.json.decode(logged.payload)["entry"]["reason"] == "the cable is replaced"
    rig.send(table.increment())
    rig.until(lambda: rig.meter().meters.in_ == 50)
    (missed,) = msgspec.json.decode(rig.ask("show", jackpot=JACKPOT).data)["missed"]
    assert (missed["id"], missed["amount"]) == ("bac-01/gw-1/2-2", 25)
    assert rig.ask("make-good", "A. Smith", **act, missed=missed["id"]).ok
    rig.send(table.recorded(lost, stakes={"tie": [100]}))
    rig.until(lambda: rig.client.on("win"))
    assert rig.client.on("win")[-1]["win"]["value"] == BASE + 75
    assert display(rig) == BASE + 75

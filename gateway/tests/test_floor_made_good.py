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

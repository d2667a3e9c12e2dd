"""Beats that another client forges, sends again, or sends from its own topic, order nothing and show no clock."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest
from floor_rig import Rig, rig, server
from msgspec.structs import replace
from sabot_protocol.jackpots import signing
from sabot_protocol.topics import BeatMessage
from sabot_service.moment import utc
from test_floor_order import Gateway, faults, live, pair, pending, undecided

__all__ = ["rig", "server"]
KEY = bytes(range(32))
Forge = Callable[[Gateway], None]


@pytest.fixture
def store_url(tmp_path: Path) -> str:
    return str(tmp_path / "floor.db")


def keyed(rig: Rig) -> tuple[Gateway, Gateway]:
    """Start a floor service with a jackpot key, and two gateways whose own topics name them."""
    rig.key = KEY
    (rig.work_dir / "jackpot.key").touch(mode=0o600)
    (rig.work_dir / "jackpot.key").write_text(f"{KEY.hex()}\n")
    rig.start(jackpot_key=str(rig.work_dir / "jackpot.key"))
    both = pair(rig)
    for gateway in both:
        status = {"state": "online", "time": utc(0), "ledger": gateway.id, "tables": [gateway.table.name]}
        rig.client.publish(rig.topic("gateway", gateway.name, "status"), msgspec.json.encode(status), retain=True)
    live(rig, *both)
    return both


def unsigned(victim: Gateway) -> None:
    victim.put_beat(replace(victim.made_beat(), entry=0))
    victim.put_beat(replace(victim.made_beat(), time=utc(4_000_000_000), entry=victim.entry))


def with_another_key(victim: Gateway) -> None:
    victim.put_beat(signing.sign(replace(victim.made_beat(), entry=0), bytes(32)))


def changed(victim: Gateway) -> None:
    """What the broker carried, with another entry."""
    victim.put_beat(replace(signing.sign(victim.made_beat(), KEY), entry=0))


def from_its_own_topic(victim: Gateway) -> None:
    """A neighbour has the key of the site too, but the broker lets it write its own topics only."""
    victim.put_beat(signing.sign(replace(victim.made_beat(), entry=0), KEY), name="pit-9")
    victim.put_beat(signing.sign(replace(victim.made_beat(), entry=0), KEY), name="pit-1")


@pytest.mark.parametrize("forge", [unsigned, with_another_key, changed, from_its_own_topic])
def test_a_forged_beat_makes_no_late_record_certain_and_no_clock_wrong(rig: Rig, forge: Forge) -> None:
    """bac-02 records first, and is cut off; with a beat that names an older entry it would come after bac-01."""
    one, two = keyed(rig)
    won = [one.hit("suited"), two.hit("suited")]
    live(rig, one, two)
    two.link(False)
    two.record(won[1])
    live(rig, one, seconds=8)
    forge(two)
    live(rig, one, seconds=1)
    one.record(won[0])
    live(rig, one)
    two.link(True)
    live(rig, one, two)
    assert pending(rig) == ["bac-01", "bac-02"]
    assert undecided(rig) == ["bac-02"]
    assert faults(rig, "clock") == []


@pytest.mark.parametrize("forge", [unsigned, with_another_key, changed, from_its_own_topic])
def test_a_forged_beat_makes_no_late_record_prompt(rig: Rig, forge: Forge) -> None:
    one, two = keyed(rig)
    won = [one.hit("suited"), two.hit("suited")]
    live(rig, one, two)
    two.link(False)
    two.record(won[1])
    live(rig, one, seconds=8)
    one.record(won[0])
    live(rig, one)
    forge(two)
    live(rig, one, seconds=1)
    two.link(True)
    live(rig, one, two)
    assert undecided(rig) == ["bac-02"]


def test_beats_that_are_sent_again_show_nothing(rig: Rig) -> None:
    """They are signed, and as they were: the clock of their gateway has gone on since."""
    one, two = keyed(rig)
    won = [one.hit("suited"), two.hit("suited")]
    kept: list[BeatMessage] = []
    for _ in range(4):
        kept.append(signing.sign(two.made_beat(), KEY))
        live(rig, one, two, seconds=1)
    two.link(False)
    two.record(won[1])
    live(rig, one, seconds=8)
    one.record(won[0])
    live(rig, one)
    for beat in kept:
        two.put_beat(beat)
        live(rig, one, seconds=1)
    two.link(True)
    live(rig, one, two)
    assert undecided(rig) == ["bac-02"]


def test_a_clock_that_is_set_back_is_seen_with_the_next_entry(rig: Rig) -> None:
    one, two = keyed(rig)
    live(rig, one, two)
    two.wrong = timedelta(days=-20_000)  # 1972: the battery of that PC is empty
    hit = two.hit("suited")
    live(rig, one, two)
    assert faults(rig, "clock") == [("bac-02", True)]
    two.record(hit)
    live(rig, one, two)
    two.wrong = timedelta()
    live(rig, one, two)
    assert faults(rig, "clock") == [("bac-02", True), ("bac-02", False)]
    assert undecided(rig) == []


def test_a_forged_beat_is_counted(rig: Rig) -> None:
    _, two = keyed(rig)
    with_another_key(two)
    rig.until(lambda: rig.apps[0].collector.refusals.counts["", "forged"])
    assert "beat" in rig.apps[0].collector.refusals.newest[-1]


def test_a_gateway_that_sends_beats_is_late_while_none_has_come(rig: Rig) -> None:
    """The floor was restarted in the outage: it has heard no beat of that gateway, and its clock proves nothing."""
    one, two = keyed(rig)
    won = [one.hit("suited"), two.hit("suited")]
    live(rig, one, two)
    two.link(False)
    two.record(won[1])
    rig.kill(rig.apps[0])
    rig.start(jackpot_key=str(rig.work_dir / "jackpot.key"))
    live(rig, one, seconds=15)
    one.record(won[0])
    live(rig, one)
    two.link(True)
    rig.until(lambda: len(pending(rig)) == 2)
    assert undecided(rig) == ["bac-02"]

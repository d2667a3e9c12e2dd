"""Alarms about a line: frames that are not the shoe's, and keys that are missing where they are required."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sabot_gateway.shoe.line_watch import LineWatch, Stall
from shoe_events import KEY, UNIT
from tcp_floor import CONFIRM, Floor, LogShoe, Open, floors
from test_app import key_file

OTHER = "5ab0000000000002"
QUIET = dict.fromkeys(("unauthenticated", "forged", "replayed", "strays", "unknown", "oversize"), 0)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    with floors(tmp_path) as make:
        yield make


def names(floor: Floor, table: int = 1) -> list[str]:
    return [alarm["name"] for alarm in floor.alarms(table)]


def flood(shoe: LogShoe, frames: int, kind: str) -> None:
    """Events that somebody else puts on the line of a keyed shoe: without a MAC, or with one that is made up."""
    seal, shoe._seal = shoe._seal, None
    head = b"\x02\x01" if kind == "forged" else b"\x02\x00"
    for _ in range(frames):
        shoe.say(head + bytes(6) + (4).to_bytes(4, "little") + CONFIRM + (bytes(8) if kind == "forged" else b""))
    shoe._seal = seal


@pytest.mark.parametrize("kind", ["unauthenticated", "forged"])
def test_many_forged_frames_are_an_alarm_once_until_somebody_has_seen_it(
    opened: Open, tmp_path: Path, kind: str
) -> None:
    shoe, other = LogShoe(key=KEY), LogShoe(OTHER)
    floor = opened(shoe, other, keys=key_file(tmp_path), keys_required=False)
    shoe.press(3)
    floor.run(3)
    flood(shoe, 100, kind)
    floor.run(1)
    assert names(floor) == []  # they may be an accident
    for _ in range(10):
        flood(shoe, 200, kind)
        floor.run(1)
    assert names(floor) == ["forged_frames"]
    say = floor.alarms()[0]["say"]
    assert f"{kind})" in say
    assert (floor.status()["state"], floor.status()["problem"]) == ("online", say)
    assert floor.app._tables["bac-01"].status()["line"][kind] == 2100
    assert names(floor, 2) == []
    floor.acknowledge()
    floor.run(61)
    assert (names(floor), "problem" in floor.status()) == ([], False)
    flood(shoe, 200, kind)
    floor.run(1)
    assert names(floor) == ["forged_frames"]
    shoe.press(3)
    floor.run(2)
    assert floor.stored() == [1, 2, 3, 4, 5, 6]


def test_a_rate_counts_a_minute_and_begins_again() -> None:
    watch, counters = LineWatch(), dict(QUIET)
    for second in range(600):  # a shoe with a wrong key answers once a second, for hours
        counters["forged"] += 1
        assert watch.look(counters, float(second), served=False) == {}
    counters["replayed"] += 101
    (say,) = watch.look(counters, 601.0, served=False).values()
    assert "replayed" in say
    assert watch.look(counters, 602.0, served=False) == {}


def test_what_cannot_be_read_on_a_line_without_a_shoe_has_a_problem_of_its_own() -> None:
    watch, counters = LineWatch(), QUIET | {"oversize": 50}
    assert watch.look(counters, 0.0, served=False) == {}
    assert list(watch.look(QUIET | {"oversize": 100}, 1.0, served=True)) == ["unreadable_frames"]


def test_a_log_is_stalled_when_many_frames_in_half_a_minute_bring_nothing() -> None:
    stall = Stall()
    assert not any(stall.frame(second / 10) for second in range(300))
    assert stall.frame(30.0)
    assert not stall.frame(30.1)
    few = Stall()
    assert not any(few.frame(float(10 * n)) for n in range(9))  # a ledger that was held: hardly a frame was read
    assert few.frame(100.0)
    few.progress()
    assert not few.frame(200.0)


# Keys


def test_where_keys_are_given_a_shoe_without_one_is_not_served(opened: Open, tmp_path: Path) -> None:
    keyless, keyed = LogShoe(OTHER), LogShoe(key=KEY)
    floor = opened(keyless, keyed, keys=key_file(tmp_path))
    keyless.press(3)
    keyed.press(3)
    floor.run(4)
    assert [floor.status(table)["state"] for table in (1, 2)] == ["offline", "online"]
    assert f"shoe {OTHER} has no key, and this gateway serves only shoes that have one" in floor.status(1)["problem"]
    assert f"sabot keys new {OTHER}" in floor.status(1)["problem"]
    assert "keys_required = false" in floor.status(1)["problem"]
    assert (keyless.acked, floor.stored(OTHER), floor.stored(UNIT)) == (0, [], [1, 2, 3])


def test_a_shoe_without_a_key_is_served_where_the_config_allows_it(opened: Open, tmp_path: Path) -> None:
    keyless = LogShoe(OTHER)
    floor = opened(keyless, keys=key_file(tmp_path), keys_required=False)
    keyless.press(3)
    floor.run(4)
    assert (floor.status()["state"], floor.status()["authenticated"]) == ("online", False)
    assert floor.stored(OTHER) == [1, 2, 3]


def test_a_look_is_due_when_a_counter_has_risen_and_when_a_minute_is_over() -> None:
    watch = LineWatch()
    assert watch.due(0, 1000.0)
    watch.look(QUIET, 1000.0, served=True)
    assert not watch.due(0, 1000.25)
    assert watch.due(1, 1000.5)
    assert watch.look({**QUIET, "forged": 1}, 1000.5, served=True) == {}
    assert not watch.due(1, 1059.9)
    assert watch.due(1, 1060.0)

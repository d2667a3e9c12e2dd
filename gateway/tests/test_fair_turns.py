"""A turn of the loop is short; no source waits for its turn while another has two."""

from collections import Counter
from dataclasses import dataclass

from sabot_gateway.fair_turns import FairTurns

LONGEST_S = 0.01


@dataclass
class Clock:
    """A clock that serving a source moves on."""

    now_s: float = 0.0

    def __call__(self) -> float:
        return self.now_s


def turn(turns: FairTurns, clock: Clock, ready: list[object], each_s: float) -> list[object]:
    """Serve what a turn gives, each source for so long; return the sources."""
    served = []
    for source in turns.take(ready, clock.now_s):
        clock.now_s += each_s
        served.append(source)
    assert served == turns.served
    return served


def test_a_short_turn_serves_every_source_that_is_ready_in_order() -> None:
    clock = Clock()
    assert turn(FairTurns(clock), clock, ["a", "b", "c"], 0.001) == ["a", "b", "c"]


def test_a_long_turn_ends_and_those_left_over_come_first_in_the_next() -> None:
    clock = Clock()
    turns = FairTurns(clock)
    assert turn(turns, clock, ["a", "b", "c", "d"], LONGEST_S / 2) == ["a", "b"]
    assert turn(turns, clock, ["a", "b", "c", "d"], LONGEST_S / 2) == ["c", "d"]
    assert turn(turns, clock, ["a", "b", "c", "d"], LONGEST_S / 2) == ["a", "b"]


def test_a_source_that_takes_a_whole_turn_is_served_and_the_others_after_it() -> None:
    clock = Clock()
    turns = FairTurns(clock)
    assert [turn(turns, clock, ["slow", "a", "b"], LONGEST_S * 3)[0] for _ in range(4)] == ["slow", "a", "b", "slow"]


def test_a_source_that_was_left_over_and_is_not_ready_any_more_is_not_served() -> None:
    clock = Clock()
    turns = FairTurns(clock)
    assert turn(turns, clock, ["a", "b", "c"], LONGEST_S) == ["a"]
    assert turn(turns, clock, ["a", "c"], LONGEST_S / 4) == ["c", "a"]


def test_two_hundred_sources_that_are_always_ready_have_as_many_turns_each() -> None:
    clock = Clock()
    turns, counts = FairTurns(clock), Counter[object]()
    ready: list[object] = list(range(200))
    for _ in range(100):
        counts.update(turn(turns, clock, ready, LONGEST_S / 7))
        assert max(counts.values()) - min(counts[one] for one in ready) <= 1
    assert sum(counts.values()) >= 700

"""Which entries of each ledger the projection has: intervals, gaps, heads."""

import itertools

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from sabot_floor.inbox import Arrived
from sabot_floor.projection import coverage
from sabot_floor.projection.coverage import merged
from sabot_floor.projection.feed import Feed
from sabot_floor.store import Store
from sabot_floor.store.rows import Covered, Head
from structlog.testing import capture_logs


def test_intervals_that_touch_are_one() -> None:
    assert merged([(5, 7), (0, 2), (2, 3), (6, 6)]) == [(0, 3), (5, 7)]
    assert merged([(0, 10), (2, 3)]) == [(0, 10)]
    assert merged([]) == []


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 5)).map(lambda two: (two[0], two[0] + two[1]))))
def test_merged_intervals_hold_the_same_entries(intervals: list[tuple[int, int]]) -> None:
    found = merged(intervals)
    held = [entry for after, last in found for entry in range(after + 1, last + 1)]
    assert set(held) == {entry for after, last in intervals for entry in range(after + 1, last + 1)}
    assert held == sorted(set(held))
    assert all(end < after for (_, end), (after, _) in itertools.pairwise(found))


def test_of_too_many_intervals_the_newest_are_kept() -> None:
    assert merged([(2 * number, 2 * number + 1) for number in range(1003)])[0] == (6, 7)


def covering(store: Store, *covered: Covered) -> None:
    with store.writing("projection"):
        coverage.add(store, covered)


def head(entry: int, day: int, gateway: str = "a") -> Arrived:
    fields = {"gateway": gateway, "entry": entry, "hash": "ff", "time": f"2026-03-{day:02}T10:00:00.000Z"}
    return Arrived("sabot/v1/sydney/ledger", msgspec.json.encode({**fields, "signature": "00"}))


def test_gaps_are_what_lies_between(store: Store) -> None:
    covering(store, Covered("a", 0, 4), Covered("a", 9, 12), Covered("b", 7, 8))
    first, second = coverage.gateways(store)
    assert (first.gateway, first.covered_to, first.gaps, first.first_gaps, first.head) == ("a", 12, 1, [(5, 9)], 0)
    assert (second.gateway, second.covered_to, second.first_gaps) == ("b", 8, [(1, 7)])
    covering(store, Covered("a", 4, 9))
    assert coverage.intervals_of(store, "a") == [(0, 12)]
    assert coverage.gateways(store)[0].gaps == 0


def test_more_gaps_than_can_be_kept_are_noted(store: Store) -> None:
    covering(store, *(Covered("a", 2 * number, 2 * number + 1) for number in range(1100)))
    (found,) = coverage.gateways(store)
    assert (found.more_gaps, found.gaps, len(found.first_gaps)) == (True, 1000, 5)


def test_the_newest_head_of_each_day_is_kept(store: Store) -> None:
    feed = Feed(store, "sydney")
    feed.take([head(9, 2), head(5, 1), head(7, 1), head(6, 1), head(0, 3)])
    named = Arrived("sabot/v1/sydney/gateway/pit-1/ledger", head(3, 1, "b").payload)
    feed.take([named])
    times = [f"2026-03-{day:02}T10:00:00.000Z" for day in (1, 2)]
    assert coverage.heads_of(store, "a") == [
        Head("a", "2026-03-01", 7, "ff", times[0], "00"),
        Head("a", "2026-03-02", 9, "ff", times[1], "00"),
    ]
    assert [(one.gateway, one.head) for one in coverage.gateways(store)] == [("a", 9), ("b", 3)]


def placed(entry: int, after: int) -> Arrived:
    text = f'{{"gateway":"a","entry":{entry},"after":{after},"x":1}}'
    return Arrived("sabot/v1/sydney/bac-01/health", text.encode())


def test_the_log_has_a_line_when_a_gap_is_found_and_when_it_is_closed(store: Store) -> None:
    feed = Feed(store, "sydney")
    with capture_logs() as logs:
        feed.take([placed(1, 0), placed(2, 1)])
        feed.take([placed(9, 7)])
        feed.take([placed(10, 9)])
        feed.take([placed(5, 2)])
        covering(store, Covered("a", 5, 7))  # a rebuild
        feed.take([placed(11, 10)])
        feed.take([placed(12, 11)])
    assert [(one["log_level"], one["event"]) for one in logs] == [
        (
            "warning",
            "entries of gateway a are missing: 3 to 7; if they do not come, give its ledger to `sabot floor rebuild "
            "--ledger FILE`",
        ),
        ("info", "no entry of gateway a is missing any more"),
    ]

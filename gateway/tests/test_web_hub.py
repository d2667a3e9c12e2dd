"""The hub: one state for all readers, the newest wins, beats, and readers that do not read."""

from typing import Any

import msgspec
import pytest
from sabot_floor.web import channels
from sabot_floor.web.hub import BEAT, LOCKED, MOST_OF_ADDRESS, Hub, RefusedError
from sabot_floor.web.site_state import SiteState
from sabot_service.moment import Moment

TIME = "2026-10-17T09:00:00.000Z"
STATUS = msgspec.json.encode({"state": "online", "time": TIME, "rulebook": "crown-baccarat"})


def at(now_s: float) -> Moment:
    return Moment(now_s, TIME)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Hub:
    """Yield a hub with the channels `count/<table>` and `clock`."""
    calls: list[str] = []

    def count(site: SiteState, key: str, _at: Moment) -> dict[str, Any]:
        calls.append(key)
        if key == "bad":
            raise RuntimeError("no such thing")
        return {"calls": calls.count(key)}

    def clock(_site: SiteState, _key: str, now: Moment) -> dict[str, int]:
        return {"s": int(now.now_s) // 5}

    monkeypatch.setitem(channels.CHANNELS, "count", channels.Channel(count, frozenset({"table/status"}), True, True))
    monkeypatch.setitem(channels.CHANNELS, "clock", channels.Channel(clock, frozenset(), True, every_s=1.0))
    return Hub("sydney")


def put(hub: Hub, table: str, now_s: float) -> None:
    hub.received(f"sabot/v1/sydney/{table}/status", STATUS, at(now_s))


def state(number: int) -> bytes:
    return b'event: state\ndata: {"calls":%d}\n\n' % number


def test_a_view_is_computed_once_for_all_readers(hub: Hub) -> None:
    streams = [hub.open("count/bac-01", "10.0.0.1", "", at(0)) for _ in range(3)]
    assert [one.take() for one in streams] == [state(1)] * 3
    put(hub, "bac-01", 1)
    hub.step(at(1))
    taken = [one.take() for one in streams]
    assert taken == [state(2)] * 3
    assert taken[0] is taken[1]


def test_a_change_of_another_table_changes_nothing(hub: Hub) -> None:
    stream = hub.open("count/bac-01", "", "", at(0))
    stream.take()
    put(hub, "bac-02", 1)
    assert hub.step(at(1)) is None
    assert stream.take() == b""


def test_changes_are_coalesced_and_the_newest_wins(hub: Hub) -> None:
    stream = hub.open("count/bac-01", "", "", at(0))
    for _ in range(10):
        put(hub, "bac-01", 0.01)
    assert hub.step(at(0.01)) == pytest.approx(0.05)
    assert stream.take() == state(1)
    hub.step(at(0.05))
    put(hub, "bac-01", 0.2)
    hub.step(at(0.2))
    assert stream.take() == state(3)
    assert stream.take() == b""


def test_a_large_view_has_a_pace_of_its_own(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(channels.CHANNELS, "count", channels.CHANNELS["count"]._replace(least_s=0.25))
    stream = hub.open("count/bac-01", "", "", at(0))
    stream.take()
    put(hub, "bac-01", 0.1)
    assert hub.step(at(0.2)) == 0.25
    assert not stream.waits()
    hub.step(at(0.25))
    assert stream.take() == state(2)


def test_a_view_that_changes_with_time_is_sent_only_when_it_differs(hub: Hub) -> None:
    stream = hub.open("clock", "", "", at(0))
    assert stream.take() == b'event: state\ndata: {"s":0}\n\n'
    hub.step(at(2))
    assert stream.take() == b""
    hub.step(at(5))
    assert stream.take() == b'event: state\ndata: {"s":1}\n\n'


def test_a_beat_comes_every_second_and_a_half(hub: Hub) -> None:
    stream = hub.open("clock", "", "", at(0))
    stream.take()
    hub.tick(10.0)
    assert stream.take() == BEAT
    hub.tick(11.4)
    assert stream.take() == b""
    hub.tick(11.5)
    assert stream.take() == BEAT


def test_an_error_in_a_view_is_shown_and_others_go_on(hub: Hub) -> None:
    bad, good = hub.open("count/bad", "", "", at(0)), hub.open("count/bac-01", "", "", at(0))
    assert bad.take().startswith(b"event: broken\n")
    put(hub, "bad", 1)
    put(hub, "bac-01", 1)
    hub.step(at(1))
    assert (good.take(), hub.broken) == (state(2), 1)


def test_a_reader_that_takes_nothing_for_ten_seconds_is_dropped(hub: Hub) -> None:
    stream, dropped = hub.open("clock", "", "", at(0)), list[int]()
    stream.drop = lambda: dropped.append(1)
    stream.taken_s = 0.0
    hub.tick(10.0)
    assert dropped == []
    hub.tick(12.0)
    assert (dropped, hub.dropped) == ([1], 1)


def test_one_address_has_at_most_200_streams_and_this_machine_more(hub: Hub) -> None:
    streams = [hub.open("clock", "10.0.0.1", "", at(0)) for _ in range(200)]
    assert len(streams) == MOST_OF_ADDRESS
    with pytest.raises(RefusedError, match="Too many"):
        hub.open("clock", "10.0.0.1", "", at(0))
    hub.open("clock", "10.0.0.2", "", at(0))
    for _ in range(300):
        hub.open("clock", "127.0.0.1", "", at(0))
    hub.close(streams[0])
    hub.close(streams[0])
    hub.open("clock", "10.0.0.1", "", at(0))
    assert hub.streams() == 200 + 1 + 300


def test_streams_of_a_session_end_with_it(hub: Hub) -> None:
    mine, other = hub.open("clock", "", "s1", at(0)), hub.open("clock", "", "s2", at(0))
    hub.end_sessions({"s1"})
    assert (mine.take(), mine.ended, other.ended) == (LOCKED, True, False)

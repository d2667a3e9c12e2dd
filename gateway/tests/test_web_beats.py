"""Beats of gateways: silence of more than 3 s is a lost link, with time by hand; only what changes is sent."""

import msgspec
import pytest
from sabot_floor.web.hub import BEAT, Hub
from sabot_floor.web.site_state import Link, SiteState
from sabot_floor.web.views import pit
from sabot_service.moment import Moment

TIME = "2026-10-17T09:00:00.000Z"
ROOT = "sabot/v1/sydney/"
LIVE, HANGS, GONE = Link(True, True, True), Link(True, False, False, silent=True), Link(True, False, False)


def at(now_s: float) -> Moment:
    return Moment(now_s, TIME)


def put(site: SiteState | Hub, topic: str, now_s: float, *, retained: bool = False, **message: str) -> None:
    site.received(ROOT + topic, msgspec.json.encode({"time": TIME, **message}), at(now_s), retained=retained)


def online(site: SiteState | Hub, table: str = "bac-01", gateway: str = "") -> None:
    put(site, f"gateway/{gateway}/status" if gateway else "status", 0, state="online")
    put(site, f"{table}/status", 0, state="online", rulebook="crown-baccarat", gateway=gateway)


@pytest.fixture
def site() -> SiteState:
    made = SiteState("sydney")
    made.connected(True)
    online(made)
    return made


def test_a_gateway_that_is_silent_for_more_than_three_seconds_is_lost_until_it_is_heard(site: SiteState) -> None:
    put(site, "beat", 10.0)
    site.beats.look(13.0)
    assert site.link("bac-01") == LIVE
    assert site.beats.look(13.1) == {""}
    assert site.beats.look(14.1) == set()  # only a change is reported
    assert site.link("bac-01") == HANGS
    assert [one.online for one in pit.view(site, "", at(14.1)).gateways] == [False]
    put(site, "beat", 20.0)
    assert site.link("bac-01") == LIVE


def test_a_gateway_that_never_sent_a_beat_is_judged_by_its_status(site: SiteState) -> None:
    assert site.beats.look(1000.0) == set()
    assert site.link("bac-01") == LIVE


def test_each_gateway_has_its_own_silence(site: SiteState) -> None:
    online(site, "bac-02", "pit-1")
    put(site, "beat", 10.0)
    put(site, "gateway/pit-1/beat", 10.0)
    put(site, "beat", 13.0)
    assert site.beats.look(14.0) == {"pit-1"}
    assert (site.link("bac-01"), site.link("bac-02")) == (LIVE, HANGS)


def test_beats_of_before_a_loss_of_the_broker_do_not_count(site: SiteState) -> None:
    put(site, "beat", 10.0)
    site.beats.look(14.0)
    site.connected(False)
    site.connected(True)
    online(site)
    assert site.beats.look(20.0) == set()
    assert site.link("bac-01") == LIVE


def test_a_gateway_that_comes_back_as_an_older_version_is_judged_by_its_status_again(site: SiteState) -> None:
    put(site, "beat", 10.0)
    site.beats.look(14.0)
    put(site, "status", 15.0, state="offline")
    assert site.link("bac-01") == GONE
    put(site, "beat", 15.1)  # a late one
    put(site, "status", 16.0, state="online")
    assert site.beats.look(100.0) == set()
    assert site.link("bac-01") == LIVE


def test_a_beat_that_somebody_retains_or_that_cannot_be_read_shows_no_life(site: SiteState) -> None:
    put(site, "beat", 10.0)
    put(site, "beat", 12.0, retained=True)
    site.received(ROOT + "beat", b"", at(12.0))
    assert site.beats.look(13.1) == {""}
    assert site.unreadable == 1


def test_a_beat_of_a_gateway_without_a_status_is_not_kept(site: SiteState) -> None:
    for number in range(1000):
        put(site, f"gateway/g{number}/beat", 10.0)
    assert site.beats.look(100.0) == set()


@pytest.mark.parametrize("channel", ["sign/bac-01", "pit_table/bac-01"])  # public, and for staff
def test_streams_get_the_loss_and_the_return_and_nothing_between(channel: str) -> None:
    hub = Hub("sydney")
    hub.connected(True)
    online(hub)
    stream = hub.open(channel, "", "", at(9.0))
    taken: list[tuple[float, bool]] = []
    for tenths in range(90, 300, 5):
        now_s = tenths / 10
        if now_s % 1 == 0 and not 15 < now_s < 25:
            put(hub, "beat", now_s)
        hub.tick(now_s)
        hub.step(at(now_s))
        sent = stream.take()
        if sent not in (b"", BEAT):
            taken.append((now_s, msgspec.json.decode(sent.partition(b"data: ")[2])["link"]["gateway"]))
    assert taken == [(9.0, True), (18.5, False), (25.0, True)]


def test_a_thousand_streams_cost_nothing_while_beats_come() -> None:
    hub = Hub("sydney")
    hub.connected(True)
    online(hub)
    streams = [hub.open(f"pit_table/t{number % 100}", "127.0.0.1", "", at(0.0)) for number in range(1000)]
    for stream in streams:
        stream.take()
    for now_s in range(1, 60):
        put(hub, "beat", now_s)
        assert hub.step(at(now_s)) is None  # no view is computed
    assert not any(stream.waits() for stream in streams)

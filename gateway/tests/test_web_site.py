"""The state of a site for pages: messages in, links out; whatever cannot be read is counted."""

import msgspec
import pytest
from sabot_floor.signs.limits import MOST_TABLES, TableLimits
from sabot_floor.web import channels
from sabot_floor.web.site_state import Link, SiteState, Subject
from sabot_floor.web.views import wall
from sabot_service.moment import Moment

AT = Moment(1.0, "2026-10-17T09:00:00.000Z")
ROOT = "sabot/v1/sydney/"
ONLINE = {"state": "online", "time": AT.time}
TABLE = {**ONLINE, "unit": "SHOE1", "rulebook": "crown-baccarat"}
HISTORY = {"table": "bac-01", "time": AT.time, "state": "open", "phase": "bets", "results": "B P"}
HAND = {"table": "bac-01", "time": AT.time, "phase": "dealing", "cards": [{"slot": "player_1", "card": "8H"}]}


def put(site: SiteState, topic: str, message: object) -> Subject | None:
    payload = message if isinstance(message, bytes) else msgspec.json.encode(message)
    return site.received(ROOT + topic, payload, AT)


def started(*, public: bool = False) -> SiteState:
    site = SiteState("sydney", public=public)
    put(site, "status", ONLINE)
    put(site, "bac-01/status", TABLE)
    site.connected(True)
    return site


def test_a_message_says_what_it_changes() -> None:
    site = SiteState("sydney")
    assert put(site, "status", ONLINE) == Subject("gateway", "")
    assert put(site, "gateway/pc-2/status", ONLINE) == Subject("gateway", "pc-2")
    assert put(site, "bac-01/history", HISTORY) == Subject("table", "bac-01", "history")
    history = site.tables["bac-01"].history
    assert history is not None
    assert history.results == "B P"


def test_a_table_is_live_while_broker_gateway_and_shoe_are_there() -> None:
    site = started()
    assert site.link("bac-01") == Link(True, True, True)
    put(site, "bac-01/status", {**TABLE, "state": "offline", "problem": "No shoe answers."})
    assert site.link("bac-01") == Link(True, True, False, "No shoe answers.")
    put(site, "status", {**ONLINE, "state": "offline"})
    assert site.link("bac-01") == Link(True, False, False, "No shoe answers.")
    assert site.link("bac-02") == Link(True, False, False)


def test_a_table_of_a_named_gateway_follows_that_gateway_alone() -> None:
    site = started()
    put(site, "bac-01/status", {**TABLE, "gateway": "pc-2"})
    assert not site.link("bac-01").gateway
    put(site, "gateway/pc-2/status", ONLINE)
    assert site.link("bac-01").gateway


def test_statuses_of_before_a_loss_of_the_broker_do_not_count() -> None:
    site = started()
    put(site, "bac-01/history", HISTORY)
    site.connected(False)
    assert site.link("bac-01") == Link(False, False, False)
    assert site.tables["bac-01"].history is not None
    site.connected(True)
    put(site, "bac-01/status", TABLE)
    assert site.link("bac-01") == Link(True, False, False)
    put(site, "status", ONLINE)
    assert site.link("bac-01") == Link(True, True, True)
    site.connected(False)
    site.connected(True)
    put(site, "status", ONLINE)
    assert site.link("bac-01") == Link(True, False, False)  # the table's own status has not come yet


@pytest.mark.parametrize("topic", ["bac-01/hand", "bac-01/open", "jackpot/j1/pending"])
def test_a_public_site_has_nothing_for_staff_alone(topic: str) -> None:
    site = started(public=True)
    message = {
        "bac-01/hand": HAND,
        "bac-01/open": {"table": "bac-01", "time": AT.time, "incidents": []},
        "jackpot/j1/pending": {"jackpot": "j1", "time": AT.time, "wins": []},
    }[topic]
    assert put(site, topic, message) is None
    assert put(started(), topic, message) is not None
    assert site.tables["bac-01"].hand is None
    assert site.jackpots == {}


@pytest.mark.parametrize(
    ("topic", "payload"),
    [
        ("bac-01/status", b"\xff"),
        ("bac-01/status", b"[]"),
        ("bac-01/history", b'{"table": 1}'),
        ("bac-01/history", b"[" * 100_000),
        ("bac-01/history", b" " * 70_000),
        ("status", b"{}"),
        ("jackpot/j1/meter", b"null"),
    ],
)
def test_what_cannot_be_read_is_counted_and_left_out(topic: str, payload: bytes) -> None:
    site = started()
    before = site.link("bac-01")
    assert put(site, topic, payload) is None
    assert (site.unreadable, site.link("bac-01"), site.jackpots) == (1, before, {})


def test_other_topics_are_nothing() -> None:
    site = SiteState("sydney")
    for topic in ("bac-01/cards", "bac-01/cmd", "a/b/c/d"):
        assert put(site, topic, {}) is None
    assert (site.unreadable, site.tables) == (0, {})


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "a b", "", "x" * 65, "bac-01\n"])
def test_a_table_whose_name_is_no_name_is_left_out(name: str) -> None:
    site = SiteState("sydney")
    assert put(site, f"{name}/status", TABLE) is None
    assert (site.unreadable, site.tables) == (1, {})


def test_a_public_site_has_no_burn_card_and_no_text_that_may_name_a_card() -> None:
    ids = {
        "id": "e1",
        "unit": "U",
        "event_no": 1,
        "table": "bac-01",
        "shoe": 1,
        "coup": 3,
        "time": AT.time,
        "rulebook": "r",
    }
    shoe = {**ids, "state": "open", "decks": 8, "card_set": 1, "burn": "8H"}
    texts = {"say": "Card 8H came.", "shoe_says": "8H", "cards_say": "9C"}
    alarm = {
        **ids,
        **texts,
        "name": "discrepancy",
        "clause": "",
        "alarm": "e1",
        "severity": "critical",
        "state": "raised",
    }
    for public in (False, True):
        site = started(public=public)
        put(site, "bac-01/shoe", shoe)
        put(site, "bac-01/alarms", {"table": "bac-01", "time": AT.time, "alarms": [alarm]})
        shown = msgspec.json.encode([site.tables["bac-01"].shoe, site.tables["bac-01"].alarms])
        assert (b"8H" in shown, b"9C" in shown, b"discrepancy" in shown) == (not public, not public, True)


def test_a_removed_message_removes_the_table_with_its_last_one() -> None:
    site = started()
    put(site, "bac-01/history", HISTORY)
    put(site, "bac-01/status", b"")
    assert site.tables["bac-01"].history is not None
    put(site, "bac-01/history", b"")
    assert site.tables == {}


def test_there_are_at_most_500_tables() -> None:
    site = SiteState("sydney")
    for number in range(MOST_TABLES + 5):
        put(site, f"t-{number}/status", TABLE)
    assert len(site.tables) == MOST_TABLES == 500
    assert site.too_many == 5
    put(site, "t-0/history", HISTORY)
    assert site.tables["t-0"].history is not None


def test_a_win_that_is_delivered_twice_is_kept_once() -> None:
    site = SiteState("sydney")
    win = {"win": "c1", "table": "bac-01", "outcome": "royal", "percent": 100, "state": "paid"}
    message = {"id": "w1", "jackpot": "j1", "title": "J", "time": AT.time, "currency": "AUD", "win": win, "display": 5}
    put(site, "jackpot/j1/win", message)
    put(site, "jackpot/j1/win", message)
    assert [one.id for one in site.jackpots["j1"].wins] == ["w1"]


def test_the_wall_has_tables_of_the_config_too() -> None:
    site = SiteState("sydney", [TableLimits("bac-09", "Salon")])
    put(site, "bac-01/status", TABLE)
    shown = wall.view(site, "", AT)
    assert [(one.name, one.area) for one in shown.tables] == [("bac-01", ""), ("bac-09", "Salon")]


@pytest.mark.parametrize("path", ["", "wall/bac-01", "nothing", "wall/../x", "walls"])
def test_other_paths_are_no_channel(path: str) -> None:
    assert channels.find(path) is None


def test_no_public_channel_listens_to_what_is_for_staff() -> None:
    public = [name for name, channel in channels.CHANNELS.items() if channel.public]
    assert "wall" in public
    for name in public:
        parts = {topic.partition("/")[2] for topic in channels.CHANNELS[name].topics}
        assert parts.isdisjoint({"hand", "open", "pending", "cards", "coup"})


def put_retained(site: SiteState, topic: str, message: object) -> Subject | None:
    return site.received(ROOT + topic, msgspec.json.encode(message), AT, retained=True)


def results(site: SiteState) -> str:
    history = site.tables["bac-01"].history
    assert history is not None
    return history.results


def test_a_retained_message_does_not_replace_a_newer_one() -> None:
    """The broker may send what it retains after a message that was published meanwhile."""
    site = started()
    put(site, "bac-01/history", {**HISTORY, "time": "2026-10-17T09:00:02.000Z", "results": "B P T"})
    assert put_retained(site, "bac-01/history", HISTORY) is None
    assert results(site) == "B P T"
    put(site, "bac-01/history", HISTORY)  # a clock that was set back
    assert results(site) == "B P"


def test_after_a_loss_of_the_broker_a_retained_message_counts_whatever_its_time() -> None:
    site = started()
    put(site, "bac-01/history", {**HISTORY, "time": "2026-10-17T09:00:02.000Z", "results": "B P T"})
    site.connected(False)
    site.connected(True)
    assert put_retained(site, "bac-01/history", HISTORY)
    assert results(site) == "B P"


def test_a_retained_last_will_counts_whatever_its_time() -> None:
    site = started()
    early = "2026-10-17T08:00:00.000Z"
    assert put_retained(site, "status", {"state": "offline", "time": early})
    assert put_retained(site, "bac-01/status", {**TABLE, "state": "offline", "time": early})
    assert site.link("bac-01") == Link(True, False, False)

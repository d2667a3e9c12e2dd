"""A gateway speaks for its own tables only: what names another gateway's entries changes nothing of them."""

from typing import Any

import msgspec
import pytest
from projection_ledger import COUP, GATEWAY, LAST, Published, entries, message
from sabot_floor.inbox import Arrived
from sabot_floor.projection import coverage, dump
from sabot_floor.projection.feed import Feed
from sabot_floor.projection.gateways import MOST_GATEWAYS, Accepted, Named
from sabot_floor.projection.rebuild import LedgerEntry, LedgerSpan, rebuild
from sabot_floor.store import Store
from structlog.testing import capture_logs

ENTRIES = entries()
NEIGHBOUR = "fedcba9876543210"
TIME = "2026-05-01T12:00:00.000Z"


def sent(one: Published, table: str = "bac-01", gateway: str = GATEWAY) -> Arrived:
    payload = one.sent(gateway).replace(b'"bac-01"', b'"%b"' % table.encode())
    return Arrived(f"sabot/v1/sydney/{table}/{one.topic}", payload)


def status(gateway: str | None, tables: list[str], name: str = "", state: str = "online") -> Arrived:
    fields = {"state": state, "time": TIME, "ledger": gateway, "tables": tables}
    topic = f"gateway/{name}/status" if name else "status"
    return Arrived(f"sabot/v1/sydney/{topic}", msgspec.json.encode(fields))


def head(gateway: str, entry: int, name: str = "", time: str = TIME) -> Arrived:
    fields = {"gateway": gateway, "entry": entry, "hash": "ff", "time": time, "signature": "00"}
    topic = f"gateway/{name}/ledger" if name else "ledger"
    return Arrived(f"sabot/v1/sydney/{topic}", msgspec.json.encode(fields))


def coup(entry: int, after: int, winner: str = "banker", **more: Any) -> Published:
    payload = msgspec.json.encode(message(900 + entry, 3, **{**COUP, "winner": winner, **more}))
    return Published(entry, after, "coup", payload)


def forged() -> list[Published]:
    """A coup in the place of each entry of the ledger."""
    return [coup(one.entry, one.after) for one in ENTRIES]


def rows(store: Store, gateway: str = GATEWAY) -> list[dict[str, Any]]:
    return [one for one in map(msgspec.json.decode, dump.lines(store)) if one["gateway"] == gateway]


@pytest.fixture
def expected(store: Store) -> list[dict[str, Any]]:
    """What the true entries alone give."""
    listed = [LedgerEntry(one.entry, one.table, one.topic, one.payload, one.hash) for one in ENTRIES]
    rebuild(store, LedgerSpan(GATEWAY, 0, LAST), listed)
    found = rows(store)
    for table in {one["in"] for one in found} | {"coverage", "contradictions"}:
        with store.writing("test"):
            store.execute(f"DELETE FROM {table}")
    return found


def both_known(feed: Feed) -> None:
    feed.take([status(GATEWAY, ["bac-01"], "pit-1"), status(NEIGHBOUR, ["bac-02"], "pit-2")])


def test_a_neighbour_cannot_take_the_coming_entries_of_another_gateway(store: Store, expected: list[Any]) -> None:
    feed = Feed(store, "sydney")
    both_known(feed)
    with capture_logs() as logs:
        feed.take([sent(one, "bac-02") for one in forged()])
        feed.take([sent(one) for one in ENTRIES])
    assert rows(store) == expected
    assert coverage.intervals_of(store, GATEWAY) == [(0, LAST)]
    assert feed.counts["other_gateway"] == len(ENTRIES)
    (said,) = [one["event"] for one in logs if one["log_level"] == "error"]
    assert all(name in said for name in ("bac-02", GATEWAY, "pit-1"))


@pytest.mark.parametrize("with_names", [True, False], ids=["named", "an earlier release"])
def test_also_on_a_table_that_has_said_nothing_yet(store: Store, expected: list[Any], with_names: bool) -> None:
    feed = Feed(store, "sydney")
    if with_names:
        both_known(feed)
    feed.take([sent(one) for one in ENTRIES[:3]])
    feed.take([sent(one, "bac-09") for one in forged()[3:]])
    feed.take([sent(one) for one in ENTRIES])
    assert rows(store) == expected
    found = {one.gateway: one.contradictions for one in coverage.gateways(store)}
    assert bool(found[GATEWAY]) is not with_names


def test_the_neighbours_own_messages_on_its_table_still_count(store: Store) -> None:
    feed = Feed(store, "sydney")
    both_known(feed)
    feed.take([sent(coup(1, 0), "bac-02", NEIGHBOUR), sent(coup(1, 0), "bac-02")])
    assert [one["table"] for one in rows(store, NEIGHBOUR) if one["in"] == "coups"] == ["bac-02"]
    assert rows(store) == []


def test_a_head_on_another_gateways_topic_is_not_believed(store: Store) -> None:
    feed = Feed(store, "sydney")
    both_known(feed)
    feed.take([head(GATEWAY, 10**9, "pit-2"), head(GATEWAY, 5, "pit-1"), status(GATEWAY, ["bac-02"], "pit-2")])
    assert coverage.newest_head(store, GATEWAY) == 5
    feed.take([sent(one, "bac-02") for one in forged()])
    assert rows(store) == []


def test_two_different_messages_for_one_entry_are_counted_and_named_and_the_ledger_decides(
    store: Store, expected: list[Any]
) -> None:
    feed = Feed(store, "sydney")
    both_known(feed)
    with capture_logs() as logs:
        feed.take([sent(one) for one in ENTRIES])
        feed.take([sent(coup(15, 14)), sent(coup(16, 15))])
    assert rows(store) == expected
    assert feed.counts["contradicted"] == 2
    (found,) = coverage.gateways(store)
    assert (found.gaps, found.contradictions) == (0, 2)
    said = [one["event"] for one in logs if one["log_level"] == "error"]
    assert "entry 15" in said[0]
    assert "bac-01" in said[0]
    assert "-915" in said[0]
    listed = [LedgerEntry(one.entry, one.table, one.topic, one.payload, one.hash) for one in ENTRIES]
    rebuild(store, LedgerSpan(GATEWAY, 0, LAST), listed)
    assert rows(store) == expected
    assert coverage.gateways(store)[0].contradictions == 0


def test_what_came_first_on_the_same_topic_is_contradicted_by_the_true_message(store: Store) -> None:
    feed = Feed(store, "sydney")
    feed.take([sent(one) for one in ENTRIES[:3]])
    feed.take([sent(coup(6, 5))])
    feed.take([sent(one) for one in ENTRIES])
    assert coverage.gateways(store)[0].contradictions == 1


@pytest.mark.parametrize("first", [True, False])
def test_a_message_cannot_deny_entries(store: Store, first: bool) -> None:
    feed = Feed(store, "sydney")
    wide = [sent(coup(30, 0))]
    given = [sent(one) for one in (*ENTRIES[:3], *ENTRIES[6:])]
    for some in (wide, given) if first else (given, wide):
        feed.take(some)
    (found,) = coverage.gateways(store)
    assert found.contradictions
    if not first:
        assert found.first_gaps == [(5, 7), (24, 29)]


def test_a_repeat_cannot_cover_what_is_missing(store: Store) -> None:
    feed = Feed(store, "sydney")
    feed.take([sent(ENTRIES[0]), sent(ENTRIES[10])])
    feed.take([sent(ENTRIES[10]._replace(after=0))])
    assert coverage.gateways(store)[0].first_gaps == [(2, ENTRIES[10].after)]


def test_entries_behind_the_newest_head_are_flagged_until_a_head_has_them(store: Store) -> None:
    feed = Feed(store, "sydney")
    both_known(feed)
    feed.take([sent(one) for one in ENTRIES])
    with capture_logs() as logs:
        feed.take([head(GATEWAY, 20, "pit-1")])
    assert feed.beyond == {GATEWAY: LAST}
    assert "21 to 23" in logs[0]["event"]
    feed.take([head(GATEWAY, 25, "pit-1", TIME.replace("12:00", "12:01"))])
    assert feed.beyond == {}
    feed.take([sent(coup(10**12, 10**12 - 1))])
    assert feed.counts["beyond"] == 1
    assert coverage.covered_to(store, GATEWAY) == LAST


def test_a_head_that_the_broker_repeats_or_that_comes_late_does_not_flag_the_entries_after_it(store: Store) -> None:
    feed = Feed(store, "sydney")
    both_known(feed)
    before = "2026-05-01T10:00:00.000Z"  # of entry 2: those after it are not older
    feed.take([sent(ENTRIES[0]), sent(ENTRIES[1]), head(GATEWAY, 2, "pit-1", before)])
    feed.take([sent(one) for one in ENTRIES])
    with capture_logs() as logs:
        feed.take([head(GATEWAY, 2, "pit-1", before)])  # the broker or the floor was started again
        feed.take([head(GATEWAY, 3, "pit-1", before)])  # an outage has delayed it
        restarted = Feed(store, "sydney")
        restarted.take([head(GATEWAY, 3, "pit-1", before)])
    assert feed.beyond == restarted.beyond == {}
    assert logs == []


def test_entries_that_say_a_later_time_are_flagged_by_the_heads_of_a_minute(store: Store) -> None:
    now_s = 1000.0
    feed = Feed(store, "sydney", lambda: now_s)
    both_known(feed)
    feed.take([sent(one) for one in ENTRIES])
    feed.take([sent(coup(500, LAST, time=TIME.replace("2026", "2027")))])
    feed.take([head(GATEWAY, LAST + 1, "pit-1")])
    assert feed.beyond == {}
    now_s += 60.0
    feed.take([head(GATEWAY, LAST + 2, "pit-1")])
    assert feed.beyond == {GATEWAY: 500}


@pytest.mark.parametrize("first", ["bac-01", "bac-02"], ids=["the forger's table is known later", "earlier"])
def test_the_rights_of_one_table_replace_nothing_that_is_stored_of_its_gateways_other_table(
    store: Store, expected: list[Any], first: str
) -> None:
    feed = Feed(store, "sydney")
    feed.take([status(GATEWAY, ["bac-01", "bac-02"], "pit-1")])
    known = {"bac-01": sent(ENTRIES[0]), "bac-02": sent(coup(40, 39), "bac-02")}
    feed.take([known.pop(first)])
    feed.take([*known.values(), *map(sent, ENTRIES)])
    feed.take([sent(one, "bac-02") for one in forged()])
    assert [one for one in rows(store) if one.get("table") == "bac-01"] == [
        one for one in expected if one.get("table") == "bac-01"
    ]
    assert coverage.gateways(store)[0].contradictions


def test_one_name_cannot_use_up_the_gateways_of_a_site(store: Store) -> None:
    feed = Feed(store, "sydney")
    both_known(feed)
    feed.take([sent(ENTRIES[0])])
    others = [f"{number:016x}" for number in range(0x1000, 0x1000 + MOST_GATEWAYS)]
    refused = feed.gate.log.append(
        lambda state: [Named(time=TIME, name="pit-2", gateway=one, tables=["bac-02"]) for one in others]
    )
    assert "gateway/pit-2" in refused
    feed.take([status("00000000000000aa", ["bac-01"], "pit-1"), sent(coup(1, 0), gateway="00000000000000aa")])
    assert len(rows(store, "00000000000000aa")) == 2


# What is right


def test_a_gateway_with_a_new_ledger_under_its_old_name_speaks_for_its_tables(store: Store) -> None:
    feed = Feed(store, "sydney")
    both_known(feed)
    feed.take([sent(one) for one in ENTRIES])
    feed.take([status("00000000000000aa", ["bac-01"], "pit-1"), sent(coup(1, 0), gateway="00000000000000aa")])
    assert len(rows(store, "00000000000000aa")) == 2
    assert not feed.gate.problems()


def test_a_table_that_moves_is_taken_once_its_old_gateway_has_given_it_up(store: Store) -> None:
    feed = Feed(store, "sydney")
    both_known(feed)
    feed.take([sent(ENTRIES[0])])
    feed.take([status(NEIGHBOUR, ["bac-01", "bac-02"], "pit-2"), sent(coup(1, 0), gateway=NEIGHBOUR)])
    assert rows(store, NEIGHBOUR) == []
    assert "names bac-01 among its tables too" in feed.gate.problems()[0]
    feed.take([status(GATEWAY, [], "pit-1"), sent(coup(2, 1), gateway=NEIGHBOUR)])
    assert [one["entry"] for one in rows(store, NEIGHBOUR) if one["in"] == "coups"] == [2]
    assert not feed.gate.problems()
    feed.take([sent(ENTRIES[1])])  # of its old gateway, late
    assert feed.counts["other_gateway"] == 1


def test_a_person_accepts_a_gateway_whose_predecessor_is_dead(store: Store) -> None:
    feed = Feed(store, "sydney")
    both_known(feed)
    feed.take([sent(ENTRIES[0]), status(NEIGHBOUR, ["bac-01", "bac-02"], "pit-2")])
    feed.take([sent(coup(1, 0), gateway=NEIGHBOUR)])
    accepted = Accepted(time=TIME, gateway=NEIGHBOUR, table="bac-01", by="A", role="area_manager", reason="disk died")
    assert not feed.gate.log.append(lambda state: [accepted])
    feed.take([sent(coup(2, 1), gateway=NEIGHBOUR)])
    assert [one["entry"] for one in rows(store, NEIGHBOUR) if one["in"] == "coups"] == [2]


def test_what_a_store_of_an_earlier_release_has_goes_on(store: Store) -> None:
    Feed(store, "sydney").take([sent(one) for one in ENTRIES[:8]])
    with store.writing("test"):
        for log in ("gateways", "projection"):
            store.execute("DELETE FROM logs WHERE name = ?", (log,))
            store.execute("DELETE FROM entries WHERE log = ?", (log,))
    feed = Feed(store, "sydney")
    feed.take([sent(one) for one in ENTRIES])
    feed.take([sent(coup(99, 98), gateway=NEIGHBOUR)])
    assert feed.counts["other_gateway"] == 1
    assert coverage.intervals_of(store, GATEWAY) == [(0, LAST)]

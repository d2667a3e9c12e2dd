"""From published entries to rows: what each gives, in any order, any number of times, in any batches."""

import itertools
import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from projection_ledger import CARD, COUP, GATEWAY, HEALTH, LAST, UNIT, UNREADABLE, Published, entries, message
from sabot_floor.inbox import Arrived
from sabot_floor.projection import coverage, dump
from sabot_floor.projection.changes import UnreadableError, changes
from sabot_floor.projection.feed import Feed
from sabot_floor.projection.rebuild import LedgerEntry, LedgerSpan, rebuild
from sabot_floor.projection.writing import insert
from sabot_floor.store import Store, StoreError, open_store, rows

ENTRIES = entries()


def row(number: int) -> Any:
    """The row of one of the entries."""
    one = next(one for one in ENTRIES if one.entry == number)
    return changes(GATEWAY, one.entry, one.table, one.topic, one.payload)


def test_a_coup_is_one_compact_row() -> None:
    assert row(6) == rows.Coup(
        gateway=GATEWAY,
        entry=6,
        time="2026-05-01T10:03:00.000Z",
        id=f"{UNIT}-5",
        table="bac-01",
        unit=UNIT,
        shoe=3,
        coup=7,
        kind="live",
        status="verified",
        winner="player",
        player="8HTD",
        banker="4C2SKS",
        player_points=8,
        banker_points=6,
        flags="N",
        corrects="",
        by="",
        clause="",
        decided="",
        attempt="",
        began="",
        rulebook="00112233445566ff",
    )
    assert (row(15).winner, row(15).corrects, row(15).by) == ("", f"{UNIT}-5", "A. Smith")


def test_cards_of_a_hand_without_notes_have_a_short_row() -> None:
    assert (row(3).slot, row(3).notes) == ("burn", "")
    assert row(4) == rows.Dealt(GATEWAY, 4, "2026-05-01T10:02:00.000Z", "bac-01", 3, 7, "player_1", "8H")
    assert (row(5).slot, row(5).notes) == ("player_1", "keyed face_up")
    exposed = msgspec.json.encode(
        message(5, 2, **CARD, notes=["exposed"])
    )  # as every card where they are dealt face up
    assert isinstance(changes(GATEWAY, 5, "bac-01", "cards", exposed), rows.Dealt)


def test_what_people_did_is_a_row_with_sorted_json() -> None:
    assert (row(10).by, row(10).args, row(10).role) == ("A. Smith", '{"coup":7,"reason":"misdeal"}', "")
    assert (row(14).attempt, row(14).ok, row(14).say) == (f"{GATEWAY}-1", 1, "Done.")
    assert row(8).steps == '[{"name":"decide","role":"supervisor","say":"Decide."}]'


def test_an_attempt_of_the_floor_has_its_people() -> None:
    command = {"id": "c-1", "digest": "", "nonce": "", "person": "B", "role": "pit_boss", "asks": "D", "coup": ""}
    command |= {"asks_role": "dealer", "act": "void", "issued": "", "expires": "", "key": ""}
    fields = msgspec.json.decode(next(one.payload for one in ENTRIES if one.entry == 10))
    payload = msgspec.json.encode({**fields, "origin": "floor", "command": command})
    found = changes(GATEWAY, 10, "bac-01", "attempt", payload)
    assert isinstance(found, rows.Attempt)
    assert (found.role, found.act, found.asks, found.asks_role, found.command) == (
        "pit_boss",
        "void",
        "D",
        "dealer",
        "c-1",
    )


def test_increments_are_of_their_half_hour() -> None:
    assert (row(18).half_hour, row(18).counted, row(18).total) == ("2026-05-01T10:00", 2, 50)
    assert row(19).half_hour == "2026-05-01T10:30"


def test_a_sensor_is_a_row_with_margins_in_percent() -> None:
    assert (row(23).sensor, row(23).shoe, row(23).reads, row(23).rejects, row(23).spikes) == ("b", 3, 312, 2, 5)
    assert (row(23).margin_mean_pct, row(23).margin_worst_pct) == (58, 29)
    assert (row(23).speed_mean_mm_s, row(23).speed_least_mm_s, row(23).speed_most_mm_s) == (820, 410, 1900)


@pytest.mark.parametrize(
    "wrong", [{"margin_mean": 1e300}, {"margin_worst": -1001}, {"sensor": "c"}, {"reads": 10**16}, {"spikes": 0.5}]
)
def test_a_sensor_with_impossible_numbers_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UnreadableError):
        changes(GATEWAY, 1, "bac-01", "health", msgspec.json.encode(message(1, 1, **{**HEALTH, **wrong})))


@pytest.mark.parametrize("topic", ["jackpot/grand/recorded", "open", "sent", ""])
def test_other_entries_give_no_row_whatever_they_hold(topic: str) -> None:
    assert changes(GATEWAY, 1, "bac-01", topic, b"\xff") is None


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"\xff",
        b"[]",
        b"{}",
        msgspec.json.encode(message(1, 1, **COUP) | {"table": "bac-02"}),
        msgspec.json.encode(message(1, 1, **COUP) | {"shoe": 10**16}),
        msgspec.json.encode(message(1, 1, **COUP) | {"by": "a\0b"}),
        msgspec.json.encode(message(1, 1, **COUP) | {"id": "x" * 201}),
        msgspec.json.encode(message(1, 1, **COUP) | {"padding": "x" * 60_000}),
        b'{"a":' * 50_000,
    ],
)
def test_what_cannot_be_read_or_stored_is_refused(payload: bytes) -> None:
    with pytest.raises(UnreadableError):
        changes(GATEWAY, 1, "bac-01", "coup", payload)


class _TriedError(Exception):
    """Ends a transaction that was only a try."""


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(ENTRIES), st.data())
def test_a_payload_with_any_other_value_gives_a_row_that_can_be_stored_or_is_refused(
    scratch: Store, one: Published, data: st.DataObject
) -> None:
    fields = msgspec.json.decode(one.payload)
    name = data.draw(st.sampled_from(sorted(fields)))
    payload = json.dumps({**fields, name: data.draw(json_values)}).encode()
    try:
        row = changes(GATEWAY, one.entry, one.table, one.topic, payload)
    except UnreadableError:
        return
    with suppress(_TriedError), scratch.writing("projection"):
        insert(scratch, [row] if row else [])
        raise _TriedError


# Into the store


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store for what comes."""
    with open_store(str(tmp_path_factory.mktemp("scratch") / "floor.db")) as store:
        yield store


def arrived(one: Published) -> Arrived:
    return Arrived(f"sabot/v1/sydney/{one.table}/{one.topic}", one.sent())


def dumped(store: Store) -> list[bytes]:
    return list(dump.lines(store))


def rebuilt(store: Store, origin: int = 0) -> int:
    """Rebuild from the entries behind `origin`; return how many could not be read."""
    listed = [
        LedgerEntry(one.entry, one.table, one.topic, one.payload, one.hash) for one in ENTRIES if one.entry > origin
    ]
    return rebuild(store, LedgerSpan(GATEWAY, origin, LAST), listed).unreadable


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """The dump of a store that was rebuilt from the whole ledger."""
    with open_store(str(tmp_path_factory.mktemp("expected") / "floor.db")) as store:
        assert rebuilt(store) == 1
        return dumped(store)


def test_the_dump_has_each_row_once_in_order_of_table_and_key(expected: list[bytes]) -> None:
    found = [msgspec.json.decode(line) for line in expected]
    assert [(line["in"], line["entry"]) for line in found] == [
        ("alarms", 7),
        ("alarms", 12),
        ("attempts", 10),
        ("cards", 3),
        ("cards", 5),
        ("confirmed", 16),
        ("coups", 6),
        ("coups", 15),
        ("dealt", 4),
        ("entry_hashes", 6),
        ("entry_hashes", 15),
        ("entry_hashes", 16),
        ("health", 23),
        ("incidents", 13),
        ("increments", 18),
        ("increments", 19),
        ("outcomes", 14),
        ("shoes", 1),
        ("shoes", 22),
    ]


repeats = st.lists(st.sampled_from(ENTRIES), max_size=20).flatmap(lambda more: st.permutations([*ENTRIES, *more]))


@settings(max_examples=15, deadline=None)
@given(repeats, st.lists(st.integers(0, 40), max_size=4))
def test_any_order_any_repeats_and_any_batches_give_the_same(
    expected: list[bytes], given_entries: list[Published], cuts: list[int]
) -> None:
    with tempfile.TemporaryDirectory() as work_dir, open_store(str(Path(work_dir) / "floor.db")) as store:
        feed = Feed(store, "sydney")
        edges = [0, *sorted(cuts), len(given_entries)]
        for start, end in itertools.pairwise(edges):
            feed.take([arrived(one) for one in given_entries[start:end]])
        assert dumped(store) == expected
        assert coverage.intervals_of(store, GATEWAY) == [(0, LAST)]
        assert feed.counts["unreadable"] == sum(one.entry == UNREADABLE for one in given_entries)


def test_both_databases_dump_the_same(store: Store, expected: list[bytes]) -> None:
    Feed(store, "sydney").take(map(arrived, reversed(ENTRIES)))
    assert dumped(store) == expected
    rebuilt(store)
    assert dumped(store) == expected


def test_a_rebuild_takes_away_what_the_ledger_has_not_and_leaves_the_rest(store: Store, expected: list[bytes]) -> None:
    feed = Feed(store, "sydney")
    coup = msgspec.json.encode(message(99, 1, **COUP))
    forged = [Published(entry, entry - 1, "coup", coup) for entry in (2, 11, LAST + 1)]
    incident = next(one.payload for one in ENTRIES if one.entry == 8)
    forged.append(Published(LAST, 20, "incident", incident))  # would win over the newest true one
    feed.take(map(arrived, forged))
    other = Arrived("sabot/v1/sydney/bac-02/coup", forged[0].sent("other").replace(b"bac-01", b"bac-02"))
    feed.take([other])
    rebuilt(store)
    left = [line for line in dumped(store) if line not in expected]
    assert [(one["in"], one["gateway"], one["entry"]) for one in map(msgspec.json.decode, left)] == [
        ("coups", GATEWAY, LAST + 1),
        ("coups", "other", 2),
        ("entry_hashes", GATEWAY, LAST + 1),
        ("entry_hashes", "other", 2),
    ]
    assert set(expected) <= set(dumped(store))


def test_rows_of_pruned_entries_stay(store: Store, expected: list[bytes]) -> None:
    Feed(store, "sydney").take(map(arrived, ENTRIES))
    rebuilt(store, origin=8)
    assert dumped(store) == expected


def test_a_rebuild_that_is_broken_off_leaves_no_gap_that_was_not_there(store: Store, expected: list[bytes]) -> None:
    Feed(store, "sydney").take(map(arrived, ENTRIES))

    def broken() -> Any:
        yield LedgerEntry(1, "bac-01", "shoe", ENTRIES[0].payload)
        raise StoreError("killed")

    with pytest.raises(StoreError):
        rebuild(store, LedgerSpan(GATEWAY, 0, LAST), broken())
    assert dumped(store) == expected


# What comes from outside


NO_ROWS: list[tuple[str, bytes]] = [
    ("sabot/v1/sydney/bac-01/coup", b""),
    ("sabot/v1/sydney/bac-01/coup", b'{"id":"of an older gateway"}'),
    ("sabot/v1/sydney/bac-01/cards", b"[7"),
    ("sabot/v1/sydney/bac-01/cards", b"[7,{}]"),
    ("sabot/v1/sydney/bac-01/alarms", b"{}"),
    ("sabot/v1/sydney/ledger", b"{}"),
    ("sabot/v1/sydney/ledger", b'{"gateway":"a\\u0000","entry":1,"hash":"","time":""}'),
    ("sabot/v1/sydney", b"{}"),
    ("sabot/v1/other/bac-01/coup", ENTRIES[4].sent()),
    ("", b"{}"),
    ("sabot/v1/sydney//coup", ENTRIES[4].sent()),
]


def test_whatever_comes_ends_nothing_and_costs_only_itself(store: Store, expected: list[bytes]) -> None:
    feed = Feed(store, "sydney")
    feed.take([Arrived(*one) for one in NO_ROWS])
    assert dumped(store) == []
    assert dict(feed.counts) == {"unplaced": 4, "unreadable": 2}
    feed.take([*(Arrived(*one) for one in NO_ROWS), *map(arrived, ENTRIES)])
    assert dumped(store) == expected


def test_an_entry_that_the_store_refuses_costs_only_itself(
    store: Store, expected: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    real: Callable[..., None] = store.execute_many

    def refusing(query: str, values: Any) -> None:
        listed = list(values)
        if any(isinstance(one, rows.Confirmed) for one in listed):
            raise ValueError("refused")
        real(query, listed)

    monkeypatch.setattr(store, "execute_many", refusing)
    feed = Feed(store, "sydney")
    feed.take(map(arrived, ENTRIES))
    assert dumped(store) == [line for line in expected if b'"entry":16,' not in line]
    assert dict(feed.counts) == {"refused": 1, "unreadable": 1}


def test_a_store_that_is_away_is_an_error_and_nothing_is_stored(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(store: Store, given_rows: object) -> None:
        raise StoreError("away")

    monkeypatch.setattr("sabot_floor.projection.taking.coverage.add", away)
    with pytest.raises(StoreError):
        Feed(store, "sydney").take(map(arrived, ENTRIES))
    assert dumped(store) == []

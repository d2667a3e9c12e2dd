"""The store of the floor service, on SQLite and on PostgreSQL: appending, reading, cursors, what it refuses."""

import pytest
from floor_stores import AT, adding, numbered
from sabot_floor.store import (
    Cursor,
    Decide,
    Decision,
    Entry,
    EntryError,
    Head,
    Store,
    StoreError,
    audit,
    open_store,
)


def fixed(entries: list[Entry], state: bytes | None = b"s") -> Decide:
    """Append these entries, whatever the state is."""
    return lambda head: Decision(entries, state)


def test_an_append_stores_entries_and_state(store: Store) -> None:
    stored = store.append("jackpot/a", fixed([Entry("x", "increment", b"\x00\xff", AT), Entry("y", "trigger", b"")]))
    assert [entry[:6] for entry in stored] == [
        ("jackpot/a", 1, "x", "increment", b"\x00\xff", AT),
        ("jackpot/a", 2, "y", "trigger", b"", ""),
    ]
    assert store.read("jackpot/a") == stored
    assert store.head("jackpot/a") == Head(2, stored[-1].hash, b"s")
    assert audit.verify(store) == audit.Verdict(entries=2)


def test_a_decision_gets_number_hash_and_state_of_the_log(store: Store) -> None:
    seen = []

    def decide(head: Head) -> Decision:
        seen.append(head)
        return Decision(numbered(head.seq + 1, 2), b"state %d" % (head.seq + 2))

    stored = store.append("a", decide)
    store.append("a", decide)
    assert seen == [(0, bytes(32), None), (2, stored[-1].hash, b"state 2")]
    assert store.head("b") is None


def test_a_decision_without_entries_that_keeps_the_state_writes_nothing(store: Store) -> None:
    assert store.append("new", lambda head: Decision([], head.state)) == []
    assert store.logs() == []
    store.append("a", adding(1))
    before = store.head("a")
    assert store.append("a", lambda head: Decision([], head.state)) == []
    assert store.head("a") == before


def test_a_state_can_change_without_an_entry(store: Store) -> None:
    store.append("a", fixed(numbered(1, 1), b"one"))
    store.append("a", fixed([], b"two"))
    head = store.head("a")
    assert head is not None
    assert (head.seq, head.state) == (1, b"two")
    assert audit.verify(store).faults == []


def test_an_empty_state_is_not_the_same_as_none(store: Store) -> None:
    states = []
    for state in (b"", None, b""):
        store.append("a", fixed([Entry("x", "k", b"")], state))
        states.append((store.head("a") or Head()).state)
    assert states == [b"", None, b""]
    assert audit.verify(store) == audit.Verdict(entries=3)


def test_logs_are_isolated(store: Store) -> None:
    names = ["a", "a/", "A", "ä", "a b", "a%", "a_", "a'", '"; DROP TABLE logs', "jackpot/" + "x" * 192]
    for count, name in enumerate(names, 1):
        store.append(name, adding(count))
    assert store.logs() == sorted(names)
    for count, name in enumerate(names, 1):
        assert [(entry.log, entry.seq) for entry in store.read(name)] == [(name, seq) for seq in range(1, count + 1)]
    assert audit.verify(store) == audit.Verdict(entries=sum(range(1, len(names) + 1)))


def test_several_logs_in_one_transaction(store: Store) -> None:
    appended = store.append_many({"b": adding(2), "a": adding(1), "c": lambda head: Decision([], head.state)})
    assert {log: len(entries) for log, entries in appended.items()} == {"a": 1, "b": 2, "c": 0}
    assert store.logs() == ["a", "b"]

    def fail(head: Head) -> Decision:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.append_many({"a": adding(5), "b": fail})
    assert [len(store.read(log)) for log in ("a", "b")] == [1, 2]
    assert store.append_many({}) == {}
    store.append_many({"a": adding(1), "b": adding(1)})
    assert audit.verify(store) == audit.Verdict(entries=5)


def test_reading_in_pages(store: Store) -> None:
    store.append("a", adding(2500))
    assert [entry.seq for entry in store.read("a", 10, 3)] == [11, 12, 13]
    assert store.read("a", 2500) == []
    assert store.read("none") == []
    assert len(store.read("a")) == 1000
    assert [entry.seq for entry in store.entries("a", 5)] == list(range(6, 2501))


def test_a_large_batch(store: Store) -> None:
    big = [Entry(f"e{n}", "increment", bytes([n % 256]) * 500, AT) for n in range(20_000)]
    stored = store.append("a", fixed(big, b"x" * 1_000_000))
    assert (len(stored), stored[-1].seq) == (20_000, 20_000)
    store.append("a", fixed([Entry("whole", "page", bytes(1 << 20))], bytes(16 << 20)))
    head = store.head("a")
    assert head is not None
    assert (head.seq, head.state) == (20_001, bytes(16 << 20))
    assert audit.verify(store) == audit.Verdict(entries=20_001)


def test_an_entry_by_its_id(store: Store) -> None:
    store.append_many({"a": adding(3), "b": adding(5)})
    found = store.find("a", "e2")
    assert found is not None
    assert (found.log, found.seq) == ("a", 2)
    assert store.find("a", "e4") is None


def test_cursors(store: Store) -> None:
    stored = store.append("a", adding(3))
    store.append("b", adding(1))
    assert store.cursor("mqtt", "a") == 0
    store.move_cursor("mqtt", "a", 1)
    store.move_cursor("mqtt", "a", 3)
    store.move_cursor("mqtt", "b", 1)
    store.move_cursor("web", "a", 2)
    assert [store.cursor(*place) for place in (("mqtt", "a"), ("mqtt", "b"), ("web", "a"))] == [3, 1, 2]
    assert store.cursors()[0] == Cursor("mqtt", "a", 3, stored[2].hash)
    with pytest.raises(EntryError, match="the cursor web cannot be moved to entry 4 of log a: there is no such entry"):
        store.move_cursor("web", "a", 4)
    assert audit.verify(store).faults == []


MISFITS = {
    "a NUL in an id": Entry("x\0y", "k", b""),
    "an empty id": Entry("", "k", b""),
    "a long id": Entry("x" * 201, "k", b""),
    "half a character": Entry("\ud800", "k", b""),
    "an empty kind": Entry("x", "", b""),
    "a NUL in a time": Entry("x", "k", b"", "\0"),
    "a payload of text": Entry("x", "k", "text"),  # type: ignore[arg-type]
    "a large payload": Entry("x", "k", bytes((1 << 20) + 1)),
}


@pytest.mark.parametrize("name", MISFITS)
def test_an_entry_that_fits_no_column_is_refused_and_the_store_goes_on(store: Store, name: str) -> None:
    store.append("a", adding(1))
    with pytest.raises(EntryError):
        store.append("a", fixed([*numbered(2, 2), MISFITS[name]]))
    store.append("a", adding(1))
    assert audit.verify(store) == audit.Verdict(entries=2)


def test_a_log_without_a_proper_name_is_refused(store: Store) -> None:
    for name in ("", "a\0", "x" * 201):
        with pytest.raises(EntryError, match="the name of the log"):
            store.append(name, adding(1))
    with pytest.raises(EntryError, match="the state of log a"):
        store.append("a", fixed([], "text"))  # type: ignore[arg-type]


def test_a_reader_beside_a_writer(store: Store, store_url: str) -> None:
    store.append("a", adding(2))
    with open_store(store_url, read_only=True) as reader:
        with reader.snapshot():
            assert len(reader.read("a")) == 2
            store.append("a", adding(3))
            assert len(reader.read("a")) == 2
        assert len(reader.read("a")) == 5
        with pytest.raises(StoreError):
            reader.append("a", adding(1))
        assert audit.verify(reader) == audit.Verdict(entries=5)


def test_a_closed_store_is_read_as_it_lies_there(store_url: str) -> None:
    with open_store(store_url) as store:
        store.append("a", adding(2))
    with open_store(store_url, read_only=True) as reader:
        assert audit.verify_log(reader, "a") == audit.Verdict(entries=2)
    with open_store(store_url) as store:
        store.append("a", adding(2))
        store.close()
        assert len(store.read("a")) == 4


def test_a_reader_makes_no_store(store_url: str) -> None:
    with pytest.raises(StoreError, match=r"there is no such file|start the floor service once"):
        open_store(store_url, read_only=True)

"""The chain of a store: its formula, and that every change of an entry, a head, a state or a cursor is found."""

import hashlib
from collections.abc import Callable
from typing import Any

import pytest
from floor_stores import AT, adding, edit, numbered
from hypothesis import given
from hypothesis import strategies as st
from sabot_floor.store import DamagedError, Decision, Entry, Head, Store, Stored, StoreError, audit, chain, open_store

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=12)
ENTRIES = st.lists(st.builds(Entry, TEXTS, TEXTS, st.binary(max_size=40), TEXTS), min_size=1, max_size=8)


def number(value: int, size: int) -> bytes:
    return value.to_bytes(size, "big")


def test_the_formula() -> None:
    """Hash before, number, five lengths, then log, id, kind, payload and time."""
    first = hashlib.sha256(
        bytes(32) + number(1, 8) + number(5, 4) + number(1, 4) + number(3, 4) + number(2, 4) + number(3, 4)
        + b"log/a" + b"x" + b"win" + b"\x00\x01" + b"now"
    ).digest()  # fmt: skip
    second = hashlib.sha256(
        first + number(2, 8) + number(5, 4) + number(2, 4) + number(1, 4) + number(0, 4) + number(0, 4)
        + b"log/a" + "ä".encode() + b"k"
    ).digest()  # fmt: skip
    stored = chain.extend("log/a", Head(), [Entry("x", "win", b"\x00\x01", "now"), Entry("ä", "k", b"")])
    assert [entry.hash for entry in stored] == [first, second]


@given(ENTRIES, TEXTS)
def test_what_was_extended_continues(entries: list[Entry], log: str) -> None:
    stored = chain.extend(log, Head(), entries)
    assert chain.continues(stored, log, Head()) == Head(len(entries), stored[-1].hash)
    middle = len(stored) // 2
    reached = chain.continues(stored[:middle], log, Head())
    assert chain.extend(log, reached, entries[middle:]) == stored[middle:]


@given(ENTRIES, TEXTS, st.data())
def test_every_change_of_an_entry_is_found_and_named(entries: list[Entry], log: str, data: st.DataObject) -> None:
    stored = chain.extend(log, Head(), entries)
    at = data.draw(st.integers(0, len(stored) - 1))
    column = data.draw(st.sampled_from(Stored._fields))
    old = getattr(stored[at], column)
    values: dict[type, st.SearchStrategy[Any]] = {int: st.integers(0, 99), str: TEXTS, bytes: st.binary(max_size=40)}
    new: Any = data.draw((values[type(old)] | st.none()).filter(lambda value: value != old))
    stored[at] = stored[at]._replace(**{column: new})
    with pytest.raises(DamagedError, match=f"^entry {at + 1} of log "):
        chain.continues(stored, log, Head())


@given(ENTRIES, st.data())
def test_order_and_number_of_entries(entries: list[Entry], data: st.DataObject) -> None:
    stored = chain.extend("a", Head(), entries)
    moved = data.draw(st.permutations(stored))
    kept = [entry for entry in moved if data.draw(st.booleans())]
    if kept == stored[: len(kept)]:
        assert chain.continues(kept, "a", Head()).seq == len(kept)
    else:
        with pytest.raises(DamagedError):
            chain.continues(kept, "a", Head())


@given(ENTRIES)
def test_a_boundary_moved_between_two_parts_gives_another_hash(entries: list[Entry]) -> None:
    entry = entries[0]
    joined = [entry, Entry(entry.id + entry.kind[0], entry.kind[1:] + "x", entry.payload, entry.time)]
    joined.append(Entry(entry.id, entry.kind + "x", entry.payload, entry.time))
    assert len({chain.link(bytes(32), "a", 1, each) for each in joined}) == len(set(joined))
    assert chain.link(bytes(32), "a", 1, entry) != chain.link(bytes(32), "aa", 1, entry)


@given(st.builds(Head, st.integers(0, 9), st.binary(max_size=4), st.none() | st.binary(max_size=4)), TEXTS)
def test_a_seal_is_of_one_head(head: Head, log: str) -> None:
    others = [head._replace(seq=head.seq + 1), head._replace(hash=head.hash + b"x"), head._replace(state=b"other")]
    others.append(head._replace(state=None if head.state is not None else b""))
    seals = {chain.seal(log, each) for each in [head, *others]} | {chain.seal(log + "x", head)}
    assert len(seals) == 6


@pytest.fixture
def written(store: Store, store_url: str) -> str:
    """A store with five entries in log a and three in b, and a cursor at entry 2 of a."""
    store.append_many({"a": adding(2), "b": adding(3)})
    store.append("a", adding(3))
    store.move_cursor("mqtt", "a", 2)
    assert audit.verify(store) == audit.Verdict(entries=8)
    return store_url


def faults(url: str) -> list[str]:
    """What an audit finds; the store is read as it lies there."""
    try:
        with open_store(url, read_only=True) as reader:
            return audit.verify(reader).faults
    except StoreError as error:
        return [str(error)]


def flipped(value: str | bytes, at: int) -> str | bytes:
    """Change one character or byte."""
    if isinstance(value, str):
        return value[:at] + ("y" if value[at] == "x" else "x") + value[at + 1 :]
    return value[:at] + bytes([value[at] ^ 1]) + value[at + 1 :]


@pytest.mark.parametrize("column", ["id", "kind", "payload", "time", "hash"])
def test_every_byte_of_an_entry(written: str, store: Store, column: str) -> None:
    old = getattr(store.read("a", 2, 1)[0], column)
    change = f"UPDATE entries SET {column} = ? WHERE log = 'a' AND seq = 3"
    for at in range(len(old)):
        assert edit(written, change, flipped(old, at)) == 1
        assert audit.verify(store).faults == ["entry 3 of log a is not what was written: the chain breaks there"]
    edit(written, change, old)
    assert faults(written) == []


CHANGES: dict[str, tuple[list[str], str]] = {
    "an entry removed": (["DELETE FROM entries WHERE log = 'a' AND seq = 2"], "entry 2 of log a is not"),
    "the first removed": (["DELETE FROM entries WHERE log = 'a' AND seq = 1"], "entry 1 of log a is not"),
    "the last removed": (
        ["DELETE FROM entries WHERE log = 'a' AND seq = 5"],
        "log a ends with entry 4, but its head is at entry 5",
    ),
    "all removed": (["DELETE FROM entries WHERE log = 'a'"], "log a ends with entry 0, but its head is at entry 5"),
    "an entry added": (
        ["INSERT INTO entries SELECT log, 6, id, kind, payload, time, hash FROM entries WHERE log = 'a' AND seq = 5"],
        "entry 6 of log a is not",
    ),
    "an entry numbered 0 added": (
        ["INSERT INTO entries SELECT log, 0, id, kind, payload, time, hash FROM entries WHERE log = 'a' AND seq = 5"],
        "entry 1 of log a is not",
    ),
    "two exchanged": (
        [
            "UPDATE entries SET seq = 99 WHERE log = 'a' AND seq = 2",
            "UPDATE entries SET seq = 2 WHERE log = 'a' AND seq = 3",
            "UPDATE entries SET seq = 3 WHERE log = 'a' AND seq = 99",
        ],
        "entry 2 of log a is not",
    ),
    "an entry moved to another log": (
        ["UPDATE entries SET log = 'b', seq = 4 WHERE log = 'a' AND seq = 5"],
        "entry 4 of log b is not",
    ),
    "a log renamed": (["UPDATE entries SET log = 'c' WHERE log = 'a'"], "log c has entries but no head"),
    "a head removed": (["DELETE FROM logs WHERE name = 'a'"], "log a has entries but no head"),
    "a head at another entry": (["UPDATE logs SET seq = 4 WHERE name = 'a'"], "the head of log a"),
    "a head of another log": (
        ["UPDATE logs SET hash = (SELECT hash FROM entries WHERE log = 'b' AND seq = 3) WHERE name = 'a'"],
        "the head of log a",
    ),
    "another state": (["UPDATE logs SET state = hash WHERE name = 'a'"], "the head of log a"),
    "no state": (["UPDATE logs SET state = NULL WHERE name = 'a'"], "the head of log a"),
    "a seal": (["UPDATE logs SET seal = hash WHERE name = 'a'"], "the head of log a"),
    "an older head put back": (
        ["UPDATE logs SET seq = 2, hash = (SELECT hash FROM entries WHERE log = 'a' AND seq = 2) WHERE name = 'a'"],
        "the head of log a",
    ),
    "a cursor behind the end": (
        ["UPDATE cursors SET seq = 6"],
        "the cursor mqtt of log a is at entry 6, but there is no such entry",
    ),
    "a cursor moved on": (["UPDATE cursors SET seq = 4"], "the cursor mqtt of log a was not put at entry 4"),
    "a cursor of another log": (["UPDATE cursors SET log = 'b'"], "the cursor mqtt of log b was not put at entry 2"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_by_hand_is_found(written: str, name: str) -> None:
    statements, expected = CHANGES[name]
    assert all(edit(written, statement) >= 1 for statement in statements)
    assert any(fault.startswith(expected) for fault in faults(written)), faults(written)


AT_START = [name for name in CHANGES if not name.startswith(("a cursor", "a head removed", "a log renamed"))]


@pytest.mark.parametrize("name", AT_START)
def test_a_changed_store_is_not_opened_for_writing(written: str, store: Store, name: str) -> None:
    store.close()
    for statement in CHANGES[name][0]:
        edit(written, statement)
    with pytest.raises(DamagedError):
        open_store(written)


def test_an_append_to_a_head_that_was_changed_is_refused(written: str, store: Store) -> None:
    edit(written, "UPDATE logs SET state = hash WHERE name = 'a'")
    with pytest.raises(DamagedError, match=r"the head of log a in store .* put back a copy"):
        store.append("a", lambda head: Decision(numbered(head.seq + 1, 1), b""))
    store.append("b", adding(1))


def cut(url: str, store: Store) -> None:
    """Cut off the end so well that the store alone does not show it."""
    last = store.read("a", 1, 1)[0]
    head = Head(2, last.hash, b"2")
    edit(url, "DELETE FROM entries WHERE log = 'a' AND seq > 2")
    edit(url, "UPDATE logs SET seq = 2, hash = ?, state = ?, seal = ? WHERE name = 'a'",
         head.hash, head.state, chain.seal("a", head))  # fmt: skip


def rewrite(url: str, store: Store) -> None:
    """Write another history, with hashes that fit."""
    entries = chain.extend("a", Head(), [Entry(f"f{number}", "k", b"", AT) for number in range(5)])
    for entry in entries:
        edit(url, "UPDATE entries SET id = ?, kind = ?, payload = ?, time = ?, hash = ? WHERE log = 'a' AND seq = ?",
             entry.id, entry.kind, entry.payload, entry.time, entry.hash, entry.seq)  # fmt: skip
    head = Head(5, entries[-1].hash, b"5")
    edit(url, "UPDATE logs SET hash = ?, seal = ? WHERE name = 'a'", head.hash, chain.seal("a", head))


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (cut, "log a ends with entry 2, but entry 5 was stored: its end was cut off"),
        (rewrite, "entry 5 of log a is not the one whose hash was kept elsewhere"),
    ],
)
def test_heads_kept_elsewhere_show_an_end_cut_off(
    written: str, store: Store, change: Callable[[str, Store], None], expected: str
) -> None:
    edit(written, "DELETE FROM cursors")
    known = store.head("a")
    assert known is not None
    assert audit.verify_log(store, "a", known=[known]).faults == []
    change(written, store)
    assert audit.verify_log(store, "a").faults == []
    assert audit.verify_log(store, "a", known=[known]).faults == [expected]


def test_opening_checks_the_newest_entries_and_an_audit_all(store: Store, store_url: str) -> None:
    store.append("a", adding(2500))
    for seq, is_found in ((1500, False), (1502, True)):
        old = store.read("a", seq - 1, 1)[0].payload
        edit(store_url, "UPDATE entries SET payload = ? WHERE log = 'a' AND seq = ?", b"other", seq)
        assert faults(store_url) == [f"entry {seq} of log a is not what was written: the chain breaks there"]
        if is_found:
            with pytest.raises(DamagedError, match="entry 1502 of log a"):
                open_store(store_url)
        else:
            open_store(store_url).close()
        edit(store_url, "UPDATE entries SET payload = ? WHERE log = 'a' AND seq = ?", old, seq)


def test_progress_and_a_log_that_is_not_there(store: Store) -> None:
    store.append("a", adding(3500))
    done: list[int] = []
    assert audit.verify(store, done.append) == audit.Verdict(entries=3500)
    assert done == [1000, 1000, 1000]
    assert audit.verify_log(store, "none").faults == ["there is no log none"]

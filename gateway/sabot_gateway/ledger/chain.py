"""Chain: what an entry is, and the hash that ties each one to the entry before it."""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from struct import Struct
from typing import Final, NamedTuple

_GENESIS = bytes(32)
_LENGTH: Final = Struct(">I")
_MOST_KEPT: Final = 4096  # texts or lengths
_Fields = tuple[str, int | None, str, str, bytes, bytes, str, str]  # of an entry


class Entry(NamedTuple):  # thousands a second: made in a tenth of the time of a frozen dataclass
    """What is to be stored."""

    unit: str
    event_no: int | None
    table: str
    topic: str
    payload: bytes
    frame: bytes
    time: str = ""  # of the gateway's clock, ISO 8601, UTC
    rulebook: str = ""  # the book's hash, hex


class Stored(NamedTuple):
    """An entry as the ledger has it."""

    unit: str
    event_no: int | None
    table: str
    topic: str
    payload: bytes
    frame: bytes
    time: str
    rulebook: str
    seq: int
    hash: bytes


@dataclass(frozen=True)
class Origin:
    """Where the chain of a file begins: behind what was pruned, and from which entry on by the second formula."""

    seq: int = 0
    hash: bytes = _GENESIS
    second_from: int = 1


def links(head: bytes, seq: int, entries: Iterable[_Fields], second_from: int) -> list[bytes]:
    """Return the hashes of entries that follow one another: the first is `seq`, and `head` is the hash before it.

    A hash is over everything in its entry, each part with its length, behind the hash of the entry before.
    """
    texts, lengths, join, found = _TEXTS, _LENGTHS, b"".join, list[bytes]()
    same_time, same_rulebook, end = "", "", b""
    for unit, event_no, table, topic, payload, frame, time, rulebook in entries:
        if not end or time != same_time or rulebook != same_rulebook:
            same_time, same_rulebook, end = time, rulebook, texts[time] + texts[rulebook] + texts[str(second_from)]
        seq_text, event = b"%d" % seq, b"" if event_no is None else b"%d" % event_no
        parts = (
            head, lengths[len(seq_text)], seq_text, texts[unit], lengths[len(event)], event, texts[table],
            texts[topic], lengths[len(payload)], payload, lengths[len(frame)], frame,
            end if seq >= second_from else b"",
        )  # fmt: skip
        head = sha256(join(parts)).digest()
        found.append(head)
        seq += 1
    return found


class Texts(dict[str, bytes]):
    """Texts as the hash takes them; units, tables and topics come again and again."""

    def __missing__(self, text: str) -> bytes:
        if len(self) >= _MOST_KEPT:
            self.clear()
        found = self[text] = counted(text)
        return found


class Lengths(dict[int, bytes]):
    """Lengths as the hash takes them."""

    def __missing__(self, count: int) -> bytes:
        if len(self) >= _MOST_KEPT:
            self.clear()
        found = self[count] = _LENGTH.pack(count)
        return found


def counted(part: str) -> bytes:
    """Return a text as the hash takes it: the length of its bytes, then the bytes."""
    data = part.encode()
    return _LENGTH.pack(len(data)) + data


_TEXTS: Final = Texts()
_LENGTHS: Final = Lengths()

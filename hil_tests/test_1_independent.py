"""The independent wire and shoe against the bytes that PROTOCOL.md prints; its cards against the printed tables."""

import random
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from independent import cards, wire
from independent.cards import Hands, Result
from independent.journal import KEEP, Journal
from independent.shoe import Identity, Shoe
from support.oracle import GOLDEN

TEXT = (Path(__file__).parents[1] / "protocol" / "PROTOCOL.md").read_text().split("## Example frames")[1]
KEY = bytes(range(32))
GATEWAY_NONCE, SHOE_NONCE = bytes.fromhex("a1a2a3a4a5a6a7a8"), bytes.fromhex("0300010011223344")
CARD = bytes.fromhex("0100020001218403 5000")


@dataclass(frozen=True)
class Dump:
    """A frame as the document prints it: on the wire, and field by field."""

    title: str
    coded: bytes
    plain: bytes


def dumps() -> list[Dump]:
    found = re.findall(r"\*\*(.+?)\*\*: \w+, on the wire `([0-9a-f ]+)`\n\n```\n(.*?)```", TEXT, re.DOTALL)
    return [Dump(title, bytes.fromhex(coded), _plain(table)) for title, coded, table in found]


def _plain(table: str) -> bytes:
    """The columns of bytes on the left, up to the names."""
    rows = [re.match(r"(?:[0-9a-f]{2}(?: |$))+", line) for line in table.splitlines()]
    return b"".join(bytes.fromhex(row[0]) for row in rows if row)


DUMPS = dumps()


def dump(title: str) -> Dump:
    return next(one for one in DUMPS if one.title == title)


def test_the_document_has_frames_to_compare() -> None:
    assert len(DUMPS) >= 16


@pytest.mark.parametrize("one", DUMPS, ids=lambda one: one.title)
def test_a_printed_frame_is_read_and_made_to_the_byte(one: Dump) -> None:
    assert one.coded[-1:] == b"\0"
    assert wire.uncobs(one.coded[:-1]) == one.plain
    assert wire.block(one.plain[:-2]) == one.coded
    frame = wire.unpack(one.coded[:-1])
    assert frame is not None
    assert frame.type == one.plain[0]
    to_gateway, to_shoe = wire.session_keys(KEY, GATEWAY_NONCE, SHOE_NONCE)
    key = (to_shoe if frame.type & 0x80 else to_gateway) if frame.mac else None
    assert wire.pack(frame.type, frame.seq, frame.time_ms, frame.body, key) == one.coded
    assert wire.Splitter().feed(b"\0" + one.coded) == [frame]


class Chance(random.Random):
    """The four bytes of chance in the printed session."""

    def randbytes(self, n: int) -> bytes:
        return bytes.fromhex("11223344")[:n]


def printed_shoe() -> Shoe:
    """Return the shoe of the printed session before its first WHO."""
    release = {"version": bytes((0, 1, 0)), "image_hash": bytes.fromhex("d1d2d3d4d5d6d7d8")}
    who = Identity(bytes(range(1, 9)), bytes.fromhex("c1c2c3c4c5c6c7c8"), KEY, boot_count=3, **release)
    shoe = Shoe(who, Chance())
    shoe.log(4000, 4, CARD)
    return shoe


def test_the_shoe_speaks_the_printed_session_to_the_byte() -> None:
    shoe = printed_shoe()
    shoe.receive(dump("the gateway asks").coded, 5000)
    assert shoe.take() == dump("the shoe offers a session").coded
    shoe.receive(dump("the gateway takes it").coded, 5100)
    shoe.poll(5100)
    assert shoe.take() == dump("the first event: the eight of hearts").coded
    shoe.receive(dump("it is durable").coded, 5200)
    assert shoe.journal.acked == 1
    shoe.receive(dump("another gateway asks").coded, 5300)
    assert shoe.take() == dump("another gateway serves the shoe").coded


def test_a_frame_that_came_before_or_is_changed_is_refused() -> None:
    shoe = printed_shoe()
    for title in ("the gateway asks", "the gateway takes it", "it is durable"):
        shoe.receive(dump(title).coded, 5000)
    refused = shoe.counts.refused
    shoe.receive(dump("it is durable").coded, 5100)
    assert shoe.counts.refused == refused + 1
    changed = bytearray(dump("the exit is to be locked").coded)
    changed[3] ^= 1
    shoe.receive(bytes(changed), 5100)
    assert (shoe.counts.crc_errors, shoe.last_command) == (1, 0)
    shoe.receive(dump("the exit is to be locked").coded, 5100)
    assert (shoe.last_command, shoe.locked) == (1, True)


@pytest.mark.parametrize("length", [0, 1, 2, 253, 254, 255, 256, 507, 508, 509, 1000])
@pytest.mark.parametrize("fill", [b"\0", b"\1", b"\1\0"])
def test_cobs_round_trip(length: int, fill: bytes) -> None:
    data = (fill * length)[:length]
    assert 0 not in wire.cobs(data)
    assert wire.uncobs(wire.cobs(data)) == data


def test_a_splitter_holds_no_more_than_a_frame() -> None:
    split = wire.Splitter()
    for _ in range(100):
        assert split.feed(b"\1" * 1000) == []
    assert len(split._held) < 200
    assert split.feed(b"\0" + dump("nothing to say").coded) == [wire.unpack(dump("nothing to say").coded[:-1])]
    assert split.bad == 1


def test_crc_is_ibm_3740() -> None:
    assert wire.crc16(b"123456789") == 0x29B1


def number(name: str) -> int:
    return cards.RANKS.index(name[0]) + 13 * cards.SUITS.index(name[1])


def test_every_golden_coup_is_played_as_printed() -> None:
    for golden in GOLDEN:
        stock, hands = [number(card) for card in golden["stock"]], Hands()
        while hands.due() is not None:
            hands.take(stock.pop(0))
        result = Result(hands.player, hands.banker)
        assert [cards.name(card) for card in result.player] == golden["player"]
        assert [cards.name(card) for card in result.banker] == golden["banker"]
        assert cards.WINNERS[result.winner] == golden["winner"]


def test_the_journal_keeps_what_is_not_acknowledged_and_some_more() -> None:
    journal = Journal()
    for _ in range(KEEP + 100):
        journal.log(0, 20, b"\1")
    journal.acknowledge(KEEP + 50)
    assert (journal.oldest, journal.waiting, journal.next_no) == (51, 50, KEEP + 101)
    assert journal.get(50) is None
    event = journal.get(KEEP + 100)
    assert event is not None
    assert event.number == KEEP + 100

"""Frames: any bytes on a shoe's line go through link, parser, verifier, incidents and screens, in reads of any size.

The first byte chooses. Bit 0: the rest are bytes of the line, else frames with right COBS, CRC, MAC and numbers are
made of it, so that the verifier is reached. Bit 1: the shoe has a key. Bits 2 to 4: the rulebook.
"""

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from struct import pack
from typing import Any

from sabot_gateway.config import Table
from sabot_gateway.incidents.book import IncidentBook
from sabot_gateway.shoe.link import ShoeLink
from sabot_gateway.shoe.ports import Line
from sabot_gateway.table_session import TableSession
from sabot_gateway.verify import Verifier
from sabot_protocol import framing, messages, rulebooks
from sabot_protocol.auth import TO_GATEWAY, Seal
from sabot_tools.bench import shoe_player
from shoe_events import GATEWAY, KEY, frame, hello_body

from fuzzing import table_end
from fuzzing.oracle import require
from fuzzing.reads import Choices
from fuzzing.table_end import Segment

MOST_BYTES = 4096
_NONCE, _SHOE_NONCE = bytes(range(8)), bytes(range(8, 16))
_EVENT = messages.FrameType.encmapping["event"]
_KINDS = list(messages.EVENTS)
_BOOKS = rulebooks.ids()
_VECTORS = Path(__file__).parents[3] / "protocol" / "vectors" / "frames.jsonl"


def run(data: bytes) -> None:
    """One read and many give the same entries, alarms, incidents and screens; nothing raises, nothing is logged."""
    choices = Choices(data)
    mode = choices.number()
    book, keyed = _BOOKS[(mode >> 2) % len(_BOOKS)], bool(mode & 2)
    segments = [Segment(0.0, choices.rest())] if mode & 1 else _framed(choices, keyed)
    whole = _played(book, keyed, segments)
    split = _played(book, keyed, table_end.split(segments))
    require(whole == split, "the size of the reads changes the result")


def _framed(choices: Choices, keyed: bool) -> list[Segment]:
    """Return frames of a shoe's session: events with consecutive numbers, others, and pauses."""
    made, event_no, seq, after_s = list[Segment](), 0, 1, 0.0
    seal = Seal(KEY, TO_GATEWAY, _NONCE, _SHOE_NONCE) if keyed else None
    while choices.more() and event_no < 300:
        act = choices.number()
        if act == 255:
            after_s = choices.number() / 16
            continue
        if act >= 240:  # any frame
            raw = bytes([choices.number(), int(keyed), *pack("<HI", seq, 1000)]) + choices.piece()
        else:
            event_no += act < 230  # else the number of the last one again
            head = pack("<BBHIIB", _EVENT, int(keyed), seq, 1000 * event_no, event_no, act % (len(_KINDS) + 2))
            raw = head + choices.piece()
        raw, seq = raw[: framing.MAX_BODY_BYTES - 8], seq + 1 & 0xFFFF
        made.append(Segment(after_s, framing.encode(raw + seal.mac(raw) if seal else raw)))
        after_s = 0.0
    return made


def _played(book_id: str, keyed: bool, segments: Iterable[Segment]) -> object:
    """Return what a table makes of these reads after the greeting."""
    book, (profile, greeting) = rulebooks.load(book_id), _greeting(book_id, keyed)
    link = ShoeLink(profile, lambda unit: 0, GATEWAY, lambda unit: [KEY] if keyed else [], lambda: _NONCE)
    session = TableSession(
        Table(name="bac-01", port="none", rulebook=book_id),
        Line("none", 9600),
        link,
        Verifier("bac-01", book, profile),
        IncidentBook("bac-01", book),
    )
    link.tick(0.0)
    return table_end.played(session, [Segment(0.0, greeting), *segments])


@cache
def _greeting(book_id: str, keyed: bool) -> tuple[dict[str, Any], bytes]:
    """Return the profile of a table, and the HELLO of a shoe that has it."""
    profile = rulebooks.load(book_id).profile(None, 1)
    known = messages.profile_hash(profile)
    hello = hello_body(gateway_nonce=_NONCE, shoe_nonce=_SHOE_NONCE, next_event_no=1, profile_hash=known)
    raw = frame("hello", hello, 0, int(keyed))
    return profile, framing.encode(raw + Seal(KEY, TO_GATEWAY, _NONCE, _SHOE_NONCE).mac(raw) if keyed else raw)


def seeds() -> Iterable[bytes]:
    """Logs of the firmware, and the golden frames, good and bad."""
    for number in range(4):
        records = shoe_player.log(number, 40)
        for first in range(0, 40, 20):
            yield bytes([4 * number]) + b"".join(_act(kind, body) for _, kind, body in records[: first + 20])
    for line in _VECTORS.read_text().splitlines():
        vector = json.loads(line)
        yield bytes([1]) + bytes.fromhex(vector["wire"])
        body = bytes.fromhex(vector.get("body", ""))
        if body[:1] == bytes([_EVENT]) and len(body) > 13:
            yield bytes([2]) + _act(body[12], body[13:].hex())


def _act(kind: int, body: str) -> bytes:
    return bytes([kind, len(body) // 2]) + bytes.fromhex(body)

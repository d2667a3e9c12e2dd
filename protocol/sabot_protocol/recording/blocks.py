"""The bytes of a recording: its parts, and the records within a block."""

import json
import zlib
from collections.abc import Iterator
from struct import Struct
from typing import Any, Final

from sabot_protocol.recording.records import SENDERS, Act, Edge, Line, Record, RecordingError, content_of

MAGIC: Final = b"\x89SHOE\r\n\x1a"  # as PNG's: a transfer that takes it for text is noticed
VERSION: Final = 1
MAX_METADATA_BYTES: Final = 1 << 16
MAX_BLOCK_BYTES: Final = 1 << 16  # packed and unpacked: all that a reader must hold
HEADER, BLOCK, CHECK, END = Struct("<8sBI"), Struct("<BI"), Struct("<I"), Struct("<IIIQ32s")
RECORDS_KIND, END_KIND = 1, 2

_VARINT_BITS = 56  # holds MAX_T_US << 2
_EDGE, _ACT = 0, 3
_SENDER_OF = {kind: sender for sender, kind in SENDERS.items()}


def encode_record(record: Record, last_us: int, last_levels: int) -> bytes:
    """Return a record as it is in a block, after one of this time and these levels."""
    head = _varint(record.t_us - last_us << 2 | _kind(record))
    if isinstance(record, Edge):
        return head + _varint(record.levels ^ last_levels)
    data = content_of(record)
    return head + _varint(len(data)) + data


def _kind(record: Record) -> int:
    if isinstance(record, Line):
        return SENDERS[record.sender]
    return _EDGE if isinstance(record, Edge) else _ACT


def inflate(packed: bytes) -> bytes:
    """Return the unpacked bytes, at most MAX_BLOCK_BYTES."""
    unpacker = zlib.decompressobj()
    try:
        found = unpacker.decompress(packed, MAX_BLOCK_BYTES + 1)
    except zlib.error as error:
        raise RecordingError(f"zlib cannot unpack it: {error}") from error
    if len(found) > MAX_BLOCK_BYTES:
        raise RecordingError(f"it unpacks to more than {MAX_BLOCK_BYTES} bytes, the most that is allowed")
    if not unpacker.eof or unpacker.unused_data:
        raise RecordingError("its zlib stream does not end where the block ends")
    return found


def decode_block(block: bytes) -> Iterator[Record]:
    """Yield the records of an unpacked block."""
    at = t_us = levels = 0
    while at < len(block):
        head, at = _number(block, at)
        value, at = _number(block, at)
        t_us += head >> 2
        kind = head & 3
        if kind == _EDGE:
            levels ^= value
            yield Edge(t_us, levels)
            continue
        if value > len(block) - at:
            what = "an act" if kind == _ACT else "the line"
            raise RecordingError(f"{value} bytes of {what} are announced, {len(block) - at} are there")
        data = block[at : at + value]
        yield Act(t_us, _act(data)) if kind == _ACT else Line(t_us, _SENDER_OF[kind], data)
        at += value


def _act(data: bytes) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise RecordingError(f"an act that is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise RecordingError("an act that is no JSON object")
    return found


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)


def _number(block: bytes, at: int) -> tuple[int, int]:
    """Return a varint and the offset behind it."""
    value = 0
    for shift in range(0, _VARINT_BITS, 7):
        if at >= len(block):
            raise RecordingError("it ends within a number")
        value |= (block[at] & 0x7F) << shift
        at += 1
        if block[at - 1] < 0x80:
            return value, at
    raise RecordingError(f"a number of more than {_VARINT_BITS} bits")

"""The recording format `.shoe`: what a shoe's inputs showed, its serial line carried and people did, with times.

    header   magic 8 bytes | version u8 | length u32 | metadata: a JSON object                      | check u32
    block    kind u8 = 1   | length u32 | records, packed by zlib                                   | check u32
    end      kind u8 = 2   | length u32 | blocks, edges, lines and acts u32, line bytes u64, SHA         | check u32

Numbers are little-endian; `length` is that of the field behind it. A check is the CRC-32 of every byte so far except
the checks, so that a block that is missing, repeated or out of place fails too. SHA is the SHA-256 of every byte before
the end. A file without its end was cut off: it holds what its whole blocks hold.

A block's records follow each other, its first counts from time 0 and levels 0. Numbers are varints, 7 bits a byte, the
lowest first, bit 7 set when another follows:

    edge     (microseconds since the last record) << 2 | 0   | levels of all inputs XOR those before
    line     (microseconds since the last record) << 2 | 1 from the shoe, 2 from the gateway | length | bytes
    act      (microseconds since the last record) << 2 | 3   | length | a JSON object: what was done besides

Metadata that programs here understand, none of it required: `made_by`, `source`, `unit`, `card_set`, `rulebook`,
`seed`, `protocol` (hash, in hex), `started_unix_us` (when time 0 was). Of a recording that is to be replayed also
`decks`, `options` (of the rulebook, by axis), `key` (of the unit, in hex), `about` (a sentence), `covers` (modes of
failure) and `quick` (short enough for an emulated chip).
"""

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from struct import Struct
from typing import Any, Final, NamedTuple

MAGIC: Final = b"\x89SHOE\r\n\x1a"  # as PNG's: a transfer that takes it for text is noticed
VERSION: Final = 1
MAX_METADATA_BYTES: Final = 1 << 16
MAX_BLOCK_BYTES: Final = 1 << 16  # packed and unpacked: all that a reader must hold
MAX_LINE_BYTES: Final = 1 << 12
MAX_T_US: Final = (1 << 53) - 1  # what every JSON reader holds exactly
MAX_LEVELS: Final = 0xFFFF
MAX_RECORDS: Final = (1 << 32) - 1

_FULL_BLOCK_BYTES = 1 << 12  # some forty cards
_VARINT_BITS = 56  # holds MAX_T_US << 2
_HEADER, _BLOCK, _CHECK, _END = Struct("<8sBI"), Struct("<BI"), Struct("<I"), Struct("<IIIQ32s")
_RECORDS_KIND, _END_KIND = 1, 2
_EDGE, _ACT = 0, 3
_SENDERS = {"shoe": 1, "gateway": 2}
_SENDER_OF = {kind: sender for sender, kind in _SENDERS.items()}


class RecordingError(ValueError):
    """What is wrong with a recording, and at which byte of it."""

    def __init__(self, what: str, at: int | None = None) -> None:
        super().__init__(what if at is None else f"byte {at}: {what}")
        self.at = at


class CutOffError(RecordingError):
    """The recording ends before its end; what was read of it is sound."""


class Edge(NamedTuple):
    """The levels of all inputs from this time on; before the first edge all are 0."""

    t_us: int
    levels: int


class Line(NamedTuple):
    """Bytes as they came over the serial line, from `shoe` or `gateway`."""

    t_us: int
    sender: str
    data: bytes


class Act(NamedTuple):
    """What people or the world did besides moving inputs: a JSON object, `do` says what."""

    t_us: int
    act: dict[str, Any]


Record = Edge | Line | Act


@dataclass
class Counts:
    """What a recording holds."""

    blocks: int = 0
    edges: int = 0
    lines: int = 0
    line_bytes: int = 0
    acts: int = 0

    @property
    def records(self) -> int:
        """All of them."""
        return self.edges + self.lines + self.acts

    def at_end(self) -> tuple[int, int, int, int]:
        """As the end of a recording has them."""
        return self.blocks, self.edges, self.lines + self.acts, self.line_bytes

    def add(self, record: Record) -> None:
        """One more record."""
        if isinstance(record, Edge):
            self.edges += 1
        elif isinstance(record, Act):
            self.acts += 1
        else:
            self.lines += 1
            self.line_bytes += len(record.data)


class Writer:
    """Records in, bytes out, to be written in order: start(), add() as they come, flush() at will, finish()."""

    def __init__(self, metadata: Mapping[str, Any]) -> None:
        self.counts = Counts()
        self._metadata = _metadata_bytes(metadata)
        self._block = bytearray()
        self._t_us = self._block_us = self._levels = self._crc = 0
        self._hash = sha256()

    def start(self) -> bytes:
        """The header."""
        return self._checked(_HEADER.pack(MAGIC, VERSION, len(self._metadata)) + self._metadata)

    def add(self, record: Record) -> bytes:
        """The block that this record has filled, or nothing yet."""
        number = self.counts.records
        what = _fault(record, self._t_us) if number < MAX_RECORDS else "the recording is full; begin another"
        if what:
            raise RecordingError(f"record {number + 1}: {what}")
        self._block += _varint(record.t_us - self._block_us << 2 | _kind(record))
        if isinstance(record, Edge):
            self._block += _varint(record.levels ^ self._levels)
            self._levels = record.levels
        else:
            data = _content(record)
            self._block += _varint(len(data)) + data
        self._t_us = self._block_us = record.t_us
        self.counts.add(record)
        return self.flush() if len(self._block) >= _FULL_BLOCK_BYTES else b""

    def flush(self) -> bytes:
        """What was added since the last block: once written, a crash cannot take it."""
        if not self._block:
            return b""
        packed = zlib.compress(self._block, 9)
        self._block.clear()
        self._block_us = self._levels = 0
        self.counts.blocks += 1
        return self._checked(_BLOCK.pack(_RECORDS_KIND, len(packed)) + packed)

    def finish(self) -> bytes:
        """The last block and the end."""
        last = self.flush()
        end = _END.pack(*self.counts.at_end(), self._hash.digest())
        return last + self._checked(_BLOCK.pack(_END_KIND, _END.size) + end)

    def _checked(self, part: bytes) -> bytes:
        self._crc = zlib.crc32(part, self._crc)
        part += _CHECK.pack(self._crc)
        self._hash.update(part)
        return part


class Reader:
    """Bytes in, records out as their blocks arrive; never holds more than a block and what it was just given."""

    def __init__(self) -> None:
        self.metadata: dict[str, Any] | None = None  # once the header is there
        self.counts = Counts()
        self.ended = False
        self._held = bytearray()
        self._at = self._t_us = self._crc = 0
        self._hash = sha256()
        self._error: RecordingError | None = None

    def feed(self, data: bytes) -> Iterator[Record]:
        """The records of every block that these bytes complete; to be consumed before the next bytes."""
        if self._error:
            raise self._error
        self._held += data
        try:
            yield from self._blocks()
        except RecordingError as error:
            self._error = error
            raise

    def close(self) -> None:
        """No more bytes come: say so if the recording was cut off."""
        if self._error:
            raise self._error
        if self.ended:
            return
        size, counts = self._at + len(self._held), self.counts
        if self.metadata is None:
            raise CutOffError("cut off in the header; nothing can be read", size)
        acts = f", {counts.acts} acts" if counts.acts else ""
        sound = f"{counts.edges} edges{acts} and {counts.lines} pieces of the line before are sound"
        raise CutOffError(f"cut off behind block {counts.blocks}: the end is missing; the {sound}", size)

    def _blocks(self) -> Iterator[Record]:
        if self.metadata is None and not self._header():
            return
        while not self.ended:
            self._refuse_unknown_kind()
            part = self._part(_BLOCK, MAX_BLOCK_BYTES, f"block {self.counts.blocks + 1}")
            if part is None:
                return
            yield from self._records(part)
        if self._held:
            raise self._wrong(f"{len(self._held)} bytes behind the end; a recording has one end")

    def _header(self) -> bool:
        if not MAGIC.startswith(self._held[: len(MAGIC)]):
            raise self._wrong(f"no recording: it begins with {self._held[:8].hex()}, a .shoe with {MAGIC.hex()}")
        if len(self._held) > len(MAGIC) and self._held[len(MAGIC)] != VERSION:
            version = self._held[len(MAGIC)]
            raise self._wrong(f"version {version} of the format; this program reads version {VERSION}: update it")
        part = self._part(_HEADER, MAX_METADATA_BYTES, "the header")
        if part is None:
            return False
        self.metadata = self._parsed(part[_HEADER.size :])
        self._accept(part)
        return True

    def _parsed(self, metadata: bytes) -> dict[str, Any]:
        try:
            found = json.loads(metadata)
        except (ValueError, RecursionError) as error:
            raise self._wrong(f"metadata is no JSON: {error}") from error
        if not isinstance(found, dict):
            raise self._wrong("metadata is no JSON object")
        return found

    def _part(self, head: Struct, most: int, what: str) -> bytes | None:
        """Head and content of the next part, its check done; nothing while it is not all there."""
        if len(self._held) < head.size:
            return None
        length = head.unpack_from(self._held)[-1]
        if length > most:
            raise self._wrong(f"{what} of {length} bytes; at most {most} are allowed")
        whole = head.size + length
        if len(self._held) < whole + _CHECK.size:
            return None
        part = bytes(self._held[:whole])
        if _CHECK.unpack_from(self._held, whole)[0] != zlib.crc32(part, self._crc):
            raise self._wrong(f"{what} fails its check: damaged here; what came before is sound")
        return part

    def _accept(self, part: bytes) -> None:
        self._crc = zlib.crc32(part, self._crc)
        self._hash.update(part + _CHECK.pack(self._crc))
        del self._held[: len(part) + _CHECK.size]
        self._at += len(part) + _CHECK.size

    def _refuse_unknown_kind(self) -> None:
        if self._held and self._held[0] not in (_RECORDS_KIND, _END_KIND):
            raise self._wrong(f"a block of kind {self._held[0]}; damaged here, or written by a newer program")

    def _records(self, part: bytes) -> Iterator[Record]:
        content = part[_BLOCK.size :]
        if part[0] == _END_KIND:
            self._check_end(content)
            self.ended = True
        else:
            yield from self._unpacked(content)
            self.counts.blocks += 1
        self._accept(part)

    def _unpacked(self, packed: bytes) -> Iterator[Record]:
        try:
            for record in _decoded(_inflated(packed)):
                if what := _fault(record, self._t_us):
                    raise RecordingError(f"record {self.counts.records + 1}: {what}")
                self._t_us = record.t_us
                self.counts.add(record)
                yield record
        except RecordingError as error:
            raise self._wrong(f"block {self.counts.blocks + 1}: {error}") from error

    def _check_end(self, content: bytes) -> None:
        if len(content) != _END.size:
            raise self._wrong(f"an end of {len(content)} bytes; {_END.size} make one")
        *counts, digest = _END.unpack(content)
        if tuple(counts) != self.counts.at_end():
            raise self._wrong(f"the end counts {counts} blocks, edges, lines and bytes, but there were {self.counts}")
        if digest != self._hash.digest():
            raise self._wrong("the SHA-256 at the end is not that of the bytes before: something was changed")

    def _wrong(self, what: str) -> RecordingError:
        return RecordingError(what, self._at)


def read(reader: Reader, pieces: Iterable[bytes]) -> Iterator[Record]:
    """The records of a recording as its pieces come; at the end RecordingError if it was not whole."""
    for piece in pieces:
        yield from reader.feed(piece)
    reader.close()


def _kind(record: Record) -> int:
    if isinstance(record, Line):
        return _SENDERS[record.sender]
    return _EDGE if isinstance(record, Edge) else _ACT


def _content(record: Line | Act) -> bytes:
    """What stands behind the length."""
    if isinstance(record, Line):
        return record.data
    try:
        return _object_bytes(record.act)
    except (TypeError, ValueError, RecursionError) as error:
        raise RecordingError(f"an act that JSON cannot hold: {error}") from error


def _object_bytes(value: Mapping[str, Any]) -> bytes:
    return json.dumps(dict(value), ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _metadata_bytes(metadata: Mapping[str, Any]) -> bytes:
    found = _object_bytes(metadata)
    if len(found) > MAX_METADATA_BYTES:
        raise RecordingError(f"metadata of {len(found)} bytes; at most {MAX_METADATA_BYTES} are allowed")
    return found


def _inflated(packed: bytes) -> bytes:
    """What was packed, never more than a block's worth of it."""
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


def _decoded(block: bytes) -> Iterator[Record]:
    """The records of an unpacked block."""
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
    """A varint, and where the next thing begins."""
    value = 0
    for shift in range(0, _VARINT_BITS, 7):
        if at >= len(block):
            raise RecordingError("it ends within a number")
        value |= (block[at] & 0x7F) << shift
        at += 1
        if block[at - 1] < 0x80:
            return value, at
    raise RecordingError(f"a number of more than {_VARINT_BITS} bits")


def _fault(record: Record, last_us: int) -> str | None:
    """Why a recording cannot hold this record behind one of that time."""
    if not last_us <= record.t_us <= MAX_T_US:
        return f"{record.t_us} us after {last_us} us; records go forwards in time, up to {MAX_T_US} us"
    if isinstance(record, Edge):
        return None if 0 <= record.levels <= MAX_LEVELS else f"levels {record.levels:#x}; there are 16 inputs"
    if isinstance(record, Line) and record.sender not in _SENDERS:
        return f"bytes from {record.sender!r}; the line has {' and '.join(_SENDERS)}"
    size, what = len(_content(record)), "the line" if isinstance(record, Line) else "an act"
    return None if 0 < size <= MAX_LINE_BYTES else f"{size} bytes of {what}; 1 to {MAX_LINE_BYTES} make a record"

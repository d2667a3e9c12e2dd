"""What a serial line carried, frame by frame, from captured bytes or a recording; damaged frames with the reason."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from typing import Any, BinaryIO, NamedTuple

from cobs import cobs
from construct import ConstructError
from sabot_protocol import auth, framing, messages, recording
from sabot_protocol.recording import Line, RecordingError

from sabot_tools.text.macs import MacChecker

_PIECE_BYTES = 1 << 16
_MOST_HELD_BYTES = 1 << 12  # without a delimiter; more come out in pieces
_MOST_ENCODED_BYTES = len(framing.encode(b"\1" * framing.MAX_BODY_BYTES)) - 1
_FIRST_GATEWAY_TYPE = 0x80


class Chunk(NamedTuple):
    """Bytes of one sender up to and including a delimiter."""

    at: int
    run_at: int  # where the run without a delimiter began: before `at` if it was too long to hold
    zeros_before: int
    wire: bytes


class LineFrame(NamedTuple):
    """A chunk as a frame, or with the problem that makes it none."""

    chunk: Chunk
    t_us: int | None
    sender: str | None
    data: bytes  # decoded, unless the COBS coding is broken
    frame: dict[str, Any]
    problem: str | None = None
    error: str = ""
    mac: bytes = b""
    authenticated: str | None = None  # yes, no or unknown, if a key was given and the frame has a MAC


class DamagedError(ValueError):
    """Why bytes are not a valid frame."""

    def __init__(self, problem: str, what: str, data: bytes) -> None:
        super().__init__(f"{problem}: {what}")
        self.problem, self.data = problem, data


@dataclass
class Splitter:
    """Bytes of one sender in, chunks out; every byte comes out once, and at most _MOST_HELD_BYTES are held."""

    zeros: int = 0
    _at: int = 0
    _run_at: int = 0
    _held: bytearray = field(default_factory=bytearray)

    def feed(self, data: bytes) -> Iterator[Chunk]:
        """Yield every chunk that ends in these bytes."""
        *ended, rest = data.split(b"\0")
        for part in ended:
            yield from self._hold(part)
            yield from self._delimiter()
        yield from self._hold(rest)

    def finish(self) -> Iterator[Chunk]:
        """Yield the bytes that no delimiter followed."""
        if self._held:
            yield self._chunk(len(self._held), b"")

    def _hold(self, part: bytes) -> Iterator[Chunk]:
        self._held += part
        while len(self._held) > _MOST_HELD_BYTES:
            yield self._chunk(_MOST_HELD_BYTES, b"")

    def _delimiter(self) -> Iterator[Chunk]:
        if self._held:
            yield self._chunk(len(self._held), b"\0")
        else:
            self.zeros += 1
            self._at += 1
        self._run_at = self._at

    def _chunk(self, size: int, delimiter: bytes) -> Chunk:
        chunk = Chunk(self._at, self._run_at, self.zeros, bytes(self._held[:size]) + delimiter)
        del self._held[:size]
        self.zeros = 0
        self._at += len(chunk.wire)
        return chunk


def read_chunk(chunk: Chunk, t_us: int | None, sender: str | None) -> LineFrame:
    """Return a chunk as a frame; if the sender is not known, the frame's type gives it."""
    try:
        data = _decoded(chunk)
        body, mac = _split_mac(data)
        frame = _frame(body, data)
    except DamagedError as error:
        return LineFrame(chunk, t_us, sender, error.data, {}, error.problem, str(error))
    side = "gateway" if data[0] >= _FIRST_GATEWAY_TYPE else "shoe"
    if sender in (None, side):
        return LineFrame(chunk, t_us, side, data, frame, mac=mac)
    error_text = f"sender: {frame['type']} is sent by the {side}, this one came from the {sender}"
    return LineFrame(chunk, t_us, sender, data, frame, "sender", error_text, mac)


def _decoded(chunk: Chunk) -> bytes:
    """Return body, MAC and CRC, with the CRC checked."""
    encoded = chunk.wire.removesuffix(b"\0")
    if chunk.at != chunk.run_at:
        raise DamagedError("length", f"continues from byte {chunk.run_at}, no delimiter since", encoded)
    if len(encoded) > _MOST_ENCODED_BYTES:
        what = f"{len(encoded)} bytes without a delimiter; a frame has at most {_MOST_ENCODED_BYTES}"
        raise DamagedError("length", what, encoded)
    if encoded == chunk.wire:
        raise DamagedError("unfinished", f"{len(encoded)} bytes, then the line ended without a delimiter", encoded)
    try:
        data = bytes(cobs.decode(encoded))
    except cobs.DecodeError as error:
        raise DamagedError("cobs", str(error), encoded) from error
    _check(data)
    return data


def _check(data: bytes) -> None:
    if len(data) < 3:
        raise DamagedError("length", f"{len(data)} bytes; a frame has at least a type and a CRC", data)
    right, found = framing.crc16(data[:-2]), int.from_bytes(data[-2:], "little")
    if right != found:
        raise DamagedError("crc", f"the frame has {found:04x}, its bytes give {right:04x}", data)


def _split_mac(data: bytes) -> tuple[bytes, bytes]:
    """Return body and MAC; the MAC is empty if the flags announce none."""
    body = data[:-2]
    if len(body) < 2 or not body[1] & messages.AUTHENTICATED:
        return body, b""
    if len(body) <= auth.MAC_BYTES:
        raise DamagedError("content", f"flags: a MAC is announced, but the frame has only {len(body)} bytes", data)
    return body[: -auth.MAC_BYTES], body[-auth.MAC_BYTES :]


def _frame(body: bytes, data: bytes) -> dict[str, Any]:
    try:
        found: dict[str, Any] = plain(messages.Frame.parse(body))
    except ConstructError as error:
        place, _, what = str(error).partition("\n")
        where = place.removeprefix("Error in path (parsing) -> ").replace(" -> ", ".")
        raise DamagedError("content", f"{where}: {what or 'not as defined'}", data) from error
    return found


def with_verdict(checker: MacChecker, one: LineFrame) -> LineFrame:
    """Return the frame with the verdict on its MAC; a wrong MAC is a problem."""
    if not one.mac:
        return one
    verdict = checker.verdict(one.frame, one.sender or "", _split_mac(one.data)[0], one.mac)
    if verdict != "no" or one.problem:
        return one._replace(authenticated=verdict)
    error = "mac: not made with this key for this session and direction"
    return one._replace(authenticated=verdict, problem="mac", error=error)


def plain(value: Any) -> Any:
    """Return a parsed value for JSON, without construct's bookkeeping."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items() if not str(key).startswith("_")}
    return value.hex() if isinstance(value, bytes) else value


class Source:
    """Captured bytes or a recording, distinguished by the first bytes; `error` is why a recording ended early."""

    def __init__(self, file: BinaryIO) -> None:
        first = file.read(len(recording.MAGIC))
        self._pieces = chain([first], iter(lambda: file.read1(_PIECE_BYTES), b""))  # type: ignore[attr-defined]
        self.reader = recording.Reader() if first == recording.MAGIC else None
        self.error: RecordingError | None = None
        self._lines = self._line()
        self._first: list[tuple[int | None, str | None, bytes]] = []

    def begin(self) -> None:
        """Read a recording as far as its first bytes of the line, so that its metadata is there."""
        if self.reader is not None:
            self._first = list(islice(self._lines, 1))

    @property
    def metadata(self) -> dict[str, Any]:
        """Return the metadata of a recording; empty for captured bytes."""
        return (self.reader and self.reader.metadata) or {}

    def records(self) -> Iterator[recording.Record]:
        """Yield the records of a recording up to the first damage."""
        if self.reader is None:
            return
        try:
            yield from recording.read(self.reader, self._pieces)
        except RecordingError as error:
            self.error = error

    def line(self) -> Iterator[tuple[int | None, str | None, bytes]]:
        """Yield time and sender, if known, and bytes."""
        return chain(self._first, self._lines)

    def _line(self) -> Iterator[tuple[int | None, str | None, bytes]]:
        if self.reader is None:
            yield from ((None, None, piece) for piece in self._pieces)
        else:
            yield from (record for record in self.records() if isinstance(record, Line))


def frames(source: Source, key: bytes | None = None) -> Iterator[LineFrame]:
    """Yield everything on the line in the order of completion; with a key, MACs are checked."""
    found = _frames(source)
    return map(partial(with_verdict, MacChecker(key)), found) if key else found


def _frames(source: Source) -> Iterator[LineFrame]:
    splitters: dict[str | None, Splitter] = {}
    t_us = None
    for t_us, sender, data in source.line():
        splitter = splitters.setdefault(sender, Splitter())
        yield from (read_chunk(chunk, t_us, sender) for chunk in splitter.feed(data))
    for sender, splitter in splitters.items():
        yield from (read_chunk(chunk, t_us, sender) for chunk in splitter.finish())

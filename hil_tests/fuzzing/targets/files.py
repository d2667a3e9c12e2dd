"""Files: any bytes as a recording, a capture, a file of heads, the file beside a ledger, or a payload in a ledger.

The first byte chooses; for a recording its bit 7 puts right checks on a block that is made of the rest, its bit 6 takes
the metadata from before the first line break, and its bit 5 has it inspected as the line of an Angel Eye.
"""

import json
import zlib
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path

import msgspec
from sabot_gateway.ledger import LedgerError, Stored, derived, heads
from sabot_gateway.operator.attempts import Attempts
from sabot_gateway.operator.command_memory import CommandMemory
from sabot_protocol import pcapng
from sabot_protocol.attempts import Attempt, Outcome
from sabot_protocol.recording import blocks
from sabot_protocol.recording.reader import Reader
from sabot_protocol.recording.records import Record, RecordingError
from sabot_protocol.topics import AlarmMessage, ConfirmedMessage, CoupMessage, IncidentMessage
from sabot_service.moment import Moment
from sabot_tools.actions import inspect
from sabot_tools.text import angel_eye_frames
from sabot_tools.text.line_frames import Source, frames
from shoe_events import KEY

from fuzzing import json_mutator, scratch
from fuzzing.examples import example
from fuzzing.oracle import require
from fuzzing.reads import parts

MOST_BYTES = 4096
_ROOT = Path(__file__).parents[2]
_TIME = "2026-01-02T03:04:05.006Z"
_ENTRY_TOPICS = (
    "attempt",
    "sent",
    "outcome",
    "refused",
    "coup",
    "confirmed",
    "alarm",
    "incident",
    "call",
    "jackpot/x",
    "jackpot/x/recorded",
)


def run(data: bytes) -> None:
    """A file is read, or refused with a sentence of its own error; a recording is the same however it is read."""
    kind, content = data[0] if data else 0, data[1:]
    if kind & 3 == 1:
        _heads(content)
    elif kind & 3 == 2:
        _beside(content)
    elif kind & 3 == 3:
        _payload(content)
    else:
        made = _sealed(content, with_metadata=bool(kind & 64)) if kind & 128 else content
        _recording(made)
        _inspected(made, angel_eye=bool(kind & 32))


def _recording(content: bytes) -> None:
    whole, split = _read([content]), _read(parts(content))
    require(whole == split, "the size of the reads changes the records")


def _read(pieces: Iterable[bytes]) -> tuple[list[Record], bool]:
    """Return the records, and whether they are all; an error may quote what had come until then."""
    reader, records = Reader(), list[Record]()
    try:
        for piece in pieces:
            records.extend(reader.feed(piece))
        reader.close()
    except RecordingError as error:
        require(str(error), "an error without a sentence")
        return records, False
    return records, True


def _inspected(content: bytes, *, angel_eye: bool) -> None:
    """Print every frame as `sabot inspect` does; whatever is in it, a terminal can show it."""
    source = Source(BytesIO(content))
    source.begin()
    problems = pcapng.ANGEL_EYE_PROBLEMS if angel_eye else pcapng.PROBLEMS
    for number, one in enumerate(angel_eye_frames.frames(source) if angel_eye else frames(source, KEY)):
        require(inspect.json_line(number, one)[:-1].decode().isprintable(), "a line that cannot be printed")
        inspect.packet(source, one, problems)
        require(inspect.text_line(number, one)[:-1].decode().isprintable(), "a line that cannot be printed")


def _sealed(content: bytes, *, with_metadata: bool) -> bytes:
    """Return a recording whose header and one block have right checks; the block's records are these bytes."""
    metadata, records = content.split(b"\n", 1) if with_metadata and b"\n" in content else (b"{}", content)
    packed = zlib.compress(records[:2000], 1)
    header = blocks.HEADER.pack(blocks.MAGIC, blocks.VERSION, len(metadata)) + metadata
    crc = zlib.crc32(header)
    block = blocks.BLOCK.pack(blocks.RECORDS_KIND, len(packed)) + packed
    return header + blocks.CHECK.pack(crc) + block + blocks.CHECK.pack(zlib.crc32(block, crc))


def _heads(content: bytes) -> None:
    path = scratch.directory("files") / "heads"
    path.write_bytes(content)
    try:
        list(heads.load(path))
    except LedgerError as error:
        require(str(path) in str(error), f"the error does not name the file: {error}")


def _beside(content: bytes) -> None:
    path = scratch.directory("files") / "head"
    path.write_bytes(content)
    try:
        heads.read(path)
    except LedgerError as error:
        require(str(path) in str(error), f"the error does not name the file: {error}")


def _payload(content: bytes) -> None:
    """Somebody has changed the payload of an entry: the daemon starts, and the tables of the ledger are made again."""
    for topic in _ENTRY_TOPICS:
        entry = Stored("5ab0000000000001", 1, "bac-01", topic, content, b"", _TIME, "", 1, bytes(32))
        Attempts().recall([entry])
        CommandMemory().recall([entry], Moment(0.0, _TIME))
        derived.changes(1, entry)


def seeds() -> Iterable[bytes]:
    """Recordings, captures and heads."""
    for path in [*sorted((_ROOT / "captures").glob("*.shoe")), *sorted((_ROOT / "recordings").glob("*/*.shoe"))[:3]]:
        yield b"\0" + path.read_bytes()[: MOST_BYTES - 1]
    vectors = _ROOT.parent / "protocol" / "vectors"
    wires = [bytes.fromhex(json.loads(line)["wire"]) for line in (vectors / "frames.jsonl").read_text().splitlines()]
    yield b"\0" + b"".join(wires)[: MOST_BYTES - 1]
    yield from (b"\0" + wire for wire in wires[::8])
    golden = (vectors / "angel_eye" / "vectors.jsonl").read_text().splitlines()
    yield b"\x20" + b"".join(bytes.fromhex(json.loads(line).get("hex", "")) for line in golden)[: MOST_BYTES - 1]
    yield bytes([192]) + b'{"driver":"angel-eye","protocol":1,"started_unix_us":-1}\n' + b"\1\2ab"
    yield bytes([128]) + b"\0\1\4\3\1\2ab\3\2{}"
    head = b'{"gateway":"6a7e","entry":3,"hash":"00","time":"2026-01-02T03:04:05.006Z","signature":"00"}'
    yield b"\1" + head + b"\n" + head + b"\n"
    yield b'\2{"head":' + head + b',"cursors":{"a":1}}'
    yield b'\1{"head":' + head + b"}"
    yield b'\1{"x":' + b"[" * 3000
    yield b'\2{"x":' + b"[" * 900
    for kind in (Attempt, Outcome, CoupMessage, ConfirmedMessage, AlarmMessage, IncidentMessage):
        yield b"\3" + msgspec.json.encode(example(kind))
    yield b'\3{"x":' + b"[" * 3000


def mutate(data: bytes, most: int, seed: int) -> bytes | None:
    """Return another payload or head."""
    made = json_mutator.mutated(data[1:], most - 1, seed) if data[:1] in (b"\1", b"\2", b"\3") else None
    return None if made is None else data[:1] + made

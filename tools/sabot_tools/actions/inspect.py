"""sabot inspect: what a serial line carried, frame by frame, nothing left out; what is damaged with the reason."""

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, BinaryIO, NamedTuple

import msgspec
import typer
from cobs import cobs
from construct import ConstructError
from sabot_protocol import auth, cardcode, framing, messages, pcapng, recording
from sabot_protocol.documents import dissector
from sabot_protocol.recording import Edge, Line, RecordingError

from sabot_tools.text.errors import failure, same_file
from sabot_tools.text.macs import MacChecker, read_key

app = typer.Typer(rich_markup_mode=None, add_completion=False)

EPILOG = """\b
Example: printf '\\002\\003\\002\\011\\002\\007\\001\\001\\003\\204\\340\\000' | sabot inspect
Example: sabot inspect evening.shoe --text
Example: sabot inspect evening.shoe --key keys/5ab0000000000001.key
Example: sabot inspect evening.shoe --edges | sabot read
Example: sabot inspect evening.shoe --pcapng evening.pcapng
"""

_PIECE_BYTES = 1 << 16
_MOST_HELD_BYTES = 1 << 12  # of bytes without a delimiter; more are told in pieces
_MOST_SHOWN_BYTES = 32  # in a line for people
_MOST_ENCODED_BYTES = len(framing.encode(b"\1" * framing.MAX_BODY_BYTES)) - 1
_FIRST_GATEWAY_TYPE = 0x80

FileArgument = Annotated[
    typer.FileBinaryRead, typer.Argument(help="Captured bytes or a .shoe recording.", show_default="stdin")
]
PcapngOption = Annotated[
    typer.FileBinaryWrite | None, typer.Option("--pcapng", help="Write a capture for Wireshark; - is stdout.")
]
KeyOption = Annotated[
    Path | None,
    typer.Option(
        "--key", help="The shoe's key, 64 hex digits or 32 bytes: tell whether MACs are right.", dir_okay=False
    ),
]


class Chunk(NamedTuple):
    """Bytes of one sender up to and including a delimiter."""

    at: int
    run_at: int  # where the run without a delimiter began: before `at` if it was too long to hold
    zeros_before: int
    wire: bytes


class Seen(NamedTuple):
    """A chunk and what was made of it: a frame by the definition, or what is wrong."""

    chunk: Chunk
    t_us: int | None
    sender: str | None
    data: bytes  # without COBS where that could be undone
    frame: dict[str, Any]
    problem: str | None = None
    error: str = ""
    mac: bytes = b""
    authenticated: str | None = None  # yes, no or unknown, where a key was given and the frame has a MAC


class DamagedError(ValueError):
    """Why bytes are no sound frame."""

    def __init__(self, problem: str, what: str, data: bytes) -> None:
        super().__init__(f"{problem}: {what}")
        self.problem, self.data = problem, data


@dataclass
class Splitter:
    """Bytes of one sender in, chunks out; every byte comes out once, and few are held."""

    zeros: int = 0
    _at: int = 0
    _run_at: int = 0
    _held: bytearray = field(default_factory=bytearray)

    def feed(self, data: bytes) -> Iterator[Chunk]:
        """Every chunk that ends in these bytes."""
        *ended, rest = data.split(b"\0")
        for part in ended:
            yield from self._hold(part)
            yield from self._delimiter()
        yield from self._hold(rest)

    def finish(self) -> Iterator[Chunk]:
        """What no delimiter followed."""
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


def seen(chunk: Chunk, t_us: int | None, sender: str | None) -> Seen:
    """What a chunk is; the sender of captured bytes follows from the type of the frame."""
    try:
        data = _decoded(chunk)
        body, mac = _parted(data)
        frame = _frame(body, data)
    except DamagedError as error:
        return Seen(chunk, t_us, sender, error.data, {}, error.problem, str(error))
    side = "gateway" if data[0] >= _FIRST_GATEWAY_TYPE else "shoe"
    if sender in (None, side):
        return Seen(chunk, t_us, side, data, frame, mac=mac)
    error_text = f"sender: {frame['type']} is sent by the {side}, this one came from the {sender}"
    return Seen(chunk, t_us, sender, data, frame, "sender", error_text, mac)


def _decoded(chunk: Chunk) -> bytes:
    """Body and CRC, the CRC right."""
    encoded = chunk.wire.removesuffix(b"\0")
    if chunk.at != chunk.run_at:
        raise DamagedError("length", f"goes on from byte {chunk.run_at}, no delimiter since", encoded)
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
        raise DamagedError("length", f"{len(data)} bytes; a type and a CRC are the least", data)
    right, found = framing.crc16(data[:-2]), int.from_bytes(data[-2:], "little")
    if right != found:
        raise DamagedError("crc", f"the frame says {found:04x}, its bytes give {right:04x}", data)


def _parted(data: bytes) -> tuple[bytes, bytes]:
    """Body and MAC; the MAC is empty where the flags have none."""
    body = data[:-2]
    if len(body) < 2 or not body[1] & messages.AUTHENTICATED:
        return body, b""
    if len(body) <= auth.MAC_BYTES:
        raise DamagedError("content", f"flags: a MAC is announced, and the frame has {len(body)} bytes", data)
    return body[: -auth.MAC_BYTES], body[-auth.MAC_BYTES :]


def _frame(body: bytes, data: bytes) -> dict[str, Any]:
    try:
        found: dict[str, Any] = plain(messages.Frame.parse(body))
    except ConstructError as error:
        place, _, what = str(error).partition("\n")
        where = place.removeprefix("Error in path (parsing) -> ").replace(" -> ", ".")
        raise DamagedError("content", f"{where}: {what or 'not as defined'}", data) from error
    return found


def judged(watcher: MacChecker, one: Seen) -> Seen:
    """The same with what its MAC proves; a MAC that is wrong is a problem."""
    if not one.mac:
        return one
    verdict = watcher.verdict(one.frame, one.sender or "", _parted(one.data)[0], one.mac)
    if verdict != "no" or one.problem:
        return one._replace(authenticated=verdict)
    error = "mac: not made with this key for this session and direction"
    return one._replace(authenticated=verdict, problem="mac", error=error)


def plain(value: Any) -> Any:
    """A parsed value as JSON has it, without construct's bookkeeping."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items() if not str(key).startswith("_")}
    return value.hex() if isinstance(value, bytes) else value


class Source:
    """Captured bytes or a recording, by its first bytes; `error` tells why a recording ended early."""

    def __init__(self, file: BinaryIO) -> None:
        first = file.read(len(recording.MAGIC))
        self._pieces = chain([first], iter(lambda: file.read1(_PIECE_BYTES), b""))  # type: ignore[attr-defined]
        self.reader = recording.Reader() if first == recording.MAGIC else None
        self.error: RecordingError | None = None

    @property
    def metadata(self) -> dict[str, Any]:
        """What a recording says of itself."""
        return (self.reader and self.reader.metadata) or {}

    def records(self) -> Iterator[recording.Record]:
        """The records of a recording, as far as it is sound."""
        if self.reader is None:
            return
        try:
            yield from recording.read(self.reader, self._pieces)
        except RecordingError as error:
            self.error = error

    def line(self) -> Iterator[tuple[int | None, str | None, bytes]]:
        """Time and sender, where they are known, and bytes."""
        if self.reader is None:
            yield from ((None, None, piece) for piece in self._pieces)
        else:
            yield from (record for record in self.records() if isinstance(record, Line))


def frames(source: Source, key: bytes | None = None) -> Iterator[Seen]:
    """Everything on the line in the order in which it was complete; with a key, MACs are judged."""
    found = _frames(source)
    return map(partial(judged, MacChecker(key)), found) if key else found


def _frames(source: Source) -> Iterator[Seen]:
    splitters: dict[str | None, Splitter] = {}
    t_us = None
    for t_us, sender, data in source.line():
        splitter = splitters.setdefault(sender, Splitter())
        yield from (seen(chunk, t_us, sender) for chunk in splitter.feed(data))
    for sender, splitter in splitters.items():
        yield from (seen(chunk, t_us, sender) for chunk in splitter.finish())


def json_line(number: int, one: Seen) -> bytes:
    """A frame as programs read it."""
    line = {
        "n": number,
        "t_us": one.t_us,
        "from": one.sender,
        "error": one.error or None,
        **one.frame,
        "mac": one.mac.hex() or None,
        "authenticated": one.authenticated,
        "at": one.chunk.at,
        "hex": one.chunk.wire.hex(),
        "zeros_before": one.chunk.zeros_before or None,
    }
    return msgspec.json.encode({key: value for key, value in line.items() if value is not None}) + b"\n"


def text_line(number: int, one: Seen) -> bytes:
    """A frame as people read it."""
    time_s = "" if one.t_us is None else f"{one.t_us / 1e6:.6f}"
    head = f"{number:>6} {time_s:>14} {one.sender or '?':<8}"
    if one.frame:
        frame = one.frame
        head += f"{frame['type']:<12}{frame['seq']:>6} {frame['time_ms']:>10} ms  {_words(frame['body'])}"
    if one.mac:
        head += f" mac={one.mac.hex()}{f' authenticated={one.authenticated}' if one.authenticated else ''}"
    if one.error:
        shown = one.chunk.wire[:_MOST_SHOWN_BYTES].hex(" ")
        head += f" !! {one.error} [{shown}{' …' if len(one.chunk.wire) > _MOST_SHOWN_BYTES else ''}]"
    return head.rstrip().encode() + b"\n"


def _words(body: dict[str, Any]) -> str:
    """name=value of every field, in order."""
    return " ".join(
        _words(value) if isinstance(value, dict) else f"{name}={str(value).lower() if value is True else value}"
        for name, value in body.items()
        if value is not False
    )


def packet(source: Source, one: Seen) -> bytes:
    """A frame as Wireshark reads it; what has no time is of 1970."""
    started_us = source.metadata.get("started_unix_us")
    if not isinstance(started_us, int) or not 0 <= started_us <= recording.MAX_T_US:
        started_us = 0
    return pcapng.packet(started_us + (one.t_us or 0), one.sender, one.problem, one.data, one.error)


def edges_line(source: Source) -> Iterator[bytes]:
    """The edges as one line of `sabot read`, piece by piece."""
    before = b'{"id":0,"edges":['
    for record in source.records():
        if isinstance(record, Edge):
            yield before + b"[%d,%d]" % record
            before = b","
    yield (b"" if before == b"," else before) + b'],"set":%d}\n' % _card_set(source.metadata)


def _card_set(metadata: dict[str, Any]) -> int:
    found = metadata.get("card_set")
    return found if isinstance(found, int) and 1 <= found <= cardcode.SETS else 1


@app.command(epilog=EPILOG)
def inspect(
    file: FileArgument = "-",  # type: ignore[assignment]
    text: Annotated[bool, typer.Option("--text", help="A table for people.")] = False,
    edges: Annotated[
        bool, typer.Option("--edges", help="The edges of a recording, as `sabot read` takes them.")
    ] = False,
    capture: PcapngOption = None,
    key: KeyOption = None,
    lua: Annotated[bool, typer.Option("--lua", help="Print the dissector for Wireshark and stop.")] = False,
) -> None:
    """Print what a serial line carried, one JSON line a frame; exit 1 if anything was damaged.

    Frames with a MAC show it. With --key they are judged: authenticated is yes, no, or unknown where the HELLO of their
    session is not in the capture.
    """
    if text + edges + lua + (capture is not None) > 1:
        raise typer.BadParameter("choose one of --text, --edges, --pcapng and --lua")
    if capture is not None and same_file(getattr(file, "name", ""), capture.name):
        raise typer.BadParameter(f"{capture.name} is the file that is read; give another", param_hint="--pcapng")
    if lua:
        typer.echo(dissector.lua(), nl=False)
        return
    source = Source(file)
    if edges:
        _print_edges(source)
    else:
        _print_frames(source, capture, text, _key(key))


def _key(path: Path | None) -> bytes | None:
    try:
        return read_key(path) if path else None
    except (OSError, ValueError) as error:
        raise failure("inspect", error) from error


def _print_frames(source: Source, capture: BinaryIO | None, text: bool, key: bytes | None) -> None:
    out, tell = capture or sys.stdout.buffer, text_line if text else json_line
    problems: Counter[str] = Counter()
    if capture:
        out.write(pcapng.header())
    number = 0
    for number, one in enumerate(frames(source, key), 1):
        problems[one.problem or "none"] += 1
        out.write(packet(source, one) if capture else tell(number, one))
        out.flush()  # a line that is watched live is shown at once
    if source.error and not capture:
        out.write(_last_line(number + 1, source.error, text))
    out.flush()
    _sum_up(source, problems)


def _last_line(number: int, error: RecordingError, text: bool) -> bytes:
    if text:
        return f"{number:>6} !! recording: {error}\n".encode()
    return msgspec.json.encode({"n": number, "error": f"recording: {error}", "at": error.at}) + b"\n"


def _sum_up(source: Source, problems: Counter[str]) -> None:
    """Counts, and what else is to be said, on stderr; then the exit status."""
    damaged = [f"{count} {problem}" for problem, count in problems.items() if problem != "none"]
    typer.echo(f"sabot inspect: {problems['none']} sound frames, damaged: {', '.join(damaged) or 'none'}", err=True)
    if source.reader and source.reader.counts.edges:
        counts = source.reader.counts
        acts = f" and {counts.acts} acts of people" if counts.acts else ""
        typer.echo(f"sabot inspect: {counts.edges} edges{acts} besides; --edges prints the edges", err=True)
    protocol = source.metadata.get("protocol", messages.protocol_hash().hex())
    if protocol != messages.protocol_hash().hex():
        ours = messages.protocol_hash().hex()
        typer.echo(f"sabot inspect: recorded with protocol {protocol!r}, read as {ours}; use that release", err=True)
    if source.error:
        raise failure("inspect", source.error)
    raise typer.Exit(int(bool(damaged)))


def _print_edges(source: Source) -> None:
    if source.reader is None:
        raise failure("inspect", ValueError("captured bytes hold no edges; give a .shoe recording"))
    for piece in edges_line(source):
        sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()
    if source.error:
        raise failure("inspect", source.error)

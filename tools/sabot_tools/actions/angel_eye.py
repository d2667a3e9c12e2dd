"""sabot angel-eye: what bytes of an Angel Eye shoe mean, as JSON."""

import re
import sys
from itertools import pairwise
from typing import Annotated, Any, Final, Literal, TypeVar

import msgspec
import typer
from sabot_gateway.angel_eye.reading import Reading
from sabot_protocol.angel_eye.build import Command, CommandReader
from sabot_protocol.angel_eye.messages import WITH_STX, WITHOUT_STX, bcc
from sabot_protocol.angel_eye.tables import ADDRESS, COMMANDS
from sabot_protocol.inputs.plain_text import printable

from sabot_tools.text.errors import failure
from sabot_tools.text.json_lines import BadLineError, answer_lines

app = typer.Typer(rich_markup_mode=None, add_completion=False, no_args_is_help=True)

DECODE_EPILOG = """\b
Example: echo '{"id": "a", "hex": "05 31 44 81 B8 03 34 46"}' | sabot angel-eye decode
Example: echo '{"id": "b", "dir": "to_shoe", "hex": "02 4F 50 4C 4B 30 32 03 31 42"}' | sabot angel-eye decode
Example: sabot angel-eye decode protocol/vectors/angel_eye/vectors.jsonl
"""

SESSION_EPILOG = """\b
Example: sabot angel-eye session protocol/vectors/angel_eye/sessions/2_errors.jsonl
"""

T = TypeVar("T")
_ANSWER = "ACK (06) or NAK (15) and a code"  # of a shoe to a command

_SEPARATORS = r"[\s,:;-]*"
_HEX = re.compile(rf"(?:{_SEPARATORS}(?:0[xX])?[0-9a-fA-F]{{2}})*{_SEPARATORS}", re.ASCII)
_BESIDE_HEX = re.compile(r"0[xX]|[,:;-]")
_MOST_ID_CHARACTERS: Final = 40
_FIELDS: Final = {
    "hex": "hex digits in quotes",
    "chunks": "a list with the hex of each segment, in quotes",
    "at": "a list of seconds, one for each segment",
    "dir": '"from_shoe" or "to_shoe"',
    "t": "seconds, as a number",
    "ev": '"connect", "disconnect", "rx" or "tx"',
}

LinesArgument = Annotated[
    typer.FileBinaryRead, typer.Argument(help="Lines as in protocol/vectors/angel_eye.", show_default="stdin")
]

SessionArgument = Annotated[
    typer.FileBinaryRead,
    typer.Argument(metavar="FILE", help="Events of a line, as in protocol/vectors/angel_eye/sessions."),
]


class Request(msgspec.Struct):
    """The fields of a line that count; others are not looked at."""

    hex: str = ""
    chunks: list[str] | None = None  # segments as they arrived; without them all bytes come at once
    at: list[float] | None = None  # seconds of each segment; without them all come at the same time
    dir: Literal["from_shoe", "to_shoe"] | None = None
    kind: Any = None  # command: bytes to the shoe, where dir is missing

    def is_command(self) -> bool:
        """Return True if these bytes go to the shoe."""
        return self.dir == "to_shoe" or (self.dir is None and self.kind == "command")


class SessionEvent(msgspec.Struct):
    """One line of a session: what happened on the line, and when."""

    t: float  # seconds
    ev: Literal["connect", "disconnect", "rx", "tx"]
    hex: str = ""


@app.callback()
def angel_eye() -> None:
    """Read the line of an Angel Eye II-EX shoe. Built from public facts, never tried on hardware."""


@app.command(epilog=DECODE_EPILOG)
def decode(file: LinesArgument = "-") -> None:  # type: ignore[assignment]
    """Decode bytes of a shoe: hex to messages and coups.

    One JSON object a line, each a new connection. Hex as a monitor shows it: 05 31, 05:31, 05,31 or 0x05 0x31. Bytes
    that are no whole frame are reported on stderr. A line with dir to_shoe, or without dir and of kind command, is a
    command to the shoe: the answer has its parts as fields, and what the shoe may answer. A command that no shoe takes
    is an error.
    """
    answer_lines(_decoded, lines=file)


@app.command(epilog=SESSION_EPILOG)
def session(file: SessionArgument) -> None:
    """Read a whole session of a line; print one JSON document.

    A session has the connects of the line and the commands of its host, each with its time.
    """
    reading = Reading()
    for number, line in enumerate(file, 1):
        if not line.strip():
            continue
        try:
            _follow(reading, _event(line))
        except (ValueError, RecursionError) as error:
            raise failure("angel-eye session", ValueError(f"{file.name}: line {number}: {error}")) from error
    sys.stdout.buffer.write(msgspec.json.encode(reading.answer()) + b"\n")


def _event(line: bytes) -> SessionEvent:
    found = msgspec.json.decode(line)
    if isinstance(found, dict) and "ev" not in found and ("hex" in found or "chunks" in found):
        raise BadLineError("no ev: this is a line for `sabot angel-eye decode`, not of a session")
    return _converted(found, SessionEvent)


def _follow(reading: Reading, event: SessionEvent) -> None:
    data = _bytes(event.hex, "hex")
    match event.ev:
        case "connect":
            reading.connect()
        case "rx":
            reading.received(data, event.t)
        case "tx":
            reading.sent(data, event.t)


def _decoded(line: dict[str, Any]) -> bytes:
    if "ev" in line:
        raise BadLineError("ev: this is a line of a session; read the whole file with `sabot angel-eye session FILE`")
    if "hex" not in line and "chunks" not in line:
        raise BadLineError("no bytes: give hex, or chunks with the hex of each segment")
    request = _converted(line, Request)
    segments, times = _segments(request)
    reading = Reading()
    if request.is_command():
        return msgspec.json.encode(reading.answer() | _command(b"".join(segments)))[1:]
    for segment, now_s in zip(segments, times, strict=True):
        reading.received(segment, now_s)
    for note in reading.left_over():
        shown = printable(msgspec.json.encode(line.get("id")).decode())[:_MOST_ID_CHARACTERS]
        typer.echo(f"sabot angel-eye decode: id {shown}: {note}", err=True)
    return msgspec.json.encode(reading.answer())[1:]


def _segments(request: Request) -> tuple[list[bytes], list[float]]:
    """Return the bytes of each segment and the times; raise BadLineError if they contradict each other."""
    whole = _bytes(request.hex, "hex")
    if request.chunks is None:
        segments = [whole]
    else:
        segments = [_bytes(chunk, f"chunks[{number}]") for number, chunk in enumerate(request.chunks)]
        if request.hex and b"".join(segments) != whole:
            raise BadLineError("hex and chunks have different bytes; leave one of them out")
    times = [0.0] * len(segments) if request.at is None else request.at
    if len(times) != len(segments):
        raise BadLineError(f"at: {len(times)} times for {len(segments)} segments; give one for each")
    for before, after in pairwise(times):
        if after < before:
            raise BadLineError(f"at: {after:g} comes after {before:g}; write the times in the order of the bytes")
    return segments, times


def _converted(value: Any, form: type[T]) -> T:
    """Return a line in this form; raise BadLineError with what its field must be."""
    try:
        return msgspec.convert(value, form)
    except msgspec.ValidationError as error:
        found = re.search(r"`\$\.(\w+)(\S*)`$|field `(\w+)`$", str(error))
        if found is None:
            raise BadLineError("not an object: expected one JSON object per line") from error
        field = found[1] or found[3]
        raise BadLineError(f"{field}{found[2] or ''}: expected {_FIELDS[field]}") from error


def _command(data: bytes) -> dict[str, Any]:
    """Return the command in these bytes, as the vectors have it."""
    found = CommandReader().feed(data)
    if len(found) != 1:
        raise BadLineError(f"{len(found)} whole commands in these bytes; give one: STX, OP, type, data, ETX, BCC")
    (command,) = found
    if command.bcc not in (WITH_STX, WITHOUT_STX):
        raise BadLineError(_wrong_bcc(command))
    address, kind, code = command.parts
    if address != ADDRESS or (kind, code) not in COMMANDS:
        known = ", ".join(ADDRESS + "".join(one) for one in COMMANDS)
        raise BadLineError(f"command {command.text!r}: no such command; there are {known}")
    return {"fields": {"op": address, "type": kind, "data": code, "bcc": command.bcc}, "answer": _ANSWER}


def _wrong_bcc(command: Command) -> str:
    given, checked = command.raw[-2:].decode("latin-1"), command.raw[:-2]
    without, with_stx = bcc(checked[1:]).decode(), bcc(checked).decode()
    return f"command {command.text!r}: BCC is {given!r}; its bytes give {without!r} without STX, {with_stx!r} with it"


def _bytes(text: str, field: str) -> bytes:
    """Return the bytes of hex as a monitor shows it."""
    found = _HEX.match(text)
    end = found.end() if found else 0
    if end < len(text):
        raise BadLineError(f"{field}: not a pair of hex digits at character {end + 1}")
    return bytes.fromhex(_BESIDE_HEX.sub(" ", text))

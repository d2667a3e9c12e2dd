"""sabot inspect: print what a serial line carried, frame by frame; damaged frames with the reason."""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Literal, NamedTuple

import msgspec
import typer
from sabot_protocol import cardcode, messages, pcapng, recording
from sabot_protocol.documents import angel_eye_dissector, dissector
from sabot_protocol.inputs.plain_text import escaped_json, printable
from sabot_protocol.recording import Edge, RecordingError

from sabot_tools.text import angel_eye_frames
from sabot_tools.text.errors import failure, same_file
from sabot_tools.text.line_frames import LineFrame, Source, frames
from sabot_tools.text.macs import read_key

app = typer.Typer(rich_markup_mode=None, add_completion=False)

EPILOG = """\b
Example: printf '\\002\\003\\002\\011\\002\\007\\001\\001\\003\\204\\340\\000' | sabot inspect
Example: sabot inspect evening.shoe --text
Example: sabot inspect evening.shoe --key keys/5ab0000000000001.key
Example: sabot inspect evening.shoe --edges | sabot read
Example: sabot inspect evening.shoe --pcapng evening.pcapng
Example: printf '\\0051P\\00362' | sabot inspect --kind angel-eye
"""

_MOST_SHOWN_BYTES = 32  # in a line for people

FileArgument = Annotated[
    typer.FileBinaryRead, typer.Argument(help="Captured bytes or a .shoe recording.", show_default="stdin")
]
PcapngOption = Annotated[
    typer.FileBinaryWrite | None, typer.Option("--pcapng", help="Write a capture for Wireshark; - is stdout.")
]
KeyOption = Annotated[
    Path | None,
    typer.Option("--key", help="The shoe's key, 64 hex digits or 32 bytes: check the MACs.", dir_okay=False),
]
KindOption = Annotated[
    Literal["sabot", "angel-eye"] | None,
    typer.Option("--kind", help="Kind of the shoe.", show_default="as the recording has it, or sabot"),
]


def json_line(number: int, one: LineFrame) -> bytes:
    """Return a frame as a JSON line."""
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
    known = {key: value for key, value in line.items() if value is not None or key == "card"}
    return escaped_json(msgspec.json.encode(known)) + b"\n"


def text_line(number: int, one: LineFrame) -> bytes:
    """Return a frame as a row of a table for people."""
    time_s = "" if one.t_us is None else f"{one.t_us / 1e6:.6f}"
    head = f"{number:>6} {time_s:>14} {one.sender or '?':<8}"
    if one.frame:
        head += angel_eye_frames.words(one.frame) if "t" in one.frame else _frame_words(one.frame)
    if one.mac:
        head += f" mac={one.mac.hex()}{f' authenticated={one.authenticated}' if one.authenticated else ''}"
    if one.error:
        shown = one.chunk.wire[:_MOST_SHOWN_BYTES].hex(" ")
        head += f" !! {one.error} [{shown}{' …' if len(one.chunk.wire) > _MOST_SHOWN_BYTES else ''}]"
    return printable(head.rstrip()).encode() + b"\n"


def _frame_words(frame: dict[str, Any]) -> str:
    return f"{frame['type']:<12}{frame['seq']:>6} {frame['time_ms']:>10} ms  {_words(frame['body'])}"


def _words(body: dict[str, Any]) -> str:
    """Return name=value of every field, in order; flags that are off are left out."""
    return " ".join(
        _words(value) if isinstance(value, dict) else f"{name}={str(value).lower() if value is True else value}"
        for name, value in body.items()
        if value is not False
    )


def packet(source: Source, one: LineFrame, problems: Sequence[str] = pcapng.PROBLEMS) -> bytes:
    """Return a frame for Wireshark; without a recording its time is 1970."""
    started_us = source.metadata.get("started_unix_us")
    if not isinstance(started_us, int) or not 0 <= started_us <= recording.MAX_T_US:
        started_us = 0
    return pcapng.packet(started_us + (one.t_us or 0), one.sender, one.problem, one.data, one.error, problems)


def edges_line(source: Source) -> Iterator[bytes]:
    """Yield the edges as one line for `sabot read`, piece by piece."""
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
    text: Annotated[bool, typer.Option("--text", help="Print a table for people.")] = False,
    edges: Annotated[
        bool, typer.Option("--edges", help="Print the edges of a recording, as `sabot read` takes them.")
    ] = False,
    capture: PcapngOption = None,
    key: KeyOption = None,
    lua: Annotated[bool, typer.Option("--lua", help="Print the dissector for Wireshark and stop.")] = False,
    kind: KindOption = None,
) -> None:
    """Print what a serial line carried, one JSON line per frame; exit 1 if anything was damaged.

    With --key the MACs are checked: authenticated is yes, no, or unknown if the HELLO of the session is not in the
    capture. A frame of an Angel Eye that is a copy of one before it has repeat.
    """
    if text + edges + lua + (capture is not None) > 1:
        raise typer.BadParameter("choose one of --text, --edges, --pcapng and --lua")
    if capture is not None and same_file(getattr(file, "name", ""), capture.name):
        raise typer.BadParameter(f"{capture.name} is the input file; give another name", param_hint="--pcapng")
    if lua:
        typer.echo(angel_eye_dissector.lua() if kind == angel_eye_frames.NAME else dissector.lua(), nl=False)
        return
    source = Source(file)
    if edges:
        _print_edges(source)
        return
    line = _line(source, kind, _key(key))
    _print_frames(source, line, capture, text)


def _key(path: Path | None) -> bytes | None:
    try:
        return read_key(path) if path else None
    except (OSError, ValueError) as error:
        raise failure("inspect", error) from error


class _FrameSource(NamedTuple):
    """The frames of one kind of shoe, and how Wireshark gets them."""

    frames: Iterator[LineFrame]
    link_type: int
    problems: Sequence[str]


def _line(source: Source, kind: str | None, key: bytes | None) -> _FrameSource:
    """Return the frames, of the kind that was asked for or that the recording has."""
    source.begin()
    if (kind or source.metadata.get("driver")) != angel_eye_frames.NAME:
        return _FrameSource(frames(source, key), pcapng.LINKTYPE_USER0, pcapng.PROBLEMS)
    if key is not None:
        raise typer.BadParameter("frames of an Angel Eye have no MAC; leave --key out", param_hint="--key")
    return _FrameSource(angel_eye_frames.frames(source), pcapng.LINKTYPE_USER1, pcapng.ANGEL_EYE_PROBLEMS)


def _print_frames(source: Source, line: _FrameSource, capture: BinaryIO | None, text: bool) -> None:
    out, to_line = capture or sys.stdout.buffer, text_line if text else json_line
    problems: Counter[str] = Counter()
    if capture:
        out.write(pcapng.header(line.link_type))
    number = 0
    for number, one in enumerate(line.frames, 1):
        problems[one.problem or "none"] += 1
        out.write(packet(source, one, line.problems) if capture else to_line(number, one))
        out.flush()  # shows a live line at once
    if source.error and not capture:
        out.write(_last_line(number + 1, source.error, text))
    out.flush()
    _sum_up(source, problems)


def _last_line(number: int, error: RecordingError, text: bool) -> bytes:
    if text:
        return f"{number:>6} !! recording: {error}\n".encode()
    return msgspec.json.encode({"n": number, "error": f"recording: {error}", "at": error.at}) + b"\n"


def _sum_up(source: Source, problems: Counter[str]) -> None:
    """Print the counts and warnings to stderr, then exit."""
    damaged = [f"{count} {problem}" for problem, count in problems.items() if problem != "none"]
    typer.echo(f"sabot inspect: {problems['none']} sound frames, damaged: {', '.join(damaged) or 'none'}", err=True)
    if source.reader and source.reader.counts.edges:
        counts = source.reader.counts
        acts = f" and {counts.acts} acts of people" if counts.acts else ""
        typer.echo(f"sabot inspect: also {counts.edges} edges{acts}; --edges prints the edges", err=True)
    protocol = source.metadata.get("protocol", messages.protocol_hash().hex())
    if protocol != messages.protocol_hash().hex() and source.metadata.get("driver") != angel_eye_frames.NAME:
        ours = messages.protocol_hash().hex()
        typer.echo(
            f"sabot inspect: recorded with protocol {protocol!r}, but read as {ours}; use the release of the recording",
            err=True,
        )
    if source.error:
        raise failure("inspect", source.error)
    raise typer.Exit(int(bool(damaged)))


def _print_edges(source: Source) -> None:
    if source.reader is None:
        raise failure("inspect", ValueError("captured bytes have no edges; give a .shoe recording"))
    for piece in edges_line(source):
        sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()
    if source.error:
        raise failure("inspect", source.error)

"""What the line of an Angel Eye shoe carried, frame by frame; damaged frames and noise with the reason."""

import re
from collections.abc import Iterator
from typing import Any, Final

from sabot_protocol.angel_eye.build import parts
from sabot_protocol.angel_eye.decoder import HALF, HALF_FRAME_S, WHOLE, is_too_long
from sabot_protocol.angel_eye.messages import Message, Reject, bcc, decoded, report
from sabot_protocol.angel_eye.repeats import RepeatFilter
from sabot_protocol.angel_eye.tables import ADDRESS, COMMANDS, ENQ, STX

from sabot_tools.text.line_frames import Chunk, LineFrame, Source

NAME: Final = "angel-eye"  # of the driver, in a recording
_HALF_FRAME_US = int(HALF_FRAME_S * 1e6)
_MOST_SHOWN_BYTES = 1 << 12  # noise comes out in pieces of this size
_SKIPPED = re.compile(rb"[\x05\x02][^\x05\x02]*|[^\x05\x02]+")

_REASONS = {
    "short": "fewer bytes than its type has",
    "bit7": "a byte without bit 7; is the line set to 7 data bits?",
    "value": "a value that its place cannot have",
    "cut_off": "begun, but without an end",
    "too_long": "no end within 32 bytes",
    "noise": "no start of a frame",
}


class Splitter:
    """Bytes of one sender in, chunks out: whole frames, begun ones, and what is neither; every byte comes out once."""

    def __init__(self) -> None:
        self._at = self._last_us = 0
        self._half = b""

    def feed(self, data: bytes, t_us: int) -> Iterator[Chunk]:
        """Yield every chunk that ends in these bytes, which came at this time."""
        if t_us - self._last_us > _HALF_FRAME_US:
            yield from self.finish()
        self._last_us = t_us
        data, self._half, end = self._half + data, b"", 0
        for match in WHOLE.finditer(data):
            yield from self._skipped(data[end : match.start()])
            yield self._chunk(match[0])
            end = match.end()
        half = HALF.search(data, end)
        rest_at = half.start() if half else len(data)
        yield from self._skipped(data[end:rest_at])
        self._half = data[rest_at:]

    def finish(self) -> Iterator[Chunk]:
        """Yield the half frame that is held."""
        half, self._half = self._half, b""
        if half:
            yield self._chunk(half)

    def _skipped(self, data: bytes) -> Iterator[Chunk]:
        for piece in _SKIPPED.findall(data):
            for at in range(0, len(piece), _MOST_SHOWN_BYTES):
                yield self._chunk(piece[at : at + _MOST_SHOWN_BYTES])

    def _chunk(self, wire: bytes) -> Chunk:
        chunk = Chunk(self._at, self._at, 0, wire)
        self._at += len(wire)
        return chunk


def frames(source: Source) -> Iterator[LineFrame]:
    """Yield everything on the line in the order of completion; copies of a frame have `repeat`."""
    splitters: dict[str | None, Splitter] = {}
    repeats, t_us = RepeatFilter(), None
    for t_us, sender, data in source.line():
        for chunk in splitters.setdefault(sender, Splitter()).feed(data, t_us or 0):
            yield read_chunk(chunk, t_us, sender, repeats)
    for sender, splitter in splitters.items():
        yield from (read_chunk(chunk, t_us, sender, repeats) for chunk in splitter.finish())


def read_chunk(chunk: Chunk, t_us: int | None, sender: str | None, repeats: RepeatFilter) -> LineFrame:
    """Return a chunk as a frame, or with the problem that makes it none."""
    found = decoded(chunk.wire) if WHOLE.fullmatch(chunk.wire) else Reject(_not_whole(chunk.wire))
    if isinstance(found, Reject):
        error = f"{found.reason}: {_reason(found.reason, chunk.wire)}"
        return LineFrame(chunk, t_us, sender or "shoe", chunk.wire, {}, found.reason, error)
    if _is_command(found, sender):
        return LineFrame(chunk, t_us, "gateway", chunk.wire, _command(found))
    frame = report(found)
    if repeats.is_repeat(found, (t_us or 0) / 1e6):
        frame["repeat"] = True
    if sender == "gateway":
        error = f"sender: {found.name} is sent by the shoe, this one came from the gateway"
        return LineFrame(chunk, t_us, sender, chunk.wire, frame, "sender", error)
    return LineFrame(chunk, t_us, "shoe", chunk.wire, frame)


def words(frame: dict[str, Any]) -> str:
    """Return a frame for people: type, sequence, name, then name=value of each field; what is off is left out."""
    more = " ".join(
        f"{name}={str(value).lower() if value in (True, None) else value}"
        for name, value in frame.items()
        if name not in ("t", "seq", "name") and value is not False
    )
    return f"{frame['t']:<5}{frame.get('seq', ''):<3}{frame['name']:<18} {more}".rstrip()


def _not_whole(wire: bytes) -> str:
    if wire[0] not in (ENQ, STX):
        return "noise"
    return "too_long" if is_too_long(wire) else "cut_off"


def _reason(reason: str, wire: bytes) -> str:
    if reason != "bcc":
        return _REASONS[reason]
    return f"the frame has {wire[-2:].decode('latin-1')!r}, its bytes give {bcc(wire[1:-2]).decode()!r}"


def _is_command(message: Message, sender: str | None) -> bool:
    """Return True for a command of a host; without a sender by its text."""
    of_host = sender == "gateway" or (sender is None and str(message.text).startswith(ADDRESS))
    return message.t == "STX" and of_host


def _command(message: Message) -> dict[str, Any]:
    text = str(message.text)
    meaning = COMMANDS.get(parts(text)[1:], "unknown")
    return {"t": ADDRESS, "name": "command", "text": text, "meaning": meaning, "bcc": message.bcc}

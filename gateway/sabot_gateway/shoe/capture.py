"""Capture: the bytes on a table's line, both ways, as a recording in pieces; the caller writes the file."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from sabot_protocol.recording import MAX_LINE_BYTES, Line, Writer

SENDERS: Final = ("shoe", "gateway")
_STALE_S = 1.0  # a frame takes a hundredth of that: what is older than this is no frame under way


class Capture:
    """Sans-I/O: bytes in with their time, pieces of a recording out; over after its time, or when it has its bytes.

    A frame that is under way at the start, in one of the `midway` directions, or at the end is left out, so that
    nothing looks damaged that was not. Where frames have no delimiter, `starts` are the bytes that begin one: then
    every piece is kept with its own time, and a frame may be cut at the end. Never holds more than a block and two
    frames.
    """

    def __init__(
        self,
        noted: Mapping[str, Any],
        seconds: float,
        most_bytes: int,
        now_s: float,
        midway: Collection[str] = (),
        starts: bytes = b"",
    ) -> None:
        self._writer = Writer(noted)
        self._since_s, self._until_s, self._most_bytes = now_s, now_s + seconds, most_bytes
        self._skipping = set(midway)
        self._held = dict.fromkeys(SENDERS, b"")  # no delimiter has come yet
        self._held_s = dict.fromkeys(SENDERS, now_s)
        self._full, self._starts = False, starts

    @property
    def line_bytes(self) -> int:
        """How many bytes of the line it holds."""
        return self._writer.counts.line_bytes

    def start(self) -> bytes:
        """Return the head of the recording."""
        return self._writer.start()

    def add(self, sender: str, data: bytes, now_s: float) -> bytes:
        """Add bytes of the line; return the block that they fill, or nothing yet."""
        data = self._from_a_start(sender, data)
        whole, self._held[sender] = (data, b"") if self._starts else _parted(self._held[sender] + data)
        if data:
            self._held_s[sender] = now_s
        return b"".join(self._written(sender, whole, now_s))

    def _from_a_start(self, sender: str, data: bytes) -> bytes:
        """Return the bytes without the rest of a frame whose start was not captured."""
        if sender not in self._skipping:
            return data
        at = self._start_in(data)
        if at < 0:
            return b""
        self._skipping.discard(sender)
        return data[at:]

    def _start_in(self, data: bytes) -> int:
        """Return where the first frame begins, -1 if none does."""
        if not self._starts:
            return data.find(b"\0") + 1 or -1
        return next((at for at, byte in enumerate(data) if byte in self._starts), -1)

    def _written(self, sender: str, data: bytes, now_s: float) -> Iterator[bytes]:
        t_us = int((now_s - self._since_s) * 1e6)
        for at in range(0, len(data), MAX_LINE_BYTES):
            piece = data[at : at + MAX_LINE_BYTES]
            self._full = self._full or self.line_bytes + len(piece) > self._most_bytes
            if not self._full:
                yield self._writer.add(Line(t_us, sender, piece))

    def over(self, now_s: float) -> bool:
        """Return True when its time is over, or it has as many bytes as it may."""
        return self._full or now_s >= self._until_s

    def flush(self) -> bytes:
        """Return what was taken since the last block."""
        return self._writer.flush()

    def finish(self, now_s: float) -> bytes:
        """Return the rest, and the end."""
        stale = [sender for sender in SENDERS if now_s - self._held_s[sender] >= _STALE_S]
        last = [piece for sender in stale for piece in self._written(sender, self._held[sender], now_s)]
        return b"".join([*last, self._writer.finish()])


def _parted(data: bytes) -> tuple[bytes, bytes]:
    """Return what ends with the last delimiter, and what follows; what is too long for a frame is not held back."""
    end = data.rfind(b"\0") + 1
    return (data, b"") if len(data) - end >= MAX_LINE_BYTES else (data[:end], data[end:])

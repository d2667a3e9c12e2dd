"""Bytes from the line to messages: frames are found, checked and counted, wherever a segment is cut.

ENQ and STX begin a frame. ENQ, STX, ACK and NAK inside a frame cut it off, ETX too where a BCC character is due. Any
other byte there is a BCC character, a wrong one. The byte after NAK is its code, whatever it is.
"""

import re
from collections import Counter
from typing import Final

from sabot_protocol.angel_eye.messages import LEAST_FRAME_BYTES, Message, decoded

MOST_FRAME_BYTES: Final = 32  # from ENQ to the second BCC character
HALF_FRAME_S: Final = 0.5

_INSIDE = rb"[^\x02\x03\x05\x06\x15]"
_BODY = rb"[\x05\x02]" + _INSIDE + rb"{0,%d}" % (MOST_FRAME_BYTES - 4)
WHOLE: Final = re.compile(_BODY + rb"\x03" + _INSIDE + rb"{2}|\x06|\x15.", re.DOTALL)
HALF: Final = re.compile(rb"(?:" + _BODY + rb"(?:\x03" + _INSIDE + rb"?)?|\x15)\Z")
_BEGUN = re.compile(rb"[\x05\x02]" + _INSIDE + rb"*")


class Decoder:
    """Takes bytes and the time of their arrival, returns messages; holds at most one half frame."""

    def __init__(self) -> None:
        self.rejected: Counter[str] = Counter()  # whole frames, by reason
        self.bytes = 0
        self.frames = 0  # accepted, copies included, without ACK and NAK
        self.cut_off = 0  # begun and ended early, or no byte more for half a second
        self.too_long = 0
        self.half = b""  # what has come of a frame that has not ended
        self._last_s = 0.0

    @property
    def mid_frame(self) -> bool:
        """True if a part of a frame has come."""
        return bool(self.half)

    @property
    def damaged(self) -> int:
        """How many frames were refused, cut off or too long."""
        return sum(self.rejected.values()) + self.cut_off + self.too_long

    def reset(self) -> None:
        """Forget a half frame: the line was opened."""
        self.half = b""

    def feed(self, data: bytes, now_s: float, since_s: float | None = None) -> list[Message]:
        """Return the message of every frame that ends in these bytes; they came between `since_s` and `now_s`."""
        if not data:
            return []
        self.bytes += len(data)
        if self.half and (now_s if since_s is None else since_s) - self._last_s > HALF_FRAME_S:
            self.cut_off += 1
            self.half = b""
        self._last_s = now_s
        return self._messages(self.half + data)

    def _messages(self, data: bytes) -> list[Message]:
        messages, end = [], 0
        for match in WHOLE.finditer(data):
            if match.start() != end:
                self._count_skipped(data[end : match.start()])
            end = match.end()
            found = decoded(match[0])
            if isinstance(found, Message):
                self.frames += len(match[0]) >= LEAST_FRAME_BYTES
                messages.append(found)
            else:
                self.rejected[found.reason] += 1
        self._keep(data[end:])
        return messages

    def _keep(self, rest: bytes) -> None:
        """Hold the half frame at the end of these bytes, if there is one."""
        half = HALF.search(rest)
        at = half.start() if half else len(rest)
        self.half = rest[at:]
        if at:
            self._count_skipped(rest[:at])

    def _count_skipped(self, skipped: bytes) -> None:
        """Count the frames that were begun in bytes that hold no whole one."""
        for begun in _BEGUN.findall(skipped):
            if is_too_long(begun):
                self.too_long += 1
            else:
                self.cut_off += 1


def is_too_long(begun: bytes) -> bool:
    """Return True if these bytes, from ENQ or STX on, leave no room for ETX and BCC."""
    return len(begun) > MOST_FRAME_BYTES - 3

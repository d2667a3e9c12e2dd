"""Copies of a message: the shoe sends each three times, and the copies of two messages can be interleaved."""

from collections import deque
from typing import Final

from sabot_protocol.angel_eye.messages import Message

REMEMBERED_FRAMES: Final = 4
REPEAT_S: Final = 1.0
_ANSWERS: Final = frozenset({"ACK", "NAK", "SYN"})  # sent once


class RepeatFilter:
    """Finds the copies: same bytes as one of the last 4 frames that were taken, within 1 s of it."""

    def __init__(self) -> None:
        self.count = 0
        self._taken: deque[tuple[bytes, float]] = deque(maxlen=REMEMBERED_FRAMES)

    def is_repeat(self, message: Message, now_s: float, since_s: float | None = None) -> bool:
        """Return True for a copy of a message that was taken; otherwise remember this one as taken.

        It came between `since_s` and `now_s`: bytes can wait for a host that is slow to read. The other copies can have
        waited with it.
        """
        if message.t in _ANSWERS:
            return False
        came_s = now_s if since_s is None else since_s
        for place, (raw, taken_s) in enumerate(self._taken):
            if raw == message.raw and came_s - taken_s <= REPEAT_S:
                if came_s < now_s:
                    self._taken[place] = (raw, now_s)
                self.count += 1
                return True
        if message.t == "S":
            self._taken.clear()
        self._taken.append((message.raw, now_s))
        return False

    def forget(self) -> None:
        """Forget all frames: the line was opened."""
        self._taken.clear()

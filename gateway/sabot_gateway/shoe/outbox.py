"""Outbox: frames that wait for the port, never more than a few, and when each kind was last sent."""

from dataclasses import dataclass, field
from typing import Any

from sabot_gateway.shoe import parse
from sabot_gateway.shoe.session import Session, frame_bytes

_MOST_BYTES = 4096


@dataclass
class Outbox:
    """Sans-I/O: whole frames in, bytes out as the port takes them."""

    dropped: int = 0  # frames for which there was no room, because nobody reads; they are sent again later
    _sent_s: dict[str, float] = field(default_factory=dict)
    _bytes: bytearray = field(default_factory=bytearray)

    def due(self, kind: str, now_s: float, every_s: float) -> bool:
        """Return True if no frame of this kind was sent within `every_s`."""
        sent_s = self._sent_s.get(kind)
        return sent_s is None or now_s - sent_s >= every_s

    def rest_s(self, kind: str, now_s: float, every_s: float) -> float:
        """Return the time until a frame of this kind, which was sent before, is due again."""
        return self._sent_s[kind] + every_s - now_s

    def quiet(self, kind: str, now_s: float, every_s: float) -> bool:
        """Return True if nothing waits, and no frame of this kind is due."""
        return not self._bytes and not self.due(kind, now_s, every_s)

    def mark_sent(self, kind: str, now_s: float) -> None:
        """Count a frame of this kind as sent now: another one carried what it would."""
        self._sent_s[kind] = now_s

    def mark_due(self, kind: str) -> None:
        """Let the next frame of this kind go at once."""
        self._sent_s.pop(kind, None)

    def send(self, session: Session | None, kind: str, now_s: float, body: dict[str, Any]) -> None:
        """Queue a frame of a session; without one, only WHO has a meaning."""
        self._sent_s[kind] = now_s
        if len(self._bytes) > _MOST_BYTES - parse.MOST_FRAME_BYTES:
            self.dropped += 1
        elif kind == "who":
            self._bytes += frame_bytes(kind, body, 0, now_s)
        elif session is not None:
            self._bytes += session.build(kind, body, now_s)

    def clear(self) -> None:
        """Forget everything: the port was opened again, or the shoe is not served any more."""
        self._sent_s.clear()
        self._bytes.clear()

    def waiting(self) -> bytes:
        """Return what waits to be written."""
        return bytes(self._bytes)

    def written(self, count: int) -> None:
        """Drop the first `count` bytes: the port has taken them."""
        del self._bytes[:count]

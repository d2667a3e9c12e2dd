"""Parse: checked frame bodies become typed values, by the one definition in sabot_protocol.messages."""

from dataclasses import dataclass, field
from typing import Any

from construct import ConstructError, Container
from sabot_protocol import framing, messages


@dataclass(frozen=True)
class Frame:
    """A frame from a shoe."""

    type: str
    seq: int
    time_ms: int
    body: dict[str, Any]
    raw: bytes


@dataclass(frozen=True)
class Event:
    """An event of a shoe's log, with the frame it came in as evidence."""

    unit: str
    event_no: int
    kind: str
    time_ms: int
    data: dict[str, Any]
    raw: bytes


@dataclass
class Parser:
    """Bytes in, frames out; what cannot be read is counted."""

    deframer: framing.Deframer = field(default_factory=framing.Deframer)
    malformed: int = 0

    def feed(self, data: bytes) -> list[Frame]:
        """Every sound frame that ends in these bytes."""
        frames = []
        for raw in self.deframer.feed(data):
            try:
                frames.append(frame(raw))
            except ConstructError:
                self.malformed += 1
        return frames


def frame(raw: bytes) -> Frame:
    """A frame body by the definition; ConstructError where it does not fit."""
    parsed = messages.Frame.parse(raw)
    return Frame(parsed.type, parsed.seq, parsed.time_ms, _plain(parsed.body), raw)


def event(unit: str, carrier: Frame) -> Event:
    """The event that a frame of type event carries."""
    body = carrier.body
    return Event(unit, body["event_no"], body["kind"], carrier.time_ms, body["data"], carrier.raw)


def _plain(container: Container) -> dict[str, Any]:
    """A construct container as plain dictionaries, without its bookkeeping."""
    return {
        key: _plain(value) if isinstance(value, Container) else value
        for key, value in container.items()
        if not str(key).startswith("_")
    }

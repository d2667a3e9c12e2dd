"""Parse: checked frame bodies become typed values, by the codec that is made of the one definition."""

from dataclasses import dataclass, field
from typing import Any

from sabot_protocol import codec, framing
from sabot_protocol.codec import CodecError


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
            except CodecError:
                self.malformed += 1
        return frames


def frame(raw: bytes) -> Frame:
    """A frame body by the definition; CodecError where it does not fit."""
    parsed = codec.parse(raw)
    return Frame(parsed["type"], parsed["seq"], parsed["time_ms"], parsed["body"], raw)


def event(unit: str, carrier: Frame) -> Event:
    """The event that a frame of type event carries."""
    body = carrier.body
    return Event(unit, body["event_no"], body["kind"], carrier.time_ms, body["data"], carrier.raw)

"""Parse: checked frame bodies become typed values, by the codec that is made of the one definition."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sabot_protocol import codec, framing, messages
from sabot_protocol.auth import MAC_BYTES
from sabot_protocol.codec import CodecError

_UNIT_AT, _HASH_AT, _HASH_END = 8, 18, 26  # of HELLO: the same in every release, so that any two can tell
_HELLO = messages.FrameType.encmapping["hello"]
MOST_FRAME_BYTES = framing.MAX_BODY_BYTES + 4  # on the wire


class Frame(NamedTuple):  # made three times as fast as a frozen dataclass
    """A frame from a shoe."""

    type: str
    seq: int
    time_ms: int
    body: dict[str, Any]
    raw: bytes  # without the MAC
    mac: bytes = b""


class Event(NamedTuple):
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
    other_release: tuple[str, str] | None = None  # unit and protocol of a HELLO that cannot be read

    def feed(self, data: bytes) -> list[Frame]:
        """Every sound frame that ends in these bytes."""
        frames = []
        for raw in self.deframer.feed(data):
            try:
                frames.append(sealed_frame(raw))
            except CodecError:
                self.malformed += 1
                self.other_release = _other_release(raw) or self.other_release
        return frames


def _other_release(raw: bytes) -> tuple[str, str] | None:
    if raw[0] != _HELLO or len(raw) < _HASH_END or raw[_HASH_AT:_HASH_END] == messages.protocol_hash():
        return None
    return raw[_UNIT_AT : _UNIT_AT + 8].hex(), raw[_HASH_AT:_HASH_END].hex()


def sealed_frame(raw: bytes) -> Frame:
    """A frame as it came: a body and, if its flags say so, its MAC; CodecError where it does not fit."""
    if len(raw) > 1 and raw[1] & messages.AUTHENTICATED:
        return frame(raw[:-MAC_BYTES], raw[-MAC_BYTES:])
    return frame(raw)


def frame(raw: bytes, mac: bytes = b"") -> Frame:
    """A frame body by the definition; CodecError where it does not fit."""
    parsed = codec.parse(raw)
    return Frame(parsed["type"], parsed["seq"], parsed["time_ms"], parsed["body"], raw, mac)


def event(unit: str, carrier: Frame) -> Event:
    """The event that a frame of type event carries."""
    body = carrier.body
    return Event(unit, body["event_no"], body["kind"], carrier.time_ms, body["data"], carrier.raw)

"""Parse: checked frame bodies become typed values, by the codec generated from the definition."""

import re
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec
from sabot_protocol import codec, framing, messages
from sabot_protocol.auth import MAC_BYTES
from sabot_protocol.codec import CodecError

_UNIT_AT, _HASH_AT, _HASH_END = 8, 18, 26  # of HELLO: the same in every release, so that any two can compare
_HELLO = messages.FrameType.encmapping["hello"]
_AUTHENTICATED: Final = messages.AUTHENTICATED  # bit of the flags
_EVENT = messages.FrameType.encmapping["event"]
TIME_AT: Final = 4  # of any frame: before it are type, flags and seq, which are others in each session
_EVENT_NO_AT, _EVENT_NO_END = 8, 12  # of an event
_SMALL30 = 2**30 - 1
UNREADABLE: Final = "unreadable"  # the kind of an event whose body does not fit the definition
NO_CLOCK: Final = -1  # the time of an event whose shoe has no clock
MOST_FRAME_BYTES = framing.MAX_BODY_BYTES + 4  # on the wire


class Frame(msgspec.Struct, frozen=True, gc=False):  # thousands a second: made and read faster than a NamedTuple
    """A frame from a shoe."""

    type: str
    seq: int
    time_ms: int
    body: dict[str, Any]
    raw: bytes  # without the MAC
    mac: bytes = b""


class Event(msgspec.Struct, frozen=True, gc=False):
    """An event of a shoe's log, with the frame it came in as evidence."""

    unit: str
    event_no: int
    kind: str
    time_ms: int
    data: dict[str, Any]
    raw: bytes


@dataclass
class Parser:
    """Bytes in, frames out; what cannot be read is counted, unless it is an event with a number."""

    deframer: framing.Deframer = field(default_factory=framing.Deframer)
    malformed: int = 0
    unknown: int = 0  # of them, those that are no HELLO of another release
    other_release: tuple[str, str] | None = None  # unit and protocol of a HELLO that cannot be read
    misfit: str = ""  # the newest frame, if its checksum is right but it cannot be read otherwise; for people

    def feed(self, data: bytes) -> list[Frame]:
        """Return every sound frame that ends in these bytes."""
        frames = []
        for raw in self.deframer.feed(data):
            try:
                frames.append(sealed_frame(raw))
                self.misfit = ""
            except CodecError as error:
                numbered = _numbered(raw, str(error))
                if numbered is None:
                    self._count(raw, str(error))
                else:
                    frames.append(numbered)
        return frames

    def _count(self, raw: bytes, why: str) -> None:
        release = _other_release(raw)
        self.misfit = "" if release else _misfit(raw, why)
        self.malformed += 1
        self.unknown += release is None
        self.other_release = release or self.other_release


def _numbered(raw: bytes, why: str) -> Frame | None:
    """Return an event of which only the number can be read; its session still has to accept the frame."""
    body, mac = _split(raw)
    event_no = int.from_bytes(body[_EVENT_NO_AT:_EVENT_NO_END], "little")
    if body[:1] != bytes([_EVENT]) or len(body) < _EVENT_NO_END or not 0 < event_no <= _SMALL30:
        return None
    seq, time_ms = int.from_bytes(body[2:4], "little"), int.from_bytes(body[4:8], "little") & _SMALL30
    data = {"event_no": event_no, "kind": UNREADABLE, "data": {"why": _plain(why)}}
    return Frame("event", seq, time_ms, data, body, mac)


def _misfit(raw: bytes, why: str) -> str:
    name = "HELLO" if raw[:1] == bytes([_HELLO]) else f"a frame of type {raw[0]}" if raw else "an empty frame"
    return f"{name} of {len(raw)} bytes: {_plain(why)}"


_PHRASES = {  # of the codec, and what they mean in plain English
    r"(\S+): object failed validation: (\d+)": r"\1 is \2, which is too much",
    r"(\S+): parsing failed, no decoding mapping for (\d+)": r"\1 is \2, which the protocol does not have",
    r"(\S+): stream read less than.*": r"it ends before \1",
    r"\S+: expected end of stream": "it is too long",
}


def _plain(why: str) -> str:
    for phrase, plain in _PHRASES.items():
        if re.fullmatch(phrase, why):
            return re.sub(phrase, plain, why).replace("body.", "").replace("data.", "")
    return why


def _other_release(raw: bytes) -> tuple[str, str] | None:
    if raw[0] != _HELLO or len(raw) < _HASH_END or raw[_HASH_AT:_HASH_END] == messages.protocol_hash():
        return None
    return raw[_UNIT_AT : _UNIT_AT + 8].hex(), raw[_HASH_AT:_HASH_END].hex()


def sealed_frame(raw: bytes) -> Frame:
    """Return a frame as it came: a body and, if its flags have it, a MAC; CodecError where it does not fit."""
    body, mac = _split(raw)
    return frame(body, mac)


def _split(raw: bytes) -> tuple[bytes, bytes]:
    """Return body and MAC."""
    if len(raw) > 1 and raw[1] & _AUTHENTICATED:
        return raw[:-MAC_BYTES], raw[-MAC_BYTES:]
    return raw, b""


def frame(raw: bytes, mac: bytes = b"") -> Frame:
    """Return a frame body by the definition; CodecError where it does not fit."""
    parsed = codec.parse(raw)
    return Frame(parsed["type"], parsed["seq"], parsed["time_ms"], parsed["body"], raw, mac)


def event(unit: str, carrier: Frame) -> Event:
    """Return the event that a frame of type event carries."""
    body = carrier.body
    return Event(unit, body["event_no"], body["kind"], carrier.time_ms, body["data"], carrier.raw)

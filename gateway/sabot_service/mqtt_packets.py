"""MQTT 3.1.1 packets that a publishing client needs: values to bytes, and bytes to values. No sockets, no time."""

import struct
from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import NamedTuple

MOST_PACKET_BYTES = 1 << 20  # of the broker: retained states are far smaller
_MOST_LENGTH_BYTES = 4
_MOST_TEXT_BYTES = 65_535
_MOST_REMAINING = 268_435_455
_PROTOCOL = b"\x00\x04MQTT\x04"
_RETAIN, _QOS_1, _DUP = 0x01, 0x02, 0x08
_CLEAN, _WILL, _WILL_QOS_1, _WILL_RETAIN, _PASSWORD, _USER = 0x02, 0x04, 0x08, 0x20, 0x40, 0x80
_ANSWERS = frozenset((0, 1, 2, 128))  # to a subscription
_two = struct.Struct(">H")


class PacketError(ValueError):
    """Bytes of the broker that are no MQTT, or a value that no packet can have."""


class Kind(IntEnum):
    """The upper half of a packet's first byte."""

    CONNECT = 1
    CONNACK = 2
    PUBLISH = 3
    PUBACK = 4
    SUBSCRIBE = 8
    SUBACK = 9
    PINGREQ = 12
    PINGRESP = 13
    DISCONNECT = 14


_PUBLISH = Kind.PUBLISH << 4
PING, DISCONNECT = bytes([Kind.PINGREQ << 4, 0]), bytes([Kind.DISCONNECT << 4, 0])


class Will(NamedTuple):
    """What the broker publishes when we are gone without a goodbye; with QoS 1, retained."""

    topic: str
    payload: bytes


class Packet(NamedTuple):
    """A packet as it came: its kind, the flags beside it, and the rest."""

    kind: int
    flags: int
    body: bytes


class Message(NamedTuple):
    """What somebody published."""

    topic: str
    payload: bytes
    qos: int
    retain: bool
    mid: int  # 0 with QoS 0


def text(value: str) -> bytes:
    """Return a text with its length; PacketError where it is too long, UnicodeError where it is no UTF-8."""
    data = value.encode()
    if len(data) > _MOST_TEXT_BYTES:
        raise PacketError(f"{value[:20]}…: a text of {len(data)} bytes; MQTT allows {_MOST_TEXT_BYTES}")
    return _two.pack(len(data)) + data


def packet(first: int, body: bytes) -> bytes:
    """Return a packet with its length."""
    size = len(body)
    if size < 128:
        return bytes((first, size)) + body
    if size < 1 << 14:
        return bytes((first, size & 0x7F | 0x80, size >> 7)) + body
    if size > _MOST_REMAINING:
        raise PacketError(f"a packet of {size} bytes; MQTT allows {_MOST_REMAINING}")
    length = bytearray()
    while True:
        length.append(size & 0x7F | (0x80 if size > 0x7F else 0))
        size >>= 7
        if not size:
            return bytes((first,)) + length + body


def connect(
    client_id: str, *, clean: bool, keepalive_s: int, will: Will | None, user: str | None, password: str | None
) -> bytes:
    """Return CONNECT."""
    flags, parts = _CLEAN if clean else 0, [text(client_id)]
    if will:
        flags |= _WILL | _WILL_QOS_1 | _WILL_RETAIN
        parts += [text(will.topic), _two.pack(len(will.payload)), will.payload]
    if user is not None:
        flags |= _USER
        parts.append(text(user))
        if password is not None:
            flags |= _PASSWORD
            parts.append(text(password))
    return packet(Kind.CONNECT << 4, _PROTOCOL + bytes([flags]) + _two.pack(keepalive_s) + b"".join(parts))


def publish(topic: bytes, payload: bytes, mid: int, *, retain: bool) -> bytes:
    """Return PUBLISH with QoS 1, or with QoS 0 if the message id is 0; `topic` is as `text` returns it."""
    first = _PUBLISH | _RETAIN if retain else _PUBLISH
    return packet(first | _QOS_1, topic + _two.pack(mid) + payload) if mid else packet(first, topic + payload)


def again(published: bytes) -> bytes:
    """Return a PUBLISH marked as sent before."""
    return bytes([published[0] | _DUP]) + published[1:]


def puback(mid: int) -> bytes:
    """Return PUBACK."""
    return bytes((Kind.PUBACK << 4, 2)) + _two.pack(mid)


def subscribe(mid: int, topics: Sequence[tuple[str, int]]) -> bytes:
    """Return SUBSCRIBE for topics with their QoS."""
    wanted = b"".join(text(topic) + bytes([qos]) for topic, qos in topics)
    return packet(Kind.SUBSCRIBE << 4 | 2, _two.pack(mid) + wanted)


class Decoder:
    """Bytes in, packets out; holds at most one packet that is not complete."""

    def __init__(self) -> None:
        self._held = bytearray()

    def feed(self, data: bytes) -> Iterator[Packet]:
        """Yield the packets that are complete now; PacketError where the bytes are none."""
        held = self._held
        held += data
        at, end = 0, len(held)
        try:
            while at + 1 < end:
                first, size = held[at], held[at + 1]
                body, after = (at + 2, at + 2 + size) if size < 0x80 else _framed(held, at)
                if after > end:
                    return
                at = after
                yield Packet(first >> 4, first & 0x0F, bytes(held[body:after]))
        finally:
            del held[:at]


def _framed(held: bytearray, at: int) -> tuple[int, int]:
    """Return where the body of a packet of 128 bytes or more begins and ends, as far as its length has come."""
    size = shift = 0
    for place in range(at + 1, min(at + 1 + _MOST_LENGTH_BYTES, len(held))):
        byte = held[place]
        size |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            if size > MOST_PACKET_BYTES:
                raise PacketError(f"a packet of {size} bytes; at most {MOST_PACKET_BYTES} are taken")
            return place + 1, place + 1 + size
    if len(held) - at > _MOST_LENGTH_BYTES:
        raise PacketError("a packet without an end of its length")
    return at, len(held) + 1  # its length is not complete, and so neither is the packet


def message_id(body: bytes) -> int:
    """Return the message id that a body consists of, or begins with."""
    try:
        return int(_two.unpack_from(body)[0])
    except struct.error:
        raise PacketError("a packet without its message id") from None


def connack(body: bytes) -> int:
    """Return the broker's code, 0 where it accepts us."""
    if len(body) != 2:
        raise PacketError(f"a CONNACK of {len(body)} bytes")
    return body[1]


def suback(body: bytes) -> tuple[int, bytes]:
    """Return the message id of a subscription and the broker's answer to each of its topics: a QoS, or 128."""
    if not set(body[2:]) <= _ANSWERS:
        raise PacketError("a SUBACK with an answer that MQTT 3.1.1 does not have")
    return message_id(body), body[2:]


def message(flags: int, body: bytes) -> Message:
    """Return what a PUBLISH has."""
    qos, size = flags >> 1 & 3, message_id(body)
    if qos > 1:
        raise PacketError(f"a PUBLISH with QoS {qos}; nobody asked for it")
    end = 2 + size
    mid = message_id(body[end:]) if qos else 0
    if end > len(body) or (qos and not mid):
        raise PacketError("a PUBLISH that is too short")
    try:
        topic = body[2:end].decode()
    except UnicodeDecodeError:
        raise PacketError("a PUBLISH whose topic is no UTF-8") from None
    return Message(topic, body[end + 2 * qos :], qos, bool(flags & _RETAIN), mid)

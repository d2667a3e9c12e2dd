"""Frames of the wire, written from PROTOCOL.md alone: COBS, CRC-16 IBM-3740, header, MAC."""

import binascii
import hashlib
import hmac
import struct
from dataclasses import dataclass, field

HELLO, EVENT, ALIVE, BUSY = 0x01, 0x02, 0x03, 0x04
WHO, WELCOME, ACK, SET_PROFILE, COMMAND, RESEND = 0x80, 0x81, 0x82, 0x83, 0x84, 0x85
HAS_MAC = 1
MOST = 2**30 - 1  # of a number in 32 bits
_HEADER = struct.Struct("<BBHI")
_MAC_BYTES = 8
_CRC_BYTES = 2
_MOST_FRAME = 128 + _CRC_BYTES
_MOST_BLOCK = _MOST_FRAME + 1 + _MOST_FRAME // 254  # as COBS codes it
_RUN = 254  # data bytes that one code byte of COBS can announce


@dataclass(frozen=True)
class Frame:
    """A frame whose CRC is right; `mac` is empty where the flag is not set."""

    type: int
    seq: int
    time_ms: int
    body: bytes
    mac: bytes = b""

    def signed(self) -> bytes:
        """Header and body: what the MAC covers."""
        return _header(self.type, bool(self.mac), self.seq, self.time_ms) + self.body


def crc16(data: bytes) -> int:
    """CRC-16 IBM-3740."""
    return binascii.crc_hqx(data, 0xFFFF)


def with_crc(data: bytes) -> bytes:
    """The bytes and their CRC, not yet coded."""
    return data + crc16(data).to_bytes(_CRC_BYTES, "little")


def cobs(data: bytes) -> bytes:
    """The same without a zero; the delimiter is not part of it."""
    coded = bytearray()
    parts = data.split(b"\0")
    for number, part in enumerate(parts):
        last = number == len(parts) - 1
        while len(part) >= _RUN:
            coded += b"\xff" + part[:_RUN]
            part = part[_RUN:]
            if not part and last:
                return bytes(coded)
        coded += bytes([len(part) + 1]) + part
    return bytes(coded)


def uncobs(block: bytes) -> bytes | None:
    """What was coded, or None where the block is not COBS."""
    data = bytearray()
    at = 0
    while at < len(block):
        code = block[at]
        run = block[at + 1 : at + code]
        if code == 0 or len(run) != code - 1:
            return None
        data += run
        at += code
        if code <= _RUN and at < len(block):
            data.append(0)
    return bytes(data)


def block(data: bytes) -> bytes:
    """Bytes of a frame without its CRC, as they go over the line."""
    return cobs(with_crc(data)) + b"\0"


def session_keys(key: bytes, gateway_nonce: bytes, shoe_nonce: bytes) -> tuple[bytes, bytes]:
    """The keys of a session: shoe to gateway, gateway to shoe."""
    nonces = gateway_nonce + shoe_nonce
    return _hmac(key, b"sabot shoe to gateway" + nonces), _hmac(key, b"sabot gateway to shoe" + nonces)


def mac(session_key: bytes, signed: bytes) -> bytes:
    """The MAC of header and body."""
    return _hmac(session_key, signed)[:_MAC_BYTES]


def pack(kind: int, seq: int, time_ms: int, body: bytes = b"", key: bytes | None = None) -> bytes:
    """A whole frame as it goes over the line; with a session key it has a MAC."""
    data = _header(kind, key is not None, seq, time_ms) + body
    return block(data + mac(key, data) if key is not None else data)


def unpack(coded: bytes) -> Frame | None:
    """The frame in a block without its delimiter, or None where COBS, length or CRC are wrong."""
    data = uncobs(coded)
    if data is None or len(data) < _HEADER.size + _CRC_BYTES or len(data) > _MOST_FRAME:
        return None
    data, crc = data[:-_CRC_BYTES], data[-_CRC_BYTES:]
    if crc16(data).to_bytes(_CRC_BYTES, "little") != crc:
        return None
    kind, flags, seq, time_ms = _HEADER.unpack_from(data)
    body, sealed = data[_HEADER.size :], b""
    if flags & HAS_MAC:
        if len(body) < _MAC_BYTES:
            return None
        body, sealed = body[:-_MAC_BYTES], body[-_MAC_BYTES:]
    return Frame(kind, seq, time_ms, body, sealed)


def _header(kind: int, has_mac: bool, seq: int, time_ms: int) -> bytes:
    return _HEADER.pack(kind, HAS_MAC if has_mac else 0, seq & 0xFFFF, time_ms & MOST)


def _hmac(key: bytes, data: bytes) -> bytes:
    return hmac.new(key, data, hashlib.sha256).digest()


@dataclass
class Splitter:
    """Bytes in, frames out; counts blocks that are no frame, and never holds more than one frame."""

    bad: int = 0
    _held: bytearray = field(default_factory=bytearray)
    _too_long: bool = False

    def feed(self, data: bytes) -> list[Frame]:
        """Frames that these bytes complete."""
        *ended, rest = data.split(b"\0")
        frames = [frame for part in ended if (frame := self._end(part)) is not None]
        self._hold(rest)
        return frames

    def _end(self, part: bytes) -> Frame | None:
        self._hold(part)
        coded, too_long = bytes(self._held), self._too_long
        self._held.clear()
        self._too_long = False
        if not coded and not too_long:
            return None  # two delimiters in a row
        frame = None if too_long else unpack(coded)
        self.bad += frame is None
        return frame

    def _hold(self, part: bytes) -> None:
        if len(self._held) + len(part) > _MOST_BLOCK:
            self._too_long = True
            self._held.clear()
        elif not self._too_long:
            self._held += part

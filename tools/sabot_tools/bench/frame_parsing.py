"""From the bytes of a read to checked frames: the gateway's own code, and the same as a textbook does it."""

import hmac
from binascii import crc_hqx
from collections.abc import Callable
from hashlib import sha256
from struct import pack
from typing import Any, Final

from cobs import cobs
from sabot_gateway.shoe.parse import Frame, Parser
from sabot_gateway.shoe.session import Session
from sabot_protocol import framing, messages
from sabot_protocol.auth import KEY_BYTES, MAC_BYTES, TO_GATEWAY, Seal

KEY: Final = bytes(range(KEY_BYTES))
NONCES: Final = (b"gateway.", b"the shoe")
_FRAMES_A_READ: Final = 16
_READS: Final = 10
FRAMES: Final = _READS * _FRAMES_A_READ
CARD_KIND: Final = 4


def card_body(coup_no: int) -> bytes:
    """Return the data of a card event: the eight of hearts, the Player's first card, 900 mm/s, a margin of 80 %."""
    return pack("<HHBBHBB", 1, coup_no, 1, 33, 900, 80, 0)


def card_frame(seq: int, flags: int = 0) -> bytes:
    """Return the frame of a card event, without MAC and CRC."""
    return pack("<BBHIIB", 2, flags, seq, 1234 + seq, 7 + seq, CARD_KIND) + card_body(2)


def reads() -> list[bytes]:
    """Return what a gateway reads from a shoe that sends card after card in an authenticated session."""
    seal = Seal(KEY, TO_GATEWAY, *NONCES)
    bodies = [card_frame(seq, messages.AUTHENTICATED) for seq in range(FRAMES)]
    wire = [framing.encode(body + seal.mac(body)) for body in bodies]
    return [b"".join(wire[at : at + _FRAMES_A_READ]) for at in range(0, len(wire), _FRAMES_A_READ)]


def by_gateway(chunks: list[bytes]) -> list[Frame]:
    """Parse with the gateway's own code; return the frames that belong to the session and are new."""
    parser, session = Parser(), Session(*NONCES, KEY)
    return [frame for chunk in chunks for frame in parser.feed(chunk) if session.refuses(frame) is None]


def by_textbook(chunks: list[bytes]) -> list[Any]:
    """Parse with plain Python, hmac and construct."""
    return _interpreted(chunks, _cobs_decode, _crc16)


def by_textbook_in_c(chunks: list[bytes]) -> list[Any]:
    """Parse as the textbook does, with COBS and CRC from C extensions."""
    return _interpreted(chunks, cobs.decode, lambda data: crc_hqx(data, 0xFFFF))


def _interpreted(chunks: list[bytes], decode: Callable[[bytes], bytes], crc16: Callable[[bytes], int]) -> list[Any]:
    key = hmac.digest(KEY, TO_GATEWAY + b"".join(NONCES), "sha256")
    frames: list[Any] = []
    for encoded in (part for chunk in chunks for part in chunk.split(b"\0")[:-1]):
        checked = decode(encoded)
        sealed, crc = checked[:-2], checked[-2:]
        body, mac = sealed[:-MAC_BYTES], sealed[-MAC_BYTES:]
        right = hmac.new(key, body, sha256).digest()[:MAC_BYTES]
        if crc16(sealed) == int.from_bytes(crc, "little") and hmac.compare_digest(mac, right):
            frames.append(messages.Frame.parse(body))
    return frames


def _cobs_decode(encoded: bytes) -> bytes:
    """Decode byte by byte; this is faster than the pure Python of the package `cobs`."""
    out, at = bytearray(), 0
    while at < len(encoded):
        code = encoded[at]
        at += 1
        for _ in range(code - 1):
            out.append(encoded[at])
            at += 1
        if code < 0xFF and at < len(encoded):
            out.append(0)
    return bytes(out)


def _crc16(data: bytes) -> int:
    """Look up one byte at a time in a table of 256."""
    crc = 0xFFFF
    for byte in data:
        crc = (crc << 8 & 0xFFFF) ^ _CRC_TABLE[crc >> 8 ^ byte]
    return crc


_CRC_TABLE: Final = [crc_hqx(bytes([byte]), 0) for byte in range(256)]

"""Frames as a pcapng capture for Wireshark; documents/dissector.py writes the dissector that reads it.

A packet is one byte of sender, one byte of problem, then the decoded frame with its MAC and CRC. If the COBS coding is
broken, the packet holds the bytes as received. Frames of an Angel Eye have a link type of their own and are always as
received.
"""

from collections.abc import Sequence
from struct import pack
from typing import Final

LINKTYPE_USER0: Final = 147  # our own shoe
LINKTYPE_USER1: Final = 148  # Angel Eye
SENDERS: Final = ("shoe", "gateway", "unknown")
# `sender`: a valid frame of a type that this side does not send; `mac`: not made with the key of this session.
PROBLEMS: Final = ("none", "crc", "cobs", "length", "content", "sender", "unfinished", "mac")
ANGEL_EYE_PROBLEMS: Final = ("none", "bcc", "short", "bit7", "value", "cut_off", "too_long", "noise", "sender")

_SECTION, _INTERFACE, _PACKET = 0x0A0D0D0A, 1, 6
_COMMENT, _FLAGS, _IF_NAME, _APPLICATION = 1, 2, 2, 4
_INBOUND, _OUTBOUND, _CRC_ERROR, _TOO_SHORT = 1, 2, 1 << 24, 1 << 26
_DIRECTION = {"shoe": _INBOUND, "gateway": _OUTBOUND}  # as the gateway sees it
_LINK_ERROR = {"crc": _CRC_ERROR, "bcc": _CRC_ERROR, "unfinished": _TOO_SHORT, "cut_off": _TOO_SHORT}


def header(link_type: int = LINKTYPE_USER0) -> bytes:
    """Return the start of a capture: one section, one interface."""
    section = pack("<IHHq", 0x1A2B3C4D, 1, 0, -1) + _options({_APPLICATION: b"sabot inspect"})
    interface = pack("<HHI", link_type, 0, 0) + _options({_IF_NAME: b"serial line"})
    return _block(_SECTION, section) + _block(_INTERFACE, interface)


def packet(
    t_us: int,
    sender: str | None,
    problem: str | None,
    frame: bytes,
    comment: str = "",
    problems: Sequence[str] = PROBLEMS,
) -> bytes:
    """Return one frame as a packet; `t_us` counts from 1970, Wireshark shows the comment with it."""
    data = bytes([SENDERS.index(sender or "unknown"), problems.index(problem or "none")]) + frame
    flags = _DIRECTION.get(sender or "", 0) | _LINK_ERROR.get(problem or "", 0)
    options = {_FLAGS: pack("<I", flags), **({_COMMENT: comment.encode()} if comment else {})}
    head = pack("<IIIII", 0, t_us >> 32, t_us & 0xFFFFFFFF, len(data), len(data))
    return _block(_PACKET, head + _padded(data) + _options(options))


def _block(kind: int, content: bytes) -> bytes:
    length = len(content) + 12
    return pack("<II", kind, length) + content + pack("<I", length)


def _options(options: dict[int, bytes]) -> bytes:
    return b"".join(pack("<HH", code, len(value)) + _padded(value) for code, value in options.items()) + bytes(4)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)

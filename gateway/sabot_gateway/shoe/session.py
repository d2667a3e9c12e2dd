"""Session: the frames between one HELLO and the next; with a key each has its MAC, and none is taken twice."""

from dataclasses import dataclass, field
from typing import Any, Literal

from sabot_protocol import codec, framing, messages
from sabot_protocol.auth import TO_GATEWAY, TO_SHOE, Seal

from sabot_gateway.shoe.parse import Frame

Refusal = Literal["unauthenticated", "forged", "replayed"]
_RENEW_AT_SEQ = 2**15  # long before its numbers are used up


def frame_bytes(kind: str, body: dict[str, Any], seq: int, now_s: float, seal: Seal | None = None) -> bytes:
    """Return a frame as it goes out."""
    raw = codec.build(
        {
            "type": kind,
            "flags": messages.AUTHENTICATED if seal else 0,
            "seq": seq % 2**16,
            "time_ms": int(now_s * 1000) % 2**30,
            "body": body,
        }
    )
    return framing.encode(raw + seal.mac(raw) if seal else raw)


@dataclass
class Session:
    """`key` is None for a shoe that has none."""

    gateway_nonce: bytes
    shoe_nonce: bytes
    key: bytes | None = field(repr=False)
    seq: int = 0  # of the next frame out
    _least_seq: int = 0  # of the next frame in

    def __post_init__(self) -> None:
        """Derive one key for each direction."""
        self._in, self._out = (
            Seal(self.key, direction, self.gateway_nonce, self.shoe_nonce) if self.key else None
            for direction in (TO_GATEWAY, TO_SHOE)
        )

    def build(self, kind: str, body: dict[str, Any], now_s: float) -> bytes:
        """Return the next frame to the shoe."""
        self.seq += 1
        return frame_bytes(kind, body, self.seq - 1, now_s, self._out)

    def refuses(self, frame: Frame) -> Refusal | None:
        """Return why this frame is not of this session, or not new; None for the next one."""
        if self._in is None:
            return "unauthenticated" if frame.mac else None
        if not frame.mac:
            return "unauthenticated"
        if not self._in.fits(frame.raw, frame.mac):
            return "forged"
        if frame.seq < self._least_seq:
            return "replayed"
        self._least_seq = frame.seq + 1
        return None

    def is_of(self, gateway_nonce: bytes, shoe_nonce: bytes) -> bool:
        """Return True if the session has these nonces."""
        return (gateway_nonce, shoe_nonce) == (self.gateway_nonce, self.shoe_nonce)

    def old(self) -> bool:
        """Return True when it is time to agree on a new one."""
        return self.seq >= _RENEW_AT_SEQ or self._least_seq >= _RENEW_AT_SEQ

"""Authentication of frames: eight bytes of HMAC-SHA256 under a key of one unit, one session and one direction."""

import hmac
from hashlib import sha256
from typing import Final

KEY_BYTES: Final = 32
MAC_BYTES: Final = 8
TO_GATEWAY: Final = b"sabot shoe to gateway"
TO_SHOE: Final = b"sabot gateway to shoe"
_BLOCK_BYTES: Final = 64
_INNER = bytes(byte ^ 0x36 for byte in range(256))
_OUTER = bytes(byte ^ 0x5C for byte in range(256))


class Seal:
    """One direction of one session; the hash states are filled once and copied for each frame."""

    def __init__(self, key: bytes, direction: bytes, gateway_nonce: bytes, shoe_nonce: bytes) -> None:
        session_key = hmac.digest(key, direction + gateway_nonce + shoe_nonce, "sha256").ljust(_BLOCK_BYTES, b"\0")
        self._inner = sha256(session_key.translate(_INNER))
        self._outer = sha256(session_key.translate(_OUTER))

    def mac(self, body: bytes) -> bytes:
        """Return the MAC of a body."""
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(body)
        outer.update(inner.digest())
        return outer.digest()[:MAC_BYTES]

    def fits(self, body: bytes, mac: bytes) -> bool:
        """Return True if a holder of the key made this frame for this session and direction."""
        return hmac.compare_digest(self.mac(body), mac)


def fingerprint(key: bytes) -> str:
    """Return a name for a key that reveals nothing about it."""
    return sha256(b"sabot key " + key).hexdigest()[:16]

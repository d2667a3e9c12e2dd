"""Check the MACs on a recorded line with the key; sessions are taken from the HELLO and WELCOME frames."""

from collections import deque
from pathlib import Path
from typing import Any

from sabot_protocol.auth import KEY_BYTES, TO_GATEWAY, TO_SHOE, Seal

_MOST_OFFERS = 8  # sessions against which a frame is checked
_DIRECTIONS = {"shoe": TO_GATEWAY, "gateway": TO_SHOE}


class MacChecker:
    """Checks the MAC of each frame in turn."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._seals: deque[dict[str, Seal]] = deque(maxlen=_MOST_OFFERS)  # by sender, newest last
        self._begun = False  # a WELCOME has accepted one of them

    def verdict(self, frame: dict[str, Any], sender: str, raw: bytes, mac: bytes) -> str:
        """Return `yes`, `no`, or `unknown` before the HELLO of the session was seen."""
        if frame["type"] == "hello":
            self._add_offer(frame["body"], raw, mac)
        if any(sender in seals and seals[sender].fits(raw, mac) for seals in reversed(self._seals)):
            self._begun = self._begun or frame["type"] == "welcome"
            return "yes"
        return "no" if self._begun or frame["type"] == "hello" else "unknown"

    def _add_offer(self, body: dict[str, Any], raw: bytes, mac: bytes) -> None:
        """Add the session that a HELLO offers, unless its own MAC is wrong."""
        nonces = [bytes.fromhex(body[name]) for name in ("gateway_nonce", "shoe_nonce")]
        seals = {sender: Seal(self._key, direction, *nonces) for sender, direction in _DIRECTIONS.items()}
        if seals["shoe"].fits(raw, mac):
            self._seals.append(seals)


def read_key(path: Path) -> bytes:
    """Return the key in a file: 64 hex digits, or 32 bytes as on a shoe."""
    data = path.read_bytes()
    if len(data) == KEY_BYTES:
        return data
    try:
        key = bytes.fromhex(data.decode())
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise ValueError(f"{path} is not a key file: expected 64 hex digits or {KEY_BYTES} bytes")
    return key

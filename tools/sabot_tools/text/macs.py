"""What the MACs on a recorded line prove, given the key: sessions are followed by the HELLO and WELCOME that pass."""

from collections import deque
from pathlib import Path
from typing import Any

from sabot_protocol.auth import KEY_BYTES, TO_GATEWAY, TO_SHOE, Seal

_MOST_OFFERS = 8  # sessions that a frame is tried for
_DIRECTIONS = {"shoe": TO_GATEWAY, "gateway": TO_SHOE}


class Watcher:
    """Says of each MAC whether it is right; the sessions come from the frames themselves."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._seals: deque[dict[str, Seal]] = deque(maxlen=_MOST_OFFERS)  # by sender, the newest last
        self._begun = False  # a WELCOME has taken one of them up

    def verdict(self, frame: dict[str, Any], sender: str, raw: bytes, mac: bytes) -> str:
        """`yes`, `no`, or `unknown` while the HELLO of the session has not been seen."""
        if frame["type"] == "hello":
            self._offered(frame["body"], raw, mac)
        if any(sender in seals and seals[sender].fits(raw, mac) for seals in reversed(self._seals)):
            self._begun = self._begun or frame["type"] == "welcome"
            return "yes"
        return "no" if self._begun or frame["type"] == "hello" else "unknown"

    def _offered(self, body: dict[str, Any], raw: bytes, mac: bytes) -> None:
        """HELLO brings both nonces of the session that it offers; a forged one is not kept."""
        nonces = [bytes.fromhex(body[name]) for name in ("gateway_nonce", "shoe_nonce")]
        seals = {sender: Seal(self._key, direction, *nonces) for sender, direction in _DIRECTIONS.items()}
        if seals["shoe"].fits(raw, mac):
            self._seals.append(seals)


def read_key(path: Path) -> bytes:
    """A key file: 64 hex digits, or 32 bytes as a shoe has them."""
    data = path.read_bytes()
    if len(data) == KEY_BYTES:
        return data
    try:
        key = bytes.fromhex(data.decode())
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise ValueError(f"{path} holds no key: 64 hex digits or {KEY_BYTES} bytes are one")
    return key

"""Signing: HMAC-SHA256 of jackpot messages and beats with the site's jackpot key, so that a forged one is refused."""

import hashlib
import hmac
from functools import lru_cache
from typing import TypeVar

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from sabot_protocol.jackpots.messages import IncrementMessage, RecordedMessage
from sabot_protocol.topics import BeatMessage

_BLOCK_BYTES = 64
_INNER, _OUTER = (bytes(byte ^ mask for byte in range(256)) for mask in (0x36, 0x5C))
_sorted = msgspec.json.Encoder(order="sorted")
Signed = TypeVar("Signed", IncrementMessage, RecordedMessage, BeatMessage)


def sign(message: Signed, key: bytes) -> Signed:
    """Return the message with its signature; the same message without one for an empty key."""
    return replace(message, signature=_signature(message, key) if key else "")


def is_signed(message: IncrementMessage | RecordedMessage | BeatMessage, key: bytes) -> bool:
    """Return True if the message is signed with this key, and everything in it is as it was then."""
    return bool(key) and hmac.compare_digest(message.signature.encode(), _signature(message, key).encode())


def _signature(message: IncrementMessage | RecordedMessage | BeatMessage, key: bytes) -> str:
    """Return the HMAC, hex, of the type's name, a line feed, and the JSON with sorted keys.

    Without signature and without the place in the ledger, which is known only when the message is stored.
    """
    inner, outer = _states(key)
    inner, outer = inner.copy(), outer.copy()
    place = {} if isinstance(message, BeatMessage) else {"entry": UNSET, "after": UNSET}
    bare = replace(message, signature="", **place)
    inner.update(type(message).__name__.encode() + b"\n" + _sorted.encode(bare))
    outer.update(inner.digest())
    return outer.hexdigest()


@lru_cache(maxsize=4)
def _states(key: bytes) -> tuple["hashlib._Hash", "hashlib._Hash"]:
    """Return the two hash states of an HMAC; copies of them take a third of the time of `hmac.digest`."""
    block = (key if len(key) <= _BLOCK_BYTES else hashlib.sha256(key).digest()).ljust(_BLOCK_BYTES, b"\0")
    return hashlib.sha256(block.translate(_INNER)), hashlib.sha256(block.translate(_OUTER))

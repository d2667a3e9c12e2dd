"""Signing: HMAC-SHA256 of a table's jackpot messages with the site's jackpot key, so that a forged one is refused."""

import hmac
from hashlib import sha256
from typing import TypeVar

import msgspec

from sabot_protocol.jackpots.messages import IncrementMessage, RecordedMessage

Signed = TypeVar("Signed", IncrementMessage, RecordedMessage)


def sign(message: Signed, key: bytes) -> Signed:
    """Return the message with its signature; the same message without one for an empty key."""
    return msgspec.structs.replace(message, signature=_signature(message, key) if key else "")


def is_signed(message: IncrementMessage | RecordedMessage, key: bytes) -> bool:
    """Return True if the message is signed with this key, and everything in it is as it was then."""
    return bool(key) and hmac.compare_digest(message.signature.encode(), _signature(message, key).encode())


def _signature(message: IncrementMessage | RecordedMessage, key: bytes) -> str:
    """Return the HMAC, hex, of the type's name, a line feed, and the JSON with sorted keys without signature."""
    bare = msgspec.json.encode(msgspec.structs.replace(message, signature=""), order="sorted")
    return hmac.digest(key, type(message).__name__.encode() + b"\n" + bare, sha256).hex()

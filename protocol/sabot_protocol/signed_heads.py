"""Signed heads: the end of a hash-chained ledger or log, signed by who writes it, to be kept elsewhere."""

import hmac

from msgspec.structs import replace

from sabot_protocol.topics import LedgerMessage


def sign(head: LedgerMessage, key: bytes) -> LedgerMessage:
    """Return the head with its signature by the key."""
    return replace(head, signature=hmac.digest(key, _signed_part(head), "sha256").hex())


def is_signed(head: LedgerMessage, key: bytes) -> bool:
    """Return True if this key made the head's signature."""
    made = hmac.digest(key, _signed_part(head), "sha256").hex()
    return hmac.compare_digest(made.encode(), head.signature.encode(errors="replace"))


def _signed_part(head: LedgerMessage) -> bytes:
    return f"{head.gateway}:{head.entry}:{head.hash}:{head.time}".encode(errors="replace")

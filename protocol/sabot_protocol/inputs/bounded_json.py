"""JSON from outside: a payload becomes a struct, or nothing if it is too long or something else."""

from typing import TypeVar

import msgspec

_Kind = TypeVar("_Kind")


def decoded(payload: bytes, kind: type[_Kind], most_bytes: int) -> _Kind | None:
    """Return the payload as this type; None if it is longer than `most_bytes` or not of this type."""
    if len(payload) > most_bytes:
        return None
    try:
        return msgspec.json.decode(payload, type=kind)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None

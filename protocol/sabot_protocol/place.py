"""Place: where a published message stands in its gateway's ledger; put in front of its JSON, and taken out again."""

import re
from functools import lru_cache
from typing import NamedTuple

import msgspec

_FRONT = re.compile(
    rb'\{(?:"gateway":"([0-9A-Za-z_-]{1,64})",)?"entry":([1-9][0-9]{0,14}),"after":(0|[1-9][0-9]{0,14}),'
    rb'(?:"hash":"([0-9a-f]{64})",)?(?=")'
)


class Place(NamedTuple):
    """No published entry of this gateway's ledger is between `after` and `entry`."""

    gateway: str
    entry: int
    after: int
    hash: str = ""  # of the entry in the chain, hex; empty if it is not published


class _Names(msgspec.Struct):
    gateway: str


_names = msgspec.json.Decoder(_Names)


def with_place(payload: bytes, place: Place) -> bytes:
    """Return a JSON object with its place in front; an empty `gateway` is left out, for a payload that names it.

    Anything that is no JSON object is returned as it is.
    """
    if payload[:2] != b'{"':
        return payload
    gateway, entry, after, digest = place
    if digest:
        return b'%b%d,"after":%d,"hash":"%b",%b' % (_front(gateway), entry, after, digest.encode(), payload[1:])
    return b'%b%d,"after":%d,%b' % (_front(gateway), entry, after, payload[1:])


@lru_cache(maxsize=16)  # a gateway has one name, and puts it in front of thousands of messages a second
def _front(gateway: str) -> bytes:
    return b'{"gateway":"%b","entry":' % gateway.encode() if gateway else b'{"entry":'


def without_place(payload: bytes) -> tuple[Place | None, bytes]:
    """Return the place in front of a payload, None if there is none, and the payload as the ledger has it."""
    found = _FRONT.match(payload)
    if found is None:
        return None, payload
    gateway, entry, after, digest = found.groups()
    stored = b"{" + payload[found.end() :]
    name = gateway.decode() if gateway else _named(stored)
    if not name or int(after) >= int(entry):
        return None, stored
    return Place(name, int(entry), int(after), digest.decode() if digest else ""), stored


def _named(stored: bytes) -> str:
    """Return the gateway that a payload itself names, or nothing."""
    try:
        return _names.decode(stored).gateway[:64]
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return ""

"""Messages of an Angel Eye shoe: one frame in, one message or the reason of its refusal out.

What the public facts leave open is decided so. BCC first, then length, bit 7, values:

| in a frame with a good BCC | decision |
|---|---|
| no type letter, or fewer bytes than the type has | `short` |
| a byte after a known type without bit 7, extra bytes too; not in `M` | `bit7` |
| index: Player and Banker not 1..3, burn count not 1..10, any other target not 0..10 | `value` |
| no card, or suit above 4 or rank above 13: Player and Banker | `value` |
| no card, or suit above 4 or rank above 13: any other target, and `d` | card null |
| targets 3, 6, 7; modes 3..7; results 0, 3, 5, 6; errors 0 and 8..63; NAK codes not listed | `unknown` |
| `G` bits 3-2, `e` bit 6, `L` bits 6-1 | not looked at |
| `M`: printable characters, digits or not, by their lower 7 bits | taken |
| `M`: any other character | `value` |
| Seq: any byte, as the character of that number | taken |
| bytes behind the known ones | `extra`, in hex |
| a type that is not known: its bytes are not checked | `payload`, in hex |
| `02` frame: BCC without STX or with it, any text, each byte as the character of that number | `reply` |
"""

from functools import lru_cache, reduce
from operator import xor
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from sabot_protocol.angel_eye.tables import (
    ACK,
    BIT_7,
    ENQ,
    ETX,
    HANDS,
    KINDS,
    NAK,
    NAKS,
    STX,
    SYN,
    UNKNOWN,
    UndefinedError,
    card_of,
    error_of,
    locked_of,
    mode_of,
    place_of,
    result_of,
)
from sabot_protocol.codec import CodecError

WITH_STX, WITHOUT_STX = "with_stx", "without_stx"
_MOST_CACHED = 8192  # more than the frames of a shoe: 16 sequences, 6 places, 52 cards
LEAST_FRAME_BYTES: Final = 4  # ENQ ETX B1 B2
_ADDRESS_BYTES = 2


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """One frame or answer of the shoe, or a fact of the gateway; a field that its kind does not have is UNSET."""

    raw: bytes
    t: str  # type letter, or ACK, NAK, STX, SYN
    name: str
    seq: str | UnsetType = UNSET
    target: str | UnsetType = UNSET
    card: str | UnsetType | None = UNSET
    index: int | UnsetType = UNSET
    count: int | UnsetType = UNSET
    mode: str | UnsetType = UNSET
    low: int | UnsetType = UNSET
    result: str | UnsetType = UNSET
    player_pair: bool | UnsetType = UNSET
    banker_pair: bool | UnsetType = UNSET
    code: int | UnsetType = UNSET
    error: str | UnsetType = UNSET
    in_error_mode: bool | UnsetType = UNSET
    locked: bool | UnsetType = UNSET
    address: str | UnsetType = UNSET
    value: str | UnsetType = UNSET
    text: str | UnsetType = UNSET  # of a reply
    bcc: str | UnsetType = UNSET  # of a reply: with_stx or without_stx
    payload: str | UnsetType = UNSET  # of an unknown type
    extra: str | UnsetType = UNSET  # bytes behind the known ones
    fact: dict[str, Any] | UnsetType = UNSET  # fields of a fact of the gateway


class Reject(NamedTuple):
    """Why a frame was refused: bcc, short, bit7 or value."""

    reason: str


class FrameError(CodecError):
    """Bytes in a ledger that are no frame of this line."""


def report(message: Message) -> dict[str, Any]:
    """Return a message as `sabot angel-eye` prints it: without its bytes and without fields that it does not have."""
    fields: dict[str, Any] = msgspec.to_builtins(message)
    del fields["raw"]
    return fields


def fact(name: str, **fields: Any) -> Message:
    """Return a fact of the gateway as a message: SYN, which the shoe never sends, and compact JSON."""
    return Message(
        raw=bytes([SYN]) + msgspec.json.encode({"fact": name, **fields}), t="SYN", name=name, fact=dict(fields)
    )


def stored(raw: bytes) -> Message:
    """Return the message of a frame in the ledger; raise FrameError if it has none."""
    if raw[:1] == bytes([SYN]):
        return _stored_fact(raw)
    found = decoded(raw)
    if isinstance(found, Reject):
        raise FrameError(f"frame {raw.hex(' ').upper()} of an Angel Eye shoe: {found.reason}")
    return found


def _stored_fact(raw: bytes) -> Message:
    try:
        fields = msgspec.json.decode(raw[1:], type=dict[str, Any])
        name = fields.pop("fact", None)
        if not isinstance(name, str):
            raise FrameError("no name")
    except (ValueError, RecursionError) as error:
        raise FrameError(f"fact {raw[1:60]!r} of the gateway: {error}") from error
    return Message(raw=raw, t="SYN", name=name, fact=fields)


def bcc(data: bytes) -> bytes:
    """Return the two check characters of these bytes."""
    return b"%02X" % reduce(xor, data, 0)


@lru_cache(_MOST_CACHED)
def decoded(raw: bytes) -> Message | Reject:
    """Return the message of one whole frame or answer, or why it was refused."""
    if len(raw) == 1 and raw[0] == ACK:
        return Message(raw=raw, t="ACK", name="ack")
    if len(raw) == 2 and raw[0] == NAK:
        return Message(raw=raw, t="NAK", name="nak", code=raw[1], error=NAKS.get(raw[1], UNKNOWN))
    if len(raw) < LEAST_FRAME_BYTES or raw[0] not in (ENQ, STX) or raw[-3] != ETX:
        return Reject("short")
    return _reply(raw) if raw[0] == STX else _frame(raw)


def bcc_form(raw: bytes) -> str | None:
    """Return whether the BCC of an STX frame is counted without STX or with it; None if it is wrong in both forms."""
    for form, checked in ((WITHOUT_STX, raw[1:-2]), (WITH_STX, raw[:-2])):
        if bcc(checked) == raw[-2:]:
            return form
    return None


def _reply(raw: bytes) -> Message | Reject:
    form = bcc_form(raw)
    if form is None:
        return Reject("bcc")
    return Message(raw=raw, t="STX", name="reply", text=raw[1:-3].decode("latin-1"), bcc=form)


def _frame(raw: bytes) -> Message | Reject:
    if bcc(raw[1:-2]) != raw[-2:]:
        return Reject("bcc")
    head, data = raw[1:3], raw[3:-3]
    if ETX in head:
        return Reject("short")
    seq, letter = chr(head[0]), chr(head[1])
    kind = KINDS.get(letter)
    if kind is None:
        return Message(raw=raw, seq=seq, t=letter, name=UNKNOWN, payload=_hex(data))
    if len(data) < kind.size:
        return Reject("short")
    if letter != "M" and any(byte < BIT_7 for byte in data):
        return Reject("bit7")
    try:
        fields = _FIELDS[letter](data)
    except UndefinedError:
        return Reject("value")
    extra = _hex(data[kind.size :]) or UNSET
    return Message(raw=raw, seq=seq, t=letter, name=kind.name, extra=extra, **fields)


def _hex(data: bytes) -> str:
    return data.hex(" ").upper()


def _nothing(data: bytes) -> dict[str, Any]:
    return {}


def _card(data: bytes) -> dict[str, Any]:
    """Return the fields of `D` and `R`."""
    target, index = place_of(data[0])
    card = card_of(data[1])
    if card is None and target in HANDS:
        raise UndefinedError
    return {"target": target, "card": card, "count" if target == "burn_count" else "index": index}


def _card_outside(data: bytes) -> dict[str, Any]:
    mode, low = mode_of(data[0])
    return {"mode": mode, "low": low, "card": card_of(data[1])}


def _result(data: bytes) -> dict[str, Any]:
    result, player_pair, banker_pair = result_of(data[0])
    return {"result": result, "player_pair": player_pair, "banker_pair": banker_pair}


def _error(data: bytes) -> dict[str, Any]:
    code, error, in_error_mode = error_of(data[0])
    return {"code": code, "error": error, "in_error_mode": in_error_mode}


def _error_cancelled(data: bytes) -> dict[str, Any]:
    code, error, _ = error_of(data[0])
    return {"code": code, "error": error}


def _lock(data: bytes) -> dict[str, Any]:
    return {"locked": locked_of(data[0])}


def _preset(data: bytes) -> dict[str, Any]:
    text = bytes(byte & ~BIT_7 for byte in data[: KINDS["M"].size]).decode()
    if not text.isprintable():
        raise UndefinedError
    return {"address": text[:_ADDRESS_BYTES], "value": text[_ADDRESS_BYTES:]}


_FIELDS: Final = {
    "S": _nothing,
    "P": _nothing,
    "C": _nothing,
    "D": _card,
    "R": _card,
    "d": _card_outside,
    "G": _result,
    "E": _error,
    "e": _error_cancelled,
    "L": _lock,
    "M": _preset,
}

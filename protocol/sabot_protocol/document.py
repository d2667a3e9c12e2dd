"""protocol/PROTOCOL.md, for people: every frame and event as messages.py has it, with the golden frames taken apart."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from construct import Bytes, Construct, FlagsEnum, FormatField, Mapping, Renamed, Struct, Switch, Terminated

from sabot_protocol import framing, messages
from sabot_protocol.cards import DECK

HEAD = """# The protocol between shoe and gateway

Written by `sabot generate` from `sabot_protocol/messages.py`; do not edit. Protocol hash `{hash}`: a shoe and a gateway
that do not have the same refuse each other.

## On the wire

A frame is header and body as below, at most {most} bytes, then a CRC-16 (IBM-3740, seed 0xFFFF, little-endian) over all
of it; all of that in COBS, and a zero byte behind it. Numbers are little-endian; those in 32 bits stay below 2**30.

"""
_FORMATS = {"<B": "u8", "<H": "u16", "<L": "u32"}


class Row(NamedTuple):
    """A field: its place in its struct, its size, what it holds."""

    at: int
    size: int
    name: str
    holds: str
    docs: str


def document(golden: list[dict[str, Any]]) -> str:
    """The whole page; `golden` are the accepted frames of protocol/vectors."""
    head = HEAD.format(hash=messages.protocol_hash().hex(), most=framing.MAX_BODY_BYTES)
    parts = [head, _table(messages.Frame, 0), "\n## Frames\n"]
    for name, number in messages.FrameType.encmapping.items():
        sender = "gateway to shoe" if number & 0x80 else "shoe to gateway"
        parts.append(_section(f"`{name}` 0x{number:02X}, {sender}", messages.FRAMES[name], _bare(messages.Frame)))
    parts.append("\n## Events\n\nThe `data` of frame `event`, by `kind`.\n")
    for kind, number in messages.EventKind.encmapping.items():
        parts.append(_section(f"`{kind}` {number}", messages.EVENTS[kind], 0))
    parts += ["\n## Names of numbers\n", *_names(), "\n## Frames taken apart\n", *map(_taken_apart, golden)]
    return "".join(parts)


def _section(title: str, part: Construct, first: int) -> str:
    return f"\n### {title}\n\n{_text(part.docs)}\n\n{_table(part, first)}"


def _text(docs: Any) -> str:
    return str(docs or "")


def _table(part: Construct, first: int) -> str:
    rows = list(_rows(part, first))
    if not rows:
        return "No fields.\n"
    lines = [f"| {row.at} | {row.size or ''} | `{row.name}` | {row.holds} | {row.docs} |\n" for row in rows]
    return "".join(["| byte | size | field | holds | |\n|---|---|---|---|---|\n", *lines])


def _rows(part: Construct, at: int) -> Iterator[Row]:
    """The fields of a struct from a place on; a struct within it is opened."""
    for field in _unwrapped(part).subcons:
        if field is Terminated:
            continue
        inner = _unwrapped(field)
        if isinstance(inner, Struct):
            yield from (row._replace(name=f"{field.name}.{row.name}") for row in _rows(inner, at))
        else:
            yield Row(at, _size(inner), str(field.name), _holds(inner), _text(field.docs))
        at += _size(inner)


def _unwrapped(part: Construct) -> Construct:
    while isinstance(part, Renamed):
        part = part.subcon
    return part


def _size(part: Construct) -> int:
    """In bytes; of a switch 0, for its case follows."""
    return 0 if isinstance(part, Switch) else int(part.sizeof())


def _bare(part: Construct) -> int:
    """The bytes before the switch at the end of a struct."""
    return sum(_size(_unwrapped(field)) for field in part.subcons if field is not Terminated)


def _holds(part: Construct) -> str:
    match part:
        case Switch():
            return "see below"
        case Mapping():
            return _enumeration(part)
        case FlagsEnum():
            return f"bits: [{_name_of(part)}](#names-of-numbers)"
        case messages.AtMost():
            return f"{_holds(part.subcon)}, at most {part.most:,}"
        case Bytes():
            return f"{part.length} bytes"
        case FormatField():
            return _FORMATS[part.fmtstr]
    raise TypeError(f"{part!r} in the message definition: teach it to document.py")


def _enumeration(part: Mapping) -> str:
    if part is messages.Card:
        return f"card: 0 {DECK[0]} to 51 {DECK[51]}, by suit"
    if part in (messages.FrameType, messages.EventKind):
        return "see below"
    return f"[{_name_of(part)}](#names-of-numbers)"


def _named() -> dict[str, Construct]:
    """Everything in messages.py that gives numbers a name and a meaning."""
    return {
        name: part for name, part in vars(messages).items() if isinstance(part, Mapping | FlagsEnum) and _told(part)
    }


def _told(part: Construct) -> dict[str, str]:
    return getattr(part, "meanings", {})


def _name_of(part: Construct) -> str:
    return next(name for name, one in _named().items() if one is part)


def _names() -> Iterator[str]:
    for name, part in _named().items():
        numbers = part.encmapping if isinstance(part, Mapping) else part.flags
        lines = (f"| {number} | `{value}` | {_told(part)[value]} |\n" for value, number in numbers.items())
        yield "".join([f"\n**{name}**\n\n| | | |\n|---|---|---|\n", *lines])


def _taken_apart(golden: dict[str, Any]) -> str:
    """A golden frame: its bytes on the wire, and the same bytes field by field."""
    body = bytes.fromhex(golden["body"])
    crc = framing.crc16(body).to_bytes(2, "little")
    lines = [f"{_hex(body[row.at : row.at + row.size]):<24}  {row.name}" for row in _fields(golden["fields"])]
    shown = "\n".join([*lines, f"{_hex(crc):<24}  CRC-16"])
    return f"\n**{golden['name']}**, on the wire `{_hex(bytes.fromhex(golden['wire']))}`\n\n```\n{shown}\n```\n"


def _fields(fields: dict[str, Any]) -> Iterable[Row]:
    """The fields of this very frame, in order, each with its value."""
    rows = [*_rows(messages.Frame, 0), *_rows(messages.FRAMES[fields["type"]], _bare(messages.Frame))]
    if fields["type"] == "event":
        rows += _rows(messages.EVENTS[fields["body"]["kind"]], rows[-1].at)
    values = {"flags": 0, **fields, **fields["body"], **fields["body"].get("data", {})}
    for row in rows:
        if row.size:
            yield row._replace(name=f"{row.name} {_shown(values[row.name])}".strip())


def _shown(value: Any) -> str:
    """Flags as those that are set; a hash needs no repeating."""
    if isinstance(value, dict):
        return ", ".join(name for name, on in value.items() if on)
    return "" if isinstance(value, str) and len(value) == 2 * messages.HASH_BYTES else str(value)


def _hex(data: bytes) -> str:
    return data.hex(" ")

"""protocol/PROTOCOL.md: every frame, event and command of the message definition, and golden frames byte by byte."""

from collections.abc import Iterator
from functools import reduce
from typing import Any, NamedTuple

from sabot_protocol import auth, fields, framing, messages, numbers
from sabot_protocol.cards import DECK, INDEX
from sabot_protocol.documents import shoe_chapters
from sabot_protocol.layout import Choice, Flags, Layout, Names, Number, Raw, Value, enumerations

HEAD = """# The protocol between shoe and gateway

Written by `sabot generate` from `sabot_protocol/messages/`; do not edit. Protocol hash `{hash}`: a shoe and a gateway
with different hashes refuse each other, and the gateway reports which side to update.

The shoe keeps a log of events and sends it. The gateway stores it and acknowledges it. Everything else serves that.

- [On the wire](#on-the-wire): how bytes become frames
- [The MAC](#the-mac): how a frame proves its sender
- [A conversation](#a-conversation): who sends what, when, and how often
- [Numbers in HELLO](#numbers-in-hello): their rules, and how an erased journal is found
- [Refused frames](#refused-frames): what each side does with them
- [The order of the log](#the-order-of-the-log): what a shoe logs, from its start to its end, event by event
- [The profile](#the-profile), [The key](#the-key): their bytes
- [Frames](#frames), [Events](#events), [Commands](#commands): every field
- [Names of numbers](#names-of-numbers)
- [Example frames](#example-frames): a whole session, byte by byte

## On the wire

A frame consists of, in this order:

| | bytes | |
|---|---|---|
| header | {header} | the table below |
| body | by type | at most {most} together with header and MAC |
| MAC | {mac}, or none | only if bit 0 of `flags` is set |
| CRC-16 | 2 | IBM-3740 (polynomial 0x1021, seed 0xFFFF), little-endian, over everything before it, MAC included |

The whole is COBS-encoded, which removes all zero bytes, and a zero byte ends it. A receiver that has lost its place
waits for the next zero. Numbers are little-endian; 32-bit numbers stay below 2**30; bits without a name are ignored.
The gateway refuses a frame that is longer or shorter than its type, or has a value that is not defined here; see
[Refused frames](#refused-frames). The shoe ignores a frame with a wrong length or an unknown type, and counts it in
`refused` of HELLO.

"""
TALK = """
## The MAC

A shoe and its gateway may share a key of {key} bytes. Then every frame of a session has a MAC, in both directions.
Exceptions: `who` and `busy`, which belong to no session, and an unsolicited `hello`. Without a key no frame has a MAC.

1. The gateway draws a nonce of {nonce} bytes for `who`, the shoe one for `hello`. No nonce is used twice: the shoe's
   consists of its boot count, the number of the offer and four random bytes; the gateway drops its own once a `hello`
   has used it.
2. Each direction of the session has its own key: `HMAC-SHA256(key, text + gateway nonce + shoe nonce)`, all 32 bytes.
   The text is ASCII, `{to_gateway}` or `{to_shoe}`, without a terminator.
3. The MAC of a frame is the first {mac} bytes of `HMAC-SHA256(session key, header + body)`, with the flag already set.
4. A receiver accepts a frame if its MAC is right and its `seq` is above that of the last frame accepted. `seq` starts
   at 0 with the session: the shoe's first frame is the HELLO that offers it, the gateway's is WELCOME. Gaps are
   allowed, because frames get lost. Refused frames are counted.

So a frame of another key, session or direction, a changed frame and a repeated frame are all refused.

The CRC is outermost because noise is common and forgery is not: damage is found and counted without the key and before
any hashing, and a frame with a right CRC and a wrong MAC is no accident. A person without the key can still record a
line and count the damaged frames (`sabot inspect`).

## A conversation

1. **WHO.** The gateway asks once a second while it has no session, with its id and a fresh nonce.
2. **HELLO.** The shoe answers with its counters and a nonce of its own: it offers a session. A shoe that was not asked,
   or that has lost its gateway, sends HELLO every half second, with zeros as nonces and without a MAC; the gateway
   answers that with WHO. If the protocol hashes differ the conversation ends here, and the gateway reports which side
   to update.
3. **WELCOME.** The gateway has checked the MAC and the [numbers](#numbers-in-hello), and sends the last event that is
   durable in its ledger. The shoe continues with the next event it still holds, even if that was acknowledged before.
   `shoe_nonce` is that of the HELLO. This frame begins the session on both sides; until then an earlier session
   continues undisturbed, so nobody can end it by asking. WELCOME is repeated once a second until the shoe sends a frame
   of the session.
4. **SET_PROFILE**, if the shoe works by another profile than the table's; repeated once a second until the event
   `profile_set` has the right hash.
5. **EVENT and ACK.** The shoe sends its events in order, no more than a window of {window} beyond the last ACK; the
   gateway would accept more. `ack` n means: everything up to and including n is durable. Without an ACK the shoe sends
   again from the first event not acknowledged, after half a second, then one, two, four, eight. An event received twice
   is acknowledged again, not stored again.
6. **RESEND.** The gateway has seen a gap in the event numbers: send again from this one. The firmware does so if the
   number is above the last ACK and below the next event it would send.
7. **COMMAND.** Has an id that rises. It is sent again after one second, then two, four, eight, until the event
   `command_done` or `command_refused` reports the outcome; the shoe does each id once. One command at a time: the next
   is sent when the last has ended. In a new session the first waits until the log has reached `next_event_no` of HELLO,
   because the shoe may have done it already.
8. **Keep-alive.** A side that has sent nothing for a second sends something: the shoe `alive`, the gateway its last
   `ack`. After 5 seconds of silence the shoe treats the session as lost and sends HELLO again; new events wait in its
   journal. The gateway does the same: after 5 seconds without a frame of the session it treats the shoe as gone,
   publishes that in the table's `status`, ends the session and sends WHO again.
9. **BUSY.** One shoe, one gateway. While the gateway of the session has sent a frame within 5 seconds, another gateway
   that asks gets `busy`, with the id of the first and its own nonce back. A shoe with two wires (USB and UART) has one
   session on one of them: it answers on the wire of the request, and a gateway on the other wire gets `busy` there.
10. **Renewal.** When either side has sent 2**15 frames in a session, the gateway asks again with a new nonce, and steps
    1 to 3 replace the session while events continue. A `seq` never wraps within a session.
"""
EXAMPLES = """
## Example frames

First a session from its first byte, as both sides must send it; a test compares every byte. Its key is `{key}`, its
protocol hash is made up. Then some frames without a key.
"""
_ECHO = " Event `command_done` repeats it, by its `command`, from byte {at}."
_FORMATS = {"B": "u8", "H": "u16", "L": "u32"}
_BYTES_A_LINE = 8  # of an example frame


class Row(NamedTuple):
    """A field: its offset, its size, its type and its description."""

    at: int
    size: int
    name: str
    holds: str
    docs: str


def document(golden: list[dict[str, Any]], life: list[dict[str, Any]]) -> str:
    """Return the whole page.

    `golden` are the accepted frames of protocol/vectors, of which those marked `page` are shown. `life` are the events
    of a recording that shows a shoe from its start to its end.
    """
    shown = [one for one in golden if one.get("page")]
    parts = [_head(HEAD), _table(messages.LAYOUT, 0), _head(TALK), *shoe_chapters.chapters(life), "\n## Frames\n"]
    for name, number in numbers.FRAMES.items():
        sender = "gateway to shoe" if number & 0x80 else "shoe to gateway"
        parts.append(_section(f"`{name}` 0x{number:02X}, {sender}", messages.FRAME_LAYOUTS[name], messages.LAYOUT.size))
    parts += [*_kinds("Events", "event", numbers.EVENTS)]
    parts += [*_kinds("Commands", "command", numbers.COMMANDS, _ECHO.format(at=_echo_at()))]
    parts += ["\n## Names of numbers\n", *_names(), EXAMPLES.format(key=_key(shown)), *map(_example, shown)]
    return "".join(parts)


def _head(text: str) -> str:
    return text.format(
        hash=messages.protocol_hash().hex(),
        header=messages.LAYOUT.size,
        most=framing.MAX_BODY_BYTES,
        mac=auth.MAC_BYTES,
        key=auth.KEY_BYTES,
        nonce=fields.NONCE_BYTES,
        to_gateway=auth.TO_GATEWAY.decode(),
        to_shoe=auth.TO_SHOE.decode(),
        window=shoe_chapters.WINDOW,
    )


def _key(golden: list[dict[str, Any]]) -> str:
    """Return the key of the golden session."""
    return next((str(one["key"]) for one in golden if "key" in one), "none")


def _kinds(title: str, frame: str, kinds: dict[str, int], more: str = "") -> Iterator[str]:
    """Yield a section for each kind; offsets count from the start of the frame."""
    first, layouts = _data_at(frame), messages.FRAME_LAYOUTS[frame].cases()
    yield f"\n## {title}\n\nThe `data` of frame `{frame}`, by `kind`.{more}\n"
    for kind, number in kinds.items():
        yield _section(f"`{kind}` {number}", layouts[kind], first)


def _data_at(frame: str) -> int:
    return messages.LAYOUT.size + messages.FRAME_LAYOUTS[frame].size


def _echo_at() -> int:
    return _data_at("event") + messages.EVENT_LAYOUTS["command_done"].size


def _section(title: str, layout: Layout, first: int) -> str:
    return f"\n### {title}\n\n{layout.doc}\n\n{_table(layout, first)}"


def _table(layout: Layout, first: int) -> str:
    rows = list(_rows(layout, first))
    if not rows:
        return "No fields.\n"
    lines = [f"| {row.at} | {row.size or ''} | `{row.name}` | {row.holds} | {row.docs} |\n" for row in rows]
    return "".join(["| byte | size | field | holds | |\n|---|---|---|---|---|\n", *lines])


def _rows(layout: Layout, at: int) -> Iterator[Row]:
    """Yield the fields of a layout from an offset; those of an inner layout are listed one by one."""
    for field in layout.named():
        place = at + field.offset
        if isinstance(field.value, Layout):
            yield from (row._replace(name=f"{field.name}.{row.name}") for row in _rows(field.value, place))
        else:
            yield Row(place, field.size, field.name, _holds(field.value), field.doc)


def _holds(value: Value) -> str:
    match value:
        case Choice():
            return "see below"
        case Names():
            return _enumeration(value)
        case Flags():
            return f"bits: [{value.title}](#names-of-numbers)"
        case Number():
            return _FORMATS[value.format] + ("" if value.most is None else f", at most {value.most:,}")
        case Raw():
            return f"{value.size} bytes"
    raise TypeError(f"{value!r} in the message definition: add it to page.py")


def _enumeration(value: Names) -> str:
    if value.numbers.items() >= INDEX.items():
        none = value.numbers.get(fields.NO_CARD)
        return f"card: 0 {DECK[0]} to 51 {DECK[51]}, by suit" + (f", {none} for none" if none else "")
    return f"[{value.title}](#names-of-numbers)" if value.title else "see below"


def _names() -> Iterator[str]:
    for title, value in enumerations().items():
        lines = (f"| {number} | `{name}` | {value.meanings[name]} |\n" for name, number in value.numbers.items())
        yield "".join([f"\n**{title}**\n\n| | | |\n|---|---|---|\n", *lines])


def _example(golden: dict[str, Any]) -> str:
    """Return a golden frame: its bytes on the wire, then field by field."""
    body, mac = bytes.fromhex(golden["body"]), bytes.fromhex(golden.get("mac", ""))
    crc = framing.crc16(body + mac).to_bytes(2, "little")
    lines = [
        line for row, value in _fields(messages.LAYOUT, golden["fields"], 0) for line in _field_lines(body, row, value)
    ]
    lines += [*_lines(mac, "MAC"), *_lines(crc, "CRC-16")]
    shown, wire = "\n".join(lines), _hex(bytes.fromhex(golden["wire"]))
    return f"\n**{golden['name']}**: {golden['fields']['type']}, on the wire `{wire}`\n\n```\n{shown}\n```\n"


def _field_lines(body: bytes, row: Row, value: Any) -> Iterator[str]:
    """Return the lines of a field with its value; plain bytes are not repeated."""
    data = body[row.at : row.at + row.size]
    return _lines(data, row.name if value == data.hex() else f"{row.name} {_shown(value)}".rstrip())


def _lines(data: bytes, name: str) -> Iterator[str]:
    """Yield the bytes in lines, with the name beside the first."""
    for at in range(0, len(data), _BYTES_A_LINE):
        yield f"{_hex(data[at : at + _BYTES_A_LINE]):<{3 * _BYTES_A_LINE}}  {'' if at else name}".rstrip()


def _fields(layout: Layout, values: dict[str, Any], at: int) -> Iterator[tuple[Row, Any]]:
    """Yield the fields of a frame in order, each with its value; a choice continues with its case."""
    yield from ((row, _value(values, row.name)) for row in _rows(layout, at) if row.size)
    for field in layout.fields:
        if isinstance(field.value, Choice):
            yield from _fields(layout.cases()[values[field.value.on]], values[field.name], at + layout.size)


def _value(values: dict[str, Any], name: str) -> Any:
    """Return the value of `name` or `outer.inner`."""
    return reduce(dict.__getitem__, name.split("."), values)


def _shown(value: Any) -> str:
    """Return a value as text; flags as the names of those set."""
    return ", ".join(name for name, on in value.items() if on) if isinstance(value, dict) else str(value)


def _hex(data: bytes) -> str:
    return data.hex(" ")

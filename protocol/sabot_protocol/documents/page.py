"""protocol/PROTOCOL.md, for people: every frame and event as messages.py has it, with the golden frames taken apart."""

from collections.abc import Iterator
from functools import reduce
from typing import Any, NamedTuple

from sabot_protocol import auth, fields, framing, messages, numbers
from sabot_protocol.cards import DECK, INDEX
from sabot_protocol.documents import shoe_chapters
from sabot_protocol.layout import Choice, Flags, Layout, Names, Number, Raw, Value, enumerations

HEAD = """# The protocol between shoe and gateway

Written by `sabot generate` from `sabot_protocol/messages.py`; do not edit. Protocol hash `{hash}`: a shoe
and a gateway that do not have the same refuse each other, and say so.

The shoe keeps a log of events and sends it; the gateway stores it and says how far. Everything else serves that.

- [On the wire](#on-the-wire): how bytes become frames
- [The MAC](#the-mac): how a frame proves who sent it
- [A conversation](#a-conversation): who says what, when, and how often
- [Numbers in HELLO](#numbers-in-hello): what they must be, and how an erased journal is found
- [What becomes of a frame that is refused](#what-becomes-of-a-frame-that-is-refused)
- [What a shoe logs, and in which order](#what-a-shoe-logs-and-in-which-order): a whole life, event by event
- [The profile](#the-profile), [The key](#the-key): their bytes
- [Frames](#frames), [Events](#events), [Commands](#commands): every field
- [Names of numbers](#names-of-numbers)
- [Frames taken apart](#frames-taken-apart): a whole session, byte by byte

## On the wire

A frame is, in this order:

| | bytes | |
|---|---|---|
| header | {header} | the table below |
| body | by type | with header and MAC at most {most} |
| MAC | {mac}, or none | only if bit 0 of `flags` is set |
| CRC-16 | 2 | IBM-3740 (polynomial 0x1021, seed 0xFFFF), little-endian, over everything before it, MAC included |

All of that is coded in COBS, which leaves no zero in it, and a zero byte ends it. A receiver that has lost its place
waits for the next zero. Numbers are little-endian; those in 32 bits stay below 2**30; bits without a name are ignored.
The gateway refuses as a whole a frame that is longer or shorter than its type or holds a value that is not defined
here; [what becomes of it](#what-becomes-of-a-frame-that-is-refused). The shoe does nothing on a frame of a wrong
length or an unknown type, and counts it in `refused` of HELLO.

"""
TALK = """
## The MAC

A shoe and its gateway may share a key of {key} bytes. Then every frame of a session carries a MAC, both ways; only
`who` and `busy`, which belong to no session, and a `hello` that nobody asked for have none. Without a key no frame has
one.

1. The gateway draws a nonce of {nonce} bytes for `who`, the shoe one for `hello`. Neither is ever used again: the
   shoe's holds the numbers of its start and of its offer besides four bytes of chance, the gateway forgets its own once
   a `hello` has used it.
2. Each direction of the session has a key of its own: `HMAC-SHA256(key, text + gateway nonce + shoe nonce)`, all 32
   bytes of it. The text is ASCII, `{to_gateway}` or `{to_shoe}`, with nothing behind it.
3. The MAC of a frame is the first {mac} bytes of `HMAC-SHA256(session key, header + body)`, the flag already set.
4. A receiver takes a frame if its MAC is right and its `seq` is above that of the last frame it took; `seq` begins at 0
   with the session: the shoe's first frame is the HELLO that offers it, the gateway's is WELCOME. Gaps are allowed, for
   frames get lost. What it refuses it counts.

So a frame of another key, session or direction, a changed frame and a frame that came before are all refused.

The CRC is outermost because noise is common and forgery is not: a damaged frame is found, and counted as damaged,
without the key and before any hashing; a frame with a right CRC and a wrong MAC is no accident. It is also why somebody
who has no key can still record a line and count what was damaged on it (`sabot inspect`).

## A conversation

1. **WHO.** The gateway asks once a second while it has no session: its own name and a fresh nonce.
2. **HELLO.** The shoe answers with its counters and a nonce of its own: it offers a session. A shoe that nobody has
   asked, or that has lost its gateway, says HELLO every half second, its nonces zero and without a MAC; the gateway
   answers that with WHO. If shoe and gateway have different protocol hashes it ends here, and the gateway says what to
   update.
3. **WELCOME.** The gateway has checked the MAC and the [numbers](#numbers-in-hello), and says up to which event its
   ledger is durable; the shoe goes on with the next one that it still holds, even if that was acknowledged before. Its
   `shoe_nonce` is that of the HELLO. With this frame the session begins on both sides; until then one that ran before
   goes on undisturbed, so nobody can end it by asking. WELCOME comes again once a second until the shoe speaks in the
   session.
4. **SET_PROFILE**, where the shoe works by another profile than the house's; repeated once a second until the event
   `profile_set` names the right one.
5. **EVENT and ACK.** The shoe sends its events in order, no more than a window of {window} beyond the last ACK; the
   gateway would take more. `ack` n means: everything up to and including n is durable. Where none comes the shoe begins
   again from the first event that is not acknowledged, after half a second, then one, two, four, eight. An event that
   comes twice is acknowledged again, not stored again.
6. **RESEND.** The gateway sees a gap in the event numbers and does not want to wait: go on from this one. The firmware
   does so where the number is above the last ACK and below what it would send next.
7. **COMMAND.** Has a number that rises. It is sent again, after one second, then two, four, eight, until the event
   `command_done` or `command_refused` tells what became of it; the shoe does each number once. One at a time: the next
   is sent when the last has ended. In a new session the first waits until the log has come up to `next_event_no` of
   HELLO, for the shoe may have done it already.
8. **Keep-alive.** Whoever has said nothing for a second says something: the shoe `alive`, the gateway its last `ack`.
   After 5 seconds of silence the shoe takes the session for lost and says HELLO again; what it logs meanwhile waits in
   its journal. The gateway does the same: after 5 seconds without a frame of the session it takes the shoe for gone,
   says so in the table's `status`, ends the session and asks WHO again.
9. **BUSY.** One shoe, one gateway. While the gateway of the session was heard within 5 seconds, another one that asks
   gets `busy`, with the name of the first and its own nonce back. A shoe with two wires (USB and UART) has one session
   on one of them: it answers on the wire of the question, and whoever asks on the other gets `busy` there.
10. **Renewal.** When either side has sent 2**15 frames in a session the gateway asks again with a new nonce, and steps
    1 to 3 replace the session while events go on. A `seq` never comes round within a session.
"""
APART = """
## Frames taken apart

First a session from its first byte, as both sides must say it to the letter: a test holds them to it. Its key is
`{key}`, its protocol hash a made-up one. Then some frames without a key.
"""
_ECHO = " Event `command_done` repeats it, by its `command`, from byte {at} on."
_FORMATS = {"B": "u8", "H": "u16", "L": "u32"}
_BYTES_A_LINE = 8  # of a frame taken apart


class Row(NamedTuple):
    """A field: its place in its struct, its size, what it holds."""

    at: int
    size: int
    name: str
    holds: str
    docs: str


def document(golden: list[dict[str, Any]], life: list[dict[str, Any]]) -> str:
    """The whole page; of `golden`, the accepted frames of protocol/vectors, it shows those marked for it.

    `life` are the events of a recording that shows a shoe from its start to its end.
    """
    shown = [one for one in golden if one.get("page")]
    parts = [_head(HEAD), _table(messages.LAYOUT, 0), _head(TALK), *shoe_chapters.chapters(life), "\n## Frames\n"]
    for name, number in numbers.FRAMES.items():
        sender = "gateway to shoe" if number & 0x80 else "shoe to gateway"
        parts.append(_section(f"`{name}` 0x{number:02X}, {sender}", messages.FRAME_LAYOUTS[name], messages.LAYOUT.size))
    parts += [*_kinds("Events", "event", numbers.EVENTS)]
    parts += [*_kinds("Commands", "command", numbers.COMMANDS, _ECHO.format(at=_echo_at()))]
    parts += ["\n## Names of numbers\n", *_names(), APART.format(key=_key(shown)), *map(_taken_apart, shown)]
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
    """The key of the golden session."""
    return next((str(one["key"]) for one in golden if "key" in one), "none")


def _kinds(title: str, frame: str, kinds: dict[str, int], more: str = "") -> Iterator[str]:
    """A section for each kind; its bytes begin behind number and kind."""
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
    """The fields of a layout from a place on; a layout within it is opened."""
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
    raise TypeError(f"{value!r} in the message definition: teach it to document.py")


def _enumeration(value: Names) -> str:
    if value.numbers.items() >= INDEX.items():
        none = value.numbers.get(fields.NO_CARD)
        return f"card: 0 {DECK[0]} to 51 {DECK[51]}, by suit" + (f", {none} for none" if none else "")
    return f"[{value.title}](#names-of-numbers)" if value.title else "see below"


def _names() -> Iterator[str]:
    for title, value in enumerations().items():
        lines = (f"| {number} | `{name}` | {value.meanings[name]} |\n" for name, number in value.numbers.items())
        yield "".join([f"\n**{title}**\n\n| | | |\n|---|---|---|\n", *lines])


def _taken_apart(golden: dict[str, Any]) -> str:
    """A golden frame: its bytes on the wire, and the same bytes field by field."""
    body, mac = bytes.fromhex(golden["body"]), bytes.fromhex(golden.get("mac", ""))
    crc = framing.crc16(body + mac).to_bytes(2, "little")
    lines = [
        line for row, value in _fields(messages.LAYOUT, golden["fields"], 0) for line in _told_of(body, row, value)
    ]
    lines += [*_lines(mac, "MAC"), *_lines(crc, "CRC-16")]
    shown, wire = "\n".join(lines), _hex(bytes.fromhex(golden["wire"]))
    return f"\n**{golden['name']}**: {golden['fields']['type']}, on the wire `{wire}`\n\n```\n{shown}\n```\n"


def _told_of(body: bytes, row: Row, value: Any) -> Iterator[str]:
    """A field and its value; what is bytes and nothing else needs no repeating."""
    data = body[row.at : row.at + row.size]
    return _lines(data, row.name if value == data.hex() else f"{row.name} {_shown(value)}".rstrip())


def _lines(data: bytes, name: str) -> Iterator[str]:
    """So many bytes a line, the name beside the first."""
    for at in range(0, len(data), _BYTES_A_LINE):
        yield f"{_hex(data[at : at + _BYTES_A_LINE]):<{3 * _BYTES_A_LINE}}  {'' if at else name}".rstrip()


def _fields(layout: Layout, says: dict[str, Any], at: int) -> Iterator[tuple[Row, Any]]:
    """The fields of this very frame, in order, each with its value; the choice at the end goes on with its case."""
    yield from ((row, _value(says, row.name)) for row in _rows(layout, at) if row.size)
    for field in layout.fields:
        if isinstance(field.value, Choice):
            yield from _fields(layout.cases()[says[field.value.on]], says[field.name], at + layout.size)


def _value(values: dict[str, Any], name: str) -> Any:
    """By its name, or by `outer.inner`."""
    return reduce(dict.__getitem__, name.split("."), values)


def _shown(value: Any) -> str:
    """Flags as those that are set."""
    return ", ".join(name for name, on in value.items() if on) if isinstance(value, dict) else str(value)


def _hex(data: bytes) -> str:
    return data.hex(" ")

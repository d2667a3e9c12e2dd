"""wire.py of the firmware, written from the layout tree: offsets, sizes, formats, numbers and tables."""

import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping
from textwrap import wrap

from sabot_protocol import auth, cardcode, cardsets, fields, framing, irregularities, messages, numbers
from sabot_protocol.cards import INDEX
from sabot_protocol.layout import Choice, Field, Flags, Layout, Names, Number, Raw, enumerations

Constants = Iterator[tuple[str, int | str]]
_HEAD = '''"""The wire and the journal's records: written by `sabot generate`, not by hand.

A name that ends in _SIZE is a number of bytes, in _FORMAT a struct format, in _BYTES the size of one field. Any other
name of a layout is an offset: in a frame from the first byte of the frame; in EVENT_… from the first byte of a journal
record, so that record[EVENT_CARD_SLOT] is the slot; in COMMAND_… and PROFILE_… from the first byte of their own data.
The format of an event covers its data: pack_into(EVENT_CARD_FORMAT, record, RECORD_DATA, …); the format of a frame
covers what follows the header: pack_into(HELLO_FORMAT, frame, FRAME_BODY, …).

Only names that the firmware uses are here: use another one of firmware_wire.constants(), then run `sabot generate`.
"""

from micropython import const

'''
_NAMED = enumerations()
# What the shoe's journal writes before the data of an event.
_RECORD = Layout(
    (
        Field("event_no", 0, Number("L", 4)),
        Field("time_ms", 4, Number("L", 4)),
        Field("kind", 8, Number("B", 1)),
        Field("data_size", 9, Number("B", 1)),
        Field("data", 10, Choice("kind", messages.EVENT_LAYOUTS, Raw(0))),
    ),
    10,
)
# Numbers of the firmware, by the prefix of their names.
_NUMBERED: dict[str, Mapping[str, int]] = {
    "EV": numbers.EVENTS,
    "CMD": numbers.COMMANDS,
    "OUT": _NAMED["Outcome"].numbers,
    "CASE": numbers.CASES,
    "CODE": numbers.CODES,
    "FACT": numbers.FACTS,
    "FAULT": _NAMED["Fault"].numbers,
    "BY": _NAMED["ClearedBy"].numbers,
    "KIND": _NAMED["CoupKind"].numbers,
    "VOID": _NAMED["VoidReason"].numbers,
    "THEN": _NAMED["Then"].numbers,
    "CLOSE": _NAMED["CloseReason"].numbers,
    "CARD": _NAMED["CardFlags"].numbers,
    "REJECT": _NAMED["RejectReason"].numbers,
    "BUTTON": _NAMED["Button"].numbers,
    "BURN": _NAMED["Burn"].numbers,
    "SWITCH": _NAMED["Switches"].numbers,
    "PATTERN": _NAMED["Pattern"].numbers,
    "CAUSE": _NAMED["ResetCause"].numbers,
    "TEST": _NAMED["Tests"].numbers,
    "UP": _NAMED["UpdateState"].numbers,
    "TYPE": numbers.FRAMES,
    "SLOT": _NAMED["Slot"].numbers,
    "WINNER": _NAMED["Winner"].numbers,
    "SENSOR": _NAMED["Sensor"].numbers,
    "COUP": _NAMED["CoupFlags"].numbers,
    "BURN_MODE": _NAMED["BurnModes"].numbers,
}


def wire(used: Container[str] | None = None) -> str:
    """Return the text of wire.py; with `used`, only the constants of these names. Tables are always there."""
    sections = [(title, list(constants)) for title, constants in _sections()]
    _refuse_duplicates([name for _, constants in sections for name, _ in constants])
    kept = ((title, [pair for pair in pairs if used is None or pair[0] in used]) for title, pairs in sections)
    text = "".join(_section(title, pairs) for title, pairs in kept if pairs)
    return f"{_HEAD}{text}{tables()}"


def constants() -> dict[str, int | str]:
    """Return every offset, size, format and number of wire.py by its name."""
    return {name: value for _, pairs in _sections() for name, value in pairs}


def _section(title: str, pairs: list[tuple[str, int | str]]) -> str:
    lines = [f"{name} = const({_quoted(value)})" for name, value in pairs]
    return "\n".join([f"# {title}", *lines, "", ""])


def _quoted(value: int | str) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def _refuse_duplicates(names: list[str]) -> None:
    names = names + re.findall(r"^([A-Z]\w*) = ", tables(), re.MULTILINE)
    for name, count in Counter(names).items():
        if count > 1:
            raise ValueError(f"{name}: {count} constants of wire.py have this name; rename a field or a prefix")


def _sections() -> Iterator[tuple[str, Constants]]:
    yield "Frames: offsets from the first byte of the frame; a format covers the body.", _frames()
    yield "A record of the journal, up to the data of its event.", _record()
    yield "Events: offsets from the first byte of a record; size and format of the data.", _events()
    yield "Commands: offsets from the first byte of the command's data.", _commands()
    yield "The profile: offsets from its own first byte.", _layout("PROFILE", messages.PROFILE_LAYOUT)
    yield "Numbers by name.", _numbered()
    yield "Single values.", _single()


def _frames() -> Constants:
    header = messages.LAYOUT
    yield from _layout("FRAME", header)
    for name, body in messages.FRAME_LAYOUTS.items():
        prefix = f"{name.upper()}_FRAME" if body.cases() else name.upper()
        yield f"{prefix}_SIZE", header.size + body.size
        yield f"{prefix}_BODY_SIZE", body.size
        yield f"{prefix}_FORMAT", f"<{_codes(body)}"
        yield from _fields(prefix, body, header.size)


def _record() -> Constants:
    yield "RECORD_FORMAT", f"<{_codes(_RECORD)}"
    yield from _fields("RECORD", _RECORD, 0)


def _events() -> Constants:
    for kind, layout in messages.EVENT_LAYOUTS.items():
        yield from _layout(f"EVENT_{kind.upper()}", layout, _RECORD.size)


def _commands() -> Constants:
    for kind, layout in messages.COMMAND_LAYOUTS.items():
        yield from _layout(f"COMMAND_{kind.upper()}", layout)


def _layout(prefix: str, layout: Layout, first: int = 0) -> Constants:
    """Size and format of a layout without the choice at its end, then its fields."""
    yield f"{prefix}_SIZE", layout.size
    yield f"{prefix}_FORMAT", f"<{_codes(layout)}"
    yield from _fields(prefix, layout, first)


def _fields(prefix: str, layout: Layout, first: int) -> Constants:
    """Offset and size of each field; a layout within it is opened. A choice has an offset only."""
    for field in layout.named():
        name = f"{prefix}_{field.name.upper()}"
        yield name, first + field.offset
        if field.size:
            yield f"{name}_BYTES", field.size
        if isinstance(field.value, Layout):
            yield from _fields(name, field.value, first + field.offset)


def _codes(layout: Layout) -> str:
    """Return the struct codes of a layout, without byte order."""
    return "".join(_code(field.value) for field in layout.fields)


def _code(value: object) -> str:
    match value:
        case Number() | Names() | Flags():
            return value.format
        case Raw():
            return f"{value.size}s"
        case Layout():
            return _codes(value)
    return ""


def _numbered() -> Constants:
    for prefix, table in _NUMBERED.items():
        yield from ((f"{prefix}_{name.upper()}", int(number)) for name, number in table.items())


def _single() -> Constants:
    yield "FLAG_AUTHENTICATED", messages.AUTHENTICATED
    yield "MAC_BYTES", auth.MAC_BYTES
    yield "MAX_BODY_BYTES", framing.MAX_BODY_BYTES
    yield "NO_CARD", _no_card()


def _no_card() -> int:
    """Return the number of an empty place among the cards of a coup."""
    cards = messages.COMMAND_LAYOUTS["import_coup"].field("cards").value
    first = cards.fields[0].value if isinstance(cards, Layout) else None
    assert isinstance(first, Names)
    return first.numbers[fields.NO_CARD]


def tables() -> str:
    """Return the tables of the firmware: protocol hash, sizes, codes of a case, geometry, code words."""
    places = sorted(
        (cardcode.word_number(word), int(set_no), INDEX[card])
        for set_no, words in cardsets.card_sets().items()
        for card, word in words.items()
    )
    offsets = irregularities.code_offsets()
    bits = b"".join(_fact_bits(case) for case in offsets)
    first_um = cardcode.SENSORS_UM["a"] + cardcode.FIRST_MARK_UM + cardcode.MARK_UM // 2
    return f"""PROTOCOL_HASH = {_literal(messages.protocol_hash())}
SETS = const({cardcode.SETS})
# Bytes that a command has behind its kind, from the first kind on.
COMMAND_SIZES = {_literal(_command_sizes())}

# By case, from the first: where its codes begin in a profile, and the bits of its facts, the most significant first.
CODES_AT = {_literal(bytes(offsets.values()))}
FACT_BITS = (
{_lines(bits)}
)
CODES = const({messages.CODES_BYTES})

# Travel of the leading edge past the entry sensor, and lengths, in micrometres.
CODE_UM = const({cardcode.SENSORS_UM["a"]})
EXIT_UM = const({cardcode.SENSORS_UM["exit"]})
CARD_UM = const({cardcode.CARD_UM})
PITCH_UM = const({cardcode.PITCH_UM})
FIRST_UM = const({first_um})  # to the middle of the first column
LAST_UM = const({first_um + (cardcode.COLUMNS - 1) * cardcode.PITCH_UM})

# The code words of all sets in rising order, 16 bits each: base-3 numbers, A 0, B 1, both 2.
WORDS = (
{_lines(b"".join(number.to_bytes(2, "little") for number, _, _ in places))}
)
# The set and the card of each word.
SET_OF = (
{_lines(bytes(set_no for _, set_no, _ in places))}
)
CARD_OF = (
{_lines(bytes(card for _, _, card in places))}
)
"""


def _command_sizes() -> bytes:
    """Return the bytes of each command's data, by rising number."""
    return bytes(messages.COMMAND_LAYOUTS[kind].size for kind in numbers.in_order(numbers.COMMANDS))


def _fact_bits(case: str) -> bytes:
    """Return the bit number of each fact that decides a case, in three bytes."""
    return bytes(numbers.FACTS[fact].bit_length() - 1 for fact in irregularities.CASES[case]).ljust(3, b"\xff")


def _literal(data: bytes) -> str:
    return 'b"' + "".join(f"\\x{byte:02x}" for byte in data) + '"'


def _lines(data: bytes) -> str:
    return "\n".join(f'    b"{line}"' for line in wrap("".join(f"\\x{byte:02x}" for byte in data), 96))

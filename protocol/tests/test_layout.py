"""The layout tree against construct: every layout, every place, every number; and parts that are not plain."""

import ast
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from construct import Bytes, Construct, FlagsEnum, GreedyRange, Int8ul, Int16ub, Mapping, Struct, Switch, this
from sabot_protocol import fields, messages, numbers
from sabot_protocol.layout import (
    Choice,
    End,
    Field,
    Flags,
    Layout,
    Names,
    Number,
    Raw,
    Unknown,
    Value,
    description,
    enumerations,
    layout_of,
    value_of,
)

ROOT = Path(__file__).parents[2]
LAYOUTS: dict[str, tuple[Layout, Construct]] = {
    **{name: (messages.FRAME_LAYOUTS[name], messages.FRAMES[name]) for name in messages.FRAMES},
    **{f"event {kind}": (messages.EVENT_LAYOUTS[kind], messages.EVENTS[kind]) for kind in messages.EVENTS},
    **{f"command {kind}": (messages.COMMAND_LAYOUTS[kind], messages.COMMANDS[kind]) for kind in messages.COMMANDS},
    "profile": (messages.PROFILE_LAYOUT, messages.Profile),
}


def values(layout: Layout) -> Iterator[Value]:
    """Everything that fields hold, in layouts within layouts too."""
    for field in layout.fields:
        yield field.value
        if isinstance(field.value, Layout):
            yield from values(field.value)


@pytest.mark.parametrize(("layout", "definition"), LAYOUTS.values(), ids=LAYOUTS)
def test_every_layout_has_the_fields_the_text_and_the_size_of_its_definition(
    layout: Layout, definition: Construct
) -> None:
    assert [field.name for field in layout.fields] == [part.name for part in definition.subcons]
    assert [field.doc for field in layout.fields] == [part.docs for part in definition.subcons]
    assert layout.doc == definition.docs
    if not layout.cases():
        assert layout.size == definition.sizeof()


@pytest.mark.parametrize("layout", [messages.LAYOUT, *(layout for layout, _ in LAYOUTS.values())])
def test_fields_are_contiguous_and_a_choice_is_last(layout: Layout) -> None:
    ends = [field.offset + field.size for field in layout.fields]
    assert [field.offset for field in layout.fields] == [0, *ends][: len(ends)]
    assert layout.size == (ends or [0])[-1]
    chosen = [isinstance(field.value, Choice) for field in layout.named()]
    assert not any(chosen[:-1])


def test_the_real_definition_is_plain_and_of_known_kinds() -> None:
    every = [value for layout in (messages.LAYOUT, *(one for one, _ in LAYOUTS.values())) for value in values(layout)]
    assert {type(value) for value in every} == {Number, Names, Flags, Raw, Choice, Layout, End}
    assert {value.format for value in every if isinstance(value, Number | Names | Flags)} == {"B", "H", "L"}


def test_places_of_a_card_counted_by_hand() -> None:
    """shoe 2, coup 2, slot 1, card 1, speed 2, margin 1, flags 1."""
    card = messages.EVENT_LAYOUTS["card"]
    assert [(field.name, field.offset, field.size) for field in card.fields] == [
        ("shoe_no", 0, 2),
        ("coup_no", 2, 2),
        ("slot", 4, 1),
        ("card", 5, 1),
        ("speed_mm_s", 6, 2),
        ("margin_pct", 8, 1),
        ("flags", 9, 1),
    ]
    assert card.field("margin_pct").value == Number("B", 1, 100)
    slot = card.field("slot").value
    assert isinstance(slot, Names)
    assert (slot.title, slot.numbers["player_3"], slot.meanings["player_3"]) == ("Slot", 5, "the Player's third card")
    flags = card.field("flags").value
    assert isinstance(flags, Flags)
    assert (flags.title, flags.numbers["surplus"]) == ("CardFlags", 16)


def test_the_header_and_its_choices() -> None:
    assert [field.name for field in messages.LAYOUT.named()] == ["type", "flags", "seq", "time_ms", "body"]
    assert messages.LAYOUT.size == 8
    assert messages.LAYOUT.fields[-1] == Field("", 8, End(), optional=True)
    for layout, on, cases in (
        (messages.LAYOUT, "type", numbers.FRAMES),
        (messages.FRAME_LAYOUTS["event"], "kind", numbers.EVENTS),
        (messages.FRAME_LAYOUTS["command"], "kind", numbers.COMMANDS),
        (messages.EVENT_LAYOUTS["command_done"], "command", numbers.COMMANDS),
    ):
        choice = layout.named()[-1].value
        assert isinstance(choice, Choice)
        assert (choice.on, set(choice.cases)) == (on, set(cases))
        assert set(layout.cases()) == set(cases)


def test_every_enumeration_with_meanings_is_listed() -> None:
    listed = enumerations()
    assert {"Slot", "Fault", "RejectReason", "Case", "Consequence", "Switches"} <= set(listed)
    assert "Card" not in listed
    for title, value in listed.items():
        part = getattr(fields, title)
        assert value.numbers == (part.flags if isinstance(value, Flags) else part.encmapping)
        assert set(value.meanings) == set(value.numbers)
        assert value.title == title


@pytest.mark.parametrize(
    ("part", "cause"),
    [
        (GreedyRange(Int8ul), "GreedyRange"),
        (Int16ub, "FormatField"),
        (Bytes(this.n), "Bytes"),
        (Mapping(Int16ub, {"a": 1}), "FormatField"),
        (Mapping(fields.AtMost(Int8ul, 1), {"a": 1}), "AtMost"),
        (fields.AtMost(Mapping(Int8ul, {"a": 1}), 1), "Mapping"),
        (FlagsEnum(Bytes(1), a=1), "Bytes"),
        (Switch(this._.type, {"a": Int8ul}), "Switch"),
        (Switch(lambda context: "a", {"a": Int8ul}), "Switch"),
        ("x" / Int8ul * (lambda obj, context: None), "Renamed"),
    ],
)
def test_a_part_that_is_not_plain_is_named(part: Construct, cause: str) -> None:
    assert value_of(part) == Unknown(cause)


def test_a_field_without_a_name_is_unknown() -> None:
    assert layout_of(Struct(Int8ul)).fields == (Field("", 0, Unknown("FormatField")),)


def test_the_description_has_names_formats_numbers_and_bounds() -> None:
    text = json.dumps(description(messages.LAYOUT))
    assert text.startswith('[["type", ["<B", {"hello": 1, ')
    assert '["margin_pct", ["<B", 100]]' in text
    assert '["rulebook_hash", 8]' in text
    assert text.endswith('"Terminated"]')
    with pytest.raises(TypeError, match="GreedyRange"):
        description(layout_of(Struct("n" / Int8ul, GreedyRange(Int8ul))))


def imports(path: Path) -> set[str]:
    """The names that a module imports from construct."""
    nodes = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom | ast.Import)]
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module == "construct":
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name == "construct"}
    return found


def test_only_the_definition_and_the_one_walk_know_the_parts_of_construct() -> None:
    folders = [ROOT / part / f"sabot_{part}" for part in ("protocol", "gateway", "sim", "tools")]
    parts = {"Struct", "Switch", "Renamed", "FormatField", "Mapping", "construct"}
    users = {path.relative_to(ROOT) for folder in folders for path in folder.rglob("*.py") if imports(path) & parts}
    protocol = Path("protocol", "sabot_protocol")
    definition = {protocol / "messages" / f"{name}.py" for name in ("commands", "events", "frames", "profile")}
    assert users == definition | {protocol / "fields.py", protocol / "layout.py"}

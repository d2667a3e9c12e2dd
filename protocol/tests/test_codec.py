"""The generated codec against construct: the same value or both refuse, on every layout, whatever the bytes."""

import ast
import json
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from construct import (
    Adapter,
    Bytes,
    Const,
    Construct,
    Enum,
    FlagsEnum,
    Float32l,
    FormatField,
    GreedyRange,
    Int8ub,
    Int8ul,
    Int16ub,
    Int16ul,
    Int32ul,
    Mapping,
    Renamed,
    Struct,
    Switch,
    Terminated,
    this,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from sabot_protocol import codec, messages
from sabot_protocol.codec import Codec, CodecError
from sabot_protocol.fields import AtMost

VECTORS = (Path(__file__).parents[1] / "vectors" / "frames.jsonl").read_text().splitlines()
GOLDEN = [bytes.fromhex(one["body"]) for one in map(json.loads, VECTORS) if one["expect"] == "accept"]
FRAMES = Codec(messages.Frame)
REFUSED = "refused"
ODD_VALUES: list[Any] = [
    *(None, True, -1, 256, 2**16, 2**30, 2**40, 1.5, float("nan"), "", "card", "natural|last_coup"),
    *(b"", bytes(8), bytearray(8), memoryview(bytes(8)), [], [("a", 1)]),
    *({}, {"natural": 2}, {"_x": 1}, {"x": 0}, {"x": 1}, {1: 1}),
]

Number = Callable[[int, int], int]


def templates(part: Struct) -> Iterator[dict[str, Any]]:
    """The keys of every way through the switches of a struct."""
    switch = next((field for field in part.subcons if isinstance(getattr(field, "subcon", None), Switch)), None)
    if switch is None:
        yield {}
        return
    key = switch.subcon.keyfunc.__getfield__()
    for choice, case in switch.subcon.cases.items():
        yield from ({key: choice, switch.name: inner} for inner in templates(case))


def made(part: Construct, number: Number, template: Any, siblings: dict[str, Any] | None = None) -> Any:
    """A valid value of a part; `number` picks one of a range."""
    match part:
        case Renamed():
            return made(part.subcon, number, template, siblings)
        case Struct():
            fields: dict[str, Any] = {}
            for field in part.subcons:
                if field.name:
                    fields[field.name] = made(field, number, (template or {}).get(field.name), fields)
            return fields
        case Switch():
            return made(part.cases[part.keyfunc(siblings)], number, template)
        case Mapping():
            return template or list(part.encmapping)[number(0, len(part.encmapping) - 1)]
        case FlagsEnum():
            return {name: bool(number(0, 1)) for name in part.flags}
        case AtMost():
            return number(0, part.most)
        case Bytes():
            return number(0, 256**part.length - 1).to_bytes(part.length, "little")
        case FormatField():
            return float(number(0, 9)) if part.fmtstr[1] in "efd" else number(0, 256**part.length - 1)
    raise NotImplementedError(part)


def plain(value: Any) -> Any:
    """What construct parsed, without its bookkeeping."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items() if key not in ("_io", "_flagsenum")}
    return list(map(plain, value)) if isinstance(value, list) else value


def outcome(action: Callable[[Any], Any], subject: Any, refusal: type[Exception]) -> Any:
    try:
        return action(subject)
    except refusal:
        return REFUSED


def agree(tested: Codec, verb: str, subject: Any) -> Any:
    """Return what both made of it, or REFUSED; repr distinguishes True from 1 and shows the order of the fields."""
    ours = outcome(getattr(tested, verb), subject, CodecError)
    theirs = outcome(getattr(tested.definition, verb), subject, Exception)
    assert repr(ours) == repr(plain(theirs)), subject
    return ours


def test_real_messages_need_no_fallback() -> None:
    assert not codec.fallbacks
    assert FRAMES.source == codec.SOURCE


def chosen(template: dict[str, Any]) -> Iterator[str]:
    """The choices of a template, the outermost first."""
    for choice in template.values():
        yield from chosen(choice) if isinstance(choice, dict) else (choice,)


def label(frame: dict[str, Any]) -> str:
    """A frame by its type, its kind, and the command that was done."""
    body = frame["body"]
    return "-".join(filter(None, (frame["type"], body.get("kind"), body.get("data", {}).get("command"))))


LAYOUTS = list(templates(messages.Frame))
LOWEST = [made(messages.Frame, min, template) for template in LAYOUTS]
HIGHEST = [made(messages.Frame, max, template) for template in LAYOUTS]


def test_every_frame_type_and_every_kind_of_event_and_command_is_walked() -> None:
    ways: list[tuple[str, ...]] = [("event", kind) for kind in messages.EVENTS if kind != "command_done"]
    ways += [("event", "command_done", kind) for kind in messages.COMMANDS]
    ways += [("command", kind) for kind in messages.COMMANDS]
    others = [(name,) for name in messages.FRAMES if name not in ("event", "command")]
    assert sorted(tuple(chosen(template)) for template in LAYOUTS) == sorted([*ways, *others])
    for way in (*ways, *others, ("event", "command_done")):
        for verb in ("parse", "build"):
            assert re.search(rf"^def {verb}_{'_'.join(way)}_\d+\(", codec.SOURCE, re.MULTILINE)


def flipped(raw: bytes) -> Iterator[bytes]:
    """With one bit changed, each in turn."""
    for at in range(len(raw) * 8):
        yield (int.from_bytes(raw, "little") ^ 1 << at).to_bytes(len(raw), "little")


@pytest.mark.parametrize("frame", LOWEST + HIGHEST, ids=label)
def test_ends_of_every_range_and_every_flipped_bit_and_length(frame: dict[str, Any]) -> None:
    raw = agree(FRAMES, "build", frame)
    assert agree(FRAMES, "parse", raw) == frame
    for other in flipped(raw):
        agree(FRAMES, "parse", other)
    for size in range(len(raw)):
        assert agree(FRAMES, "parse", raw[:size]) == REFUSED
    assert agree(FRAMES, "parse", raw + b"\0") == REFUSED


@settings(max_examples=200)
@given(st.sampled_from(LAYOUTS), st.data())
def test_any_valid_frame(template: dict[str, Any], data: st.DataObject) -> None:
    frame = made(messages.Frame, lambda low, high: data.draw(st.integers(low, high)), template)
    assert agree(FRAMES, "parse", agree(FRAMES, "build", frame)) == frame


BODIES = [codec.build(frame) for frame in LOWEST + HIGHEST] + GOLDEN
EDGES = st.sampled_from([0, 1, 9, 10, 51, 52, 99, 100, 101, 127, 128, 254, 255])


def mutated(raw: bytes, data: st.DataObject) -> bytes:
    """One change: a byte, an insertion, a deletion, a cut, a repeated part, or the rest of another frame."""
    at, other = data.draw(st.integers(0, len(raw))), data.draw(st.sampled_from(BODIES))
    match data.draw(st.integers(0, 5)):
        case 0:
            return raw[:at] + bytes([data.draw(EDGES | st.integers(0, 255))]) + raw[at + 1 :]
        case 1:
            return raw[:at] + data.draw(st.binary(max_size=3)) + raw[at:]
        case 2:
            return raw[:at] + raw[at + 1 :]
        case 3:
            return raw[:at]
        case 4:
            return raw[:at] + raw[max(0, at - 4) :]
    return raw[:at] + other[at:]


@settings(max_examples=1000)
@given(st.sampled_from(BODIES), st.data())
def test_mutated_bytes(raw: bytes, data: st.DataObject) -> None:
    for _ in range(data.draw(st.integers(1, 3))):
        raw = mutated(raw, data)
    parsed = agree(FRAMES, "parse", raw)
    if parsed != REFUSED:
        agree(FRAMES, "build", parsed)


@settings(max_examples=200)
@given(st.binary(max_size=40))
def test_random_bytes(raw: bytes) -> None:
    agree(FRAMES, "parse", raw)


def test_all_first_two_bytes_and_all_kinds() -> None:
    tails = {raw[0]: raw[2:] for raw in map(codec.build, LOWEST)}
    for start in range(2**16):
        agree(FRAMES, "parse", start.to_bytes(2, "big") + tails.get(start >> 8, b""))
    for raw in (codec.build(frame) for frame in LOWEST if frame["type"] in ("event", "command")):
        for kind in range(256):
            agree(FRAMES, "parse", raw[:12] + bytes([kind]) + raw[13:])
    for raw in (codec.build(frame) for frame in LOWEST if frame["body"].get("kind") == "command_done"):
        for command in range(256):
            agree(FRAMES, "parse", raw[:17] + bytes([command]) + raw[18:])


def places(value: Any, *path: str) -> Iterator[tuple[str, ...]]:
    """The paths of every field, those that hold fields included."""
    for key, item in value.items():
        yield (*path, key)
        yield from places(item, *path, key) if isinstance(item, dict) else ()


def holder(frame: Any, path: tuple[str, ...]) -> Any:
    for key in path[:-1]:
        frame = frame[key]
    return frame


@pytest.mark.parametrize("frame", LOWEST, ids=label)
def test_build_with_every_field_odd_missing_or_added(frame: dict[str, Any]) -> None:
    for path in places(frame):
        for odd in ODD_VALUES:
            changed = deepcopy(frame)
            holder(changed, path)[path[-1]] = odd
            agree(FRAMES, "build", changed)
        changed = deepcopy(frame)
        del holder(changed, path)[path[-1]]
        agree(FRAMES, "build", changed)
        holder(changed, path)["_more"] = 1
        agree(FRAMES, "build", changed)


def test_a_frame_parsed_by_construct_builds_again() -> None:
    for frame in LOWEST + HIGHEST:
        raw = codec.build(frame)
        assert codec.build(messages.Frame.parse(raw)) == raw


def types(value: Any) -> Iterator[type]:
    """The exact types of keys and values, all the way down."""
    yield type(value)
    for key, item in value.items() if isinstance(value, dict) else ():
        yield type(key)
        yield from types(item)


def test_values_are_plain() -> None:
    assert {kind for frame in HIGHEST for kind in types(codec.parse(codec.build(frame)))} == {
        dict,
        str,
        int,
        bool,
        bytes,
    }


def test_the_source_is_straight_line() -> None:
    loops = (ast.For, ast.While, ast.comprehension, ast.Lambda, ast.AsyncFor, ast.Try)
    nodes = list(ast.walk(ast.parse(codec.SOURCE)))
    assert not [node for node in nodes if isinstance(node, loops)]
    forks = 4  # the type, the kind of an event, the kind of a command, the command that was done
    assert len([node for node in nodes if isinstance(node, ast.FunctionDef)]) == 2 * (len(LAYOUTS) + forks)
    assert "construct_" not in codec.SOURCE


class Doubled(Adapter):  # type: ignore[misc]
    """An adapter that nobody knows."""

    def _decode(self, obj: int, context: Any, path: str) -> int:
        return obj * 2

    def _encode(self, obj: int, context: Any, path: str) -> int:
        return obj // 2


class Shouted(Mapping):  # type: ignore[misc]
    """A mapping that is more than one."""

    def _decode(self, obj: int, context: Any, path: str) -> str:
        return str(super()._decode(obj, context, path)).upper()


def message(odd: Construct, **more: Construct) -> Struct:
    """A made-up definition of two frame types, one of them plain."""
    kinds = Mapping(Int8ul, {"plain": 1, "odd": 2})
    cases = {"plain": Struct("n" / Int16ul), "odd": odd}
    return Struct("type" / kinds, "body" / Switch(this.type, cases), *(k / v for k, v in more.items()), Terminated)


WIDE = Mapping(Int16ul, {"a": 1})


@pytest.mark.parametrize(
    ("odd", "cause", "raw"),
    [
        (Struct("x" / Doubled(Int8ul)), "Doubled", b"\7"),
        (Struct("x" / GreedyRange(Int8ul)), "GreedyRange", b"\1\2\3"),
        (Struct("x" / Enum(Int8ul, one=1)), "Enum", b"\1"),
        (Struct("x" / Int16ub), "FormatField", b"\1\2"),
        (Struct("n" / Int8ul, "x" / Bytes(this.n)), "Bytes", b"\2ab"),
        (Struct("x" / Shouted(Int8ul, {"one": 1})), "Shouted", b"\1"),
        (Struct("x" / AtMost(Float32l, 1), "y" / AtMost(WIDE, 1)), "Mapping", bytes(4)),
        (Struct(Const(b"ab")), "Const", b"ab"),
        (Struct(Mapping(Int8ul, {None: 1})), "Mapping", b"\1"),
        (Struct("x" / Int8ul * (lambda obj, context: None)), "Renamed", b"\1"),
        (Struct("x" / Int8ul, "y" / Switch(this.x, {1: Int8ul})), "Switch", b"\1\2"),
        (Struct("x" / WIDE, "y" / Switch(this.x, {"a": Int8ul})), "Switch", b"\1\0\2"),
        (Struct("y" / Switch(this._.type, {"odd": Int8ul})), "Switch", b"\2"),
        (Struct("x" / Int8ul, Terminated, "y" / Int8ul), "Terminated", b"\1"),
    ],
)
def test_layouts_that_cannot_be_generated_are_left_to_construct_and_counted(
    odd: Construct, cause: str, raw: bytes
) -> None:
    tested = Codec(message(odd))
    assert tested.fallbacks == {cause: 1}
    assert agree(tested, "parse", b"\1\5\0") == {"type": "plain", "body": {"n": 5}}
    assert "def parse_plain" in tested.source
    assert "def parse_odd" not in tested.source
    for data in (raw, raw + b"\0", raw[:-1], b"\xff" * 3):
        parsed = agree(tested, "parse", b"\2" + data)
        if parsed != REFUSED:
            agree(tested, "build", parsed)


def test_a_name_without_a_case_and_a_header_beyond_us_are_left_to_construct() -> None:
    one_case = Struct("type" / Mapping(Int8ul, {"a": 1, "b": 2}), "body" / Switch(this.type, {"a": Int8ul}), Terminated)
    assert Codec(one_case).fallbacks == {"Pass": 1}
    for raw in (b"\1\1", b"\2", b"\2\1", b"\3"):
        agree(Codec(one_case), "parse", raw)
    header = Codec(Struct("x" / Int16ub, *message(Struct()).subcons))
    assert header.fallbacks == {"FormatField": 1}
    assert not header.source
    assert agree(header, "parse", b"\0\1\1\5\0") == {"x": 1, "type": "plain", "body": {"n": 5}}
    with pytest.raises(CodecError, match=r"^body\.n: "):
        header.parse(b"\0\1\1\5")


DEEP = Struct("kind" / Mapping(Int8ub, {"x": 7}), "body" / Switch(this.kind, {"x": Struct("z" / Float32l)}))
GENERATED = {
    "three levels, a field behind the switch": message(
        Struct("type" / Mapping(Int8ul, {"deep": 9}), "of" / Switch(this.type, {"deep": DEEP})), seq=Int32ul
    ),
    "no end": Struct("n" / AtMost(Int16ul, 300), "odd name!" / Bytes(0)),
    "nothing": Struct(Terminated),
    "one byte of either order": Struct("n" / Int8ub, Terminated),
    "structs that need no field": Struct("n" / Int8ul, "a" / Struct(), "b" / Struct("c" / Struct()), Terminated),
    "names alike": message(Struct("plain" / Int8ul), type_1=Int8ul, plain=Bytes(3)),
    "two flags of one field": Struct("f" / FlagsEnum(Int16ul, a=1, b=2, both=3, high=0x8000), "g" / FlagsEnum(Int8ul)),
}


@pytest.mark.parametrize("definition", GENERATED.values(), ids=GENERATED)
def test_made_up_definitions(definition: Struct) -> None:
    tested = Codec(definition)
    assert not tested.fallbacks
    for frame in (made(definition, pick, template) for pick in (min, max) for template in templates(definition)):
        raw = agree(tested, "build", frame)
        for other in (raw, raw[:-1], raw + b"\0", *flipped(raw)):
            agree(tested, "parse", other)
        for path in places(frame):
            changed = deepcopy(frame)
            del holder(changed, path)[path[-1]]
            agree(tested, "build", changed)


def test_two_names_of_one_number_build_alike_and_parse_as_the_later() -> None:
    alias = Mapping(Int8ul, {"old": 1, "new": 1})
    cases = {"old": Struct("a" / Int8ul), "new": Struct("b" / Int8ul)}
    tested = Codec(Struct("type" / alias, "body" / Switch(this.type, cases), "again" / alias, Terminated))
    assert agree(tested, "parse", b"\1\5\1") == {"type": "new", "body": {"b": 5}, "again": "new"}
    assert agree(tested, "build", {"type": "old", "body": {"a": 5}, "again": "old"}) == b"\1\5\1"

"""The codec on the golden frames, and the field that it names when it refuses a frame."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from construct import ConstructError
from sabot_protocol import codec, messages
from sabot_protocol.codec import CodecError

VECTORS: list[dict[str, Any]] = [
    json.loads(line) for line in (Path(__file__).parents[1] / "vectors" / "frames.jsonl").read_text().splitlines()
]
ACCEPT = {vector["name"]: vector for vector in VECTORS if vector["expect"] == "accept"}


@pytest.mark.parametrize("vector", ACCEPT.values(), ids=ACCEPT)
def test_golden_frames(vector: dict[str, Any]) -> None:
    raw = bytes.fromhex(vector["body"])
    parsed = codec.parse(raw)
    assert codec.build(parsed) == raw
    assert json.loads(json.dumps(parsed, default=bytes.hex)) == vector["fields"]


@pytest.mark.parametrize(
    "vector", [one for one in VECTORS if one.get("layer") == "body"], ids=lambda vector: str(vector["name"])
)
def test_golden_refusals_name_their_field(vector: dict[str, Any]) -> None:
    raw = bytes.fromhex(vector["body"])
    with pytest.raises(ConstructError):
        messages.Frame.parse(raw)
    with pytest.raises(CodecError, match=f"^{vector['field']}: "):
        codec.parse(raw)


def places(value: Any, *path: str) -> Iterator[tuple[str, ...]]:
    """The paths of every field, those that hold fields included."""
    for key, item in value.items():
        yield (*path, key)
        yield from places(item, *path, key) if isinstance(item, dict) else ()


def holder(frame: Any, path: tuple[str, ...]) -> Any:
    for key in path[:-1]:
        frame = frame[key]
    return frame


CARD = bytes.fromhex(ACCEPT["event card"]["body"])
COUP = bytes.fromhex(ACCEPT["event coup"]["body"])
DONE = bytes.fromhex(ACCEPT["event command_done"]["body"])


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "type: "),
        (b"\x63" + CARD[1:], "type: .* 99"),
        (CARD[:1] + b"\2" + CARD[2:], "flags: .* 2"),
        (CARD[:5], "time_ms: "),
        (CARD[:12] + b"\0" + CARD[13:], "body.kind: .* 0"),
        (CARD[:17] + b"\x08" + CARD[18:], "body.data.slot: .* 8"),
        (CARD[:21] + b"\x65\0", "body.data.margin_pct: .* 101"),
        (CARD[:-1], "body.data.flags: "),
        (CARD + b"\0", "frame: expected end"),
        (DONE[:17] + b"\0" + DONE[18:], "body.data.command: .* 0"),
        (DONE[:20] + b"\x09", "body.data.data.decks: .* 9"),
        (DONE[:-1], "body.data.data.decks: "),
        (DONE + b"\0", "frame: expected end"),
    ],
)
def test_a_refused_frame_names_its_field(raw: bytes, message: str) -> None:
    with pytest.raises(CodecError, match=f"^{message}"):
        codec.parse(raw)


@pytest.mark.parametrize(
    ("path", "odd", "message"),
    [
        (("type",), "nobody", "type: .*nobody"),
        (("type",), [], "type: "),
        (("flags",), "x", "flags: "),
        (("flags",), 2, "flags: .* 2"),
        (("seq",), 2**16, "seq: .* 65536"),
        (("time_ms",), 2**30, "time_ms: .* 1073741824"),
        (("body",), 5, "body: "),
        (("body", "kind"), "nothing", "body.kind: .*nothing"),
        (("body", "data"), None, "body.data: no 'shoe_no'"),
        (("body", "data", "player_points"), 10, "body.data.player_points: .* 10"),
        (("body", "data", "flags"), {"nobody": 1}, "body.data.flags: .*nobody"),
        (("body", "data", "flags"), {1: 1}, "body.data.flags: "),
    ],
)
def test_refused_fields_are_named(path: tuple[str, ...], odd: Any, message: str) -> None:
    frame = codec.parse(COUP)
    holder(frame, path)[path[-1]] = odd
    with pytest.raises(CodecError, match=f"^{message}"):
        codec.build(frame)


@pytest.mark.parametrize("raw", [COUP, DONE])
def test_a_missing_field_is_named(raw: bytes) -> None:
    for path in places(codec.parse(raw)):
        frame = codec.parse(raw)
        del holder(frame, path)[path[-1]]
        if path[:-1] != ("body", "data", "flags"):
            with pytest.raises(CodecError, match=f"^{'.'.join(path[:-1]) or 'frame'}: no '{path[-1]}'"):
                codec.build(frame)

"""The message definition against the golden vectors; its hash."""

import json
from pathlib import Path
from typing import Any

import pytest
from construct import Construct, ConstructError, Renamed, Struct, Switch, Terminated
from sabot_protocol import auth, framing, layout, messages

VECTORS: list[dict[str, Any]] = [
    json.loads(line) for line in (Path(__file__).parents[1] / "vectors" / "frames.jsonl").read_text().splitlines()
]
ACCEPT = [vector for vector in VECTORS if vector["expect"] == "accept"]


def plain(value: Any) -> Any:
    """Return a parsed frame as JSON has it."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items() if not str(key).startswith("_")}
    return value.hex() if isinstance(value, bytes) else value


@pytest.mark.parametrize("vector", ACCEPT, ids=lambda vector: str(vector["name"]))
def test_golden_frames(vector: dict[str, Any]) -> None:
    raw = bytes.fromhex(vector["body"])
    parsed = messages.Frame.parse(raw)
    assert plain(parsed) == vector["fields"]
    assert messages.Frame.build(parsed) == raw


def test_every_frame_every_event_and_every_command_has_a_golden_frame() -> None:
    accepted = [vector["fields"] for vector in ACCEPT]
    assert {fields["type"] for fields in accepted} == set(messages.FRAMES)
    for name, kinds in (("event", messages.EVENTS), ("command", messages.COMMANDS)):
        assert {fields["body"]["kind"] for fields in accepted if fields["type"] == name} == set(kinds)
        for flag in (0, 1):
            assert any(fields["type"] == name and fields["flags"] == flag for fields in accepted)
    done = [fields["body"]["data"] for fields in accepted if fields["body"].get("kind") == "command_done"]
    assert {data["command"] for data in done} == set(messages.COMMANDS)


@pytest.mark.parametrize(
    "vector", [one for one in VECTORS if one.get("layer") == "body"], ids=lambda vector: str(vector["name"])
)
def test_golden_refusals(vector: dict[str, Any]) -> None:
    with pytest.raises(ConstructError):
        messages.Frame.parse(bytes.fromhex(vector["body"]))


def test_the_hash_follows_names_numbers_bounds_and_order() -> None:
    text = json.dumps(layout.description(messages.LAYOUT))
    for part in ("player_pair", "1073741823", "not_due", "8H", "durable_event_no", "key_card", "handed_over"):
        assert part in text
    assert text.index("speed_mm_s") < text.index("margin_pct")
    assert len(messages.protocol_hash()) == 8


def test_every_event_and_frame_has_a_number_and_back() -> None:
    assert set(messages.EVENTS) == set(messages.EventKind.encmapping)
    assert set(messages.FRAMES) == set(messages.FrameType.encmapping)
    assert set(messages.COMMANDS) == set(messages.CommandKind.encmapping)


def most_bytes(part: Construct) -> int:
    """Return the longest that a part can be, over all cases of its switches."""
    match part:
        case Renamed():
            return most_bytes(part.subcon)
        case Struct():
            return sum(most_bytes(inner) for inner in part.subcons if inner is not Terminated)
        case Switch():
            return max(map(most_bytes, part.cases.values()))
    return int(part.sizeof())


def test_the_longest_frame_with_its_mac_fits() -> None:
    assert most_bytes(messages.EVENTS["command_done"]) == 6 + 14  # an import_coup: by hand
    assert most_bytes(messages.Frame) == 8 + 1 + 3 + 4 + 8 + 32 + 64  # update: by hand
    assert most_bytes(messages.Frame) + auth.MAC_BYTES <= framing.MAX_BODY_BYTES

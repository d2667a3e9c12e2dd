"""The message definition against the golden vectors; its hash."""

import json
from pathlib import Path
from typing import Any

import pytest
from construct import ConstructError
from sabot_protocol import messages

VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "vectors" / "frames.json").read_text())


def plain(value: Any) -> Any:
    """A parsed frame as JSON has it."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items() if not str(key).startswith("_")}
    return value.hex() if isinstance(value, bytes) else value


@pytest.mark.parametrize("vector", VECTORS["accept"], ids=lambda vector: str(vector["name"]))
def test_golden_frames(vector: dict[str, Any]) -> None:
    raw = bytes.fromhex(vector["body"])
    parsed = messages.Frame.parse(raw)
    assert {key: value for key, value in plain(parsed).items() if key != "flags"} == vector["fields"]
    assert messages.Frame.build(parsed) == raw


CARD = bytes.fromhex(VECTORS["accept"][2]["body"])


@pytest.mark.parametrize(
    ("at", "byte", "what"),
    [
        (0, 99, "unknown type"),
        (1, 1, "a flag nobody knows"),
        (7, 0x40, "a time of 2**30 and more"),
        (12, 0, "unknown kind of event"),
        (17, 7, "a slot beyond banker_3"),
        (18, 52, "a card beyond the 52"),
        (21, 101, "a margin beyond 100"),
    ],
)
def test_what_is_out_of_bounds_is_refused(at: int, byte: int, what: str) -> None:
    frame = bytearray(CARD)
    frame[at] = byte
    with pytest.raises(ConstructError):
        messages.Frame.parse(bytes(frame))


def test_a_byte_too_many_or_too_few_is_refused() -> None:
    for frame in (CARD + b"\0", CARD[:-1]):
        with pytest.raises(ConstructError):
            messages.Frame.parse(frame)


def test_the_hash_follows_names_numbers_bounds_and_order() -> None:
    text = json.dumps(messages.describe(messages.Frame))
    for part in ("player_pair", "1073741823", "not_due", "8H", "durable_event_no", "cut_first_card_is_last_coup"):
        assert part in text
    assert text.index("speed_mm_s") < text.index("margin_pct")
    assert len(messages.protocol_hash()) == 8


def test_every_event_and_frame_has_a_number_and_back() -> None:
    assert set(messages.EVENTS) == set(messages.EventKind.encmapping)
    assert set(messages.FRAMES) == set(messages.FrameType.encmapping)

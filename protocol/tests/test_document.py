"""The protocol page says what the definition says."""

import json
import re
from pathlib import Path

from sabot_protocol import document, messages

GOLDEN = json.loads((Path(__file__).parents[1] / "vectors" / "frames.json").read_text())["accept"]
PAGE = document.document(GOLDEN)


def test_the_page_in_the_tree_is_current() -> None:
    assert (Path(__file__).parents[1] / "PROTOCOL.md").read_text() == PAGE


def test_every_frame_and_every_event_has_its_section_number_and_text() -> None:
    for name, number in messages.FrameType.encmapping.items():
        assert f"### `{name}` 0x{number:02X}, " in PAGE
        assert messages.FRAMES[name].docs in PAGE
    for kind, number in messages.EventKind.encmapping.items():
        assert f"### `{kind}` {number}\n\n{messages.EVENTS[kind].docs}" in PAGE


def test_every_name_of_a_number_is_told() -> None:
    for part in (messages.RejectReason, messages.Slot, messages.Burn, messages.CoupFlags):
        for name, meaning in part.meanings.items():
            assert f"| `{name}` | {meaning} |" in PAGE


def test_a_card_event_ends_where_its_bytes_do() -> None:
    """Byte and size of the last field of the table, counted by hand: 2 + 2 + 1 + 1 + 2 before the margin."""
    section = PAGE.split("### `card` 4")[1].split("###")[0]
    assert "| 8 | 1 | `margin_pct` | u8, at most 100 |" in section


def test_frames_are_taken_apart_to_the_last_byte() -> None:
    blocks = re.findall(r"```\n(.*?)\n```", PAGE, re.DOTALL)
    assert len(blocks) == len(GOLDEN)
    for block, golden in zip(blocks, GOLDEN, strict=True):
        shown = bytes.fromhex("".join(line[:24] for line in block.splitlines()))
        assert shown[:-2].hex() == golden["body"]
    assert "21                        card 8H" in PAGE
    assert "09                        flags player_pair, last_coup" in PAGE

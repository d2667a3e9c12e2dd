"""PROTOCOL.md agrees with the message definition."""

import json
import re
from binascii import crc_hqx
from pathlib import Path

import pytest
from construct import FlagsEnum, Mapping
from sabot_gateway.shoe import handshake, link, session
from sabot_protocol import fields, messages
from sabot_protocol.documents import page

ROOT = Path(__file__).parents[2]
LINES = (ROOT / "protocol" / "vectors" / "frames.jsonl").read_text().splitlines()
GOLDEN = [golden for golden in map(json.loads, LINES) if golden["expect"] == "accept"]
LIFE = json.loads((ROOT / "hil_tests/recordings/cutting/dummy-coups-after-the-last.json").read_text())["events"]
PAGE = page.document(GOLDEN, LIFE)
WORDS = " ".join(PAGE.split())


def test_the_page_in_the_tree_is_current() -> None:
    assert (ROOT / "protocol" / "PROTOCOL.md").read_text() == PAGE


def test_every_frame_every_event_and_every_command_has_its_section_number_and_text() -> None:
    for name, number in messages.FrameType.encmapping.items():
        assert f"### `{name}` 0x{number:02X}, " in PAGE
        assert messages.FRAMES[name].docs in PAGE
    events, commands = PAGE.split("## Events")[1].split("## Commands")
    for text, numbers, parts in (
        (events, messages.EventKind, messages.EVENTS),
        (commands, messages.CommandKind, messages.COMMANDS),
    ):
        for kind, number in numbers.encmapping.items():
            assert f"### `{kind}` {number}\n\n{parts[kind].docs}" in text


def test_every_name_of_a_number_is_on_the_page() -> None:
    named = [
        part for part in vars(fields).values() if isinstance(part, Mapping | FlagsEnum) and part is not fields.Card
    ]
    assert len(named) > 20
    for part in named:
        for name, meaning in part.meanings.items():
            assert f"| `{name}` | {meaning} |" in PAGE


def test_fields_are_listed_at_their_offsets() -> None:
    """Counted by hand: header 8, number 4, kind 1; then 2 + 2 + 1 + 1 + 2 before the margin of a card."""
    section = PAGE.split("### `card` 4")[1].split("###")[0]
    assert "| 21 | 1 | `margin_pct` | u8, at most 100 |" in section
    section = PAGE.split("### `import_coup` 14")[1].split("###")[0]
    assert "| 16 | 1 | `cards.player_1` | card: 0 AC to 51 KS, by suit, 255 for none |" in section
    assert "| 21 | 1 | `cards.banker_3` |" in section
    assert "Event `command_done` repeats it, by its `command`, from byte 19." in PAGE


@pytest.mark.parametrize("everything", [False, True], ids=["those on the page", "every golden frame"])
def test_example_frames_show_every_byte(everything: bool) -> None:
    shown = [{**golden, "page": True} for golden in GOLDEN if everything or golden.get("page")]
    blocks = re.findall(r"```\n(.*?)\n```", page.document(shown, []) if everything else PAGE, re.DOTALL)
    assert len(blocks) == len(shown) >= 12
    for block, golden in zip(blocks, shown, strict=True):
        raw = bytes.fromhex("".join(line[:24] for line in block.splitlines()))
        assert raw[:-2].hex() == golden["body"] + golden.get("mac", "")
        assert crc_hqx(raw[:-2], 0xFFFF).to_bytes(2, "little") == raw[-2:]
        assert ("MAC" in block) == ("mac" in golden)
    assert "21                        card 8H" in PAGE
    assert "01                        flags 1" in PAGE
    assert "09                        flags player_pair, last_coup" in PAGE


def test_a_command_that_was_done_is_shown_field_by_field() -> None:
    block = PAGE.split("**event command_done 2**")[1].split("```")[1]
    assert "0e                        command import_coup\n00                        outcome done\n" in block
    assert "28 00                     coup_no 40\n01                        kind live\n" in block
    assert "21                        cards.player_1 8H\n" in block
    assert "ff                        cards.banker_3 --\n" in block


def test_long_fields_take_more_lines_and_bytes_are_not_repeated() -> None:
    block = PAGE.split("**the house's profile**")[1].split("```")[1]
    assert "01 02 03 04 05 06 07 08   profile.codes\n09 0a 0b 0c 0d 0e 0f 10\n11 12 13 14 01" in block
    assert all(not line[23:26].strip() for line in block.splitlines())
    assert not re.search("[0-9a-f]{16}", block)


def test_a_name_as_long_as_a_hash_is_shown() -> None:
    golden = next(one for one in GOLDEN if one["name"] == "command irregularity")
    assert "0e                        case scan_discrepancy\n" in page.document([{**golden, "page": True}], [])


def test_links_lead_somewhere() -> None:
    heads = {head.lower().replace(",", "").replace(" ", "-") for head in re.findall(r"^## (.*)$", PAGE, re.MULTILINE)}
    assert set(re.findall(r"\]\(#([^)]*)\)", PAGE)) <= heads


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("_HELLO_EVERY_MS", 500, "sends HELLO every half second"),
        ("_RESEND_FIRST_MS", 500, "after half a second, then one, two, four, eight"),
        ("_RESEND_LAST_MS", 8000, "after half a second, then one, two, four, eight"),
        ("_ALIVE_EVERY_MS", 1000, "A side that has sent nothing for a second"),
        ("_LOST_AFTER_MS", 5000, "After 5 seconds of silence"),
    ],
)
def test_the_times_on_the_page_are_those_of_the_shoe(name: str, value: int, words: str) -> None:
    source = (ROOT / "firmware" / "sabot" / "link" / "link.py").read_text()
    assert f"\n{name} = const({value})" in source
    assert words in " ".join(PAGE.split())


def test_the_times_on_the_page_are_those_of_the_gateway() -> None:
    assert (handshake.ASK_EVERY_S, link._KEEP_ALIVE_S) == (1.0, 1.0)
    assert session._RENEW_AT_SEQ == 2**15
    assert "has sent 2**15 frames" in PAGE

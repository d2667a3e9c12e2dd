"""The chapters of PROTOCOL.md for authors of a shoe agree with firmware and gateway."""

import json
import re
from collections.abc import Iterator
from hashlib import sha256
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pytest
from sabot_gateway.shoe import line_watch, link, refusals
from sabot_gateway.verify.checks import clock
from sabot_gateway.verify.checks.burn import BurnCheck
from sabot_gateway.verify.state import ShoeState
from sabot_protocol import fields, irregularities, messages, rulebooks
from sabot_protocol.auth import KEY_BYTES
from sabot_protocol.cards import INDEX
from sabot_protocol.documents import page, shoe_chapters
from sabot_sim.rigs import firmware
from sabot_sim.rigs.play import CPythonPlay

ROOT = Path(__file__).parents[2]
RECORDINGS = ROOT / "hil_tests" / "recordings"
LIFE = json.loads((RECORDINGS / "cutting" / "dummy-coups-after-the-last.json").read_text())["events"]
PAGE = page.document([], LIFE)
WORDS = " ".join(PAGE.split())
LIFE_TABLE = PAGE.split("**A complete log**")[1].split("## The profile")[0]
CODES_TABLE = PAGE.split("**codes.**")[1].split("## The key")[0]
BOOK = rulebooks.load("star-baccarat")
CUT = ("cut",)
CONFIRM = ("button", fields.Button.encmapping["confirm"])
COUP, SHOE_CLOSED, BURN_EVENT = (messages.EventKind.encmapping[kind] for kind in ("coup", "shoe_closed", "burn"))


def firmware_number(module: str, name: str) -> int:
    """Return a constant of the firmware's source."""
    source = (ROOT / "firmware" / "sabot" / f"{module}.py").read_text()
    found = re.search(rf"^{name} = const\((\w+)\)", source, re.MULTILINE)
    assert found is not None
    return int(found[1], 0)


# Numbers


def test_the_window_and_the_bounds_are_those_of_both_sides() -> None:
    assert firmware_number("link/link", "_WINDOW") == shoe_chapters.WINDOW
    assert f"no more than a window of {shoe_chapters.WINDOW} beyond the last ACK" in WORDS
    assert refusals.MOST_AHEAD == shoe_chapters.MOST_AHEAD
    assert f"at most {refusals.MOST_AHEAD:,} above the last event in the ledger" in WORDS


def test_the_gateways_own_times_and_counts() -> None:
    assert line_watch.SILENT_AFTER_S == 5.0
    assert "after 5 seconds without a frame of the session it treats the shoe as gone" in WORDS
    assert (link._RESEND_EVERY_S, line_watch._STALLED_S) == (0.25, 30.0)
    assert (line_watch._MOST_FOREIGN, line_watch._MOST_UNREADABLE, line_watch._WINDOW_S) == (100, 5, 60.0)
    for words in ("four times a second at most", "above a hundred a minute", "above five a minute", "half a minute"):
        assert words in WORDS


def test_the_clock_wraps_as_on_the_page() -> None:
    assert clock._MODULO == 2**30 == firmware_number("link/link", "_TICKS") + 1
    minutes = 2**30 // 1000 // 60
    assert f"{minutes // 1440} days, {minutes // 60 % 24} hours, {minutes % 60} minutes" in WORDS


# The log


def test_the_complete_log_is_on_the_page_event_by_event() -> None:
    rows = re.findall(r"^\| (\d+) \| (\d+) \| `(\w+)` \|", LIFE_TABLE, re.MULTILINE)
    shown = [(int(no), int(time_ms), kind) for no, time_ms, kind in rows]
    assert shown == [(event["no"], event["time_ms"], event["event"]) for event in LIFE]
    assert [kind for _, _, kind in shown][:9] == [
        "boot",
        "self_test",
        "profile_set",
        "command_done",
        "time_set",
        "button",
        "shoe_opened",
        "card",
        "burn",
    ]


def test_set_time_ends_as_on_the_page() -> None:
    done, time_set = LIFE[3], LIFE[4]
    assert (done["command"], done["outcome"]) == ("set_time", "done")
    assert (time_set["event"], {name: time_set[name] for name in ("utc_s", "utc_ms")}) == ("time_set", done["data"])


def test_a_coup_follows_its_last_card_at_once() -> None:
    for before, coup in pairwise(LIFE):
        if coup["event"] == "coup":
            assert (before["event"], before["time_ms"], before["coup_no"]) == ("card", coup["time_ms"], coup["coup_no"])


def profile(**changes: Any) -> bytes:
    """As set_profile has it, hash included."""
    made = {**BOOK.profile(8, 1), **changes}
    return messages.profile_hash(made) + bytes(messages.Profile.build(made))


def opened(burn: str) -> tuple[Any, ...]:
    data = messages.COMMANDS["open_shoe"].build({"decks": 8, "burn": burn})
    return "command", messages.CommandKind.encmapping["open_shoe"], data.hex()


def card(name: str) -> tuple[Any, ...]:
    return "card", INDEX[name], 0, -1


@pytest.mark.parametrize(("rank", "counts"), [*zip("A23456789TJQK", [*range(1, 10), 10, 10, 10, 10], strict=True)])
def test_a_face_up_burn_counts_as_on_the_page(rank: str, counts: int) -> None:
    with CPythonPlay(profile()) as shoe:
        shoe.step(*opened("face_up"))
        kinds = [[kind for _, kind, _ in shoe.step(*card(name)).records] for name in (f"{rank}S", *BURNT)]
    assert [BURN_EVENT in logged for logged in kinds].index(True) == counts  # with the last card of so many more
    gateway = BurnCheck(ShoeState(), BOOK, "face_up", f"{rank}S")
    assert gateway._required() == 1 + counts
    assert "an ace 1, two to nine as they are, a ten or a court card 10" in WORDS


BURNT = ["2H", "7C", "JD", "4S", "9H", "KC", "3D", "8S", "5H", "TC"]
COUPS = {
    1: ("9S", "2H", "KD", "5C"),
    2: ("8D", "2C", "QS", "4H"),
    3: ("9H", "3C", "TD", "4D"),
    4: ("8S", "AH", "JD", "2D"),
}


@pytest.mark.parametrize(
    ("before", "switch", "last"),
    [
        ((1, 0), True, 1),  # before the first card of coup 1
        ((1, 0), False, 2),
        ((1, 2), True, 2),  # in coup 1
        ((1, 2), False, 2),
        ((2, 0), True, 2),
        ((2, 0), False, 3),
        ((1, 4), True, 2),  # behind coup 1, before it is confirmed: it belongs to coup 2
        ((1, 4), False, 3),
    ],
)
def test_the_last_coup_after_the_cutting_card(before: tuple[int, int], switch: bool, last: int) -> None:
    switches = {**BOOK.profile(8, 1)["switches"], "cut_first_card_is_last_coup": switch}
    with CPythonPlay(profile(switches=switches)) as shoe:
        shoe.step(*opened("none"))
        records = [record for number in COUPS for record in dealt(shoe, number, before)]
    flags = [bytes.fromhex(body)[7] for _, kind, body in records if kind == COUP]
    assert [bool(flag & fields.CoupFlags.flags["last_coup"]) for flag in flags] == [False] * (last - 1) + [True]
    assert [kind for _, kind, _ in records].count(SHOE_CLOSED) == 1


def dealt(shoe: CPythonPlay, number: int, cut_before: tuple[int, int]) -> Iterator[tuple[int, int, str]]:
    """What the shoe logs of one coup; nothing once it is closed."""
    for at in range(5):
        if (number, at) == cut_before:
            yield from shoe.step(*CUT).records
        if at < 4 and shoe.step("state").state:
            yield from shoe.step(*card(COUPS[number][at])).records
    yield from shoe.step(*CONFIRM).records


# Profile and key


def test_the_profile_on_the_page_has_the_hash_beside_it_and_that_of_a_recording() -> None:
    found = re.search(r"is `([0-9a-f ]+)`, its hash `([0-9a-f]{16})`", PAGE)
    assert found is not None
    shown = bytes.fromhex(found[1])
    assert (len(shown), sha256(shown).digest()[:8].hex()) == (62, found[2])
    events = json.loads((RECORDINGS / "clean" / "star-baccarat-8.json").read_text())["events"]
    assert [event["profile_hash"] for event in events if event["event"] == "profile_set"] == [found[2]]


def places() -> Iterator[tuple[int, str, dict[str, bool]]]:
    """Every byte of `codes` by the table of the page: its place, its case and its facts."""
    for first, case, names in re.findall(r"^\| (\d+)(?: to \d+)? \| `(\w+)` \| (.*?) \|$", CODES_TABLE, re.MULTILINE):
        facts = re.findall(r"`(\w+)`", names)
        for offset, values in enumerate(product((False, True), repeat=len(facts))):
            yield int(first) + offset, case, dict(zip(facts, values, strict=True))


def test_the_codes_are_where_the_firmware_looks_for_them() -> None:
    found = list(places())
    assert [index for index, _, _ in found] == list(range(messages.CODES_BYTES))
    for at, case, facts in found:
        codes = bytearray([1] * messages.CODES_BYTES)
        codes[at] = 2
        shoe = firmware.module("sabot.profile").Profile(4)
        assert shoe.load(profile(codes=bytes(codes)), 0)
        bits = sum(fields.Facts.flags[fact] for fact, on in facts.items() if on)
        assert shoe.code(fields.Case.encmapping[case], bits) == 2, (case, facts)


def test_the_codes_of_a_book_are_its_consequences() -> None:
    codes = BOOK.profile(8, 1)["codes"]
    for at, case, facts in places():
        assert fields.Consequence.decmapping[codes[at]] == irregularities.advise(BOOK.id, case, facts).code


def test_a_key_is_32_bytes_or_an_error(tmp_path: Path) -> None:
    key = firmware.module("sabot.storage.image").key
    assert key(str(tmp_path / "key.bin")) is None
    for size in (0, 31, 32, 33, 64, 65):
        (tmp_path / "key.bin").write_bytes(bytes(size))
        if size == KEY_BYTES:
            assert key(str(tmp_path / "key.bin")) == bytes(32)
        else:
            with pytest.raises(ValueError, match=f"key.bin has {size} bytes, a key has 32"):
                key(str(tmp_path / "key.bin"))
    assert "`key.bin` in the shoe is the key and nothing else: 32 bytes" in WORDS

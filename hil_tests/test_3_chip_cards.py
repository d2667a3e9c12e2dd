"""Real MicroPython on the emulated chip: cards are edges on its pins, answers are lines on its UART."""

from collections.abc import Iterator

import pytest
from sabot_protocol.cardcode import CARD_UM, FIRST_MARK_UM, MARK_UM, PITCH_UM, SENSORS_UM, set_words
from sabot_sim.chip.chip import CYCLE_NS, DECODED_GPIO, Chip
from sabot_sim.chip.reader_program import booted_reader, counters
from sabot_sim.chip.uf2 import HOW_TO_GET_UF2, find_uf2
from sabot_sim.optics.signals import Edge, card_edges, cutting_card_edges

UF2 = find_uf2()
pytestmark = pytest.mark.skipif(UF2 is None, reason=HOW_TO_GET_UF2)

SPEEDS = (100, 500, 1_500, 3_000)  # um/ms, that is mm/s
QUICK = SPEEDS[3:]
SLOW = [pytest.param(speed, marks=pytest.mark.chip_full) for speed in SPEEDS[:3]]  # minutes of the emulator's time
WORDS = set_words(1)
CARDS = list(WORDS)

# What the reader must say to each fault.
EXPECTED = {
    "foreign card": "reject 9",
    "blank card": "reject 1",
    "nine columns": "reject 2",
    "short pull": "reject 5",
    "pushed back at the exit": "reject 6",
    "pushed back midway": "reject 10",
    "left half drawn": "reject 11",
    "two cards": "reject 7",
    "noise": "noise",
    "lid": "reject 14",
}
STILL = ("noise", "lid")  # no card moves

ENTRY, A, B, EXIT, LID = 1, 2, 4, 8, 1 << 10
TRACKS = {"A": A, "B": B, "X": A | B}
OUT_UM = SENSORS_UM["exit"] + CARD_UM  # travel until the tail leaves the exit
STILL_US = 5_000_000

Leg = tuple[int, int]  # um of travel to go to, us to wait there
BACK: Leg = (-1_000, 0)
OUT: Leg = (OUT_UM + 1_000, 0)
LEGS: dict[str, list[Leg]] = {
    "short pull": [(30_500, 0), BACK],
    "pushed back at the exit": [(60_500, 0), BACK],
    "pushed back midway": [(36_500, 0), (15_500, 0), OUT],
    "left half drawn": [(40_500, STILL_US + 500_000), OUT],
}


def strip(word: str) -> list[tuple[int, int, int]]:
    """Marks: from and to, in travel of the leading edge, and the inputs that see them."""
    starts = [SENSORS_UM["a"] + FIRST_MARK_UM + column * PITCH_UM for column in range(len(word))]
    return [(start, start + MARK_UM, TRACKS[letter]) for start, letter in zip(starts, word, strict=True)]


def pulled(word: str, legs: list[Leg], speed: int, length_um: int = CARD_UM) -> list[Edge]:
    """A card that is drawn to each of these places in turn."""
    seen = [(SENSORS_UM[end], SENSORS_UM[end] + length_um, pin) for end, pin in (("entry", ENTRY), ("exit", EXIT))]
    borders = [(x_um, pin) for start, end, pin in seen + strip(word) for x_um in (start, end)]
    switches: list[Edge] = []
    at_um, t_us = -1_000, 0
    for to_um, wait_us in legs:
        low, high = sorted((at_um, to_um))
        switches += [(t_us + abs(x_um - at_um) * 1000 // speed, pin) for x_um, pin in borders if low < x_um < high]
        t_us += abs(to_um - at_um) * 1000 // speed + wait_us
        at_um = to_um
    return levels(switches)


def levels(switches: list[Edge]) -> list[Edge]:
    """All inputs from each moment on at which some of them switch."""
    edges: dict[int, int] = {}
    level = 0
    for t_us, pin in sorted(switches):
        level ^= pin
        edges[t_us] = level
    return list(edges.items())


def fault(name: str, speed: int) -> list[Edge]:
    """What the inputs see of each fault."""
    word = WORDS["8H"]
    if name == "foreign card":
        return card_edges(set_words(2)["8H"], speed)
    if name == "two cards":
        return pulled(word, [(OUT_UM + 31_000, 0)], speed, CARD_UM + 30_000)
    if name == "noise":
        bursts = enumerate((A, B, ENTRY, A, ENTRY))
        return levels([(3_000 * i + end, pin) for i, pin in bursts for end in (0, 300)])
    if name == "lid":
        return [(0, LID), (100_000, 0)]
    return pulled({"blank card": "", "nine columns": word[:9]}.get(name, word), LEGS.get(name, [OUT]), speed)


@pytest.fixture(scope="module")
def booted() -> Chip:
    assert UF2 is not None
    return booted_reader(UF2)


@pytest.fixture
def chip(booted: Chip) -> Iterator[Chip]:
    """The reader program with a clear path; whatever a test does, no change of an input may be lost."""
    yield booted
    booted.drive(0)
    booted.run_for(150_000)
    assert counters(booted)["overruns"] == 0
    assert booted.backlog_drops == 0


def answers(chip: Chip, edges: list[Edge]) -> list[str]:
    """Return everything the reader prints from before the first of these edges until well after the last."""
    before = len(chip.text)
    chip.pins(edges)
    chip.run_for(edges[-1][0] + 150_000)
    chip.run_until(lambda: chip.text.endswith("\n"))
    return chip.text[before:].splitlines()


def assert_read(chip: Chip, card: str, speed: int) -> None:
    chip.pins(card_edges(WORDS[card], speed))
    kind, number, _, speed_mm_s, *_ = chip.answer().split()
    assert (kind, int(number)) == ("card", CARDS.index(card))
    assert abs(int(speed_mm_s) - speed) <= speed // 100


@pytest.mark.parametrize("speed", [*SLOW, *QUICK])
def test_thirteen_cards_and_the_cutting_card(chip: Chip, speed: int) -> None:
    for card in CARDS[SPEEDS.index(speed) :: len(SPEEDS)]:
        assert_read(chip, card, speed)
    assert answers(chip, cutting_card_edges(speed)) == ["cut"]


@pytest.mark.chip_full
@pytest.mark.parametrize("speed", SPEEDS)
def test_every_card(chip: Chip, speed: int) -> None:
    for card in CARDS:
        assert_read(chip, card, speed)


@pytest.mark.chip_full
@pytest.mark.parametrize("name", EXPECTED)
def test_a_fault_is_reported_and_the_next_card_is_read(chip: Chip, name: str) -> None:
    for speed in SPEEDS[:1] if name in STILL else SPEEDS:
        (line,) = answers(chip, fault(name, speed))
        assert " ".join(line.split()[:2]) == EXPECTED[name], speed
    assert_read(chip, "KC", 3_000)


@pytest.mark.parametrize("after_us", [1_000, 4_000, 7_000, 10_000])  # wherever the card meets the CPU's sleep
def test_decoded_before_the_tail_leaves_at_the_highest_speed(chip: Chip, after_us: int) -> None:
    speed = SPEEDS[-1]
    start_ns = chip.pins(card_edges(WORDS["8H"], speed), after_us)
    before = len(chip.changes)
    chip.answer()
    rise = chip.changes[before]
    assert (rise.gpio, rise.level) == (DECODED_GPIO, True)
    exit_ns, out_ns = (start_ns + um * 1_000_000 // speed for um in (SENSORS_UM["exit"], OUT_UM))
    decoded, left = (rise.t_ns - exit_ns) // CYCLE_NS, (out_ns - exit_ns) // CYCLE_NS
    print(f"decoded {decoded} cycles after the exit sensor rose; the tail leaves {left} cycles after it")
    assert 0 < decoded < left

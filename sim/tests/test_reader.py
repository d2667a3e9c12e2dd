"""The firmware's reader under absurd edges: always an answer, never a wrong state; both interpreters agree."""

import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sabot_protocol import cardcode
from sabot_protocol.cards import DECK
from sabot_sim.optics import signals
from sabot_sim.rigs.reader import Answer, CPythonReader, VmReader
from sabot_sim.stack import CUT

SENSORS, LID = 15, 1 << 10
WORDS = cardcode.set_words(1)
READER = CPythonReader()  # one for all: what is left of a read must not change the next

times_us = st.one_of(
    st.integers(0, 50), st.integers(50, 3_000), st.integers(3_000, 200_000), st.integers(200_000, 40_000_000)
)
levels = st.one_of(st.integers(0, SENSORS), st.sampled_from([0, 1, 9, 8, 1 | 2, 1 | 4, 1 | 6, 9 | 6, LID, LID | 1]))
steps = st.lists(st.tuples(times_us, levels), max_size=120)
cards = st.sampled_from(DECK)


def edges_of(steps: list[tuple[int, int]]) -> list[signals.Edge]:
    """Changes after each other."""
    t_us, edges = 0, []
    for elapsed_us, pins in steps:
        t_us += elapsed_us
        edges.append((t_us, pins))
    return edges


def read(edges: list[signals.Edge]) -> list[Answer]:
    (answers,) = READER.read(1, [edges])
    return answers


def assert_ready(card: str = "8H") -> None:
    """Check that the next card is read with full margin, whatever came before it."""
    (answer,) = read(signals.card_edges(WORDS[card], 1000))
    assert (answer.card, answer.margin_pct) == (card, 100)


@settings(max_examples=600, deadline=None)
@given(steps, cards)
def test_any_edges_end_in_answers_and_the_next_card_is_read(steps: list[tuple[int, int]], card: str) -> None:
    answers = read(edges_of(steps))
    assert all((one.card in WORDS or one.card == CUT) != (one.reason is not None) for one in answers)
    if any(pins & SENSORS for _, pins in steps) and not any(pins & LID for _, pins in steps):
        assert answers
    assert_ready(card)


@settings(max_examples=400, deadline=None)
@given(cards, st.integers(100, 3000), st.lists(st.tuples(st.integers(0, 43), times_us, levels), max_size=4))
def test_a_card_with_edges_thrown_in_is_itself_or_rejected(
    card: str, speed_um_per_ms: int, extra: list[tuple[int, int, int]]
) -> None:
    """Add up to four pulses: on any input, at any time, of any length."""
    edges = signals.card_edges(WORDS[card], speed_um_per_ms)
    for at, length_us, pins in extra:
        start_us = edges[at % len(edges)][0] + length_us % 977
        edges = [(t, p ^ pins if start_us <= t < start_us + length_us else p) for t, p in edges]
        edges += [
            (start_us, level_at(edges, start_us) ^ pins),
            (start_us + length_us, level_at(edges, start_us + length_us)),
        ]
        edges.sort(key=lambda edge: edge[0])
    named = [one.card for one in read(edges) if one.card]
    assert named in ([], [card])
    assert_ready()


def level_at(edges: list[signals.Edge], t_us: int) -> int:
    """What the inputs show at a time."""
    return next((pins for t, pins in reversed(edges) if t <= t_us), 0)


@settings(max_examples=300, deadline=None)
@given(cards, st.floats(0.1, 3.0), st.integers(0, 2**30), st.sampled_from(["clean", "normal", "skewed"]))
def test_a_good_card_is_read_whenever_the_tick_counter_wraps(card: str, m_s: float, wait_us: int, profile: str) -> None:
    """The clock of the bench continues from read to read, so the counter may wrap anywhere."""
    edges = [(wait_us + t_us, pins) for t_us, pins in signals.card_edges(WORDS[card], int(m_s * 1000))]
    (answer,) = read(edges)
    assert answer.card == card


def absurd(rng: random.Random) -> Iterator[signals.Edge]:
    """A walk over all inputs with pauses of every size."""
    t_us = 0
    for _ in range(rng.randrange(1, 200)):
        t_us += int(10 ** rng.uniform(0, 5.5))
        yield t_us, rng.choice((0, 1, 9, 8, rng.randrange(16), rng.randrange(16) | rng.choice((0, 0, 0, LID))))


def mixed(rng: random.Random, number: int) -> list[signals.Edge]:
    if number % 3:
        return signals.read(rng.choice(["normal", "dirty", "reversed", "double", "hostile"]), 7, number).edges
    return list(absurd(rng))


def test_the_vm_and_this_interpreter_give_the_same_answers() -> None:
    rng = random.Random(4)
    reads = [mixed(rng, number) for number in range(3_000)]
    with VmReader() as vm:
        on_vm = vm.read(1, reads)
    assert on_vm == CPythonReader().read(1, reads)
    assert len({one.reason for answers in on_vm for one in answers}) > 10


@pytest.mark.parametrize("bench", [CPythonReader, VmReader])
def test_a_whole_deck_in_one_line_behind_noise(bench: type[CPythonReader] | type[VmReader]) -> None:
    edges = [(t_us, t_us // 100 % 2) for t_us in range(0, 500_100, 100)]
    for number, card in enumerate(DECK, 2):
        edges += [(number * 500_000 + t_us, pins) for t_us, pins in signals.card_edges(WORDS[card], 700)]
    with bench() as reader:
        (answers,) = reader.read(1, [edges])
    assert [one.card or one.reason for one in answers] == ["noise", *DECK]

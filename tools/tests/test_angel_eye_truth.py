"""What a gateway's tracker makes of every stream of the emulated Angel Eye is exactly what was dealt."""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sabot_gateway.angel_eye.steps import CoupClosed
from sabot_gateway.angel_eye.tracker import Tracker
from sabot_protocol.angel_eye.decoder import Decoder
from sabot_protocol.angel_eye.repeats import RepeatFilter
from sabot_sim import stack
from sabot_sim.angel_eye.dealer import FLAT_OUT, AngelEyeDealer, Pace
from sabot_sim.angel_eye.mishaps import MISHAPS
from sabot_sim.angel_eye.settings import CYCLES, LineFaults, Settings
from sabot_sim.angel_eye.shoe import AngelEyeShoe
from sabot_sim.angel_eye.table import AngelEyeTable
from sabot_sim.angel_eye.truth import DealtCoup

NOISE = LineFaults(noise=0.2)


def played(seed: int, coups: int, line: Settings, *, mishaps: float) -> tuple[AngelEyeTable, list[tuple[float, bytes]]]:
    rng = random.Random(seed)
    shoe = AngelEyeShoe(line, rng)
    pace = FLAT_OUT if line.flat_out else Pace()
    dealer = AngelEyeDealer(shoe, lambda: stack.shuffled(4, rng), rng, pace, 3.0, mishaps, MISHAPS)
    table = AngelEyeTable(shoe, dealer)
    return table, list(table.stream(coups))


def tracked(stream: list[tuple[float, bytes]]) -> list[dict[str, Any]]:
    """Return the coups with a result, as the tracker reports them."""
    decoder, repeats, tracker, found = Decoder(), RepeatFilter(), Tracker(), list[dict[str, Any]]()
    tracker.connect()
    for at_s, data in stream:
        for message in decoder.feed(data, at_s):
            if not repeats.is_repeat(message, at_s):
                found += [step.coup.report() for step in tracker.take(message) if isinstance(step, CoupClosed)]
    return found


def dealt(number: int, coup: DealtCoup) -> dict[str, Any]:
    """Return a coup as it was dealt, in the form of the test data."""
    status = "forced_end" if coup.result == "forced_end" else "complete"
    return {"n": number, **coup.report(), "status": "disputed" if "result_mismatch" in coup.flags else status}


def compare(table: AngelEyeTable, stream: list[tuple[float, bytes]]) -> None:
    truth = [dealt(number, coup) for number, coup in enumerate(table.shoe.truth.coups, 1)]
    assert [{**coup, "flags": sorted(coup["flags"])} for coup in tracked(stream)] == truth


@pytest.mark.parametrize("cycle", CYCLES.values())
def test_several_shoes_without_a_mishap(cycle: str) -> None:
    table, stream = played(3, 120, Settings(cycle=cycle), mishaps=0.0)
    assert table.shoe.truth.shoes >= 3
    assert {flag for coup in table.shoe.truth.coups for flag in coup.flags} <= {"cutting_card_inside"}
    compare(table, stream)


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10**9), st.sampled_from(list(CYCLES.values())), st.booleans(), st.booleans())
def test_any_shoes_with_mishaps(seed: int, cycle: str, interleaved: bool, flat_out: bool) -> None:
    line = Settings(cycle=cycle, interleaved=interleaved, flat_out=flat_out, faults=NOISE)
    table, stream = played(seed, 50, line, mishaps=0.15)
    compare(table, stream)

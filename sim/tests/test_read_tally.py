"""Reads by the hundred of every profile on the MicroPython VM, and how they are counted."""

from fractions import Fraction

import pytest
from sabot_sim.optics import signals
from sabot_sim.optics.profiles import PROFILES
from sabot_sim.rigs import read_tally
from sabot_sim.rigs.read_tally import Tally
from sabot_sim.rigs.reader import Answer, VmReader

READS = 1_000


def answer(card: str | None, reason: str | None = None) -> Answer:
    return Answer(card, reason, 80, 1000, 10, 0)


def tally_of(truth: str | None, *answers: Answer) -> Tally:
    tally = Tally()
    tally.take(signals.Read("normal", 5, "card", truth, [], "", ()), list(answers))
    return tally


@pytest.mark.parametrize(
    ("truth", "answers", "counted"),
    [
        ("8H", [answer("8H")], "right"),
        ("8H", [answer(None, "noise"), answer("8H")], "right"),
        ("8H", [answer("9H")], "wrong"),
        ("8H", [answer("8H"), answer("8H")], "wrong"),
        (None, [answer("8H")], "wrong"),
        (None, [answer("CUT")], "wrong"),
        ("8H", [answer(None, "doubtful")], "rejects"),
        ("8H", [], "rejects"),
        (None, [answer(None, "double")], "refused"),
    ],
)
def test_a_read_is_counted_once(truth: str | None, answers: list[Answer], counted: str) -> None:
    tally = tally_of(truth, *answers)
    counts = {name: getattr(tally, name) for name in ("right", "wrong", "rejects", "refused")}
    assert counts == {name: int(name == counted) for name in counts}
    assert tally.wrong_numbers == ([5] if counted == "wrong" else [])


def test_tallies_add_up() -> None:
    whole = tally_of("8H", answer("8H"))
    whole.add(tally_of("8H", answer(None, "doubtful")))
    whole.add(tally_of("8H"))
    assert (whole.reads, whole.cards, whole.right, whole.rejects, whole.silent) == (3, 3, 1, 2, 1)
    assert whole.reject_rate() == Fraction(2, 3)
    assert whole.reasons == {"doubtful": 1, "nothing": 1}


def test_goals_are_below_not_at() -> None:
    tally = Tally(reads=100, cards=100, right=99, rejects=1)
    assert not tally.ok("dirty")
    assert tally.ok("stop_go")
    tally.cards += 1
    assert tally.ok("dirty")
    tally.wrong = 1
    assert not tally.ok("stop_go")


@pytest.mark.parametrize("profile", PROFILES)
def test_no_wrong_card_and_few_rejects(profile: str) -> None:
    with VmReader() as vm:
        tally = read_tally.run(vm, profile, 11, range(READS))
    assert tally.reads == READS
    assert tally.wrong_numbers == []
    assert tally.right + tally.rejects == tally.cards
    if profile in read_tally.REJECT_GOALS:
        assert tally.reject_rate() < max(read_tally.REJECT_GOALS[profile], Fraction(1, READS))
        assert tally.right > READS * 98 // 100

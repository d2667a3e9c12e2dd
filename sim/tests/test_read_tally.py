"""Reads by the hundred of every profile on the MicroPython VM, and how they are counted."""

from fractions import Fraction

import pytest
from sabot_sim.optics import read_tally, signals
from sabot_sim.optics.profiles import PROFILES
from sabot_sim.optics.read_tally import Tally
from sabot_sim.rigs.reader import Answer, VmReader

READS = 1_000


def said(card: str | None, reason: str | None = None) -> Answer:
    return Answer(card, reason, 80, 1000, 10, 0)


def tally(truth: str | None, *answers: Answer) -> Tally:
    it = Tally()
    it.take(signals.Read("normal", 5, "card", truth, [], "", ()), list(answers))
    return it


@pytest.mark.parametrize(
    ("truth", "answers", "counted"),
    [
        ("8H", [said("8H")], "right"),
        ("8H", [said(None, "noise"), said("8H")], "right"),
        ("8H", [said("9H")], "wrong"),
        ("8H", [said("8H"), said("8H")], "wrong"),
        (None, [said("8H")], "wrong"),
        (None, [said("CUT")], "wrong"),
        ("8H", [said(None, "doubtful")], "rejects"),
        ("8H", [], "rejects"),
        (None, [said(None, "double")], "refused"),
    ],
)
def test_a_read_is_counted_once(truth: str | None, answers: list[Answer], counted: str) -> None:
    it = tally(truth, *answers)
    counts = {name: getattr(it, name) for name in ("right", "wrong", "rejects", "refused")}
    assert counts == {name: int(name == counted) for name in counts}
    assert it.wrong_numbers == ([5] if counted == "wrong" else [])


def test_tallies_add_up() -> None:
    whole = tally("8H", said("8H"))
    whole.add(tally("8H", said(None, "doubtful")))
    whole.add(tally("8H"))
    assert (whole.reads, whole.cards, whole.right, whole.rejects, whole.silent) == (3, 3, 1, 2, 1)
    assert whole.reject_rate() == Fraction(2, 3)
    assert whole.reasons == {"doubtful": 1, "nothing": 1}


def test_goals_are_below_not_at() -> None:
    it = Tally(reads=100, cards=100, right=99, rejects=1)
    assert not it.ok("dirty")
    assert it.ok("stop_go")
    it.cards += 1
    assert it.ok("dirty")
    it.wrong = 1
    assert not it.ok("stop_go")


@pytest.mark.parametrize("profile", PROFILES)
def test_no_wrong_card_and_few_rejects(profile: str) -> None:
    with VmReader() as vm:
        it = read_tally.run(vm, profile, 11, range(READS))
    assert it.reads == READS
    assert it.wrong_numbers == []
    assert it.right + it.rejects == it.cards
    if profile in read_tally.REJECT_GOALS:
        assert it.reject_rate() < max(read_tally.REJECT_GOALS[profile], Fraction(1, READS))
        assert it.right > READS * 98 // 100

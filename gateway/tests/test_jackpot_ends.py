"""Ends of wins: who may confirm, who is notified, and what is answered once a win is closed."""

import pytest
from jackpot_desk import NZ, Desk, time_of
from sabot_floor.jackpots.engine import Applied, Refused
from sabot_floor.jackpots.engine import entries as entry


def _pending(desk: Desk) -> str:
    coup = desk.coup(trigger="suited")
    desk.record(coup)
    return coup


def _say(result: Applied | Refused) -> str:
    assert isinstance(result, Refused)
    return result.say


def _invalid(desk: Desk, win: str) -> Applied | Refused:
    return desk.apply(
        entry.Invalid(time=time_of(desk.now), win=win, by="Ann", role="casino_manager", reason="no wager on Tie")
    )


def test_crown_demands_the_name_of_the_person_who_was_notified() -> None:
    desk = Desk()
    coup = _pending(desk)
    before = desk.meters()
    for nobody in ("", " "):
        say = _say(desk.confirmed(coup, "area_manager", notified=nobody))
        assert "the Casino Manager must be notified (13.4.5)" in say
        assert "--notified" in say
    assert desk.meters() == before
    paid = desk.confirmed(coup, "area_manager", notified="B. Jones")
    assert isinstance(paid, Applied)
    assert paid.wins[0].notified == "B. Jones"


def test_new_zealand_demands_nobody_who_was_notified() -> None:
    desk = Desk(NZ)
    coup = desk.coup(trigger="perfect")
    desk.record(coup)
    paid = desk.confirmed(coup, notified="")
    assert isinstance(paid, Applied)
    assert paid.wins[0].notified == ""


@pytest.mark.parametrize("by", ["Dee", "dee", " D.ee ", "DEE."])
def test_the_dealer_who_recorded_does_not_confirm(by: str) -> None:
    desk = Desk()
    coup = _pending(desk)
    refused = desk.confirmed(coup, by=by)
    assert isinstance(refused, Refused)
    assert (refused.reason, refused.say) == (
        "people",
        "win bac-01/1/1 was recorded by Dee: another person must confirm it",
    )
    assert isinstance(desk.confirmed(coup, by="Dean"), Applied)


@pytest.mark.parametrize("by", [("A. Smith", "A.Smith"), ("A. Smith", "a smith"), ("A. Smith", "."), ("Al", "A l")])
def test_one_person_with_two_spellings_does_not_adjust(by: tuple[str, str]) -> None:
    desk = Desk()
    refused = desk.adjusted(500, by)
    assert isinstance(refused, Refused)
    assert refused.reason == "people"
    assert isinstance(desk.adjusted(500, ("A. Smith", "B. Smith")), Applied)


def test_a_paid_win_is_not_paid_again_and_not_invalid() -> None:
    desk = Desk()
    coup = _pending(desk)
    desk.confirm(coup)
    assert "was paid at 2026-11-17T20:00" in _say(desk.confirmed(coup))
    assert _say(desk.confirmed(coup)).endswith("it was not paid again")
    assert "it cannot be deemed invalid any more. Adjust the meter" in _say(_invalid(desk, coup))
    voided = desk.reverse(coup)
    assert isinstance(voided, Applied)
    assert "after its jackpot of AUD 1,005.00 was paid" in voided.faults[0].say


def test_an_invalid_win_is_not_paid_and_not_invalid_again() -> None:
    desk = Desk()
    coup = _pending(desk)
    assert isinstance(_invalid(desk, coup), Applied)
    for say, end in ((_say(desk.confirmed(coup)), "nothing was paid"), (_say(_invalid(desk, coup)), "changed")):
        assert "was deemed invalid at" in say
        assert "(no wager on Tie)" in say
        assert say.endswith(end)
        assert "again" not in say


def test_a_cancelled_win_is_not_paid() -> None:
    desk = Desk()
    coup = _pending(desk)
    desk.reverse(coup)
    say = _say(desk.confirmed(coup))
    assert "was cancelled at" in say
    assert say.endswith("(the coup was corrected or voided): nothing was paid")


def test_a_record_of_a_closed_win_is_no_repeat() -> None:
    desk = Desk()
    coup = desk.coup(trigger="suited")
    assert isinstance(_invalid(desk, coup), Applied)
    late = desk.apply(desk.recorded(coup))
    assert isinstance(late, Refused)
    assert late.reason == "win"
    assert "was deemed invalid at" in late.say
    assert "The record of Dee was not taken: nothing is paid by it" in late.say


def test_the_same_record_delivered_again_is_a_repeat_also_after_the_end() -> None:
    desk = Desk()
    coup = desk.coup(trigger="suited")
    record = desk.recorded(coup)
    desk.done(record)
    desk.confirm(coup)
    again = desk.apply(record)
    assert isinstance(again, Refused)
    assert again.reason == "repeat"

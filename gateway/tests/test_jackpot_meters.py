"""Meters of the jackpot engine: reserve, limit, overflow, reversals, resets, parameters that wait; by hand."""

from typing import Any

import pytest
from jackpot_desk import CROWN, Desk, time_of
from msgspec.structs import replace
from sabot_floor.jackpots.engine import Applied, Refused, decode, encode
from sabot_floor.jackpots.engine import entries as entry


def test_the_reserve_is_exact_to_the_last_fraction() -> None:
    desk = Desk(reserve="1.5%")  # 0.375 of 25
    shown = []
    for _ in range(8):
        desk.coup()
        shown.append(desk.state.reserve)
    assert shown == [0, 0, 1, 1, 1, 2, 2, 3]  # 0.375 eight times is 3
    assert desk.state.reserve_carry == 0
    assert desk.meters() == {"base": 100_000, "in": 200, "display": 100_197, "reserve": 3}


def test_a_reserve_of_six_decimals() -> None:
    desk = Desk(reserve="33.333333%", increment=100, unreasonable=100)
    for _ in range(3):
        desk.coup()
    assert desk.state.reserve == 99  # 99.999999
    assert desk.state.reserve_carry == 99_999_900


def test_above_the_limit_to_the_overflow() -> None:
    desk = Desk(limit=100_040)
    desk.coup()
    desk.coup()
    desk.coup()
    assert desk.meters() == {"base": 100_000, "in": 75, "display": 100_040, "overflow": 35}


def test_after_a_win_in_full_the_overflow_flows_in() -> None:
    desk = Desk(limit=100_040, reset=100_000, rounding=1)
    for _ in range(3):
        desk.coup("bac-02")
    desk.win("suited")  # 100,040 on the display, 60 in the overflow with the winning coup's own
    assert desk.state.wins == 100_040
    assert desk.meters() == {
        "base": 200_000,
        "in": 100,
        "display": 100_040,
        "hits": 1,
        "wins": 100_040,
        "overflow": 20,
    }


def test_a_partial_win_leaves_the_overflow() -> None:
    desk = Desk(limit=100_000, rounding=1)
    desk.win("coloured")
    assert desk.meters() == {
        "base": 100_000,
        "in": 25,
        "display": 90_000,
        "hits": 1,
        "wins": 10_000,
        "overflow": 25,
    }


def test_below_the_limit_contributions_go_to_the_display_although_there_is_overflow() -> None:
    desk = Desk(limit=100_000, rounding=1)
    desk.win("coloured")
    desk.coup()
    assert (desk.state.display, desk.state.overflow) == (90_025, 25)


def test_the_second_of_two_pending_wins_sees_what_flows_in_after_the_first() -> None:
    desk = Desk(limit=100_040, reset=50_000, rounding=1)
    for _ in range(2):
        desk.coup("bac-01")
    first, second = desk.coup("bac-01", trigger="suited"), desk.coup("bac-02", trigger="coloured")
    desk.record(first, 1_000)
    desk.record(second, 2_000)
    assert [win.value for win in desk.pending()] == [100_040, 50_060]  # the reset value and the overflow, 60
    desk.confirm(first)
    assert desk.state.display == 50_060
    assert desk.pending()[0].value == 50_060


def test_the_reset_comes_from_the_reserve_first() -> None:
    desk = Desk(reserve="40%", reset=15, rounding=1)
    desk.win("suited")  # 10 of 25 hidden: 100,015 on the display
    assert desk.meters() == {"base": 100_005, "in": 25, "display": 15, "hits": 1, "wins": 100_015}
    desk.coup()
    desk.coup()
    desk.win("suited")
    # 30 hidden, 45 shown: 60 paid. Of the reserve, 15 go into the reset and 15 stay.
    assert desk.meters() == {"base": 100_005, "in": 100, "display": 15, "hits": 2, "wins": 100_075, "reserve": 15}


def test_contributions_between_record_and_confirmation_belong_to_the_next_jackpot() -> None:
    desk = Desk(rounding=1)
    coup = desk.coup(trigger="suited")
    desk.record(coup)
    desk.coup()
    desk.confirm(coup)
    assert desk.meters() == {"base": 200_000, "in": 50, "display": 100_025, "hits": 1, "wins": 100_025}


def test_a_partial_win_of_more_than_the_display_is_made_up_by_the_operator() -> None:
    desk = Desk(base=0, rounding=10_000)
    win = desk.win("coloured")
    assert (win.value, win.rounded, win.prize) == (25, 10_000, 1_000)
    assert desk.meters() == {"base": 975, "in": 25, "hits": 1, "wins": 1_000}


def test_a_win_in_full_of_more_than_the_display_is_made_up_by_the_operator() -> None:
    desk = Desk(base=1_000, reset=0, rounding=1)
    coup = desk.coup(trigger="suited")
    desk.record(coup)
    desk.adjusted(-1_000)
    assert desk.confirm(coup).prize == 1_025
    assert desk.meters() == {"base": 2_000, "in": -975, "hits": 1, "wins": 1_025}


def test_a_fraction_of_the_prize_stays_on_the_meter() -> None:
    desk = Desk(base=100_008, rounding=1)
    assert desk.win("coloured").prize == 10_003  # 10 % of 100,033 is 10,003.3
    assert desk.state.display == 90_030


@pytest.mark.parametrize("changes", [{}, {"reserve": "1.5%"}, {"limit": 100_010}, {"limit": 100_010, "reserve": "7%"}])
def test_a_reversal_is_the_exact_inverse(changes: dict[str, Any]) -> None:
    desk = Desk(CROWN, **changes)
    for _ in range(3):
        desk.coup("bac-02")
    before = (desk.meters(), desk.state.reserve_carry)
    coup = desk.coup("bac-01")
    assert (desk.meters(), desk.state.reserve_carry) != before
    result = desk.reverse(coup)
    assert isinstance(result, Applied)
    assert result.increment == -25
    assert (desk.meters(), desk.state.reserve_carry) == before


def test_a_reversal_takes_from_the_overflow_first() -> None:
    desk = Desk(limit=100_010)
    first = desk.coup()
    desk.coup()
    desk.reverse(first)
    assert desk.meters() == {"base": 100_000, "in": 25, "display": 100_010, "overflow": 15}


def test_a_reversal_of_what_was_paid_out_is_made_up_by_the_operator() -> None:
    desk = Desk(base=0, reset=0, rounding=1)
    coup = desk.coup()
    desk.win("suited")
    desk.reverse(coup)
    assert desk.meters() == {"base": 25, "in": 25, "hits": 1, "wins": 50}


def test_a_reversal_after_the_reserve_was_used() -> None:
    desk = Desk(reserve="40%", reset=15, rounding=1)
    coup = desk.coup()
    desk.win("suited")  # 20 hidden: 15 into the reset, 5 left
    assert desk.state.reserve == 5
    desk.reverse(coup)  # 10 were hidden; 5 are left
    assert (desk.state.reserve, desk.state.display) == (0, 0)
    assert desk.state.balanced()


def test_a_reversed_winning_coup_is_cancelled_before_it_is_confirmed() -> None:
    desk = Desk()
    coup = desk.coup(trigger="suited")
    desk.record(coup)
    result = desk.reverse(coup)
    assert isinstance(result, Applied)
    assert [win.state for win in result.wins] == ["cancelled"]
    assert isinstance(desk.confirmed(coup), Refused)
    assert desk.meters() == {"base": 100_000, "display": 100_000}


def test_a_winning_coup_that_is_reversed_after_payment_is_for_people() -> None:
    desk = Desk()
    coup = desk.coup(trigger="suited")
    desk.record(coup)
    desk.confirm(coup)
    result = desk.reverse(coup)
    assert isinstance(result, Applied)
    assert [fault.name for fault in result.faults] == ["paid_reversed"]
    assert "after its jackpot of AUD 1,005.00 was paid" in result.faults[0].say
    assert (desk.state.hits, desk.state.wins) == (1, 100_500)
    assert desk.closed()[0].state == "paid"


def test_new_parameters_wait_until_the_jackpot_is_won_in_full() -> None:
    desk = Desk()
    desk.coup()
    new = replace(CROWN, version=2, increment=30, base=1, reset=60_000, limit=60_020)
    desk.done(entry.Changed(time=time_of(1), parameters=new))
    desk.win("coloured")
    assert (desk.state.parameters, desk.state.waiting) == (CROWN, new)
    early = desk.send(desk.increment(parameters=new.digest, amount=30))
    assert isinstance(early, Refused)
    assert early.reason == "parameters"
    desk.win("suited")
    assert (desk.state.parameters, desk.state.waiting) == (new, None)
    assert desk.state.display == 60_000
    desk.coup("bac-02", amount=30)
    assert (desk.state.display, desk.state.overflow) == (60_020, 10)
    # A gateway that has not heard of the change goes on with the old ones.
    late = desk.send(desk.increment("bac-01", parameters=CROWN.digest, amount=25))
    assert isinstance(late, Applied)
    assert (late.version, late.digest) == (1, CROWN.digest)
    assert desk.state.overflow == 35


def test_new_parameters_apply_at_once_before_the_first_contribution() -> None:
    desk = Desk()
    new = replace(CROWN, version=2, base=70_000)
    desk.done(entry.Changed(time=time_of(1), parameters=new))
    assert desk.state.parameters == new
    assert desk.meters() == {"base": 70_000, "display": 70_000}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, "repeat"),
        ({"increment": 26}, "parameters"),  # the version is the same
        ({"version": 2, "currency": "NZD"}, "parameters"),
        ({"version": 2, "id": "other"}, "parameters"),
    ],
)
def test_parameters_that_cannot_follow(changes: dict[str, object], reason: str) -> None:
    desk = Desk()
    desk.coup()
    before = encode(desk.state)
    refused = desk.apply(entry.Changed(time=time_of(1), parameters=replace(CROWN, **changes)))
    assert isinstance(refused, Refused)
    assert refused.reason == reason
    assert encode(desk.state) == before


def test_a_person_who_changes_parameters_needs_the_role() -> None:
    desk = Desk()
    new = replace(CROWN, version=2)
    low = desk.apply(entry.Changed(time=time_of(1), parameters=new, by="Ann", role="area_manager"))
    assert isinstance(low, Refused)
    assert isinstance(desk.apply(entry.Changed(time=time_of(1), parameters=new, by="Ann")), Refused)
    desk.done(entry.Changed(time=time_of(1), parameters=new, by="Ann", role="casino_manager"))


def test_parameters_that_wait_are_not_taken_again_but_newer_ones_replace_them() -> None:
    desk = Desk()
    desk.coup()
    second, third = replace(CROWN, version=2), replace(CROWN, version=3)
    desk.done(entry.Changed(time=time_of(1), parameters=second))
    again = desk.apply(entry.Changed(time=time_of(1), parameters=second))
    assert isinstance(again, Refused)
    assert again.reason == "repeat"
    desk.done(entry.Changed(time=time_of(1), parameters=third))
    assert desk.state.waiting == third


def test_an_adjustment_counts_once_and_goes_over_the_limit() -> None:
    desk = Desk(limit=100_400)
    assert isinstance(desk.adjusted(500, id="a"), Applied)
    again = desk.adjusted(500, id="a")
    assert isinstance(again, Refused)
    assert again.reason == "repeat"
    assert desk.meters() == {"base": 100_000, "in": 500, "display": 100_400, "overflow": 100}
    assert isinstance(desk.adjusted(-150), Applied)
    assert desk.meters() == {"base": 100_000, "in": 350, "display": 100_350}


def test_the_ids_of_the_newest_hundred_adjustments_are_remembered() -> None:
    desk = Desk()
    for number in range(101):
        assert isinstance(desk.adjusted(1, id=f"n-{number}"), Applied)
    assert desk.state.adjustments == [f"n-{number}" for number in range(1, 101)]
    assert isinstance(desk.adjusted(10**12), Applied)
    assert isinstance(desk.adjusted(10**12 + 1), Refused)


def test_an_adjustment_may_empty_the_meter_and_no_more() -> None:
    desk = Desk(limit=100_000)
    desk.coup()
    assert isinstance(desk.adjusted(-100_026), Refused)
    assert isinstance(desk.adjusted(-100_025), Applied)
    assert (desk.state.display, desk.state.overflow) == (0, 0)


@pytest.mark.parametrize("meter", ["base", "in_", "display", "wins", "overflow", "reserve"])
def test_a_state_that_does_not_balance_stops_the_jackpot(meter: str) -> None:
    desk = Desk()
    coup = desk.coup(trigger="suited")
    setattr(desk.state, meter, getattr(desk.state, meter) + 1)
    damaged = encode(desk.state)
    desk.state = decode(damaged)
    for made in (entry.Increment(time_of(1), desk.increment()), desk.recorded(coup)):
        refused = desk.apply(made)
        assert isinstance(refused, Refused)
        assert refused.reason == "unbalanced"
        assert refused.fault is not None
    assert encode(desk.state) == damaged


def test_a_meter_below_zero_stops_the_jackpot() -> None:
    desk = Desk()
    desk.state.display, desk.state.overflow = -1, 100_001
    refused = desk.adjusted(500)
    assert isinstance(refused, Refused)
    assert refused.reason == "unbalanced"

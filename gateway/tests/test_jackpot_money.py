"""Money of the meters at their edges: limit and overflow, what the operator lays out, what a pay-out moves."""

from typing import Any

import pytest
from jackpot_desk import CROWN, NZ, Desk
from msgspec.structs import replace
from sabot_protocol.jackpots.parameters import Parameters

PART = {"crown-baccarat": "coloured", "nz-baccarat": "coloured"}
FULL = {"crown-baccarat": "suited", "nz-baccarat": "perfect"}


@pytest.fixture(params=[CROWN, NZ], ids=["crown", "nz"])
def book(request: pytest.FixtureRequest) -> Parameters:
    """A jackpot of each book: both pay 10 % for `coloured`."""
    found: Parameters = request.param
    return found


def desk_of(book: Parameters, **changes: Any) -> Desk:
    return Desk(replace(book, base=100_000, increment=25, rounding=500, **changes))


def test_a_display_at_the_limit_has_no_overflow_and_the_next_coup_gives_all_of_it(book: Parameters) -> None:
    desk = desk_of(book, limit=100_026)
    desk.coup()
    assert desk.meters() == {"base": 100_000, "in": 25, "display": 100_025}
    desk.coup()
    assert desk.meters() == {"base": 100_000, "in": 50, "display": 100_026, "overflow": 24}


def test_one_cent_above_the_limit_is_overflow(book: Parameters) -> None:
    desk = desk_of(book, limit=100_024)
    desk.coup()
    assert desk.meters() == {"base": 100_000, "in": 25, "display": 100_024, "overflow": 1}


def test_a_contribution_goes_to_the_display_below_the_limit_whatever_is_in_the_overflow(book: Parameters) -> None:
    """The overflow flows in after a win of 100 % only; what is taken comes from it first."""
    desk = desk_of(book, limit=100_025)
    desk.coup()
    desk.win(PART[book.rulebook])  # 10 % of 100,025 rounded up to 100,500
    assert desk.meters() == {
        "base": 100_000, "in": 50, "display": 89_975, "overflow": 25, "hits": 1, "wins": 10_050,
    }  # fmt: skip
    desk.coup()
    assert (desk.state.display, desk.state.overflow) == (90_000, 25)
    desk.adjusted(-19)
    desk.adjusted(-1)
    assert (desk.state.display, desk.state.overflow) == (90_000, 5)
    desk.adjusted(-20)
    assert (desk.state.display, desk.state.overflow) == (89_985, 0)


@pytest.mark.parametrize("cents", [25, 1])
def test_the_operator_stands_in_for_a_coup_that_is_void_after_it_was_paid_out(book: Parameters, cents: int) -> None:
    desk = Desk(replace(book, base=0, reset=0, increment=cents, rounding=1))
    void = desk.coup()
    desk.win(FULL[book.rulebook])
    assert desk.meters() == {"in": 2 * cents, "hits": 1, "wins": 2 * cents}
    desk.reverse(void)
    assert desk.meters() == {"base": cents, "in": cents, "hits": 1, "wins": 2 * cents}


def test_what_is_left_at_exactly_nothing_costs_the_operator_nothing(book: Parameters) -> None:
    desk = Desk(replace(book, base=0, reset=0, increment=25, rounding=1))
    desk.reverse(desk.coup())
    assert desk.meters() == {}


def test_a_win_that_is_pending_sees_what_the_pay_out_before_it_has_left(book: Parameters) -> None:
    desk = desk_of(book)
    first, second = desk.coup(trigger=PART[book.rulebook]), desk.coup(trigger=PART[book.rulebook])
    desk.record(first)
    desk.record(second)
    expected = [(100_050, 10_050), (90_000, 9_000)]  # 100,500 less 10 %; 100,050 - 10,050 needs no rounding
    assert [(win.value, win.prize) for win in desk.pending()] == expected
    desk.confirm(first)
    assert [(win.value, win.prize) for win in desk.pending()] == expected[1:]
    assert desk.confirm(second).prize == 9_000
    assert desk.state.display == 81_000


def test_a_pay_out_in_full_moves_the_display_to_the_reset_and_the_next_win_sees_that(book: Parameters) -> None:
    desk = desk_of(book, reset=60_000)
    first, second = desk.coup(trigger=FULL[book.rulebook]), desk.coup(trigger=PART[book.rulebook])
    desk.record(first)
    desk.coup()  # after the record: it is on the display beside the reset
    desk.record(second)
    desk.confirm(first)
    assert (desk.state.display, desk.pending()[0].value) == (60_025, 60_025)
    assert desk.meters()["base"] == 100_000 + 60_000 + 450  # the reset, and 100,050 rounded up to 100,500

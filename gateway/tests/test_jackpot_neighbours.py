"""What one table sends about the increments, wins and missed coups of another changes nothing of them."""

from typing import Any

import pytest
from jackpot_desk import Desk, time_of
from msgspec.structs import replace
from sabot_floor.jackpots.engine import Applied, Refused
from sabot_floor.jackpots.engine import entries as entry

OTHER = "bac-02"


def winning(desk: Desk) -> str:
    """Return a coup at the first table with a win that the dealer has recorded."""
    desk.coup(OTHER, gateway="gw-2")
    won = desk.coup(trigger="coloured")
    desk.record(won)
    return won


def reversal(desk: Desk, first: str, **fields: Any) -> Applied | Refused:
    """Send a reversal from the other table that names this increment."""
    return desk.send(desk.increment(OTHER, gateway="gw-2", amount=-25, reverses=first, **fields))


def test_a_reversal_by_another_table_leaves_a_pending_win(desk: Desk) -> None:
    won = winning(desk)
    reversal(desk, desk.messages[won].id)
    assert [one.win for one in desk.pending()] == [won]


def test_a_reversal_by_another_table_says_nothing_about_a_win_that_was_paid(desk: Desk) -> None:
    won = winning(desk)
    desk.confirm(won)
    result = reversal(desk, desk.messages[won].id)
    assert not getattr(result, "faults", ())
    assert [hit.due for hit in desk.state.closed] == [None]


def test_a_reversal_by_another_table_leaves_what_was_missed(desk: Desk) -> None:
    winning(desk)
    desk.withdraw()
    missed = desk.coup()
    reversal(desk, desk.messages[missed].id)
    assert [one.coup_id for one in desk.state.missed] == [missed]


def test_an_increment_of_another_table_leaves_a_proposal(desk: Desk) -> None:
    winning(desk)
    desk.done(entry.Proposed(time=time_of(9), table="bac-01", unit="u", shoe=9, coup=4, coup_id="u-77"))
    desk.send(desk.increment(OTHER, gateway="gw-2", unit="u", coup_id="u-77", shoe=9, coup=5))
    assert [one.coup_id for one in desk.state.missed] == ["u-77"]


@pytest.mark.parametrize("first", [True, False], ids=["the other table first", "the other table later"])
@pytest.mark.parametrize("unit", ["", "bac-01-u"])
def test_two_wins_of_one_id_are_recorded_and_confirmed_each(desk: Desk, unit: str, first: bool) -> None:
    same = {"gateway": "gw-2", "unit": unit, "shoe": 50, "coup": 50, "trigger": "coloured"}
    if first:
        desk.coup(OTHER, coup_id="bac-01-u-1", **same)
        desk.record("bac-01-u-1", gateway="gw-2", prompt=True)
    won = desk.coup(trigger="coloured")
    true = desk.record(won, prompt=True)
    if not first:
        desk.coup(OTHER, coup_id=won, **same)
        desk.record(won, gateway="gw-2", prompt=True)
    assert [one.table for one in true.wins] == ["bac-01"]
    assert {one.table: one.state for one in desk.pending()} == {"bac-01": "pending", OTHER: "pending"}
    names = [one.win for one in desk.pending()]
    for name in names:
        desk.confirm(name)
    assert sorted(one.table for one in desk.closed()) == ["bac-01", OTHER]


def test_a_missed_coup_of_another_table_does_not_take_the_place_of_a_win(desk: Desk) -> None:
    won = winning(desk)
    desk.done(entry.Proposed(time=time_of(9), table=OTHER, unit="x", shoe=9, coup=4, coup_id=won, outcome="coloured"))
    assert isinstance(desk.made_good(won), Applied)
    (pending,) = desk.pending()
    assert (pending.win, pending.table) == (won, "bac-01")


def test_the_table_itself_takes_its_win_back(desk: Desk) -> None:
    won = winning(desk)
    assert isinstance(desk.reverse(won), Applied)
    assert desk.pending() == []
    again = desk.coup(trigger="coloured")
    assert isinstance(desk.send(replace(desk.increment(trigger="coloured"), coup_id=f"{again}-x")), Applied)


@pytest.fixture
def desk() -> Desk:
    return Desk()

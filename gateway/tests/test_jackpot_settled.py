"""Differences are settled by people who had no part in the pay-out, and are open again if the win changes once more."""

from typing import Any

from jackpot_desk import time_of
from msgspec.structs import replace
from sabot_floor.jackpots.engine import Applied
from sabot_floor.jackpots.engine import entries as entry
from test_jackpot_order import ONE, TWO, Tables, differences


def test_who_made_the_wrong_pay_out_does_not_settle_it() -> None:
    desk = Tables()
    late, paid = desk.hits("suited", "suited")
    desk.record(paid, gateway=TWO, entry=5)
    desk.adjusted(500, ("Bob", "Bill"))
    desk.confirm(paid)
    desk.record(late, gateway=ONE, entry=9)
    desk.decide(late, paid)
    desk.adjusted(-100, ("Carl", "Cora"))
    for by in ("Ann", "a.nn", "Bob", "Bill", "Olga", "Carl", "CORA", "Dee"):
        assert "another person must settle" in desk.refused(desk.settle(paid, by=by))
    assert isinstance(desk.settle(paid), Applied)


def test_who_settles_is_known_by_the_id() -> None:
    desk = Tables()
    first, second = desk.hits("suited", "suited")
    desk.record(first, gateway=ONE, prompt=True)
    desk.record(second, gateway=TWO, prompt=True)
    given: dict[str, Any] = {
        "by": "Ann",
        "role": "casino_manager",
        "notified": "Max",
        "person": "ann1",
        "rules": entry.RULES,
    }
    for win in (first, second):
        desk.done(entry.Confirmed(time=time_of(9), win=win, **given))
    desk.reverse(first)
    assert "another person must settle" in desk.refused(desk.settle(second, by="Ann-Marie", person="ann1"))
    assert isinstance(desk.settle(second, by="Ann", person="ann2"), Applied)


def test_who_decided_the_order_confirms_neither_win() -> None:
    desk = Tables()
    first, late = desk.hits("suited", "suited")
    desk.record(first, gateway=ONE, entry=5)
    desk.record(late, gateway=TWO, entry=9)
    desk.decide(late)
    assert "decided its order" in desk.refused(desk.confirmed(first, by="Olga"))
    desk.confirm(first)
    assert "decided its order" in desk.refused(desk.confirmed(late, by="Olga"))


def test_who_recorded_either_win_does_not_decide_their_order() -> None:
    desk = Tables()
    first, late = desk.hits("suited", "suited")
    made = desk.recorded(first, gateway=ONE, entry=5)
    desk.done(replace(made, message=replace(made.message, by="Rosa")))
    desk.record(late, gateway=TWO, entry=9)
    for by in ("Dee", "rosa"):
        assert "another person decides its order" in desk.refused(desk.decide(late, first, by=by))
    assert isinstance(desk.decide(late, first), Applied)


def test_a_settled_difference_that_is_right_after_all_is_open_again() -> None:
    """The 270,001.00 were recovered; then the earlier win does not count: they are due to the player after all."""
    desk = Tables()
    late, paid = desk.hits("suited", "suited")
    desk.record(paid, gateway=TWO, entry=5)
    desk.confirm(paid)
    desk.record(late, gateway=ONE, entry=9)
    desk.decide(late, paid)
    assert isinstance(desk.settle(paid), Applied)
    made = entry.Invalid(time=time_of(9), win=late, by="Ann", role="area_manager", reason="no wager")
    say = differences(desk.done(made))["bac-02"]
    assert "AUD 15,000.00 as settled, AUD 285,001.00 were due: AUD 270,001.00 underpaid" in say
    (found,) = [win for win in desk.closed() if win.win == paid]
    assert (found.prize, found.settled, found.due) == (28_500_100, 1_500_000, 28_500_100)
    assert isinstance(desk.settle(paid), Applied)
    assert "no difference is open" in desk.refused(desk.settle(paid))


def test_a_settled_win_whose_coup_is_then_void_shows_what_is_still_out() -> None:
    desk = Tables()
    first, second = desk.hits("coloured", "coloured")
    desk.record(first, gateway=ONE, prompt=True)
    desk.record(second, gateway=TWO, prompt=True)
    assert [desk.confirm(win).prize for win in (first, second)] == [2_850_010, 2_565_010]
    desk.reverse(first)
    assert isinstance(desk.settle(second), Applied)
    result = desk.reverse(second)
    assert isinstance(result, Applied)
    assert "AUD 28,500.10 overpaid" in result.faults[0].say


def test_the_fault_of_a_pay_out_of_a_void_coup_ends_when_it_is_settled() -> None:
    desk = Tables()
    (win,) = desk.hits("suited")
    desk.record(win, prompt=True)
    desk.confirm(win)
    desk.reverse(win)
    result = desk.settle(win)
    assert isinstance(result, Applied)
    ended = {(fault.name, fault.table) for fault in result.faults if not fault.active}
    assert ended == {("paid_reversed", "bac-01"), ("difference", "bac-01")}


def test_a_log_of_the_release_before_has_differences_settled_by_anybody() -> None:
    desk = Tables()
    first, late = desk.hits("suited", "suited")
    desk.record(first, gateway=ONE, entry=5)
    desk.record(late, gateway=TWO, entry=9)
    given: dict[str, Any] = {"role": "casino_manager", "rules": 1}
    desk.done(entry.Ordered(time=time_of(9), win=late, by="Olga", reason="the video", **given))
    for win in (first, late):
        by = "Olga" if win == first else "Ann"
        desk.done(entry.Confirmed(time=time_of(9), win=win, by=by, notified="Max", **given))
    desk.reverse(first)
    assert isinstance(desk.settle(late, by="Ann", rules=1), Applied)
    assert [hit.people for hit in desk.state.closed] == [[], [("Olga", "")]]
    assert [hit.due.settled_prize for hit in desk.state.closed if hit.due] == [None, None]

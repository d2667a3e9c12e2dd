"""The order of wins: by the floor's receipt and each gateway's entries; what was paid wrongly shows its difference."""

from typing import Any

import pytest
from jackpot_desk import CROWN, NZ, TOP_ROLE, Desk, time_of
from msgspec.structs import replace
from sabot_floor.jackpots.engine import Applied, JackpotState, Refused, decode, encode
from sabot_floor.jackpots.engine import entries as entry
from sabot_protocol.jackpots.messages import Win
from sabot_protocol.jackpots.parameters import Parameters

WORTH = replace(CROWN, base=28_499_975, reset=1_500_000, rounding=100)  # 285,000.00 with the first coup
ONE, TWO = "gw-1", "gw-2"


class Tables(Desk):
    """Two tables of two gateways."""

    def __init__(self, parameters: Parameters = WORTH) -> None:
        super().__init__(parameters)
        self.tables = parameters.tables

    def hits(self, *outcomes: str) -> list[str]:
        return [self.coup(self.tables[number % 2], trigger=outcome) for number, outcome in enumerate(outcomes)]

    def refused(self, result: Applied | Refused) -> str:
        assert isinstance(result, Refused), result
        assert decode(encode(self.state)) == self.state
        return result.say

    def decide(self, win: str, before: str = "", role: str = "", by: str = "Olga") -> Applied | Refused:
        role = role or ("area_manager" if self.parameters.rulebook == "crown-baccarat" else "casino_supervisor")
        given: dict[str, Any] = {
            "before": before,
            "by": by,
            "role": role,
            "reason": "the video shows it",
            "rules": entry.RULES,
        }
        return self.apply(entry.Ordered(time=time_of(9), win=win, **given))

    def settle(self, win: str, role: str = "casino_manager", by: str = "Sue", **fields: Any) -> Applied | Refused:
        given: dict[str, Any] = {"by": by, "role": role, "reason": "paid by voucher 17", "rules": entry.RULES, **fields}
        return self.apply(entry.Settled(time=time_of(9), win=win, **given))


def differences(result: Applied | Refused) -> dict[str, str]:
    assert isinstance(result, Applied), result
    return {fault.table: fault.say for fault in result.faults if fault.name == "difference" and fault.active}


def order(state: JackpotState) -> list[str]:
    desk = Desk()
    desk.state = state
    return [win.win for win in desk.pending()]


@pytest.mark.parametrize("minutes", [-10, 10, -700])
def test_a_wrong_clock_of_a_table_changes_no_order(minutes: int) -> None:
    desk = Tables()
    first, second = desk.hits("suited", "coloured")
    for win, gateway, at in ((first, ONE, 0), (second, TWO, minutes * 60_000)):
        made = desk.recorded(win, gateway=gateway, prompt=True, entry=7)
        wrong = (
            f"2026-11-17T{20 + at // 3_600_000:02}:{at // 60_000 % 60:02}:00.000Z" if at > -6 * 10**6 else time_of(0)
        )
        desk.done(replace(made, message=replace(made.message, at=wrong)))
    assert order(desk.state) == [first, second]
    assert [win.value for win in desk.pending()] == [28_500_025, 1_500_000]


def test_entries_of_one_gateway_decide_also_if_they_overtake_each_other() -> None:
    desk = Tables()
    first, second = desk.hits("suited", "coloured")
    desk.record(second, gateway=ONE, prompt=True, entry=12)
    result = desk.record(first, gateway=ONE, prompt=True, entry=11)
    assert order(desk.state) == [first, second]
    assert result.faults == ()


@pytest.mark.parametrize("parameters", [WORTH, replace(NZ, base=50_000)])
def test_a_late_record_is_held_until_a_person_of_the_role_decides(parameters: Parameters) -> None:
    desk = Tables(parameters)
    full, part = ("suited", "coloured") if parameters is WORTH else ("perfect", "coloured")
    first, late = desk.hits(full, part)
    desk.record(first, gateway=ONE, entry=5)
    result = desk.record(late, gateway=TWO, entry=9)
    assert [fault.name for fault in result.faults] == ["order"]
    assert desk.pending()[1].undecided == [first]
    for win in (first, late):
        assert "sabot jackpot order" in desk.refused(desk.confirmed(win))
    assert isinstance(desk.decide(late, first, role="dealer"), Refused)
    assert "was recorded by Dee" in desk.refused(desk.decide(late, first, by="D.ee"))
    assert isinstance(desk.decide(late, "other"), Refused)
    assert isinstance(desk.decide(late, first), Applied)
    assert order(desk.state) == [late, first]
    assert "decided its order" in desk.refused(desk.confirmed(late, by="Olga"))
    assert desk.confirm(late).prize < desk.confirm(first).prize


@pytest.mark.parametrize("parameters", [WORTH, replace(NZ, base=50_000)])
@pytest.mark.parametrize("which", ["held", "other"])
@pytest.mark.parametrize("how", ["void", "invalid"])
def test_the_fault_of_a_held_win_ends_with_it_or_with_the_other(parameters: Parameters, which: str, how: str) -> None:
    desk = Tables(parameters)
    full = "suited" if parameters is WORTH else "perfect"
    first, late = desk.hits(full, full)
    desk.record(first, gateway=ONE, entry=5)
    desk.record(late, gateway=TWO, entry=9)
    win = late if which == "held" else first
    if how == "void":
        result = desk.reverse(win)
    else:
        made = entry.Invalid(time=time_of(9), win=win, by="Ann", role=TOP_ROLE[parameters.rulebook], reason="no wager")
        result = desk.apply(made)
    assert isinstance(result, Applied)
    assert [(fault.name, fault.table, fault.active) for fault in result.faults] == [("order", desk.tables[1], False)]
    assert [one.undecided for one in desk.pending()] == [[]]


def test_a_win_that_is_held_against_two_stays_held_against_the_other() -> None:
    desk = Tables()
    one, two, late = desk.hits("coloured", "suited", "coloured")
    desk.record(one, gateway=ONE, entry=5)
    desk.record(two, gateway=ONE, entry=8)
    desk.record(late, gateway=TWO, entry=2)
    result = desk.reverse(one)
    assert isinstance(result, Applied)
    assert result.faults == ()
    assert desk.pending()[1].undecided == [two]


def test_a_record_that_the_floor_had_not_heard_of_at_an_earlier_win_comes_after_it() -> None:
    desk = Tables()
    first, late = desk.hits("suited", "coloured")
    desk.record(first, gateway=ONE, entry=5, heard={TWO: 8})
    desk.record(late, gateway=TWO, entry=9)
    assert desk.pending()[1].undecided == []
    other = Tables()
    first, late = other.hits("suited", "coloured")
    other.record(first, gateway=ONE, entry=5, heard={TWO: 9})
    other.record(late, gateway=TWO, entry=9)
    assert other.pending()[1].undecided == [first]


def test_the_place_that_a_person_decides_keeps_what_is_certain() -> None:
    desk = Tables()
    one, two, late = desk.hits("coloured", "suited", "coloured")
    desk.record(one, gateway=ONE, entry=5)
    desk.record(two, gateway=TWO, entry=8, heard={ONE: 5})
    desk.record(late, gateway="gw-3", entry=2)
    assert desk.pending()[2].undecided == [one, two]
    assert isinstance(desk.decide(late, two), Applied)
    assert order(desk.state) == [one, late, two]


def test_wins_are_confirmed_in_order_and_a_void_earlier_one_gives_the_later_its_value() -> None:
    desk = Tables()
    first, second = desk.hits("suited", "suited")
    desk.record(first, gateway=ONE, prompt=True)
    desk.record(second, gateway=TWO, prompt=True)
    say = desk.refused(desk.confirmed(second))
    assert "bac-01/1/1 at bac-01 was recorded before it" in say
    desk.reverse(first)
    assert desk.confirm(second).prize == 28_500_100  # 285,000.25 rounded up to 1.00; one coup of 0.25 was taken back
    assert desk.state.display == 1_500_000 - 25


def test_a_coup_that_is_void_after_two_pay_outs_shows_both_differences() -> None:
    desk = Tables()
    first, second = desk.hits("suited", "suited")
    desk.record(first, gateway=ONE, prompt=True)
    desk.record(second, gateway=TWO, prompt=True)
    assert [desk.confirm(win).prize for win in (first, second)] == [28_500_100, 1_500_000]
    result = desk.reverse(first)
    assert isinstance(result, Applied)
    assert [fault.name for fault in result.faults] == ["paid_reversed", "difference"]
    assert "AUD 285,001.00 overpaid" in result.faults[0].say
    assert "AUD 15,000.00 were paid, AUD 285,001.00 were due: AUD 270,001.00 underpaid" in result.faults[1].say
    assert [(win.due, win.prize) for win in desk.closed()] == [(0, 28_500_100), (28_500_100, 1_500_000)]
    assert isinstance(desk.settle(second, role="dealer"), Refused)
    assert isinstance(desk.settle(second), Applied)
    assert "no difference is open" in desk.refused(desk.settle(second))


def test_a_later_win_that_is_pending_is_computed_again_and_the_meter_is_right_after_it() -> None:
    desk = Tables()
    first, second = desk.hits("suited", "suited")
    desk.record(first, gateway=ONE, prompt=True)
    desk.record(second, gateway=TWO, prompt=True)
    desk.confirm(first)
    assert desk.pending()[0].value == 1_500_000
    desk.reverse(first)
    assert desk.pending()[0].value == 28_500_025
    assert desk.confirm(second).prize == 28_500_100
    assert desk.state.display == 1_500_000 - 25
    assert desk.state.balanced()


def test_an_adjustment_in_between_does_not_count_twice() -> None:
    desk = Tables()
    first, second = desk.hits("suited", "suited")
    desk.record(first, gateway=ONE, prompt=True)
    desk.record(second, gateway=TWO, prompt=True)
    desk.confirm(first)
    desk.reverse(first)
    desk.adjusted(27_000_025)  # people give the meter back what the void win took
    desk.confirm(second)
    assert desk.state.display == 1_500_000 - 25


def test_a_win_recorded_after_the_pay_out_of_a_void_one_keeps_what_was_displayed() -> None:
    desk = Tables()
    first, second = desk.hits("suited", "suited")
    desk.record(first, gateway=ONE, prompt=True)
    desk.confirm(first)
    desk.record(second, gateway=TWO, prompt=True)
    desk.reverse(first)
    assert [win.value for win in desk.pending()] == [1_500_000]


def test_an_earlier_record_after_a_pay_out_opens_the_exact_difference() -> None:
    desk = Tables()
    late, paid = desk.hits("suited", "suited")
    desk.record(paid, gateway=TWO, entry=5)
    assert desk.confirm(paid).prize == 28_500_100
    desk.record(late, gateway=ONE, entry=9)
    assert desk.pending()[0].undecided == [paid]
    assert "it is not decided" in desk.refused(desk.confirmed(late))
    found = differences(desk.decide(late, paid))
    assert list(found) == ["bac-02"]
    assert "AUD 285,001.00 were paid, AUD 15,000.00 were due: AUD 270,001.00 overpaid" in found["bac-02"]
    assert desk.confirm(late).prize == 28_500_100
    assert desk.state.display == 1_500_000
    assert desk.state.balanced()


def test_an_earlier_record_of_the_same_gateway_needs_nobody_to_decide() -> None:
    desk = Tables()
    late, paid = desk.hits("coloured", "suited")
    desk.record(paid, gateway=ONE, entry=12)
    desk.confirm(paid)
    result = desk.record(late, gateway=ONE, entry=11)
    # 10 % of 285,001.00 are 28,500.10; the other had 285,000.50 less that: 256,500.40, rounded up to 256,501.00.
    assert "AUD 285,001.00 were paid, AUD 256,501.00 were due: AUD 28,500.00 overpaid" in differences(result)["bac-02"]
    assert desk.pending()[0].prize == 2_850_010


def test_a_late_win_that_does_not_count_takes_the_difference_away() -> None:
    desk = Tables()
    late, paid = desk.hits("suited", "suited")
    desk.record(paid, gateway=TWO, entry=5)
    desk.confirm(paid)
    desk.record(late, gateway=ONE, entry=9)
    desk.decide(late, paid)
    made = entry.Invalid(time=time_of(9), win=late, by="Ann", role="area_manager", reason="no wager")
    result = desk.done(made)
    assert [(fault.name, fault.active) for fault in result.faults] == [("difference", False)]
    assert (desk.state.lacking, desk.state.corrected) == (0, 0)


@pytest.mark.parametrize("void_first", [True, False])
def test_a_late_record_and_a_void_coup_give_the_same_in_any_order(void_first: bool) -> None:
    desk = Tables()
    late, paid = desk.hits("suited", "suited")
    desk.record(paid, gateway=TWO, entry=12)
    assert desk.confirm(paid).prize == 28_500_100
    if void_first:
        desk.reverse(paid)
    desk.record(late, gateway=TWO, entry=11)
    if not void_first:
        desk.reverse(paid)
    # It was recorded before the pay-out that is void now: of 285,000.25, or 285,000.00 if the void came before it.
    assert [win.value for win in desk.pending()] == [28_500_000 if void_first else 28_500_025]
    desk.confirm(late)
    assert (desk.state.display, desk.state.lacking) == (1_500_000 - (not void_first) * 25, 0)


def test_two_late_records_behind_a_pay_out_see_the_meter_one_after_the_other() -> None:
    desk = Tables()
    one, two, paid = desk.hits("suited", "suited", "suited")
    for win, number in ((paid, 13), (two, 12), (one, 11)):
        desk.record(win, gateway=ONE, entry=number)
        if win == paid:
            desk.confirm(paid)
    assert [win.prize for win in desk.pending()] == [28_500_100, 1_500_000]
    assert [desk.confirm(win).prize for win in (one, two)] == [28_500_100, 1_500_000]
    assert next((win.prize, win.due) for win in desk.closed()) == (28_500_100, 1_500_000)
    assert (desk.state.display, desk.state.lacking) == (1_500_000, 0)


def test_a_log_of_an_older_release_keeps_what_late_records_saw_there() -> None:
    desk = Tables()
    late, paid = desk.hits("suited", "suited")
    desk.record(paid, gateway=TWO, entry=12, rules=0)
    desk.confirm(paid)
    desk.reverse(paid)
    desk.record(late, gateway=TWO, entry=11, rules=0)
    assert [win.value for win in desk.pending()] == [1_500_000 - 25]


def test_a_chain_of_parts_is_corrected_to_its_end() -> None:
    desk = Tables()
    one, two, three = desk.hits("coloured", "coloured", "coloured")
    for number, win in enumerate((one, two, three)):
        desk.record(win, gateway=(ONE, TWO)[number % 2], prompt=True)
    paid = [desk.confirm(win).prize for win in (one, two)]
    assert paid == [2_850_010, 2_565_010]
    result = desk.reverse(one)
    assert "AUD 25,650.10 were paid, AUD 28,500.10 were due: AUD 2,850.00 underpaid" in differences(result)["bac-02"]
    assert desk.pending()[0].value == 28_500_050 - 2_850_010


def test_who_drew_or_adjusted_or_made_good_does_not_pay_alone() -> None:
    desk = Tables()
    (win,) = desk.hits("coloured")
    desk.record(win, prompt=True)
    desk.adjusted(500, ("Ann", "Bob"))
    for by in ("Ann", "B.ob"):
        assert "changed the meter by hand" in desk.refused(desk.confirmed(win, by=by))
    assert isinstance(desk.confirmed(win, by="Cora"), Applied)
    desk.withdraw()
    missed = desk.coup(trigger="coloured")
    desk.restore()
    desk.made_good(missed)
    desk.record(missed, prompt=True)
    assert "made it good" in desk.refused(desk.confirmed(missed, by="Bob"))
    assert isinstance(desk.confirmed(missed, by="Ann"), Applied)


def test_people_who_have_logged_in_are_known_by_their_ids() -> None:
    desk = Tables()
    (win,) = desk.hits("coloured")
    desk.record(win, prompt=True)
    desk.adjusted(500, ("A. Smith", "B. Jones"), people=("asmith", "bjones"))
    made = entry.Confirmed(time=time_of(9), win=win, by="Renamed", role="am", notified="M", person="asmith", rules=1)
    assert "changed the meter" in desk.refused(desk.apply(made))
    assert isinstance(desk.apply(replace(made, by="A. Smith", person="asmith2")), Applied)


@pytest.mark.parametrize("notified", ["Ann", "a nn", "ANN."])
def test_the_person_who_confirms_is_not_the_one_who_is_notified(notified: str) -> None:
    desk = Tables()
    (win,) = desk.hits("coloured")
    desk.record(win, prompt=True)
    assert "cannot be the person who is notified" in desk.refused(desk.confirmed(win, notified=notified))


@pytest.mark.parametrize(("role", "right"), [("dealer", False), ("area_manager", False), ("casino_manager", True)])
def test_the_person_who_is_notified_has_the_role(role: str, right: bool) -> None:
    desk = Tables()
    (win,) = desk.hits("coloured")
    desk.record(win, prompt=True)
    made = entry.Confirmed(time=time_of(9), win=win, by="Ann", role="am", notified="Max", notified_role=role, rules=1)
    assert isinstance(desk.apply(made), Applied) is right


def test_a_log_of_an_older_release_goes_on_by_its_own_rules() -> None:
    desk = Tables()
    first, second = desk.hits("suited", "coloured")
    desk.record_by_time(second, 2_000)
    desk.record_by_time(first, 1_000)
    assert order(desk.state) == [first, second]
    assert isinstance(
        desk.apply(entry.Confirmed(time=time_of(9), win=second, by="Dan", role="am", notified="Dan")), Applied
    )
    assert [hit.rank for hit in (*desk.state.open.values(), *desk.state.closed)] == [0, 0]
    assert desk.state.turn == 0


def test_a_win_of_an_older_release_that_is_pending_comes_before_the_new_ones() -> None:
    desk = Tables()
    old, new = desk.hits("suited", "suited")
    desk.record_by_time(old, 50_000)
    desk.record(new, gateway=TWO, entry=3)
    assert order(desk.state) == [old, new]
    assert "was recorded before it" in desk.refused(desk.confirmed(new))
    desk.confirm(old)
    assert desk.pending()[0].value == 1_500_000


def test_a_difference_stays_open_until_it_is_settled_and_is_not_forgotten() -> None:
    desk = Tables(replace(WORTH, base=10**9))
    first, second = desk.hits("coloured", "coloured")
    desk.record(first, gateway=ONE, prompt=True)
    desk.record(second, gateway=TWO, prompt=True)
    desk.confirm(first)
    desk.confirm(second)
    desk.reverse(first)
    for _ in range(120):
        win = desk.coup(trigger="non_coloured")
        desk.record(win, prompt=True)
        desk.confirm(win)
    kept: list[Win] = [win for win in desk.closed() if win.win in (first, second)]
    assert len(kept) == 2
    assert len(desk.closed()) == 100

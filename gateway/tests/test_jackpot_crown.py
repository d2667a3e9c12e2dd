"""Crown's jackpot rules (003 section 13) at the engine; figures are computed by hand from the rule's text."""

import msgspec
import pytest
from jackpot_desk import CROWN, Desk, time_of
from sabot_floor.jackpots.engine import Applied, Logged, Refused, logged, not_offered
from sabot_floor.jackpots.engine import entries as entry
from sabot_protocol.jackpots.draws import candidates, commitment, draw
from sabot_protocol.jackpots.parameters import Outcome, Random
from sabot_protocol.topics import JACKPOT_RETAINED


def test_cj_02_linked_stand_alone_bonus_and_mystery_jackpots() -> None:
    linked, alone = Desk(), Desk(tables=("bac-09",))
    linked.coup("bac-01")
    linked.coup("bac-02")
    alone.coup("bac-09")
    assert (linked.state.display, alone.state.display) == (100_050, 100_025)
    bonus = Desk(trigger=Outcome("tiger_tie", {"tiger_tie": 100}))
    assert bonus.win("tiger_tie").prize == 100_500
    secret, coming = b"a" * 32, b"b" * 32
    mystery = Desk(trigger=Random(draws=("table",), percent=50))
    mystery.state.commitment = commitment(secret)
    found = candidates(Random(draws=("table",)), mystery.parameters.tables)
    mystery.done(entry.Drawn(time=time_of(1), id="draw-1", draw=draw(secret, found, "0" * 64, coming)))
    assert mystery.confirm("draw-1").prize == 50_000  # half of 100,000


def test_cj_04_every_table_of_the_group_moves_and_shows_one_value() -> None:
    desk = Desk()
    for table in ("bac-01", "bac-02", "bac-02"):
        desk.coup(table)
    assert desk.state.display == 100_075
    assert JACKPOT_RETAINED["meter"]  # a display that is switched on gets the value at once
    refused = desk.send(desk.increment("bac-03"))
    assert isinstance(refused, Refused)
    assert refused.reason == "table"
    assert desk.state.display == 100_075


def test_cj_05_amounts_and_time_for_settlement_are_recorded_and_readable() -> None:
    desk = Desk()
    message = desk.increment()
    result = desk.send(message)
    assert isinstance(result, Applied)
    kept = msgspec.json.decode(msgspec.json.encode(logged(desk.state, result)), type=Logged)
    assert isinstance(kept.entry, entry.Increment)
    assert (kept.entry.message.amount, kept.meters.display) == (25, 100_025)
    assert (kept.digest, kept.version, kept.in_force) == (CROWN.digest, 1, "2026-11-01")
    coup = desk.coup(trigger="coloured")
    desk.record(coup, at=5_000)
    desk.coup()
    desk.confirm(coup)
    desk.coup()
    win = desk.closed()[-1]
    assert (win.at, win.value, win.rounded, win.prize) == ("2026-11-17T20:00:05.000Z", 100_050, 100_500, 10_050)


def test_cj_06_every_entry_has_version_date_and_digest_of_its_parameters() -> None:
    desk = Desk()
    desk.coup()
    changed = msgspec.structs.replace(CROWN, increment=50, version=2, in_force="2026-12-01")
    desk.done(entry.Changed(time=time_of(9), parameters=changed))
    desk.coup()
    assert desk.state.in_ == 50  # a change waits while the jackpot is live
    full = desk.win("suited")
    assert full.prize == 100_500
    result = desk.send(desk.increment(amount=50))
    assert isinstance(result, Applied)
    assert (result.digest, result.version, result.in_force) == (changed.digest, 2, "2026-12-01")
    assert desk.state.display == 100_050


def test_cj_07_one_increment_a_coup_none_for_a_void_one() -> None:
    desk = Desk()
    message = desk.increment()
    desk.send(message)
    again = desk.apply(entry.Increment(time_of(2), message))
    assert isinstance(again, Refused)
    assert again.reason == "repeat"
    void = desk.send(desk.increment(kind="void"))
    assert isinstance(void, Refused)
    assert desk.meters() == {"base": 100_000, "in": 25, "display": 100_025}
    desk.reverse(message.coup_id)
    assert desk.meters() == {"base": 100_000, "display": 100_000}


@pytest.mark.parametrize(("outcome", "prize"), [("non_coloured", 5_025), ("coloured", 10_050), ("suited", 100_500)])
def test_cj_09_the_per_cent_of_each_outcome(outcome: str, prize: int) -> None:
    assert Desk().win(outcome).prize == prize  # 5, 10 and 100 % of 100,025 rounded up to 100,500


def test_cj_13_the_shoe_recognises_the_hand_but_the_dealer_records_it() -> None:
    desk = Desk()
    coup = desk.coup(trigger="suited")
    assert desk.pending() == []
    desk.record(coup, at=7_000)
    assert [(win.win, win.at) for win in desk.pending()] == [(coup, "2026-11-17T20:00:07.000Z")]


@pytest.mark.parametrize("role", ["dealer", "TG Higher Duties Dealer"])
def test_cj_14_no_pay_out_below_an_area_manager(role: str) -> None:
    desk = Desk()
    coup = desk.coup(trigger="suited")
    desk.record(coup)
    before = desk.meters()
    refused = desk.confirmed(coup, role)
    assert isinstance(refused, Refused)
    assert refused.reason == "role"
    assert "TG Area Manager (13.4.5)" in refused.say
    assert desk.meters() == before


@pytest.mark.parametrize("role", ["TG Area Manager", "casino_manager"])
def test_cj_14_an_area_manager_or_above_confirms_and_the_casino_manager_is_notified(role: str) -> None:
    desk = Desk()
    coup = desk.coup(trigger="suited")
    desk.record(coup)
    result = desk.confirmed(coup, role)
    assert isinstance(result, Applied)
    win = result.wins[0]
    assert (win.state, win.by, win.role, win.notified) == ("paid", "Ann", role, "Max")


def test_cj_14_nothing_is_paid_before_it_is_confirmed() -> None:
    desk = Desk()
    coup = desk.coup(trigger="suited")
    early = desk.confirmed(coup)
    assert isinstance(early, Refused)
    assert "not recorded yet" in early.say
    desk.record(coup)
    assert (desk.state.wins, desk.state.display) == (0, 100_025)
    desk.confirm(coup)
    assert (desk.state.wins, desk.state.hits) == (100_500, 1)
    twice = desk.confirmed(coup)
    assert isinstance(twice, Refused)
    assert twice.reason == "repeat"
    assert (desk.state.wins, desk.state.hits) == (100_500, 1)


def test_cj_15_only_tie_wagers_share_equally() -> None:
    stakes = {"tie": [100, 900, 300], "player": [50_000]}
    win = Desk().win("coloured", stakes=stakes)
    assert win.shares == [3_350, 3_350, 3_350]  # a third of 10,050 each


def test_cj_15_equal_parts_that_do_not_divide_add_up() -> None:
    win = Desk().win("non_coloured", stakes={"tie": [100, 100]})
    assert win.shares == [2_513, 2_512]  # 5,025


def test_cj_15_in_proportion_to_the_tie_stakes() -> None:
    win = Desk(division="proportional").win("coloured", stakes={"tie": [100, 300], "banker": [700]})
    assert win.shares == [2_513, 7_537]  # a quarter of 10,050 is 2,512.5, three quarters 7,537.5


def test_cj_15_a_lucky_tie_without_a_tie_wager_pays_nobody() -> None:
    desk = Desk()
    win = desk.win("suited", stakes={"banker": [500]})
    assert (win.state, win.shares, win.prize) == ("invalid", [], 0)
    assert desk.meters() == {"base": 100_000, "in": 25, "display": 100_025}


@pytest.mark.parametrize(
    ("value", "rounded", "prize"), [(100_000, 100_000, 10_000), (100_001, 100_500, 10_050), (100_499, 100_500, 10_050)]
)
def test_cj_17_rounded_up_first_then_the_per_cent(value: int, rounded: int, prize: int) -> None:
    win = Desk(base=value - 25).win("coloured")
    assert (win.value, win.rounded, win.prize) == (value, rounded, prize)


def test_cj_17_the_value_is_that_of_the_display_when_the_win_was_recorded() -> None:
    desk = Desk()
    coup = desk.coup(trigger="coloured")
    desk.record(coup)
    for _ in range(40):
        desk.coup("bac-02")
    assert desk.confirm(coup).value == 100_025
    assert desk.state.display == 100_025 + 40 * 25 - 10_050


@pytest.mark.parametrize("first_to_arrive", ["bac-01", "bac-02"])
def test_cj_18_the_order_of_the_dealers_records_decides(first_to_arrive: str) -> None:
    desk = Desk()
    coups = {table: desk.coup(table, trigger="coloured") for table in ("bac-01", "bac-02")}
    at = {"bac-02": 10_000, "bac-01": 10_001}  # one millisecond apart
    for table in sorted(coups, key=lambda table: table != first_to_arrive):
        desk.record(coups[table], at[table])
    pending = desk.pending()
    assert [(win.table, win.value, win.prize) for win in pending] == [
        ("bac-02", 100_050, 10_050),
        ("bac-01", 90_000, 9_000),  # sees the meter after the first
    ]
    paid = {win.table: desk.confirm(win.win).prize for win in pending}
    assert paid == {"bac-02": 10_050, "bac-01": 9_000}
    assert desk.state.display == 81_000


@pytest.mark.parametrize("first_to_arrive", ["bac-01", "bac-02"])
def test_cj_18_after_a_win_in_full_the_second_sees_the_reset_value(first_to_arrive: str) -> None:
    desk = Desk()
    coups = {"bac-01": desk.coup("bac-01", trigger="coloured"), "bac-02": desk.coup("bac-02", trigger="suited")}
    at = {"bac-02": 10_000, "bac-01": 10_001}
    for table in sorted(coups, key=lambda table: table != first_to_arrive):
        desk.record(coups[table], at[table])
    assert isinstance(desk.confirmed(coups["bac-01"]), Refused)
    assert [desk.confirm(coups[table]).prize for table in ("bac-02", "bac-01")] == [100_500, 10_000]
    # base: 100,000 at the start, 450 of rounding, 100,000 at the reset
    assert desk.meters() == {"base": 200_450, "in": 50, "display": 90_000, "hits": 2, "wins": 110_500}


def test_cj_18_a_record_that_arrives_late_sees_no_more_than_the_later_one_saw() -> None:
    desk = Desk()
    early, late = desk.coup("bac-01", trigger="coloured"), desk.coup("bac-02", trigger="coloured")
    desk.record(late, 10_001)
    for _ in range(30):
        desk.coup("bac-02")  # 750 more on the display
    desk.record(early, 10_000)
    assert [(win.win, win.value, win.prize) for win in desk.pending()] == [
        (early, 100_050, 10_050),
        (late, 90_000, 9_000),
    ]


def test_cj_18_in_a_log_of_an_older_release_times_are_compared_as_times() -> None:
    desk = Desk()
    late, early = desk.coup("bac-01", trigger="coloured"), desk.coup("bac-02", trigger="coloured")
    for coup, at in ((late, "2026-11-17T20:00:10.5Z"), (early, "2026-11-17T21:00:10+01:00")):
        made = desk.recorded(coup)
        desk.done(entry.Recorded(made.time, msgspec.structs.replace(made.message, at=at)))
    assert [win.table for win in desk.pending()] == ["bac-02", "bac-01"]


def test_cj_19_parts_are_whole_minor_units_and_a_win_in_full_is_a_payable_amount() -> None:
    win = Desk().win("suited", stakes={"tie": [100] * 7})
    assert win.prize % 500 == 0
    assert sum(win.shares) == win.prize == 100_500
    assert win.shares == [14_358] + [14_357] * 6  # 100,500 = 14,358 + 6 times 14,357


def test_cj_20_a_malfunction_stops_the_jackpot_on_that_table_only() -> None:
    desk = Desk()
    desk.withdraw("bac-01")
    desk.coup("bac-01")
    desk.coup("bac-02")
    assert not_offered(desk.state) == {"bac-01": "display dark"}
    assert desk.meters() == {"base": 100_000, "in": 25, "display": 100_025}
    desk.restore("bac-01")
    desk.coup("bac-01")
    assert not_offered(desk.state) == {}
    assert desk.state.display == 100_050


def test_cj_20_a_hand_at_a_withdrawn_table_wins_nothing() -> None:
    desk = Desk()
    desk.withdraw()
    coup = desk.coup(trigger="suited")
    refused = desk.apply(desk.recorded(coup))
    assert isinstance(refused, Refused)
    assert desk.pending() == []


def test_cj_21_an_area_manager_adds_what_the_shoe_did_not_record() -> None:
    desk = Desk()
    desk.coup()
    skipped = desk.send(desk.increment(coup=4))
    assert isinstance(skipped, Applied)
    assert skipped.missing == (2, 3)
    for number in (2, 3):
        proposed = entry.Proposed(time=time_of(5), table="bac-01", unit="bac-01-u", shoe=1, coup=number)
        desk.done(proposed)
    assert desk.state.in_ == 50  # only proposed
    low = desk.made_good("bac-01/bac-01-u/1/2", "higher_duties_dealer")
    assert isinstance(low, Refused)
    assert "13.4.9(b)" in low.say
    for number in (2, 3):
        assert isinstance(desk.made_good(f"bac-01/bac-01-u/1/{number}", "area_manager"), Applied)
    assert desk.meters() == {"base": 100_000, "in": 100, "display": 100_100}
    assert isinstance(desk.made_good("bac-01/bac-01-u/1/2", "area_manager"), Refused)
    assert isinstance(desk.apply(proposed), Refused)
    assert desk.state.in_ == 100

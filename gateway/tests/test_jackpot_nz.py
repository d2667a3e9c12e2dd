"""New Zealand's jackpot rules (002 section 18) at the engine; figures are computed by hand from the rule's text."""

from fractions import Fraction

import msgspec
import pytest
from jackpot_desk import NZ, Desk, time_of
from sabot_floor.jackpots.engine import Applied, Logged, Refused, logged, open_wins
from sabot_floor.jackpots.engine import entries as entry
from sabot_protocol.jackpots.draws import candidates, commitment, draw
from sabot_protocol.jackpots.parameters import Random
from sabot_protocol.topics import JACKPOT_RETAINED

SEATS = Random(draws=("table", "seat"), seats=7, percent=50)


def test_nj_03_wager_funded_increments_are_checked_with_their_carry() -> None:
    desk = Desk(NZ, funding="both", wager_increment={"perfect_pair_player": "1.5%"})
    stakes = {"perfect_pair_player": [1_000, 530]}  # 1.5 % of 1,530 is 22.95
    desk.coup(stakes=stakes, amount=62, operator=40, carry="19/20")
    desk.coup(stakes=stakes, amount=63, operator=40, carry="9/10")  # 45.90 in all, 22 before
    assert desk.state.in_ == 80 + 45
    wrong = desk.send(desk.increment(stakes=stakes, amount=63, operator=40, carry="19/20"))
    assert isinstance(wrong, Refused)
    assert wrong.reason == "amount"
    assert desk.state.in_ + Fraction(9, 10) == 80 + 2 * Fraction(2295, 100)


def test_nj_04_a_fixed_amount_a_round_at_each_participating_table() -> None:
    desk = Desk(NZ)
    for table in ("nz-01", "nz-02", "nz-01"):
        desk.coup(table)
    assert desk.meters() == {"base": 50_000, "in": 120, "display": 50_120}
    for amount in (41, 39, -40, 0):
        refused = desk.send(desk.increment(amount=amount))
        assert isinstance(refused, Refused)
        assert refused.reason == "amount"
    assert desk.state.in_ == 120


def test_nj_07_one_system_serves_one_table_or_a_group() -> None:
    one, group = Desk(NZ, tables=("nz-01",)), Desk(NZ, tables=tuple(f"nz-{n:02}" for n in range(1, 31)))
    one.coup("nz-01")
    for table in group.parameters.tables:
        group.coup(table)
    assert (one.state.display, group.state.display) == (50_040, 50_000 + 30 * 40)
    refused = one.send(one.increment("nz-02"))
    assert isinstance(refused, Refused)
    assert refused.reason == "table"


def test_nj_08_the_current_value_is_there_for_every_display() -> None:
    desk = Desk(NZ)
    shown = []
    for table in ("nz-01", "nz-02"):
        desk.coup(table)
        shown.append(desk.state.meters().display)
    assert shown == [50_040, 50_080]
    assert JACKPOT_RETAINED["meter"]  # any number of displays, promotional ones too, get it when they are switched on


def drawn(desk: Desk, name: str = "draw-1", secret: bytes = b"s" * 32) -> entry.Drawn:
    found = candidates(SEATS, desk.parameters.tables)
    made = draw(secret, found, "0" * 64, b"t" * 32)
    return entry.Drawn(time=time_of(9), id=name, draw=made, by="Ann", role="casino_supervisor")


def random_desk() -> Desk:
    desk = Desk(NZ, trigger=SEATS, qualifying=())
    desk.state.commitment = commitment(b"s" * 32)
    return desk


def test_nj_09_a_drawn_table_and_seat_win_without_a_card_trigger() -> None:
    desk = random_desk()
    desk.coup("nz-01")
    desk.done(drawn(desk))
    win = desk.pending()[0]
    assert win.table in NZ.tables
    assert win.seat in {f"seat {number}" for number in range(1, 8)}
    assert (win.value, win.rounded, win.prize, win.shares) == (50_040, 50_100, 25_050, [25_050])
    assert desk.state.wins == 0
    desk.confirm("draw-1")
    assert desk.meters() == {"base": 50_000, "in": 40, "display": 24_990, "hits": 1, "wins": 25_050}
    assert desk.state.commitment == commitment(b"t" * 32)


def test_nj_09_only_the_secret_that_was_committed_to_draws() -> None:
    desk = random_desk()
    refused = desk.apply(drawn(desk, secret=b"x" * 32))
    assert isinstance(refused, Refused)
    assert refused.reason == "forged"
    desk.done(drawn(desk))
    again = desk.apply(drawn(desk, "draw-2"))
    assert isinstance(again, Refused)
    assert len(desk.pending()) == 1


def test_nj_09_a_withdrawn_table_is_not_drawn() -> None:
    desk = random_desk()
    desk.withdraw("nz-02")
    refused = desk.apply(drawn(desk))
    assert isinstance(refused, Refused)
    assert "candidates" in refused.say


def test_nj_10_every_amount_is_recorded() -> None:
    desk = Desk(NZ, funding="both", wager_increment={"perfect_pair_player": "10%"})
    message = desk.increment(stakes={"perfect_pair_player": [250]}, amount=65, operator=40, carry="0")
    result = desk.send(message)
    assert isinstance(result, Applied)
    kept = msgspec.json.decode(msgspec.json.encode(logged(desk.state, result)), type=Logged)
    assert isinstance(kept.entry, entry.Increment)
    sent = kept.entry.message
    assert (sent.amount, sent.operator, sent.stakes) == (65, 40, {"perfect_pair_player": [250]})
    assert (kept.meters.in_, kept.meters.display) == (65, 50_065)


def test_nj_11_the_time_for_settlement_is_recorded_at_each_table() -> None:
    desk = Desk(NZ)
    for table, at in (("nz-01", 1_000), ("nz-02", 2_000)):
        coup = desk.coup(table, trigger="coloured")
        desk.record(coup, at)
        desk.confirm(coup)
    found = [(win.table, win.at) for win in desk.closed()]
    assert found == [("nz-01", "2026-11-17T20:00:01.000Z"), ("nz-02", "2026-11-17T20:00:02.000Z")]


def test_nj_12_the_value_at_settlement_stays_readable() -> None:
    desk = Desk(NZ)
    coup = desk.coup(trigger="coloured")
    desk.record(coup)
    for _ in range(3):
        desk.coup("nz-02")
    assert (open_wins(desk.state)[0].value, desk.state.display) == (50_040, 50_160)
    desk.confirm(coup)
    desk.coup("nz-02")
    win = desk.closed()[0]
    assert (win.value, win.rounded, win.prize) == (50_040, 50_100, 5_010)


def test_nj_12_the_newest_hundred_values_stay_readable() -> None:
    desk = Desk(NZ, base=10_000_000)
    for _ in range(103):
        desk.win("coloured")
    assert len(desk.closed()) == 100
    assert desk.state.hits == 103


def test_nj_13_once_a_qualifying_round() -> None:
    desk = Desk(NZ, unwagered=False)
    desk.coup()
    refused = desk.send(desk.increment(kind="no_bet"))
    assert isinstance(refused, Refused)
    assert refused.reason == "amount"
    assert desk.state.in_ == 40


def test_nj_14_a_contribution_after_no_more_bets_is_taken_back_if_the_round_is_void() -> None:
    changes = {"funding": "wager", "increment": 0, "wager_increment": {"perfect_pair_player": "10%"}}
    desk = Desk(NZ, activation="no_more_bets", **changes)
    stakes = {"perfect_pair_player": [500]}
    coup = desk.coup(stakes=stakes, amount=50)
    assert desk.state.display == 50_050  # at once, with no result yet
    desk.reverse(coup, stakes=stakes)
    assert desk.meters() == {"base": 50_000, "display": 50_000}


def test_nj_15_the_dealer_records_a_qualifying_result() -> None:
    desk = Desk(NZ)
    coup = desk.coup(trigger="coloured")
    assert [win.state for win in open_wins(desk.state)] == ["recognised"]
    assert desk.pending() == []
    desk.record(coup)
    assert [win.state for win in open_wins(desk.state)] == ["pending"]
    plain = desk.coup()
    refused = desk.apply(desk.recorded(plain))
    assert isinstance(refused, Refused)
    assert "no trigger" in refused.say
    twice = desk.apply(desk.recorded(coup))
    assert isinstance(twice, Refused)
    assert twice.reason == "repeat"


def test_nj_16_no_pay_out_without_confirmation() -> None:
    desk = Desk(NZ)
    coup = desk.coup(trigger="perfect")
    desk.record(coup)
    assert (desk.state.wins, desk.state.hits, desk.state.display) == (0, 0, 50_040)
    for role in ("dealer", "game_supervisor", "croupier", ""):
        refused = desk.apply(entry.Confirmed(time=time_of(3), win=coup, by="Ann", role=role))
        assert isinstance(refused, Refused)
        assert refused.reason == "role"
    nobody = desk.apply(entry.Confirmed(time=time_of(3), win=coup, by=" ", role="casino_supervisor"))
    assert isinstance(nobody, Refused)
    assert desk.state.wins == 0
    desk.confirm(coup)
    assert (desk.state.wins, desk.state.hits, desk.state.display) == (50_100, 1, 50_000)


def test_nj_17_an_increment_needs_no_person() -> None:
    desk = Desk(NZ)
    result = desk.send(desk.increment())
    assert isinstance(result, Applied)
    assert result.increment == 40


def test_nj_18_only_qualifying_wagers_of_the_winning_table_are_paid() -> None:
    desk = Desk(NZ)
    desk.coup("nz-02", stakes={"perfect_pair_player": [700]})
    win = desk.win("coloured", "nz-01", {"perfect_pair_player": [500, 100], "banker": [90_000]})
    assert (win.table, win.stakes) == ("nz-01", [500, 100])
    assert win.shares == [2_505, 2_505]  # 10 % of 50,080 rounded up to 50,100, halved


def test_nj_18_another_outcome_or_table_than_the_cards_gave_is_refused() -> None:
    desk = Desk(NZ)
    coup = desk.coup(trigger="coloured")
    message = desk.recorded(coup).message
    for wrong in ({"outcome": "perfect"}, {"table": "nz-02"}, {"jackpot": "other"}, {"coup_id": "nz-01-u-99"}):
        refused = desk.apply(entry.Recorded(time_of(2), msgspec.structs.replace(message, **wrong)))
        assert isinstance(refused, Refused)
        assert refused.reason == "win"
    assert desk.pending() == []


@pytest.mark.parametrize(("division", "shares"), [("equal", [2_505, 2_505]), ("proportional", [4_008, 1_002])])
def test_nj_19_several_winners_share_by_the_displayed_method(division: str, shares: list[int]) -> None:
    win = Desk(NZ, division=division).win("coloured", stakes={"perfect_pair_player": [400, 100]})
    assert win.shares == shares  # of 5,010


@pytest.mark.parametrize(("value", "prize"), [(50_000, 50_000), (50_001, 50_100), (50_099, 50_100), (50_100, 50_100)])
def test_nj_20_the_display_at_settlement_rounded_up(value: int, prize: int) -> None:
    desk = Desk(NZ, base=value - 40, reset=7_000)
    assert desk.win("perfect").prize == prize
    # The operator pays what rounding adds, and the reset value.
    assert desk.meters() == {
        "base": value - 40 + (prize - value) + 7_000,
        "in": 40,
        "display": 7_000,
        "hits": 1,
        "wins": prize,
    }


def test_nj_21_payable_amounts_in_whole_minor_units() -> None:
    win = Desk(NZ).win("perfect", stakes={"perfect_pair_player": [100, 100, 100, 100, 100, 100, 100]})
    assert win.prize % 100 == 0
    assert sum(win.shares) == win.prize == 50_100
    assert win.shares == [7_158, 7_157, 7_157, 7_157, 7_157, 7_157, 7_157]


def test_nj_22_two_people_adjust_for_an_unrecorded_round() -> None:
    desk = Desk(NZ)
    desk.coup()
    result = desk.adjusted(40, role="game_supervisor")
    assert isinstance(result, Applied)
    assert desk.meters() == {"base": 50_000, "in": 80, "display": 50_080}
    kept = msgspec.json.decode(msgspec.json.encode(logged(desk.state, result)), type=Logged)
    assert isinstance(kept.entry, entry.Adjusted)
    assert (kept.entry.by, kept.entry.reason) == (("Bob", "Bill"), "round 7 not recorded")
    assert isinstance(desk.adjusted(-80), Applied)
    assert desk.meters() == {"base": 50_000, "display": 50_000}


def test_nj_22_an_adjustment_needs_two_people_a_role_a_reason_and_an_amount() -> None:
    desk = Desk(NZ)
    for by in ((), ("Ann",), ("Ann", "ann "), ("Ann", ""), ("Ann", "Bob", "Cy")):
        refused = desk.adjusted(40, by)
        assert isinstance(refused, Refused)
        assert refused.reason == "people"
    assert isinstance(desk.adjusted(40, role="dealer"), Refused)
    assert isinstance(desk.adjusted(40, reason=" "), Refused)
    assert all(isinstance(desk.adjusted(amount), Refused) for amount in (0, True, 1.0, "40", -50_001, 10**13))
    assert desk.meters() == {"base": 50_000, "display": 50_000}


def test_nj_23_a_malfunction_in_a_round_is_made_good_and_its_win_paid() -> None:
    desk = Desk(NZ)
    desk.withdraw("nz-01")
    coup = desk.coup("nz-01", trigger="coloured")
    assert desk.state.in_ == 0
    early = desk.apply(desk.recorded(coup))
    assert isinstance(early, Refused)
    assert "make it good first" in early.say
    assert isinstance(desk.made_good(coup, "dealer"), Refused)
    assert isinstance(desk.made_good(coup, "game_supervisor"), Applied)
    assert desk.meters() == {"base": 50_000, "in": 40, "display": 50_040}
    assert isinstance(desk.made_good(coup, "game_supervisor"), Refused)
    desk.record(coup)
    assert desk.confirm(coup).prize == 5_010
    assert desk.state.display == 45_030


def test_nj_24_a_win_without_a_qualifying_wager_leaves_the_meter() -> None:
    desk = Desk(NZ)
    win = desk.win("perfect", stakes={"banker": [1_000]})
    assert (win.state, win.shares, win.reason) == ("invalid", [], "no qualifying wager")
    assert desk.meters() == {"base": 50_000, "in": 40, "display": 50_040}


def test_nj_24_the_operator_deems_a_win_invalid_and_the_meter_goes_on() -> None:
    desk = Desk(NZ)
    first, second = desk.coup("nz-01", trigger="perfect"), desk.coup("nz-02", trigger="coloured")
    desk.record(first, 1_000)
    desk.record(second, 2_000)
    assert [win.prize for win in desk.pending()] == [50_100, 5_000]  # the second sees the reset value, 50,000
    made = entry.Invalid(time=time_of(3), win=first, by="Ann", role="game_supervisor", reason="malfunction")
    assert isinstance(desk.apply(made), Refused)
    assert isinstance(desk.apply(msgspec.structs.replace(made, role="casino_supervisor", reason="")), Refused)
    desk.done(msgspec.structs.replace(made, role="casino_supervisor"))
    assert [win.prize for win in desk.pending()] == [5_010]  # 10 % of 50,080 rounded up to 50,100
    assert desk.meters() == {"base": 50_000, "in": 80, "display": 50_080}
    assert isinstance(desk.confirmed(first), Refused)
    assert desk.closed()[0].reason == "malfunction"

"""Increments at the jackpot engine: forged, repeated, missing ones; withdrawn tables; missed coups."""

from typing import Any

import pytest
from jackpot_desk import CROWN, NZ, Desk, time_of
from msgspec.structs import replace
from sabot_floor.jackpots.engine import REASONS, Applied, Refused, decode, encode
from sabot_floor.jackpots.engine import entries as entry
from sabot_floor.jackpots.engine.coups import MOST_MISSED

WRONG: list[tuple[str, dict[str, Any]]] = [
    ("amount", {"amount": 26, "total": 51}),
    ("amount", {"amount": -25, "total": 0}),
    ("amount", {"amount": 25.0, "total": 50.0}),
    ("amount", {"amount": True, "total": 26}),
    ("amount", {"gateway": "gw-2", "count": -5}),
    ("amount", {"gateway": "gw-2", "count": 10**13}),
    ("currency", {"currency": "NZD"}),
    ("table", {"table": "bac-09"}),
    ("unreasonable", {"amount": 1_001, "total": 1_026}),
    ("parameters", {"parameters": "0123456789abcdef"}),
    ("parameters", {"jackpot": "other"}),
    ("coup", {"coup_id": "bac-02-u-2"}),
    ("coup", {"kind": "void"}),
    ("coup", {"coup": -1}),
    ("coup", {"shoe": 10**10}),
    ("win", {"trigger": "royal"}),
    ("malformed", {"gateway": "g" * 401}),
    ("repeat", {"count": 1}),
    ("gap", {"count": 3}),
    ("gap", {"total": 49}),
    ("gap", {"total": 51}),
    ("amount", {"trigger": "suited", "stakes": {"tie": [100, 0]}}),
    ("amount", {"trigger": "suited", "stakes": {"tie": [1.5]}}),
    ("amount", {"trigger": "suited", "stakes": {"tie": [1] * 501}}),
]


@pytest.mark.parametrize(("reason", "fields"), WRONG)
def test_a_wrong_increment_is_refused_and_changes_nothing(reason: str, fields: dict[str, Any]) -> None:
    desk = Desk()
    desk.coup()
    before = encode(desk.state)
    refused = desk.send(replace(desk.increment("bac-01"), **fields))
    assert isinstance(refused, Refused)
    assert refused.reason == reason
    assert reason in REASONS
    assert encode(desk.state) == before


def test_a_missing_increment_withdraws_the_table() -> None:
    desk = Desk()
    desk.coup()
    lost, found = desk.increment(), desk.increment(count=3, total=75, coup=3)
    refused = desk.send(found)
    assert isinstance(refused, Refused)
    assert refused.then is not None
    assert refused.fault is not None
    assert refused.fault.table == "bac-01"
    assert "count 3 and total 75, expected 2 and 50" in refused.say
    desk.done(refused.then)
    # What comes in sequence is remembered; what does not is refused without withdrawing again.
    again = desk.send(found)
    assert isinstance(again, Refused)
    assert again.then is None
    assert isinstance(desk.send(lost), Applied)
    assert [one.id for one in desk.state.missed] == [lost.id]
    assert desk.state.in_ == 25


def test_after_the_table_is_restored_the_difference_is_proposed() -> None:
    desk = Desk()
    desk.coup()
    refused = desk.send(desk.increment(count=4, total=100, coup=4))
    assert isinstance(refused, Refused)
    assert refused.then is not None
    desk.done(refused.then)
    desk.restore()
    desk.coup(count=5, total=125, coup=5)
    assert [(one.id, one.amount, one.coups) for one in desk.state.missed] == [("bac-01/gw-1/2-4", 75, 3)]
    assert desk.state.in_ == 50
    assert isinstance(desk.made_good(desk.state.missed[0].id), Applied)
    assert desk.meters() == {"base": 100_000, "in": 125, "display": 100_125}
    desk.coup()
    assert desk.state.in_ == 150


def test_a_gateway_that_counted_before_the_floor_did_starts_after_a_restore() -> None:
    desk = Desk()
    refused = desk.send(desk.increment(count=57, total=1_425))
    assert isinstance(refused, Refused)
    assert refused.then is not None
    desk.done(refused.then)
    desk.restore()
    desk.coup(count=58, total=1_450)
    assert [(one.amount, one.coups) for one in desk.state.missed] == [(1_425, 57)]
    assert desk.state.in_ == 25
    stranger = desk.send(desk.increment(gateway="gw-2", count=9, total=225))
    assert isinstance(stranger, Refused)
    assert stranger.reason == "gap"


def test_each_gateway_of_a_table_has_its_own_sequence() -> None:
    desk = Desk()
    desk.coup()
    desk.coup(gateway="gw-2", unit="bac-01-v", coup_id="bac-01-v-1", id="v-1", count=1, total=25)
    desk.coup()
    assert desk.state.in_ == 75


def test_a_withdrawn_tables_coups_are_made_good_once_each() -> None:
    desk = Desk()
    desk.withdraw()
    missed = [desk.coup() for _ in range(3)]
    assert [one.reason for one in desk.state.missed] == ["display dark"] * 3
    desk.restore()
    desk.coup()
    assert desk.state.in_ == 25
    for coup in missed:
        assert isinstance(desk.made_good(coup), Applied)
        assert isinstance(desk.made_good(coup), Refused)
    assert desk.state.in_ == 100
    assert desk.state.missed == []


def test_only_the_first_missed_coup_of_a_table_is_a_fault() -> None:
    desk = Desk()
    desk.withdraw("bac-01")
    desk.withdraw("bac-02")
    results = [desk.send(desk.increment(table)) for table in ("bac-01", "bac-01", "bac-02", "bac-02")]
    assert [len(result.faults) for result in results if isinstance(result, Applied)] == [1, 0, 1, 0]


def test_a_reversal_of_a_missed_coup_only_forgets_it() -> None:
    desk = Desk()
    desk.withdraw()
    coup = desk.coup()
    result = desk.reverse(coup)
    assert isinstance(result, Applied)
    assert (result.increment, desk.state.missed) == (0, [])
    assert desk.meters() == {"base": 100_000, "display": 100_000}


def test_a_reversal_of_a_counted_coup_counts_while_the_table_is_withdrawn() -> None:
    desk = Desk()
    coup = desk.coup()
    desk.withdraw()
    desk.reverse(coup)
    assert desk.meters() == {"base": 100_000, "display": 100_000}


def test_too_many_missed_coups_are_summed_up() -> None:
    desk = Desk()
    desk.done(proposed(1))
    desk.withdraw()
    won = desk.coup(coup=2, trigger="coloured")
    for _ in range(MOST_MISSED - 2):
        desk.coup()
    assert [one.coups for one in desk.state.missed] == [1] * MOST_MISSED == [1] * 500
    assert isinstance(desk.apply(proposed(2_000)), Refused)
    for _ in range(20):
        desk.coup()
    listed = [(one.id, one.coups) for one in desk.state.missed]
    assert listed[0] == ("bac-01/older", 20)
    assert len(listed) == 501
    assert won in [one.coup_id for one in desk.state.missed]
    assert sum(one.amount for one in desk.state.missed) == 25 * 520
    for name, _ in listed:
        assert isinstance(desk.made_good(name), Applied)
    assert desk.state.in_ == 25 * 520


def test_nothing_is_made_good_without_a_name() -> None:
    desk = Desk()
    desk.done(proposed(1))
    assert isinstance(desk.made_good(""), Refused)
    assert desk.state.in_ == 0


def proposed(coup: int, **fields: Any) -> entry.Proposed:
    given = {"table": "bac-01", "unit": "bac-01-u", "shoe": 1, **fields}
    return entry.Proposed(time=time_of(1), coup=coup, **given)


def test_a_coup_that_was_counted_cannot_be_proposed() -> None:
    desk = Desk()
    desk.coup()
    desk.coup(coup=3)
    for made in (proposed(1), proposed(3), proposed(0), proposed(2, table="bac-09"), proposed(2, amount=1_001)):
        assert isinstance(desk.apply(made), Refused)
    desk.done(proposed(2))
    assert isinstance(desk.apply(proposed(2)), Refused)


@pytest.mark.parametrize(("amount", "right"), [(-1, False), (0, True), (1_000, True), (1_001, False)])
def test_the_amount_of_a_proposal(amount: int, right: bool) -> None:
    desk = Desk()
    assert isinstance(desk.apply(proposed(1, amount=amount)), Applied) is right


@pytest.mark.parametrize(("coup_id", "outcome"), [("", "coloured"), ("bac-01-u-1", "")])
def test_only_a_known_coup_with_a_winning_hand_becomes_a_win(coup_id: str, outcome: str) -> None:
    desk = Desk()
    desk.done(proposed(1, coup_id=coup_id, outcome=outcome))
    assert isinstance(desk.made_good(coup_id or "bac-01/bac-01-u/1/1"), Applied)
    assert desk.state.open == {}
    assert isinstance(desk.apply(proposed(2, outcome="royal")), Refused)


def test_what_was_missed_counts_by_the_parameters_of_its_time() -> None:
    desk = Desk(reserve="40%")
    desk.withdraw("bac-01")
    coup = desk.coup("bac-01")
    desk.coup("bac-02")
    desk.done(entry.Changed(time=time_of(1), parameters=replace(desk.parameters, version=2, reserve="0%", reset=0)))
    desk.win("suited", "bac-02")
    result = desk.made_good(coup)
    assert isinstance(result, Applied)
    assert (result.version, desk.state.display, desk.state.reserve) == (1, 15, 30)  # 20 hidden of two coups before


def test_an_increment_that_comes_after_all_ends_the_proposal() -> None:
    desk = Desk()
    desk.coup()
    desk.coup(coup=3)
    desk.done(proposed(2))
    desk.done(proposed(4, coup_id="bac-01-u-4", outcome="coloured"))
    desk.coup(coup=2)
    assert [one.coup for one in desk.state.missed] == [4]
    assert desk.state.in_ == 75
    desk.made_good("bac-01-u-4")
    assert desk.state.open["bac-01-u-4"].outcome == "coloured"


def test_an_increment_of_a_coup_that_was_made_good_waits_for_a_person() -> None:
    desk = Desk()
    desk.coup()
    desk.coup(coup=3)
    desk.done(proposed(2))
    desk.made_good("bac-01/bac-01-u/1/2")
    late = desk.send(desk.increment(coup=2))
    assert isinstance(late, Applied)
    assert late.increment == 0
    assert late.faults[0].name == "missed"
    assert [one.reason for one in desk.state.missed] == ["made good before"]
    assert desk.state.in_ == 75


def test_a_coup_from_before_the_first_increment_is_made_good_once() -> None:
    desk = Desk()
    desk.coup(coup=7)
    desk.done(proposed(3))
    assert isinstance(desk.made_good("bac-01/bac-01-u/1/3"), Applied)
    assert desk.state.in_ == 50
    assert isinstance(desk.apply(proposed(3)), Refused)


def test_a_coup_that_a_person_decided_has_an_id_of_the_gateway() -> None:
    desk = Desk()
    desk.coup(coup_id="gw-1-77")
    assert desk.state.in_ == 25


def test_a_decision_of_a_person_belongs_to_the_shoe_on_the_table() -> None:
    desk = Desk()
    desk.coup()
    desk.coup(coup=3)
    result = desk.send(desk.increment(coup=2, unit="gw-1-own", coup_id="gw-1-own-77"))
    assert isinstance(result, Applied)
    assert desk.state.places["bac-01"].shoes[0].missing == ()


def test_a_coup_of_another_table_is_refused() -> None:
    desk = Desk()
    desk.coup("bac-01", coup=4)
    desk.coup("bac-02")
    before = encode(desk.state)
    forged = desk.increment("bac-02", unit="bac-01-u", coup_id="bac-01-u-1", coup=4)
    refused = desk.send(forged)
    assert isinstance(refused, Refused)
    assert refused.reason == "coup"
    assert "was counted at bac-01" in refused.say
    assert isinstance(desk.apply(proposed(4, table="bac-02")), Refused)
    assert encode(desk.state) == before


def test_a_shoe_that_moves_to_another_table_goes_on_there() -> None:
    desk = Desk()
    desk.coup("bac-02", unit="bac-02-u", shoe=9)
    for number in (1, 2, 3):
        desk.coup("bac-01", coup=number)
    moved = desk.send(desk.increment("bac-02", unit="bac-01-u", coup_id="bac-01-u-9", shoe=1, coup=4))
    assert isinstance(moved, Applied)
    assert moved.missing == ()
    again = desk.send(desk.increment("bac-02", unit="bac-01-u", coup_id="bac-01-u-9", shoe=1, coup=6))
    assert isinstance(again, Applied)
    assert again.missing == (5,)
    assert desk.state.in_ == 150


def test_of_a_great_gap_the_newest_hundred_numbers_are_listed() -> None:
    desk = Desk()
    desk.coup()
    result = desk.send(desk.increment(coup=200))
    assert isinstance(result, Applied)
    assert result.missing == tuple(range(100, 200))
    desk.coup(coup=205)
    assert desk.state.places["bac-01"].shoes[0].missing == (*range(104, 200), *range(201, 205))


def test_the_next_shoe_begins_with_its_first_coup() -> None:
    desk = Desk()
    desk.coup(coup=7)  # the jackpot began in mid-shoe
    result = desk.send(desk.increment(shoe=2, coup=3))
    assert isinstance(result, Applied)
    assert result.missing == (1, 2)
    other = desk.send(desk.increment(shoe=3, coup=4))  # the number after that of the shoe before
    assert isinstance(other, Applied)
    assert other.missing == (1, 2, 3)
    exchanged = desk.send(desk.increment(unit="v", coup_id="v-9", shoe=3, coup=5))
    assert isinstance(exchanged, Applied)
    for shoe in range(4, 9):
        desk.coup(shoe=shoe, coup=1)
    assert len(desk.state.places["bac-01"].shoes) == 4


def test_withdrawing_and_restoring_need_a_role_a_table_and_a_change() -> None:
    desk = Desk(NZ)
    wrong: list[entry.Entry] = [
        entry.Withdrawn(time=time_of(1), table="nz-09", reason="dark"),
        entry.Withdrawn(time=time_of(1), table="nz-01", reason="dark", by="Dee", role="dealer"),
        entry.Withdrawn(time=time_of(1), table="nz-01", reason="dark", role="casino_supervisor"),
        entry.Restored(time=time_of(1), table="nz-01"),
        entry.Restored(time=time_of(1), table="nz-09"),
    ]
    assert all(isinstance(desk.apply(made), Refused) for made in wrong)
    desk.withdraw("nz-01")
    assert isinstance(desk.apply(entry.Withdrawn(time=time_of(1), table="nz-01", reason="again")), Refused)
    assert isinstance(desk.apply(entry.Restored(time=time_of(1), table="nz-01", by="Dee", role="dealer")), Refused)
    desk.done(entry.Restored(time=time_of(1), table="nz-01", by="Ann", role="casino_supervisor"))


def test_a_wager_funded_reversal_and_restart_take_the_carry_of_the_message() -> None:
    desk = Desk(NZ, funding="wager", increment=0, wager_increment={"perfect_pair_player": "1.5%"})
    stakes = {"perfect_pair_player": [130]}  # 1.95
    first = desk.coup(stakes=stakes, amount=1, carry="19/20")
    desk.reverse(first, stakes=stakes, carry="0")
    desk.coup(stakes=stakes, amount=1, carry="19/20")
    assert desk.state.in_ == 1
    all_wrong: list[dict[str, Any]] = [
        {"carry": "0.95"}, {"carry": "1/0"}, {"carry": "9" * 40}, {"amount": 3}, {"stakes": {}}
    ]  # fmt: skip
    for wrong in all_wrong:
        made = desk.increment("", **{"stakes": stakes, "amount": 2, "carry": "9/10", **wrong})
        refused = desk.send(made)
        assert isinstance(refused, Refused)
        assert refused.reason == "amount"
    desk.withdraw()
    desk.restore()
    desk.coup(stakes=stakes, amount=2, carry="1/2", count=9, total=40)
    assert desk.state.in_ == 3


def test_the_state_survives_a_restart() -> None:
    desk = Desk(reserve="1.5%", limit=100_030)
    coup = desk.coup(trigger="coloured", stakes={"tie": [100]})
    desk.record(coup, stakes={})
    desk.withdraw("bac-02")
    desk.coup("bac-02")
    desk.adjusted(10)
    desk.done(entry.Changed(time=time_of(1), parameters=replace(desk.parameters, version=2)))
    kept = encode(desk.state)
    assert decode(kept) == desk.state
    assert encode(decode(kept)) == kept
    desk.state = decode(kept)
    assert desk.confirm(coup).stakes == [100]


def test_a_log_is_opened_once() -> None:
    desk = Desk()
    refused = desk.apply(entry.Opened(time=time_of(1), parameters=CROWN))
    assert isinstance(refused, Refused)

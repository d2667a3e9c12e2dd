"""Bounds of the jackpot engine: the last value that is taken, and the first that is not."""

from typing import Any

import pytest
from jackpot_desk import NZ, Desk
from msgspec.structs import replace
from sabot_floor.jackpots.engine import Applied, Refused


def restored() -> Desk:
    """Return a jackpot whose table may begin with any count."""
    desk = Desk()
    desk.coup()
    desk.withdraw()
    desk.restore()
    return desk


@pytest.mark.parametrize(
    ("fields", "right"),
    [
        ({"count": 10**12}, True),
        ({"count": 10**12 + 1}, False),
        ({"total": 10**15}, True),
        ({"total": -(10**15)}, True),
        ({"total": 10**15 + 1}, False),
        ({"coup": 10**9}, True),
        ({"coup": 10**9 + 1}, False),
        ({"coup": 0}, True),
        ({"shoe": 10**9}, True),
        ({"shoe": 10**9 + 1}, False),
        ({"shoe": 0}, True),
        ({"shoe": -1}, False),
    ],
)
def test_numbers_of_an_increment(fields: dict[str, Any], right: bool) -> None:
    desk = restored()
    result = desk.send(replace(desk.increment("bac-01"), **fields))
    assert isinstance(result, Applied if right else Refused), result


@pytest.mark.parametrize(("length", "right"), [(100, True), (101, False)])
def test_the_ids_of_an_increment_have_400_characters_at_most(length: int, right: bool) -> None:
    desk = Desk()
    ids = {"id": "i" * 100, "gateway": "g" * 100, "unit": "u" * 100, "coup_id": "u" * length}
    result = desk.send(replace(desk.increment("bac-01"), **ids))
    assert isinstance(result, Applied if right else Refused), result


def test_sixteen_gateways_per_table() -> None:
    desk = Desk()
    results = [desk.send(desk.increment(gateway=f"g-{number}")) for number in range(17)]
    assert [isinstance(result, Applied) for result in results] == [True] * 16 + [False]


def test_a_difference_of_nothing_in_several_increments_is_listed() -> None:
    desk = restored()
    desk.coup(count=4, total=50)  # a coup and its reversal did not arrive
    assert [(one.coups, one.amount) for one in desk.state.missed] == [(2, 0)]


def test_a_sum_that_changed_without_an_increment_is_listed() -> None:
    desk = restored()
    desk.coup(count=2, total=80)
    assert [(one.coups, one.amount) for one in desk.state.missed] == [(0, 30)]


def test_wager_funded_increments_and_reversals_of_nothing() -> None:
    desk = Desk(NZ, funding="wager", increment=0, wager_increment={"perfect_pair_player": "1.5%"})
    stakes = {"perfect_pair_player": [10]}  # 0.15
    coup = desk.coup(stakes=stakes, amount=0, carry="3/20")
    assert isinstance(desk.reverse(coup, stakes=stakes, carry="0"), Applied)
    desk.withdraw()
    desk.restore()
    assert isinstance(desk.send(desk.increment(stakes=stakes, amount=-1, carry="3/20")), Refused)
    assert isinstance(desk.send(desk.increment(stakes=stakes, amount=0, carry="3/20")), Applied)
    first = desk.messages[coup]
    wrong = desk.increment(amount=1, carry="0", reverses=first.id)
    assert isinstance(desk.send(wrong), Refused)


def test_a_fault_has_the_clause_of_the_book() -> None:
    assert Desk().withdraw().faults[0].clause == "13.4.9(a)"
    assert Desk(NZ).withdraw().faults[0].clause == "18.21"

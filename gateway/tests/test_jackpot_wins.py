"""Wins at the jackpot engine: bounds, wrong records, draws that anybody could forge, and what is published."""

from typing import Any

import msgspec
import pytest
from jackpot_desk import CROWN, NZ, Desk, time_of
from msgspec.structs import replace
from sabot_floor.jackpots.engine import Applied, Refused, closed_wins, decode, encode, open_wins
from sabot_floor.jackpots.engine import entries as entry
from sabot_floor.jackpots.engine.hits import MOST_OPEN, MOST_STAKES
from sabot_protocol.jackpots.draws import candidates, commitment, draw
from sabot_protocol.jackpots.parameters import LuckyTie, Random

SEAT = Random(draws=("seat", "location"), seats=5, locations=("player", "banker"), percent=100)


def test_of_too_many_unrecorded_wins_the_oldest_is_forgotten() -> None:
    desk = Desk()
    pending = desk.coup(trigger="coloured")
    desk.record(pending)
    coups = [desk.coup("bac-02", trigger="coloured") for _ in range(MOST_OPEN)]
    assert len(desk.state.open) == MOST_OPEN == 200
    assert pending in desk.state.open
    assert coups[0] not in desk.state.open
    assert set(coups[1:]) < set(desk.state.open)


def test_a_random_jackpot_has_no_winning_hand() -> None:
    desk = Desk(trigger=SEAT)
    refused = desk.send(desk.increment(trigger="suited"))
    assert isinstance(refused, Refused)
    assert refused.reason == "win"


@pytest.mark.parametrize(
    ("stakes", "right"),
    [([1] * MOST_STAKES, True), ([1] * (MOST_STAKES + 1), False), ([0], False), ([-5], False), ([True], False)],
)
def test_stakes_of_a_record(stakes: list[int], right: bool) -> None:
    desk = Desk()
    coup = desk.coup(trigger="coloured")
    before = encode(desk.state)
    result = desk.apply(desk.recorded(coup, stakes={"tie": stakes}))
    assert isinstance(result, Applied) is right
    assert (encode(desk.state) != before) is right


@pytest.mark.parametrize("at", ["", "noon", "2026-11-17T20:00:00", "2026-13-01T00:00:00Z"])
def test_a_record_needs_a_time(at: str) -> None:
    desk = Desk()
    coup = desk.coup(trigger="coloured")
    before = encode(desk.state)
    made = desk.recorded(coup)
    refused = desk.apply(entry.Recorded(made.time, replace(made.message, at=at)))
    assert isinstance(refused, Refused)
    assert "at:" in refused.say
    assert encode(desk.state) == before


def test_records_of_an_older_release_at_one_moment_come_by_table_then_coup() -> None:
    desk = Desk()
    second, first = desk.coup("bac-02", trigger="coloured"), desk.coup("bac-01", trigger="coloured")
    third = desk.coup("bac-02", trigger="coloured")
    for coup in (third, second, first):
        desk.record_by_time(coup, 5_000)
    assert [win.win for win in desk.pending()] == [first, second, third]


def test_a_win_after_one_that_takes_more_than_it_saw_is_worth_nothing() -> None:
    desk = Desk(base=1_000, reset=0, rounding=1)
    first, second = desk.coup(trigger="suited"), desk.coup(trigger="coloured")
    desk.record(first, 1_000)  # 1,050
    desk.adjusted(-1_000)
    desk.record(second, 2_000)  # sees 50
    desk.adjusted(2_000)
    assert [(win.value, win.prize, win.shares) for win in desk.pending()] == [(1_050, 1_050, [1_050]), (0, 0, [0])]
    desk.confirm(first)
    assert desk.confirm(second).prize == 0
    assert desk.meters() == {"base": 1_000, "in": 1_050, "display": 1_000, "hits": 2, "wins": 1_050}


def test_stakes_that_came_with_the_coup_hold_if_the_record_has_none() -> None:
    desk = Desk()
    coup = desk.coup(trigger="coloured", stakes={"tie": [300, 200], "player": [9]})
    desk.record(coup, stakes={})
    assert desk.confirm(coup).stakes == [300, 200]


def test_open_wins_are_the_pending_ones_in_order_then_the_recognised() -> None:
    desk = Desk()
    coups = [desk.coup(trigger="coloured") for _ in range(3)]
    desk.record(coups[2], 1_000)
    desk.record(coups[1], 2_000)
    found = open_wins(desk.state)
    assert [(win.win, win.state) for win in found] == [
        (coups[2], "pending"),
        (coups[1], "pending"),
        (coups[0], "recognised"),
    ]
    assert (found[0].table, found[0].shoe, found[0].coup) == ("bac-01", 1, 3)
    assert (found[0].outcome, found[0].percent, found[0].rounded) == ("coloured", 10, 100_500)


def test_a_per_cent_with_decimals_is_paid_exactly_and_published_as_it_is_set() -> None:
    trigger = LuckyTie("option_1", {"suited": 100, "coloured": "12.5", "non_coloured": "7.000001"})
    desk = Desk(base=100_110, rounding=10, trigger=trigger)
    coup = desk.coup(trigger="coloured")
    desk.record(coup, 1_000)
    paid = desk.confirm(coup)
    assert (paid.percent, paid.rounded) == ("12.5", 100_140)  # base and one increment of 25, rounded up to 10
    assert (paid.prize, sum(paid.shares)) == (12_517, 12_517)  # 12,517.5: the half stays on the meter
    assert decode(encode(desk.state)) == desk.state
    assert '"percent":"12.5"' in msgspec.json.encode(paid).decode()


def test_a_win_that_is_only_recognised_can_be_deemed_invalid() -> None:
    desk = Desk()
    coup = desk.coup(trigger="suited")
    made = entry.Invalid(time=time_of(3), win=coup, by="Ann", role="area_manager", reason="nobody played Tie")
    desk.done(made)
    assert [(win.state, win.by, win.reason) for win in closed_wins(desk.state)] == [
        ("invalid", "Ann", "nobody played Tie")
    ]
    again = desk.apply(made)
    assert isinstance(again, Refused)
    assert again.reason == "repeat"
    unknown = desk.apply(replace(made, win="other"))
    assert isinstance(unknown, Refused)
    assert unknown.reason == "win"


def test_an_invalid_win_keeps_the_value_that_it_would_have_had() -> None:
    desk = Desk()
    coup = desk.coup(trigger="suited")
    desk.record(coup)
    desk.done(entry.Invalid(time=time_of(3), win=coup, by="Ann", role="area_manager", reason="malfunction"))
    win = desk.closed()[0]
    assert (win.value, win.rounded, win.prize, win.shares) == (100_025, 100_500, 0, [])


def random_desk() -> Desk:
    desk = Desk(trigger=SEAT)
    desk.state.commitment = commitment(b"s" * 32)
    return desk


def drawn(desk: Desk, **fields: Any) -> entry.Drawn:
    made = draw(b"s" * 32, candidates(SEAT, desk.parameters.tables), "0" * 64, b"t" * 32)
    return entry.Drawn(time=time_of(9), draw=made, **{"id": "d", **fields})


def test_a_seat_that_is_drawn_without_a_table_wins_at_every_table() -> None:
    desk = random_desk()
    desk.coup()
    desk.done(drawn(desk))
    win = desk.confirm("d")
    assert (win.shares, win.stakes, win.table) == ([50_250, 50_250], [], "")
    assert (win.shoe, win.coup) == (0, 0)  # no hand
    assert win.seat.startswith("seat ")
    assert win.seat.endswith((", player", ", banker"))
    assert desk.state.display == 100_000  # in full: the reset value


def test_a_draw_needs_the_role_and_a_random_jackpot() -> None:
    desk = random_desk()
    before = encode(desk.state)
    for made in (drawn(desk, by="Dee", role="dealer"), drawn(desk, role="dealer"), replace(drawn(desk), time="noon")):
        assert isinstance(desk.apply(made), Refused)
    assert encode(desk.state) == before
    desk.done(drawn(desk, by="Ann", role="area_manager"))
    twice = desk.apply(drawn(desk))
    assert isinstance(twice, Refused)
    assert twice.reason == "repeat"
    plain = Desk()
    assert isinstance(plain.apply(drawn(plain)), Refused)


def test_parameters_come_into_force_also_by_a_draw_in_full() -> None:
    desk = random_desk()
    desk.coup()
    new = replace(desk.parameters, version=2, reset=5)
    desk.done(entry.Changed(time=time_of(1), parameters=new))
    desk.done(drawn(desk))
    result = desk.confirmed("d")
    assert isinstance(result, Applied)
    assert result.status
    assert (result.version, desk.state.parameters.version, desk.state.display) == (1, 2, 5)


def test_after_a_change_the_pending_wins_keep_their_own_parameters() -> None:
    desk = Desk()
    first, second = desk.coup("bac-01", trigger="suited"), desk.coup("bac-02", trigger="coloured")
    desk.done(entry.Changed(time=time_of(1), parameters=replace(CROWN, version=2, rounding=1, qualifying=("banker",))))
    desk.record(first, 1_000)
    desk.confirm(first)
    assert desk.state.parameters.version == 2
    result = desk.record(second, 2_000, stakes={"tie": [100], "banker": [700]})
    assert (result.version, result.digest) == (1, CROWN.digest)
    win = desk.confirm(second)
    assert (win.rounded, win.prize, win.stakes) == (100_000, 10_000, [100])


def test_the_ninth_change_forgets_the_first_parameters() -> None:
    desk = Desk(NZ)
    desk.coup()
    for version in range(2, 11):
        new = replace(NZ, version=version)
        desk.done(entry.Changed(time=time_of(1), parameters=new))
        desk.win("perfect")
    assert len(desk.state.former) == 8
    old = desk.send(desk.increment("nz-02", parameters=NZ.digest))
    assert isinstance(old, Refused)
    assert isinstance(desk.send(desk.increment("nz-02", parameters=replace(NZ, version=2).digest)), Applied)

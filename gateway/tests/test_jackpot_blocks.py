"""Coups that were missed as a sum: each lies in it once, and a win among them can be recorded when it is made good."""

import pytest
from jackpot_desk import GATEWAY, Desk, time_of
from msgspec.structs import replace
from sabot_floor.jackpots.engine import Applied, Refused, apply, decode, encode
from sabot_floor.jackpots.engine import entries as entry
from sabot_floor.jackpots.engine.coups import MOST_BLOCKS
from sabot_protocol.jackpots.messages import RecordedMessage

UNIT, BLOCK = "bac-01-u", "bac-01/gw-1/2-5"


def _lose(desk: Desk, count: int) -> None:
    """Lose the next increments of bac-01; the one behind them is refused, and the table is withdrawn and restored."""
    for _ in range(count):
        lost = desk.increment()
        desk.sent[GATEWAY, "bac-01"] = lost
    refused = desk.send(desk.increment())
    assert isinstance(refused, Refused)
    assert refused.then is not None
    desk.done(refused.then)
    desk.sent[GATEWAY, "bac-01"] = desk.increment()
    desk.restore()


@pytest.fixture
def desk() -> Desk:
    """Coup 1 was counted, 2 to 5 were missed, 6 was counted."""
    made = Desk()
    made.coup()
    _lose(made, 3)
    made.coup()
    assert [(one.id, one.amount, one.coups) for one in made.state.missed] == [(BLOCK, 100, 4)]
    return made


def _record(desk: Desk, coup: int, outcome: str = "suited", unit: str = UNIT, shoe: int = 1) -> Applied | Refused:
    message = RecordedMessage(
        id=f"r-{coup}",
        unit=unit,
        event_no=0,
        table="bac-01",
        shoe=shoe,
        coup=coup,
        time=time_of(desk.now),
        rulebook="00",
        gateway=GATEWAY,
        jackpot="lucky-tie",
        coup_id=f"{unit}-{coup}",
        outcome=outcome,
        at=time_of(desk.now),
        by="Dee",
        stakes={"tie": [100]},
    )
    return desk.apply(entry.Recorded(time_of(desk.now), message))


def _propose(desk: Desk, coup: int) -> Applied | Refused:
    return desk.apply(entry.Proposed(time=time_of(desk.now), table="bac-01", unit=UNIT, shoe=1, coup=coup))


def test_a_win_in_a_sum_that_was_made_good_is_paid_once(desk: Desk) -> None:
    assert isinstance(desk.made_good(BLOCK), Applied)
    assert isinstance(_record(desk, 3), Applied)
    again = _record(desk, 3)
    assert isinstance(again, Refused)
    assert again.reason == "repeat"
    paid = desk.confirm(f"{UNIT}-3")
    assert (paid.coup, paid.value, paid.prize) == (3, 100_150, 100_500)  # 100,000 + 6 x 25, rounded up to 500
    assert desk.meters() == {"base": 200_350, "in": 150, "display": 100_000, "hits": 1, "wins": 100_500}
    assert isinstance(_record(desk, 3), Refused)


def test_who_made_the_sum_good_does_not_confirm_a_win_in_it(desk: Desk) -> None:
    desk.made_good(BLOCK)
    _record(desk, 3)
    refused = desk.confirmed(f"{UNIT}-3", by="B.ob")
    assert isinstance(refused, Refused)
    assert "made it good: another person must confirm it" in refused.say
    assert decode(encode(desk.state)) == desk.state
    assert isinstance(desk.confirmed(f"{UNIT}-3", by="Ann"), Applied)


def test_in_a_log_of_an_older_release_who_made_the_sum_good_confirms(desk: Desk) -> None:
    desk.done(entry.MadeGood(time=time_of(9), missed=BLOCK, by="Bob", role="area_manager", rules=2))
    _record(desk, 3)
    assert isinstance(desk.confirmed(f"{UNIT}-3", by="Bob"), Applied)


def test_before_the_sum_is_made_good_the_win_is_refused_with_the_next_step(desk: Desk) -> None:
    refused = _record(desk, 3)
    assert isinstance(refused, Refused)
    assert f"is in {BLOCK}, which was missed: make that good first, then record the win with --again" in refused.say
    assert desk.pending() == []


@pytest.mark.parametrize(
    ("coup", "outcome", "unit"),
    [(1, "suited", UNIT), (6, "suited", UNIT), (7, "suited", UNIT), (3, "four_aces", UNIT), (7, "suited", "other")],
)
def test_a_record_outside_the_sum_or_of_no_trigger_is_no_win(desk: Desk, coup: int, outcome: str, unit: str) -> None:
    assert isinstance(desk.made_good(BLOCK), Applied)
    before = encode(desk.state)
    refused = _record(desk, coup, outcome, unit)
    assert isinstance(refused, Refused)
    assert "no win to record" in refused.say
    assert encode(desk.state) == before


def test_a_coup_in_the_sum_is_not_proposed_beside_it(desk: Desk) -> None:
    for made_good in (False, True):
        if made_good:
            assert isinstance(desk.made_good(BLOCK), Applied)
        refused = _propose(desk, 3)
        assert isinstance(refused, Refused)
        assert f"is in {BLOCK}" in refused.say


def test_what_was_proposed_of_the_sum_before_is_in_it_and_counts_once() -> None:
    desk = Desk()
    desk.coup()
    desk.sent[GATEWAY, "bac-01"] = replace(desk.increment(), coup=2)
    for coup in (2, 3):
        assert isinstance(_propose(desk, coup), Applied)
    _lose(desk, 2)
    desk.coup()
    (missed,) = desk.state.missed
    assert (missed.id, missed.amount) == (BLOCK, 100)
    assert "2 coups that were listed before are taken to be among them" in missed.reason
    assert isinstance(desk.made_good(BLOCK), Applied)
    assert desk.state.in_ == 150


def test_what_was_proposed_before_the_sum_stays_beside_it() -> None:
    desk = Desk()
    desk.coup()
    desk.coup(coup=3)
    assert isinstance(_propose(desk, 2), Applied)
    _lose(desk, 2)
    desk.coup()
    assert [(one.coup, one.coups, one.amount) for one in desk.state.missed] == [(2, 1, 25), (0, 3, 75)]


def test_a_reversal_of_the_winning_coup_cancels_its_win(desk: Desk) -> None:
    assert isinstance(desk.made_good(BLOCK), Applied)
    assert isinstance(_record(desk, 3), Applied)
    back = desk.increment(amount=-25, coup=3, reverses=f"{UNIT}-3-jackpot-lucky-tie")
    result = desk.send(back)
    assert isinstance(result, Applied)
    assert [win.state for win in result.wins] == ["cancelled"]
    assert desk.state.in_ == 125


def test_a_shoe_that_was_changed_meanwhile_lies_in_the_sum_to_its_end() -> None:
    desk = Desk()
    desk.coup()
    _lose(desk, 3)
    desk.coup(unit="new", shoe=9, coup=4, coup_id="new-4")
    assert isinstance(desk.made_good(BLOCK), Applied)
    assert isinstance(_record(desk, 40), Applied)  # of the shoe before
    assert isinstance(_record(desk, 3, unit="new", shoe=9), Applied)
    assert isinstance(_record(desk, 5, unit="new", shoe=9), Refused)


def test_sums_are_bounded_and_survive_in_the_state() -> None:
    desk = Desk()
    for _ in range(MOST_BLOCKS + 2):
        desk.coup()
        _lose(desk, 1)
    desk.coup()
    assert len(desk.state.blocks) == MOST_BLOCKS
    assert decode(encode(desk.state)) == desk.state
    assert isinstance(apply(desk.state, entry.Restored(time=time_of(1), table="bac-01")), Refused)

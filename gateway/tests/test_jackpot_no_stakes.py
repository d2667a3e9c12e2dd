"""A coup without recorded stakes: the gateway raises an alarm, the floor proposes it, a person makes it good."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from jackpot_desk import TOP_ROLE, Desk, time_of
from jackpot_edge import Edge, from_wagers
from sabot_floor.jackpots.engine import Applied, Refused
from sabot_floor.jackpots.engine import entries as entry
from sabot_floor.jackpots.missing import PATIENCE_S, STAKES_PATIENCE_S, MissingIncrements
from sabot_protocol.jackpots.parameters import Parameters
from sabot_protocol.topics import ConfirmedMessage

BOTH = from_wagers(funding="both", increment=10, unreasonable=1_000)  # 10 and 1.5 per cent of the stakes on a tie


@pytest.fixture
def edge(tmp_path: Path) -> Iterator[Edge]:
    made = Edge(tmp_path / "ledger.db", BOTH)
    yield made
    made.ledger.close()


def _proposed(edge: Edge, parameters: Parameters = BOTH) -> list[entry.Proposed]:
    """Return what the floor proposes a minute after the coups of the first table, by what that table has sent."""
    missing, served = MissingIncrements(), {parameters.id: parameters}
    for record in edge.one.records:
        if isinstance(record.message, ConfirmedMessage):
            missing.confirmed(record.message, served, 0.0)
    for increment in edge.increments(parameters.id):
        missing.counted(parameters.id, increment, (), 0.0)
    assert missing.due(served, STAKES_PATIENCE_S - 1, time_of(0)) == {}
    return missing.due(served, STAKES_PATIENCE_S, time_of(0)).get(parameters.id, [])


def _made_good(desk: Desk, missed: str, amount: int | None) -> Applied | Refused:
    role = TOP_ROLE["nz-baccarat"]
    return desk.apply(entry.MadeGood(time=time_of(desk.now), missed=missed, by="Ann", role=role, amount=amount))


def test_it_is_proposed_with_the_operators_part_and_says_what_is_lacking(edge: Edge) -> None:
    first = edge.one.play()  # no increment before it, and none after it
    (proposed,) = _proposed(edge)
    assert (proposed.coup_id, proposed.coup) == (first, 1)
    assert "perhaps because no stakes were recorded" in proposed.reason
    assert "--amount" in proposed.reason
    desk = Desk(BOTH)
    assert "NZD 0.10 can be made good" in desk.done(proposed).faults[0].say
    done = _made_good(desk, first, None)
    assert isinstance(done, Applied)
    assert (done.increment, desk.state.in_) == (10, 10)


def test_the_part_of_the_stakes_is_given_by_the_person_who_makes_it_good(edge: Edge) -> None:
    first = edge.one.play()
    desk = Desk(BOTH)
    desk.done(*_proposed(edge))
    for wrong in (1_001, -1):
        refused = _made_good(desk, first, wrong)
        assert isinstance(refused, Refused)
        assert (refused.reason, desk.state.in_) == ("unreasonable", 0)
        assert "from 0 to 1000" in refused.say
    done = _made_good(desk, first, 310)  # 10, and 1.5 per cent of 20,000
    assert isinstance(done, Applied)
    assert (done.increment, desk.state.in_) == (310, 310)
    assert done.faults[0].say == "NZD 3.10 of bac-01 was made good by Ann"
    assert isinstance(_made_good(desk, first, 310), Refused)


def test_a_coup_with_stakes_between_others_is_not_proposed(edge: Edge) -> None:
    first = edge.one.play()
    edge.ask("stakes", stakes={"tie": [20_000]})
    edge.one.play()
    third = edge.one.play()
    assert [one.coup_id for one in _proposed(edge)] == [first, third]


def test_a_jackpot_of_the_operator_alone_waits_longer(edge: Edge) -> None:
    edge.one.play()
    assert _proposed(edge, from_wagers(funding="operator", increment=10, wager_increment={})) == []
    assert STAKES_PATIENCE_S < PATIENCE_S

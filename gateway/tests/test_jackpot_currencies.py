"""A jackpots file with the wrong currency: each currency is counted apart, and no sum has two."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from jackpot_desk import GATEWAY, Desk
from jackpot_edge import Edge, lucky_tie
from msgspec.structs import replace
from sabot_floor.jackpots.engine import Applied, Refused

WRONG = lucky_tie(currency="NZD", increment=90, unreasonable=500)
RIGHT = lucky_tie(version=2, increment=100, unreasonable=500)


@pytest.fixture
def edge(tmp_path: Path) -> Iterator[Edge]:
    """Two coups with the wrong file, then the right one."""
    made = Edge(tmp_path / "ledger.db", WRONG)
    made.one.play()
    made.one.play()
    _take(made)
    yield made
    made.ledger.close()


def _take(edge: Edge) -> None:
    edge.configure(RIGHT)
    edge.jackpots.floor_uses("lucky-tie", RIGHT.digest)
    edge.step()


def _close_shoes(edge: Edge) -> None:
    """Close and open, so that nothing of the shoes on the tables is needed."""
    for table in edge.tables.values():
        table("shoe_closed", shoe_no=1, coups=3, reason="command")
        edge.commit()
    for name in edge.names:
        edge.ask("ack-alarm", name)


def _prune(edge: Edge) -> None:
    edge.ledger.move_cursor("mqtt", edge.ledger.last_seq())
    assert edge.ledger.prune("2027-01-01").count > 0


def _sums(edge: Edge) -> list[tuple[str, int, int, int]]:
    return [(one.currency, one.amount, one.count, one.total) for one in edge.increments()]


def test_counts_and_sums_of_two_currencies_are_apart(edge: Edge) -> None:
    edge.one.play()
    assert _sums(edge) == [("NZD", 90, 1, 90), ("NZD", 90, 2, 180), ("AUD", 100, 1, 100)]
    (status,) = edge.jackpots.status("bac-01")
    assert (status["count"], status["total"], status["currency"]) == (1, 100, "AUD")


def test_a_reversal_goes_to_the_sum_that_it_came_from(edge: Edge) -> None:
    edge.one.void(2)
    edge.one.play()
    assert _sums(edge)[2:] == [("NZD", -90, 3, 90), ("AUD", 100, 1, 100)]


@pytest.mark.parametrize("pruned", [False, True])
def test_a_restart_goes_on_with_both(edge: Edge, pruned: bool) -> None:
    edge.one.play()
    if pruned:
        _close_shoes(edge)
        _prune(edge)
        assert edge.increments() == []
    edge.restart()
    counted = edge.jackpots._increments.counted
    assert [counted("lucky-tie", "bac-01", currency).total for currency in ("NZD", "AUD")] == [180, 100]


def test_the_floor_takes_the_right_ones_in_sequence_and_refuses_the_others_with_a_sentence(edge: Edge) -> None:
    edge.one.play()
    edge.one.play()
    desk = Desk(RIGHT)
    results = [desk.send(replace(one, gateway=GATEWAY)) for one in edge.increments()]
    assert [type(result) for result in results] == [Refused, Refused, Applied, Applied]
    assert desk.state.in_ == 200
    late = desk.send(replace(edge.increments()[0], gateway=GATEWAY))
    assert isinstance(late, Refused)
    assert late.reason == "parameters"  # a file with another currency is no repeat of the count


def test_a_sum_that_the_parameters_do_not_give_is_named_so() -> None:
    desk = Desk()
    desk.coup()
    desk.withdraw()
    desk.restore()
    desk.coup(count=18, total=25 + 10 * 20 + 6 * 25 + 25)  # 10 of these 16 came from another file
    (missed,) = desk.state.missed
    assert (missed.amount, missed.coups) == (350, 16)
    assert "their sum is not 16 x AUD 0.25: compare the gateway's ledger, or give --amount" in missed.reason


def test_a_sum_that_the_parameters_give_needs_no_word() -> None:
    desk = Desk()
    desk.coup()
    desk.withdraw()
    desk.restore()
    desk.coup(count=4, total=100)
    assert [(one.amount, one.reason) for one in desk.state.missed] == [(50, "increments that did not arrive")]

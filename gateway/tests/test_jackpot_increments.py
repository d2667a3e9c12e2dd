"""Increments at the edge: once for each confirmed coup, in its transaction, reversed when it is corrected."""

from pathlib import Path

import pytest
from jackpot_edge import MIXED, Edge, lucky_tie


@pytest.fixture
def edge(tmp_path: Path) -> Edge:
    return Edge(tmp_path / "ledger.db", lucky_tie())


def test_a_confirmed_coup_increments_once_with_count_and_total_of_its_table(edge: Edge) -> None:
    coup_ids = [edge.one.play(), edge.one.play(), edge.tables["bac-02"].play()]
    assert edge.sums(table="bac-01") == [(250, 1, 250), (250, 2, 500)]
    assert edge.sums(table="bac-02") == [(250, 1, 250)]
    assert [one.coup_id for one in edge.increments()] == coup_ids
    first = edge.increments()[0]
    assert (first.id, first.unit, first.shoe, first.coup) == (f"{coup_ids[0]}-jackpot-lucky-tie", edge.one.unit, 1, 1)
    assert (first.jackpot, first.currency, first.kind, first.operator) == ("lucky-tie", "AUD", "live", 250)
    assert (first.gateway, first.parameters) == (edge.ledger.gateway(), lucky_tie().digest)


def test_the_increment_is_the_entry_right_behind_the_confirmed_coup(edge: Edge) -> None:
    edge.one.play()
    topics = [entry.topic for entry in edge.ledger.entries("WHERE table_name = 'bac-01'")]
    assert topics[-2:] == ["confirmed", "jackpot/lucky-tie"]


def test_the_count_goes_on_after_a_restart(edge: Edge) -> None:
    edge.one.play()
    edge.restart()
    edge.one.play()
    assert edge.sums(table="bac-01") == [(250, 1, 250), (250, 2, 500)]


def test_a_trigger_is_recognised_from_the_cards(edge: Edge) -> None:
    edge.one.play()
    edge.one.tie()
    edge.one.tie(MIXED)
    assert [one.trigger for one in edge.increments()] == ["", "suited", ""]

"""The ledger's part of jackpots: derived tables, pruning that keeps counts, a file of the version before."""

import shutil
from pathlib import Path

import pytest
from jackpot_edge import SUITED, TIE, Edge, from_wagers, lucky_tie
from ledger_entries import UNIT
from sabot_gateway.ledger import Ledger, LedgerError, Reader, audit

OLD = Path(__file__).parent / "ledgers"


@pytest.fixture
def edge(tmp_path: Path) -> Edge:
    edge = Edge(tmp_path / "ledger.db", lucky_tie())
    edge.one.play()
    edge.one.play(SUITED, *TIE, player_pair=True, banker_pair=True)
    edge.ask("record-win", jackpot="lucky-tie", stakes={"tie": [100]})
    edge.one.play()
    edge.one.void(3)
    return edge


def close_shoes(edge: Edge) -> None:
    """Close and open, so that nothing of the shoes on the tables is needed."""
    for table in edge.tables.values():
        table("shoe_closed", shoe_no=1, coups=3, reason="command")
        edge.commit()
    for name in edge.names:
        edge.ask("ack-alarm", name)


def prune(edge: Edge) -> None:
    """Remove everything that may go, as the daemon does once a day."""
    edge.ledger.move_cursor("mqtt", edge.ledger.last_seq())
    plan = edge.ledger.prune("2027-01-01")
    assert plan.count > 0


def test_the_tables_of_increments_and_wins(edge: Edge) -> None:
    rows = list(edge.ledger.rows("increments"))
    assert [(row["amount"], row["count"], row["total"], row["outcome"]) for row in rows] == [
        (250, 1, 250, ""),
        (250, 2, 500, "suited"),
        (250, 3, 750, ""),
        (-250, 4, 500, ""),
    ]
    assert (rows[3]["reverses"], rows[2]["reversed_by"]) == (rows[2]["id"], rows[3]["id"])
    (win,) = edge.ledger.rows("recorded_wins")
    assert (win["coup_id"], win["outcome"], win["by"]) == (rows[1]["coup_id"], "suited", "D. Ealer")


def test_they_are_rebuilt_from_the_entries_and_a_change_by_hand_is_found(edge: Edge) -> None:
    before = [list(edge.ledger.rows(name)) for name in ("increments", "recorded_wins")]
    edge.ledger._db.execute("UPDATE increments SET total = 9 WHERE count = 2")
    assert "table increments" in (edge.ledger.derived_difference() or "")
    edge.ledger.rebuild()
    assert [list(edge.ledger.rows(name)) for name in ("increments", "recorded_wins")] == before
    assert edge.ledger.derived_difference() is None
    edge.ledger.close()
    assert audit.verify(edge.path).faults == []


def test_pruning_keeps_count_total_carry_and_the_parameters_in_force(tmp_path: Path) -> None:
    """1.5 per cent of 150 is 2.25."""
    edge = Edge(tmp_path / "ledger.db", from_wagers(), book="nz-baccarat")
    edge.ask("stakes", stakes={"tie": [150]})
    edge.one.play()
    close_shoes(edge)
    prune(edge)
    assert edge.ledger.count("increments") == 0
    edge.parameters = (from_wagers(version=2, wager_increment={"tie": "2%"}),)
    edge.restart()
    assert edge.jackpots.parameters()[0]["in_force"]["version"] == 1
    edge.one("shoe_opened", shoe_no=2, card_set=1, decks=8, burn="none")
    edge.commit()
    assert audit.verify(edge.path).faults == []
    counted = edge.jackpots._increments.counted("pairs", "bac-01", "NZD")
    assert (counted.count, counted.total, str(counted.carry)) == (1, 2, "1/4")


def test_pruning_in_slices_keeps_the_last_counts(edge: Edge) -> None:
    close_shoes(edge)
    edge.ledger.move_cursor("mqtt", edge.ledger.last_seq())
    last = edge.ledger.plan("2027-01-01").seq
    for seq in range(1, last + 1):
        edge.ledger.prune_slice(seq)
        assert edge.ledger.derived_difference() is None
    edge.restart()
    counted = edge.jackpots._increments.counted("lucky-tie", "bac-01", "AUD")
    assert (counted.count, counted.total) == (4, 500)


def test_an_increment_that_a_dispute_may_take_back_is_not_pruned(tmp_path: Path) -> None:
    edge = Edge(tmp_path / "ledger.db", lucky_tie())
    edge.one.play()
    edge.one.play()
    edge.one.dispute()
    close_shoes(edge)
    prune(edge)
    edge.restart()
    assert edge.ledger.count("increments") == 1
    assert edge.ask("decide", coup="1/2", verdict="void", clause="10.11").ok
    assert edge.sums() == [(250, 2, 500), (-250, 3, 250)]


def test_version_5_is_verified_as_it_is_and_brought_up(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    shutil.copy(OLD / "version_5_closed.db", path)
    verdict = audit.verify(path)
    assert (verdict.entries, verdict.faults) == (28, [])
    assert verdict.notes == ["of version 5: its derived tables are not checked, for the next start rebuilds them"]
    with pytest.raises(LedgerError, match="is of version 5 and has no table increments"):
        Reader(path).rows("increments")
    before = [entry.hash for entry in Reader(path).entries()]
    ledger = Ledger(path)
    assert (ledger.version, ledger.notes[0]) == (8, "it was brought from version 5 to version 8")
    assert [row["confirmed"] for row in ledger.rows("coups")] == [f"{UNIT}-40", "", "", "", ""]
    assert (len(ledger.disputed("bac-01")), list(ledger.rows("increments"))) == (1, [])
    assert [entry.hash for entry in ledger.entries()] == before
    ledger.close()
    assert audit.verify(path).faults == []


@pytest.mark.parametrize("before", [0, 2])
def test_a_loss_that_a_person_accepted_is_a_gap_for_the_floor(tmp_path: Path, before: int) -> None:
    """An old copy of the ledger is put back: no count that was published is given to another coup."""
    edge = Edge(tmp_path / "ledger.db", lucky_tie(), tables=("bac-01",))
    for _ in range(before):
        edge.one.play()
    edge.ledger.close()
    shutil.copy(edge.path, tmp_path / "copy.db")
    edge.restart()
    for _ in range(3):
        edge.one.play()
    edge.ledger.close()
    lost = edge.ledger.last_seq()
    shutil.copy(tmp_path / "copy.db", edge.path)
    edge._start(edge.parameters)
    missing = lost - edge.ledger.last_seq()
    edge.ledger.accept("A. Smith", "disk exchanged", "t")
    edge.jackpots.recount()
    edge.one.play()
    edge.one.play()
    assert edge.sums()[before:] == [
        (250, before + missing + 1, 250 * (before + 1)),
        (250, before + missing + 2, 250 * (before + 2)),
    ]
    edge.restart()
    edge.one.play()
    assert edge.sums()[-1][1] == before + missing + 3
    edge.configure(lucky_tie(), lucky_tie(id="newer"))
    edge.one.play()
    assert edge.sums("newer") == [(250, 1, 250)]  # it began after the loss

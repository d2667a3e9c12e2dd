"""The printed rules about increments and records of a table, one test for each requirement that is about the edge."""

from pathlib import Path

import pytest
from jackpot_edge import COLOURED, SUITED, Edge, from_wagers, lucky_tie

STAKES = {"tie": [100, 300]}


@pytest.fixture
def crown(tmp_path: Path) -> Edge:
    return Edge(tmp_path / "crown.db", lucky_tie())


@pytest.fixture
def nz(tmp_path: Path) -> Edge:
    """Operator funded: 40 cents a round."""
    changes = {"funding": "operator", "increment": 40, "unreasonable": 40, "wager_increment": {}}
    return Edge(tmp_path / "nz.db", from_wagers(**changes), book="nz-baccarat")


def wagers(tmp_path: Path, **changes: object) -> Edge:
    return Edge(tmp_path / "wagers.db", from_wagers(**changes), book="nz-baccarat")


# 003 Crown


def test_cj_07_the_shoe_itself_increments_once_for_each_completed_coup(crown: Edge) -> None:
    """13.4.2, 1.1 "Dealing Shoe": Confirm ends the coup, and nobody does anything else."""
    crown.one.deal()
    crown.one.result()
    crown.commit()
    assert crown.sums() == []
    crown.one.button()
    crown.one.button()
    crown.commit()
    assert crown.sums() == [(250, 1, 250)]


def test_cj_07_a_void_coup_increments_nothing(crown: Edge) -> None:
    crown.one.deal("9S 2H")
    crown.one.void(1)
    crown.one.deal("9S 2H TD 3C")
    crown.one.result()
    crown.one.void(1)
    crown.one.button()
    crown.commit()
    assert crown.sums() == []


def test_cj_07_a_disputed_coup_that_becomes_void_increments_nothing(crown: Edge) -> None:
    crown.one.deal()
    crown.one.result(winner="banker")
    crown.commit()
    assert crown.ask("decide", coup="1/1", verdict="void", clause="10.11").ok
    assert crown.sums() == []


@pytest.mark.parametrize(("unwagered", "sums"), [(True, [(250, 1, 250)]), (False, [])])
def test_cj_07_a_dummy_coup_counts_as_the_parameters_have_it(
    tmp_path: Path, unwagered: bool, sums: list[tuple[int, int, int]]
) -> None:
    """Reading A-42."""
    edge = Edge(tmp_path / "ledger.db", lucky_tie(unwagered=unwagered))
    edge.one.kind("dummy")
    edge.one.deal()
    edge.one.result(kind="dummy")
    edge.one.confirm()
    edge.commit()
    assert edge.sums() == sums


def test_cj_07_a_dummy_coup_with_four_eights_wins_nothing(crown: Edge) -> None:
    crown.one.kind("dummy")
    crown.one.deal(SUITED)
    crown.one.result("tie", (6, 6), "dummy", player_pair=True, banker_pair=True)
    crown.one.confirm()
    crown.commit()
    assert [one.trigger for one in crown.increments()] == [""]
    assert "is no win" in crown.ask("record-win", jackpot="lucky-tie").say


def test_cj_13_the_dealer_records_the_winning_hand_and_not_the_shoe(crown: Edge) -> None:
    """13.4.4: the time is that of the dealer's request."""
    coup_id = crown.one.tie(COLOURED)
    assert crown.records() == []
    answer = crown.ask("record-win", jackpot="lucky-tie", stakes=STAKES, time="2026-11-17T12:00:01.234Z")
    assert answer.ok
    (record,) = crown.records()
    assert (record.coup_id, record.outcome, record.at) == (coup_id, "coloured", "2026-11-17T12:00:01.234Z")
    assert (record.by, record.stakes, record.shoe, record.coup) == ("D. Ealer", STAKES, 1, 1)


def test_cj_13_a_hand_that_does_not_win_cannot_be_recorded(crown: Edge) -> None:
    crown.one.play()
    answer = crown.ask("record-win", jackpot="lucky-tie", stakes=STAKES)
    assert not answer.ok
    assert answer.say.startswith("Record win refused: coup 1/1 is no win of Lucky Tie: its cards are 9S TD 2H 3C.")
    assert crown.records() == []


def test_cj_13_a_winning_hand_is_recorded_once(crown: Edge) -> None:
    crown.one.tie()
    assert crown.ask("record-win", jackpot="lucky-tie", stakes=STAKES).ok
    again = crown.ask("record-win", jackpot="lucky-tie", stakes=STAKES)
    crown.restart()
    later = crown.ask("record-win", jackpot="lucky-tie", stakes=STAKES)
    for answer in (again, later):
        assert (answer.ok, "was recorded for Lucky Tie at" in answer.say) == (False, True)
    assert len(crown.records()) == 1


def test_a_record_that_the_floor_did_not_take_is_sent_again_with_its_first_time(crown: Edge) -> None:
    crown.one.tie()
    early = crown.ask("record-win", jackpot="lucky-tie", stakes=STAKES, again=True)
    assert not early.ok
    assert "was not recorded for Lucky Tie yet. Record it without --again." in early.say
    assert crown.ask("record-win", jackpot="lucky-tie", stakes=STAKES).ok
    crown.restart()
    assert "record it with --again" in crown.ask("record-win", jackpot="lucky-tie", stakes=STAKES).say
    later = "2026-11-17T12:20:00.000Z"
    assert crown.ask("record-win", time=later, jackpot="lucky-tie", stakes=STAKES, again=True).ok
    first, second = crown.records()
    assert first.id != second.id
    assert (first.coup_id, first.at, first.outcome) == (second.coup_id, second.at, second.outcome)


# 002 New Zealand


def test_nj_04_a_fixed_amount_for_each_round_at_each_participating_table(nz: Edge) -> None:
    """18.4, and 18.10: 40 for each round, whatever was staked."""
    nz.one.play()
    nz.ask("stakes", stakes={"tie": [100_000]})
    nz.one.play()
    nz.tables["bac-02"].play()
    assert (nz.sums("pairs", "bac-01"), nz.sums("pairs", "bac-02")) == ([(40, 1, 40), (40, 2, 80)], [(40, 1, 40)])


def test_nj_13_operator_funded_increments_once_for_a_round(nz: Edge) -> None:
    """18.10: the dealer's Confirm is the activation; a second one changes nothing."""
    nz.one.deal()
    nz.one.result()
    nz.one.button()
    nz.one.button()
    nz.one.command("confirm")
    nz.commit()
    assert nz.sums("pairs") == [(40, 1, 40)]


def test_nj_14_wagers_contribute_at_the_end_of_the_round(tmp_path: Path) -> None:
    """18.11, by option: 1.5 per cent of 4000 is 60."""
    edge = wagers(tmp_path, activation="end_of_round")
    edge.ask("stakes", stakes={"tie": [1000, 3000]})
    edge.one.deal()
    edge.one.result()
    edge.commit()
    assert edge.sums("pairs") == []
    edge.one.confirm()
    edge.commit()
    assert edge.sums("pairs") == [(60, 1, 60)]


def test_nj_14_wagers_contribute_after_no_more_bets(tmp_path: Path) -> None:
    """18.11: with the stakes, before the first card; the confirmed coup then takes the place of that increment."""
    edge = wagers(tmp_path, activation="no_more_bets")
    edge.ask("no-more-bets")
    edge.ask("stakes", stakes={"tie": [1000, 3000]})
    assert edge.sums("pairs") == [(60, 1, 60)]
    coup_id = edge.one.play()
    assert edge.sums("pairs") == [(60, 1, 60), (-60, 2, 0), (60, 3, 60)]
    assert [one.coup_id for one in edge.increments("pairs")][-1] == coup_id


def test_nj_14_stakes_wait_for_the_call_which_may_come_after_the_four_cards(tmp_path: Path) -> None:
    """18.11 with 5.14 and 15.4(b): no part of stakes comes while wagers are open, and none stays once they reopen."""
    edge = wagers(tmp_path, activation="no_more_bets")
    edge.one.deal("2S 3H 2D 3C")
    refused = edge.ask("stakes", stakes={"tie": [1000]})
    assert not refused.ok
    assert "wagers are still open, and Pairs takes its part of them after no more bets (18.11)" in refused.say
    assert edge.sums("pairs") == []
    assert edge.ask("no-more-bets").ok
    assert edge.ask("stakes", stakes={"tie": [1000, 3000]}).ok
    assert edge.sums("pairs") == [(60, 1, 60)]
    assert edge.ask("reopen-wagers", clause="5.14").ok
    assert edge.sums("pairs") == [(60, 1, 60), (-60, 2, 0)]
    assert not edge.ask("stakes", stakes={"tie": [2000]}).ok
    edge.ask("no-more-bets")
    assert edge.ask("stakes", stakes={"tie": [2000]}).ok
    assert edge.sums("pairs")[2:] == [(30, 3, 30)]


@pytest.mark.parametrize("restart", [False, True])
def test_nj_14_what_contributed_after_no_more_bets_is_taken_back_if_the_coup_is_void(
    tmp_path: Path, restart: bool
) -> None:
    edge = wagers(tmp_path, activation="no_more_bets")
    edge.ask("no-more-bets")
    edge.ask("stakes", stakes={"tie": [1000, 3000]})
    if restart:
        edge.restart()
    edge.one.deal("9S 2H")
    edge.one.void(1)
    assert edge.sums("pairs") == [(60, 1, 60), (-60, 2, 0)]


def test_nj_14_both_ways_of_funding_add_up(tmp_path: Path) -> None:
    """40 from the operator and 1.5 per cent of 4000."""
    edge = wagers(tmp_path, funding="both", increment=40)
    edge.ask("stakes", stakes={"tie": [1000, 3000]})
    edge.one.play()
    (one,) = edge.increments("pairs")
    assert (one.amount, one.operator) == (100, 40)


def test_nj_15_a_qualifying_result_is_recorded_by_the_dealer(nz: Edge) -> None:
    """18.12: a perfect pair of the Player."""
    coup_id = nz.one.play("9S 2H 9S 3C", "player", (8, 5), player_pair=True)
    assert nz.increments("pairs")[0].trigger == "perfect"
    assert nz.records("pairs") == []
    assert nz.ask("record-win", jackpot="pairs", stakes=STAKES).ok
    (record,) = nz.records("pairs")
    assert (record.coup_id, record.outcome, record.by) == (coup_id, "perfect", "D. Ealer")


def test_nj_15_a_result_that_is_not_confirmed_cannot_be_recorded(nz: Edge) -> None:
    nz.one.deal("9S 2H 9S 3C")
    nz.one.result("player", (8, 5), player_pair=True, natural=True)
    nz.commit()
    answer = nz.ask("record-win", jackpot="pairs", stakes=STAKES)
    assert (answer.ok, answer.say) == (False, "Record win refused: coup 1/1 is not confirmed. Confirm it first.")


def test_nj_17_the_increment_is_automatic_and_needs_no_request(nz: Edge) -> None:
    """18.14: nobody has asked the gateway for anything."""
    nz.one.play()
    assert nz.sums("pairs") == [(40, 1, 40)]
    assert list(nz.ledger.entries("WHERE topic = 'attempt'")) == []

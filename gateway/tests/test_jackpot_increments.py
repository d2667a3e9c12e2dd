"""Increments at the edge: once for each confirmed coup, in its transaction, taken back when it is corrected."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jackpot_edge import MIXED, SUITED, TIE, Edge, from_wagers, lucky_tie
from sabot_gateway.ledger import Entry
from sabot_gateway.verify.deciders import Decider
from sabot_protocol.jackpots.signing import is_signed
from shoe_events import KEY, SLOTS

PLACE: dict[str, Any] = {"decks": 8, "cards_out": 2, "coups_left": 0, "awaiting": 0}


@pytest.fixture
def edge(tmp_path: Path) -> Edge:
    return Edge(tmp_path / "ledger.db", lucky_tie())


def wager_edge(tmp_path: Path, **changes: object) -> Edge:
    return Edge(tmp_path / "ledger.db", from_wagers(**changes), book="nz-baccarat")


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


def test_a_coup_that_is_not_confirmed_increments_nothing(edge: Edge) -> None:
    edge.one.deal()
    edge.one.result()
    edge.commit()
    assert edge.increments() == []


def test_a_table_that_does_not_take_part_increments_nothing(tmp_path: Path) -> None:
    edge = Edge(tmp_path / "ledger.db", lucky_tie(tables=["bac-02", "bac-77"]))
    edge.one.play()
    edge.tables["bac-02"].play()
    assert [one.table for one in edge.increments()] == ["bac-02"]


def test_several_jackpots_of_a_table_each_get_their_increment(tmp_path: Path) -> None:
    edge = Edge(tmp_path / "ledger.db", lucky_tie(), lucky_tie(id="second", increment=7))
    edge.one.play()
    assert (edge.sums(), edge.sums("second")) == ([(250, 1, 250)], [(7, 1, 7)])


def test_a_trigger_is_recognised_from_the_cards(edge: Edge) -> None:
    edge.one.play()
    edge.one.tie()
    edge.one.tie(MIXED)  # no per cent is set for it
    assert [one.trigger for one in edge.increments()] == ["", "suited", ""]


def test_everything_is_signed_with_the_key_of_the_site(tmp_path: Path) -> None:
    edge = Edge(tmp_path / "ledger.db", lucky_tie(), key=KEY)
    edge.one.tie()
    edge.ask("record-win", jackpot="lucky-tie", stakes={"tie": [100]})
    (increment,), (record,) = edge.increments(), edge.records()
    assert is_signed(increment, KEY)
    assert is_signed(record, KEY)
    assert not is_signed(msgspec.structs.replace(increment, amount=251), KEY)


# Restarts


def test_the_count_goes_on_after_a_restart(edge: Edge) -> None:
    edge.one.play()
    edge.restart()
    edge.one.play()
    assert edge.sums(table="bac-01") == [(250, 1, 250), (250, 2, 500)]


def test_what_was_not_stored_is_not_counted(edge: Edge) -> None:
    edge.one.play()
    edge.one.deal()
    edge.one.result()
    edge.one.button()
    again = list(edge.one.pending)
    edge.restart()  # nothing of the second coup was stored
    edge.one.pending += again  # the shoe sends it again
    edge.commit()
    assert edge.sums() == [(250, 1, 250), (250, 2, 500)]


def test_a_commit_that_the_ledger_refuses_counts_when_it_is_stored(edge: Edge) -> None:
    edge.one.play()
    edge.one.deal()
    edge.one.result()
    edge.one.button()
    edge.ledger._db.execute("PRAGMA query_only = ON")
    for _ in range(3):
        with pytest.raises(RuntimeError, match="readonly"):
            edge.commit()
    edge.ledger._db.execute("PRAGMA query_only = OFF")
    edge.commit()
    assert edge.sums() == [(250, 1, 250), (250, 2, 500)]


def test_the_same_confirmed_message_counts_once_also_after_a_restart(edge: Edge) -> None:
    edge.one.play()
    (entry,) = edge.ledger.entries("WHERE topic = 'confirmed'")
    for _ in range(2):
        edge.one.pending.append(Entry._make(entry[:8])._replace(event_no=None))
        edge.commit()
        edge.restart()
    assert edge.sums() == [(250, 1, 250)]


# Corrections


def test_a_coup_that_is_voided_after_confirm_is_taken_back_once(edge: Edge) -> None:
    edge.one.play()
    edge.one.play()
    edge.one.void(2)
    assert edge.sums() == [(250, 1, 250), (250, 2, 500), (-250, 3, 250)]
    _, second, back = edge.increments()
    assert (back.reverses, back.operator, back.trigger) == (second.id, -250, "")
    edge.one.void(2)
    assert len(edge.sums()) == 3


@pytest.mark.parametrize(("verdict", "more"), [("void", []), ("confirmed", [(250, 3, 250)])])
def test_a_decision_about_a_confirmed_coup_takes_back_and_counts_again(
    edge: Edge, verdict: str, more: list[tuple[int, int, int]]
) -> None:
    first = edge.one.play()
    edge.one.dispute()
    edge.restart()
    assert edge.ask("decide", coup="1/1", verdict=verdict, clause="10.11").ok
    assert edge.sums() == [(250, 1, 250), (-250, 2, 0), *more]
    back = edge.increments()[1]
    assert back.reverses == f"{first}-jackpot-lucky-tie"
    assert {one.unit for one in edge.increments()} == {edge.one.unit}  # the shoe that dealt it
    assert back.coup_id.startswith(edge.ledger.gateway())


def test_a_decision_that_voids_a_win_is_taken_back_and_one_that_confirms_it_keeps_the_trigger(edge: Edge) -> None:
    edge.one.tie()
    edge.one.dispute()
    edge.ask("decide", coup="1/1", verdict="confirmed", clause="10.11")
    assert [one.trigger for one in edge.increments()] == ["suited", "", "suited"]


def test_a_void_that_is_stored_before_the_decision_that_it_corrects_leaves_nothing(edge: Edge) -> None:
    """The decision waits with the gateway's own entries, which a commit stores behind those of the tables."""
    edge.one.deal()
    edge.one.result(winner="banker")
    edge.commit()
    verifier = edge.one.session.verifier
    source = edge.own.new_source("t")
    decided = verifier.decide(verifier.disputes.find("1/1"), "confirmed", Decider("A. Smith", "7.1.5"), source)
    edge.own.add_records(edge.one.session, decided, source)
    edge.one("coup_void", shoe_no=1, coup_no=1, reason="misdeal", then="go_on", cards=4)
    edge.commit()
    assert sum(amount for amount, _, _ in edge.sums()) == 0


def test_a_jackpot_that_runs_no_more_is_taken_back_all_the_same(edge: Edge) -> None:
    edge.one.play()
    edge.one.dispute()
    edge.configure()
    edge.ask("decide", coup="1/1", verdict="void", clause="10.11")
    assert edge.sums() == [(250, 1, 250), (-250, 2, 0)]


def test_a_coup_that_moved_to_another_table_counts_once_where_it_was_confirmed(edge: Edge) -> None:
    laid = dict.fromkeys(SLOTS, "--") | {"player_1": "9S", "banker_1": "2H"}
    moved: dict[str, Any] = {"shoe_no": 1, "coup_no": 1, "kind": "live", "cards": laid, **PLACE}
    edge.one.deal("9S 2H")
    edge.one("handed_over", **moved | {"import": 0})
    other = edge.tables["bac-02"]
    other("handed_over", **moved | {"import": 1})
    for card, slot in (("TD", "player_2"), ("3C", "banker_2")):
        other.card(card, slot)
    other.result()
    other.button()
    edge.commit()
    (one,) = edge.increments()
    assert (one.table, one.amount, one.began) == ("bac-02", 250, f"bac-01/{edge.one.unit}/1/1")


# From wagers


def test_the_carry_is_exact_over_coups_and_a_restart(tmp_path: Path) -> None:
    """1.5 per cent of 150 is 2.25: three coups give 6.75, so 6 are published and 3/4 carried."""
    edge = wager_edge(tmp_path)
    for _ in range(3):
        edge.ask("stakes", stakes={"tie": [100, 50]})
        edge.one.play()
        edge.restart()
    assert edge.sums("pairs") == [(2, 1, 2), (2, 2, 4), (2, 3, 6)]
    assert [one.carry for one in edge.increments("pairs")] == ["1/4", "1/2", "3/4"]
    assert edge.increments("pairs")[0].stakes == {"tie": [100, 50]}


def test_a_reversal_takes_back_the_carry_too(tmp_path: Path) -> None:
    edge = wager_edge(tmp_path)
    for _ in range(2):
        edge.ask("stakes", stakes={"tie": [150]})
        edge.one.play()
    edge.one.void(2)
    last = edge.increments("pairs")[-1]
    assert last.total + Fraction(last.carry) == Fraction("2.25")


def test_a_coup_without_stakes_is_an_alarm_and_does_not_stop_the_coup(tmp_path: Path) -> None:
    edge = wager_edge(tmp_path)
    edge.one.play()
    (alarm,) = edge.alarms()
    assert edge.increments("pairs") == []
    assert (alarm.shoe, alarm.coup, alarm.clause, alarm.severity) == (1, 1, "18.19, 18.20", "critical")
    assert alarm.say == (
        "Coup 1/1 did not increment jackpot pairs: no stakes were recorded for it. Tell the supervisor, who makes the "
        "contribution good (rule 18.19, 18.20)."
    )
    edge.one.play()
    assert [one.coup for one in edge.alarms()] == [1, 2]
    assert [entry.topic for entry in edge.ledger.entries("WHERE topic = 'confirmed'")] == ["confirmed"] * 2


def test_nobody_wagered_is_an_increment_of_nothing(tmp_path: Path) -> None:
    edge = wager_edge(tmp_path)
    edge.ask("stakes", stakes={})
    edge.one.play()
    assert (edge.sums("pairs"), edge.alarms()) == ([(0, 1, 0)], [])


def test_an_unreasonable_amount_is_an_alarm_and_not_counted(tmp_path: Path) -> None:
    edge = wager_edge(tmp_path, unreasonable=10)
    edge.ask("stakes", stakes={"tie": [100_000]})
    edge.one.play()
    assert edge.increments("pairs") == []
    (alarm,) = edge.alarms()
    assert "1500 from one coup is more than the most that is reasonable, 10" in alarm.say


def test_stakes_recorded_again_replace_the_first(tmp_path: Path) -> None:
    edge = wager_edge(tmp_path)
    edge.ask("stakes", stakes={"tie": [1000]})
    edge.ask("stakes", stakes={"tie": [2000]})
    edge.one.play()
    assert edge.sums("pairs") == [(30, 1, 30)]


def test_a_coup_that_moved_contributes_by_the_stakes_of_the_first_table(tmp_path: Path) -> None:
    edge = wager_edge(tmp_path, activation="no_more_bets")
    edge.ask("no-more-bets")
    edge.ask("stakes", stakes={"tie": [1000]})
    laid = dict.fromkeys(SLOTS, "--") | {"player_1": "9S", "banker_1": "2H"}
    moved: dict[str, Any] = {"shoe_no": 1, "coup_no": 1, "kind": "live", "cards": laid, **PLACE}
    edge.one.deal("9S 2H")
    edge.one("handed_over", **moved | {"import": 0})
    other = edge.tables["bac-02"]
    other("handed_over", **moved | {"import": 1})
    for card, slot in (("TD", "player_2"), ("3C", "banker_2")):
        other.card(card, slot)
    other.result()
    other.button()
    edge.commit()
    assert edge.sums("pairs", "bac-01") == [(15, 1, 15), (-15, 2, 0)]
    assert edge.sums("pairs", "bac-02") == [(15, 1, 15)]


def test_an_error_of_our_own_is_an_alarm_and_stops_no_coup(edge: Edge) -> None:
    edge.jackpots._increments.running = {"bac-01": (None,)}  # type: ignore[dict-item]
    edge.one.play()
    assert "internal error" in edge.alarms()[0].say
    assert len(list(edge.ledger.entries("WHERE topic = 'confirmed'"))) == 1


def test_a_sum_that_no_ledger_holds_is_an_alarm(edge: Edge) -> None:
    edge.one.play()
    counted = edge.jackpots._increments.counted("lucky-tie", "bac-01", "AUD")
    edge.jackpots._increments._counted["lucky-tie", "bac-01", "AUD"] = type(counted)(1, 2**62, Fraction(0))
    edge.one.play(SUITED, *TIE, player_pair=True, banker_pair=True)
    assert len(edge.increments()) == 1
    assert "the sum of this table's increments" in edge.alarms()[0].say


@pytest.mark.parametrize("at_once", [False, True])
def test_what_the_stakes_contributed_is_taken_back_once_though_the_coup_is_void_after_its_confirm(
    tmp_path: Path, at_once: bool
) -> None:
    edge = wager_edge(tmp_path, activation="no_more_bets")
    edge.ask("no-more-bets")
    edge.ask("stakes", stakes={"tie": [1000]})
    edge.one.deal()
    edge.one.result()
    edge.one.button()
    if not at_once:
        edge.commit()
    edge.one.void(1)
    assert edge.sums("pairs") == [(15, 1, 15), (-15, 2, 0), (15, 3, 15), (-15, 4, 0)]

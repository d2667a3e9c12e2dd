"""Hand: the coup on the table as staff see it, from hand-written logs; and the dealer's call of no more bets."""

from pathlib import Path

import pytest
from desk_bench import DeskBench
from sabot_gateway.screens.unseen import without_cards
from sabot_protocol.table_states import HandCard
from screen_log import TIME, ScreenLog
from shoe_events import SLOTS, cards, event, result
from verified_log import FOUR


@pytest.fixture
def log(tmp_path: Path) -> ScreenLog:
    return ScreenLog(tmp_path)


def test_every_card_is_shown_as_it_is_read_with_points_and_what_is_due(log: ScreenLog) -> None:
    assert (log.hand().phase, log.hand().due, log.hand().coup, log.hand().locked) == ("bets", "player_1", 1, False)
    dealt = list(zip(["5S", "4H", "9D", "2C"], SLOTS, strict=False))
    seen = []
    for card, slot in dealt:
        log.card(card, slot)
        hand = log.hand()
        seen.append((len(hand.cards), hand.player_points, hand.banker_points, hand.due, hand.phase))
    assert seen == [
        (1, 5, 0, "banker_1", "dealing"),
        (2, 5, 4, "player_2", "dealing"),
        (3, 4, 4, "banker_2", "dealing"),
        (4, 4, 6, "player_3", "dealing"),
    ]
    assert log.hand().cards[0] == HandCard(slot="player_1", card="5S")


def test_a_complete_coup_has_its_result_until_it_is_confirmed(log: ScreenLog) -> None:
    log.play(FOUR)
    hand = log.hand()
    assert hand.result is not None
    assert (hand.phase, hand.due, hand.locked) == ("complete", "", True)
    assert (hand.result.status, hand.result.winner, hand.result.player_points) == ("verified", "player", 9)
    log.confirm()
    hand = log.hand()
    assert (hand.phase, hand.coup, hand.cards, hand.result, hand.due) == ("bets", 2, [], None, "player_1")


def test_a_disputed_coup_names_the_message_that_a_supervisor_decides(log: ScreenLog) -> None:
    log.play(FOUR, winner="banker")
    hand = log.hand()
    assert hand.result is not None
    assert (hand.result.status, hand.result.id) == ("disputed", log.verifier.disputed()[0].id)


def test_surplus_cards_are_marked_until_their_coup_begins(log: ScreenLog) -> None:
    log.play(FOUR)
    log.card("8D", "player_1", coup_no=2, flags={"surplus": True})
    log.card("7D", "unused", flags={"surplus": True, "exposed": True})
    hand = log.hand()
    assert [(one.slot, one.card, one.notes) for one in hand.cards[4:]] == [
        ("unused", "7D", ["exposed", "surplus"]),
        ("player_1", "8D", ["surplus"]),
    ]
    assert (hand.surplus, hand.player_points) == (2, 9)
    log.irregularity("player_overdraw", "NEXT_LIVE")
    log.confirm()
    hand = log.hand()
    assert (hand.cards, hand.surplus, hand.due) == ([HandCard(slot="player_1", card="8D")], 0, "banker_1")


def test_a_fault_a_lock_and_the_lid(log: ScreenLog) -> None:
    log("fault", fault="lid", detail=0)
    hand = log.hand()
    assert (hand.locked, hand.fault, "shut" in hand.next_step) == (True, "lid", True)
    log("fault_cleared", fault="lid", by="key")
    assert (log.hand().locked, log.hand().fault, log.hand().next_step) == (False, "", "")
    log("lock", on=1)
    assert log.hand().locked
    log("lock", on=0)
    log("lid", open=1)
    assert log.hand().locked


def test_a_deck_check_and_a_closed_shoe(log: ScreenLog) -> None:
    log("shoe_closed", shoe_no=1, coups=0, reason="command")
    assert (log.hand().phase, log.hand().coup, log.hand().locked) == ("closed", 0, True)
    log.command("deck_check", on=1, decks=8)
    assert (log.hand().phase, log.history().phase, log.hand().locked) == ("checking", "none", None)
    log("damaged")
    assert (log.hand().phase, log.hand().due, log.hand().locked) == ("unknown", "", None)


# No more bets (P-22)


@pytest.fixture
def bench() -> DeskBench:
    made = DeskBench()
    made.table.open()
    return made


def test_the_dealers_call_is_stored_once_for_the_coup_that_is_next(bench: DeskBench) -> None:
    assert bench.answer_to("no-more-bets") == "No more bets for coup 1/1. Deal the first card."
    assert bench.table.screens.wagers.called == (bench.table.verifier.state.unit, 1, 1)
    assert bench.answer_to("no-more-bets") == "No more bets was called for coup 1/1 already."
    named = bench.answer_to("no-more-bets", args={"coup": "1/2"})
    assert named == "No more bets refused: coup 1/1 is the next one, not 1/2. Name it, or leave --coup out."


def test_the_call_is_refused_when_there_is_nothing_to_close(bench: DeskBench) -> None:
    dealt = cards(2, FOUR)
    bench.table.follow(dealt[0])
    assert "cards of this coup are out, so wagers are closed already" in bench.answer_to("no-more-bets")
    bench.table.follow(*dealt[1:], result(6, "player", 9, 5, natural=True))
    assert "the coup on the table waits for Confirm" in bench.answer_to("no-more-bets")
    bench.table.follow(event(7, "damaged"))
    assert "part of the shoe's log is missing" in bench.answer_to("no-more-bets")
    bench.table.follow(event(8, "shoe_closed", shoe_no=1, coups=1, reason="command"))
    assert "no shoe is open. Open one" in bench.answer_to("no-more-bets")
    bench.table.follow(event(9, "shoe_opened", shoe_no=2, card_set=1, decks=8, burn="one"))
    assert "the burn is not over" in bench.answer_to("no-more-bets")


def test_the_call_closes_wagers_of_that_coup_only_and_survives_a_restart(log: ScreenLog) -> None:
    log.call()
    assert (log.history().phase, log.hand().called, log.hand().phase) == ("no_more_bets", True, "bets")
    log.commit()
    log.restart()
    assert (log.history().phase, log.hand().called) == ("no_more_bets", True)
    log.play(FOUR)
    log.confirm()
    assert (log.history().phase, log.hand().called) == ("bets", False)
    stored = [one for topic, one in log.stored() if topic == "no_more_bets"]
    assert [(one["shoe"], one["coup"], one["by"], one["time"]) for one in stored] == [(1, 1, "A. Smith", TIME)]


def test_what_shoe_and_cards_say_is_in_the_status_once_the_result_is_out(log: ScreenLog) -> None:
    def cards_say(*, face_up: bool = False) -> str:
        shown = without_cards(log.verifier.active(), log.session.screens.results, face_up=face_up)
        return next(one.cards_say for one in shown if one.name == "discrepancy")

    log.play(FOUR, winner="banker")
    assert (cards_say(), "Player 9" in cards_say(face_up=True)) == ("", True)
    log.card("5S", "player_1", coup_no=2)
    assert "Player 9" in cards_say()

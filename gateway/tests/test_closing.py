"""Closing by each book's own rule: what screens, people and jackpots learn of open wagers, from the shoe's log."""

from pathlib import Path

import pytest
from sabot_gateway.operator.verbs.verb import RefusedError
from sabot_gateway.operator.verbs.wagers import CardExposed, NoMoreBets, ReopenWagers, WagersVerb
from sabot_gateway.screens.coup_now import coup_now
from sabot_gateway.verify.deciders import Decider
from screen_log import ScreenLog
from shoe_events import SLOTS
from verified_log import FOUR

SIX = "2S 3H 2D 3C"  # Player 4, Banker 6: a third card is due
OPEN, CLOSED = "bets", "no_more_bets"


def table(directory: Path, book: str, **choices: str) -> ScreenLog:
    return ScreenLog(directory, book, shoe=choices)


def deal(log: ScreenLog, cards: str, first: int = 0) -> list[str]:
    """Deal cards one by one; return the phase after each."""
    found = []
    for place, card in enumerate(cards.split(), first):
        log.card(card, SLOTS[place])
        assert log.history().phase == log.hand().wagers
        found.append(str(log.history().phase))
    return found


def act(log: ScreenLog, verb: WagersVerb, clause: str = "") -> str:
    """Carry out a verb as the desk does, and store it."""
    try:
        effect = verb.carry_out(
            log.session, Decider("A. Smith", clause), lambda: log.own.new_source("2026-11-16T10:00:01.000Z")
        )
    except RefusedError as refused:
        return f"{verb.title} refused: {refused}"
    for source, records in effect.stored:
        log.own.add_records(log.session, records, source)
        assert records[0].message is not None
    log.commit()
    return effect.say


@pytest.mark.parametrize(
    ("book", "choices", "expected"),
    [
        ("star-baccarat", {}, [CLOSED] * 4),  # 5.4: the first card is removed
        ("crown-baccarat", {}, [CLOSED] * 4),  # 5.4: the first card is dealt
        ("star-rapid", {}, [CLOSED] * 4),  # 7.3
        ("star-premium", {}, [OPEN] * 4),  # 5.3, 5.5: none is exposed
        ("star-premium", {"dealing": "face_up"}, [CLOSED] * 4),  # 8.2.1: face upwards, so the first is exposed
        ("nz-baccarat", {}, [OPEN] * 4),  # 5.14: the call and the card
        ("nz-baccarat", {"dealing": "face_up"}, [CLOSED] * 4),  # 12.10: disclosed before the call
        ("nz-baccarat", {"style": "international"}, [OPEN] * 4),  # 15.4(b)
    ],
)
def test_wagers_close_by_the_rule_of_the_book(
    tmp_path: Path, book: str, choices: dict[str, str], expected: list[str]
) -> None:
    log = table(tmp_path, book, **choices)
    assert log.history().phase == OPEN
    assert deal(log, SIX) == expected
    assert deal(log, "5S", 4) == [CLOSED]  # a third card: the first four are turned


@pytest.mark.parametrize("book", ["star-premium", "nz-baccarat"])
def test_the_call_comes_after_the_cards_where_wagers_are_still_open(tmp_path: Path, book: str) -> None:
    log = table(tmp_path, book, **({"style": "international"} if book == "nz-baccarat" else {}))
    deal(log, SIX)
    assert act(log, NoMoreBets()) == "No more bets for coup 1/1. Deal on, or turn the cards."
    assert (log.history().phase, log.hand().called) == (CLOSED, True)
    assert act(log, NoMoreBets()) == "No more bets was called for coup 1/1 already."
    log.restart()
    assert (log.history().phase, log.hand().called) == (CLOSED, True)


def test_a_natural_that_nobody_has_turned_leaves_premium_open(tmp_path: Path) -> None:
    log = table(tmp_path, "star-premium")
    log.play(FOUR)
    assert (log.hand().phase, log.hand().wagers) == ("complete", OPEN)
    assert act(log, CardExposed()) == "A card of coup 1/1 is exposed: its wagers are closed. Deal the coup to its end."
    assert (log.hand().wagers, log.hand().exposed) == (CLOSED, True)
    assert "waits for Confirm" in act(log, NoMoreBets())
    log.restart()
    assert (log.hand().wagers, log.hand().exposed) == (CLOSED, True)
    log.confirm()
    assert (log.hand().wagers, log.hand().exposed) == (OPEN, False)


@pytest.mark.parametrize(
    ("kept", "said"), [("8D", "Its first card lies there"), ("8D 7D", "Its first 2 cards lie there")]
)
def test_the_call_before_a_coup_that_kept_cards_begin(tmp_path: Path, kept: str, said: str) -> None:
    log = table(tmp_path, "nz-baccarat")  # 12.2: an unseen card in excess is the first card of the next coup
    log.play(FOUR)
    for place, card in enumerate(kept.split()):
        log.card(card, SLOTS[place], coup_no=2, flags={"surplus": True})
    log.irregularity("excess_card", "NEXT_LIVE")
    log.confirm()
    assert (log.hand().wagers, len(log.hand().cards)) == (OPEN, len(kept.split()))
    assert act(log, NoMoreBets()) == f"No more bets for coup 1/2. {said} already. Deal the next one."


def test_a_kept_card_can_be_exposed_before_the_coup_that_it_begins(tmp_path: Path) -> None:
    log = table(tmp_path, "nz-baccarat")
    log.play(FOUR)
    log.card("8D", "player_1", coup_no=2, flags={"surplus": True})
    log.irregularity("excess_card", "NEXT_LIVE")
    log.confirm()
    assert "its wagers are closed" in act(log, CardExposed())  # 5.14, 12.10: disclosed before the call
    assert (log.hand().wagers, log.hand().exposed) == (CLOSED, True)


@pytest.mark.parametrize("book", ["star-premium", "nz-baccarat"])
def test_a_card_that_a_patron_has_handled_closes_at_once(tmp_path: Path, book: str) -> None:
    log = table(tmp_path, book)  # 001 1.1 and 5.5; 002 12.10
    deal(log, SIX[:5])
    assert "its wagers are closed" in act(log, CardExposed())
    assert log.history().phase == CLOSED
    clause = {"star-premium": "5.5", "nz-baccarat": "5.14, 12.10"}[book]
    assert f"is exposed, so wagers are closed already ({clause})" in act(log, NoMoreBets())
    stored = [message for topic, message in log.stored() if topic == "card_exposed"]
    assert [(one["clause"], one["coup"], one["by"]) for one in stored] == [(clause, 1, "A. Smith")]


def test_a_card_that_the_shoe_read_face_up_is_exposed(tmp_path: Path) -> None:
    log = table(tmp_path, "star-premium")
    log.card("9S", "player_1")
    assert log.history().phase == OPEN
    log.card("2H", "banker_1", flags={"face_up": True})
    assert log.history().phase == CLOSED


# Reopening: 000 12.12, 002 5.14, 003 10.9, 004 4.2.8


@pytest.mark.parametrize(
    ("book", "facts", "clause"),
    [
        ("star-baccarat", {"method_a": False}, "12.12"),
        ("crown-baccarat", {"dealer_holds_shoe": True}, "10.9.1"),
        ("nz-baccarat", {}, "5.14"),
    ],
)
def test_wagers_are_reopened_while_nothing_is_exposed(
    tmp_path: Path, book: str, facts: dict[str, bool], clause: str
) -> None:
    log = table(tmp_path, book)
    act(log, NoMoreBets())
    deal(log, SIX[:8])
    assert "are open again" in act(log, ReopenWagers(facts=facts))
    assert (log.history().phase, log.hand().called) == (OPEN, False)
    stored = [message for topic, message in log.stored() if topic == "wagers_reopened"]
    assert [(one["clause"], one["coup"], one["by"]) for one in stored] == [(clause, 1, "A. Smith")]
    log.restart()
    assert log.history().phase == OPEN
    assert "are open" in act(log, ReopenWagers(facts=facts))
    assert "No more bets for coup 1/1" in act(log, NoMoreBets())
    assert log.history().phase == CLOSED
    act(log, CardExposed())
    assert "a card of this coup is exposed" in act(log, ReopenWagers(facts=facts))
    assert log.history().phase == CLOSED


def test_rapid_reopens_before_a_card_only(tmp_path: Path) -> None:
    log = table(tmp_path, "star-rapid")
    act(log, NoMoreBets())
    assert "are open again" in act(log, ReopenWagers())
    assert log.history().phase == OPEN
    log.card("9S", "player_1")  # face up (3.3)
    assert "a card of this coup is exposed (4.2.8, 7.3)" in act(log, ReopenWagers())


@pytest.mark.parametrize(
    ("book", "facts", "why"),
    [
        ("star-premium", {}, "star-premium has no clause that reopens wagers (5.5 closes them)"),
        (
            "star-baccarat",
            {},
            "12.12 allows it only if the game is not dealt by Method A. If that is so, repeat it with --no-fact",
        ),
        ("star-baccarat", {"method_a": True}, "12.12 allows it only if the game is not dealt by Method A"),
        ("crown-baccarat", {"dealer_holds_shoe": False}, "10.9.1 allows it only if the dealer holds the shoe"),
    ],
)
def test_what_the_clause_does_not_allow_is_refused(tmp_path: Path, book: str, facts: dict[str, bool], why: str) -> None:
    log = table(tmp_path, book)
    act(log, NoMoreBets())
    assert why in act(log, ReopenWagers(facts=facts))
    assert log.history().phase == CLOSED


def test_a_third_card_is_dealt_only_after_the_hands_are_turned(tmp_path: Path) -> None:
    log = table(tmp_path, "crown-baccarat")
    deal(log, f"{SIX} 5S")
    assert "a card of this coup is exposed" in act(log, ReopenWagers(facts={"dealer_holds_shoe": True}))


def test_a_coup_is_named_as_it_is_on_the_table(tmp_path: Path) -> None:
    log = table(tmp_path, "nz-baccarat")
    deal(log, SIX)
    assert "coup 1/1 is on the table, not 1/2" in act(log, NoMoreBets(coup="1/2"))
    assert coup_now(log.verifier, log.session.screens).number == 1

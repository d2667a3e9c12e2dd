"""Verify: the cutting card, and the numbers of coups and slots, from hand-written logs."""

import pytest
from shoe_events import SLOTS
from verified_log import FOUR, NATURAL, Log

# The cutting card: The Star 4.9, 4.10; NZ 11.2; Crown 4.1.1(b), 7.3.4(d), A-17; Rapid 3.13, 3.14

LAST_BY_BOOK = [
    ("star-baccarat", 1, "4.10", "4.9"),
    ("star-premium", 1, "4.10", "4.9"),
    ("nz-baccarat", 1, "11.2(a)", "11.2(b)"),
    ("star-rapid", 1, "3.14", "3.13"),
    ("crown-baccarat", 2, "4.1.1(b), A-17", "7.3.4(d)"),
]


@pytest.mark.parametrize(("book", "last", "clause", "_"), LAST_BY_BOOK)
def test_a_cutting_card_before_the_first_card(book: str, last: int, clause: str, _: str) -> None:
    right, wrong = Log(book), Log(book)
    for log, by in ((right, last), (wrong, 3 - last)):
        log("cutting_card", shoe_no=1, coup_no=1, before_first_card=1)
        log.deal()
        log.result(**NATURAL, last_coup=by == 1)
    assert right.alarms() == []
    assert wrong.alarm().clause == clause
    assert wrong.coups() == [(1, "disputed")]


@pytest.mark.parametrize(("book", "_", "__", "clause"), LAST_BY_BOOK)
def test_a_cutting_card_in_mid_coup_makes_the_next_the_last(book: str, _: int, __: str, clause: str) -> None:
    log = Log(book)
    log.card("9S", "player_1")
    log("cutting_card", shoe_no=1, coup_no=1, before_first_card=0)
    for card, slot in zip(["2H", "TD", "3C"], SLOTS[1:], strict=False):
        log.card(card, slot)
    log.result()
    log.confirm()
    log.deal()
    log.result(**NATURAL)
    assert (log.alarm().shoe_says, log.alarm().cards_say) == ("not the last coup", "the last coup")
    assert log.alarm().clause == clause


@pytest.mark.parametrize(("book", "_", "clause", "__"), LAST_BY_BOOK)
def test_a_coup_with_wagers_after_the_last_one(book: str, _: int, clause: str, __: str) -> None:
    log = Log(book)
    log("cutting_card", shoe_no=1, coup_no=1, before_first_card=1)
    log.coup(last_coup=book != "crown-baccarat")
    if book == "crown-baccarat":
        log.coup(last_coup=True)
    log.coup(last_coup=True)
    alarm = log.alarms()[0]
    if book == "crown-baccarat":  # only the wagers are wrong
        assert (alarm.shoe_says, alarm.cards_say) == ("live", "dummy: after the last coup")
    else:
        assert (alarm.shoe_says, alarm.cards_say) == ("coup 2 is dealt", "coup 1 was the last")
        assert alarm.clause == clause
    assert log.coups()[-1][1] == "disputed"


def test_dummy_coups_may_follow_the_last_one_at_crown() -> None:
    log = Log("crown-baccarat")
    log("cutting_card", shoe_no=1, coup_no=1, before_first_card=1)
    log.coup()
    log.coup(last_coup=True)
    log.command("authorise", times=1)
    log("coup_kind", shoe_no=1, coup_no=3, kind="dummy")
    log.deal()
    log.result(kind="dummy", **NATURAL, last_coup=True)
    assert log.alarms() == []


@pytest.mark.parametrize("confirmed", [False, True])
def test_a_cutting_card_after_a_surplus_card_is_in_the_coup_that_the_card_begins(confirmed: bool) -> None:
    log = Log()  # 12.2, 4.9: the coup goes on, and one more follows; A-55
    log.deal()
    log.result()
    log.card("8D", "player_1", coup_no=2, flags={"surplus": True})
    log.irregularity("player_overdraw", "NEXT_LIVE")
    if confirmed:
        log.confirm()
    log("cutting_card", shoe_no=1, coup_no=2, before_first_card=0)
    if not confirmed:
        log.confirm()
    for card, slot in zip(["2H", "KD", "3S"], SLOTS[1:], strict=False):
        log.card(card, slot)
    log.result("player", (8, 5))
    log.confirm()
    log.coup(last_coup=True)
    assert log.alarms() == []
    assert log.coups() == [(1, "verified"), (2, "verified"), (3, "verified")]


def test_no_cutting_card_comes_before_a_coup_that_a_surplus_card_began() -> None:
    log = Log()
    log.deal()
    log.result()
    log.card("8D", "player_1", coup_no=2, flags={"surplus": True})
    log.irregularity("player_overdraw", "NEXT_LIVE")
    log("cutting_card", shoe_no=1, coup_no=2, before_first_card=1)
    assert log.alarm().cards_say == "in coup 2"


# Numbers


def test_slots_come_in_the_order_of_the_draw() -> None:
    log = Log()
    log.card("9S", "player_1")
    log.card("2H", "player_2")
    assert log.alarm().cards_say == "after 9S banker_1 is due"
    assert log.alarm().coup == 1


def test_a_third_card_that_the_tables_do_not_give() -> None:
    log = Log()
    log.deal(FOUR)
    log.card("4S", "player_3")
    assert (log.alarm().cards_say, log.alarm().clause) == ("after 9S 2H TD 3C the coup is complete", "9.2")


def test_cards_after_the_end_are_one_alarm() -> None:
    log = Log()
    log("shoe_closed", shoe_no=1, coups=0, reason="command")
    for slot in SLOTS[:4]:
        log.card("9S", slot)
    assert log.alarm().say.startswith("A card was dealt, but no shoe is open.")
    assert log.alarm().say.endswith("keep the shoe for inspection.")

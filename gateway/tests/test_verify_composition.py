"""Verify: composition, burn and kinds of coups, from hand-written logs; clauses are those of the printed books."""

from typing import Any

import pytest
from sabot_protocol.cards import DECK
from shoe_events import SLOTS
from verified_log import FOUR, Log

# Composition


def test_the_shoe_must_report_the_second_copy_of_a_card_in_one_deck() -> None:
    log = Log(decks=1)
    log.coup()
    log.card("9S", "player_1")
    assert log.alarms() == []  # the shoe may still report it
    log.card("2D", "banker_1")
    alarm = log.alarm()
    assert alarm.cards_say == "missing or foreign card: 9S came more often than 1 decks allow"
    assert (alarm.coup, alarm.severity) == (2, "critical")


def test_a_surplus_copy_that_the_shoe_reports_is_one_alarm_and_no_discrepancy() -> None:
    log = Log(decks=1)
    log.coup()
    log.card("9S", "player_1")
    log.irregularity("missing_or_foreign_card", "VOID_CHECK")
    log("coup_void", shoe_no=1, coup_no=2, reason="foreign_card", then="new_cards", cards=1)
    log("shoe_closed", shoe_no=1, coups=2, reason="new_cards")
    assert log.alarms() == []
    assert log.alarm("missing_or_foreign_card").clause == "12.11"


@pytest.mark.parametrize("book", ["star-baccarat", "star-premium", "star-rapid"])
@pytest.mark.parametrize("confirmed", [False, True])
@pytest.mark.parametrize("reason", [None, "foreign"])
def test_a_foreign_card_after_a_complete_coup_voids_no_coup(book: str, confirmed: bool, reason: str | None) -> None:
    log = Log(book)
    log.deal()
    log.result()
    if confirmed:
        log.confirm()
    if reason:
        read: dict[str, Any] = {"columns": 10, "doubtful": 0, "speed_mm_s": 850, "margin_pct": 0}
        log("reject", shoe_no=1, coup_no=log.coup_no, reason=reason, **read)
    else:
        log.command("irregularity", case="missing_or_foreign_card", facts={})
    log.irregularity("missing_or_foreign_card", "VOID_CHECK")
    happened, _, say = log.alarm("missing_or_foreign_card").say.partition(". ")
    assert happened == "A card is missing, surplus or from another set"
    assert say.startswith("No coup is void") == (not confirmed or reason is None)  # else it is the next coup's first


@pytest.mark.parametrize("slot", ["burn", "unused"])
def test_burnt_and_unused_cards_count(slot: str) -> None:
    log = Log("crown-baccarat", decks=1)
    log.command("burn_card")
    log.card("9S", slot, flags={"surplus": slot == "unused"})
    if slot == "unused":
        log.irregularity("excess_card", "NEXT_LIVE")
    log.card("9S", "player_1")
    log.card("2H", "banker_1")
    assert "9S came more often" in log.alarm().cards_say


def test_under_a_continuous_shuffler_cards_come_again() -> None:
    log = Log(decks=1, shuffler="continuous")
    for _ in range(9):
        log.coup()
    assert log.alarms() == []


def test_a_card_that_was_put_back_does_not_count_twice() -> None:
    log = Log("crown-baccarat", decks=1)
    log.deal()
    log.result()
    log.coup_no = 2
    log.card("8D", "player_1", flags={"surplus": True})
    log.coup_no = 1
    log.irregularity("player_overdraw", "NEXT_NO_BET")
    log.command("card_returned")
    log.confirm()
    log("coup_kind", shoe_no=1, coup_no=2, kind="dummy")
    log.card("8D", "player_1", flags={"returned": True})
    log.card("KC", "banker_1")
    assert log.alarms() == []


def test_the_shoes_own_counts_are_compared() -> None:
    log = Log()
    log.coup()
    halves = [DECK[:26], DECK[26:]]
    for half, cards in enumerate(halves):
        counts = [int(card in FOUR.split()) for card in cards]
        packed = bytes(low | high << 4 for low, high in zip(counts[::2], counts[1::2], strict=True))
        log("composition", shoe_no=1, half=half, counts=packed)
    place: dict[str, Any] = {
        "shoe_no": 1,
        "coup_no": 2,
        "decks": 8,
        "coups_left": 0,
        "kind": "live",
        "authorised": 0,
        "locked": 0,
        "before": 0,
    }
    log("checkpoint", **place, cards_out=4)
    assert log.alarms() == []
    log("checkpoint", **place, cards_out=5)
    assert (log.alarm().shoe_says, log.alarm().cards_say) == ("5 cards of 8 decks", "4 cards of 8 decks")


def test_a_check_of_the_decks_is_one_alarm_for_all_differences() -> None:
    log = Log()
    log("shoe_closed", shoe_no=1, coups=0, reason="command")
    log.command("deck_check", on=1, decks=1)
    log.coup_no = 0
    for card in ("AS", "AS", "KH"):
        log.card(card, "burn")
    log.command("deck_check", on=0, decks=0)
    for card, seen in (("AS", 2), ("2C", 0)):
        log("deck_check", shoe_no=1, card=card, seen=seen, expected=1)
    log("checked", shoe_no=1, cards=3, differences=2)
    assert log.alarm("decks_differ").shoe_says == "AS came 2 times, 2C came 0 times"
    assert log.alarms() == []


def test_a_check_without_a_card_is_none_and_lists_no_52_cards() -> None:
    log = Log()
    log("shoe_closed", shoe_no=1, coups=0, reason="command")
    log.command("deck_check", on=1, decks=1)
    log.command("deck_check", on=0, decks=0)
    for card in DECK:
        log("deck_check", shoe_no=1, card=card, seen=0, expected=1)
    log("checked", shoe_no=1, cards=0, differences=52)
    alarm = log.alarm("decks_differ")
    assert alarm.say.startswith("No card was fed in the check of the decks, so nothing is checked. Begin it again")
    assert alarm.shoe_says.endswith("came 0 times, and 44 others")


# Burn: The Star 4.7, NZ 7.7 with ten for tens and pictures


@pytest.mark.parametrize(("first", "more"), [("5S", 5), ("AS", 1), ("KS", 10), ("TD", 10)])
def test_a_card_burnt_face_up_burns_as_many_as_its_value(first: str, more: int) -> None:
    for count, wrong in ((more, False), (more - 1, True)):
        log = Log("nz-baccarat", burn="face_up")
        for card in [first, *DECK[:count]]:
            log.card(card, "burn", coup_no=0)
        log("burn", shoe_no=1, mode="face_up", cards=count + 1, missed=0)
        assert [alarm.clause for alarm in log.alarms()] == (["7.7"] if wrong else [])


def test_a_card_burnt_later_needs_an_order_at_crown() -> None:
    log = Log("crown-baccarat")
    log.coup()
    log.command("burn_card")
    log.card("KD", "burn")
    assert log.alarms() == []
    log.card("KD", "burn")
    assert log.alarm().clause == "7.2.2(b)"


# Kinds


def test_a_first_card_face_up_asks_for_a_coup_without_wagers() -> None:
    log = Log()
    log.card("9S", "player_1", flags={"face_up": True})
    log.irregularity("first_card_face_up", "THIS_NO_BET")
    for card, slot in zip(["2H", "TD", "3C"], SLOTS[1:], strict=False):
        log.card(card, slot)
    log.result()
    assert (log.alarm().shoe_says, log.alarm().cards_say) == ("live", "no_bet: first card face up")
    assert log.alarm().clause == "12.4"

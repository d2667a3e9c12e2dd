"""Verify: the dealer's entry, missing parts of the log, the profile and the lock, from hand-written logs."""

import pytest
from sabot_gateway.verify import Verifier
from sabot_protocol import messages
from sabot_protocol.topics import AlarmMessage, CoupMessage
from shoe_events import SLOTS, UNIT
from verified_log import Log

# The dealer's entry: The Star 12.13, Rapid 7.7.4.9-10, 8.1, 11.8.11


def wrong_button(book: str = "star-baccarat") -> Log:
    log = Log(book)
    log.deal()
    log.result()
    log.button("banker")
    code = {"star-baccarat": "CONFIRM", "crown-baccarat": "NO_RULE"}[book]
    log.irregularity("scan_discrepancy", code, confirmed=True)
    log("fault", fault="decision", detail=0)
    return log


def test_a_wrong_button_disputes_the_coup_and_its_fault_is_an_alarm_too() -> None:
    log = wrong_button()
    raised = [r.message for r in log.records if isinstance(r.message, AlarmMessage)]
    assert [(alarm.name, alarm.clause) for alarm in raised] == [("discrepancy", "12.13"), ("fault_decision", "")]
    assert (raised[0].shoe_says, raised[0].cards_say) == ("the dealer says banker", "the cards say player")
    assert log.coups() == [(1, "verified"), (1, "disputed")]
    assert [coup.corrects for coup in log.verifier.disputed()] == [f"{UNIT}-6"]


@pytest.mark.parametrize("book", ["star-baccarat", "crown-baccarat"])
def test_a_supervisor_at_the_shoe_settles_a_wrong_button(book: str) -> None:
    log = wrong_button(book)
    log("fault_cleared", fault="decision", by="key")
    assert log.coups()[-1] == (1, "disputed")
    log.button("confirm")
    assert log.coups()[-1] == (1, "confirmed")
    assert (log.verifier.disputed(), log.verifier.active()) == ([], [])


def test_confirm_alone_does_not_settle_a_wrong_button() -> None:
    log = wrong_button()
    log.button("confirm")
    assert log.coups()[-1] == (1, "disputed")


def test_a_void_at_the_shoe_ends_the_dispute() -> None:
    log = wrong_button()
    disputed = log.verifier.disputed()[0]
    own, *_ = log("coup_void", shoe_no=1, coup_no=1, reason="discrepancy", then="go_on", cards=4)
    assert isinstance(own.message, CoupMessage)
    assert (own.message.status, own.message.winner, own.message.corrects) == ("void", None, disputed.id)
    assert log.verifier.disputed() == []
    log("fault_cleared", fault="decision", by="command")
    assert [alarm.name for alarm in log.verifier.active()] == ["coup_void"]


def test_a_wrong_button_that_the_shoe_ignores() -> None:
    log = Log()
    log.deal()
    log.result()
    log.button("banker")
    log.button("confirm")
    first, second = log.alarms()
    assert first.say.startswith("The dealer's result does not match the cards.")
    assert second.say.startswith("The shoe did not report an irregularity.")


# Parts that are missing


def test_a_shoe_that_is_joined_in_mid_coup_is_disputed_for_that_coup_only() -> None:
    log = Log()
    log.verifier = Verifier("bac-01", log.book, log.profile)
    log.records.clear()
    log.coup_no = 17
    for card, slot in zip(["TD", "3C"], SLOTS[2:], strict=False):
        log.card(card, slot)
    log.result()
    log.confirm()
    log.coup()
    assert log.coups() == [(17, "disputed"), (18, "verified")]
    assert log.alarm().say.startswith("Part of this coup's log is missing.")


def test_another_unit_starts_with_an_unknown_state() -> None:
    log = Log()
    log.deal()
    log("shoe_opened", unit="5ab0000000000002", shoe_no=40, card_set=1, decks=8, burn="none")
    assert log.alarms() == []


# The profile


def test_cards_under_another_profile_are_a_discrepancy() -> None:
    log = Log()
    log("shoe_closed", shoe_no=1, coups=0, reason="command")
    log("profile_set", profile_hash=messages.profile_hash(log.profile))
    log("shoe_opened", shoe_no=2, card_set=1, decks=8, burn="none")
    assert log.alarms() == []
    log("shoe_closed", shoe_no=2, coups=0, reason="command")
    log("profile_set", profile_hash=bytes(8))
    log("shoe_opened", shoe_no=3, card_set=1, decks=8, burn="none")
    assert log.alarm().shoe_says == "profile 0000000000000000"


# The exit is locked by command: The Star 5.4, Premium 5.5, NZ 5.14, Crown 5.4, Rapid 7.3


@pytest.mark.parametrize(
    ("book", "clause", "next_step"),
    [
        ("star-baccarat", "5.4", "wagers are closed"),
        ("star-premium", "5.5", "Keep it face down"),
        ("nz-baccarat", "5.14", "Call no more bets"),
        ("crown-baccarat", "5.4", "wagers are closed"),
        ("star-rapid", "7.3", "Those already placed stand"),
    ],
)
def test_a_card_drawn_while_locked_closes_wagers_by_the_book(book: str, clause: str, next_step: str) -> None:
    log = Log(book)
    log("lock", on=1)
    log.card("9S", "player_1")
    alarm = log.alarm("drawn_while_locked")
    assert (alarm.shoe_says, alarm.clause) == ("9S as player_1", clause)
    assert next_step in alarm.say
    log("lock", on=0)
    for card, slot in zip(["2H", "TD", "3C"], SLOTS[1:], strict=False):
        log.card(card, slot)
    log.result()
    assert log.coups() == [(1, "verified")]
    assert log.alarms("drawn_while_locked") == [alarm]


def test_the_alarm_for_a_later_card_drawn_while_locked_does_not_mention_wagers() -> None:
    log = Log()
    log.card("9S", "player_1")
    log("lock", on=1)
    log.card("2H", "banker_1")
    assert (log.alarm("drawn_while_locked").clause, "wagers" in log.alarm("drawn_while_locked").say) == ("", False)


def test_a_surplus_or_keyed_card_is_not_drawn_while_locked() -> None:
    log = Log()
    log("lock", on=1)
    log.card("9S", "player_1", flags={"keyed": True})
    log.card("2H", "unused", flags={"surplus": True})
    assert log.alarms("drawn_while_locked") == []


def test_after_a_gap_in_the_log_the_lock_is_not_known() -> None:
    log = Log()
    log("lock", on=1)
    log("damaged")
    log.card("9S", "player_1")
    assert log.alarms("drawn_while_locked") == []

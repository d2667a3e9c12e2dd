"""Verify: a card counts as keyed in only if one left the shoe and was not read; a settled fault has no alarm left."""

from typing import Any

import pytest
from verified_log import Log

EVERY = ["star-baccarat", "star-premium", "nz-baccarat", "crown-baccarat", "star-rapid"]
LEFT = ["blank", "columns", "doubtful", "not_in_set", "spacing", "pushed_back_midway"]
NOT_KNOWN = ["short_pull", "pushed_back", "half_drawn", "double", "not_due", "lid_open", "noise"]
READ: dict[str, Any] = {"columns": 0, "doubtful": 0, "speed_mm_s": 0, "margin_pct": 0}
PHANTOM = "A card was keyed in that did not leave the shoe."


def begun(book: str = "star-baccarat") -> Log:
    """Return a log with one coup behind it, and the first card of the next."""
    log = Log(book)
    log.coup()
    log.card("9S", "player_1")
    return log


def reject(log: Log, reason: str, fault: str = "card") -> None:
    log("reject", shoe_no=1, coup_no=log.coup_no, reason=reason, **READ)
    log("fault", fault=fault, detail=0)


def key_in(log: Log, card: str = "2H", slot: str = "banker_1") -> list[str]:
    """Key in a card that the shoe takes; return what the gateway finds."""
    if log.book.id == "star-rapid":
        log.command("authorise", times=1)
    log.command("key_card", card=card, flags={})
    before = len(log.alarms())
    log.card(card, slot, flags={"keyed": True})
    return [alarm.say.partition(" Do not pay")[0] for alarm in log.alarms()[before:]]


@pytest.mark.parametrize("book", EVERY)
@pytest.mark.parametrize("reason", LEFT)
def test_a_card_that_left_and_was_not_read_is_keyed_in_once(book: str, reason: str) -> None:
    log = begun(book)
    reject(log, reason)
    assert key_in(log) == []
    assert key_in(log, "TD", "player_2") == [PHANTOM]
    alarm = log.alarm()
    assert (alarm.coup, alarm.severity, alarm.shoe_says) == (2, "critical", "TD keyed in as player_2")


@pytest.mark.parametrize("reason", ["pushed_back", "half_drawn", "double"])
def test_the_alarm_says_what_to_do_with_a_card_that_cannot_be_keyed_in(reason: str) -> None:
    """Rapid 11.8.12 is the only rule for keying in, and it is about a card that the shoe reads wrongly."""
    log = begun("star-rapid")
    reject(log, reason)
    say = log.alarm("reject").say
    assert "keyed in" in say
    assert "drawn again" in say
    assert "void the coup" in say or "the coup is void" in say


@pytest.mark.parametrize("book", EVERY)
@pytest.mark.parametrize("reason", NOT_KNOWN)
def test_a_keyed_card_after_a_card_that_may_be_in_the_shoe_disputes_the_coup(book: str, reason: str) -> None:
    log = begun(book)
    reject(log, reason)
    assert key_in(log) == [PHANTOM]
    log.card("TD", "player_2")
    log.card("3C", "banker_2")
    log.result()
    assert log.coups()[-1] == (2, "disputed")


def test_a_keyed_card_without_any_reject() -> None:
    assert key_in(begun()) == [PHANTOM]


def test_a_card_that_is_settled_is_not_keyed_in_later() -> None:
    log = begun()
    reject(log, "doubtful")
    log("fault_cleared", fault="card", by="command")
    assert key_in(log) == [PHANTOM]
    drawn_again = begun()
    reject(drawn_again, "doubtful")
    drawn_again("fault_cleared", fault="card", by="key")
    drawn_again.card("2H", "banker_1")
    assert key_in(drawn_again, "TD", "player_2") == [PHANTOM]


@pytest.mark.parametrize("on", [True, False])
def test_while_the_key_is_turned_the_card_may_still_be_keyed_in(on: bool) -> None:
    log = begun()
    reject(log, "doubtful")
    log("key", on=1)
    log("fault_cleared", fault="card", by="key")
    if not on:
        log("key", on=0)
    assert key_in(log) == ([] if on else [PHANTOM])


@pytest.mark.parametrize("book", EVERY)
@pytest.mark.parametrize("other", ["lid", "sensor", "decision"])
def test_another_fault_does_not_keep_the_card_when_the_key_is_turned_back(book: str, other: str) -> None:
    log = begun(book)
    reject(log, "doubtful")
    log("key", on=1)
    log("fault_cleared", fault="card", by="key")
    log("fault", fault=other, detail=0)
    log("key", on=0)
    assert log.verifier.unread_cards() == 0
    log("fault_cleared", fault=other, by="command")
    assert key_in(log) == [PHANTOM]


def test_an_unread_card_of_a_coup_that_is_over_is_none_of_the_next() -> None:
    log = Log()
    log.deal()
    log.result()
    reject(log, "blank")
    log("key", on=1)
    log("fault_cleared", fault="card", by="key")
    log.confirm()
    assert key_in(log, slot="player_1") == [PHANTOM]
    log("coup_void", shoe_no=1, coup_no=2, reason="misdeal", then="go_on", cards=1)
    log.coup_no = 3
    assert key_in(log, slot="player_1") == [PHANTOM]


def test_a_confirm_that_does_not_count_settles_no_card() -> None:
    log = Log("star-rapid")  # 7.7.4.9, 7.7.4.10: the result, and then Confirm; another result holds the coup
    log.deal()
    log.result()
    reject(log, "blank")
    log("key", on=1)
    log("fault_cleared", fault="card", by="key")
    log.button("banker")
    log.button()
    assert log.verifier.unread_cards() == 1
    log.button("player")
    log.button()
    assert log.verifier.unread_cards() == 0


def test_two_cards_that_left_are_keyed_in_and_no_third() -> None:
    log = begun()
    reject(log, "doubtful")
    log("reject", shoe_no=1, coup_no=2, reason="blank", **READ)
    assert key_in(log) == []
    assert key_in(log, "TD", "player_2") == []
    assert key_in(log, "3C", "banker_2") == [PHANTOM]


def test_where_part_of_the_log_is_missing_nothing_is_found() -> None:
    log = begun()
    log("damaged")
    assert log.verifier.unread_cards() is None
    assert key_in(log) == []


# The alarms of one fault


@pytest.mark.parametrize("place", ["burning", "between", "dealing", "complete"])
@pytest.mark.parametrize("reason", ["doubtful", "short_pull", "lid_open"])
def test_all_alarms_of_one_fault_name_one_coup_and_end_with_it(place: str, reason: str) -> None:
    log = Log(burn="one" if place == "burning" else "none")
    if place == "burning":
        log.coup_no = 0
    else:
        log.coup()
        log.coup()
    if place == "dealing":
        log.card("9S", "player_1")
    if place == "complete":
        log.deal("7S 4H TC 5D")
        log.result(points=(7, 9), winner="banker", natural=True)
    fault = "lid" if reason == "lid_open" else "card"
    log("reject", shoe_no=1, coup_no=log.coup_no, reason=reason, **READ)
    if reason == "doubtful":
        log.irregularity("misread_card", "NO_RULE")
    log("fault", fault=fault, detail=0)
    active = log.verifier.active()
    assert {alarm.name for alarm in active} >= {"reject", f"fault_{fault}"}
    assert {alarm.coup for alarm in active} == {log.coup_no}
    log("fault_cleared", fault=fault, by="command")
    assert log.verifier.active() == []


def test_a_fault_that_takes_the_place_of_another_takes_its_alarms_with_it() -> None:
    log = begun("crown-baccarat")
    log("reject", shoe_no=1, coup_no=2, reason="doubtful", **READ)
    log.irregularity("misread_card", "NO_RULE")
    log("fault", fault="card", detail=0)
    log("fault", fault="decision", detail=0)
    log("fault_cleared", fault="decision", by="key")
    assert log.verifier.active() == []


def test_a_foreign_card_stays_an_alarm() -> None:
    log = begun("crown-baccarat")
    log("reject", shoe_no=1, coup_no=2, reason="foreign", **READ)
    log.irregularity("missing_or_foreign_card", "NO_RULE")
    log("fault", fault="composition", detail=0)
    log("fault_cleared", fault="composition", by="key")
    assert [alarm.name for alarm in log.verifier.active()] == ["missing_or_foreign_card"]

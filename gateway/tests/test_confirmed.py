"""Confirmed: what may be settled, once for each Confirm; nothing else is on that topic (Rapid 7.7.4.9-10, 8.1)."""

from typing import Any

import pytest
from sabot_gateway.verify import NotThereError, Record, Source
from sabot_gateway.verify.deciders import Decider
from sabot_protocol.topics import ConfirmedMessage, CoupMessage
from shoe_events import UNIT
from verified_log import Log

BOOKS = ("star-baccarat", "star-premium", "nz-baccarat", "crown-baccarat", "star-rapid")
GATEWAY = "6a7e000000000001"
SMITH = Decider("A. Smith", "12.13", "2026-01-01T00:00:00.000Z", f"{GATEWAY}-6")


def confirmed(records: list[Record]) -> list[ConfirmedMessage]:
    return [record.message for record in records if isinstance(record.message, ConfirmedMessage)]


def coups(log: Log) -> list[CoupMessage]:
    return [record.message for record in log.records if isinstance(record.message, CoupMessage)]


def complete(book: str = "star-baccarat", **changes: Any) -> Log:
    """A coup on the table that waits for Confirm."""
    log = Log(book)
    log.deal()
    log.result(**changes)
    return log


def decide(log: Log, verdict: Any, number: int = 7, coup: str = "1/1") -> list[Record]:
    made = log.verifier.decide(log.verifier.disputes.find(coup), verdict, SMITH, Source(GATEWAY, number, "later"))
    log.records += made
    return made


@pytest.mark.parametrize("book", BOOKS)
def test_a_result_is_published_as_confirmed_when_the_dealer_confirms_it_and_not_before(book: str) -> None:
    log = complete(book)
    if book == "star-rapid":  # 7.7.4.9
        log.button("player")
    assert confirmed(log.records) == []
    own, *others = log.button()
    assert (own.topic, others) == ("confirmed", [])
    (message,), (coup,) = confirmed([own]), coups(log)
    number = 8 if book == "star-rapid" else 7
    assert (message.id, message.unit, message.event_no) == (f"{UNIT}-{number}", UNIT, number)
    assert (message.coup_id, message.corrects, message.status, message.kind) == (coup.id, "", "confirmed", "live")
    assert (message.winner, message.player_points, message.banker_points, message.natural) == ("player", 9, 5, True)
    assert (message.player, message.banker) == (["9S", "TD"], ["2H", "3C"])
    assert (message.shoe, message.coup, message.table, message.rulebook) == (1, 1, "bac-01", coup.rulebook)
    assert message.by == "the dealer, at the shoe"
    assert coup.status == "verified"


def test_confirm_pressed_twice_is_one_message() -> None:
    log = complete()
    log.button()
    assert log.button() == [Record()]
    log.command("confirm")
    assert len(confirmed(log.records)) == 1


def test_a_coup_without_wagers_is_confirmed_as_such() -> None:
    log = Log()
    log.command("no_bet", kind="no_bet")
    log("coup_kind", shoe_no=1, coup_no=1, kind="no_bet")
    log.deal()
    log.result(kind="no_bet")
    log.button()
    (message,) = confirmed(log.records)
    assert message.kind == "no_bet"


def test_a_supervisors_command_confirms_in_the_name_of_the_requester() -> None:
    log = complete()
    log.command("confirm")
    (message,) = confirmed(log.records)
    assert (message.status, message.by) == ("confirmed", "unknown person, command 6")
    log.button()
    assert len(confirmed(log.records)) == 1


@pytest.mark.parametrize("between", [("boot",), ("lid",), ("key",), ("fault",)])
def test_what_happens_between_the_coup_and_confirm_does_not_matter(between: tuple[str, ...]) -> None:
    events: dict[str, dict[str, Any]] = {
        "boot": {"cause": "power", "boot_count": 2},
        "lid": {"open": 1},
        "key": {"on": 1},
        "fault": {"fault": "lid", "detail": 0},
    }
    log = complete()
    for kind in between:
        log(kind, **events[kind])
    log.button()
    assert [(message.coup, message.status) for message in confirmed(log.records)] == [(1, "confirmed")]


# Never


def test_a_void_coup_is_never_confirmed() -> None:
    log = complete()
    log("coup_void", shoe_no=1, coup_no=1, reason="misdeal", then="go_on", cards=4)
    log.button()
    assert confirmed(log.records) == []


def test_a_coup_that_was_void_before_it_was_complete_is_never_confirmed() -> None:
    log = Log()
    log.deal("9S 2H")
    log("coup_void", shoe_no=1, coup_no=1, reason="misdeal", then="go_on", cards=2)
    log.button()
    assert confirmed(log.records) == []


def test_a_result_that_is_not_the_cards_is_not_confirmed_before_a_supervisor_has_decided() -> None:
    log = complete(winner="banker")
    log.button()
    assert confirmed(log.records) == []
    coup, result, *_ = decide(log, "confirmed")
    assert (coup.topic, result.topic) == ("coup", "confirmed")
    (last,) = confirmed([result])
    assert (last.id, last.coup_id, last.corrects) == (f"{GATEWAY}-7-result", f"{GATEWAY}-7", "")
    assert (last.status, last.winner, last.by, last.clause) == ("confirmed", "player", "A. Smith", "12.13")
    assert (last.unit, last.event_no, last.attempt) == (GATEWAY, 7, f"{GATEWAY}-6")


def test_a_coup_that_is_decided_before_confirm_is_confirmed_once() -> None:
    log = complete(winner="banker")
    decide(log, "confirmed")
    log.button()
    log.command("confirm")
    assert len(confirmed(log.records)) == 1


def test_a_disputed_coup_that_is_void_is_never_confirmed() -> None:
    log = complete(winner="banker")
    log.button()
    decide(log, "void")
    assert confirmed(log.records) == []


def test_what_disputes_the_coup_at_its_confirm_keeps_it_from_being_confirmed() -> None:
    """The shoe did not report the wrong button: its Confirm confirms nothing."""
    log = complete()
    log.button("banker")
    log.button()
    assert confirmed(log.records) == []


def test_the_dealers_entry_is_confirmed_by_a_supervisor_at_the_shoe() -> None:
    log = complete()
    log.button("banker")
    log.irregularity("scan_discrepancy", "CONFIRM", confirmed=True)
    log("fault", fault="decision", detail=0)
    log("fault_cleared", fault="decision", by="key")
    assert confirmed(log.records) == []
    log.button()
    (message,) = confirmed(log.records)
    assert (message.coup_id, message.by, message.clause) == (coups(log)[-1].id, "a supervisor, at the shoe", "12.13")
    assert message.id not in [coup.id for coup in coups(log)]


# Corrections


def test_a_confirmed_coup_that_is_void_afterwards_is_corrected() -> None:
    log = complete()
    log.button()
    log("coup_void", shoe_no=1, coup_no=1, reason="misdeal", then="go_on", cards=4)
    first, second = confirmed(log.records)
    assert (second.corrects, second.status, second.kind, second.winner) == (first.id, "void", "void", None)
    assert second.coup_id == coups(log)[-1].id


def test_a_void_at_the_shoe_corrects_what_a_supervisor_had_confirmed() -> None:
    log = complete(winner="banker")
    decide(log, "confirmed")
    log("coup_void", shoe_no=1, coup_no=1, reason="misdeal", then="go_on", cards=4)
    first, second = confirmed(log.records)
    assert (second.corrects, second.status, second.winner) == (first.id, "void", None)


@pytest.mark.parametrize("verdict", ["confirmed", "void"])
def test_a_decision_about_a_coup_that_was_confirmed_corrects_that(verdict: str) -> None:
    log = complete()
    log.confirm()
    log.coup_no = 5
    log.card("9S", "player_1")  # not the next coup: the one before is in doubt
    (first,) = confirmed(log.records)
    decide(log, verdict)
    second = confirmed(log.records)[-1]
    assert (second.corrects, second.status, second.coup_id) == (first.id, verdict, f"{GATEWAY}-7")


def test_a_coup_that_was_confirmed_and_is_disputed_for_long_is_still_corrected() -> None:
    """Hundreds of coups later; under a continuous shuffler a shoe has no end."""
    log = Log(shuffler="continuous")
    log.coup()
    log.coup_no = 5
    log.card("9S", "player_1")
    (first,) = confirmed(log.records)
    log("coup_void", shoe_no=1, coup_no=5, reason="misdeal", then="go_on", cards=1)
    for log.coup_no in range(6, 306):
        log.coup()
    assert len(confirmed(log.records)) == 301
    decide(log, "void")
    assert confirmed(log.records)[-1].corrects == first.id


# Play goes on, and nobody has confirmed


def next_card(log: Log) -> None:
    log.coup_no = 2
    log.card("9D", "player_1")


def closed(log: Log) -> None:
    log("shoe_closed", shoe_no=1, coups=1, reason="command")


def another_shoe(log: Log) -> None:
    log("shoe_opened", unit="5ab0000000000002", shoe_no=40, card_set=1, decks=8, burn="none")


def lost_then_next(log: Log) -> None:
    log("damaged")
    next_card(log)


@pytest.mark.parametrize("goes_on", [next_card, closed, another_shoe, lost_then_next])
@pytest.mark.parametrize("book", BOOKS)
def test_a_coup_that_nobody_confirmed_waits_for_a_supervisor(book: str, goes_on: Any) -> None:
    log = complete(book)
    goes_on(log)
    assert confirmed(log.records) == []
    assert [(coup.status, coup.coup) for coup in coups(log)] == [("verified", 1), ("disputed", 1)]
    (alarm,) = [one for one in log.verifier.active() if one.name in ("not_confirmed", "discrepancy")]
    assert "must not be settled" in alarm.say
    decide(log, "confirmed")
    (message,) = confirmed(log.records)
    assert (message.by, message.winner, message.corrects) == ("A. Smith", "player", "")
    assert [one.name for one in log.verifier.active() if one.name in ("not_confirmed", "discrepancy")] == []


def test_a_surplus_card_does_not_confirm_and_disputes_nothing() -> None:
    log = complete()
    log.coup_no = 2
    log.card("8D", "player_1", flags={"surplus": True})
    log.coup_no = 1
    log.irregularity("player_overdraw", "NEXT_LIVE")
    assert confirmed(log.records) == []
    log.button()
    assert [message.coup for message in confirmed(log.records)] == [1]


def test_a_confirm_after_a_gap_in_the_log_confirms_nothing() -> None:
    log = complete()
    log("damaged")
    log.button()
    assert confirmed(log.records) == []
    next_card(log)
    with pytest.raises(NotThereError):
        log.verifier.disputes.find("1/2")
    assert log.verifier.disputes.find("1/1").status == "disputed"


# A restart: events are read again, decisions are recalled


def test_after_a_restart_what_was_confirmed_by_a_decision_is_still_known() -> None:
    log = complete()
    log.button("banker")
    log.irregularity("scan_discrepancy", "CONFIRM", confirmed=True)
    log("fault", fault="decision", detail=0)
    decision = decide(log, "confirmed")[0].message
    assert isinstance(decision, CoupMessage)
    again = complete()
    again.button("banker")
    again.irregularity("scan_discrepancy", "CONFIRM", confirmed=True)
    again("fault", fault="decision", detail=0)
    for one in (log, again):
        one("fault_cleared", fault="decision", by="command")
        one.command("confirm")
    again.verifier.restore([], [])
    again.verifier.recall_decisions([decision])
    for one in (log, again):
        one.records.clear()
        one("coup_void", shoe_no=1, coup_no=1, reason="misdeal", then="go_on", cards=4)
        (message,) = confirmed(one.records)
        assert (message.corrects, message.status) == (f"{GATEWAY}-7-result", "void")
        assert coups(one)[-1].corrects == f"{GATEWAY}-7"

"""Verify: alarms that last while the exit is locked though no fault is reported, from hand-written logs."""

from types import SimpleNamespace
from typing import Any

import pytest
from sabot_gateway.table_session import TableSession
from sabot_gateway.verify import Source
from verified_log import Log

OTHER = "5ab0000000000002"


def active(log: Log) -> list[str]:
    """Acknowledge every alarm; return the names of those that stay."""
    for alarm in log.verifier.active():
        log.verifier.acknowledge(alarm.alarm, "A. Smith", Source("6a7e000000000001", log.no, ""))
    return [alarm.name for alarm in log.verifier.active()]


def dummy_due(log: Log) -> None:
    """A surplus card begins the next coup, a dummy hand that nobody has authorised (Rapid 11.8.13)."""
    log.deal()
    log.result()
    log.card("8D", "player_1", coup_no=2, flags={"surplus": True, "exposed": True})
    log.irregularity("player_overdraw", "NEXT_NO_BET", exposed=True)
    log.confirm()
    log("coup_kind", shoe_no=1, coup_no=2, kind="dummy")


def test_a_lock_by_command_is_an_alarm_until_it_is_released() -> None:
    log = Log()
    log("lock", on=1)
    assert active(log) == ["exit_locked"]
    assert "`sabot table bac-01 tell unlock --by NAME`" in log.verifier.active()[0].say
    log("boot", boot_count=2, cause="power")
    log("lock", on=1)  # the shoe logs it again
    log("shoe_closed", shoe_no=1, coups=0, reason="command")
    log("shoe_opened", shoe_no=2, card_set=1, decks=8, burn="none")
    assert active(log) == ["exit_locked"]
    log("lock", on=0)
    assert active(log) == []


@pytest.mark.parametrize("book", ["star-baccarat", "star-premium", "star-rapid"])
@pytest.mark.parametrize("dealt", ["", "9S 2H", "9S 2H 4D 5C"])
@pytest.mark.parametrize("late", [False, True])
def test_the_lock_for_a_foreign_card_has_the_coup_of_that_card(book: str, dealt: str, late: bool) -> None:
    """Also if it would have been the first of its coup; a shoe may log the lock before the void or after it."""
    log = Log(book)
    log.coup()
    log.deal(dealt)
    log("reject", shoe_no=1, coup_no=2, reason="foreign", columns=10, doubtful=0, speed_mm_s=900, margin_pct=0)
    log.irregularity("missing_or_foreign_card", "VOID_CHECK")
    if not late:
        log("lock", on=1)
    log("coup_void", shoe_no=1, coup_no=2, reason="foreign_card", then="new_cards", cards=len(dealt.split()))
    if late:
        log("lock", on=1)
    alarms = {alarm.name: (alarm.shoe, alarm.coup) for alarm in log.verifier.active()}
    assert alarms == dict.fromkeys(["reject", "missing_or_foreign_card", "exit_locked", "coup_void"], (1, 2))


def test_the_lock_of_a_shoe_ends_with_another_unit_on_the_table() -> None:
    log = Log()
    log("lock", on=1)
    log("shoe_opened", shoe_no=1, card_set=1, decks=8, burn="none", unit=OTHER)
    assert active(log) == []


def test_a_coup_that_waits_for_authorisation_is_an_alarm_until_it_is_authorised() -> None:
    log = Log("star-rapid")
    dummy_due(log)
    assert active(log) == ["awaiting_authorisation"]
    assert log.verifier.active()[0].clause == "11.8.13, 11.8.14"
    log.command("authorise", times=1)
    assert active(log) == []


@pytest.mark.parametrize(
    ("book", "kind"), [("star-baccarat", "no_bet"), ("star-premium", "no_bet"), ("nz-baccarat", "void_hand")]
)
def test_where_the_book_asks_for_no_authorisation_none_is_awaited(book: str, kind: str) -> None:
    log = Log(book)
    log.deal()
    log.result()
    log.confirm()
    log("coup_kind", shoe_no=1, coup_no=2, kind=kind)
    assert active(log) == []


def test_the_void_of_the_coup_before_it_authorises_nothing() -> None:
    log = Log("star-rapid")
    dummy_due(log)
    log.irregularity("bad_order", "VOID")
    log("coup_void", shoe_no=1, coup_no=1, reason="misdeal", then="go_on", cards=4)
    assert active(log) == ["awaiting_authorisation"]


@pytest.mark.parametrize("end", ["coup_void", "shoe_closed", "key"])
def test_the_wait_ends_with_the_coup_the_shoe_or_the_key(end: str) -> None:
    log = Log("star-rapid")
    dummy_due(log)
    data: dict[str, dict[str, Any]] = {
        "coup_void": {"shoe_no": 1, "coup_no": 2, "reason": "supervisor", "then": "go_on", "cards": 1},
        "shoe_closed": {"shoe_no": 1, "coups": 2, "reason": "command"},
        "key": {"on": 1},
    }
    log(end, **data[end])
    assert active(log) == []


def test_a_shoe_that_is_opened_with_its_lid_open() -> None:
    log = Log()
    log("shoe_closed", shoe_no=1, coups=0, reason="command")
    log("lid", open=1)
    assert active(log) == []  # no shoe is open: the lid is for new cards
    log("shoe_opened", shoe_no=2, card_set=1, decks=8, burn="none")
    assert active(log) == ["lid_open"]
    log("lid", open=0)
    assert active(log) == []


def test_a_fault_that_replaces_another_ends_its_alarm() -> None:
    log = Log()
    log("fault", fault="lid", detail=0)
    log("fault", fault="card", detail=0)
    assert active(log) == ["fault_card"]
    log("fault_cleared", fault="card", by="key")
    assert active(log) == []


def test_a_full_journal_replaces_no_other_fault() -> None:
    log = Log()
    log("fault", fault="lid", detail=0)
    log("fault", fault="journal_full", detail=0)
    assert active(log) == ["fault_lid", "fault_journal_full"]


def test_a_shoe_that_reports_a_foreign_card_locks_itself_and_one_whose_shoe_a_person_voids_does_not() -> None:
    log = Log()
    log.deal("9S 2H")
    assert not log.verifier.locks_itself()
    log.irregularity("missing_or_foreign_card", "VOID_CHECK")
    assert log.verifier.locks_itself()
    assert log.verifier.lock_due() == "lock"


@pytest.mark.parametrize(("itself", "sent"), [(True, [2.0, 32.0]), (False, [0.0, 30.0])])
def test_a_shoe_gets_the_command_to_lock_only_when_its_own_event_would_have_come(
    itself: bool, sent: list[float]
) -> None:
    """The event of its lock follows that of the card, and a busy gateway reads them one by one."""
    now_s, commands = 0.0, list[tuple[str, float]]()
    link = SimpleNamespace(unit="u", caught_up=lambda: True, command=lambda name, args: commands.append((name, now_s)))
    verifier = SimpleNamespace(lock_due=lambda: "lock", locks_itself=lambda: itself)
    table: Any = SimpleNamespace(link=link, verifier=verifier, _lock_due=("", 0.0))
    for number in range(80):
        now_s = number / 2
        TableSession.keep_locked(table, now_s)
    assert commands == [("lock", at_s) for at_s in sent]

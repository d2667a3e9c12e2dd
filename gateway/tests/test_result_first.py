"""Rapid 7.7.4.9, 7.7.4.10, 8.1: the winning result and Confirm; either alone settles nothing, also at an Angel Eye."""

from pathlib import Path
from typing import Any

import pytest
from angel_eye_log import AngelEyeLog
from desk_bench import DeskBench
from sabot_gateway.operator.verbs.coup import Confirm
from sabot_gateway.operator.verbs.verb import RefusedError
from screen_log import ScreenLog
from verified_log import FOUR, Log

RAPID = "star-rapid"


def confirmed(log: Log) -> list[Any]:
    return [record.message for record in log.records if record.topic == "confirmed"]


def complete() -> Log:
    log = Log(RAPID)
    log.deal()
    log.result()
    return log


def test_the_result_and_confirm_settle_the_coup() -> None:
    log = complete()
    log.button("player")
    assert confirmed(log) == []
    log.button("confirm")
    assert [one.winner for one in confirmed(log)] == ["player"]


def test_the_result_may_be_pressed_again_before_confirm() -> None:
    log = complete()
    for button in ("banker", "tie", "player"):
        log.button(button)
    assert (log.verifier.active(), confirmed(log)) == ([], [])
    log.button("confirm")
    assert [one.winner for one in confirmed(log)] == ["player"]
    assert log.verifier.active() == []


def test_a_shoe_that_takes_confirm_alone_is_found_and_nothing_is_settled() -> None:
    log = complete()
    log.button("confirm")
    assert confirmed(log) == []
    (alarm,) = log.verifier.alarms.named("discrepancy")
    assert alarm.clause == "7.7.4.9, 7.7.4.10, 8.1"
    assert "without the dealer's result" in alarm.say


def test_confirm_with_another_result_settles_nothing() -> None:
    log = complete()
    log.button("banker")
    log.button("confirm")
    (alarm,) = log.verifier.alarms.named("discrepancy")
    assert (alarm.clause, confirmed(log)) == ("11.8.11", [])
    assert log.verifier.state.phase == "complete"  # no confirmation


# The Dealer Terminal's Confirm


def refused(log: ScreenLog, **given: str) -> str:
    try:
        Confirm(**given).check(log.session)
    except RefusedError as why:
        return str(why)
    return ""


def test_the_terminal_confirms_with_the_result_only(tmp_path: Path) -> None:
    log = ScreenLog(tmp_path, RAPID)
    log.play(FOUR)
    assert refused(log).startswith("the winning result comes first (7.7.4.9, 7.7.4.10, 8.1)")
    assert "the result entered is banker, and the shoe's is player" in refused(log, winner="banker")
    assert refused(log, winner="player") == ""
    log.button("player")
    assert refused(log) == ""
    assert "the result entered is tie" in refused(log, winner="tie")


def test_other_books_confirm_as_before(tmp_path: Path) -> None:
    log = ScreenLog(tmp_path, "star-baccarat")
    log.play(FOUR)
    assert refused(log) == ""


def test_the_shoe_gets_no_winner_with_the_command() -> None:
    bench = DeskBench()
    assert "winner" not in Confirm(winner="player").data(bench.table)


# An Angel Eye (8.1): its result alone is no confirmation, whatever is set


@pytest.mark.parametrize("setting", ["result", "dealer"])
def test_the_result_of_an_angel_eye_alone_confirms_nothing(setting: str) -> None:
    log = AngelEyeLog(RAPID, confirm=setting)
    log("P1=9S B1=2H P2=TD B2=3C G=player")
    assert log.verifier.confirmed_by_result is False
    assert log.verifier.state.phase == "complete"
    assert [one.topic for one in log.records if one.topic == "confirmed"] == []
    log.command("confirm")
    assert [one.topic for one in log.records if one.topic == "confirmed"] == ["confirmed"]

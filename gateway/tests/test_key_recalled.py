"""A gateway that restarts in mid-shoe knows the supervisor's key as before: it was turned before the shoe opened."""

from pathlib import Path
from typing import Any

import pytest
from screen_log import ScreenLog
from shoe_events import SLOTS

RAPID, CROWN = "star-rapid", "crown-baccarat"
OPENED: dict[str, Any] = {"card_set": 1, "decks": 8, "burn": "none"}


def new_shoe(log: ScreenLog) -> None:
    log("shoe_closed", shoe_no=log.shoe_no, coups=0, cards=0, reason="command")
    log.shoe_no += 1
    log("shoe_opened", shoe_no=log.shoe_no, **OPENED)


def second_shoe(directory: Path, book: str, *turned: int, restart: bool = True) -> ScreenLog:
    """The key is turned so in the first shoe; the gateway restarts in the second one."""
    log = ScreenLog(directory, book)
    for on in turned:
        log("key", on=on)
    new_shoe(log)
    log.commit()
    if restart:
        log.restart()
    return log


def ordered_hand(log: ScreenLog, cards: str = "8C 2H KD") -> None:
    """A face-up first card: the hand is a dummy hand that a supervisor approves (Rapid 11.8.14), and dealt on."""
    for place, card in enumerate(cards.split()):
        log.card(card, SLOTS[place], flags={"face_up": place == 0, "exposed": True})
        if place == 0:
            log.irregularity("first_card_face_up", "THIS_NO_BET")
            log("coup_kind", shoe_no=1, coup_no=1, kind="dummy")
    log.commit()


def raised(log: ScreenLog, *names: str) -> list[str]:
    found = [message for topic, message in log.stored() if topic == "alarm" and message["name"] in names]
    return [message["name"] for message in found if message["state"] == "raised"]


@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize("turned", [(1,), (1, 0, 1)])
def test_with_the_key_turned_no_hand_waits(tmp_path: Path, turned: tuple[int, ...], restart: bool) -> None:
    log = second_shoe(tmp_path, RAPID, *turned, restart=restart)
    ordered_hand(log, "8C")
    assert raised(log, "awaiting_authorisation") == []
    assert not log.verifier.exit_locked(fault=False)
    ordered_hand(log, "8C 2H")
    assert raised(log, "unauthorised_coup") == []


@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize("turned", [(), (1, 0)])
@pytest.mark.parametrize("later", [0, 1])
def test_with_the_key_at_rest_a_hand_dealt_without_approval_is_found(
    tmp_path: Path, turned: tuple[int, ...], later: int, restart: bool
) -> None:
    log = second_shoe(tmp_path, RAPID, *turned, restart=restart)
    for _ in range(later):
        new_shoe(log)
    ordered_hand(log)
    assert raised(log, "discrepancy") == ["discrepancy"]  # the shoe did not report it


@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize(("turned", "found"), [((), 1), ((1, 0), 1), ((1,), 0)])
@pytest.mark.parametrize("book", [RAPID, CROWN])
def test_a_card_keyed_in_without_approval_is_found(
    tmp_path: Path, book: str, turned: tuple[int, ...], found: int, restart: bool
) -> None:
    log = second_shoe(tmp_path, book, *turned, restart=restart)
    log("reject", shoe_no=1, coup_no=1, reason="doubtful", columns=10, doubtful=1, speed_mm_s=900, margin_pct=0)
    log("fault", shoe_no=1, coup_no=1, fault="card", detail=0)
    log.command("key_card", card="9S", flags={})
    log.commit()
    says = [message["cards_say"] for topic, message in log.stored() if topic == "alarm" and "cards_say" in message]
    assert sum("approv" in say for say in says) == found * (log.book.switch["manual_entry"].value != "silent")


@pytest.mark.parametrize("missing", ["damaged", "number"])
def test_behind_a_missing_part_nothing_is_known_of_the_key(tmp_path: Path, missing: str) -> None:
    log = ScreenLog(tmp_path, RAPID)
    log("key", on=1)
    log("key", on=0)
    if missing == "damaged":
        log("damaged")
    else:
        log.no += 1
    new_shoe(log)
    log.commit()
    log.restart()
    ordered_hand(log)
    assert not log.verifier.checks.authorisation.certain()

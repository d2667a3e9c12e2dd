"""A coup that left one table for another, by a daemon with both: its warning, its end, and a restart between."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
import pytest
from floor import Floor
from sabot_gateway.app import App
from shoe_events import SLOTS, cards, event, result

PLACE = {"decks": 8, "cards_out": 2, "coups_left": 0, "awaiting": 0}


@pytest.fixture
def floor(tmp_path: Path) -> Iterator[Floor]:
    with ExitStack() as stack:
        yield Floor(stack, tmp_path, "bac-01", "bac-02")


def log_event(floor: Floor, table: str, kind: str, /, **data: Any) -> None:
    line = floor.lines[table]
    line.write(line.shoe.logged(event(line.next_no, kind, **data)))
    line.next_no += 1


def handed_over(floor: Floor, table: str, dealt: str, *, came: bool) -> None:
    laid = dict.fromkeys(SLOTS, "--") | dict(zip(SLOTS, dealt.split(), strict=False))
    log_event(
        floor, table, "handed_over", shoe_no=1, coup_no=1, kind="live", cards=laid, **PLACE, **{"import": int(came)}
    )


def opened(floor: Floor, table: str, shoe_no: int = 1) -> None:
    log_event(floor, table, "shoe_opened", shoe_no=shoe_no, card_set=1, decks=8, burn="none")


def leave(floor: Floor) -> None:
    """Coup 1 leaves bac-01 with two cards, and another shoe is opened there."""
    floor.greet()
    opened(floor, "bac-01")
    for card in cards(2, "9S 2H"):
        log_event(floor, "bac-01", "card", **card.data)
    handed_over(floor, "bac-01", "9S 2H", came=False)
    log_event(floor, "bac-01", "shoe_closed", shoe_no=1, coups=0, reason="handed_over")
    opened(floor, "bac-01", 2)
    floor.until(lambda: len(floor.events("bac-01")) == 6)
    floor.until(lambda: floor.alarms("bac-01"))


def restart(floor: Floor) -> None:
    floor.app.close()
    floor.app = App(floor.config, monotonic=lambda: floor.now_s, reread=lambda: floor.config, sleep=lambda _s: None)
    floor.app.begin()
    floor.greet()


def come(floor: Floor, dealt: str, rest: str) -> dict[str, Any]:
    """The coup comes to bac-02 with these cards and ends there; return it as published."""
    opened(floor, "bac-02")
    handed_over(floor, "bac-02", dealt, came=True)
    for card in cards(3, rest, SLOTS[2:]):
        log_event(floor, "bac-02", "card", **card.data)
    log_event(floor, "bac-02", "coup", **result(5, "player", 9, 5, natural=True).data)
    floor.until(lambda: coups(floor))
    (coup,) = coups(floor)
    return coup


def coups(floor: Floor) -> list[dict[str, Any]]:
    return [msgspec.json.decode(entry.payload) for entry in floor.entries() if entry.topic == "coup"]


@pytest.mark.parametrize("restarted", [False, True])
def test_a_coup_that_left_is_a_warning_until_it_has_come(floor: Floor, restarted: bool) -> None:
    leave(floor)
    if restarted:
        restart(floor)
    floor.until(lambda: floor.alarms("bac-01") == ["handed_over"])
    (warning,) = floor.retained("bac-01/alarms")["alarms"]
    assert (warning["severity"], warning["coup"]) == ("warning", 1)
    assert "`sabot table TABLE import-coup 1 SLOT=CARD … --by NAME --clause N`" in warning["say"]
    assert warning["shoe_says"] == "9S 2H"
    coup = come(floor, "9S 2H", "TD 3C")
    assert (coup["status"], coup["began"]) == ("verified", f"bac-01/{floor.lines['bac-01'].unit}/1/1")
    floor.until(lambda: floor.alarms("bac-01") == [])


@pytest.mark.parametrize("restarted", [False, True])
def test_a_coup_that_comes_with_other_cards_is_disputed_and_the_warning_stays(floor: Floor, restarted: bool) -> None:
    leave(floor)
    if restarted:
        restart(floor)
    assert come(floor, "8S 3H", "AD 2C")["status"] == "disputed"
    assert floor.alarms("bac-01") == ["handed_over"]


def test_a_coup_stays_doubtful_after_a_restart(floor: Floor) -> None:
    leave(floor)
    opened(floor, "bac-02")
    handed_over(floor, "bac-02", "8S 3H", came=True)
    floor.until(lambda: "discrepancy" in floor.alarms("bac-02"))
    restart(floor)
    floor.lines["bac-02"].next_no = 2
    handed_over(floor, "bac-02", "8S 3H", came=True)  # the last that is held, by which the log is known again
    for card in cards(3, "AD 2C", SLOTS[2:]):
        log_event(floor, "bac-02", "card", **card.data)
    log_event(floor, "bac-02", "coup", **result(5, "player", 9, 5, natural=True).data)
    floor.until(lambda: coups(floor))
    assert [coup["status"] for coup in coups(floor)] == ["disputed"]

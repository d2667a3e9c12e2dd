"""What the panel of a table offers, by the state of hand and shoe; and the reason of what is not possible."""

from typing import Any

import pytest
from sabot_floor.web import languages
from sabot_floor.web.views import pit_moves, pit_now
from sabot_floor.web.views.pit_moves import Place
from sabot_protocol.table_states import HandMessage, HandResult

TIME = "2026-05-01T10:03:00.000Z"
FOUR = ["confirm", "void", "key_card", "deck_check"]


def hand(phase: Any, status: Any = "", **fields: Any) -> HandMessage:
    if status:
        fields["result"] = HandResult(id="u1-9", status=status, winner="tie", player_points=1, banker_points=1)
    return HandMessage(table="bac-01", time=TIME, shoe=3, **{"coup": 17, "phase": phase, **fields})


@pytest.mark.parametrize(
    ("now", "reasons"),
    [
        (hand("bets"), ["no_coup", "no_coup", "no_unread", "shoe_open"]),
        (hand("bets", fault="card"), ["no_coup", "", "", "shoe_open"]),
        (hand("dealing"), ["dealing", "", "no_unread", "shoe_open"]),
        (hand("dealing", fault="card"), ["dealing", "", "", "shoe_open"]),
        (hand("dealing", fault="decision"), ["", "", "no_unread", "shoe_open"]),
        (hand("complete", "verified"), ["", "", "no_unread", "shoe_open"]),
        (hand("complete", "disputed"), ["disputed", "", "no_unread", "shoe_open"]),
        (hand("complete", "void"), ["over", "over", "no_unread", "shoe_open"]),
        (hand("bets", fault="card", unread=0), ["no_coup", "no_coup", "no_unread", "shoe_open"]),  # it went back
        (hand("dealing", fault="card", unread=0), ["dealing", "", "no_unread", "shoe_open"]),
        (hand("bets", fault="card", unread=1), ["no_coup", "", "", "shoe_open"]),
        (hand("dealing", unread=1), ["dealing", "", "", "shoe_open"]),  # the key has cleared the fault and is turned
        (hand("checking"), ["no_coup", "no_coup", "no_unread", ""]),
        (hand("closed"), ["no_coup", "no_coup", "no_unread", ""]),
        (hand("unknown"), ["", "", "", ""]),
        (None, ["", "", "", ""]),
    ],
)
def test_a_button_is_offered_in_the_states_in_which_the_shoe_takes_it(now: Any, reasons: list[str]) -> None:
    assert [pit_now.reason(now, do) for do in FOUR] == reasons


def test_during_a_deck_check_the_shoe_can_only_end_it() -> None:
    moves = pit_moves.of_table(Place("star-baccarat", hand("checking", locked=False)))
    possible = [move.do for group in ("coup", "shoe") for move in moves[group] if not move.not_now]
    assert possible == ["deck_check_end", "lock", "self_test", "reboot"]


def test_a_coup_is_imported_by_a_shoe_that_has_dealt_none() -> None:
    found = [pit_now.reason(hand("bets", coup=coup), "import_coup") for coup in (1, 2)]
    assert found == ["", "coups_dealt"]


def test_every_reason_has_a_sentence() -> None:
    states = [
        hand(phase, **more)
        for phase in ("bets", "dealing", "complete", "checking", "burning", "closed")
        for more in ({}, {"locked": False}, {"status": "disputed"}, {"status": "void"})
    ]
    found = {pit_now.reason(state, do) for state in states for do in pit_now._RULES} - {""}
    assert len(found) == 14
    assert {f"pit.not_now_{name}" for name in found} <= languages.load()["en"].keys()

"""Tracker of an Angel Eye shoe: the steps of each message. The words of a script: angel_eye_script.py."""

import pytest
from angel_eye_script import coups, messages, steps
from sabot_gateway.angel_eye.coup import TrackedCoup
from sabot_gateway.angel_eye.steps import (
    AgainIgnored,
    AgainUnclear,
    Burnt,
    CardKept,
    CardOutside,
    CardPlaced,
    CardSame,
    CardUnplaced,
    Conflict,
    Connected,
    CoupClosed,
    CoupOpened,
    ErrorCleared,
    ErrorRaised,
    KeptForgotten,
    LateCopy,
    LockChanged,
    Restarted,
    ResultUndefined,
    ResultWithoutCoup,
    ShoeClosed,
    ShoeEnding,
    ShoeOpened,
    Step,
)
from sabot_gateway.angel_eye.tracker import Tracker

FOUR = "P1:8S B1:6C P2:AH B2:2D"
COUP = f"{FOUR} G:player"
ENDED = TrackedCoup(1, 1, 1, ("8S", "AH"), ("6C", "2D"), "player", False, False, "complete", ())
FIRST = ("8S",)


def lost(*flags: str) -> CoupClosed:
    """Return the end of a coup that has only its first card."""
    return CoupClosed(TrackedCoup(1, 1, 1, FIRST, (), None, False, False, "incomplete", flags))


# A script, then the steps of its last message.
LAST: dict[str, list[Step]] = {
    "P1:8S": [CoupOpened(1, 1, 1, ()), CardPlaced(1, "player_1", "8S")],
    "P1:8S B1:6C": [CardPlaced(1, "banker_1", "6C")],
    "P1:8S P1:8S": [CardSame("player_1", "8S")],
    "P1:8S B1:6C B1:6C": [CardSame("banker_1", "6C")],
    "P1:8S B1:6C B1:7C": [Conflict(1, "banker_1", "6C", "7C")],
    "P1:8S P1:7D": [lost(), CoupOpened(2, 2, 1, ()), CardPlaced(2, "player_1", "7D")],
    "B3:6C": [CoupOpened(1, 1, 1, ("first_card_missing",)), CardPlaced(1, "banker_3", "6C")],
    COUP: [CoupClosed(ENDED)],
    f"{COUP} P1:7D": [CoupOpened(2, 2, 1, ()), CardPlaced(2, "player_1", "7D")],
    # Results.
    "G:tie+b": [ResultWithoutCoup("tie", player_pair=False, banker_pair=True)],
    "G:end+p": [ResultWithoutCoup("forced_end", player_pair=True, banker_pair=False)],
    "G:?": [ResultWithoutCoup("unknown", player_pair=False, banker_pair=False)],
    "P1:8S G:?": [
        ResultUndefined(1),
        CoupClosed(TrackedCoup(1, 1, 1, FIRST, (), "unknown", False, False, "partial", ())),
    ],
    f"{COUP} G:player": [ResultWithoutCoup("player", player_pair=False, banker_pair=False)],
    # Burn and cards that are placed nowhere.
    "F:4H": [Burnt("burn_first", 0, None, "4H")],
    "F:": [Burnt("burn_first", 0, None, None)],
    "N:4": [Burnt("burn_count", None, 4, None)],
    "U2:9C": [Burnt("burn", 2, None, "9C")],
    "P1:8S U2:9C": [Burnt("burn", 2, None, "9C")],
    "X1:8S": [CardUnplaced(1, "8S")],
    "X0:": [CardUnplaced(0, None)],
    "d:lock1:3H": [CardOutside("lock", 1, "3H")],
    "d:error2:": [CardOutside("error", 2, None)],
    # Sent again.
    "P1:8S R.P1:8S": [CardSame("player_1", "8S")],
    "P1:8S R.P1:7D": [AgainUnclear(1, "player", 1, "7D")],
    "R.B2:7D": [AgainUnclear(None, "banker", 2, "7D")],
    "R.F:": [AgainUnclear(None, "burn_first", 0, None)],
    "R.N:4": [AgainUnclear(None, "burn_count", None, None)],
    "R.P1:5H": [CardKept("5H", None)],
    f"{FOUR} R.P1:5H": [CardKept("5H", None)],
    "R.P1:5H R.P1:6H": [CardKept("6H", "5H")],
    "R.P1:5H R.P1:5H": [CardSame("player_1", "5H")],
    "R.P1:5H R.B1:5H": [AgainUnclear(None, "banker", 1, "5H")],
    f"{COUP} R.P1:5H B1:9C": [
        CoupOpened(2, 2, 1, ("carried_first_card",)),
        CardPlaced(2, "player_1", "5H", carried=True),
        CardPlaced(2, "banker_1", "9C"),
    ],
    "R.P1:5H P1:8S": [KeptForgotten("5H"), CoupOpened(1, 1, 1, ()), CardPlaced(1, "player_1", "8S")],
    "R.P1:5H connect": [Connected(), KeptForgotten("5H")],
    # Shoe.
    "C": [ShoeEnding(1, 1, before_first_card=True)],
    f"{COUP} C": [ShoeEnding(1, 2, before_first_card=True)],
    f"{COUP} P1:7D C": [ShoeEnding(1, 2, before_first_card=False)],
    "S": [Restarted(None)],
    "P1:8S S": [Restarted(1)],
    "P1:8S C S": [Restarted(1)],
    f"{COUP} C S": [Restarted(None), ShoeClosed(1, 1), ShoeOpened(2, "start")],
    f"{COUP} C R.P1:5H S": [Restarted(None), KeptForgotten("5H"), ShoeClosed(1, 1), ShoeOpened(2, "start")],
    f"{COUP} F:4H": [ShoeClosed(1, 1), ShoeOpened(2, "burn"), Burnt("burn_first", 0, None, "4H")],
    "P1:8S C S U1:9C": [
        lost("cutting_card_inside", "restart_inside"),
        ShoeClosed(1, 1),
        ShoeOpened(2, "burn"),
        Burnt("burn", 1, None, "9C"),
    ],
    "P1:8S C S P1:7D": [
        lost("cutting_card_inside", "restart_inside"),
        ShoeClosed(1, 1),
        ShoeOpened(2, "first_card"),
        CoupOpened(2, 1, 2, ()),
        CardPlaced(2, "player_1", "7D"),
    ],
    f"{COUP} open_shoe/done": [ShoeClosed(1, 1), ShoeOpened(2, "person")],
    "P1:8S open_shoe/done": [lost(), ShoeClosed(1, 1), ShoeOpened(2, "person")],
    "open_shoe/nak": [],
    # Errors, lock, connect.
    "E:2": [ErrorRaised(2, "overdraw", standing=True, n=None)],
    "P1:8S E:2-": [ErrorRaised(2, "overdraw", standing=False, n=1)],
    "e:4": [ErrorCleared(4, "reverse_exit")],
    "L:1": [LockChanged(True, "key")],
    "L:0": [LockChanged(False, "key")],
    "lock/ack": [LockChanged(True, "command")],
    "unlock/ack": [LockChanged(False, "command")],
    "lock/done": [],
    "void_coup/done": [],
    "connect": [Connected()],
    "P1:8S connect": [Connected(), lost("link_lost_inside")],
    # Nothing.
    "P": [],
    "M": [],
    "Z": [],
    # Late copies.
    "P1:8S =": [LateCopy("D")],
    "d:error2:5H =": [LateCopy("d")],
    "E:2 =": [LateCopy("E")],
    "C =": [LateCopy("C")],
    "R.B1:5H =": [LateCopy("R")],
    "L:1 =": [LateCopy("L")],
    "G:player =": [LateCopy("G")],
    f"{COUP} =": [LateCopy("G")],
    f"{FOUR} G:? =": [LateCopy("G")],
    f"{COUP} P S P connect M e:2 L:1 Z = ": [LateCopy("Z")],
    "S =": [Restarted(None)],
    "connect =": [Connected()],
    "lock/ack =": [LockChanged(True, "command")],
}


def typed(found: list[Step]) -> list[tuple[type, Step]]:
    """Return steps with their types: tuples of two types can be equal."""
    return [(type(step), step) for step in found]


@pytest.mark.parametrize("script", LAST)
def test_steps_of_the_last_message(script: str) -> None:
    *before, last = messages(script)
    tracker = Tracker()
    for message in before:
        tracker.take(message)
    assert typed(tracker.take(last)) == typed(LAST[script])


@pytest.mark.parametrize(
    ("between", "is_copy"),
    [
        ("P M S L:1 E:2 e:2 C Z connect", True),
        ("F:4H", False),
        ("N:4", False),
        ("d:lock1:3H", False),
        ("R.P1:5H", False),
        ("G:tie", False),
    ],
)
def test_a_result_equal_to_the_last_is_a_copy_unless_a_card_came_between(between: str, is_copy: bool) -> None:
    tracker = Tracker()
    *_, result = messages(COUP)
    steps(COUP, tracker)
    steps(between, tracker)
    found = tracker.take(result)
    assert typed(found) == typed([LateCopy("G")] if is_copy else [ResultWithoutCoup("player", False, False)])


def test_a_result_equal_to_that_of_the_coup_before_ends_its_coup() -> None:
    tracker = Tracker()
    first = list(messages(COUP))
    found = [step for message in first + first for step in tracker.take(message)]
    assert [step.coup.n for step in found if isinstance(step, CoupClosed)] == [1, 2]


def test_cards_sent_again_can_be_ignored() -> None:
    tracker = Tracker(resent_card="ignore")
    assert steps("R.P1:5H R.B1:6C R.F: R.N:4", tracker) == [
        AgainIgnored("player", 1, "5H"),
        AgainIgnored("banker", 1, "6C"),
        AgainIgnored("burn_first", 0, None),
        AgainIgnored("burn_count", None, None),
    ]
    assert coups("R.P1:5H B1:9C R.P1:4S", Tracker(resent_card="ignore")) == ["1:  / 9C None open first_card_missing"]


def test_numbers_go_on_from_those_before() -> None:
    tracker = Tracker(shoe=7, coups=300, shoe_coups=12)
    assert steps("P1:8S", tracker)[0] == CoupOpened(301, 13, 7, ())
    assert steps("C S", Tracker(shoe=7, coups=300, shoe_coups=12))[2:] == [ShoeClosed(7, 12), ShoeOpened(8, "start")]
    assert steps("F:4H", Tracker(shoe=7, coups=300, shoe_coups=12))[:2] == [ShoeClosed(7, 12), ShoeOpened(8, "burn")]
    assert steps("F:4H", Tracker(shoe=7, coups=300)) == [Burnt("burn_first", 0, None, "4H")]


def test_a_coup_is_reported_in_the_form_of_the_test_data() -> None:
    assert ENDED.report() == {
        "n": 1,
        "shoe": 1,
        "player": ["8S", "AH"],
        "banker": ["6C", "2D"],
        "result": "player",
        "player_pair": False,
        "banker_pair": False,
        "status": "complete",
        "flags": [],
    }


@pytest.mark.parametrize(
    ("script", "known"),
    [
        ("", ""),
        ("P M S e:1", "error"),
        ("P1:8S", "coup"),
        ("B1:8S", "coup"),
        ("G:player", "coup"),
        ("C S", "shoe"),
        ("F:4H", "shoe"),
        ("U1:4H N:4", ""),
        ("open_shoe/done", "shoe"),
        ("L:0", "lock"),
        ("lock/ack", "lock"),
        ("E:1-", ""),
        ("E:1", "error"),
        ("F:4H P1:8S L:1 E:1", "coup shoe lock error"),
        ("F:4H P1:8S L:1 E:1 S", "coup shoe"),
        ("F:4H P1:8S L:1 E:1 connect", ""),
    ],
)
def test_what_is_known(script: str, known: str) -> None:
    tracker = Tracker()
    steps(script, tracker)
    condition = tracker.condition
    facts = {
        "coup": tracker.coup_known,
        "shoe": tracker.shoe_known,
        "lock": condition.locked is not None,
        "error": condition.error_known,
    }
    assert {name for name, is_known in facts.items() if is_known} == set(known.split())


def test_after_a_connect_the_same_bytes_are_a_new_message() -> None:
    tracker = Tracker()
    (error,) = messages("E:2")
    steps("E:2 connect", tracker)
    assert tracker.take(error) == [ErrorRaised(2, "overdraw", standing=True, n=None)]
    assert tracker.final()["error"] == "overdraw"

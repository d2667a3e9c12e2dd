"""Answers to people name no winner and no points of a coup that lies face down (displays.md, rule 2)."""

from pathlib import Path

import pytest
from sabot_gateway.operator.verbs.coup import Confirm, Decide
from sabot_gateway.operator.verbs.verb import RefusedError
from sabot_gateway.verify import Source
from sabot_gateway.verify.deciders import Decider
from sabot_protocol import rulebooks
from screen_log import TIME, ScreenLog

CARDS = "4D KC 3S 2H"  # the Player has 7, the Banker 2 and draws
THIRD = f"{CARDS} 6C"  # Banker 8
FACE_DOWN = [book for book in rulebooks.ids() if "face_down" in rulebooks.load(book).shoe.choice["dealing"].values]


def answer(log: ScreenLog, verb: Confirm | Decide) -> str:
    """Return why a verb is refused now; empty if it is not."""
    try:
        if isinstance(verb, Confirm):
            verb.check(log.session)
        else:
            boss = Decider("L. Marsh", "1")
            verb.carry_out(log.session, boss, lambda: Source("6a7e000000000001", 1, TIME))
    except RefusedError as why:
        return str(why)
    return ""


def dealt(directory: Path, book: str, dealing: str, winner: str = "") -> ScreenLog:
    log = ScreenLog(directory, book, shoe={"dealing": dealing})
    log.play(THIRD, winner=winner)
    return log


@pytest.mark.parametrize("book", FACE_DOWN)
@pytest.mark.parametrize("wrong", ["player", "tie"])
def test_a_wrong_winner_does_not_bring_the_right_one_out(tmp_path: Path, book: str, wrong: str) -> None:
    said = answer(dealt(tmp_path, book, "face_down"), Confirm(winner=wrong))
    assert said.startswith(f"the result entered is {wrong}, and the shoe's is another. ")


@pytest.mark.parametrize("book", FACE_DOWN)
def test_face_up_it_is_named(tmp_path: Path, book: str) -> None:
    said = answer(dealt(tmp_path, book, "face_up"), Confirm(winner="tie"))
    assert said.startswith("the result entered is tie, and the shoe's is banker. ")


@pytest.mark.parametrize("book", FACE_DOWN)
def test_a_disputed_coup_on_the_table_is_not_told_to_who_decides_it(tmp_path: Path, book: str) -> None:
    log = dealt(tmp_path, book, "face_down", winner="player")
    decide = Decide(coup="1/1", verdict="confirmed", winner="tie")
    assert answer(log, decide).startswith("the cards say another winner, and tie needs a reason: which cards lie")
    log.coup_no += 1
    log.card("5H", "player_1")  # the next coup: the one before is out
    assert answer(log, decide).startswith("the cards say banker 7 to 8, and tie needs a reason")

"""A crowd at five books: random people, at random moments, through floor, socket and shoe; and a judge that can object.

`make crowd` plays 2,000 coups.
"""

from collections.abc import Callable
from shutil import rmtree
from typing import Any

import pytest
from crowd import judge
from crowd.__main__ import play
from crowd.judge import Seen, WrongError
from day.__main__ import fast_directory

SEED, COUPS = 30, 120


def test_whatever_people_do_nobody_is_cheated() -> None:
    work_dir = fast_directory()
    lines: list[dict[str, Any]] = []
    counts, wrong = play(work_dir, SEED, COUPS, "cpython", lines.append)
    assert wrong == [], "\n".join([*(str(line) for line in lines[-30:]), *wrong])
    assert counts["coups"] >= COUPS
    done = {name for name in counts if name.endswith(" done")}
    refused = {name for name in counts if name.endswith(" refused")}
    assert len(done) > 6
    assert len(refused) > 12
    rmtree(work_dir)


def attempt(verb: str, role: str, clause: str = "") -> dict[str, Any]:
    return {"verb": verb, "args": {}, "role": role, "clause": clause}


@pytest.mark.parametrize(
    ("table", "given", "wrong"),
    [  # by the table of people: P-39 to P-48
        ("crown-01", attempt("void", "dealer", "10.11"), "a dealer"),
        ("crown-01", attempt("void", "higher_duties_dealer", "10.11"), ""),
        ("crown-01", attempt("void", "higher_duties_dealer", "9.3.1"), "belongs to"),
        ("rapid-01", attempt("decide", "dealer", "11.8.11"), "a dealer"),
        ("rapid-01", attempt("decide", "gaming_supervisor", "11.8.11"), ""),
        ("star-01", attempt("this-no-bet", "gaming_supervisor", "14.10"), "belongs to"),
        ("star-01", attempt("void", "gaming_supervisor", "14.5.1"), ""),
        ("premium-01", attempt("no-bet", "dealer", "7.4"), "a dealer"),
    ],
)
def test_the_judge_knows_who_may_do_what(table: str, given: dict[str, Any], wrong: str) -> None:
    judged(lambda: judge._rights(table, given), wrong)


def test_the_judge_counts_the_cards_that_left() -> None:
    keyed = {"cards": [{"card": "8H", "notes": ["keyed"]}]}
    seen = Seen(unread=1)
    judge._keyed("rapid-01", seen, keyed)
    judged(lambda: judge._keyed("rapid-01", seen, keyed), "8H is keyed in")


@pytest.mark.parametrize(
    ("winner", "attempted", "wrong"),
    [("player", "", ""), ("banker", "", "against the cards"), ("tie", "attempt-1", "")],
)
def test_the_judge_adds_up_the_cards(winner: str, attempted: str, wrong: str) -> None:
    one = {"coup_id": "1", "status": "confirmed", "winner": winner, "attempt": attempted}
    judged(lambda: judge._confirmed("star-01", Seen(), one | {"player": ["9S", "KD"], "banker": ["7H", "TC"]}), wrong)


@pytest.mark.parametrize(("role", "wrong"), [("gaming_supervisor", ""), ("dealer", "a dealer")])
def test_the_judge_knows_whose_step_it_is(role: str, wrong: str) -> None:
    step = {"name": "void", "act": "void_misdeal", "done": "2026-11-18T12:00:00.000Z", "by_role": role}
    judged(lambda: judge._steps("star-01", {}, {"steps": [step]}), wrong)


def judged(check: Callable[[], None], wrong: str) -> None:
    if not wrong:
        check()
        return
    with pytest.raises(WrongError, match=wrong):
        check()

"""A crowd at five books: random people, at random moments, through floor, socket and shoe; and a judge that can object.

`make crowd` plays 2,000 coups.
"""

import random
from collections.abc import Callable
from shutil import rmtree
from typing import Any

import pytest
from crowd import judge
from crowd.__main__ import play
from crowd.hidden import OnTable
from crowd.judge import Seen, WrongError
from crowd.pages import Page
from crowd.staff import Staff
from day.__main__ import fast_directory

SEED, COUPS = 30, 70


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
        ("crown-01", attempt("decide", "area_manager", "10.9.1"), "belongs to"),  # players change wagers: no decision
        ("rapid-01", attempt("decide", "dealer", "11.8.11"), "a dealer"),
        ("rapid-01", attempt("decide", "gaming_supervisor", "11.8.11"), ""),
        ("star-01", attempt("this-no-bet", "gaming_supervisor", "14.10"), "belongs to"),
        ("star-01", attempt("void", "gaming_supervisor", "14.5.1"), ""),
        ("premium-01", attempt("no-bet", "dealer", "7.4"), "a dealer"),
    ],
)
def test_the_judge_knows_who_may_do_what(table: str, given: dict[str, Any], wrong: str) -> None:
    judged(lambda: judge._rights(table, given), wrong)


@pytest.mark.parametrize(
    ("notes", "code", "role", "clause", "wrong"),
    [  # 14.3: the first card was face up; 14.1.1: all wagers are removed
        (["face_up"], "", "dealer", "14.3", ""),
        (["surplus"], "", "dealer", "14.3", ""),
        ([], "RECON_WITHDRAW", "dealer", "14.1.1", ""),
        ([], "", "dealer", "14.3", "a dealer"),
        (["face_up"], "", "surveillance", "14.3", "a surveillance"),
        (["face_up"], "", "dealer", "14.10", "belongs to"),
    ],
)
def test_the_judge_knows_when_a_rule_takes_the_wagers_away(
    notes: list[str], code: str, role: str, clause: str, wrong: str
) -> None:
    first = {"slot": "player_1", "card": "JH", "notes": notes}
    seen = Seen(on_table=OnTable(1, 2, out=False, cards={"player_1": first}))
    seen.alarms["1"] = {"shoe_says": code, "shoe": 1, "coup": 2}
    given = attempt("this-no-bet", role, clause)
    judged(lambda: judge._rights("premium-01", given, ruled=judge._is_ruled(seen)), wrong)


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


HAND = {"table": "star-01", "shoe": 1, "coup": 2}
DEALT = (("player_1", "9S"), ("banker_1", "7H"), ("player_2", "KD"), ("banker_2", "TC"))


def on_table(**turned: int) -> OnTable:
    """Return a coup whose four cards lie face down, but for those that are turned."""
    found = OnTable(turned={"player": 0, "banker": 0, **turned})
    found.take("shoe", {"shoe": 1, "coup": 1, "state": "open"})
    for slot, card in DEALT:
        found.take("cards", {**HAND, "slot": slot, "card": card, "time": "2026-11-18T12:00:00.000Z"})
    found.turned |= turned
    return found


@pytest.mark.parametrize(
    ("state", "shown"),
    [  # displays.md, rule 2
        ({"hand": {**HAND, "cards": [{"slot": "player_1", "card": "9S"}]}}, [".hand.cards.card: 9S"]),
        ({"hand": {**HAND, "cards": [{"slot": "player_1", "card": ""}]}}, []),
        ({"hand": {**HAND, "result": {"winner": "player"}}}, [".hand.result.winner: player"]),
        ({"hand": {**HAND, "due": "player_3"}}, [".hand: player_3 is due"]),
        ({"hand": {**HAND, "due": "banker_2"}}, []),  # a page that is a moment behind
        ({"report": {"steps": [{"name": "notify_surveillance", "due": "before"}]}}, []),  # a step, no card
        ({"last": {"coup": 1, "winner": "player", "player": ["9S"]}}, []),  # of the coup before
        ({"alarms": [{**HAND, "cards_say": "9S KD"}]}, [".alarms.cards_say: 9S", ".alarms.cards_say: KD"]),
        ({"alarms": [{**HAND, "table": "star-02", "cards_say": "9S"}]}, []),
        ({"results": "P B", "coups": [1, 2]}, [": the result of coup 2 is on the road"]),
        ({"acts": [{"verb": "decide", "say": "coup 1/1: 9S 7H"}]}, []),
        ({"acts": [{"verb": "decide", "say": "coup 1/2: 9S 7H"}]}, [".acts.say: 7H", ".acts.say: 9S"]),
    ],
)
def test_the_judge_sees_a_card_before_it_is_turned(state: dict[str, Any], shown: list[str]) -> None:
    assert sorted(on_table().in_view("star-01", state)) == shown


def test_of_two_equal_cards_one_may_be_turned() -> None:
    found = on_table(player=2)
    found.take("cards", {**HAND, "slot": "banker_3", "card": "9S", "time": ""})
    cards = [{"slot": "player_1", "card": "9S"}, {"slot": "banker_3", "card": ""}]
    assert list(found.in_view("star-01", {"hand": {**HAND, "cards": cards}})) == []
    assert list(found.in_view("star-01", {"slot": "banker_3", "card": "9S"})) == [": 9S of banker_3"]


def test_a_card_that_came_too_early_is_one_of_its_coup() -> None:
    for notes in (["surplus", "face_up"], ["surplus"]):
        early = {**HAND, "coup": 3, "slot": "player_1", "card": "6D", "notes": notes, "time": ""}
        found = on_table()
        found.take("cards", early)
        assert found.laid() == dict(DEALT)
        assert ("6D" in found.hidden()) is ("face_up" not in notes)
        coup = OnTable(early=[early])
        coup.take("cards", {**HAND, "coup": 3, "slot": "player_2", "card": "8H", "time": ""})
        assert coup.hidden() == ({"8H"} if "face_up" in notes else {"6D", "8H"})
        points = list(coup.in_view("star-01", {**HAND, "coup": 3, "player_points": 6}))
        assert points == ([] if "face_up" in notes else [": 6 points of player"])


def test_of_two_equal_cards_one_may_have_come_too_early() -> None:
    found = on_table()
    found.take("cards", {**HAND, "coup": 3, "slot": "player_1", "card": "9S", "notes": ["exposed", "surplus"]})
    assert "9S" not in found.hidden()


def test_an_early_card_that_nobody_has_seen_hides_no_result() -> None:
    found = on_table(player=2, banker=2)
    found.take("cards", {**HAND, "coup": 3, "slot": "player_1", "card": "6D", "notes": ["surplus"]})
    assert list(found.in_view("star-01", {**HAND, "winner": "player", "extra": {"card": "6D"}})) == [".extra.card: 6D"]


def test_what_is_turned_or_out_is_not_hidden() -> None:
    assert on_table(player=2).hidden() == {"7H", "TC"}
    confirmed, closed, next_one = on_table(), on_table(), on_table()
    confirmed.take("confirmed", HAND)
    closed.take("shoe", {**HAND, "state": "closed"})
    next_one.take("cards", {**HAND, "coup": 3, "slot": "player_1", "card": "AC", "time": ""})
    assert (confirmed.hidden(), closed.hidden(), next_one.hidden()) == (set(), set(), {"AC"})


@pytest.mark.parametrize(
    ("path", "kind", "wrong"),
    [
        ("/events/dealer/star-01", "dealer", ""),
        ("/data/coup/star-01/1/2", "dealer", "is served to"),
        ("/events/pit", "dealer", "is served to"),
    ],
)
def test_the_judge_knows_which_pages_need_the_pit(path: str, kind: str, wrong: str) -> None:
    person = Staff(random.Random(1), "star-baccarat").with_role("dealer")
    judged(lambda: judge._page("star-01", Seen(), person, kind, Page(path, 200, {})), wrong)


def judged(check: Callable[[], None], wrong: str) -> None:
    if not wrong:
        check()
        return
    with pytest.raises(WrongError, match=wrong):
        check()

"""Enforced acts have a command that refuses them to a lower role, and no others have; all others are recorded."""

import re
from pathlib import Path
from typing import Any

import pytest
import sabot_floor
from desk_bench import DeskBench
from floor_commands_bench import CommandBench, signed
from sabot_gateway.incidents.book import IncidentBook
from sabot_gateway.operator.verbs import TABLE_VERBS
from sabot_gateway.verify import Verifier
from sabot_protocol import authority, command_acts, rulebooks
from sabot_protocol.command_acts import ACTS, END_ACTS, INVALIDATE_ACTS, UNWAGERED, VOID_ACTS
from sabot_protocol.documents import authority_page
from sabot_protocol.rulebooks.people import catalogue
from sabot_tools.text.authority_table import table_lines
from verified_log import Log

_OF_ANOTHER = {"card-exposed"}  # the person who draws cards says it; nobody asks Sabot for leave to draw one
_CONSOLE = re.compile(
    r'(?:refuse_role\(state, |check_people\(\w+, |authority\.check\([^"\n]+, |^ACT = )"(\w+)"', re.MULTILINE
)

PAGE = authority_page.document()
Command = tuple[str, dict[str, Any]]


def commands() -> dict[str, Command]:
    """Return a command for each act of a table, from the tables that the gateway itself uses."""
    args: dict[str, dict[str, Any]] = {
        "decide": {"coup": "1/1", "verdict": "void"}, "key-card": {"card": "8H"}, "deck-check": {"on": 1},
        "export-coup": {}, "import-coup": {"coup_no": 1, "cards": {}}, "stakes": {"stakes": {}},
        "record-win": {"jackpot": "x"}, "reopen-wagers": {},
    }  # fmt: skip
    found: dict[str, Command] = {}
    for verb, act in ACTS.items():
        if act and verb not in _OF_ANOTHER:
            found.setdefault(act, (verb, args.get(verb, {})))
    for reason, act in VOID_ACTS.items():
        found.setdefault(act, ("void", {"reason": reason}))
    cause = {"coup": "1/1", "reason": "fire"}
    found |= {act: ("invalidate", {**cause, "cause": name}) for name, act in INVALIDATE_ACTS.items()}
    found |= {act: ("end-shoe", {"cause": name}) for name, act in END_ACTS.items()}
    found[UNWAGERED] = ("irregularity", {"case": "first_card_face_up"})
    found["decide_misdelivery"] = ("this-no-bet", {})
    return found


def of_the_console() -> set[str]:
    """Return the acts whose role the floor service's jackpots check, from the calls in its code."""
    folder = Path(sabot_floor.__file__).parent / "jackpots"
    return {act for path in folder.rglob("*.py") for act in _CONSOLE.findall(path.read_text(encoding="utf-8"))}


def enforced() -> set[str]:
    return {act for act, entry in catalogue().acts().items() if entry.enforced}


def test_enforced_is_what_has_a_code_path() -> None:
    assert enforced() == commands().keys() | of_the_console()


def test_every_verb_is_one_that_the_gateway_takes() -> None:
    assert {verb for verb, _ in commands().values()} <= TABLE_VERBS.keys()


_ON_CONDITION = {  # by their books' text nobody approves them; P-41: a person who asks for it needs the role of A-80
    "void_insufficient_cards",
    "jackpot_increment",
}


def lower_roles(book: str, act: str) -> tuple[str, str]:
    """Return the lowest role that may, and the next below it; empty where there is none."""
    ladder = [role.id for role in authority.load(book).role if not role.beside]
    granted = {role: command_acts.grant(book, act, role) for role in ladder}
    able = [role for role in ladder if (one := granted[role]) and one.alone]
    if not able or ladder.index(able[0]) == 0:
        return able[0] if able else "", ""
    return able[0], ladder[ladder.index(able[0]) - 1]


CASES = [(book, act) for book in rulebooks.ids() for act in sorted(commands().keys() - _ON_CONDITION)]


RECORDED = [
    (book, act)
    for book in rulebooks.ids()
    for act, found in authority.load(book).act.items()
    if act not in enforced() and not found.silent
]
_AT_THE_TABLE = ("replace_same_back", "correct_roulette", "rebuild_wagers", "jackpot_suspend")


@pytest.mark.parametrize(("book", "act"), RECORDED)
def test_every_other_act_of_a_book_is_called_recorded_and_can_be(book: str, act: str) -> None:
    bench = DeskBench()
    rules = rulebooks.load(book)
    bench.table.verifier = Verifier("bac-01", rules, rules.profile(8, 1), bench.desk.attempts.decider_of)
    bench.table.incidents = IncidentBook("bac-01", rules, bench.desk.attempts.decider_of)
    bench.table.open()
    bench.request("record", by="A. Smith", clause="", args={"act": act})
    stored = [(topic, payload) for _ in range(2) for _, topic, payload in bench.commit()]
    assert [payload["facts"]["act"] for topic, payload in stored if topic == "incident"] == [act]
    chapter = PAGE.split(f"\n`{book}`\n", 1)[1].split("\n## ", 1)[0]
    assert f"<br>`{act}`, recorded |" in chapter
    assert any(f"  {act} *" in line for line in table_lines(book))


def test_the_acts_without_a_command_are_recorded_where_a_book_has_them() -> None:
    """Each of them in at least one book: none has a command and none is called enforced."""
    assert {act for _, act in RECORDED} >= set(_AT_THE_TABLE)
    assert enforced().isdisjoint(_AT_THE_TABLE)
    assert not any(f"`{act}`, **enforced**" in PAGE for act in _AT_THE_TABLE)


@pytest.mark.parametrize(("book", "act"), CASES)
def test_a_lower_role_is_refused_and_the_lowest_that_may_is_not(book: str, act: str) -> None:
    verb, args = commands()[act]
    lowest, below = lower_roles(book, act)
    if not below:
        return  # the dealer may do it, or nobody alone
    for role, refused in ((below, {"role": 1}), (lowest, {})):
        bench, log = CommandBench(), Log(book)
        if act == "decide_misdelivery":
            log.deal("9S 2H")
            log.irregularity("wrong_area", "CHOICE")
        bench.table.verifier = log.verifier
        bench.give(signed(verb, role=role, args=args))
        assert {name: count for name, count in bench.refused().items() if name == "role"} == refused, (role, verb)

"""Every cell of the table of people against the data of the books: each role, each combination of facts."""

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest
from sabot_protocol import authority, clauses

BOOKS = ("star-baccarat", "star-premium", "nz-baccarat", "crown-baccarat", "star-rapid")
# By "Who counts as whom": each line of roles is above the one before; roles of one line count as equal.
ORDER = {
    "star-baccarat": (("D",), ("GS", "CS", "AGM"), ("GM",), ("OP",)),
    "star-premium": (("D",), ("GS", "CS"), ("AGM",), ("GM",), ("OP",)),
    "nz-baccarat": (("D",), ("GS",), ("CS", "OP")),
    "crown-baccarat": (("D",), ("HDD",), ("AM",), ("CM", "OP"), ("CROWN",), ("COO",)),
    "star-rapid": (("D",), ("GS", "CS"), ("AGM",), ("GM",), ("OP",)),
}
# Outside the order, with the lowest role of the order that includes them.
BESIDE = {
    "star-baccarat": {"TM": "OP", "INS": "", "SUR": ""},
    "star-premium": {"INS": "", "SUR": ""},
    "nz-baccarat": {"SEC": "", "INS": "", "SUR": ""},
    "crown-baccarat": {"TD": "CM", "DEPUTY": "", "PLAYER": "", "INS": "", "SUR": ""},
    "star-rapid": {"EGS": "AGM", "INS": "", "SUR": ""},
}
UNNAMED = {
    "star-baccarat": "CS", "star-premium": "CS", "nz-baccarat": "OP", "crown-baccarat": "HDD", "star-rapid": "CS",
}  # fmt: skip
NAMES = {"SEC": "secretary", "CROWN": "crown_management", "COO": "coo", "DEPUTY": "deputy", "PLAYER": "player"}
WORDS = {"auto", "free", "never", "-"}
PART = re.compile(
    r"(?:\[(?P<facts>[^]]*)\] )?(?P<who>[^ ]+)(?: (?P<clause>[^>]*[^> ]))?(?: >(?P<notify>[a-z_,]+))?"
)  # fmt: skip


class Cell(NamedTuple):
    """One answer of a cell."""

    facts: dict[str, bool]
    roles: tuple[str, ...]
    word: str
    second: str
    must: bool
    above: bool
    clause: str
    notify: tuple[str, ...]


def read(text: str, book: str) -> Cell:
    """One part of a cell."""
    found = PART.fullmatch(text)
    assert found, text
    facts = {fact.lstrip("-"): fact[0] != "-" for fact in (found["facts"] or "").split()}
    who = found["who"]
    marks = "" if who in WORDS else "".join(re.findall(r"[!+]", who))
    bare = who if who in WORDS else who.rstrip("!+")
    unnamed, _, reading = bare.partition("=")
    named, _, second = (reading or unnamed).partition("&")
    roles = () if bare in WORDS else tuple((UNNAMED[book] if named == "?" else named).split("/"))
    word = bare if bare in WORDS else ("?" if unnamed == "?" else "role")
    notify = tuple((found["notify"] or "").split(",")) if found["notify"] else ()
    return Cell(facts, roles, word, second, "!" in marks, "+" in marks, found["clause"] or "", notify)


def lines() -> Iterator[tuple[str, str, list[str]]]:
    text = (Path(__file__).parent / "people_cells.txt").read_text()
    for line in text.splitlines()[3:]:
        head, *cells = (part.strip() for part in line.split(" | "))
        row, act = head.split()
        yield row, act, cells


LINES = list(lines())
CELLS = [
    pytest.param(book, row, act, tuple(read(part, book) for part in cell.split("; ")), id=f"{book}-{act}")
    for row, act, cells in LINES
    for book, cell in zip(BOOKS, cells, strict=True)
]


def level(book: str, role: str) -> int:
    return next((number for number, roles in enumerate(ORDER[book]) if role in roles), -1)


def may(book: str, role: str, cell: Cell) -> bool:
    """What the table gives."""
    if cell.word in ("auto", "free"):
        return True
    for named in cell.roles:
        under = BESIDE[book].get(named, named)
        if role == named or (level(book, role) >= 0 and under and level(book, role) >= level(book, under)):
            return True
    return False


def contexts(cells: tuple[Cell, ...]) -> Iterator[dict[str, bool]]:
    """Every way to give, or not to give, the facts of a cell."""
    facts = sorted({fact for cell in cells for fact in cell.facts})
    for values in product((None, False, True), repeat=len(facts)):
        yield {fact: value for fact, value in zip(facts, values, strict=True) if value is not None}


def name(role: str) -> str:
    return NAMES.get(role, role)


@pytest.mark.parametrize(("book", "row", "act", "cells"), CELLS)
def test_a_cell(book: str, row: str, act: str, cells: tuple[Cell, ...]) -> None:
    roles = [role for level_roles in ORDER[book] for role in level_roles] + list(BESIDE[book])
    for context in contexts(cells):
        fits = [cell for cell in cells if all(context.get(fact, value) is value for fact, value in cell.facts.items())]
        for role in roles:
            verdict = authority.check(book, act, name(role), context)
            assert verdict.row == row
            assert verdict.say
            if not fits:
                assert (verdict.allowed, verdict.basis) == (False, "never"), (role, context)
                continue
            assert verdict.allowed is may(book, role, fits[0]), (role, context)
            assert (verdict.clause, verdict.must, verdict.notify) == (fits[0].clause, fits[0].must, fits[0].notify)
            assert verdict.second_person is bool(fits[0].second)
            assert set(verdict.assumed) == fits[0].facts.keys() - context.keys()


@pytest.mark.parametrize(("book", "row", "act", "cells"), CELLS)
def test_the_marks_of_a_cell(book: str, row: str, act: str, cells: tuple[Cell, ...]) -> None:
    words = {"?": "unnamed", "-": "silent"}
    entry = authority.load(book).act[act]
    assert entry.row == row
    assert [rule.basis for rule in entry.rules] == [words.get(cell.word, cell.word) for cell in cells]
    assert [rule.or_above for rule in entry.rules] == [cell.above for cell in cells]
    for rule, cell in zip(entry.rules, cells, strict=True):
        second = authority.find_role(book, name(cell.second)).id if cell.second else ""
        assert rule.second_person == second


def test_every_row_and_every_act_is_here() -> None:
    assert sorted({row for row, _, _ in LINES}) == [f"P-{number:02}" for number in range(1, 74)]
    for book in BOOKS:
        assert list(authority.load(book).act) == [act for _, act, _ in LINES]


@pytest.mark.parametrize("book", BOOKS)
def test_every_clause_is_in_the_rulebook(book: str) -> None:
    rules = authority.load(book)
    given = [rule.clause for act in rules.act.values() for rule in act.rules]
    given += [report.clause for report in rules.report.values()] + [role.clause for role in rules.role]
    for text in filter(None, given):
        for ends in text.split(", "):
            for clause in ends.split("-"):
                assert clauses.named(book, clause), clause

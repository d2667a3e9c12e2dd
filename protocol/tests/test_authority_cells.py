"""Every cell of the table of people against the data of the books: each role, each combination of facts."""

from collections.abc import Iterator
from itertools import product

import pytest
from people_table import BESIDE, BOOKS, LINES, ORDER, Cell, may, name, read
from sabot_protocol import authority, clauses

CELLS = [
    pytest.param(book, row, act, tuple(read(part, book) for part in cell.split("; ")), id=f"{book}-{act}")
    for row, act, cells in LINES
    for book, cell in zip(BOOKS, cells, strict=True)
]


def contexts(cells: tuple[Cell, ...]) -> Iterator[dict[str, bool]]:
    """Every way to give, or not to give, the facts of a cell."""
    facts = sorted({fact for cell in cells for fact in cell.facts})
    for values in product((None, False, True), repeat=len(facts)):
        yield {fact: value for fact, value in zip(facts, values, strict=True) if value is not None}


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

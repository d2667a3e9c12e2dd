"""Clauses: the lists are whole, every clause that the data cite is there, and people may write them as they do."""

import re
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import pytest
from sabot_protocol import clauses, rulebooks
from sabot_protocol.clauses import ClauseError

every_book = pytest.mark.parametrize("book", rulebooks.ids())
OF_THE_ACT = re.compile(r", s\.\d+\(\d+\)$")  # a section of the Act beside the book's own clause
CITED = ("clause", "natural", "table_1", "table_2", "player_stands")


def cited(data: Any) -> Iterator[str]:
    """Every clause that a file of data names."""
    if isinstance(data, dict):
        for key, value in data.items():
            if key in CITED and isinstance(value, str) and value:
                yield value
            else:
                yield from cited(value)
    elif isinstance(data, list):
        for value in data:
            yield from cited(value)


@every_book
def test_every_clause_that_the_data_cite_is_in_the_book(book: str) -> None:
    folder = files("sabot_protocol") / "rulebooks"
    texts = [(folder / place / f"{book}.toml").read_text(encoding="utf-8") for place in (".", "irregularities")]
    found = {clause for text in texts for clause in cited(tomllib.loads(text))}
    assert len(found) > 30
    for clause in (OF_THE_ACT.sub("", one) for one in found):
        assert clauses.named(book, clause) == clause


@every_book
def test_the_numbers_of_a_book_have_no_gap(book: str) -> None:
    listed = set(clauses.load(book))
    assert len(listed) == len(clauses.load(book))
    for clause in listed:
        *above, last = clause.split(".")
        if above:
            assert ".".join(above) in listed
        number = int(re.sub("[A-Z]", "", last))
        before = last[:-1] if last[-1].isalpha() else str(number - 1)
        assert number == 1 or ".".join([*above, before]) in listed


# By the printed texts: each numbers its clauses otherwise.
@pytest.mark.parametrize(
    ("book", "written", "clause"),
    [
        ("star-baccarat", "12.13", "12.13"),
        ("star-baccarat", " rule 12.1 (B) ", "12.1(b)"),
        ("star-baccarat", "12.1b", "12.1(b)"),
        ("star-baccarat", "rule 12.1 - 12.3, 13.1", "12.1-12.3, 13.1"),
        ("star-baccarat", "12.1.2.", "12.1.2"),
        ("star-baccarat", "Rules 12.3, 4.9 and 4.10", "12.3, 4.9, 4.10"),
        ("star-premium", "cl. 14.12.7", "14.12.7"),
        ("nz-baccarat", "s.18", "18"),
        ("nz-baccarat", "4.1a", "4.1A"),
        ("nz-baccarat", "11h.4 (d)", "11H.4(d)"),
        ("nz-baccarat", "§ 12.2(b)(ii)", "12.2(b)(ii)"),
        ("crown-baccarat", "10.6.1(b)", "10.6.1(b)"),
        ("crown-baccarat", "9.1 T17, A-22", "9.1 T17, A-22"),
        ("star-rapid", "7.7.4.10; 11.8.11", "7.7.4.10, 11.8.11"),
    ],
)
def test_a_clause_is_taken_however_a_person_writes_it(book: str, written: str, clause: str) -> None:
    assert clauses.named(book, written) == clause


@pytest.mark.parametrize(
    ("book", "written", "near"),
    [
        ("star-baccarat", "12.99", "similar clauses: 12.9, 12.19"),
        ("star-baccarat", "11.8.11", "similar clauses: 11.1.11"),  # Rapid's
        ("star-rapid", "12.14", "similar clauses: 12.4"),
        ("nz-baccarat", "11J.1", "similar clauses: 11.1, 11I.1"),
        ("nz-baccarat", "12.6, 99.1", "no clause '99.1'"),
        ("star-baccarat", "because", "its sections are 1 to 29"),
        ("star-baccarat", "A-40", "names no clause"),
        ("star-baccarat", "", "names no clause"),
        ("star-baccarat", ",", "names no clause"),
        ("star-baccarat", "=1.1", "has no clause"),
        ("star-baccarat", "12.13 or so", "has no clause"),
        ("star-baccarat", "12.3-12.1", "12.3 does not come before 12.1"),
        ("star-baccarat", "12.1-12.99", "no clause '12.99'"),
        ("star-baccarat", "12.1-", "has no clause"),
        ("star-baccarat", "\uff11\uff12.13", "has no clause"),  # digits of another script
    ],
)
def test_an_unknown_clause_is_refused_with_similar_ones(book: str, written: str, near: str) -> None:
    with pytest.raises(ClauseError, match=re.escape(near)):
        clauses.named(book, written)

"""Command clauses: which clauses of a rulebook belong to an act, and whether those that a person names do."""

import re
from collections.abc import Iterable, Iterator
from functools import cache

from sabot_protocol import authority, clauses, irregularities, rulebooks
from sabot_protocol.rulebooks.people import catalogue

_READING = re.compile(r"A-\d{2}")  # of this project: no clause
_PART = re.compile(r"\d+[A-Z]?|\([A-Z]+\)", re.IGNORECASE)
_SWITCHES = ("this_no_bet", "dummy_needs_authorisation", "dummy_ordered_by", "manual_entry")
_SEEN = ("_face_up", "_exposed")  # cases
_IRREGULARITIES = "Irregularities"  # section of the catalogue
_NOT_OF_A_SHOE = frozenset(  # acts of that section about a roulette wheel, a terminal, or the game of three cards
    (
        "confirm_result", "correct_roulette", "announce_no_spin", "examine_ball", "rebuild_wagers",
        "report_three_card_error", "direct_three_card",
    )
)  # fmt: skip
_REOPENS = "reopen_wagers"  # players change wagers: its clause decides about no coup and no card
_LEAST_PARTS = 3  # of a clause whose parent names it well enough: 12.1 for 12.1.2, never 12 for 12.13


def split(text: str) -> tuple[str, ...]:
    """Return the clauses and ranges of a text, without readings."""
    return tuple(part for part in map(str.strip, text.split(",")) if part and not _READING.fullmatch(part))


@cache
def of_act(book: str, act: str) -> tuple[str, ...]:
    """Return the clauses of an act in a book; where the book has no rule for it, those about irregularities."""
    rules = authority.load(book).act[act].rules if act in authority.load(book).act else ()
    own = [clause for rule in rules for clause in split(rule.clause)]
    return tuple(dict.fromkeys(own)) or of_irregularities(book)


@cache
def of_irregularities(book: str) -> tuple[str, ...]:
    """Return every clause about irregularities of cards and coups: of their cases, acts and switches."""
    return tuple(dict.fromkeys(_of_irregularities(book)))


def _of_irregularities(book: str) -> Iterator[str]:
    known = authority.load(book).act
    reopens = {clause for rule in known[_REOPENS].rules for clause in split(rule.clause)}
    for rows in irregularities.load(book).cases.values():
        for row in rows:
            yield from (clause for clause in split(row.clause) if clause not in reopens)
    for act in (*catalogue().section[_IRREGULARITIES], "deal_unwagered"):
        if act in _NOT_OF_A_SHOE:
            continue
        for rule in known[act].rules:
            yield from split(rule.clause)
    for name in _SWITCHES:
        yield from of_permission(book, name)


def of_face_up(book: str) -> tuple[str, ...]:
    """Return the clauses about a card that lies face up, or was seen too early."""
    rows = (row for case, rows in irregularities.load(book).cases.items() if case.endswith(_SEEN) for row in rows)
    return tuple(dict.fromkeys(clause for row in rows for clause in split(row.clause)))


def of_directed(book: str) -> tuple[str, ...]:
    """Return the clauses by which a person directs a coup without wagers that no rule orders (Crown 10.8.1)."""
    rules = authority.load(book).act["unwagered_after_error"].rules
    directed = (rule for rule in rules if rule.when.get("ordered_by_rule") is False)
    return tuple(clause for rule in directed for clause in split(rule.clause))


def of_switch(book: str, name: str) -> tuple[str, ...]:
    """Return the clauses of a switch."""
    return split(rulebooks.load(book).switch[name].clause)


def of_permission(book: str, name: str) -> tuple[str, ...]:
    """Return the clauses of a switch, where it permits something."""
    return of_switch(book, name) if rulebooks.load(book).switch[name].value else ()


def of_report(book: str, report: str) -> tuple[str, ...]:
    """Return the clauses of a report or time limit."""
    return split(authority.load(book).report[report].clause)


def foreign(book: str, text: str, belonging: Iterable[str]) -> list[str]:
    """Return the clauses of a text that are not among those given, nor below or just above one."""
    known = tuple(belonging)
    return [part for part in split(clauses.named(book, text)) if not any(_within(part, one) for one in known)]


def _within(part: str, known: str) -> bool:
    """Return True if a clause, or both ends of a range, are the known clause, below it, or in the known range."""
    return all(_one_within(end, known) for end in part.split("-"))


def _one_within(clause: str, known: str) -> bool:
    first, _, last = known.partition("-")
    named, low = _parts(clause), _parts(first)
    if last:
        high = _parts(last)
        return low <= named[: len(low)] and named[: len(high)] <= high
    return named[: len(low)] == low or (len(low) >= _LEAST_PARTS and named == low[:-1])


def _parts(clause: str) -> tuple[tuple[int, str], ...]:
    """Return the parts of a clause, so that they compare in the order of the text."""
    return tuple(map(_part, _PART.findall(clause)))


def _part(text: str) -> tuple[int, str]:
    number = re.match(r"\d+", text)
    return (int(number[0]), text[number.end() :].upper()) if number else (0, text.lower())

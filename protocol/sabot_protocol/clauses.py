"""Clauses: every numbered clause of each rulebook, and whether a clause that a person names is one of them."""

import re
import tomllib
from collections.abc import Iterator
from difflib import get_close_matches
from functools import cache
from importlib.resources import files

import msgspec

_MOST_NEAR = 4
_BETWEEN = re.compile(r"[,;&]|\band\b", re.IGNORECASE)
_CALLED = re.compile(r"(?:rules?|clauses?|cl|sections?|sec|s|r|§)\b[.\s]*|§\s*", re.IGNORECASE)
# A number such as 11H.4, letters such as (b)(ii), and a table of the rulebook such as T20.
_CLAUSE = re.compile(r"(\d+[A-Z]?(?:\.\d+[A-Z]?)*)\.?((?:\([A-Z]{1,5}\))*)(T\d{1,2})?", re.IGNORECASE)
_READING = re.compile(r"A-\d{2}")  # of this project, given together with a clause


class ClauseError(ValueError):
    """A clause that the rulebook does not have; the message names similar ones."""


class _File(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    clauses: tuple[str, ...]


@cache
def load(rulebook_id: str) -> tuple[str, ...]:
    """Return every clause of a rulebook, in the order of its text."""
    file = files("sabot_protocol") / "rulebooks" / "clauses" / f"{rulebook_id}.toml"
    return listed(file.read_text(encoding="utf-8"))


def listed(text: str) -> tuple[str, ...]:
    """Return the clauses of a file of clauses."""
    return msgspec.convert(tomllib.loads(text), _File).clauses


def problems(name: str, text: str) -> Iterator[str]:
    """Yield what is wrong with a file of clauses."""
    try:
        found = msgspec.convert(tomllib.loads(text), _File)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        yield str(error)
        return
    if f"{found.id}.toml" != name:
        yield f"id: it is {found.id!r}, which is not the file name"
    if not found.clauses:
        yield "clauses: there is none"


def unlisted(known: tuple[str, ...], text: str) -> Iterator[str]:
    """Yield the parts of a citation that are no clause of these; a reading, or a section of an Act, is none."""
    for part in (part.strip() for part in _BETWEEN.split(text)):
        if not part or _READING.fullmatch(part) or part.startswith("s."):
            continue
        for end in part.split("-"):
            match = _CLAUSE.fullmatch("".join(end.split()))
            if not match or match[1].upper() not in known:
                yield end


def named(rulebook_id: str, text: str) -> str:
    """Return one or more clauses as the rulebook writes them: `rule 12.1 (B)` is 12.1(b). ClauseError if unknown."""
    parts = [part.strip() for part in _BETWEEN.split(text) if part.strip()]
    found = [part if _READING.fullmatch(part) else _one_or_range(rulebook_id, part) for part in parts]
    if all(_READING.fullmatch(part) for part in found):
        raise ClauseError(f"{text!r} names no clause of {rulebook_id}")
    return ", ".join(found)


def _one_or_range(rulebook_id: str, text: str) -> str:
    """Return a clause, or the first and the last of a range such as 18.3-18.7."""
    first, _, last = text.partition("-")
    if not last:
        return _one(rulebook_id, text)
    ends = _one(rulebook_id, first), _one(rulebook_id, last)
    order = [(load(rulebook_id).index(number), letters) for number, letters in map(_parts, ends)]
    if order[0] >= order[1]:
        raise ClauseError(f"{text!r} is no range of {rulebook_id}: {ends[0]} does not come before {ends[1]}")
    return "-".join(ends)


def _parts(clause: str) -> tuple[str, str]:
    """Return a clause's number, and its letters or its table."""
    number = re.split(r"[( ]", clause)[0]
    return number, clause.removeprefix(number)


def _one(rulebook_id: str, text: str) -> str:
    clauses = load(rulebook_id)
    bare = "".join(_CALLED.sub("", text, count=1).split() if _CALLED.match(text) else text.split())
    for written in (bare, re.sub(r"([a-z])$", r"(\1)", bare)):  # 12.1b is 12.1(b), where there is no 12.1B
        match = _CLAUSE.fullmatch(written)
        if match and match[1].upper() in clauses:
            return match[1].upper() + match[2].lower() + (f" {match[3].upper()}" if match[3] else "")
    raise ClauseError(f"{rulebook_id} has no clause {text!r}; {_near(clauses, bare)}")


def _near(clauses: tuple[str, ...], text: str) -> str:
    near = get_close_matches(text.upper(), clauses, _MOST_NEAR, 0.5)
    tops = [clause for clause in clauses if "." not in clause]
    return f"similar clauses: {', '.join(near)}" if near else f"its sections are {tops[0]} to {tops[-1]}"

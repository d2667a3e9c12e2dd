"""The table of people: who may do what by the printed rules, as people_cells.txt has it; read by several tests."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

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
    text = (Path(__file__).parents[1] / "people_cells.txt").read_text()
    for line in text.splitlines()[3:]:
        head, *cells = (part.strip() for part in line.split(" | "))
        row, act = head.split()
        yield row, act, cells


LINES = list(lines())


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


def name(role: str) -> str:
    return NAMES.get(role, role)

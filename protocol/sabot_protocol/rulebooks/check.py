"""Check: every fact that a rulebook file, and the files beside it, still lack; each with its file and key."""

import tomllib
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from types import UnionType
from typing import Any, Final, NamedTuple, Union, get_args, get_origin

import msgspec

from sabot_protocol import clauses, irregularities
from sabot_protocol.rulebooks import loader
from sabot_protocol.rulebooks.model import Rulebook
from sabot_protocol.wagers import three_card
from sabot_protocol.wagers.bets import BETS
from sabot_protocol.wagers.facts import COLOURED, MIXED, NO_PAIR, SAME_SUIT, Facts, Hand

_OF_CLAUSES: Final = ("limited_payout", "equipment", "insurance")  # tables whose values are clauses


class Lack(NamedTuple):
    """A fact that is missing or wrong: its file, its key, and what about it."""

    file: Path
    key: str
    say: str

    def __str__(self) -> str:
        """Return the line for people."""
        return f"{self.file}: {self.key + ': ' if self.key else ''}{self.say}"


def lacks(path: Path) -> Iterator[Lack]:
    """Yield everything that keeps a rulebook from being dealt, signed, settled and shown."""
    found = [
        *_lacks_of_book(path),
        *_lacks_beside(path, "irregularities", irregularities.problems),
        *_lacks_beside(path, "clauses", clauses.problems),
    ]
    yield from found
    if not found:
        yield from _wrong_citations(path)


def _wrong_citations(path: Path) -> Iterator[Lack]:
    """Yield every clause that the book or its irregularities cite, and that the list of clauses does not have."""
    known = clauses.listed((path.parent / "clauses" / path.name).read_text(encoding="utf-8"))
    for file in (path, path.parent / "irregularities" / path.name):
        for key, text in _citations(tomllib.loads(file.read_text(encoding="utf-8")), ""):
            for one in clauses.unlisted(known, text):
                yield Lack(file, key, f"the clauses beside this file have no {one!r}")


def _citations(value: Any, key: str, *, cited: bool = False) -> Iterator[tuple[str, str]]:
    """Yield the key and the text of every citation: clauses, tables of clauses, and where the draw is printed."""
    if isinstance(value, dict):
        for name, one in value.items():
            of_clauses = cited or key == "draw" or name.endswith(("clause", "clauses")) or name in _OF_CLAUSES
            yield from _citations(one, f"{key}.{name}" if key else name, cited=of_clauses)
    elif isinstance(value, list):
        for number, one in enumerate(value, 1):
            yield from _citations(one, f"{key}[{number}]")
    elif cited and isinstance(value, str):
        yield key, value


def _odd_outcomes(book: Rulebook) -> Iterator[str]:
    """Yield every price of an outcome that its bet never has: the wager would lose there without a word."""
    for wager in {wager.id: wager for game in book.game for wager in book.wagers(game)}.values():
        known = _outcomes(wager.bet, wager.side)
        for key, prices in (("win", wager.win), ("push", wager.push)):
            for outcome in (outcome for outcome in prices if known and outcome not in known):
                has = ", ".join(sorted(known))
                yield f"wager {wager.id}: {key}.{outcome}: bet {wager.bet} has no such outcome; it has {has}"


@cache
def _outcomes(bet: str, side: str) -> frozenset[str]:
    """Return what a bet can end in, from all hands and pairs that there are; nothing for a combination."""
    if bet in three_card.BETS:
        hands = [three_card.ThreeCardHand(points, pictures) for points in range(10) for pictures in range(4)]
        return frozenset(three_card.BETS[bet](*both) for both in product(hands, repeat=2))
    if bet not in BETS:
        return frozenset()
    twos = [Hand(two, 2, two, 0, False) for two in range(10)]
    hands_of_all = [*twos, *(Hand(one.two, 3, points, 0, False) for one in twos for points in range(10))]
    every = [Facts(player, banker, False) for player, banker in product(hands_of_all, repeat=2)]
    pairs = [Hand(0, 3, 0, pair, pair == SAME_SUIT) for pair in (NO_PAIR, MIXED, COLOURED, SAME_SUIT)]
    pairs += [one._replace(triple=False) for one in pairs]
    every += [Facts(player, banker, twin) for player, banker in product(pairs, repeat=2) for twin in (False, True)]
    return frozenset(BETS[bet](facts, side) for facts in every)


def _lacks_of_book(path: Path) -> Iterator[Lack]:
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        yield Lack(path, "", f"this is no TOML: {error}")
        return
    shape = [Lack(path, key, say) for key, say in _shape(Rulebook, given, "")]
    yield from shape
    if not shape:
        book = msgspec.convert(given, Rulebook)
        yield from (_split(path, problem) for problem in (*loader.problems(book, path.name), *_odd_outcomes(book)))


def _split(path: Path, problem: str) -> Lack:
    """Return a sentence that begins with its key, or with `KEY is missing`, as both."""
    key, colon, say = problem.partition(": ")
    if colon and not key.endswith(" is missing"):
        return Lack(path, key, say)
    key, missing, _ = problem.partition(" is missing")
    return Lack(path, key if missing else "", problem.removeprefix(key).strip() if missing else problem)


def _lacks_beside(path: Path, folder: str, problems: Any) -> Iterator[Lack]:
    """Yield what is wrong with the file of the same name in a folder beside the rulebook."""
    beside = path.parent / folder / path.name
    try:
        text = beside.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        yield Lack(beside, "", "the file is missing, or is no text")
        return
    yield from (_split(beside, problem) for problem in problems(path.name, text))


def _shape(kind: Any, value: Any, key: str) -> Iterator[tuple[str, str]]:
    """Yield every key that the types miss, and every value that they refuse."""
    kind = _without_none(kind)
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        yield from _table(kind, value, key)
    elif get_origin(kind) is dict and isinstance(value, dict):
        for name, one in value.items():
            yield from _shape(get_args(kind)[1], one, f"{key}.{name}")
        yield from _value(dict[get_args(kind)[0], Any], value, key)  # type: ignore[misc]
    elif get_origin(kind) is tuple and get_args(kind)[1:] == (...,) and isinstance(value, list):
        for number, one in enumerate(value, 1):
            yield from _shape(get_args(kind)[0], one, f"{key}[{number}]")
    else:
        yield from _value(kind, value, key)


def _without_none(kind: Any) -> Any:
    """Return the struct of an optional table; any other type as it is."""
    structs = [one for one in get_args(kind) if isinstance(one, type) and issubclass(one, msgspec.Struct)]
    return structs[0] if get_origin(kind) in (Union, UnionType) and structs else kind


def _table(kind: type[msgspec.Struct], value: Any, key: str) -> Iterator[tuple[str, str]]:
    if not isinstance(value, dict):
        yield key, "is not a table"
        return
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    prefix = f"{key}." if key else ""
    for name, field in fields.items():
        if name in value:
            yield from _shape(field.type, value[name], prefix + name)
        elif field.required or value.get(name.removesuffix("_clause")):  # what is ruled needs its clause
            yield prefix + name, "is missing"
    yield from ((prefix + name, "is not a key of a rulebook") for name in value if name not in fields)


def _value(kind: Any, value: Any, key: str) -> Iterator[tuple[str, str]]:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        yield key, str(error)

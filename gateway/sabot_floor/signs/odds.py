"""Odds: the wagers of a table with what each outcome pays, in the words of the table's rulebook."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec
from sabot_protocol.rulebooks.model import Price, Rulebook, Sequence, Wager
from sabot_protocol.rulebooks.sign import without_side
from sabot_protocol.topics import TableSetup

_NAMES = {"player": ("Player", "Banker"), "banker": ("Banker", "Player"), "": ("", "")}
_LOSES_ON_TIE = ("backed_two_to_one", "backed_two_to_one_six")


class Pays(msgspec.Struct, frozen=True):
    """An outcome of a wager, and what it pays."""

    when: str
    odds: str


class WagerOdds(msgspec.Struct, frozen=True):
    """A wager that a table offers; `main` is Player, Banker and Tie, and what Three Card Baccarat has for them."""

    id: str
    title: str
    main: bool
    pays: tuple[Pays, ...]
    note: str = ""


@cache
def words() -> dict[str, Any]:
    """Return the words of the signs."""
    text = (files(__package__) / "wording.toml").read_text(encoding="utf-8")
    return dict(msgspec.toml.decode(text))


def odds_text(odds: Fraction) -> str:
    """Return odds as the books print them: 8 is `8 to 1`, 1/2 is `1 to 2`."""
    return f"{_number(odds.numerator)} to {_number(odds.denominator)}"


def _number(value: int) -> str:
    return f"{value:,}"  # one form on the whole sign: the books print both 1000 and 10,000


def offered(book: Rulebook, setup: TableSetup) -> list[WagerOdds]:
    """Return the wagers of a table in the order of the book; all of its game if the setup lists none."""
    wanted = set(setup.wagers)
    found = [_wager(book, setup, wager) for wager in book.wagers(setup.game) if not wanted or wager.id in wanted]
    for sequence in book.sequence:
        if setup.game in sequence.games and (lengths := _lengths(sequence, wanted)):
            found.append(_sequence(book, sequence, lengths))
    if book.roulette is not None and setup.game == "roulette":
        found += _roulette(book)
    return found


def _wager(book: Rulebook, setup: TableSetup, wager: Wager) -> WagerOdds:
    note = words()["note"].get(without_side(wager.id), "") or words()["note"].get(wager.id, "")
    main = wager.bet.startswith("backed") or wager.id in ("tie", "three_card")
    return WagerOdds(wager.id, title(book, wager.id, wager.side), main, tuple(_pays(book, setup, wager)), note)


def title(book: Rulebook, wager: str, side: str = "") -> str:
    """Return the title of a wager, as the book has it."""
    known = words()["title"] | book.sign.title
    text = known.get(wager) or known.get(without_side(wager)) or wager.replace("_", " ").title()
    return _filled(text, side or wager.rpartition("_")[2])


def _filled(text: str, side: str) -> str:
    own, other = _NAMES.get(side, ("", ""))
    return text.replace("{Side}", own).replace("{Other}", other)


def _pays(book: Rulebook, setup: TableSetup, wager: Wager) -> Iterator[Pays]:
    """Yield what wins, highest odds last as in the book, then what stands off, then a tie that loses."""
    for outcome, price in wager.win.items():
        odds = price.net(_options(book, setup), book)
        yield Pays(_when(book, wager, outcome), _odds(book, f"{wager.id}.{outcome}", odds))
    for outcome, price in wager.push.items():
        yield Pays(_when(book, wager, outcome), _push(book, setup, outcome, price))
    if wager.bet in _LOSES_ON_TIE:
        yield Pays("Tie", "loses")


def _options(book: Rulebook, setup: TableSetup) -> dict[str, str]:
    return {name: setup.options.get(name, option.values[0]) for name, option in book.option.items()}


def _when(book: Rulebook, wager: Wager, outcome: str) -> str:
    text = book.sign.outcome.get(f"{wager.id}.{outcome}") or words()["outcome"].get(wager.bet, {}).get(outcome)
    return capital(_filled(text or outcome.replace("_", " "), wager.side))


def capital(text: str) -> str:
    """Return a text that begins with a capital letter, as every row of the sign does."""
    return f"{text[:1].upper()}{text[1:]}"


def _odds(book: Rulebook, place: str, odds: Fraction) -> str:
    own = book.sign.odds
    return own.get(place) or own.get(str(odds)) or odds_text(odds)


def _push(book: Rulebook, setup: TableSetup, outcome: str, price: Price) -> str:
    if price.percent_of is not None:
        return f"{_options(book, setup)[price.percent_of]}% of the wager"
    standoff = book.sign.standoff
    return standoff.get(outcome) or standoff["tie"]


def _lengths(sequence: Sequence, wanted: set[str]) -> list[str]:
    """Return the numbers of results that a table offers of a wager on several coups."""
    if not wanted or sequence.id in wanted:
        return list(sequence.odds)
    return [length for length in sequence.odds if f"{sequence.id}_{length}" in wanted]


def _sequence(book: Rulebook, sequence: Sequence, lengths: list[str]) -> WagerOdds:
    what = "{} in a row" if sequence.kind == "run" else "{} consecutive results"
    pays = tuple(Pays(what.format(length), odds_text(Fraction(sequence.odds[length]))) for length in lengths)
    return WagerOdds(sequence.id, title(book, sequence.id), False, pays, words()["note"].get(sequence.id, ""))


def _roulette(book: Rulebook) -> Iterator[WagerOdds]:
    assert book.roulette is not None
    for name, odds in book.roulette.odds.items():
        text = odds_text(Fraction(odds))
        yield WagerOdds(name, name.replace("_", " ").capitalize(), True, (Pays("", text),))

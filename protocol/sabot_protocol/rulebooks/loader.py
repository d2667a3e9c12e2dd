"""Loads and checks a rulebook; what is wrong is refused with file, key and reason."""

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

import msgspec

from sabot_protocol.cards import RANKS
from sabot_protocol.rulebooks import incidents, people, sign
from sabot_protocol.rulebooks.model import (
    CHOICES,
    SIDES,
    SWITCHES,
    Jackpot,
    Money,
    Price,
    Roulette,
    Rulebook,
    RulebookError,
    Wager,
)  # fmt: skip
from sabot_protocol.wagers import lucky_tie, roulette, three_card
from sabot_protocol.wagers.bets import BETS, ON_A_SIDE

MOST_DECKS = 8  # that a shoe holds
_NEEDED_CHOICES = ("dealing", "shuffler")  # of every shoe


def parse(name: str, text: str) -> Rulebook:
    """Parse and check one file."""
    try:
        book = msgspec.convert(tomllib.loads(text), Rulebook)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise RulebookError(f"rulebook {name}: {error}") from error
    for problem in problems(book, name):
        raise RulebookError(f"rulebook {name}: {problem}")
    return book


def problems(book: Rulebook, name: str) -> Iterator[str]:
    """Yield what the types cannot check."""
    if book.decks.default not in book.decks.allowed:
        yield f"decks.default {book.decks.default} is not in decks.allowed"
    if f"{book.id}.toml" != name:
        yield f"id is {book.id!r}, which is not the file name"
    numbers = [
        ("decks.allowed", book.decks.allowed),
        *((f"game.{name}.decks", one.decks) for name, one in book.game.items()),
    ]
    yield from (
        f"{key}: {decks} is no number of decks that a shoe can hold: 1 to {MOST_DECKS}"
        for key, every in numbers
        for decks in every
        if not 1 <= decks <= MOST_DECKS
    )
    yield from _switch_problems(book)
    yield from (f"authority.{problem}" for problem in people.problems(book.authority))
    yield from (f"incident.{problem}" for problem in incidents.problems(book.incident, book.authority))
    yield from _choice_problems(book)
    yield from ("game: no game" for _ in [0] if not book.game)
    spins = {"roulette"} if book.roulette else set()
    bare = (game for game in book.game if game not in spins and not book.wagers(game))
    yield from (f"game.{game}: no wager has this game in its `games`" for game in bare)
    wagers = {wager.id for game in book.game for wager in book.wagers(game)}
    yield from _sign_problems(book, wagers)
    roles = {role.id for role in book.authority.role}
    yield from (f"demo.{problem}" for problem in sign.demo_problems(book.demo, roles, wagers))
    yield from (f"money.{problem}" for problem in _money_problems(book, book.money))
    for jackpot_id, jackpot in book.jackpot.items():
        if jackpot.initial_rank not in RANKS:
            yield f"jackpot.{jackpot_id}.initial_rank: {jackpot.initial_rank!r} is not one of {', '.join(RANKS)}"
        yield from (f"jackpot.{jackpot_id}: {problem}" for problem in _jackpot_problems(jackpot))
        if jackpot.wager not in wagers:
            yield f"jackpot.{jackpot_id}.wager: no wager {jackpot.wager!r}"
    for option_id, option in book.option.items():
        yield from (f"option.{option_id}.games: no game {game!r}" for game in option.games if game not in book.game)
    for wager in book.wager:
        yield from (f"wager {wager.id}: {problem}" for problem in _wager_problems(book, wager))
    for sequence in book.sequence:
        yield from (f"sequence {sequence.id}: no game {game!r}" for game in sequence.games if game not in book.game)
        yield from _odds_problems(f"sequence {sequence.id}", sequence.odds.values())
    yield from (f"roulette.{problem}" for problem in (_roulette_problems(book.roulette) if book.roulette else ()))
    for game in book.game:
        known = {wager.id for wager in book.wagers(game)}
        named = [
            (one, key, name)
            for one in book.wagers(game)
            for key, names in (("main", one.main), ("excludes", one.excludes), ("parts", tuple(one.parts)))
            for name in names
        ]
        yield from (
            f"wager {one.id}.{key}: no wager {name!r} in game {game}" for one, key, name in named if name not in known
        )
        ids = Counter(wager.id for wager in book.wagers(game))
        yield from (f"wager {twice} is twice in game {game}" for twice, count in ids.items() if count > 1)


def _choice_problems(book: Rulebook) -> Iterator[str]:
    for name, values in CHOICES.items():
        if name not in book.shoe.choice:
            yield from (f"shoe.choice.{name} is missing" for _ in [0] if name in _NEEDED_CHOICES)
            continue
        wrong = (value for value in book.shoe.choice[name].values if value not in values)
        yield from (f"shoe.choice.{name}.values: {value!r} is not one of {', '.join(values)}" for value in wrong)
    yield from (f"shoe.choice.{name}: unknown choice" for name in book.shoe.choice if name not in CHOICES)


def _sign_problems(book: Rulebook, wagers: set[str]) -> Iterator[str]:
    styles = book.shoe.choice["style"].values if "style" in book.shoe.choice else ()
    yield from (f"sign.{problem}" for problem in sign.sign_problems(book.sign, {**book.game}, styles, wagers))


def _roulette_problems(prices: Roulette) -> Iterator[str]:
    kinds = {kind for kind, _ in roulette.layout().values()}
    for key, given in (("odds", prices.odds), ("clauses", prices.clauses)):
        yield from (f"{key}.{kind} is missing" for kind in sorted(kinds - given.keys()))
        yield from (f"{key}.{kind}: the layout has no such wager" for kind in sorted(given.keys() - kinds))
    for kind, odds in prices.odds.items():
        yield from _odds_problems(f"odds.{kind}", [odds])
    for name, pieces in prices.announced.items():
        yield from (f"announced.{name}: no wager {piece!r}" for piece in pieces if piece not in roulette.layout())
        yield from (f"announced_clauses.{name} is missing" for _ in [0] if name not in prices.announced_clauses)


def _switch_problems(book: Rulebook) -> Iterator[str]:
    yield from (f"switch.{name} is missing" for name in SWITCHES if name not in book.switch)
    for name, switch in book.switch.items():
        if name not in SWITCHES:
            yield f"switch.{name}: unknown switch"
            continue
        values = switch.value.split() if isinstance(switch.value, str) else [switch.value]
        for value in values:
            if value not in SWITCHES[name]:
                yield f"switch.{name}: {value!r} is not one of {', '.join(sorted(map(str, SWITCHES[name])))}"


def _money_problems(book: Rulebook, money: Money) -> Iterator[str]:
    yield from _odds_problems("exact_odds", [money.exact_odds] if money.exact_odds else [])
    if (money.rounding == "void_excess") != bool(money.exact_odds):
        yield "exact_odds: void_excess needs it, no other rounding has it"
    if money.differential:
        yield from _odds_problems("differential.commission", [money.differential.commission])
        games = money.differential.games
        yield from (f"differential.games: no game {game!r}" for game in games if game not in book.game)
        for game in (game for game in games if game in book.game):
            missing = set(money.differential.wagers) - {wager.id for wager in book.wagers(game)}
            yield from (f"differential.wagers: no wager {name!r} in game {game}" for name in sorted(missing))
    if money.ante:
        yield from _odds_problems("ante.most_of_minimum", [money.ante.most_of_minimum])


def _jackpot_problems(jackpot: Jackpot) -> Iterator[str]:
    for option, outcomes in jackpot.option.items():
        for outcome, (least, most) in outcomes.items():
            if outcome not in lucky_tie.OUTCOMES:
                yield f"{option}: unknown outcome {outcome!r}: choose from {', '.join(lucky_tie.OUTCOMES)}"
            if not 0 < least <= most <= 100:
                yield f"{option}.{outcome}: {least} to {most} is not a range of percent"


def _wager_problems(book: Rulebook, wager: Wager) -> Iterator[str]:
    if wager.bet not in BETS and wager.bet not in three_card.BETS and not wager.parts:
        yield f"no bet {wager.bet!r}"
    yield from (f"no game {game!r}" for game in wager.games if game not in book.game)
    yield from (f"decks: {decks} is not allowed" for decks in wager.decks if decks not in book.decks.allowed)
    if wager.bet in ON_A_SIDE and not wager.sides and wager.side not in SIDES:
        yield f"side is {wager.side!r}: write {' or '.join(SIDES)}, or sides = true"
    if not wager.win and not wager.parts:
        yield "win is missing: no outcome wins"
    for outcome, price in [*wager.win.items(), *wager.push.items()]:
        yield from (f"{outcome}: {problem}" for problem in _price_problems(book, price))
    wrong = [problem for part, share in wager.parts.items() for problem in _odds_problems(f"parts.{part}", [share])]
    yield from wrong
    whole = Fraction(0) if wrong else sum(map(Fraction, wager.parts.values()), Fraction(0))
    if whole not in (0, 1):
        yield f"parts: the shares are {whole} of the stake: they must be all of it"


def _price_problems(book: Rulebook, price: Price) -> Iterator[str]:
    yield from _odds_problems("odds", [price.odds] if price.odds is not None else [])
    for name in [*price.odds_by, *([price.percent_of] if price.percent_of else [])]:
        if name not in book.option:
            yield f"no option {name!r}"
        elif name in price.odds_by and len(price.odds_by[name]) != len(book.option[name].values):
            yield f"odds_by.{name} needs {len(book.option[name].values)} prices"
        elif name == price.percent_of:
            wrong = (value for value in book.option[name].values if not value.isdecimal())
            yield from (f"percent_of: {value!r} of option {name} is no whole number" for value in wrong)
    for odds in price.odds_by.values():
        yield from _odds_problems("odds_by", odds)


def _odds_problems(place: str, odds: Iterable[str]) -> Iterator[str]:
    for text in odds:
        try:
            good = Fraction(text) > 0
        except (ValueError, ZeroDivisionError):
            good = False
        if not good:
            yield f"{place}: {text!r} is not a price: write 8 or 19/20"


def ids() -> list[str]:
    """Return the ids of all rulebooks."""
    return sorted(file.name.removesuffix(".toml") for file in _files())


def in_order() -> tuple[str, ...]:
    """Return the ids in the order in which people meet them; the first is the default."""
    return tuple(sorted(ids(), key=lambda name: (load(name).demo.order, name)))


@cache
def load(rulebook_id: str) -> Rulebook:
    """Return the rulebook with this id; RulebookError if there is none."""
    for file in _files():
        if file.name == f"{rulebook_id}.toml":
            return parse(file.name, file.read_text(encoding="utf-8"))
    raise RulebookError(f"unknown rulebook {rulebook_id!r}: choose one of {', '.join(ids())}")


def _files() -> list[Traversable]:
    return [file for file in files(__package__).iterdir() if file.name.endswith(".toml")]

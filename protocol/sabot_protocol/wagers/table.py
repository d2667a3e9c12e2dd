"""A table: one game of a rulebook with its options chosen. It prices every wager that one coup decides."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from sabot_protocol.rulebooks.model import Rulebook, RulebookError, Wager
from sabot_protocol.wagers import three_card
from sabot_protocol.wagers.bets import BETS, BY_PAIRS, NOT_OFFERED
from sabot_protocol.wagers.facts import Facts
from sabot_protocol.wagers.settled import Settled, lost
from sabot_protocol.wagers.three_card import ThreeCardHand


@dataclass(frozen=True)
class Settings:
    """A game of a rulebook and the value of every option."""

    game: str
    options: dict[str, str]

    @classmethod
    def of(cls, book: Rulebook, chosen: Mapping[str, str]) -> "Settings":
        """Return the chosen values, with defaults for the rest; RulebookError names what is allowed."""
        axes = {"game": tuple(book.game), **{name: option.values for name, option in book.option.items()}}
        for axis, value in chosen.items():
            if axis not in axes:
                raise RulebookError(f"unknown option {axis!r}: {book.id} has {', '.join(axes)}")
            if value not in axes[axis]:
                raise RulebookError(f"{axis} = {value}: {book.id} allows {', '.join(axes[axis])}")
        options = {axis: chosen.get(axis, values[0]) for axis, values in axes.items()}
        return cls(options.pop("game"), options)


@dataclass(frozen=True)
class Priced:
    """A wager with its prices at this table; an outcome without a price loses."""

    wager: Wager
    prices: dict[str, Settled]
    lose: Settled
    not_offered: Settled
    bet: Callable[[Facts, str], str]

    def settle(self, facts: Facts) -> Settled:
        """Return what a coup makes of this wager."""
        outcome = self.bet(facts, self.wager.side)
        return self.not_offered if outcome == NOT_OFFERED else self.prices.get(outcome, self.lose)


@dataclass(frozen=True)
class Combined:
    """A wager of several parts, settled as one: the net of its parts."""

    wager: Wager
    parts: tuple[tuple[Fraction, Priced], ...]
    _known: dict[tuple[int, ...], Settled] = field(default_factory=dict)  # by the ids of what the parts return

    def settle(self, facts: Facts) -> Settled:
        """Return what a coup makes of all parts together."""
        parts = tuple([part.settle(facts) for _, part in self.parts])
        key = tuple(map(id, parts))
        if key not in self._known:
            self._known[key] = self._net(parts)
        return self._known[key]

    def _net(self, parts: tuple[Settled, ...]) -> Settled:
        net = sum((share * part.odds for (share, _), part in zip(self.parts, parts, strict=True)), Fraction(0))
        result = "win" if net > 0 else "lose" if net < 0 else "push"
        return Settled(result, net, result, self.wager.clause)


def decided_by(wager: Priced | Combined) -> Literal["points", "pairs", "both"]:
    """Return which facts of a coup decide a wager; both, if it has parts of either kind."""
    parts = [part for _, part in wager.parts] if isinstance(wager, Combined) else [wager]
    by_pairs = [part.wager.bet in BY_PAIRS for part in parts]
    return "pairs" if all(by_pairs) else "both" if any(by_pairs) else "points"


class Table:
    """Every wager of a game that one coup decides, with its prices."""

    def __init__(self, book: Rulebook, settings: Settings) -> None:
        self.book, self.settings = book, settings
        wagers = book.wagers(settings.game)
        self.three_card = any(wager.bet in three_card.BETS for wager in wagers)
        simple = {wager.id: self._priced(wager) for wager in wagers if not wager.parts}
        self.wagers: dict[str, Priced | Combined] = {
            wager.id: _combined(wager, simple) if wager.parts else simple[wager.id] for wager in wagers
        }

    def _priced(self, wager: Wager) -> Priced:
        prices = dict(self._prices(wager))
        return Priced(
            wager,
            prices,
            lost(wager.clause),
            Settled("not_offered", Fraction(0), NOT_OFFERED, wager.clause),
            BETS.get(wager.bet, _not_by_coup),
        )

    def _prices(self, wager: Wager) -> Iterator[tuple[str, Settled]]:
        for result, prices in (("win", wager.win), ("push", wager.push)):
            for outcome, price in prices.items():
                odds = price.net(self.settings.options, self.book)
                yield outcome, Settled(result, odds, outcome, price.clause)

    def settle(self, facts: Facts) -> dict[str, Settled]:
        """Return what a coup makes of every wager."""
        return {name: wager.settle(facts) for name, wager in self.wagers.items()}

    def win_odds(self, name: str) -> Fraction:
        """Return the odds of outcome `win` of a wager; 0 if it has no such outcome."""
        wager = self.wagers[name]
        price = wager.prices.get("win") if isinstance(wager, Priced) else None
        return price.odds if price else Fraction(0)

    def settle_three_card(self, player: ThreeCardHand, dealer: ThreeCardHand) -> dict[str, Settled]:
        """Return what a hand of Three Card Baccarat makes of every wager."""
        settled = {}
        for name, priced in self.wagers.items():
            assert isinstance(priced, Priced)
            settled[name] = priced.prices.get(three_card.BETS[priced.wager.bet](player, dealer), priced.lose)
        return settled


def _combined(wager: Wager, simple: dict[str, Priced]) -> Combined:
    return Combined(wager, tuple((Fraction(share), simple[part]) for part, share in wager.parts.items()))


def _not_by_coup(facts: Facts, side: str) -> str:
    raise TypeError("a coup of two hands does not decide this wager")


def check_offer(book: Rulebook, settings: Settings, decks: int, wagers: list[str]) -> list[str]:
    """Return every reason why a table must not offer these wagers."""
    problems = []
    try:
        book.decks_for(settings.game, decks)
    except RulebookError as error:
        problems.append(str(error))
    if clause := book.game[settings.game].tournament_clause:
        problems.append(
            f"game {settings.game}: {book.id} offers it only in a tournament (clause {clause}), and tables for "
            "tournaments are not supported yet; choose another game"
        )
    offered = {wager.id: wager for wager in book.wagers(settings.game)}
    runs = set(_sequence_names(book, settings.game))
    for name in wagers:
        if name in offered:
            problems += _wager_problems(offered[name], decks, wagers)
        elif name not in runs:
            problems.append(f"wager {name}: unknown in game {settings.game} of {book.id}")
    return problems


def _sequence_names(book: Rulebook, game: str) -> Iterator[str]:
    """Yield the wagers on several coups; a run as a whole and each of its lengths."""
    for sequence in book.sequence:
        if game in sequence.games:
            yield sequence.id
            yield from (f"{sequence.id}_{length}" for length in sequence.odds if sequence.kind == "run")


def _wager_problems(wager: Wager, decks: int, wagers: list[str]) -> Iterator[str]:
    """Yield the reasons in the wager's own clauses against offering it with the others."""
    if needed := wager.needed_decks(decks):
        yield f"wager {wager.id}: {needed}, not {decks} (clause {wager.decks_clause})"
    for other in sorted(set(wager.excludes) & set(wagers)):
        if wager.id < other:
            yield f"wagers {wager.id} and {other}: a table offers one or the other ({wager.excludes_clause})"
    if missing := [part for part in wager.parts if part not in wagers]:
        yield f"wager {wager.id}: offer {' and '.join(missing)} too, of which it consists (clause {wager.parts_clause})"


def check_whole_offer(book: Rulebook, settings: Settings, decks: int) -> str:
    """Return why a table that lists no wagers must not offer all of its game; empty if it may."""
    every = [wager.id for wager in book.wagers(settings.game)]
    found = [problem for problem in check_offer(book, settings, decks, every) if problem.startswith("wager")]
    if not found:
        return ""
    more = f", and {len(found) - 1} more such" if found[1:] else ""
    return (
        f"not every wager of game {settings.game} may be offered here: {found[0]}{more}; list those of this table: "
        'wagers = ["player", "banker", "tie", …]'
    )

"""A table: one book's game with its options chosen, every wager priced."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from sabot_protocol.rulebooks.model import Rulebook, RulebookError, Wager
from sabot_protocol.wagers import three_card
from sabot_protocol.wagers.bets import BETS, LOSE, NOT_OFFERED
from sabot_protocol.wagers.facts import Facts
from sabot_protocol.wagers.three_card import ThreeCardHand


class Settled(NamedTuple):
    """What became of a wager; `odds` are net for one unit staked."""

    result: str  # win, lose, push, not_offered
    odds: Fraction
    outcome: str
    rule: str


@dataclass(frozen=True)
class Settings:
    """A game of a book, and the value of every option."""

    game: str
    options: dict[str, str]

    @classmethod
    def of(cls, book: Rulebook, chosen: Mapping[str, str]) -> "Settings":
        """Defaults for what is not chosen; an unknown axis or value is an error that names what is allowed."""
        axes = {"game": tuple(book.game), **{name: option.values for name, option in book.option.items()}}
        for axis, value in chosen.items():
            if axis not in axes:
                raise RulebookError(f"{book.id} has no option {axis!r}: it has {', '.join(axes)}")
            if value not in axes[axis]:
                raise RulebookError(f"{axis} = {value}: {book.id} allows {', '.join(axes[axis])}")
        settled = {axis: chosen.get(axis, values[0]) for axis, values in axes.items()}
        return cls(settled.pop("game"), settled)


@dataclass(frozen=True)
class Priced:
    """A wager with its prices at this table."""

    wager: Wager
    prices: dict[str, Settled]
    lose: Settled
    not_offered: Settled
    bet: Callable[[Facts, str], str]

    def settle(self, facts: Facts) -> Settled:
        """What one coup makes of it."""
        outcome = self.bet(facts, self.wager.side)
        return self.not_offered if outcome == NOT_OFFERED else self.prices.get(outcome, self.lose)


@dataclass(frozen=True)
class Combined:
    """A wager of several parts, settled as one: winning parts less losing ones."""

    wager: Wager
    parts: tuple[tuple[Fraction, Priced], ...]
    _known: dict[tuple[Settled, ...], Settled] = field(default_factory=dict)

    def settle(self, facts: Facts) -> Settled:
        """The net of its parts."""
        parts = tuple([part.settle(facts) for _, part in self.parts])
        if parts not in self._known:
            self._known[parts] = self._net(parts)
        return self._known[parts]

    def _net(self, parts: tuple[Settled, ...]) -> Settled:
        net = sum((share * part.odds for (share, _), part in zip(self.parts, parts, strict=True)), Fraction(0))
        result = "win" if net > 0 else "lose" if net < 0 else "push"
        return Settled(result, net, result, self.wager.clause)


class Table:
    """Settles every wager of a game that one coup decides."""

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
            Settled("lose", Fraction(-1), LOSE, wager.clause),
            Settled("not_offered", Fraction(0), NOT_OFFERED, wager.clause),
            BETS.get(wager.bet, _not_by_coup),
        )

    def _prices(self, wager: Wager) -> Iterator[tuple[str, Settled]]:
        for result, prices in (("win", wager.win), ("push", wager.push)):
            for outcome, price in prices.items():
                odds = price.net(self.settings.options, self.book)
                yield outcome, Settled(result, odds, outcome, price.clause)

    def settle(self, facts: Facts) -> dict[str, Settled]:
        """Every wager of a coup."""
        return {name: wager.settle(facts) for name, wager in self.wagers.items()}

    def win_odds(self, name: str) -> Fraction:
        """What a wager pays where it simply wins; 0 for one that has no such price."""
        wager = self.wagers[name]
        price = wager.prices.get("win") if isinstance(wager, Priced) else None
        return price.odds if price else Fraction(0)

    def settle_three_card(self, player: ThreeCardHand, dealer: ThreeCardHand) -> dict[str, Settled]:
        """Every wager of a hand of Three Card Baccarat."""
        settled = {}
        for name, priced in self.wagers.items():
            assert isinstance(priced, Priced)
            settled[name] = priced.prices.get(three_card.BETS[priced.wager.bet](player, dealer), priced.lose)
        return settled


def _combined(wager: Wager, simple: dict[str, Priced]) -> Combined:
    return Combined(wager, tuple((Fraction(share), simple[part]) for part, share in wager.parts.items()))


def _not_by_coup(facts: Facts, side: str) -> str:
    raise TypeError("this wager is not decided by a coup of two hands")


# Games that are offered in tournaments only, and the clause; no table can be set to one yet.
TOURNAMENT_ONLY = {("crown-baccarat", "zero_commission"): "1.1"}
_PARTS_CLAUSE = "1.1"  # Crown: 1-1-2 is on the Side Wagers on offer at the table


def tournament_clause(book: Rulebook, game: str) -> str:
    """Return the clause by which a game is for tournaments only; empty where it is not."""
    return TOURNAMENT_ONLY.get((book.id, game), "")


def check_offer(book: Rulebook, settings: Settings, decks: int, wagers: list[str]) -> list[str]:
    """What is wrong with a table that offers these wagers; nothing when all is well."""
    problems = []
    try:
        book.decks_for(settings.game, decks)
    except RulebookError as error:
        problems.append(str(error))
    if clause := tournament_clause(book, settings.game):
        problems.append(
            f"game {settings.game}: {book.id} offers it only in a tournament (clause {clause}), and no table can be "
            "set to one yet; choose another game"
        )
    offered = {wager.id: wager for wager in book.wagers(settings.game)}
    runs = set(_sequence_names(book, settings.game))
    for name in wagers:
        if name in offered:
            problems += _wager_problems(offered[name], decks, wagers)
        elif name not in runs:
            problems.append(f"wager {name}: game {settings.game} of {book.id} does not have it")
    return problems


def _sequence_names(book: Rulebook, game: str) -> Iterator[str]:
    """Wagers on several coups: of a run, all lengths together or one of them."""
    for sequence in book.sequence:
        if game in sequence.games:
            yield sequence.id
            yield from (f"{sequence.id}_{length}" for length in sequence.odds if sequence.kind == "run")


def _wager_problems(wager: Wager, decks: int, wagers: list[str]) -> Iterator[str]:
    """What its own clauses say against a wager beside the others."""
    if wanted := wager.wanted_decks(decks):
        yield f"wager {wager.id}: {wanted}, not {decks} (clause {wager.decks_clause})"
    for other in sorted(set(wager.excludes) & set(wagers)):
        if wager.id < other:
            yield f"wagers {wager.id} and {other}: a table offers one or the other ({wager.excludes_clause})"
    if missing := [part for part in wager.parts if part not in wagers]:
        told = f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not"
        yield f"wager {wager.id}: its parts must be on offer too, and {told} (clause {_PARTS_CLAUSE})"


def check_whole_offer(book: Rulebook, settings: Settings, decks: int) -> str:
    """Why a table that names no wagers cannot offer every one of its game, in a sentence; empty where it can."""
    every = [wager.id for wager in book.wagers(settings.game)]
    found = [problem for problem in check_offer(book, settings, decks, every) if problem.startswith("wager")]
    if not found:
        return ""
    more = f", and {len(found) - 1} more of that sort" if found[1:] else ""
    return (
        f"not every wager of game {settings.game} may be offered here: {found[0]}{more}; list those that this table "
        'offers: wagers = ["player", "banker", "tie", …]'
    )

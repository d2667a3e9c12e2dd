"""Odds: exact probabilities and house edges of every wager of a table, as fractions."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb
from typing import Any

from sabot_protocol.rulebooks.model import Roulette, Rulebook, Sequence
from sabot_protocol.wagers import roulette
from sabot_protocol.wagers.facts import NO_PAIR, Facts, Hand
from sabot_protocol.wagers.settled import Settled
from sabot_protocol.wagers.table import Combined, Priced, Table, decided_by
from sabot_protocol.wagers.three_card import ThreeCardHand

Weighted = list[tuple[Facts, int]]


@dataclass(frozen=True)
class WagerOdds:
    """The odds of a wager while it can be made; `available` is how often that is."""

    house_edge: Fraction
    outcomes: dict[str, Fraction]
    push: Fraction = Fraction(0)
    available: Fraction = Fraction(1)
    pays: dict[str, Fraction] = field(default_factory=dict)
    clause: str = ""
    note: str = ""
    mean_square: Fraction = Fraction(0)  # of the net for one unit staked

    def variance(self) -> Fraction:
        """Return the variance of the net result for one unit staked."""
        return self.mean_square - self.house_edge**2

    def hit_rate(self) -> Fraction:
        """Return the probability that it wins."""
        return sum(self.outcomes.values(), Fraction(0))


class Tally:
    """How often each settlement occurs; a table returns one object for each, so its id is the key."""

    def __init__(self) -> None:
        self._weights: dict[int, int] = {}
        self._settled: dict[int, Settled] = {}

    def add(self, settled: Settled, weight: int) -> None:
        """Add a weight to a settlement."""
        key = id(settled)
        if key in self._weights:
            self._weights[key] += weight
        else:
            self._weights[key], self._settled[key] = weight, settled

    def items(self) -> list[tuple[Settled, int]]:
        """Return each settlement with its weight."""
        return [(self._settled[key], weight) for key, weight in self._weights.items()]


def tallied(rows: Iterable[tuple[dict[str, Settled], int]]) -> tuple[dict[str, Tally], int]:
    """Return the settlements of every wager with their weights, and the sum of the weights."""
    tallies: dict[str, Tally] = {}
    total = 0
    for settlements, weight in rows:
        total += weight
        for name, settled in settlements.items():
            if name not in tallies:
                tallies[name] = Tally()
            tallies[name].add(settled, weight)
    return tallies, total


def of_table(table: Table, rows: Iterable[tuple[dict[str, Settled], int]]) -> dict[str, WagerOdds]:
    """Return the odds of every wager of a table from its settlements."""
    tallies, total = tallied(rows)
    return {
        name: of_weights(tallies[name], total, _clause(wager), wager.wager.note) for name, wager in table.wagers.items()
    }


def of_weights(weights: Tally, total: int, clause: str, note: str = "") -> WagerOdds:
    """Return the odds from how often each settlement occurs."""
    offered = sum(weight for settled, weight in weights.items() if settled.result != "not_offered")
    if not offered:
        return WagerOdds(Fraction(0), {}, available=Fraction(0), clause=clause, note="never available")
    wins: dict[str, Fraction] = {}
    pays: dict[str, Fraction] = {}
    push = net = square = Fraction(0)
    for settled, weight in weights.items():
        share = Fraction(weight, offered)
        net += share * settled.odds
        square += share * settled.odds**2
        if settled.result == "win":
            wins[settled.outcome] = wins.get(settled.outcome, Fraction(0)) + share
            pays[settled.outcome] = max(pays.get(settled.outcome, settled.odds), settled.odds)
        elif settled.result == "push":
            push += share
    return WagerOdds(-net, wins, push, Fraction(offered, total), pays, clause, note, square)


def of_coups(table: Table, facts: Iterable[tuple[Facts, int]]) -> dict[str, WagerOdds]:
    """Return the odds of every wager that one coup decides, settled once for all coups that are alike to it."""
    every = list(facts)
    total = sum(weight for _, weight in every)
    rows = {"points": _by_points(every), "pairs": _by_pairs(every), "both": every}
    found = {}
    for name, wager in table.wagers.items():
        tally = Tally()
        for coup, weight in rows[decided_by(wager)]:
            tally.add(wager.settle(coup), weight)
        found[name] = of_weights(tally, total, _clause(wager), wager.wager.note)
    return found


def _by_points(facts: Weighted) -> Weighted:
    """Return the coups by points and numbers of cards alone."""
    weights: dict[Any, int] = {}
    for (player, banker, _), weight in facts:
        key = player[:3], banker[:3]
        weights[key] = weights.get(key, 0) + weight
    rest = (NO_PAIR, False)
    return [
        (Facts(Hand._make((*one, *rest)), Hand._make((*other, *rest)), False), weight)
        for (one, other), weight in weights.items()
    ]


def _by_pairs(facts: Weighted) -> Weighted:
    """Return the coups by pairs and triples alone."""
    weights: dict[Any, int] = {}
    for (player, banker, twin), weight in facts:
        key = player[3:], banker[3:], twin
        weights[key] = weights.get(key, 0) + weight
    return [
        (Facts(Hand(0, 0, 0, *one), Hand(0, 0, 0, *other), twin), weight)
        for (one, other, twin), weight in weights.items()
    ]


def _clause(wager: Priced | Combined) -> str:
    """Return the clause of the rulebook that states what the wager pays."""
    if isinstance(wager, Combined):
        return wager.wager.clause
    return ", ".join(dict.fromkeys(settled.rule for settled in wager.prices.values() if settled.result == "win"))


def of_three_card(table: Table) -> dict[str, WagerOdds]:
    """Return the odds of every wager of Three Card Baccarat with one deck."""
    hands = _three_card_hands()
    return of_table(table, ((table.settle_three_card(player, dealer), weight) for player, dealer, weight in hands))


def _three_card_hands() -> Iterator[tuple[ThreeCardHand, ThreeCardHand, int]]:
    """Yield every pair of hands with its weight. Kinds of card: 0 a ten, 1 to 9 their points, 10 a picture."""
    deck = {kind: 12 if kind == 10 else 4 for kind in range(11)}
    for player in combinations_with_replacement(range(11), 3):
        rest = {kind: count - player.count(kind) for kind, count in deck.items()}
        for dealer in combinations_with_replacement(range(11), 3):
            weight = _ways(player, deck) * _ways(dealer, rest)
            if weight:
                yield _hand(player), _hand(dealer), weight


def _ways(kinds: tuple[int, ...], deck: dict[int, int]) -> int:
    ways = 1
    for kind, count in Counter(kinds).items():
        ways *= comb(deck[kind], count)
    return ways


def _hand(kinds: tuple[int, ...]) -> ThreeCardHand:
    return ThreeCardHand(sum(kind % 10 for kind in kinds) % 10, kinds.count(10))


def of_roulette(prices: Roulette) -> dict[str, WagerOdds]:
    """Return the odds of every wager of the wheel."""
    tallies, total = tallied((roulette.settle(prices, number), 1) for number in roulette.NUMBERS)
    return {name: of_weights(tally, total, prices.clause) for name, tally in tallies.items()}


def of_sequences(book: Rulebook, game: str, results: dict[str, Fraction]) -> dict[str, WagerOdds]:
    """Return the odds of runs and tails, with independent coups from a full shoe; `results` are those of one coup."""
    found: dict[str, WagerOdds] = {}
    for sequence in book.sequence:
        if game not in sequence.games:
            continue
        odds = {int(length): Fraction(text) for length, text in sequence.odds.items()}
        if sequence.kind == "run":
            for length, pays in odds.items():
                found[f"{sequence.id}_{length}"] = _run(sequence, length, pays, results)
        else:
            found[sequence.id] = _tail(sequence, odds, results[sequence.result])
    return found


_INDEPENDENT = "coups taken as independent, each from a full shoe"


def _run(sequence: Sequence, length: int, pays: Fraction, results: dict[str, Fraction]) -> WagerOdds:
    note = _INDEPENDENT
    if sequence.result == "combo":
        chance = results["B"] ** (length - 1) * results["P"]
        note += "; nominated: Player for one coup, Banker for the others"
    else:
        chance = results[sequence.result] ** length
    edge = 1 - chance * (pays + 1)
    return WagerOdds(edge, {"run": chance}, pays={"run": pays}, clause=sequence.clause, note=note)


def _tail(sequence: Sequence, odds: dict[int, Fraction], side: Fraction) -> WagerOdds:
    """Return the odds of a tail: n results and a break, or six; a late tail is staked once the run has begun."""
    outcomes = {f"consecutive_{n}": side**n * (1 - side) for n in odds if n < 6}
    outcomes["consecutive_6"] = side**6
    pays = {f"consecutive_{n}": price for n, price in odds.items()}
    edge = 1 - sum((chance * (pays[name] + 1) for name, chance in outcomes.items()), Fraction(0))
    available = side if sequence.kind == "tail_late" else Fraction(1)
    return WagerOdds(edge, outcomes, available=available, pays=pays, clause=sequence.clause, note=_INDEPENDENT)

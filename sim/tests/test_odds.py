"""Exact odds: published figures, a small shoe dealt card by card, and the simulation against both."""

import random
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import pairwise, permutations
from math import perm
from typing import Any

import numpy as np
import pytest
from sabot_gateway import rules
from sabot_protocol import rulebooks
from sabot_protocol.cards import DECK
from sabot_protocol.wagers import facts
from sabot_protocol.wagers.bets import BETS, BY_PAIRS
from sabot_protocol.wagers.facts import Facts, Hand
from sabot_protocol.wagers.table import Settings, Table
from sabot_sim.odds import odds
from sabot_sim.odds.enumeration import DrawTables, Enumeration
from sabot_sim.odds.odds import WagerOdds
from sabot_sim.odds.simulation import CoupTable, Simulation, coup_codes
from sabot_tools.actions.odds import decimal, draw_tables, results

DRAW = draw_tables()
TOTAL = perm(416, 6)


@cache
def eight() -> list[tuple[Facts, int]]:
    """Return every coup of eight decks with its weight; not at import, which every worker does."""
    return list(Enumeration(8, DRAW).facts())


def figures(book: str, **chosen: str) -> dict[str, WagerOdds]:
    rules_ = rulebooks.load(book)
    table = Table(rules_, Settings.of(rules_, chosen))
    return odds.of_coups(table, eight()) | odds.of_sequences(rules_, table.settings.game, results(eight(), TOTAL))


def close(value: Fraction, figure: float, digits: int) -> bool:
    return abs(value - Fraction(str(figure))) <= Fraction(1, 2 * 10**digits)


def test_weights_sum_to_every_draw_of_six_cards() -> None:
    assert sum(weight for _, weight in eight()) == TOTAL
    assert sum(weight for _, weight in Enumeration(3, DRAW).facts()) == perm(156, 6)


def test_published_figures_of_the_main_bets() -> None:
    coup = results(eight(), TOTAL)
    assert close(coup["B"], 0.458597, 6)
    assert close(coup["P"], 0.446247, 6)
    assert close(coup["T"], 0.095156, 6)
    star = figures("star-baccarat")
    assert close(star["banker"].house_edge, 0.010579, 6)
    assert close(star["player"].house_edge, 0.012351, 6)
    assert close(star["tie"].house_edge, 0.143596, 6)


@pytest.mark.parametrize(
    ("book", "chosen", "wager", "percent"),
    [
        ("nz-baccarat", {}, "dragon_7", 7.61),
        ("nz-baccarat", {}, "panda_8", 10.19),
        ("nz-baccarat", {"game": "ez"}, "banker", 1.02),
        ("nz-baccarat", {}, "dragon_bonus_player", 2.65),
        ("nz-baccarat", {}, "dragon_bonus_banker", 9.37),
        ("nz-baccarat", {"tie_odds": "9"}, "tie", 4.84),
        ("nz-baccarat", {}, "lucky_6", 16.68),
        ("nz-baccarat", {"super6_scale": "a"}, "super_6", 29.98),
        ("star-baccarat", {}, "pair_player", 10.36),
        ("star-baccarat", {"game": "even_money"}, "banker", 1.46),
    ],
)
def test_published_edges_of_eight_decks(book: str, chosen: dict[str, str], wager: str, percent: float) -> None:
    assert close(figures(book, **chosen)[wager].house_edge * 100, percent, 2)


def brute_force(cards: list[str]) -> tuple[Counter[Facts], int]:
    """Every order of six cards of a tiny stack, played one by one by the gateway's rules."""
    found: Counter[Facts] = Counter()
    total = 0
    for stock in permutations(cards, 6):
        coup = rules.play(stock)
        found[facts.coup_facts(coup.player, coup.banker)] += 1
        total += 1
    return found, total


def test_settle_agrees_with_odds_on_a_small_shoe() -> None:
    cards = ["AS", "AS", "4H", "4D", "KC", "KS", "7H", "2D", "6C"]
    counted, total = brute_force(cards)
    table = Table(rulebooks.load("nz-baccarat"), Settings.of(rulebooks.load("nz-baccarat"), {}))
    exact = odds.of_coups(table, counted.items())
    settled = [(table.settle(coup), orders) for coup, orders in counted.items()]
    for name in table.wagers:
        offered = [(nets[name], orders) for nets, orders in settled if nets[name].result != "not_offered"]
        count = sum(orders for _, orders in offered)
        assert exact[name].available == Fraction(count, total)
        assert -exact[name].house_edge == sum(net.odds * orders for net, orders in offered) / count
        assert exact[name].push == Fraction(sum(orders for net, orders in offered if net.result == "push"), count)


def test_the_enumeration_of_one_deck_agrees_with_cards_dealt_one_by_one() -> None:
    """Exact against a sample of real cards with suits: every kind of fact within five standard errors."""
    rng = np.random.default_rng(5)
    exact = dict(Enumeration(1, DRAW).facts())
    total, draws = perm(52, 6), 200_000
    seen: Counter[Facts] = Counter()
    for _ in range(draws):
        coup = rules.play([DECK[card] for card in rng.choice(52, 6, replace=False)])
        seen[facts.coup_facts(coup.player, coup.banker)] += 1
    assert set(seen) <= set(exact)
    for pick in (
        lambda f: f.player.pair,
        lambda f: (f.banker.pair, f.twin),
        lambda f: (f.player.points, f.banker.cards),
    ):
        wanted: Counter[object] = Counter()
        got: Counter[object] = Counter()
        for coup_facts, weight in exact.items():
            wanted[pick(coup_facts)] += weight
        for coup_facts, count in seen.items():
            got[pick(coup_facts)] += count
        for kind, weight in wanted.items():
            share = weight / total
            assert abs(got[kind] - draws * share) < 5 * (draws * share * (1 - share)) ** 0.5 + 1


def test_pairs_by_hand() -> None:
    """Eight decks: of 415 cards left 31 have the same rank, 7 the same suit too, 8 the other suit of its colour."""
    nz = figures("nz-baccarat")
    assert nz["perfect_pair_player"].outcomes == {
        "mixed": Fraction(16, 415), "coloured": Fraction(8, 415), "perfect": Fraction(7, 415)
    }  # fmt: skip
    assert nz["any_pair_banker"].outcomes == {"win": Fraction(31, 415)}
    twin = Fraction(31, 415) * Fraction(30 * 29, 414 * 413)
    assert figures("star-baccarat")["tiger_pair"].outcomes["twin"] == twin


def test_lucky_triple_match_by_hand() -> None:
    """A suited pair that draws, and the third alike: the Player's hand of 0 to 5 against no natural."""
    nz = figures("nz-baccarat")
    player, banker = nz["lucky_match_player"].outcomes, nz["lucky_match_banker"].outcomes
    assert Fraction(0) < player["lucky_triple_match"] < Fraction(7 * 6, 415 * 414)
    assert player["lucky_match"] + player["lucky_triple_match"] == Fraction(7, 415)
    assert banker["lucky_match"] + banker["lucky_triple_match"] == Fraction(7, 415)


def triples_of_one_rank(decks: int) -> Fraction:
    """Player's Lucky Triple Match by another way: sum over his pair, then over the Banker's two cards by value."""
    total = Fraction(0)
    for rank in "A23456789TJQK":
        value = 0 if rank in "TJQK" else 1 if rank == "A" else int(rank)
        if value * 2 % 10 > 5:
            continue
        pair = Fraction(4 * decks * (decks - 1), perm(52 * decks, 2))
        counts: dict[tuple[int, bool], int] = {(v, False): (16 if v == 0 else 4) * decks for v in range(10)}
        counts[value, False] -= decks
        counts[value, True] = decks - 2
        for (one, alike), n in counts.items():
            for (two, other), m in counts.items():
                if (one + two) % 10 < 8:
                    ways = n * (m - ((one, alike) == (two, other)))
                    left = decks - 2 - alike - other
                    total += pair * Fraction(ways * left, perm(52 * decks - 2, 3))
    return total


@pytest.mark.parametrize("decks", [4, 8])
def test_lucky_triple_match_another_way(decks: int) -> None:
    book = rulebooks.load("nz-baccarat")
    table = Table(book, Settings.of(book, {}))
    found = odds.of_coups(table, Enumeration(decks, DRAW).facts())["lucky_match_player"]
    assert found.outcomes["lucky_triple_match"] == triples_of_one_rank(decks)


def test_conditional_wagers_say_how_often_they_open() -> None:
    crown = figures("crown-baccarat", game="crown")["insurance_no_6"]
    assert Fraction(0) < crown.available < Fraction(1, 10)
    assert sum(crown.outcomes.values()) < 1


def test_runs_and_tails_are_powers_of_one_coup() -> None:
    crown, coup = figures("crown-baccarat"), results(eight(), TOTAL)
    assert crown["run_banker_3"].outcomes == {"run": coup["B"] ** 3}
    assert crown["run_banker_3"].house_edge == 1 - 9 * coup["B"] ** 3
    assert crown["run_tie_4"].house_edge == 1 - 10_001 * coup["T"] ** 4
    early = crown["dragon_tail_player_early"]
    assert early.outcomes["consecutive_2"] == coup["P"] ** 2 * (1 - coup["P"])
    assert early.outcomes["consecutive_6"] == coup["P"] ** 6
    assert crown["dragon_tail_player_late"].available == coup["P"]
    assert "independent" in early.note


def test_tails_settle_as_often_as_their_odds_say() -> None:
    """Every sequence of eight results, weighed: the settlement code against the formula."""
    from itertools import product

    from sabot_protocol.wagers import sequences

    book, side = rulebooks.load("crown-baccarat"), Fraction(2, 5)
    chances = {"P": side, "B": 1 - side}
    exact = odds.of_sequences(book, "crown", {"P": side, "B": 1 - side, "T": Fraction(0)})
    for name in ("dragon_tail_player_early", "dragon_tail_player_late"):
        net = Fraction(0)
        for rest in product("PB", repeat=8):
            late = name.endswith("late")
            weight = Fraction(1)
            for result in rest:
                weight *= chances[result]
            settled = sequences.find(book, "crown", name).settle(["P", *rest] if late else rest)
            assert settled.result in {"win", "lose"}
            net += weight * settled.odds
        assert -net == exact[name].house_edge


def test_three_card_figures() -> None:
    book = rulebooks.load("crown-baccarat")
    found = odds.of_three_card(Table(book, Settings.of(book, {"game": "three_card"})))
    assert found["three_pictures"].outcomes["three_pictures"] == Fraction(12 * 11 * 10, 52 * 51 * 50)
    two = Fraction(3 * 12 * 11 * 40, 52 * 51 * 50)
    assert found["three_pictures"].outcomes["two_pictures"] == two
    assert found["three_card"].push == found["tie"].outcomes["win"]
    win = sum(found["three_card"].outcomes.values())
    assert 2 * win + found["three_card"].push == 1  # both hands are dealt alike


def test_roulette_edge_is_one_in_thirty_seven_everywhere() -> None:
    prices = rulebooks.load("star-rapid").roulette
    assert prices is not None
    assert {one.house_edge for one in odds.of_roulette(prices).values()} == {Fraction(1, 37)}


def test_every_value_sequence_is_played_as_the_rules_play_it() -> None:
    table = CoupTable.of(DRAW)
    cards = {value: f"{'TA23456789'[value]}S" for value in range(10)}
    digits = [[int(digit) for digit in f"{number:06d}"] for number in range(0, 10**6, 997)]
    codes = coup_codes(np.array(digits, dtype=np.uint8).ravel())[::6]
    for values, code in zip(digits, codes, strict=True):
        coup, fact = rules.play([cards[value] for value in values]), table.facts[table.fact_id[code]]
        two_player, two_banker, p_draws, b_draws, player, banker = fact
        assert table.consumed[code] == len(coup.slots)
        assert (player, banker) == (coup.player_points, coup.banker_points)
        assert (p_draws, b_draws) == (len(coup.player) - 2, len(coup.banker) - 2)
        assert (two_player, two_banker) == (rules.points(coup.player[:2]), rules.points(coup.banker[:2]))


def simulated(coups: int = 200_000, **settings: object) -> Simulation:
    options: dict[str, object] = {"burn": 1, "pairs": True, **settings}
    made = Simulation(8, CoupTable.of(DRAW), np.random.default_rng(3), **options)  # type: ignore[arg-type]
    made.run(coups)
    return made


def test_simulated_shoes_agree_with_the_exact_odds() -> None:
    made = simulated()
    book = rulebooks.load("crown-baccarat")
    table = Table(book, Settings.of(book, {"game": "crown"}))
    seen, exact = odds.of_coups(table, made.facts()), odds.of_coups(table, eight())
    assert sum(weight for _, weight in made.facts()) == made.coups >= 200_000
    for name, one in seen.items():
        error = (float(exact[name].variance()) / (made.coups * float(one.available))) ** 0.5
        assert abs(float(one.house_edge - exact[name].house_edge)) < 5 * error, name


def test_a_simulated_shoe_is_dealt_as_the_book_says() -> None:
    """One seed, dealt by hand card by card: burn one, last coup by the cutting card twenty from the back."""
    for first_is_last in (True, False):
        made = Simulation(8, CoupTable.of(DRAW), np.random.default_rng(11), cut_first_card_is_last_coup=first_is_last)
        shoes = 60
        made._batch(shoes)
        wanted = sum(coups_by_hand([DECK[card] for card in stack], first_is_last) for stack in made._cards[:shoes])
        assert (made.shoes, made.coups) == (shoes, wanted)


def coups_by_hand(cards: list[str], first_is_last: bool) -> int:
    """Coups of a shoe whose cutting card stands before card 396."""
    at, coups, left = 1, 0, None
    while left != 0:
        taken = len(rules.play(cards[at:]).slots)
        if left is not None:
            left -= 1
        elif at == 396:
            left = 0 if first_is_last else 1
        elif at + taken > 396:
            left = 1
        coups, at = coups + 1, at + taken
    return coups


@pytest.mark.parametrize("decks", [1, 8])
def test_a_shuffled_shoe_has_every_card_of_its_decks_and_every_card_everywhere_equally_often(decks: int) -> None:
    """Chi-square over cards and places; its square root is nearly normal, and 5 standard deviations are allowed."""
    made, shoes, batches = Simulation(decks, CoupTable.of(DRAW), np.random.default_rng(5)), 2048, 10
    seen = np.zeros((52 * decks, 52))
    for _ in range(batches):
        made._batch(shoes)
        assert (np.sort(made._cards, axis=1) == np.repeat(np.arange(52), decks)).all()
        for place, column in enumerate(made._cards.T):
            seen[place] += np.bincount(column, minlength=52)
    expected = shoes * batches / 52
    chi_square, freedom = ((seen - expected) ** 2 / expected).sum(), (52 * decks - 1) * 51
    assert abs((2 * chi_square) ** 0.5 - (2 * freedom - 1) ** 0.5) < 5


class SameNumbers(np.random.PCG64):
    """Gives the first shoe the same number for every card, once; then it is random."""

    asked = 0

    def random_raw(self, *size: Any) -> Any:  # type: ignore[override]
        """Return random numbers, or half of them ones the first time."""
        self.asked += 1
        numbers = np.asarray(super().random_raw(*size))
        return np.where(np.arange(numbers.size) < numbers.size // 2, 1, numbers) if self.asked == 1 else numbers


def test_a_shoe_in_which_cards_draw_the_same_number_is_shuffled_again() -> None:
    made = Simulation(8, CoupTable.of(DRAW), np.random.Generator(SameNumbers(1)))
    made._batch(2)
    first = made._cards[0]
    assert sorted(first) == sorted(made._cards[1]) == sorted(list(range(52)) * 8)
    assert (np.diff(first.astype(int)) < 0).any()


def test_a_seed_deals_the_same_shoes_again() -> None:
    one, again, other = (
        Simulation(8, CoupTable.of(DRAW), np.random.Generator(np.random.SFC64(seed)), pairs=False) for seed in (7, 7, 8)
    )
    for made in (one, again, other):
        made.run(50_000)
    assert one.facts() == again.facts() != other.facts()


@pytest.mark.parametrize("name", sorted(BETS))
def test_a_bet_looks_at_points_or_at_pairs_as_its_list_says(name: str) -> None:
    """Change what it must not look at: the outcome stays."""
    rng = random.Random(name)
    every = rng.sample(eight(), 3000)
    for (coup, _), (other, _) in pairwise(every):
        points, pairs = (other, coup) if name in BY_PAIRS else (coup, other)
        player, banker = Hand(*points.player[:3], *pairs.player[3:]), Hand(*points.banker[:3], *pairs.banker[3:])
        mixed = Facts(player, banker, pairs.twin)
        for side in ("player", "banker"):
            assert BETS[name](mixed, side) == BETS[name](coup, side)


def test_without_pairs_the_points_are_the_same() -> None:
    made = simulated(pairs=False, coups=10_000_000)
    book = rulebooks.load("star-baccarat")
    table = Table(book, Settings.of(book, {}))
    table.wagers = {name: table.wagers[name] for name in ("player", "banker", "tie")}
    seen, exact = odds.of_coups(table, made.facts()), odds.of_coups(table, eight())
    for name, one in seen.items():
        error = (float(exact[name].variance()) / made.coups) ** 0.5
        assert abs(float(one.house_edge - exact[name].house_edge)) < 5 * error, name


def test_decimals_are_exact() -> None:
    assert decimal(Fraction(1, 3), 5) == "0.33333"
    assert decimal(Fraction(-1, 8), 2) == "-0.12"
    assert decimal(Fraction(2, 3)) == "0.666666666666667"
    assert decimal(Fraction(0)) == "0.000000000000000"


def test_draw_tables_are_arrays_of_the_printed_tables() -> None:
    assert isinstance(DRAW, DrawTables)
    assert DRAW.player.tolist() == [True] * 6 + [False] * 4
    assert DRAW.banker[3].tolist() == [True] * 8 + [False, True, True]

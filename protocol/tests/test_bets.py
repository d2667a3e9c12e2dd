"""Coups and what each wager makes of them, typed from the clauses: wins, losses, stand-offs and edge cases."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sabot_protocol import rulebooks
from sabot_protocol.cards import DECK
from sabot_protocol.wagers import facts
from sabot_protocol.wagers.bets import BETS
from sabot_protocol.wagers.table import Settings, Table

STAR = "star-baccarat game=baccarat"
EVEN = "star-baccarat game=even_money"
PREMIUM_EVEN = "star-premium game=premium_even_money"
TIE_PREMIUM = "star-premium game=tie_premium tie_percent=7"
NZ = "nz-baccarat game=standard"
CROWN = "crown-baccarat game=crown"
TRADITIONAL = "crown-baccarat game=traditional"
RAPID = "star-rapid game=baccarat"

# table | Player | Banker | wager and what it nets; "n" is not offered, "p" before a figure a stand-off that pays it.
COUPS = f"""
{STAR} | 9S KD | 8H TC | player 1, banker -1, tie -1, super_six -1, pair_player -1, pair_banker -1
{STAR} | 8S TD | 9H KC | player -1, banker 19/20
{STAR} | 6S KD | 2H 4C | player 0, banker 0, tie 8, tiger_tie 45, super_six -1, tiger -1
{STAR} | KS 5D TH | QH 5C TC | tie 8, tiger_tie -1, player 0
{STAR} | 5S KD 6C | 2S KC 8D | player 1, banker -1, tie -1
{STAR} | KS KD 2H | 7H JC | pair_player 11, pair_banker -1, tiger_pair 4, banker 19/20, tiger -1
{STAR} | TS KD 2H | 7H JC | pair_player -1, tiger_pair -1
{STAR} | JS QD 2H | 7H 7C | pair_player -1, pair_banker 11, tiger_pair 4
{STAR} | KS KD 9C | QH QC 3S | pair_player 11, pair_banker 11, tiger_pair 25, player 1
{STAR} | KS KD 9C | KH KC 3S | tiger_pair 100
{STAR} | 4S KD 9C | 6H KC | banker 19/20, super_six 15, tiger 12, small_tiger 22, big_tiger -1
{STAR} | 5S KD KC | 2H KC 4D | banker 19/20, super_six 15, tiger 22, small_tiger -1, big_tiger 55
{STAR} | 7S KD | 6H KC | player 1, super_six -1, tiger -1, small_tiger -1
{EVEN} | 4S KD 9C | 6H KC | player -1, banker 1/2, super_six 15
{EVEN} | 5S KD KC | 2H KC 4D | banker 1/2, big_tiger 55
{EVEN} | 5S KD KC | 7H KC | banker 1, tie -1
{EVEN} | 6S KD | 6H KC | banker 0, player 0, tie 8
{EVEN} | 9S KD | 6H KC | banker -1, player 1
{PREMIUM_EVEN} | 4S KD 9C | 6H KC | banker 1/2, super_six 15, tiger 12
{PREMIUM_EVEN} | 5S KD KC | 7H KC | banker 1
{PREMIUM_EVEN} | 9S KD | 6H KC | player 1, banker -1, pair_player -1
star-premium game=premium | 5S KD KC | 7H KC | banker 19/20, player -1, tie -1, tiger_tie -1, big_tiger -1
star-premium game=premium | KS KD 9C | KH KC 3S | tiger_pair 100, pair_player 11, player 1
star-premium game=premium | 4S KD 9C | 6H 6C 4D | pair_banker 11, super_six 15, tiger 22, small_tiger -1
star-premium game=premium | 4S KD 9C | 6H KC | pair_banker -1, small_tiger 22, tiger 12, tiger_pair -1
star-premium game=premium | 4S KD 9C | 7H KC | super_six -1, tiger -1
star-premium game=premium | 6S KD | 6H KC | player 0, banker 0, tie 8, tiger_tie 45, small_tiger -1
{TIE_PREMIUM} | 6S KD | 6H KC | player p7/100, banker p7/100, tie 8
{TIE_PREMIUM} | 5S KD KC | 7H KC | player -1, banker 19/20, tie -1
{TIE_PREMIUM} | 5S KD KC | 2H KC 4D | super_six 15, big_tiger 55, tiger 22
{NZ} | 9S KD | 8H TC | player 1, banker -1, tie -1, dragon_bonus_player 1, dragon_bonus_banker -1
{NZ} | 9S KD | 9H TC | tie 8, player 0, dragon_bonus_player 0, dragon_bonus_banker 0
{NZ} | 7S KD | 7H TC | dragon_bonus_player -1, dragon_bonus_banker -1, tie 8
{NZ} | KS AD 8H | 3H 2C TD | player 1, dragon_bonus_player 1, dragon_7 -1, panda_8 -1
{NZ} | KS AD 8H | KH 4C | dragon_bonus_player 2
{NZ} | KS AD 8H | AH KC 2D | dragon_bonus_player 4
{NZ} | KS AD 8H | AH KC AD | dragon_bonus_player 6
{NZ} | KS AD 8H | AH KC KD | dragon_bonus_player 10
{NZ} | KS AD 8H | QH KC KD | dragon_bonus_player 30, dragon_bonus_banker -1
{NZ} | 6S KD | AH KC 8D | dragon_bonus_banker -1, banker 19/20
{NZ} | KS KD KC | 7H KC | dragon_bonus_banker 6
{NZ} | KS KD KC | 7H KC | any_pair_player 11, any_pair_banker -1, perfect_pair_player 5, lucky_match_player 5
{NZ} | KS KC KD | 7H 7D | perfect_pair_player 10, perfect_pair_banker 10, lucky_match_player 10, lucky_match_banker 10
{NZ} | KS KS KD | 7H 7H | perfect_pair_player 30, perfect_pair_banker 30, lucky_match_player 25, lucky_match_banker 25
{NZ} | KS KS KS | 7H 7C | lucky_match_player 100, perfect_pair_player 30
{NZ} | KS KC KS | 7H 7C | lucky_match_player 10
{NZ} | 2S KC KS | 7H KD | lucky_match_player -1, perfect_pair_player -1, any_pair_player -1, any_pair_banker -1
{NZ} | 2S KC KS | 7H KD | lucky_match_banker -1, perfect_pair_banker -1
{NZ} | KS KD KC | 7H 7C | any_pair_banker 11
{NZ} | 6S KC | AH AH AH | lucky_match_banker 100, perfect_pair_banker 30
{NZ} | 5S KD KC | AH KC 6D | dragon_7 40, banker 19/20, panda_8 -1
{NZ} | 6S KD | 7H KC | dragon_7 -1
{NZ} | 7S KD | 2S KC 5D | dragon_7 -1, tie 8
{NZ} | 3S KD 5C | 4H KC 2D | panda_8 25, player 1
{NZ} | 8S KD | 4H KC | panda_8 -1
{NZ} | 3S KD 5C | 6H KC 2D | panda_8 -1, tie 8
{NZ} | 4S KD 9C | 6H KC | lucky_6 12, tiger 12, super_6 12, small_tiger 22, big_tiger -1
{NZ} | 5S KD KC | 2H KC 4D | lucky_6 20, tiger 20, super_6 12, big_tiger 50, small_tiger -1
{NZ} | 6S KD | 6H KC | tiger_tie 35, lucky_6 -1, super_6 -1, tiger -1
{NZ} | KS KD 9C | QH QC 3S | tiger_pair 20
{NZ} | KS KD 9C | KH KC 3S | tiger_pair 100
{NZ} | KS KD 9C | KH QC 3S | tiger_pair 4
{NZ} | KS 2D 9C | KH QC 3S | tiger_pair -1, tiger_tie -1
nz-baccarat game=banker6_half | 4S KD 9C | 6H KC | banker 1/2, player -1
nz-baccarat game=banker6_half | 6S KD | 7H KC | banker 1
nz-baccarat game=banker6_half | 7S KD | 7H KC | banker 0, player 0
nz-baccarat game=two_to_one | KS AD 8H | 3H 2C TD | player 2, banker -1
nz-baccarat game=two_to_one | KS AD 7H | 3H 2C TD | player 2
nz-baccarat game=two_to_one | 8S KD | 3H 2C | player 1
nz-baccarat game=two_to_one | KS AD 6H | 3H 2C TD | player 1
nz-baccarat game=two_to_one | 6S KD | 3H 2C 4D | banker 2, player -1
nz-baccarat game=two_to_one | 6S KD | 7H KC | banker 1
nz-baccarat game=two_to_one | 6S KD | 6H KC | player -1, banker -1, tie 8
nz-baccarat game=two_to_one | 4S KD 9C | 6H KC | banker 1
nz-baccarat game=two_to_one_b6 | 4S KD 9C | 6H KC | banker 1/2
nz-baccarat game=two_to_one_b6 | 6S KD | 3H 2C 4D | banker 2
nz-baccarat game=two_to_one_b6 | 6S KD | 6H KC | banker -1, player -1
nz-baccarat game=two_to_one_b6 | 6S KD | 7H KC | banker 1, player -1
nz-baccarat game=two_to_one_b6 | KS 6D | 4H KC KD | player 1
nz-baccarat game=ez | 5S KD KC | AH KC 6D | banker 0, player -1, dragon_7 40
nz-baccarat game=ez | 6S KD | 7H KC | banker 1
nz-baccarat game=ez | 7S KD | 7H KC | banker 0, player 0, tie 8
nz-baccarat game=ez | 9S KD | 7H KC | banker -1, player 1
{NZ} | 9S KD | 7H KC | insurance1_banker 2, insurance1_player -1
{NZ} | 8S KD | 7H KC | insurance1_banker 2
{NZ} | 4S KD 4H | 7H KC | insurance1_banker -1
{NZ} | 4S KD 3H | 7H KC | insurance1_banker 0
{NZ} | 6S KD | 7H KC | insurance1_banker -1, insurance1_player n
{NZ} | 9S KD | 8H KC | insurance1_banker 7, insurance1_player -1
{NZ} | 8S KD | 8H KC | insurance1_banker 0, insurance1_player 0
{NZ} | 9S KD | 9H KC | insurance1_banker 8, insurance1_player 8
{NZ} | 8S KD | 9H KC | insurance1_banker -1, insurance1_player 7
{NZ} | 7S KD | 9H KC | insurance1_player 2
{NZ} | 7S KD | 4H KC 3D | insurance1_player 0, insurance1_banker n
{NZ} | 7S KD | 4H KC 4D | insurance1_player -1
{NZ} | 3S KD 3C | 4H KC KS | insurance2_banker 3/2, insurance2_player n
{NZ} | 4S KD 4C | 5H KC KS | insurance2_banker 2
{NZ} | 5S KD 3C | 6H KC | insurance2_banker 3
{NZ} | 5S KD 3C | 7H KC | insurance2_banker 4
{NZ} | 5S KD 2C | 7H KC | insurance2_banker 0
{NZ} | 5S KD AC | 7H KC | insurance2_banker -1
{NZ} | 2S KD 3C | 3H KC KS | insurance2_banker -1
{NZ} | 6S KD | 7H KC | insurance2_banker n, insurance2_player n
{NZ} | 8S KD | 7H KC | insurance2_player n
{NZ} | 4S KD KC | 4H KC KS | insurance2_banker n, insurance2_player n
{NZ} | 5S KD AC | 4H KC 4S | insurance2_player 2
{NZ} | 5S KD 9C | 3H KC 5S | insurance2_player -1
{NZ} | 6S KD | 3H KC 5S | insurance2_player 3
{NZ} | 7S KD | 3H KC 5S | insurance2_player 4
{NZ} | 7S KD | 3H KC 4S | insurance2_player 0
{NZ} | 7S KD | 3H KC 2S | insurance2_player -1
{NZ} | 4S KD KC | 3H KC 5S | insurance2_player -1
{NZ} | AS KD 3C | 2H KC 3S | insurance3_player 1, insurance3_banker -1
{NZ} | AS KD 4C | 2H KC 4S | insurance3_player 2
{NZ} | AS KD 5C | 2H KC 5S | insurance3_player 3
{NZ} | AS KD 6C | 2H KC 6S | insurance3_player 4
{NZ} | AS KD 7C | 2H KC 7S | insurance3_player 7, insurance3_banker -1
{NZ} | AS KD 8C | 2H KC 7S | insurance3_player 8, insurance3_banker 8
{NZ} | AS KD 7C | 2H KC 6S | insurance3_player 0, insurance3_banker 0
{NZ} | AS KD 2C | 2H KC 3S | insurance3_player -1
{NZ} | AS KD KC | 2H KC 3S | insurance3_player n
{NZ} | AS KD 8C | 2H KC 2S | insurance3_banker 1
{NZ} | AS KD 8C | 2H KC 3S | insurance3_banker 2
{NZ} | AS KD 8C | 2H KC 4S | insurance3_banker 3
{NZ} | AS KD 8C | 2H KC 5S | insurance3_banker 4
{NZ} | AS KD 8C | 2H KC 6S | insurance3_banker 7
{NZ} | AS KD 8C | 2H KC 9S | insurance3_banker n
{NZ} | 6S KD | 2H KC 5S | insurance3_player n, insurance3_banker n
{TRADITIONAL} | 6S KD | 4H KC 5S | shield_player 5/2, shield_banker n, banker 19/20, player -1
{TRADITIONAL} | 7S KD | 5H KC 3S | shield_player 9/2
{TRADITIONAL} | 7S KD | 5H KC 2S | shield_player 0
{TRADITIONAL} | 7S KD | 5H KC AS | shield_player -1, player 1
{TRADITIONAL} | 7S KD | 6H KC | shield_player n, shield_banker n
{TRADITIONAL} | 5S KD 2C | 6H KC KD | shield_banker 5/2, shield_player n
{TRADITIONAL} | 5S KD 3C | 7H KC | shield_banker 9/2
{TRADITIONAL} | 5S KD 2C | 7H KC | shield_banker 0
{TRADITIONAL} | 5S KD AC | 7H KC | shield_banker -1
{TRADITIONAL} | 8S KD | 5H KC | shield_player n
{CROWN} | 5S KD 8C | 6H KC | insurance_no_6 -1, banker 1/2
{CROWN} | 5S KD 6C | 6H KC 6D | insurance_no_6 2
{CROWN} | 5S KD AC | 6H KC | insurance_no_6 2, tie 8
{CROWN} | 5S KD 7C | 6H KC AD | insurance_no_6 2, banker 1
{CROWN} | 5S KD 7C | 6H KC KD | insurance_no_6 -1
{CROWN} | 6S KD | 6H KC | insurance_no_6 n
{CROWN} | 5S KD 4C | 6H KC | insurance_no_6 2, player 1, banker -1
{CROWN} | 5S KD KC | 7H KC | banker 1, player -1, insurance_no_6 n
{CROWN} | 6S KD | 6H KC | player 0, banker 0, tiger_tie 45, dt_tiger_tie 40, super_6 -1
{CROWN} | 7S KD | 6H KC | dragon_tiger 30, small_dragon 15, big_dragon -1
{CROWN} | 3S KD 4C | 6H KC | dragon_tiger 40, big_dragon 30, small_dragon -1
{CROWN} | 7S KD | 4H KC 2D | dragon_tiger 40, small_dragon 15
{CROWN} | AS KD 6C | 2H KC 4D | dragon_tiger 100, big_dragon 30
{CROWN} | 7S KD | 4H KC AD | dragon_tiger -1, small_dragon 15
{CROWN} | 8S KD | 6H KC | dragon_tiger -1, small_dragon -1, big_dragon -1
{CROWN} | 7S KD | 7H KC | small_dragon -1, big_dragon -1, dragon_tiger -1, tie 8
{CROWN} | 4S KD 9C | 6H KC | super_6 15, tiger 12, small_tiger 22, dt_small_tiger 22, big_tiger -1, dt_big_tiger -1
{CROWN} | 5S KD KC | 2H KC 4D | tiger 22, big_tiger 55, dt_big_tiger 50, small_tiger -1, dt_small_tiger -1
{CROWN} | 9S KD | 2H KC | tiger -1, tiger_tie -1, dt_tiger_tie -1, tiger_pair -1, player 1
{CROWN} | KS KD 2C | 7H KC | crown_pair_player 6, crown_pair_banker -1, pair_player 11, pair_banker -1, tiger_pair 4
{CROWN} | KS KC 2C | 7H 7D | crown_pair_player 12, crown_pair_banker 12, tiger_pair 25, pair_banker 11
{CROWN} | KS KS 2C | KD KD 9S | crown_pair_player 25, crown_pair_banker 25, tiger_pair 100
{CROWN} | TS KS 2C | 7H JD | crown_pair_player -1, pair_player -1
{CROWN} | 8S KD | 8H KC | dragon_bonus_player 0, dragon_bonus_banker 0
{CROWN} | 9S KD | 8H KC | dragon_bonus_player 1, dragon_bonus_banker -1
{CROWN} | KS KD KC | 7H KC | dragon_bonus_banker 6
{CROWN} | KS KD KC | 3H KC AS | dragon_bonus_banker 1, dragon_bonus_player -1
{CROWN} | 6S KD | 6H KC | dragon_bonus_banker -1, dragon_bonus_player -1
{CROWN} | KS KD 2C | 7H KC | one_one_two_pair 2, one_one_two_crown_pair 3/4, one_one_two_dragon_bonus -1/4
{CROWN} | 6S KD | 6H KC | one_one_two_pair 7/2, one_one_two_crown_pair 7/2, one_one_two_dragon_bonus 7/2
{CROWN} | 9S KD | 9H KC | one_one_two_dragon_bonus 4
{CROWN} | 3S 3D | 3H 3C | one_one_two_pair 19/2, one_one_two_crown_pair 7
{CROWN} | 2S KD 3C | 4H KC | one_one_two_pair -1, one_one_two_dragon_bonus -1, one_one_two_crown_pair -1
{CROWN} | 9S KD | 5H KC | one_one_two_dragon_bonus -1/2
crown-baccarat game=two_to_one | KS AD 8H | 3H 2C TD | player 2, banker -1
crown-baccarat game=two_to_one | 9S KD | 3H 2C | player 1
crown-baccarat game=two_to_one | 6S KD | 3H 2C 4D | banker 2, player -1
crown-baccarat game=two_to_one | 6S KD | 7H KC | banker 1
crown-baccarat game=two_to_one | 6S KD | 6H KC | player -1, banker -1, tie 8
crown-baccarat game=tie tie_percent_player=3 tie_percent_banker=9 | 6S KD | 6H KC | player p3/100, banker p9/100, tie 8
crown-baccarat game=tie | 6S KD | 7H KC | banker 19/20, player -1, tie -1
crown-baccarat game=tie | 9S KD | 7H KC | player 1, banker -1
crown-baccarat game=lucky_chase | 9S KD | 7H KC | player 1, banker -1
crown-baccarat game=lucky_chase | 6S KD | 7H KC | player -1, banker 1
crown-baccarat game=lucky_chase | 6S KD | 6H KC | player 0, banker 0
crown-baccarat game=zero_commission | 6S KD | 7H KC | banker 1, player -1
crown-baccarat game=zero_commission | 6S KD | 6H KC | banker 0, player 0, tie 8
crown-baccarat game=zero_commission | 4S KD 9C | 6H KC | banker 1
{RAPID} | 9S KD | 8H TC | player 1, banker -1, tie -1, dragon_bonus_player 1, dragon_bonus_banker -1
{RAPID} | 5S KD KC | 7H KC | banker 19/20, pair_player -1, pair_banker -1
{RAPID} | KS KD KC | 7H KC | dragon_bonus_banker 6, dragon_bonus_player -1, pair_player 11, player -1
{RAPID} | 9S KD | 9H TC | tie 8, dragon_bonus_player 0, dragon_bonus_banker 0, player 0, banker 0
{RAPID} | KS AD 8H | QH QC KD | dragon_bonus_player 30, pair_banker 11
star-rapid game=even_money | 4S KD 9C | 6H KC | banker 1/2, player -1
star-rapid game=even_money | 5S KD KC | 7H KC | banker 1
star-rapid game=even_money | 9S KD | 7H KC | banker -1, player 1
star-rapid game=even_money | 7S KD | 7H KC | banker 0, player 0, tie 8
"""


def table(text: str) -> Table:
    book, *chosen = text.split()
    rules = rulebooks.load(book)
    return Table(rules, Settings.of(rules, dict(pair.split("=") for pair in chosen)))


def rows() -> list[tuple[str, list[str], list[str], dict[str, str]]]:
    found = []
    for line in COUPS.strip().splitlines():
        where, player, banker, nets = (part.strip() for part in line.split("|"))
        wagers = dict(net.strip().split() for net in nets.split(","))
        found.append((where, player.split(), banker.split(), wagers))
    return found


def expected(text: str) -> tuple[str, Fraction]:
    if text == "n":
        return "not_offered", Fraction(0)
    if text.startswith("p"):
        return "push", Fraction(text[1:])
    odds = Fraction(text)
    return ("win" if odds > 0 else "lose" if odds < 0 else "push"), odds


@pytest.mark.parametrize(
    ("where", "player", "banker", "nets"),
    rows(),
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_a_coup(where: str, player: list[str], banker: list[str], nets: dict[str, str]) -> None:
    at = table(where)
    settled = at.settle(facts.coup_facts(player, banker))
    assert {name: settled[name][:2] for name in nets} == {name: expected(text) for name, text in nets.items()}


def test_every_wager_of_every_book_wins_and_loses_above() -> None:
    seen: dict[tuple[str, str], set[str]] = {}
    for where, _, _, nets in rows():
        for name, text in nets.items():
            seen.setdefault((where.split()[0], name), set()).add(expected(text)[0])
    for book in rulebooks.ids():
        wagers = [wager for entry in rulebooks.load(book).wager for wager in entry.expanded()]
        for wager in wagers:
            if wager.games != ("three_card",):
                wanted = {"win", "lose"} | ({"push"} if wager.push else set())
                assert wanted <= seen.get((book, wager.id), set()), (book, wager.id)


CARDS = st.sampled_from(DECK)
HANDS = st.lists(CARDS, min_size=2, max_size=3)
TABLES = [table(f"{book} game={game}") for book in rulebooks.ids() for game in rulebooks.load(book).game]


@given(HANDS, HANDS)
def test_every_wager_has_exactly_one_result_with_odds_that_fit_it(player: list[str], banker: list[str]) -> None:
    for at in TABLES:
        if at.three_card:
            continue
        for settled in at.settle(facts.coup_facts(player, banker)).values():
            result, odds = settled.result, settled.odds
            assert result in {"win", "lose", "push", "not_offered"}
            assert (
                (odds > 0)
                if result == "win"
                else (-1 <= odds < 0)
                if result == "lose"
                else (0 <= odds < Fraction(1, 2))
            )


@given(HANDS, HANDS)
def test_the_first_two_cards_of_a_hand_may_change_places(player: list[str], banker: list[str]) -> None:
    swapped = facts.coup_facts([player[1], player[0], *player[2:]], [banker[1], banker[0], *banker[2:]])
    assert swapped == facts.coup_facts(player, banker)


@given(HANDS, HANDS)
def test_suits_matter_only_through_pairs_and_triples(player: list[str], banker: list[str]) -> None:
    turn = str.maketrans("CDHS", "SHDC")
    mirrored = facts.coup_facts([card.translate(turn) for card in player], [card.translate(turn) for card in banker])
    assert mirrored == facts.coup_facts(player, banker)


def test_every_predicate_is_in_use() -> None:
    used = {wager.bet for book in rulebooks.ids() for wager in rulebooks.load(book).wager}
    assert set(BETS) <= used

"""Triggers: which coups are a Lucky Tie or an outcome of a wager, and which per cent they pay; typed from the rules."""

from collections import Counter
from itertools import product

import pytest
from jackpot_parameters import OPTION_1, OPTION_2, OPTION_3, crown, new_zealand, random_seat
from sabot_protocol.jackpots.parameters import LuckyTie, Outcome, Parameters
from sabot_protocol.jackpots.triggers import TriggerOutcome, recognise
from sabot_protocol.topics import CoupKind


def found(parameters: Parameters, player: str, banker: str, winner: str | None, kind: CoupKind = "live") -> str:
    outcome = recognise(parameters, kind, player.split(), banker.split(), winner)  # type: ignore[arg-type]
    return f"{outcome.outcome} {outcome.percent}" if outcome else ""


@pytest.mark.parametrize(
    ("player", "banker", "first", "second"),
    [
        ("8S 8S", "8S 8S", "suited 100", "suited 100"),
        ("8H 8H", "8H 8H", "suited 100", "suited 100"),
        ("8H 8D", "8H 8D", "coloured 15", "non_suited 12"),
        ("8S 8C", "8C 8C", "coloured 15", "non_suited 12"),
        ("8S 8S", "8S 8H", "non_coloured 8", "non_suited 12"),
        ("8S 8H", "8D 8C", "non_coloured 8", "non_suited 12"),
    ],
)
def test_cj_08_four_eights_and_a_tie_by_option(player: str, banker: str, first: str, second: str) -> None:
    assert found(crown(trigger=OPTION_1), player, banker, "tie") == first
    assert found(crown(trigger=OPTION_2), player, banker, "tie") == second
    assert found(crown(trigger=OPTION_3), player, banker, "tie") == "lucky_tie 100"


def test_cj_09_cj_10_all_256_lucky_ties_by_their_suits() -> None:
    """4 of one suit; for each colour 2 suits in 4 places less those of one suit, 2 x (16 - 2) = 28; the rest."""
    hands = [[f"8{suit}" for suit in suits] for suits in product("SHDC", repeat=4)]
    counts = [
        Counter(found(crown(trigger=option), " ".join(four[:2]), " ".join(four[2:]), "tie") for four in hands)
        for option in (OPTION_1, OPTION_2, OPTION_3)
    ]
    assert counts == [
        {"suited 100": 4, "coloured 15": 28, "non_coloured 8": 224},
        {"suited 100": 4, "non_suited 12": 252},
        {"lucky_tie 100": 256},
    ]


@pytest.mark.parametrize(
    ("player", "banker", "winner"),
    [
        ("8S KS", "8H KH", "tie"),  # hands of eight, not cards
        ("8S 8S", "8S 6S", "player"),
        ("8S 8S", "7S 9S", "tie"),  # 6-6 as well
        ("8S 8S TS", "8S 9S 9C", "tie"),  # three eights of the initial four
        ("8S 8S", "8S 8S", "player"),  # a decision against the cards
        ("8S 8S", "8S 8S", None),
        ("8S", "8S 8S", "tie"),
        ("8S 8S", "8S 8S 2C 8D", "tie"),  # not a hand
        ("", "", None),
    ],
)
def test_cj_08_all_else_is_no_lucky_tie(player: str, banker: str, winner: str | None) -> None:
    for option in (OPTION_1, OPTION_2, OPTION_3):
        assert found(crown(trigger=option), player, banker, winner) == ""


@pytest.mark.parametrize("kind", ["void", "no_bet", "dummy", "void_hand"])
def test_without_wagers_nothing_triggers(kind: CoupKind) -> None:
    assert found(crown(), "8S 8S", "8S 8S", "tie", kind) == ""
    assert found(new_zealand(), "KS KS", "9S 9H", "banker", kind) == ""


def test_wagers_are_allowed_in_a_free_hand() -> None:
    assert found(new_zealand(), "KS KS 9C", "3S 4H", "player", "free_hand") == "perfect 100"


@pytest.mark.parametrize(
    ("player", "wanted"),
    [("KS KS 9C", "perfect 100"), ("KS KC 9C", "coloured 20"), ("KS KH 9C", ""), ("KS QS 9C", "")],
)
def test_an_outcome_of_a_wager_pays_its_per_cent(player: str, wanted: str) -> None:
    assert found(new_zealand(), player, "3S 4H", "player") == wanted  # mixed has no part of this jackpot


def test_a_tie_of_perfect_pairs_counts() -> None:
    assert found(new_zealand(), "4S 4S", "9H 9D", "tie") == "perfect 100"


def test_the_game_of_the_parameters_decides_the_outcome() -> None:
    ez = new_zealand(game="ez", trigger=Outcome("dragon_7", {"win": 50}))
    assert found(ez, "KS 5D TC", "2H 2D 3C", "banker") == "win 50"  # Banker wins with seven in three cards
    assert found(ez, "KS 5D TC", "3H 4D", "banker") == ""


def test_a_stand_off_is_no_win() -> None:
    bonus = new_zealand(trigger=Outcome("dragon_bonus_player", {"natural": 100, "natural_tie": 100}))
    assert found(bonus, "9S KD", "9H TC", "tie") == ""
    assert found(bonus, "9S KD", "8H TC", "player") == "natural 100"


def test_no_card_triggers_a_random_jackpot() -> None:
    assert found(random_seat(), "8S 8S", "8S 8S", "tie") == ""
    assert found(random_seat(), "KS KS 9C", "3S 4H", "player") == ""


def test_a_book_without_lucky_tie_and_an_option_it_has_not() -> None:
    assert found(crown(rulebook="nz-baccarat"), "8S 8S", "8S 8S", "tie") == ""
    only_suited = crown(trigger=LuckyTie("option_1", {"suited": 100}))
    assert found(only_suited, "8S 8S", "8S 8S", "tie") == "suited 100"
    assert found(only_suited, "8S 8S", "8S 8H", "tie") == ""


def test_the_outcome_is_a_name_and_a_number() -> None:
    assert recognise(crown(), "live", ["8S", "8S"], ["8S", "8S"], "tie") == TriggerOutcome("suited", 100)

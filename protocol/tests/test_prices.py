"""Every price of every book, typed from the printed clauses a second time."""

from fractions import Fraction

import pytest
from sabot_protocol import rulebooks
from sabot_protocol.wagers import roulette, sequences
from sabot_protocol.wagers.table import Priced, Settings, Table

DRAGON = {"natural": "1", "by_4": "1", "by_5": "2", "by_6": "4", "by_7": "6", "by_8": "10", "by_9": "30"}
STAR = {
    "pair_player": {"win": "11"},
    "pair_banker": {"win": "11"},
    "super_six": {"win": "15"},
    "tiger_tie": {"win": "45"},
    "tiger_pair": {"single": "4", "double": "25", "twin": "100"},
    "tiger": {"two_card": "12", "three_card": "22"},
    "big_tiger": {"win": "55"},
    "small_tiger": {"win": "22"},
}
NZ = {
    "tie": {"win": "8"},
    "perfect_pair_player": {"mixed": "5", "coloured": "10", "perfect": "30"},
    "perfect_pair_banker": {"mixed": "5", "coloured": "10", "perfect": "30"},
    "dragon_bonus_player": DRAGON,
    "dragon_bonus_banker": DRAGON,
    "any_pair_player": {"win": "11"},
    "any_pair_banker": {"win": "11"},
    "lucky_match_player": {
        "mixed_match": "5", "coloured_match": "10", "lucky_match": "25", "lucky_triple_match": "100"
    },
    "lucky_match_banker": {
        "mixed_match": "5", "coloured_match": "10", "lucky_match": "25", "lucky_triple_match": "100"
    },
    "dragon_7": {"win": "40"},
    "panda_8": {"win": "25"},
    "lucky_6": {"two_card": "12", "three_card": "20"},
    "insurance1_player": {"7_v_natural": "2", "8_v_natural_9": "7", "9_ties_natural_9": "8"},
    "insurance1_banker": {"7_v_natural": "2", "8_v_natural_9": "7", "9_ties_natural_9": "8"},
    "insurance2_player": {"interim_5": "2", "interim_6": "3", "interim_7": "4"},
    "insurance2_banker": {"interim_4": "3/2", "interim_5": "2", "interim_6": "3", "interim_7": "4"},
    "insurance3_player": {
        "final_4": "1", "final_5": "2", "final_6": "3", "final_7": "4", "final_8": "7", "final_9_ties": "8"
    },
    "insurance3_banker": {
        "final_4": "1", "final_5": "2", "final_6": "3", "final_7": "4", "final_8": "7", "final_9_ties": "8"
    },
    "super_6": {"win": "12"},
    "tiger": {"two_card": "12", "three_card": "20"},
    "big_tiger": {"win": "50"},
    "small_tiger": {"win": "22"},
    "tiger_pair": {"single": "4", "double": "20", "twin": "100"},
    "tiger_tie": {"win": "35"},
}  # fmt: skip
CROWN = {
    "tie": {"win": "8"},
    "dragon_bonus_player": DRAGON,
    "dragon_bonus_banker": DRAGON,
    "crown_pair_player": {"mixed": "6", "coloured": "12", "crown": "25"},
    "crown_pair_banker": {"mixed": "6", "coloured": "12", "crown": "25"},
    "pair_player": {"win": "11"},
    "pair_banker": {"win": "11"},
    "super_6": {"win": "15"},
    "tiger_tie": {"win": "45"},
    "tiger_pair": {"single": "4", "double": "25", "twin": "100"},
    "tiger": {"two_card": "12", "three_card": "22"},
    "big_tiger": {"win": "55"},
    "small_tiger": {"win": "22"},
    "dragon_tiger": {"three_three": "100", "three_two": "40", "two_two": "30"},
    "big_dragon": {"win": "30"},
    "small_dragon": {"win": "15"},
    "dt_big_tiger": {"win": "50"},
    "dt_small_tiger": {"win": "22"},
    "dt_tiger_tie": {"win": "40"},
}
SHIELD = {
    "shield_player": {"player_6": "5/2", "player_7": "9/2"},
    "shield_banker": {"banker_6": "5/2", "banker_7": "9/2"},
}
ONE = {"win": "1"}
TWO_TO_ONE = {"win": "1", "three_card_8_or_9": "2"}
COMMISSION = {"win": "19/20"}
HALF_ON_SIX = {"win": "1", "banker_6": "1/2"}

# book, game: what each wager pays with the default options.
PRINTED: dict[tuple[str, str], dict[str, dict[str, str]]] = {
    ("star-baccarat", "baccarat"): {"player": ONE, "banker": COMMISSION, "tie": {"win": "8"}, **STAR},
    ("star-baccarat", "even_money"): {"player": ONE, "banker": HALF_ON_SIX, "tie": {"win": "8"}, **STAR},
    ("star-premium", "premium"): {"player": ONE, "banker": COMMISSION, "tie": {"win": "8"}, **STAR},
    ("star-premium", "premium_even_money"): {"player": ONE, "banker": HALF_ON_SIX, "tie": {"win": "8"}, **STAR},
    ("star-premium", "tie_premium"): {"player": ONE, "banker": COMMISSION, "tie": {"win": "8"}, **STAR},
    ("nz-baccarat", "standard"): {"player": ONE, "banker": COMMISSION, **NZ},
    ("nz-baccarat", "banker6_half"): {"player": ONE, "banker": HALF_ON_SIX, **NZ},
    ("nz-baccarat", "two_to_one"): {"player": TWO_TO_ONE, "banker": TWO_TO_ONE, **NZ},
    ("nz-baccarat", "two_to_one_b6"): {"player": TWO_TO_ONE, "banker": {**TWO_TO_ONE, "banker_6": "1/2"}, **NZ},
    ("nz-baccarat", "ez"): {"player": ONE, "banker": ONE, **NZ},
    ("crown-baccarat", "traditional"): {"player": ONE, "banker": COMMISSION, **SHIELD, **CROWN},
    ("crown-baccarat", "crown"): {"player": ONE, "banker": HALF_ON_SIX, "insurance_no_6": {"no_6": "2"}, **CROWN},
    ("crown-baccarat", "two_to_one"): {"player": TWO_TO_ONE, "banker": TWO_TO_ONE, **CROWN},
    ("crown-baccarat", "tie"): {"player": ONE, "banker": COMMISSION, **CROWN},
    ("crown-baccarat", "lucky_chase"): {"player": ONE, "banker": ONE},
    ("crown-baccarat", "zero_commission"): {"player": ONE, "banker": ONE, **CROWN},
    ("crown-baccarat", "three_card"): {
        "three_card": {"win": "1", "point_6": "1/2"},
        "tie": {"win": "8"},
        "three_pictures": {"three_pictures": "20", "two_pictures": "5"},
    },
    ("star-rapid", "baccarat"): {
        "player": ONE, "banker": COMMISSION, "tie": {"win": "8"}, "pair_player": {"win": "11"},
        "pair_banker": {"win": "11"}, "dragon_bonus_player": DRAGON, "dragon_bonus_banker": DRAGON,
    },
    ("star-rapid", "even_money"): {
        "player": ONE, "banker": HALF_ON_SIX, "tie": {"win": "8"}, "pair_player": {"win": "11"},
        "pair_banker": {"win": "11"}, "dragon_bonus_player": DRAGON, "dragon_bonus_banker": DRAGON,
    },
    ("star-rapid", "roulette"): {},
}  # fmt: skip

# book, option, value after value: wager, outcome, price.
BY_OPTION = [
    ("nz-baccarat", "tie_odds", ["8", "9"], "tie", "win", ["8", "9"]),
    ("nz-baccarat", "perfect_pair_scale", ["1", "2", "3"], "perfect_pair_player", "mixed", ["5", "6", "5"]),
    ("nz-baccarat", "perfect_pair_scale", ["1", "2", "3"], "perfect_pair_banker", "coloured", ["10", "12", "12"]),
    ("nz-baccarat", "perfect_pair_scale", ["1", "2", "3"], "perfect_pair_player", "perfect", ["30", "25", "25"]),
    ("nz-baccarat", "dragon_bonus_table", ["1", "2", "3"], "dragon_bonus_player", "natural", ["1", "1", "1"]),
    ("nz-baccarat", "dragon_bonus_table", ["1", "2", "3"], "dragon_bonus_player", "by_4", ["1", "1", "2"]),
    ("nz-baccarat", "dragon_bonus_table", ["1", "2", "3"], "dragon_bonus_banker", "by_5", ["2", "3", "2"]),
    ("nz-baccarat", "dragon_bonus_table", ["1", "2", "3"], "dragon_bonus_player", "by_6", ["4", "4", "4"]),
    ("nz-baccarat", "dragon_bonus_table", ["1", "2", "3"], "dragon_bonus_banker", "by_7", ["6", "7", "4"]),
    ("nz-baccarat", "dragon_bonus_table", ["1", "2", "3"], "dragon_bonus_player", "by_8", ["10", "8", "10"]),
    ("nz-baccarat", "dragon_bonus_table", ["1", "2", "3"], "dragon_bonus_player", "by_9", ["30", "20", "30"]),
    ("nz-baccarat", "any_pair_scale", ["1", "2"], "any_pair_player", "win", ["11", "10"]),
    ("nz-baccarat", "lucky_match_scale", ["1", "2"], "lucky_match_player", "lucky_match", ["25", "20"]),
    ("nz-baccarat", "lucky_match_scale", ["1", "2"], "lucky_match_banker", "lucky_triple_match", ["100", "500"]),
    ("nz-baccarat", "super6_scale", ["a", "b"], "super_6", "win", ["12", "15"]),
    ("nz-baccarat", "ins1_nine", ["8", "9"], "insurance1_banker", "9_ties_natural_9", ["8", "9"]),
    ("nz-baccarat", "ins2_four", ["3/2", "2"], "insurance2_banker", "interim_4", ["3/2", "2"]),
    ("nz-baccarat", "ins3_nine", ["8", "9"], "insurance3_player", "final_9_ties", ["8", "9"]),
    ("crown-baccarat", "super6_option", ["1", "2"], "super_6", "win", ["15", "16"]),
    ("crown-baccarat", "tiger_option", list("12345"), "tiger_pair", "twin", ["100", "150", "150", "120", "120"]),
    ("crown-baccarat", "tiger_option", list("12345"), "tiger", "three_card", ["22", "23", "25", "23", "25"]),
    ("crown-baccarat", "tiger_option", list("12345"), "tiger", "two_card", ["12"] * 5),
    ("crown-baccarat", "tiger_option", list("12345"), "small_tiger", "win", ["22", "23", "23", "23", "23"]),
    ("crown-baccarat", "tiger_option", list("12345"), "big_tiger", "win", ["55"] * 5),
    ("crown-baccarat", "tiger_option", list("12345"), "tiger_tie", "win", ["45"] * 5),
    (
        "crown-baccarat",
        "dragon_tiger_option",
        list("12345"),
        "dragon_tiger",
        "three_two",
        ["40", "40", "40", "40", "35"],
    ),
    ("crown-baccarat", "dragon_tiger_option", list("12345"), "dragon_tiger", "three_three", ["100"] * 5),
    ("crown-baccarat", "dragon_tiger_option", list("12345"), "big_dragon", "win", ["30", "30", "29", "29", "29"]),
    ("crown-baccarat", "dragon_tiger_option", list("12345"), "small_dragon", "win", ["15", "15", "14", "14", "14"]),
    ("crown-baccarat", "dragon_tiger_option", list("12345"), "dt_big_tiger", "win", ["50", "50", "50", "48", "48"]),
    ("crown-baccarat", "dragon_tiger_option", list("12345"), "dt_small_tiger", "win", ["22", "22", "22", "21", "21"]),
    ("crown-baccarat", "dragon_tiger_option", list("12345"), "dt_tiger_tie", "win", ["40", "35", "35", "35", "35"]),
]


def table(book: str, **chosen: str) -> Table:
    rules = rulebooks.load(book)
    return Table(rules, Settings.of(rules, chosen))


def price(book: str, wager: str, outcome: str, **chosen: str) -> Fraction:
    priced = table(book, **chosen).wagers[wager]
    assert isinstance(priced, Priced)
    return priced.prices[outcome].odds


def test_every_book_and_game_is_typed_here() -> None:
    assert set(PRINTED) == {(book, game) for book in rulebooks.ids() for game in rulebooks.load(book).game}
    defaults = {book: next(iter(rulebooks.load(book).game)) for book in rulebooks.ids()}
    assert defaults == {
        "star-baccarat": "baccarat", "star-premium": "premium", "nz-baccarat": "standard",
        "crown-baccarat": "traditional", "star-rapid": "baccarat",
    }  # fmt: skip


@pytest.mark.parametrize(("book", "game"), PRINTED)
def test_prices_of_a_game(book: str, game: str) -> None:
    wagers = {name: one for name, one in table(book, game=game).wagers.items() if isinstance(one, Priced)}
    found = {
        name: {outcome: str(settled.odds) for outcome, settled in one.prices.items() if settled.result == "win"}
        for name, one in wagers.items()
    }
    assert found == PRINTED[book, game]


@pytest.mark.parametrize(("book", "option", "values", "wager", "outcome", "prices"), BY_OPTION)
def test_prices_by_option(
    book: str, option: str, values: list[str], wager: str, outcome: str, prices: list[str]
) -> None:
    assert list(rulebooks.load(book).option[option].values) == values
    games = [
        game for game in rulebooks.load(book).game if wager in table(book, game=game).wagers and game != "three_card"
    ]
    assert games
    for game in games:
        found = [str(price(book, wager, outcome, game=game, **{option: value})) for value in values]
        assert found == prices, game


def test_every_option_is_typed_here() -> None:
    percentages = {("star-premium", "tie_percent"), ("crown-baccarat", "tie_percent_player")}
    percentages |= {("crown-baccarat", "tie_percent_banker")}
    found = {(book, option) for book in rulebooks.ids() for option in rulebooks.load(book).option}
    assert found == {(book, option) for book, option, *_ in BY_OPTION} | percentages


@pytest.mark.parametrize(
    ("book", "game", "option", "wager"),
    [
        ("star-premium", "tie_premium", "tie_percent", "player"),
        ("star-premium", "tie_premium", "tie_percent", "banker"),
        ("crown-baccarat", "tie", "tie_percent_player", "player"),
        ("crown-baccarat", "tie", "tie_percent_banker", "banker"),
    ],
)
def test_a_tie_is_a_push_that_pays_one_to_ten_percent(book: str, game: str, option: str, wager: str) -> None:
    for percent in range(1, 11):
        priced = table(book, game=game, **{option: str(percent)}).wagers[wager]
        assert isinstance(priced, Priced)
        assert priced.prices["tie"][:2] == ("push", Fraction(percent, 100))


@pytest.mark.parametrize(
    ("name", "prices"),
    [
        ("straight_17", 35), ("split_0_2", 17), ("street_0_1_2", 11), ("corner_0_1_2_3", 8),
        ("six_line_1_2_3_4_5_6", 5), ("column_2", 2), ("dozen_3", 2), ("low", 1), ("high", 1), ("even", 1), ("odd", 1),
        ("red", 1), ("black", 1),
    ],
)  # fmt: skip
def test_roulette_prices(name: str, prices: int) -> None:
    book = rulebooks.load("star-rapid").roulette
    assert book is not None
    number = min(roulette.layout()[name][1])
    assert roulette.settle(book, number)[name].odds == prices


@pytest.mark.parametrize("side", ["P", "B"])
def test_run_prices(side: str) -> None:
    book = rulebooks.load("crown-baccarat")
    name = {"P": "run_player", "B": "run_banker"}[side]
    printed = {2: 3, 3: 8, 4: 20, 5: 45, 6: 100}
    for length, odds in printed.items():
        assert sequences.find(book, "crown", f"{name}_{length}").settle([side] * length).odds == odds
        combo = "PB" * 3
        assert sequences.find(book, "crown", f"run_combo:{combo[:length]}").settle(list(combo[:length])).odds == odds


def test_tie_run_prices() -> None:
    book = rulebooks.load("crown-baccarat")
    assert sequences.find(book, "tie", "run_tie_3").settle(["T"] * 3).odds == 1000
    assert sequences.find(book, "tie", "run_tie_4").settle(["T"] * 4).odds == 10_000
    for unknown in ("run_tie_2", "run_tie_5", "run_banker_7", "run_banker_1", "run_combo:B", "run_combo_3", "run_x"):
        with pytest.raises(rulebooks.RulebookError, match="unknown wager"):
            sequences.find(book, "tie", unknown)
    with pytest.raises(rulebooks.RulebookError, match="unknown wager"):
        sequences.find(book, "lucky_chase", "run_banker_2")

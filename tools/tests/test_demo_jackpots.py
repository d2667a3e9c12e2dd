"""The jackpots of the demo: parameters without a problem, and stacked hands that win by the printed rules."""

import random
import tomllib
from collections import Counter

import pytest
from sabot_protocol import authority
from sabot_protocol.jackpots import loading, triggers
from sabot_protocol.jackpots.parameters import Parameters
from sabot_protocol.rulebooks import RulebookError
from sabot_protocol.topics import Winner
from sabot_sim.stack import shuffled, stacked
from sabot_tools.stand.demo_jackpots import NoSuchHandError, book_of, jackpots, stacked_cards

TABLES = ["bac-01", "bac-02"]
WINS = [  # hand for --stack, outcome and per cent by 003 table 20 option 1, or by 002 11A.7; the winner
    ("crown-baccarat", "lucky-tie", "suited", 100, "tie"),
    ("crown-baccarat", "lucky-tie:suited", "suited", 100, "tie"),
    ("crown-baccarat", "lucky-tie:coloured", "coloured", 20, "tie"),
    ("crown-baccarat", "lucky-tie:non-coloured", "non_coloured", 10, "tie"),
    ("nz-baccarat", "perfect-pair", "perfect", 100, "player"),
]


def parameters(book: str) -> Parameters:
    found, problems = loading.parse(tomllib.loads(jackpots()[book].text(TABLES)))
    assert problems == []
    return found[0]


def test_every_hand_has_its_case() -> None:
    assert {(book, hand) for book, jackpot in jackpots().items() for hand in jackpot.hands} == {
        case[:2] for case in WINS
    }


@pytest.mark.parametrize("book", jackpots())
def test_the_parameters_and_the_people_are_right(book: str) -> None:
    found = parameters(book)
    assert (found.id, found.rulebook, found.tables) == (jackpots()[book].id, book, tuple(TABLES))
    assert jackpots()[book].wager in found.qualifying
    assert jackpots()[book].currency == found.currency
    assert authority.check(book, "jackpot_confirm", jackpots()[book].role).allowed


@pytest.mark.parametrize(("book", "hand", "outcome", "percent", "winner"), WINS)
def test_the_second_coup_wins(book: str, hand: str, outcome: str, percent: int, winner: Winner) -> None:
    shoe = shuffled(8, random.Random(1))
    found = stacked(shoe, stacked_cards(book, hand))
    assert Counter(found) == Counter(shoe)
    first, second = found[1:5], found[5:9]  # one card is burnt; a natural, so four cards
    assert (first[0][0], first[2][0]) == ("K", "9")
    won = triggers.recognise(parameters(book), "live", second[::2], second[1::2], winner)
    assert won == (outcome, percent)


def test_a_hand_names_its_rulebook() -> None:
    assert [book_of(hand) for hand in ("lucky-tie:coloured", "perfect-pair", "none")] == [
        "crown-baccarat",
        "nz-baccarat",
        "crown-baccarat",
    ]


def test_no_such_hand() -> None:
    with pytest.raises(NoSuchHandError, match="star-premium has no jackpot in the demo; use --rulebook crown-baccarat"):
        stacked_cards("star-premium", "lucky-tie")
    with pytest.raises(NoSuchHandError, match="the jackpot of nz-baccarat is won by perfect-pair"):
        stacked_cards("nz-baccarat", "lucky-tie")
    with pytest.raises(RulebookError):
        stacked_cards("none", "lucky-tie")

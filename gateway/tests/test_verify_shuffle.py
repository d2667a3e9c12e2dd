"""Verify: the gateway's own test for unshuffled cards."""

from math import comb

import pytest
from sabot_gateway.verify.checks.shuffle import (
    MANY_OF_RANK,
    MANY_OF_SUIT,
    REPEATED,
    ROW_OF_RANK,
    ROW_OF_SUIT,
    RUN,
    Pattern,
)
from verified_log import Log


def shows(cards: str) -> str:
    pattern = Pattern()
    return next(filter(None, (pattern.add(card) for card in cards.split())), "")


@pytest.mark.parametrize(
    ("cards", "found"),
    [
        ("AS 2S 3S 4S 5S 6S 7S", ""),
        ("AS 2H 3S 4D 5S 6C 7S 8S", "8 cards in order of rank"),
        ("KD 3D 2H AS KC QD JC TH 9S 8C", "8 cards in order of rank"),
        ("9S 9H 9D 9C 9S 9H 9D 4C", ""),
        ("9S 9H 9D 9C 9S 9H 9D 9C", "8 cards of one rank in a row"),
        ("AS 3S 5S 2S 7S 9S JS 4S 6S KS 8S TS QS", "13 cards of one suit in a row"),
        ("AS 3S 5S 2S 7S 9S JS 4S 6S KS 8S TS QH", ""),
        ("2S 9D KH 4C 7S JD AC 2S 9D KH 4C 7S JD", "6 cards repeated in the same order"),
        ("2S 9D KH 4C 7S JD AC 2S 9D KH 4C 7S AD", ""),
    ],
)
def test_patterns_of_an_unshuffled_set(cards: str, found: str) -> None:
    assert shows(cards) == found


def test_twelve_of_one_rank_and_nineteen_of_one_suit_among_26() -> None:
    other = "2D 4H 6C 8D TH QC 3D 5H 7C 9D JH KC 2H 4C"
    ranks = " ".join(f"A{suit} {card}" for suit, card in zip("SHDCSHDCSHDC", other.split(), strict=False))
    assert shows(f"{ranks} 2H 4C") == "12 of 26 cards are of one rank"
    spades = "AS 3S 5S 2S 7S 9S KD JS 4S 6S 8S TS QS 2S 4C AS 3S 9S 7H 5S 8S QD 6H 3C 2C KS"
    assert spades.count("S") == 19
    assert shows(spades) == "19 of 26 cards are of one suit"
    assert shows(spades.replace("KS", "KH")) == ""


def test_a_shuffled_shoe_is_ordered_once_in_100_000_at_most() -> None:
    """Eight decks: 32 of a rank and 104 of a suit among 416 cards; rows by the chance of each next card."""

    def at_least(count: int, of: int, among: int = 26) -> float:
        ways = sum(comb(of, k) * comb(416 - of, among - k) for k in range(count, among + 1))
        return ways / comb(416, among)

    rows = [45 * 2 * (32 / 409) ** 7, 45 * (31 / 415) ** 7, 40 * (103 / 415) ** 12, 99 * 98 / 2 * (8 / 411) ** 6]
    many = [13 * at_least(MANY_OF_RANK, 32), 4 * at_least(MANY_OF_SUIT, 104)]
    assert (RUN, ROW_OF_RANK, ROW_OF_SUIT, REPEATED) == (8, 8, 13, 6)
    assert sum(rows) + sum(many) < 1e-5


def test_an_ordered_set_is_one_alarm_for_each_shoe_from_the_shoe_or_the_gateway() -> None:
    log = Log()
    for card in ("AS", "2S", "3S", "4S", "5S", "6S", "7S", "8S", "9S", "TS"):
        log.card(card, "unused", flags={"surplus": True})
    log("ordered_set", shoe_no=1, pattern="runs", cards=10)
    assert (log.alarm("ordered_set").shoe_says, log.alarm("ordered_set").cards_say) == (
        "",
        "8 cards in order of rank",
    )

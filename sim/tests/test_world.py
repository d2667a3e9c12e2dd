"""The seeded day: the same for the same seed, with all situations of all books, and a truth by the printed rules."""

from collections import Counter

import pytest
from sabot_sim.world.books import BOOKS, CROWN, NZ, PREMIUM, RAPID, STAR, rule
from sabot_sim.world.day import Day, seeded_day
from sabot_sim.world.recipes import RECIPES, possible
from sabot_sim.world.table import looks_ordered

START_S = 1_790_000_000.0


@pytest.fixture(scope="module")
def day() -> Day:
    return seeded_day(1, 20, 200, START_S)


def test_a_seed_gives_one_day(day: Day) -> None:
    again, other = seeded_day(1, 20, 200, START_S), seeded_day(2, 20, 200, START_S)
    assert (again.acts, again.truth) == (day.acts, day.truth)
    assert other.acts != day.acts


def test_every_book_has_each_of_its_situations(day: Day) -> None:
    provoked = {(one.rulebook, one.situation) for one in day.truth.irregularities}
    assert provoked == {(book, situation) for book in BOOKS for situation in RECIPES if possible(situation, book)}
    assert Counter(one.table for one in day.truth.irregularities) == dict.fromkeys(day.tables, 10)
    assert sorted(one.number for one in day.truth.irregularities) == list(range(1, 201))


def test_acts_are_in_order_of_time(day: Day) -> None:
    times = [act.time_s for act in day.acts]
    assert times == sorted(times)
    for table in day.tables:
        numbers = [act.number for act in day.acts if act.table == table]
        assert numbers == list(range(len(numbers)))


def test_coups_of_a_shoe_are_numbered_without_a_gap(day: Day) -> None:
    for shoe in day.truth.shoes:
        coups = [one.coup for one in day.truth.coups if (one.table, one.shoe) == (shoe.table, shoe.shoe)]
        assert coups == list(range(1, shoe.coups + 1))
        assert shoe.opened_s < shoe.closed_s


def test_a_void_coup_has_no_winner_and_a_clause(day: Day) -> None:
    void = [one for one in day.truth.coups if one.status == "void"]
    assert void
    assert all(one.winner is None and one.kind == "void" and one.clause and one.by for one in void)


@pytest.mark.parametrize(
    ("cards", "ordered"),
    [
        ("QH TH 4H AH 3H 7H", True),
        ("QH TH 4H AH 3H 7S", False),
        ("KD 7S 7H 7D 7C", True),
        ("KD 7S 7H 7D 8C", False),
        ("2H 3C 4D 5S", True),
        ("5H 4C 3D 2S", True),
        ("2H 3C 4D 6S", False),
        ("QH 2H 9D QH 2H 9D", True),
        ("QH 2H 9D 4C 2H 9D", False),
    ],
)
def test_first_cards_that_look_unshuffled(cards: str, ordered: bool) -> None:
    assert looks_ordered(cards.split()) is ordered


@pytest.mark.parametrize(
    ("book", "situation", "follows", "clause"),
    [
        (STAR, "player_overdraw", "live", "12.2"),
        (CROWN, "player_overdraw", "unwagered", "10.6.1(b)"),
        (NZ, "banker_overdraw", "live", "12.2(a)"),
        (RAPID, "excess_card", "approved", "11.8.13"),
        (PREMIUM, "wrong_recipient", "choice", "14.12.2"),
        (STAR, "wrong_recipient", "play_on", "12.15"),
        (NZ, "missing_or_foreign_card", "silent", ""),
        (CROWN, "discrepancy", "silent", ""),
        (RAPID, "reconstructible", "void", "11.8.1.3"),
    ],
)
def test_what_the_books_say(book: str, situation: str, follows: str, clause: str) -> None:
    found = rule(situation, book)
    assert (found.follows, found.clause) == (follows, clause)

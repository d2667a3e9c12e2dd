"""A seeded day: tables of all five rulebooks and irregularities spread over them; the acts of people, and the truth."""

import random
from dataclasses import dataclass
from typing import Final

from sabot_sim.world.acts import Timed
from sabot_sim.world.books import BOOKS
from sabot_sim.world.recipes import RECIPES, possible, provoke
from sabot_sim.world.table import Staff, Table
from sabot_sim.world.truth import Truth

_FIRST: Final = ("Ana", "Ben", "Chloe", "Dan", "Eva", "Finn", "Grace", "Hugo", "Iris", "Jack", "Kim", "Leo", "Mia")
_LAST: Final = ("Adler", "Brown", "Chen", "Davis", "Evans", "Fox", "Green", "Hill", "Ito", "Jones", "Khan", "Lee")
_PEOPLE: Final = 4  # of a table
_PAUSE_S: Final = (1200.0, 5400.0)  # without play, before each irregularity
_BETWEEN: Final = (1, 4)  # coups between two irregularities
_FEW_CARDS: Final = 120  # then the shoe ends


@dataclass(frozen=True)
class Day:
    """`tables` by name with their rulebooks."""

    tables: dict[str, str]
    acts: list[Timed]
    truth: Truth
    people: dict[str, Staff]


def seeded_day(seed: int, tables: int, irregularities: int, start_s: float) -> Day:
    """Return the day of this seed; the same seed gives the same day."""
    rng, truth = random.Random(seed), Truth()
    books = {f"bac-{number + 1:02}": BOOKS[number % len(BOOKS)] for number in range(tables)}
    names = rng.sample([f"{first} {last}" for first in _FIRST for last in _LAST], _PEOPLE * tables)
    people = {
        name: Staff(name, book, names[_PEOPLE * number :][:_PEOPLE])
        for number, (name, book) in enumerate(books.items())
    }
    plans = _spread(rng, books, irregularities)
    acts: list[Timed] = []
    for name, book in books.items():
        table = Table(name, book, people[name], random.Random(rng.random()), start_s, truth)
        _play(table, plans[name])
        acts += table.acts
    return Day(books, sorted(acts), truth, people)


def _spread(rng: random.Random, books: dict[str, str], irregularities: int) -> dict[str, list[tuple[int, str]]]:
    """Give each irregularity a table and a situation of its book; each situation comes before one comes again."""
    plans: dict[str, list[tuple[int, str]]] = {name: [] for name in books}
    waiting: dict[str, list[str]] = {book: [] for book in BOOKS}
    order = [name for _ in range(-(-irregularities // len(books))) for name in books][:irregularities]
    for number, name in enumerate(order, 1):
        book = books[name]
        if not waiting[book]:
            waiting[book] = [situation for situation in RECIPES if possible(situation, book)]
            rng.shuffle(waiting[book])
        plans[name].append((number, waiting[book].pop()))
    return plans


def _play(table: Table, plan: list[tuple[int, str]]) -> None:
    """Play the day of one table."""
    for number, situation in plan:
        table.wait(*_PAUSE_S)
        _ready(table)
        for _ in range(table.rng.randint(*_BETWEEN)):
            table.coup()
        provoke(table, situation, number)
    _ready(table)
    table.coup()
    table.end_shoe()


def _ready(table: Table) -> None:
    """Open a new shoe if none is open or few cards are left."""
    if table.shoe is not None and len(table.stack) < _FEW_CARDS:
        table.end_shoe()
    if table.shoe is None:
        table.open_shoe()

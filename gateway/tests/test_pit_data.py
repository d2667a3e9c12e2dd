"""What the pit console reads from the store and the books: trends of sensors, coups of a shoe, clauses and acts."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from projection_rows import attempt, confirmed, coup, health, outcome, shoe, time
from sabot_floor.projection.reading import Reading
from sabot_floor.projection.writing import insert
from sabot_floor.store import Store, open_store
from sabot_floor.store.rows import Row
from sabot_floor.web.data import books, shoes, trends
from sabot_protocol import rulebooks


@pytest.fixture
def reading(tmp_path: Path) -> Iterator[Reading]:
    with open_store(str(tmp_path / "floor.db")) as store:
        yield Reading(store)


def holding(reading: Reading, *rows: Row) -> Reading:
    store: Store = reading._store
    with store.writing("projection"):
        insert(store, rows)
    return reading


def test_a_trend_has_a_column_for_each_value_and_the_limit_of_cleaning(reading: Reading) -> None:
    rows = [
        health(1, "b", shoe=1, margin_mean_pct=71, rejects=1),
        health(2, "entry", shoe=1, margin_mean_pct=90),
        health(11, "b", shoe=2, margin_mean_pct=59, rejects=4),
        health(12, "entry", shoe=2, margin_mean_pct=59, reads=49),
        health(13, "b", shoe=2, table="t2"),
    ]
    found = trends.read(holding(reading, *rows), "t1")
    assert (found.least_margin_pct, found.least_reads) == (60, 50)  # the alarm `sensor_margin` has the same
    assert [(one.sensor, one.shoe, one.margin_mean_pct, one.rejects) for one in found.sensors] == [
        ("entry", [1, 2], [90, 59], [0, 0]),
        ("b", [1, 2], [71, 59], [1, 4]),
    ]
    assert [one.clean for one in found.sensors] == [False, True]  # 49 cards mean little
    assert trends.read(reading, "t9").sensors == []


def test_the_coups_of_a_shoe_are_as_corrected_with_the_person_who_decided(reading: Reading) -> None:
    rows: list[Row] = [
        shoe(1, "open"),
        coup(2, status="verified", winner="player"),
        confirmed(3, "u1-2"),
        coup(4, status="disputed", winner="player"),
        coup(5, unit="gateway", coup=4, corrects="u1-4", status="void", kind="void", by="A. Smith", clause="12.13"),
        attempt(6, verb="decide"),
        outcome(7, "u1-6", say="Coup 1/4 is void."),
        attempt(8, verb="void", table="t2"),
    ]
    found = shoes.read(holding(reading, *rows), "t1", "u1", 1)
    assert found.opened == time(1)
    assert [(one.coup, one.status, one.by, one.clause) for one in found.coups] == [
        (4, "void", "A. Smith", "12.13"),
        (2, "confirmed", "", ""),
    ]
    assert [(one.verb, one.ok, one.say) for one in found.decisions] == [("decide", True, "Coup 1/4 is void.")]
    assert shoes.read(reading, "t1", "u9", 1).coups == []


def test_a_void_coup_without_cards_is_no_coup_whose_result_is_not_out(reading: Reading) -> None:
    book = rulebooks.load("star-baccarat").digest().hex()  # dealt face down: the newest coup has no cards here
    empty = coup(2, status="verified", kind="void", player="", banker="", rulebook=book)
    rows: list[Row] = [shoe(1, "open", rulebook=book), empty, coup(3, status="verified", rulebook=book)]
    found = shoes.read(holding(reading, *rows), "t1", "u1", 1)
    assert {one.coup: one.covered for one in found.coups} == {2: False, 3: True}


def test_a_book_has_its_clauses_and_what_people_record() -> None:
    book = books.read("star-baccarat")
    assert book is not None
    assert {"12.13", "14.10", "12.1.2"} <= set(book.clauses)
    close = next(act for act in book.acts if act.id == "close_table")  # P-61: CS, 20 min (14.10)
    assert (close.title, close.found.clause, close.found.role) == (
        "Close a table with players",
        "14.10",
        "Casino Supervisor",
    )
    assert (book.voids["short_shoe"].clause, book.voids["foreign_card"].clause) == ("12.6", "12.11")
    causes = {verb: {cause: found.clause for cause, found in some.items()} for verb, some in book.causes.items()}
    assert causes == {  # P-58, P-59; P-03, P-10, P-11, P-40
        "invalidate": {"disruption": "14.5.1", "fraud": "14.5.2"},
        "end-shoe": {"shuffle": "4.1.3", "unfit": "3.10", "revealed": "4.13", "misdeal": "12.1.3"},
    }
    assert next(one for one in book.reports if one.id == "promotion_terms").found.clause == "16.12"
    assert all(books.read(one) for one in rulebooks.ids())
    assert books.read("no-book") is None


def test_an_act_has_the_facts_that_decide_it() -> None:
    book = books.read("crown-baccarat")
    assert book is not None
    burn = next(act for act in book.acts if act.id == "burn_otherwise")
    assert [fact for fact, _, _ in burn.facts] == ["cards_exposed"]

"""The floor of the demo: rulebooks, areas, people whom the books know, addresses; and a package that is missing."""

import tomllib

import msgspec
import pytest
from sabot_floor.people import hashing
from sabot_floor.signs import limits
from sabot_protocol import authority
from sabot_sim.world.books import BOOKS
from sabot_tools.stand import demo_floor
from sabot_tools.stand.demo_floor import Pages
from sabot_tools.stand.demo_people import PEOPLE, requests


def test_mixed_tables_have_the_five_rulebooks_in_turn() -> None:
    assert demo_floor.books("mixed", 7) == (*BOOKS, *BOOKS[:2])
    assert demo_floor.books("nz-baccarat", 2) == ("nz-baccarat", "nz-baccarat")


def test_areas_follow_the_rulebooks_or_group_four_tables() -> None:
    names, books = ["bac-01", "bac-02"], demo_floor.books("mixed", 2)
    found = tomllib.loads(demo_floor.tables_text(names, books))["table"]
    assert [(one["name"], one["area"]) for one in found] == [("bac-01", "Main floor"), ("bac-02", "Premium room")]
    one_book = demo_floor.books("star-baccarat", 12)
    areas = [demo_floor.area(number, one_book) for number in range(12)]
    assert areas == ["Main floor"] * 4 + ["River room"] * 4 + ["High limit"] * 4


def test_every_table_has_limits_that_the_floor_accepts() -> None:
    names = [f"bac-{number:02}" for number in range(1, 6)]
    found = tomllib.loads(demo_floor.tables_text(names, demo_floor.books("mixed", 5)))["table"]
    assert list(limits.shape_problems(found)) == []
    tables = [msgspec.convert(one, limits.TableLimits) for one in found]
    assert list(limits.problems(tables)) == []
    assert all(table.amount("minimum") and table.amount("maximum") for table in tables)


@pytest.mark.parametrize("book", BOOKS)
def test_every_person_has_a_role_of_the_book(book: str) -> None:
    assert all(authority.find_role(book, person.role(book)).title for person in PEOPLE)


def test_the_pins_are_accepted_and_printed() -> None:
    for person in PEOPLE:
        assert hashing.too_simple(person.pin, person.id, person.name) == ""
        assert person.pin in person.line(["star-baccarat"])


def test_people_are_added_as_sabot_users_does() -> None:
    found = list(requests(["star-baccarat", "star-baccarat"]))
    assert [request.verb for request in found] == ["user-add", "user-pin", "user-own-pin", "user-role"] * 4
    assert found[3].args == {"person": "dealer", "rulebook": "star-baccarat", "role": "dealer"}


def test_the_wall_is_printed_first() -> None:
    lines = Pages(18480).lines("bac-01", ["lucky-tie"])
    assert lines[0].startswith("wall     http://127.0.0.1:18480/wall ")
    assert {line.split()[0] for line in lines[1:]} == {"page"}
    paths = [line.split()[1].removeprefix("http://127.0.0.1:18480/") for line in lines]
    assert paths == [
        "wall",
        "display/bac-01",
        "sign/bac-01",
        "dealer/bac-01",
        "pit",
        "jackpot/lucky-tie",
        "console/jackpots",
    ]


def test_a_missing_package_is_named_with_the_next_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo_floor, "_WANTED", ("no_such_package",))
    assert demo_floor.missing_packages() == (
        "none: no_such_package is not installed; pip install 'sabot[floor]', or .[demo] in a checkout"
    )

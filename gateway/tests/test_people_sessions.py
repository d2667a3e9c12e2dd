"""Sessions of people at pages: idle and absolute limits, bounds, what ends one, and addresses that are locked out."""

from itertools import count

import pytest
from sabot_floor.people import sessions
from sabot_floor.people.sessions import Failures, Sessions, page_token, session_id
from sabot_floor.people.state import PeopleState, Person

HERE, THERE = "10.0.0.1", "10.0.0.2"


def vera(**changes: object) -> Person:
    given = {"roles": {"crown-baccarat": "area_manager"}, "secret": "hash", "badge": "badge", **changes}
    return Person("vera", **{"name": "Vera", **given})  # type: ignore[arg-type]


@pytest.fixture
def opened() -> tuple[Sessions, str]:
    numbers = count(1)
    made = Sessions(lambda: f"token-{next(numbers)}")
    return made, made.open(vera(), HERE, "pit", 300.0, 0.0)


def test_a_token_is_random_and_only_its_hash_is_kept() -> None:
    made = Sessions()
    tokens = {made.open(vera(), HERE, "pit", 300.0, 0.0) for _ in range(3)}
    assert len(tokens) == 3
    assert all(len(token) == 43 for token in tokens)  # 32 bytes
    kept = repr(made.__dict__)
    assert not any(token in kept for token in tokens)


def test_a_session_ends_after_its_idle_time(opened: tuple[Sessions, str]) -> None:
    made, token = opened
    found = made.find(token, HERE, 299.9)
    assert found is not None
    made.touch(found, 299.9)
    assert made.find(token, HERE, 599.8) is not None
    assert made.find(token, HERE, 599.9) is None
    assert made.sweep(None, 600.0) == {session_id(token)}
    assert made.sweep(None, 601.0) == set()


def test_a_session_ends_after_twelve_hours_whatever_is_done(opened: tuple[Sessions, str]) -> None:
    made, token = opened
    for now_s in range(0, 12 * 3600, 250):
        found = made.find(token, HERE, float(now_s))
        assert found is not None
        made.touch(found, float(now_s))
    assert made.find(token, HERE, 12 * 3600.0) is None


def test_a_token_counts_only_at_the_address_that_logged_in(opened: tuple[Sessions, str]) -> None:
    made, token = opened
    assert made.find(token, THERE, 1.0) is None
    assert made.find("token-2", HERE, 1.0) is None
    assert made.find(session_id(token), HERE, 1.0) is None
    assert made.find(token, HERE, 1.0) is not None


@pytest.mark.parametrize(
    "changed",
    [vera(disabled=True), vera(secret="new"), vera(badge=""), vera(roles={}), vera(roles={"crown-baccarat": "dealer"})],
)
def test_a_session_ends_when_the_record_changes(opened: tuple[Sessions, str], changed: Person) -> None:
    made, token = opened
    assert made.sweep(PeopleState({"vera": vera(name="V.")}), 1.0) == set()
    assert made.sweep(PeopleState({"vera": changed}), 2.0) == {session_id(token)}
    assert made.find(token, HERE, 2.0) is None


def test_a_person_has_at_most_five_sessions_and_the_oldest_ends(opened: tuple[Sessions, str]) -> None:
    made, first = opened
    later = [made.open(vera(), HERE, "pit", 300.0, 1.0) for _ in range(5)]
    assert made.find(first, HERE, 1.0) is None
    assert all(made.find(token, HERE, 1.0) for token in later)


def test_there_are_at_most_500_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Sessions()
    for number in range(sessions.MOST_SESSIONS + 20):
        made.open(Person(f"p{number}", "P"), HERE, "pit", 300.0, float(number) / 100)
    assert len(made) == 500


def test_the_token_of_a_page_is_another_than_that_of_the_session(opened: tuple[Sessions, str]) -> None:
    _, token = opened
    assert len({token, session_id(token), page_token(token)}) == 3


def test_ten_failures_in_a_row_lock_an_address_for_15_minutes() -> None:
    failures = Failures()
    for now_s in range(10):
        assert not failures.locked(HERE, float(now_s))
        failures.failed(HERE, float(now_s))
    assert failures.locked(HERE, 10.0)
    assert not failures.locked(THERE, 10.0)
    assert failures.locked(HERE, 9.0 + 899.9)
    assert not failures.locked(HERE, 9.0 + 900.0)


def test_a_success_ends_the_failures_for_that_person_and_no_other() -> None:
    failures = Failures()
    for number in range(9):
        failures.failed(HERE, 1.0, "vera" if number < 3 else f"p{number}")
    failures.succeeded(HERE, "mallory")
    failures.succeeded(HERE, "vera")
    for number in range(3):
        failures.failed(HERE, 2.0, "vera")
        assert not failures.locked(HERE, 2.0), number
    failures.failed(HERE, 2.0, "vera")
    assert failures.locked(HERE, 2.0)


def test_failures_count_for_15_minutes() -> None:
    failures = Failures()
    for number in range(9):
        failures.failed(HERE, float(number), f"p{number}")
    failures.failed(HERE, 900.0)
    assert not failures.locked(HERE, 900.0)
    failures.failed(HERE, 900.5)
    assert failures.locked(HERE, 900.5)


def test_an_address_fails_five_times_for_one_id() -> None:
    failures = Failures()
    for _ in range(5):
        assert not failures.holds(HERE, "vera", 1.0)
        failures.failed(HERE, 1.0, "vera")
    assert failures.holds(HERE, "vera", 2.0)
    assert not failures.holds(HERE, "sam", 2.0)
    assert not failures.holds(THERE, "vera", 2.0)
    assert not failures.holds(HERE, "vera", 901.0)


def test_at_most_1000_addresses_are_counted() -> None:
    failures = Failures()
    for number in range(1500):
        failures.failed(f"10.0.{number // 256}.{number % 256}", 1.0)
    assert len(failures._counts) == 1000

"""People in the floor's store: their log, log-ins and lock-outs, which secrets are refused, and the audit."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from floor_stores import edit
from sabot_floor.people import audit, entries, hashing, logins
from sabot_floor.people.desk import listed
from sabot_floor.people.log import LOG, Made, PeopleLog
from sabot_floor.people.logins import Claim
from sabot_floor.people.state import PeopleState
from sabot_floor.people.verbs import Login, SetBadge, SetSecret
from sabot_floor.store import Decision, Store, open_store
from sabot_floor.store import Entry as LogEntry
from sabot_floor.store.recompute import Verdict

NOON, LATER = "2026-11-17T12:00:00.000Z", "2026-11-17T12:14:59.999Z"
END = "2026-11-17T12:15:00.000Z"  # of a lock-out that began at noon: 15 minutes
ACCOUNT, ACT = "root", "confirm lucky-tie"
PIN, BADGE = "730155", "00417733"
HASHES = {PIN: hashing.make_hash(PIN)}  # takes long: once for all tests


def of(kind: Any, person: str = "asmith", time: str = NOON, **fields: Any) -> entries.Entry:
    made: entries.Entry = kind(time=time, person=person, by=ACCOUNT, **fields)
    return made


def add(people: PeopleLog, *made: entries.Entry) -> str:
    return people.append(NOON, lambda _: Made(made))


def set_badge(people: PeopleLog, person: str = "asmith", code: str = BADGE) -> str:
    return people.append(
        NOON, lambda state: Made([of(entries.BadgeSet, person, badge=hashing.badge_hash(state.key, code))])
    )


@pytest.fixture
def people(store: Store) -> PeopleLog:
    """A. Smith with a PIN, a badge and a role, and B. Jones with neither."""
    log = PeopleLog(store)
    assert add(log, of(entries.Added, name="A. Smith"), of(entries.Added, "bjones", name="B. Jones")) == ""
    assert add(log, of(entries.SecretSet, hash=HASHES[PIN])) == ""
    assert add(log, of(entries.RoleGiven, rulebook="crown-baccarat", role="area_manager")) == ""
    assert set_badge(log) == ""
    return log


def log_in(people: PeopleLog, secret: str, person: str = "asmith", time: str = NOON, account: str = ACCOUNT) -> str:
    """Log in as the service does; return the refusal."""
    claim = logins.claim(people.state(), Login(person, secret), account, time)
    checked = logins.check([claim])
    return people.append(time, lambda state: logins.settle(state, checked, ACT, account, time))


def kinds(people: PeopleLog) -> list[str]:
    return [entry.kind for entry in people.store.entries(LOG)]


def test_the_state_comes_from_the_log_and_only_hashes_are_stored(people: PeopleLog, store_url: str) -> None:
    with open_store(store_url) as again:
        (smith, jones) = listed(PeopleLog(again).state(), NOON)
    assert smith == {
        "person": "asmith", "name": "A. Smith", "roles": {"crown-baccarat": "area_manager"}, "pin": True,
        "badge": True, "disabled": False, "locked_until": "",
    }  # fmt: skip
    assert (jones["pin"], jones["badge"], jones["roles"]) == (False, False, {})
    assert kinds(people) == ["opened", "added", "added", "secret", "role", "badge"]
    head = people.store.head(LOG)
    everything = b"".join(one.payload for one in people.store.entries(LOG)) + ((head and head.state) or b"")
    assert b"$argon2id$" in everything
    assert PIN.encode() not in everything
    assert BADGE.encode() not in everything
    assert audit.verify(people.store).faults == []


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (of(entries.Added, "ASMITH", name="C"), "is taken"),
        (of(entries.Added, "badge", name="C"), "is taken"),
        (of(entries.Added, "csmith", name="a. smith"), "Another person has the name"),
        (of(entries.Disabled, "nobody"), "There is no person nobody"),
        (of(entries.Enabled), "enabled already"),
        (of(entries.RoleGiven, rulebook="crown-baccarat", role="area_manager"), "already"),
        (of(entries.RoleGiven, "bjones", rulebook="crown-baccarat", role=""), "has no role in crown-baccarat already"),
        (of(entries.BadgeSet, "bjones", badge=""), "no badge already"),
        (of(entries.LockedOut, until=END), "less than 5 failures"),
    ],
)
def test_what_does_not_fit_the_record_is_refused_and_not_logged(
    people: PeopleLog, made: entries.Entry, says: str
) -> None:
    before = kinds(people)
    assert says in add(people, made)
    assert kinds(people) == before


def test_a_badge_has_one_owner(people: PeopleLog) -> None:
    assert "This badge is that of asmith" in set_badge(people, "bjones")
    assert add(people, of(entries.BadgeSet, badge="")) == ""
    assert set_badge(people, "bjones") == ""
    assert log_in(people, BADGE, "bjones") == ""


def test_a_pin_or_a_badge_logs_in_and_the_log_has_the_means(people: PeopleLog) -> None:
    assert log_in(people, PIN) == ""
    assert log_in(people, BADGE) == ""
    assert log_in(people, f" {BADGE} ", "badge") == ""
    newest = [msgspec.json.decode(entry.payload) for entry in people.store.entries(LOG)][-3:]
    assert [(one["kind"], one["person"], one["means"], one["act"], one["by"]) for one in newest] == [
        ("login", "asmith", means, ACT, ACCOUNT) for means in ("secret", "badge", "badge")
    ]


def test_five_failures_lock_out_for_15_minutes(people: PeopleLog) -> None:
    for left in (4, 3, 2):
        assert f"but {left} more failures in a row lock it for 15 minutes" in log_in(people, "111222")
    assert "but 1 more failure locks it for 15 minutes" in log_in(people, "111222")
    assert f"no more are taken until {END}" in log_in(people, "111222")
    before = kinds(people)
    assert before[-6:] == ["failed"] * 5 + ["locked"]
    for secret in (PIN, "111222"):  # the right one too, and none is written any more
        assert f"locked out until {END}" in log_in(people, secret, time=LATER)
    assert kinds(people) == before
    assert listed(people.state(), LATER)[0]["locked_until"] == END
    assert log_in(people, PIN, time=END) == ""
    assert listed(people.state(), END)[0]["locked_until"] == ""
    assert audit.verify(people.store).faults == []


def test_a_success_ends_the_count_and_a_new_pin_ends_a_lock_out(people: PeopleLog) -> None:
    for _ in range(4):
        log_in(people, "111222")
    assert log_in(people, PIN) == ""
    for _ in range(4):
        assert "is wrong" in log_in(people, "111222")
    assert log_in(people, BADGE) == ""
    for _ in range(5):
        log_in(people, "111222")
    assert "locked out" in log_in(people, PIN)
    assert add(people, of(entries.SecretSet, hash=HASHES[PIN])) == ""
    assert log_in(people, PIN) == ""


def test_one_person_s_failures_do_not_lock_another(people: PeopleLog) -> None:
    assert set_badge(people, "bjones", "88112299") == ""
    for _ in range(5):
        log_in(people, "111222")
    assert log_in(people, "88112299", "bjones") == ""


def test_a_disabled_person_is_refused_until_enabled(people: PeopleLog) -> None:
    assert add(people, of(entries.Disabled)) == ""
    for secret in (PIN, BADGE):
        assert "asmith is disabled" in log_in(people, secret)
    assert add(people, of(entries.Enabled)) == ""
    assert log_in(people, PIN) == ""


def test_badges_that_nobody_has_are_counted_for_the_account(people: PeopleLog) -> None:
    for number in range(5):
        assert "Nobody has this badge" in log_in(people, f"9900112{number}", "badge")
    assert f"Account root can use no badges until {END}" in log_in(people, BADGE, "badge")
    assert log_in(people, BADGE, "badge", account="other") == ""
    assert log_in(people, PIN) == ""
    assert log_in(people, BADGE, "badge", time=END) == ""


def test_a_person_without_pin_and_badge_and_an_unknown_one_cannot_log_in(people: PeopleLog) -> None:
    assert "bjones has no PIN and no badge" in log_in(people, PIN, "bjones")
    assert "There is no person nobody" in log_in(people, PIN, "nobody")
    assert "is wrong" in log_in(people, "88112299")  # a code that is neither PIN nor badge


def test_a_check_that_is_overtaken_does_not_count(people: PeopleLog) -> None:
    """Many guesses at once: those checked before the lock-out and stored after it log nobody in."""
    state = people.state()
    right = logins.claim(state, Login("asmith", PIN), ACCOUNT, NOON)
    assert isinstance(right, Claim)
    checked = logins.check([right])
    assert checked[0].right
    for _ in range(5):
        log_in(people, "111222")
    refused = people.append(NOON, lambda now: logins.settle(now, checked, ACT, ACCOUNT, NOON))
    assert "locked out" in refused
    add(people, of(entries.SecretSet, hash=hashing.make_hash("a new password")))
    refused = people.append(NOON, lambda now: logins.settle(now, checked, ACT, ACCOUNT, NOON))
    assert "is wrong" in refused


def test_of_two_people_the_first_wrong_one_is_counted(people: PeopleLog) -> None:
    """Two badges that nobody has, when one failure is left: the lock-out is stored."""
    for number in range(4):
        log_in(people, f"9900112{number}", "badge")
    state = people.state()
    claims = [logins.claim(state, Login("badge", code), ACCOUNT, NOON) for code in ("55667788", "66778899")]
    checked = logins.check([one for one in claims if isinstance(one, Claim)])
    assert len(checked) == 2
    people.append(NOON, lambda now: logins.settle(now, checked, ACT, ACCOUNT, NOON))
    assert kinds(people)[-2:] == ["failed", "locked"]


@pytest.mark.parametrize(
    ("secret", "says"),
    [
        ("12345", "at least 6 digits"),
        ("111111", "not all the same"),
        ("123456", "a row"),
        ("890123", "a row"),
        ("654321", "a row"),
        ("123123", "a repetition"),
        ("121121", "3 different digits"),
        ("7317317", "a repetition"),
        ("secret", "at least 8 characters"),
        ("aaaabbbbb", "4 of them different"),
        ("my-asmith-1", "the id or the name"),
        ("x1Smith99", "the id or the name"),
        ("1234567\x1b", "printable"),
        ("x" * 129, "at most 128"),
    ],
)
def test_a_simple_secret_is_refused(secret: str, says: str) -> None:
    assert says in hashing.too_simple(secret, "asmith", "A. Smith")


@pytest.mark.parametrize("secret", ["730155", "19840611", "correct horse", "пароль-казино", "²34567890"])
def test_a_good_secret_is_taken(secret: str) -> None:
    assert hashing.too_simple(secret, "asmith", "A. Smith") == ""


def test_a_hash_fits_its_secret_only() -> None:
    assert hashing.fits(HASHES[PIN], PIN)
    assert not hashing.fits(HASHES[PIN], PIN + " ")
    assert not hashing.fits("no hash", PIN)
    assert HASHES[PIN].startswith("$argon2id$")
    assert hashing.make_hash(PIN) != HASHES[PIN]  # another salt


def test_a_hash_outside_the_tests_costs_what_slows_an_attacker_down_and_so_does_that_of_nobody() -> None:
    code = "from sabot_floor.people import hashing; print(hashing.make_hash('730155'), hashing.NOBODY)"
    hashes = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert {one.rpartition("$")[0].rpartition("$")[0] for one in hashes} == {"$argon2id$v=19$m=65536,t=2,p=1"}


def test_a_secret_is_not_in_the_text_of_a_request() -> None:
    shown = repr([Login("a", PIN), SetSecret(person="a", secret=PIN), SetBadge(person="a", code=PIN)])
    assert PIN not in shown


def changed(people: PeopleLog, url: str, change: Callable[[list[LogEntry], PeopleState], None]) -> list[str]:
    """Return the faults of a log with a right chain over changed entries or a changed state."""
    made = [LogEntry(one.id, one.kind, one.payload, one.time) for one in people.store.entries(LOG)]
    state = people.state()
    change(made, state)
    edit(url, "DELETE FROM entries")
    edit(url, "DELETE FROM logs")
    people.store.append(LOG, lambda _: Decision(made, msgspec.json.encode(state)))
    return audit.verify(people.store).faults


def _other_role(made: list[LogEntry], state: PeopleState) -> None:
    made[4] = made[4]._replace(payload=made[4].payload.replace(b"area_manager", b"casino_manager"))


def _enabled(made: list[LogEntry], state: PeopleState) -> None:
    made.pop()


def _no_failures(made: list[LogEntry], state: PeopleState) -> None:
    state.people["asmith"].disabled = False


def _other_key(made: list[LogEntry], state: PeopleState) -> None:
    state.key = "00" * 32


def _garbage(made: list[LogEntry], state: PeopleState) -> None:
    made[1] = made[1]._replace(payload=b"{}")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (_other_role, "the state in the store is not what the entries make"),
        (_enabled, "the state in the store is not what the entries make"),
        (_no_failures, "the state in the store is not what the entries make"),
        (_other_key, "the key that badges are hashed with is not the one of the log"),
        (_garbage, "entry 2 (added): it cannot be read"),
    ],
)
def test_the_audit_finds_what_was_changed(people: PeopleLog, store_url: str, change: Any, says: str) -> None:
    add(people, of(entries.Disabled))
    assert audit.verify(people.store).faults == []
    assert any(says in fault for fault in changed(people, store_url, change))


def test_the_audit_finds_a_broken_chain(people: PeopleLog, store_url: str) -> None:
    edit(store_url, "UPDATE entries SET time = ? WHERE seq = 2", LATER)
    assert "entry 2 of log people is not what was written" in audit.verify(people.store).faults[0]


def test_a_store_without_people_is_right(store: Store) -> None:
    assert audit.verify(store) == Verdict(0, [])
    assert listed(PeopleLog(store).state(), NOON) == []

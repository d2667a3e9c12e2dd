"""Own PINs: an administrator's is changed before the first act; lock-outs harm nobody else; a page names no ids."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sabot_floor.commands.verbs import TableCommand
from sabot_floor.people import audit, entries, hashing, logins
from sabot_floor.people.desk import listed
from sabot_floor.people.log import LOG, commitment
from sabot_floor.people.logins import LOCKED, NOT_LOGGED_IN
from sabot_floor.people.state import apply
from sabot_floor.people.verbs import ChangeSecret, Login, SetSecret, UserVerb
from sabot_floor.requests import FloorRequest
from sabot_floor.store import Decision
from sabot_floor.store import Entry as LogEntry
from sabot_floor.web.bridge import Outcome
from sabot_floor.web.desk import ChangePin, Do, Look
from sabot_service.messages import Answer
from sabot_service.moment import utc
from support.patience import PATIENCE_S
from test_web_desk import HASH, HERE, NOON, NOON_S, PIN, Rig

END = utc(NOON_S + 900)  # of a lock-out everywhere, as it was then
FIRST, OWN, BADGE, THERE = "577215", "840266", "00417733", "10.0.0.2"
BOB_PIN = "951377"
BOB_HASH = hashing.make_hash(BOB_PIN)  # takes long: once for all tests


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    """Vera with her own PIN and a badge, and Bob with his own PIN."""
    made = Rig(tmp_path)
    made.people._admins = frozenset(("root",))
    for person, hashed in (("vera", HASH), ("bob", BOB_HASH)):
        made.change(entries.Added(time=NOON, person=person, name=person.title(), by="root"))
        made.change(entries.SecretSet(time=NOON, person=person, hash=hashed, by="root"))
    badge = hashing.badge_hash(made.log.state().key, BADGE)
    made.change(entries.BadgeSet(time=NOON, person="vera", badge=badge, by="root"))
    yield made
    assert audit.verify(made.store).faults == []
    made.close()


def wait(rig: Rig, said: list[Any]) -> Any:
    while not said:
        for _ in rig.selector.select(PATIENCE_S):
            rig.checker.take()
    return said[0]


def asked(rig: Rig, verb: UserVerb, account: str = "root") -> Answer:
    said: list[Answer] = []
    rig.people.begin(verb, account, said.append)
    answer: Answer = wait(rig, said)
    return answer


def attacked(rig: Rig) -> None:
    """Let the PIN of Vera fail at 40 screens."""
    for number in range(40):
        failed = entries.LoginFailed(time=NOON, person="vera", act="", by=f"web 10.0.2.{number}", here=True)
        rig.change(failed)


def own(rig: Rig, before: str, new: str, person: str = "vera", account: str = "dealer7") -> Answer:
    return asked(rig, ChangeSecret(login=Login(person, before), secret=new), account)


def at_socket(rig: Rig, person: str, secret: str, account: str = "dealer7") -> str:
    """Log in for an act at the control socket; return the refusal."""
    said: list[str] = []
    rig.people.log_in(
        [Login(person, secret)], "act", account, lambda one: said.append(one.say), lambda _: said.append("")
    )
    found: str = wait(rig, said)
    return found


# The administrator's PIN


def test_a_pin_of_an_administrator_is_changed_before_the_first_act(rig: Rig) -> None:
    assert asked(rig, SetSecret(person="vera", secret=FIRST)).ok
    assert at_socket(rig, "vera", FIRST) == (
        "An administrator has set the PIN of vera: vera changes it before the first act, with `sabot users own-pin "
        "vera`."
    )
    assert "changes it before the first act" in at_socket(rig, "vera", BADGE)
    opened = rig.log_in(FIRST)
    assert opened.answer.ok
    assert opened.person is not None
    assert opened.person.initial
    assert "vera changes it before the first act, with “Change PIN” on this page" in rig.act(opened.token).answer.say
    changed: Outcome = rig.ask(ChangePin(opened.token, HERE, FIRST, OWN))
    assert changed.answer.ok
    assert rig.act(changed.token).answer.ok
    assert at_socket(rig, "vera", OWN) == ""
    kinds = [one["kind"] for one in rig.entries()]
    assert kinds[kinds.index("badge") + 1 :] == ["secret", "login", "login", "changed", "login", "login"]


def test_an_administrator_sees_whose_pin_is_still_to_be_changed(rig: Rig) -> None:
    asked(rig, SetSecret(person="vera", secret=FIRST))
    assert [one.get("initial", False) for one in listed(rig.log.state(), NOON)] == [False, True]
    assert own(rig, FIRST, OWN).ok
    assert [one.get("initial", False) for one in listed(rig.log.state(), NOON)] == [False, False]


def test_a_person_changes_the_own_pin_with_the_one_of_before(rig: Rig) -> None:
    wrong = own(rig, "111222", OWN)
    assert (wrong.ok, "The PIN, password or badge of vera is wrong" in wrong.say) == (False, True)
    assert not own(rig, BADGE, OWN).ok  # the badge is not the PIN of before
    assert "Too simple" in own(rig, PIN, "123456").say
    assert own(rig, PIN, OWN).ok
    assert "is wrong" in at_socket(rig, "vera", PIN)
    assert at_socket(rig, "vera", OWN) == ""
    assert "There is no person nobody" in own(rig, PIN, OWN, "nobody").say


def test_a_pin_of_before_is_not_taken_again(rig: Rig) -> None:
    assert own(rig, PIN, PIN).say == "You had this PIN or password before: choose another."
    assert own(rig, PIN, OWN).ok
    assert own(rig, OWN, PIN).say == "You had this PIN or password before: choose another."
    asked(rig, SetSecret(person="vera", secret=FIRST))
    for used in (FIRST, PIN, OWN):
        assert "before: choose another" in own(rig, FIRST, used).say
    assert own(rig, FIRST, "628318").ok


def test_a_changed_pin_ends_the_other_sessions(rig: Rig) -> None:
    here, there = rig.log_in().token, rig.log_in(address=THERE).token
    changed: Outcome = rig.ask(ChangePin(here, HERE, PIN, OWN))
    assert changed.answer.ok
    assert changed.token not in ("", here)
    assert rig.act(there, THERE).answer.say == "Your session has ended: log in again."
    assert not rig.ask(Look(there, THERE)).answer.ok
    assert not rig.ask(Look(here, HERE)).answer.ok
    assert rig.act(changed.token).answer.ok


def test_the_page_needs_a_session_and_the_pin_of_before(rig: Rig) -> None:
    assert rig.ask(ChangePin("x" * 43, HERE, PIN, OWN)).answer.say == "Log in first."
    token = rig.log_in().token
    assert rig.ask(ChangePin(token, THERE, PIN, OWN)).answer.say == "Log in first."
    assert rig.ask(ChangePin(token, HERE, "111222", OWN)).answer.say == NOT_LOGGED_IN
    assert rig.act(token).answer.ok
    rig.change(entries.Disabled(time=NOON, person="vera", by="root"))
    assert not rig.ask(ChangePin(token, HERE, PIN, OWN)).answer.ok


# Lock-outs


def test_one_screen_locks_nobody_out_whoever_succeeds_there(rig: Rig) -> None:
    for _ in range(3):
        for _ in range(3):
            assert not rig.log_in("111222").answer.ok
        rig.log_in(BOB_PIN, "bob")
    assert rig.log_in(PIN).answer.say == NOT_LOGGED_IN
    assert rig.log_in(address=THERE).answer.ok
    locked = [one for one in rig.entries() if one["kind"] == "locked"]
    assert [(one["person"], one["by"], one["here"]) for one in locked] == [("vera", "web 10.0.0.1", True)]


def test_two_screens_and_an_account_together_lock_nobody_out(rig: Rig) -> None:
    screens = ["10.0.1.1", "10.0.1.2"]
    for screen in screens * 5:
        assert not rig.log_in("111222", address=screen).answer.ok
    for _ in range(5):
        at_socket(rig, "vera", "111222", "mallory")
    for screen in screens:
        assert rig.log_in(address=screen).answer.say == NOT_LOGGED_IN
    assert rig.log_in(address=THERE).answer.ok
    assert at_socket(rig, "vera", PIN) == ""


def test_a_person_whom_many_screens_attack_logs_in_where_he_has_before_and_with_the_badge_anywhere(rig: Rig) -> None:
    assert rig.log_in().answer.ok
    attacked(rig)
    before = len(rig.entries())
    assert not rig.log_in("111222", address="10.0.2.99").answer.ok
    assert len(rig.entries()) == before
    assert rig.log_in().answer.ok
    assert rig.log_in(address=THERE).answer.say == NOT_LOGGED_IN  # a new screen: slowed, as the attacker is
    assert rig.log_in(BADGE, "badge", THERE).answer.ok
    assert rig.log_in(address=THERE).answer.ok
    (vera,) = [one for one in listed(rig.log.state(), rig.at().time) if one["person"] == "vera"]
    assert vera["locked_at"] == ["elsewhere"]
    rig.now_s = 900.0
    assert rig.log_in(address="10.0.0.3").answer.ok
    asked(rig, SetSecret(person="vera", secret=FIRST))
    assert "locked_at" not in listed(rig.log.state(), rig.at().time)[1]


def test_a_day_of_guesses_everywhere_is_bounded(rig: Rig) -> None:
    """A guess every other minute at 30 places, five of them the person's own: some 600 of 1,000,000 PINs are tried."""
    places = [f"10.0.3.{number}" for number in range(30)]
    state, checked, tried = rig.log.state(), 0, 0
    for place in places[:5]:
        own = entries.LoggedIn(time=NOON, person="vera", means="secret", act="", by=f"web {place}", here=True)
        assert apply(state, own) == ""
    begin = datetime.fromisoformat(NOON)
    for second in range(0, 86_400, 120):
        time = (begin + timedelta(seconds=second)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        for place in places:
            tried += 1
            wrong = logins.claim(state, Login("vera", "111222"), f"web {place}", time)
            made = logins.settle(state, [logins.Checked(wrong, False)], "", f"web {place}", time)
            done = [apply(state, one) for one in made.entries]
            checked += bool(made.entries) and done[0] == ""
    assert tried == 21_600
    assert 500 < checked < 650


def test_a_lock_out_is_no_time_to_guess_badges(rig: Rig) -> None:
    for _ in range(5):
        at_socket(rig, "vera", "111222")
    for number in range(5):
        assert "locked out until" in at_socket(rig, "vera", f"0041770{number}")
    assert "Too many log-ins of vera have failed for account dealer7" in at_socket(rig, "vera", BADGE)
    assert at_socket(rig, "vera", BADGE, "pit") == ""
    assert at_socket(rig, "bob", BOB_PIN) == ""
    rig.now_s = 900.0
    assert at_socket(rig, "vera", PIN) == ""


def test_an_id_that_nobody_has_leaves_as_many_traces_as_one_that_is_known(rig: Rig) -> None:
    for person in ("nobody", "vera"):
        before = len(rig.entries())
        for _ in range(7):
            rig.log_in("111222", person, address=f"10.0.4.{len(person)}")
        kinds = [one["kind"] for one in rig.entries()[before:] if one["kind"] != "locked"]
        assert kinds == ["unknown" if person == "nobody" else "failed"] * 5


def test_a_success_of_one_s_own_does_not_unlock_the_screen(rig: Rig) -> None:
    for number in range(10):
        assert rig.log_in("111222", person=("vera", "nobody", "p3")[number % 3]).answer.say == NOT_LOGGED_IN
        if number < 9:
            assert rig.log_in(BOB_PIN, "bob").answer.ok
    assert rig.log_in(BOB_PIN, "bob").answer.say == LOCKED
    assert rig.log_in(BOB_PIN, "bob", address=THERE).answer.ok


def test_a_second_person_s_log_in_for_an_act_counts_for_the_screen(rig: Rig) -> None:
    token = rig.log_in(BOB_PIN, "bob").token

    def with_second(login: Login) -> FloorRequest:
        second = Login("vera", "111222")
        return FloorRequest(TableCommand(table="bac-01", command="confirm", login=login, second_login=second))

    for _ in range(10):
        assert rig.ask(Do(token, HERE, with_second)).answer.say == NOT_LOGGED_IN
    assert rig.ask(Do(token, HERE, with_second)).answer.say == LOCKED
    assert rig.act(token).answer.ok  # the session needs no PIN
    assert rig.log_in(address=THERE).answer.ok


def test_the_badge_lifts_a_lock_out_everywhere(rig: Rig) -> None:
    for _ in range(5):
        at_socket(rig, "vera", "111222")
    assert "locked out until" in at_socket(rig, "vera", PIN)
    assert rig.log_in(BADGE, "badge").answer.ok
    assert at_socket(rig, "vera", PIN) == ""
    rig.now_s = 900.0  # else the screen has failed too often
    for _ in range(5):
        rig.log_in("111222")
    assert rig.log_in(PIN).answer.say == NOT_LOGGED_IN  # at this screen
    assert rig.log_in(BADGE).answer.ok
    assert rig.log_in(PIN).answer.ok


def test_the_badge_opens_a_screen_that_others_have_locked(rig: Rig) -> None:
    for number in range(20):
        rig.log_in("111222", person=("vera", "bob", "nobody")[number % 3])
    assert rig.log_in(BOB_PIN, "bob").answer.say == LOCKED
    assert rig.log_in(BADGE).answer.say == LOCKED  # in place of a PIN: nobody tries badges as PINs
    opened = rig.log_in(BADGE, "badge")
    assert opened.answer.ok
    assert rig.act(opened.token).answer.ok
    assert rig.log_in(BOB_PIN, "bob").answer.say == LOCKED


def test_badges_are_guessed_at_a_locked_screen_no_more_than_elsewhere(rig: Rig) -> None:
    for _ in range(10):
        rig.log_in("111222")
    before = len(rig.entries())
    for number in range(30):
        assert not rig.log_in(f"9041773{number % 10}", "badge").answer.ok
    assert [one["kind"] for one in rig.entries()[before:]] == ["failed"] * 5 + ["locked"]
    assert rig.log_in(BADGE, "badge").answer.say == NOT_LOGGED_IN
    assert rig.log_in(BADGE, "badge", THERE).answer.ok
    rig.now_s = 900.0
    assert rig.log_in(BADGE, "badge").answer.ok


# What a page says, and how long it takes


@pytest.mark.parametrize("state", ["unknown", "wrong", "disabled", "no PIN", "locked", "slowed"])
def test_a_page_says_the_same_of_every_id_after_one_check(
    rig: Rig, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if state == "disabled":
        rig.change(entries.Disabled(time=NOON, person="vera", by="root"))
    elif state == "no PIN":
        rig.change(entries.Added(time=NOON, person="carl", name="Carl", by="root"))
    elif state == "locked":
        for _ in range(5):
            rig.log_in("111222")
    elif state == "slowed":
        attacked(rig)
    checks: list[str] = []
    fits = hashing.fits

    def counted(hashed: str, secret: str) -> bool:
        checks.append(hashed)
        return fits(hashed, secret)

    monkeypatch.setattr(hashing, "fits", counted)
    person = {"unknown": "nobody", "no PIN": "carl"}.get(state, "vera")
    outcome = rig.log_in(PIN if state in ("disabled", "locked", "slowed") else "111222", person)
    assert outcome.answer == Answer(False, NOT_LOGGED_IN)
    assert len(checks) == 1
    assert checks[0].split("$")[:4] == HASH.split("$")[:4]  # the same work


def test_an_id_that_nobody_has_leaves_a_trace(rig: Rig) -> None:
    rig.log_in("111222", "nobody")
    newest = rig.entries()[-1]
    assert (newest["kind"], newest["given"], newest["by"]) == ("unknown", "nobody", "web 10.0.0.1")


# A log of an earlier release


def test_a_log_of_an_earlier_release_is_read_and_verified(tmp_path: Path) -> None:
    key = "11" * 32
    old: list[dict[str, Any]] = [
        {"kind": "opened", "time": NOON, "commitment": commitment(bytes.fromhex(key))},
        {"kind": "added", "time": NOON, "person": "old", "name": "Old", "by": "root"},
        {"kind": "secret", "time": NOON, "person": "old", "hash": HASH, "by": "root"},
        {"kind": "secret", "time": NOON, "person": "old", "hash": BOB_HASH, "by": "root"},
        {"kind": "login", "time": NOON, "person": "old", "means": "secret", "act": "confirm", "by": "root"},
        *[{"kind": "failed", "time": NOON, "person": "old", "act": "confirm", "by": "root"}] * 5,
        {"kind": "locked", "time": NOON, "person": "old", "until": END, "by": "root"},
    ]
    person = {
        "id": "old", "name": "Old", "roles": {}, "badge": "", "secret": BOB_HASH, "disabled": False,
        "attempts": {"failures": 0, "locked_until": END},
    }  # fmt: skip
    state = {"people": {"old": person}, "accounts": {}, "commitment": old[0]["commitment"], "key": key}
    made = [
        LogEntry(f"{LOG}-{number}", one["kind"], msgspec.json.encode(one), NOON) for number, one in enumerate(old, 1)
    ]
    other = Rig(tmp_path)
    other.store.append(LOG, lambda _: Decision(made, msgspec.json.encode(state)))
    assert audit.verify(other.store).faults == []
    assert at_socket(other, "old", BOB_PIN) == ""  # nobody is asked to change a PIN that was given before
    assert own(other, BOB_PIN, OWN, "old").ok
    assert audit.verify(other.store).faults == []
    other.close()

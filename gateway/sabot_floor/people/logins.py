"""Log-ins: what a person gives against the record; failures are counted, and lock out."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from sabot_floor.people import hashing
from sabot_floor.people.entries import Entry, LockedOut, LoggedIn, LoginFailed
from sabot_floor.people.log import Made
from sabot_floor.people.sessions import ACCOUNT, SESSION, Session, Sessions, holds
from sabot_floor.people.state import (
    BADGE,
    MOST_FAILURES,
    Attempts,
    PeopleState,
    attempts_of,
    by_badge,
    refuse_login,
    until,
)
from sabot_floor.people.verbs import Login


class Claim(NamedTuple):
    """Whom a log-in is for; `hash` is what its secret must fit unless the badge is right."""

    person: str  # empty if nobody has this badge
    badge: str  # the hash of the badge if it is this person's
    hash: str
    secret: str
    session: Session | None = None


class Checked(NamedTuple):
    """A claim, and whether it is right."""

    claim: Claim
    right: bool


def claim(state: PeopleState, login: Login, account: str, time: str) -> Claim | str:
    """Return whom a log-in is for, or why it is refused without a look at its secret."""
    badge = hashing.badge_hash(state.key, login.secret)
    owner = by_badge(state, badge)
    person = login.person if login.person != BADGE else owner.id if owner else ""
    if login.person == BADGE and (refused := refuse_login(state, "", account, time)):
        return refused
    if refused := refuse_login(state, person, account, time):
        return refused
    if owner is not None and owner.id == person:
        return Claim(person, badge, "", "")
    hashed = state.people[person].secret if person else ""
    if person and not hashed and not state.people[person].badge:
        return f"{person} has no PIN and no badge: set one, `sabot users pin {person}`."
    return Claim(person, "", hashed, login.secret)


def session_claim(sessions: Sessions, login: Login, account: str, now_s: float) -> Claim | str:
    """Return whom a log-in by a session's token is for, or why it is refused."""
    found = sessions.find(login.secret.removeprefix(SESSION), account.removeprefix(ACCOUNT), now_s)
    if found is None or found.person != login.person:
        return "Your session has ended: log in again."
    return Claim(found.person, "", "", "", found)


def by_session(login: Login, account: str) -> bool:
    """Return True if a log-in is by a session's token; only a page can give one."""
    return account.startswith(ACCOUNT) and login.secret.startswith(SESSION)


def check(claims: Sequence[Claim]) -> list[Checked]:
    """Compare every secret with its hash; takes about 0.1 s for each."""
    return [Checked(one, _right(one)) for one in claims]


def _right(one: Claim) -> bool:
    return bool(one.badge) or one.session is not None or bool(one.hash and hashing.fits(one.hash, one.secret))


def settle(state: PeopleState, checked: Sequence[Checked], act: str, account: str, time: str) -> Made:
    """Return the entries of log-ins that were checked, up to the first that is not right, and its refusal.

    The state refuses all of them if one of the people is disabled or locked out meanwhile.
    """
    entries = list[Entry]()
    for one, right in checked:
        person = one.person
        if one.session is not None and not holds(state, one.session):
            return Made(entries, "Your session has ended: log in again.")
        if right and (one.session is not None or (one.badge or one.hash) == _current(state, person, one.badge)):
            entries.append(LoggedIn(time=time, person=person, means=_means(one), act=act, by=account))
            continue
        entries.append(LoginFailed(time=time, person=person, act=act, by=account))
        failures = attempts_of(state, person, account).failures + 1
        if failures >= MOST_FAILURES:
            entries.append(LockedOut(time=time, person=person, until=until(time), by=account))
        return Made(entries, _wrong(person, failures, time))
    return Made(entries)


def _means(one: Claim) -> Literal["secret", "badge", "session"]:
    return "session" if one.session is not None else "badge" if one.badge else "secret"


def _current(state: PeopleState, person: str, badge: str) -> str:
    """Return what the record has now: it may have changed since the claim."""
    return state.people[person].badge if badge else state.people[person].secret


def _wrong(person: str, failures: int, time: str) -> str:
    what = f"The PIN, password or badge of {person} is wrong" if person else "Nobody has this badge"
    if failures >= MOST_FAILURES:
        return f"{what}; after {MOST_FAILURES} failures no more are taken until {until(time)}."
    left = MOST_FAILURES - failures
    again = f"{left} more failures in a row lock" if left > 1 else "1 more failure locks"
    return f"{what}; try again, but {again} it for 15 minutes."


def locked_until(attempts: Attempts, time: str) -> str:
    """Return until when a lock-out lasts, empty if there is none."""
    return attempts.locked_until if attempts.locked(time) else ""

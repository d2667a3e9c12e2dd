"""Log-ins: what a person gives against the record; failures are counted, and lock out."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from sabot_floor.people import hashing
from sabot_floor.people.entries import Entry, LockedOut, LoggedIn, LoginFailed, NotKnown
from sabot_floor.people.log import Made
from sabot_floor.people.sessions import ACCOUNT, SESSION, Session, Sessions, holds
from sabot_floor.people.state import (
    BADGE,
    MOST_FAILURES,
    PeopleState,
    Person,
    failures_of,
    refuse_login,
    refuse_place,
    slowed,
    until,
)
from sabot_floor.people.state import by_badge as owner_of
from sabot_floor.people.verbs import Login

SESSION_ENDED = "Your session has ended: log in again."
NOT_LOGGED_IN = (
    "Not logged in: the id, the PIN or password, or the badge is wrong, or the person is locked out or disabled. Try "
    "again, hold your badge to the reader, or get a new PIN."
)
_CHANGES = "changes it before the first act"
LOCKED = "Too many log-ins have failed at this screen: no more are taken for 15 minutes, but with the badge."


class Claim(NamedTuple):
    """Whom a log-in is for; `hash` is what its secret must fit unless the badge is right."""

    person: str  # empty if nobody has this badge, or this id
    badge: str  # the hash of the badge if it is this person's
    hash: str
    secret: str
    session: Session | None = None
    given: str = ""  # the id as typed
    refused: str = ""  # whatever the secret is
    trace: bool = True  # an id that cannot log in gets an entry


class Checked(NamedTuple):
    """A claim, and whether it is right."""

    claim: Claim
    right: bool


def claim(
    state: PeopleState, login: Login, account: str, time: str, *, trace: bool = True, by_badge: bool = True
) -> Claim:
    """Return whom a log-in is for."""
    badge = hashing.badge_hash(state.key, login.secret) if by_badge else ""
    owner = owner_of(state, badge)
    person = login.person if login.person != BADGE else owner.id if owner else ""
    own = owner is not None and owner.id == person
    nobody = hashing.NOBODY if by_page(account) else ""
    given = Claim(person, "", nobody, login.secret, given=login.person, trace=trace)
    if login.person == BADGE and (refused := refuse_login(state, "", account, time)):
        return given._replace(refused=refused)
    if refused := refuse_login(state, person, account, time, badge=own):
        return given._replace(refused=refused, trace=trace and not _is_locked(state, person, account, time))
    if own:
        return given._replace(badge=badge, hash="")
    if not person:
        return given._replace(hash="")
    hashed = state.people[person].secret
    if not hashed and not state.people[person].badge:
        return given._replace(refused=f"{person} has no PIN and no badge: set one, `sabot users pin {person}`.")
    return given._replace(hash=hashed or nobody)


def _is_locked(state: PeopleState, person: str, account: str, time: str) -> bool:
    """Return True if failures keep a person out at a place: those are in the log, and guesses must not fill it."""
    found = state.people.get(person)
    return found is not None and refuse_place(found, account, time) != ""


def session_claim(sessions: Sessions, login: Login, account: str, now_s: float) -> Claim | None:
    """Return whom a log-in by a session's token is for; None if the session has ended."""
    found = sessions.find(login.secret.removeprefix(SESSION), account.removeprefix(ACCOUNT), now_s)
    if found is None or found.person != login.person:
        return None
    return Claim(found.person, "", "", "", found, found.person)


def by_page(account: str) -> bool:
    """Return True for an account of a page: what it is answered tells nobody which people there are."""
    return account.startswith(ACCOUNT)


def by_session(login: Login, account: str) -> bool:
    """Return True if a log-in is by a session's token; only a page can give one."""
    return by_page(account) and login.secret.startswith(SESSION)


def check(claims: Sequence[Claim]) -> list[Checked]:
    """Compare every secret with its hash; takes about 0.1 s for each."""
    return [Checked(one, _right(one)) for one in claims]


def _right(one: Claim) -> bool:
    fits = bool(one.hash and hashing.fits(one.hash, one.secret))  # also of a log-in that is refused: for the same time
    return bool(one.badge) or one.session is not None or fits


def settle(
    state: PeopleState, checked: Sequence[Checked], act: str, account: str, time: str, *, initial: bool = False
) -> Made:
    """Return the entries of log-ins that were checked, up to the first that is not right, and its refusal.

    The state refuses all of them if one of the people is disabled or locked out meanwhile. `initial`: also with a PIN
    that an administrator has set.
    """
    entries = list[Entry]()
    for one, right in checked:
        person = one.person
        if one.refused:
            return Made([*entries, *_trace(one, act, account, time)], one.refused)
        if one.session is not None and not holds(state, one.session):
            return Made(entries, SESSION_ENDED)
        if right and (one.session is not None or (one.badge or one.hash) == _current(state, person, one.badge)):
            if state.people[person].initial and not initial:
                return Made(entries, change_first(person, account))
            entries.append(LoggedIn(time=time, person=person, means=_means(one), act=act, by=account, here=True))
            continue
        entries.append(LoginFailed(time=time, person=person, act=act, by=account, here=bool(person)))
        failures = failures_of(state, person, account, time) + 1
        if failures >= MOST_FAILURES:
            entries.append(LockedOut(time=time, person=person, until=until(time), by=account, here=bool(person)))
        return Made(entries, _wrong(person, failures, time))
    return Made(entries)


def too_many(person: str, account: str) -> str:
    """Return why no log-in with an id is looked at any more, not even one with a badge for a PIN."""
    if by_page(account):
        return LOCKED
    return f"Too many log-ins of {person} have failed for account {account}: no more are taken for 15 minutes."


def _trace(one: Claim, act: str, account: str, time: str) -> list[Entry]:
    """Return the entry of an id that cannot log in, as a wrong secret has one: both take as long to answer."""
    if one.given == BADGE or not one.trace:
        return []
    return [NotKnown(time=time, given=one.given, act=act, by=account)]


def change_first(person: str, account: str) -> str:
    """Return that a PIN that an administrator has set is changed before anything else, and how."""
    how = "“Change PIN” on this page" if by_page(account) else f"`sabot users own-pin {person}`"
    return f"An administrator has set the PIN of {person}: {person} {_CHANGES}, with {how}."


def for_page(refused: str) -> str:
    """Return a refusal as a page shows it: one text for a wrong secret, an unknown id, and a person locked out."""
    return refused if refused == SESSION_ENDED or _CHANGES in refused else NOT_LOGGED_IN


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


def locked_at(person: Person, time: str) -> dict[str, str]:
    """Return at which places no PIN of a person is taken now, and until when; `elsewhere`: where he is not known."""
    found = {name: one.locked_until for name, one in person.places.items() if one.locked(time)}
    return found | ({"elsewhere": until(person.strange[-1])} if slowed(person, time) else {})

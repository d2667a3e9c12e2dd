"""State of the log `people`: a pure function of its entries."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Final

import msgspec

from sabot_floor.people import entries as made
from sabot_floor.people.entries import Entry

MOST_PEOPLE = 2000
MOST_ACCOUNTS = 100  # whose failed badges are counted
MOST_FAILURES = 5
MOST_USED = 3  # PINs and passwords of before that a person may not take again
LOCKED_FOR = timedelta(minutes=15)
BADGE = "badge"  # in place of a person's id: the badge shows who it is


class Attempts(msgspec.Struct):
    """Failures since the last success, and until when a lock-out lasts."""

    failures: int = 0
    locked_until: str = ""

    def locked(self, time: str) -> bool:
        """Return True while a lock-out lasts."""
        return bool(self.locked_until) and instant(time) < instant(self.locked_until)


class Person(msgspec.Struct):
    """A person of the site."""

    id: str
    name: str
    roles: dict[str, str] = {}  # by rulebook
    badge: str = ""
    secret: str = ""
    disabled: bool = False
    attempts: Attempts = msgspec.field(default_factory=Attempts)
    initial: bool = False  # the PIN is one that an administrator has set: it is changed before the first act
    used: list[str] = []  # hashes of before, the newest last


class PeopleState(msgspec.Struct):
    """All people; `key` is in no entry: it hashes badges, and only its commitment is in the log."""

    people: dict[str, Person] = {}
    accounts: dict[str, Attempts] = {}  # that gave badges that nobody has
    commitment: str = ""
    key: str = ""  # hex


def instant(time: str) -> datetime:
    """Return a time of an entry."""
    return datetime.fromisoformat(time)


def until(time: str) -> str:
    """Return when a lock-out that begins now ends."""
    return (instant(time) + LOCKED_FOR).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def by_badge(state: PeopleState, badge: str) -> Person | None:
    """Return the person with this badge."""
    return next((one for one in state.people.values() if badge and one.badge == badge), None)


def unknown(state: PeopleState, person: str) -> str:
    """Return the refusal if there is no such person."""
    return "" if person in state.people else f"There is no person {person}: `sabot users list` has all."


def apply(state: PeopleState, entry: Entry) -> str:
    """Change the state by an entry and return an empty text; or return why it is refused and change nothing."""
    person: str = getattr(entry, "person", "")
    if person and not isinstance(entry, made.Added) and (refused := unknown(state, person)):
        return refused
    return _TAKEN_BY[type(entry)](state, entry)


def _open(state: PeopleState, entry: made.Opened) -> str:
    if state.commitment:
        return "The log was opened before."
    state.commitment = entry.commitment
    return ""


def _add(state: PeopleState, entry: made.Added) -> str:
    known = state.people.values()
    if entry.person == BADGE or any(one.id.casefold() == entry.person.casefold() for one in known):
        return f"{entry.person} is taken: give another id."
    if any(one.name.casefold() == entry.name.casefold() for one in known):
        return f"Another person has the name {entry.name}: give one that tells them apart."
    if len(state.people) >= MOST_PEOPLE:
        return f"There are {MOST_PEOPLE} people already, the most that there can be."
    state.people[entry.person] = Person(entry.person, entry.name)
    return ""


def _give_role(state: PeopleState, entry: made.RoleGiven) -> str:
    roles = state.people[entry.person].roles
    if roles.get(entry.rulebook, "") == entry.role:
        return f"{entry.person} has {entry.role or 'no role'} in {entry.rulebook} already."
    if entry.role:
        roles[entry.rulebook] = entry.role
    else:
        del roles[entry.rulebook]
    return ""


def _disable(state: PeopleState, entry: made.Disabled | made.Enabled) -> str:
    person, disabled = state.people[entry.person], isinstance(entry, made.Disabled)
    if person.disabled == disabled:
        return f"{entry.person} is {'disabled' if disabled else 'enabled'} already."
    person.disabled = disabled
    return ""


def _set_badge(state: PeopleState, entry: made.BadgeSet) -> str:
    person, other = state.people[entry.person], by_badge(state, entry.badge)
    if other is not None and other is not person:
        return f"This badge is that of {other.id}: take it from there first, `sabot users badge {other.id} --remove`."
    if person.badge == entry.badge:
        return f"{entry.person} has {'this badge' if entry.badge else 'no badge'} already."
    person.badge = entry.badge
    return ""


def _set_secret(state: PeopleState, entry: made.SecretSet) -> str:
    person = state.people[entry.person]
    if person.secret and entry.initial:
        _retire(person)
    person.secret, person.attempts, person.initial = entry.hash, Attempts(), entry.initial
    return ""


def _change_secret(state: PeopleState, entry: made.SecretChanged) -> str:
    person = state.people[entry.person]
    if person.disabled or not person.secret:
        return f"{entry.person} has no PIN that can be changed."
    _retire(person)
    person.secret, person.attempts, person.initial = entry.hash, Attempts(), False
    return ""


def _retire(person: Person) -> None:
    """Keep the PIN of now as one of before."""
    person.used = [*person.used, person.secret][-MOST_USED:]


def refuse_login(state: PeopleState, person: str, account: str, time: str, *, badge: bool = False) -> str:
    """Return why this person cannot log in now, whatever the secret; of no person: why the account can use no badge.

    `badge`: with the own badge, which a lock-out does not keep out.
    """
    if not person:
        attempts = state.accounts.get(account)
        if attempts and attempts.locked(time):
            return (
                f"Account {account} can use no badges until {attempts.locked_until}, after {MOST_FAILURES} that nobody "
                "has; wait, or give your id and PIN: --as PERSON."
            )
        return ""
    if refused := unknown(state, person):
        return refused
    found = state.people[person]
    if found.disabled:
        return f"{person} is disabled: another person must do this."
    if found.attempts.locked(time) and not badge:
        return (
            f"{person} is locked out until {found.attempts.locked_until}, after {MOST_FAILURES} failures; wait, log in "
            f"with the badge, or get a new PIN: `sabot users pin {person}`."
        )
    return ""


def _log_in(state: PeopleState, entry: made.LoggedIn) -> str:
    if entry.means == "session":  # failures of others at the log-in do not end it
        return f"{entry.person} is disabled." if state.people[entry.person].disabled else ""
    refused = refuse_login(state, entry.person, entry.by, entry.time, badge=entry.means == "badge")
    if not refused:
        state.people[entry.person].attempts = Attempts()
    return refused


def attempts_of(state: PeopleState, person: str, account: str) -> Attempts:
    """Return what is counted of a person, or of an account if there is none."""
    return state.people[person].attempts if person else state.accounts.get(account, Attempts())


def _fail(state: PeopleState, entry: made.LoginFailed) -> str:
    refused = refuse_login(state, entry.person, entry.by, entry.time)
    if not refused:
        _keep(state, entry, Attempts(attempts_of(state, entry.person, entry.by).failures + 1))
    return refused


def _lock(state: PeopleState, entry: made.LockedOut) -> str:
    if attempts_of(state, entry.person, entry.by).failures < MOST_FAILURES:
        return f"There were less than {MOST_FAILURES} failures."
    _keep(state, entry, Attempts(0, entry.until))
    return ""


def _keep(state: PeopleState, entry: made.LoginFailed | made.LockedOut, attempts: Attempts) -> None:
    if entry.person:
        state.people[entry.person].attempts = attempts
        return
    state.accounts.pop(entry.by, None)
    state.accounts[entry.by] = attempts
    while len(state.accounts) > MOST_ACCOUNTS:
        del state.accounts[next(iter(state.accounts))]  # the oldest


_TAKEN_BY: Final[dict[type, Callable[[PeopleState, Any], str]]] = {
    made.Opened: _open,
    made.Added: _add,
    made.RoleGiven: _give_role,
    made.Disabled: _disable,
    made.Enabled: _disable,
    made.BadgeSet: _set_badge,
    made.SecretSet: _set_secret,
    made.SecretChanged: _change_secret,
    made.LoggedIn: _log_in,
    made.LoginFailed: _fail,
    made.LockedOut: _lock,
    made.NotKnown: lambda state, entry: "",
}
_decoder = msgspec.json.Decoder(PeopleState)


def encode(state: PeopleState) -> bytes:
    """Return the state as JSON."""
    return msgspec.json.encode(state)


def decode(data: bytes) -> PeopleState:
    """Return the state that `encode` made; msgspec.ValidationError if it is damaged."""
    return _decoder.decode(data)

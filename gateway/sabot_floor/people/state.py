"""State of the log `people`: a pure function of its entries."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Final

import msgspec

from sabot_floor.people import entries as made
from sabot_floor.people.entries import Entry

MOST_PEOPLE = 2000
MOST_ACCOUNTS = 100  # whose failed badges are counted
MOST_FAILURES = 5  # in a row at one place: an account of the control socket, or the address of a page
MOST_STRANGE = 40  # in a day at places where the person has not logged in before; then one every 15 minutes
MOST_OWN, MOST_PLACES = 5, 40  # places of a person: where he has logged in, the newest; all
MOST_USED = 3  # PINs and passwords of before that a person may not take again
LOCKED_FOR = timedelta(minutes=15)
_COUNT_FOR = timedelta(days=1)
BADGE = "badge"  # in place of a person's id: the badge shows who it is


class Attempts(msgspec.Struct):
    """Failures since the last success, and until when a lock-out lasts."""

    failures: int = 0
    locked_until: str = ""

    def locked(self, time: str) -> bool:
        """Return True while a lock-out lasts."""
        return bool(self.locked_until) and instant(time) < instant(self.locked_until)


class Place(msgspec.Struct):
    """What is counted of one person at one place."""

    failures: int = 0  # in a row
    last: str = ""  # when the newest of them was
    locked_until: str = ""
    own: bool = False  # the person has logged in there

    def locked(self, time: str) -> bool:
        """Return True while no PIN of the person is taken there."""
        return bool(self.locked_until) and instant(time) < instant(self.locked_until)

    def failures_at(self, time: str) -> int:
        """Return the failures that count now."""
        return self.failures if self.last and instant(time) - instant(self.last) < _COUNT_FOR else 0


class Person(msgspec.Struct):
    """A person of the site; `attempts` is of a log of an earlier release."""

    id: str
    name: str
    roles: dict[str, str] = {}  # by rulebook
    badge: str = ""
    secret: str = ""
    disabled: bool = False
    attempts: Attempts = msgspec.field(default_factory=Attempts)
    initial: bool = False  # the PIN is one that an administrator has set: it is changed before the first act
    used: list[str] = []  # hashes of before, the newest last
    places: dict[str, Place] = {}  # by account, the newest last
    strange: list[str] = []  # times of the newest failures at places that were not the person's own


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
    _begin_anew(person)
    return ""


def _change_secret(state: PeopleState, entry: made.SecretChanged) -> str:
    person = state.people[entry.person]
    if person.disabled or not person.secret:
        return f"{entry.person} has no PIN that can be changed."
    _retire(person)
    person.secret, person.attempts, person.initial = entry.hash, Attempts(), False
    _begin_anew(person)
    return ""


def _retire(person: Person) -> None:
    """Keep the PIN of now as one of before."""
    person.used = [*person.used, person.secret][-MOST_USED:]


def _begin_anew(person: Person) -> None:
    """Forget the failures: they were guesses at another secret."""
    person.places = {name: Place(own=True) for name, one in person.places.items() if one.own}
    person.strange = []


def slowed(person: Person, time: str) -> bool:
    """Return True while no PIN is taken at a place that is not the person's own."""
    if len(person.strange) < MOST_STRANGE:
        return False
    first, last, now = instant(person.strange[0]), instant(person.strange[-1]), instant(time)
    return now - first < _COUNT_FOR and now - last < LOCKED_FOR


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
    return "" if badge else refuse_place(found, account, time)


def refuse_place(person: Person, account: str, time: str) -> str:
    """Return why no PIN of a person is taken at a place."""
    place = person.places.get(account, Place())
    wait = f"wait, log in with the badge, or get a new PIN: `sabot users pin {person.id}`."
    if place.locked(time):
        locked = f"{person.id} is locked out until {place.locked_until} for {account}, after {MOST_FAILURES} failures"
        return f"{locked}; {wait}"
    if not place.own and slowed(person, time):
        return (
            f"Log-ins of {person.id} have failed at many places: until {until(person.strange[-1])} the PIN is taken "
            f"only where {person.id} has logged in before; {wait}"
        )
    return ""


def _log_in(state: PeopleState, entry: made.LoggedIn) -> str:
    person = state.people[entry.person]
    if entry.means == "session":  # failures of others at the log-in do not end it
        return f"{entry.person} is disabled." if person.disabled else ""
    refused = refuse_login(state, entry.person, entry.by, entry.time, badge=entry.means == "badge")
    if refused:
        return refused
    person.attempts = Attempts()
    if entry.here:
        if entry.means == "badge":
            for place in person.places.values():
                place.locked_until = ""
        _keep_place(person, entry.by, Place(own=True))
    return ""


def _keep_place(person: Person, account: str, place: Place) -> None:
    """Keep what is counted at a place as the newest; forget the oldest that are too many, the own ones last."""
    person.places.pop(account, None)
    person.places[account] = place
    own = [name for name, one in person.places.items() if one.own]
    for name in own[:-MOST_OWN]:
        person.places[name].own = False
    if len(person.places) > MOST_PLACES:
        del person.places[next(name for name, one in person.places.items() if not one.own)]


def failures_of(state: PeopleState, person: str, account: str, time: str) -> int:
    """Return the failures in a row: of a person at a place, or of an account with badges that nobody has."""
    if person:
        return state.people[person].places.get(account, Place()).failures_at(time)
    return state.accounts.get(account, Attempts()).failures


def _attempts_of(state: PeopleState, entry: made.LoginFailed | made.LockedOut) -> Attempts:
    return state.people[entry.person].attempts if entry.person else state.accounts.get(entry.by, Attempts())


def _fail(state: PeopleState, entry: made.LoginFailed) -> str:
    if refused := refuse_login(state, entry.person, entry.by, entry.time):
        return refused
    if not entry.here:
        _keep(state, entry, Attempts(_attempts_of(state, entry).failures + 1))
        return ""
    person = state.people[entry.person]
    place = person.places.get(entry.by, Place())
    if not place.own:
        person.strange = [*person.strange, entry.time][-MOST_STRANGE:]
    _keep_place(person, entry.by, Place(place.failures_at(entry.time) + 1, entry.time, own=place.own))
    return ""


def _lock(state: PeopleState, entry: made.LockedOut) -> str:
    few = f"There were less than {MOST_FAILURES} failures."
    if entry.here:
        place = state.people[entry.person].places.get(entry.by, Place())
        if place.failures < MOST_FAILURES:
            return few
        place.locked_until = entry.until
        return ""
    if _attempts_of(state, entry).failures < MOST_FAILURES:
        return few
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

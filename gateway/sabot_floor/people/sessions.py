"""Sessions: people who have logged in at a page; while a session lasts, its token is one more way to log in."""

import hashlib
import secrets
from collections.abc import Callable
from typing import Final, Literal

import msgspec

from sabot_floor.people.state import LOCKED_FOR, PeopleState, Person
from sabot_floor.people.state import MOST_FAILURES as MOST_FOR_PERSON

SESSION = "session:"  # begins the secret of a log-in by a session's token
ACCOUNT = "web "  # begins the account of a page; the address follows. No account of the control socket has a space
MOST_SESSIONS, MOST_OF_PERSON = 500, 5
LONGEST_S = 12 * 3600.0
MOST_FAILURES, MOST_ADDRESSES = 10, 1000  # of an address in 15 minutes; addresses that are counted
_TOKEN_BYTES = 32

Kind = Literal["pit", "dealer"]


class Session(msgspec.Struct):
    """A person at a page; `id` is the hash of the token."""

    id: str
    person: str
    mark: str  # of the record when the session was opened
    address: str
    kind: Kind
    idle_s: float
    opened_s: float
    seen_s: float
    answer_by_s: float = 0.0  # of an act: the person is not idle before

    def over(self, now_s: float) -> bool:
        """Return True if the person was idle for too long, or here for too long."""
        idle = now_s >= self.answer_by_s and now_s - self.seen_s >= self.idle_s
        return idle or now_s - self.opened_s >= LONGEST_S


def session_id(token: str) -> str:
    """Return what is kept of a token."""
    return hashlib.sha256(f"sabot session {token}".encode()).hexdigest()


def page_token(token: str) -> str:
    """Return what a page must send with each act; a form of another site cannot know it."""
    return hashlib.sha256(f"sabot page {token}".encode()).hexdigest()


def mark(person: Person) -> str:
    """Return a text that changes with everything that ends a session: PIN, badge, roles, disabled."""
    parts = (person.id, person.secret, person.badge, person.disabled, sorted(person.roles.items()))
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()


class Sessions:
    """All sessions of this worker; the part that stores them resets `changed` and `used`."""

    def __init__(self, new_token: Callable[[], str] = lambda: secrets.token_urlsafe(_TOKEN_BYTES)) -> None:
        self._new_token = new_token
        self._open: dict[str, Session] = {}  # by id, oldest first
        self._ended: set[str] = set()
        self.changed = self.used = False  # one was opened or has ended; somebody did something

    def all(self) -> list[Session]:
        """Return all that are open, oldest first."""
        return list(self._open.values())

    def restore(self, sessions: list[Session]) -> None:
        """Go on with sessions of before."""
        self._open = {one.id: one for one in sessions}

    def __len__(self) -> int:
        return len(self._open)

    def open(self, person: Person, address: str, kind: Kind, idle_s: float, now_s: float) -> str:
        """Open a session and return its token; the oldest of a person with too many ends."""
        own = [one for one in self._open.values() if one.person == person.id]
        if len(own) >= MOST_OF_PERSON:
            self._end(own[0].id)
        if len(self._open) >= MOST_SESSIONS:
            self._end(min(self._open.values(), key=lambda one: one.seen_s).id)
        token = self._new_token()
        key = session_id(token)
        self._open[key] = Session(key, person.id, mark(person), address, kind, idle_s, now_s, now_s)
        self.changed = True
        return token

    def find(self, token: str, address: str, now_s: float) -> Session | None:
        """Return the session of a token that came from this address; None if there is none, or none any more."""
        found = self._open.get(session_id(token))
        if found is None or found.address != address:
            return None
        if found.over(now_s):
            self._end(found.id)
            return None
        return found

    def touch(self, session: Session, now_s: float) -> None:
        """Note that the person does something."""
        session.seen_s, self.used = now_s, True

    def waits(self, session: Session, answer_by_s: float) -> None:
        """Note that the person waits for an answer, until this time at the latest."""
        session.answer_by_s = answer_by_s

    def answered(self, session: Session, now_s: float) -> None:
        """Note that the answer has come; the time to read it begins."""
        session.seen_s, session.answer_by_s, self.used = now_s, 0.0, True

    def close(self, token: str) -> None:
        """End a session, as its person wants."""
        self._end(session_id(token))

    def _end(self, key: str) -> None:
        if self._open.pop(key, None) is not None:
            self._ended.add(key)
            self.changed = True

    def sweep(self, people: PeopleState | None, now_s: float) -> set[str]:
        """End what is over, or whose person's record has changed (unless it cannot be read); return what has ended."""
        for one in list(self._open.values()):
            if one.over(now_s) or (people is not None and not holds(people, one)):
                self._end(one.id)
        ended, self._ended = self._ended, set()
        return ended


def holds(people: PeopleState, session: Session) -> bool:
    """Return True if the record of the session's person is what it was, and not disabled."""
    person = people.people.get(session.person)
    return person is not None and not person.disabled and mark(person) == session.mark


class Tally(msgspec.Struct):
    """The failures of one address in the last 15 minutes: for whom, and when; and until when it is locked out."""

    failed: list[tuple[str, float]] = []
    until_s: float = 0.0


class Failures:
    """Failed log-ins of each address: too many lock it out, for any person, also after a success of another."""

    LOCKED_S: Final = LOCKED_FOR.total_seconds()

    def __init__(self) -> None:
        self._counts: dict[str, Tally] = {}

    def _of(self, address: str, now_s: float) -> Tally:
        """Return what counts of an address now."""
        found = self._counts.get(address, Tally())
        found.failed = [one for one in found.failed if now_s - one[1] < self.LOCKED_S]
        return found

    def locked(self, address: str, now_s: float) -> bool:
        """Return True while this address is locked out."""
        return now_s < self._of(address, now_s).until_s

    def holds(self, address: str, person: str, now_s: float) -> bool:
        """Return True while this address has failed too often for one id."""
        failed = [one for one, _ in self._of(address, now_s).failed if one == person]
        return len(failed) >= MOST_FOR_PERSON

    def failed(self, address: str, now_s: float, person: str = "") -> None:
        """Count a failure."""
        found = self._of(address, now_s)
        self._counts.pop(address, None)
        found.failed.append((person, now_s))
        if len(found.failed) >= MOST_FAILURES:
            found.until_s = now_s + self.LOCKED_S
            found.failed = []
        self._counts[address] = found
        while len(self._counts) > MOST_ADDRESSES:
            del self._counts[next(iter(self._counts))]  # the oldest

    def succeeded(self, address: str, person: str) -> None:
        """Forget the failures for this person at an address, and no other's."""
        if found := self._counts.get(address):
            found.failed = [one for one in found.failed if one[0] != person]

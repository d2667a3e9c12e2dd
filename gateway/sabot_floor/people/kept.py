"""Kept sessions: those of one worker in the store, as the state of a log without entries; a restart ends none."""

from contextlib import suppress
from typing import Final

import msgspec
import structlog
from sabot_service.moment import Moment

from sabot_floor.people.sessions import Kind, Session, Sessions
from sabot_floor.people.state import instant
from sabot_floor.store import Decision, Store, StoreError

PREFIX: Final = "sessions/"  # begins the name of the log; the worker follows
_LATER_S = 5.0  # a session was used, or the store did not take a change: until it is written

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class Kept(msgspec.Struct, frozen=True):
    """A session by the clock on the wall, for the monotonic one of another process says nothing; no token."""

    id: str
    person: str
    mark: str
    address: str
    kind: Kind
    idle_s: float
    opened: float  # Unix time
    seen: float


class State(msgspec.Struct, frozen=True):
    """All sessions of a worker, oldest first, as they were at a time."""

    at: float
    sessions: tuple[Kept, ...] = ()


class KeptSessions:
    """Writes the sessions when one is opened or has ended, and a little later when one was used."""

    def __init__(self, store: Store, worker: str, sessions: Sessions) -> None:
        self._store, self._name, self._sessions = store, f"{PREFIX}{worker}", sessions
        self._later_s = 0.0

    def restore(self, at: Moment) -> None:
        """Take those of before, unless the clock was put back: then nobody knows how long they were idle."""
        unix, state = _unix(at), State(0.0)
        try:
            head = self._store.head(self._name)
            if head is not None and head.state is not None:
                state = msgspec.json.decode(head.state, type=State)
        except (StoreError, msgspec.MsgspecError, RecursionError) as error:
            log.warning("sessions of before cannot be read: people log in again", problem=str(error))
        if unix >= state.at:
            self._sessions.restore([_session(one, at.now_s - unix) for one in state.sessions])

    def write(self, at: Moment) -> None:
        """Store what was opened or has ended; what the store does not take now `step` tries again."""
        if not self._sessions.changed:
            return
        self._later_s = at.now_s + _LATER_S
        with suppress(StoreError):
            self._store.append(self._name, lambda head: Decision((), self._state(at)))
            self._sessions.changed = self._sessions.used = False

    def step(self, at: Moment) -> None:
        """Store what is not stored yet."""
        if at.now_s >= self._later_s and (self._sessions.changed or self._sessions.used):
            self._sessions.changed = True
            self.write(at)

    def _state(self, at: Moment) -> bytes:
        unix = _unix(at)
        kept = tuple(_kept(one, unix - at.now_s) for one in self._sessions.all())
        return msgspec.json.encode(State(unix, kept))


def _unix(at: Moment) -> float:
    return instant(at.time).timestamp()


def _kept(one: Session, offset_s: float) -> Kept:
    times = one.opened_s + offset_s, one.seen_s + offset_s
    return Kept(one.id, one.person, one.mark, one.address, one.kind, one.idle_s, *times)


def _session(one: Kept, offset_s: float) -> Session:
    times = one.opened + offset_s, one.seen + offset_s
    return Session(one.id, one.person, one.mark, one.address, one.kind, one.idle_s, *times)

"""Desk of the web part, in the floor's loop: log-ins, sessions and acts of pages."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import structlog
from sabot_service.daemons import FLOOR
from sabot_service.messages import Answer, RequestError
from sabot_service.moment import Moment

from sabot_floor.people.desk import PeopleDesk
from sabot_floor.people.sessions import ACCOUNT, SESSION, Kind, Session, holds
from sabot_floor.people.state import PeopleState, Person
from sabot_floor.people.verbs import ChangeSecret, Login
from sabot_floor.requests import FloorRequest
from sabot_floor.store import StoreError
from sabot_floor.web.bridge import ANSWER_WITHIN_S, Bridge, Outcome, Reply
from sabot_floor.web.config import Web

_SWEEP_S, _LOOK_AT_PEOPLE_S = 0.5, 2.0
_OPENED = "log in at a page"
NO_SESSION = Answer(False, "Log in first.")

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class LogIn(NamedTuple):
    """Open a session; the one of before in the same browser ends."""

    login: Login
    kind: Kind
    address: str
    before: str = ""  # its token


class Look(NamedTuple):
    """Report a session; `touch` if the person does something."""

    token: str
    address: str
    touch: bool = False


class LogOut(NamedTuple):
    """End a session."""

    token: str
    address: str


class Do(NamedTuple):
    """An act of the session's person; `make` gets how that person logs in for it."""

    token: str
    address: str
    make: Callable[[Login], FloorRequest]


class ChangePin(NamedTuple):
    """Change the PIN of the session's person, with the one of before."""

    token: str
    address: str
    secret: str
    new: str

    def __repr__(self) -> str:
        return f"ChangePin({self.address!r})"  # never the secrets


class WebDesk:
    """One outcome for each request of a page; `begin` is what the control socket's requests go through too."""

    def __init__(
        self,
        web: Web,
        bridge: Bridge,
        people: PeopleDesk,
        begin: Callable[[FloorRequest, str, Callable[[Answer], None]], None],
        clock: Callable[[], Moment],
        worker: str = "1",
    ) -> None:
        self._web, self._bridge, self._people, self._begin, self._clock = web, bridge, people, begin, clock
        self._sessions, self._kept = people.sessions, people.kept_sessions(worker)
        self._kept.restore(clock())
        self._newest = PeopleState()
        self._sweep_s = self._look_s = 0.0

    def serve(self) -> None:
        """Answer what pages have asked; an error costs no other."""
        for asked, reply in self._bridge.take():
            try:
                self._serve(asked, reply)
            except RequestError as error:
                reply(Outcome(Answer(False, str(error))))
            except StoreError as error:
                reply(Outcome(Answer(False, f"Nothing was changed: {error}.")))
            except Exception:
                log.exception("a request of a page could not be served")
                reply(Outcome(Answer(False, FLOOR.internal_error)))

    def _serve(self, asked: Any, reply: Reply) -> None:
        match asked:
            case LogIn():
                self._log_in(asked, reply)
            case Look():
                reply(self._look(asked))
            case LogOut():
                self._sessions.close(asked.token)
                self._kept.write(self._clock())
                reply(Outcome(Answer(True, "Logged out.")))
            case Do():
                self._act(asked, reply)
            case ChangePin():
                self._change_pin(asked, reply)

    def _log_in(self, asked: LogIn, reply: Reply) -> None:
        def refuse(answer: Answer) -> None:
            reply(Outcome(answer))

        def then(people: list[Person]) -> None:
            reply(self._opened(people[0], asked))

        account = f"{ACCOUNT}{asked.address}"
        self._people.log_in([asked.login], _OPENED, account, refuse, then, initial=True)

    def _change_pin(self, asked: ChangePin, reply: Reply) -> None:
        """Change the PIN of the session's person; all sessions of that person end, and a new one is opened here."""
        session = self._sessions.find(asked.token, asked.address, self._clock().now_s)
        if session is None:
            reply(Outcome(NO_SESSION))
            return
        login = Login(session.person, asked.secret)
        opened = LogIn(login, session.kind, asked.address, asked.token)

        def refuse(answer: Answer) -> None:
            reply(Outcome(answer, session))

        def then(person: Person) -> None:
            reply(self._opened(person, opened))

        verb = ChangeSecret(login=login, secret=asked.new)
        self._people.change_own(verb, f"{ACCOUNT}{asked.address}", refuse, then)

    def _opened(self, person: Person, asked: LogIn) -> Outcome:
        at = self._clock()
        now_s = at.now_s
        self._sessions.close(asked.before)
        self._newest.people[person.id] = person
        idle_s = self._web.dealer_idle_s if asked.kind == "dealer" else self._web.idle_s
        token = self._sessions.open(person, asked.address, asked.kind, idle_s, now_s)
        self._kept.write(at)
        return Outcome(Answer(True, ""), self._sessions.find(token, asked.address, now_s), person, token)

    def _look(self, asked: Look) -> Outcome:
        now_s = self._clock().now_s
        session = self._sessions.find(asked.token, asked.address, now_s)
        if session is None:
            return Outcome(NO_SESSION)
        people = self._known_people()
        if not holds(people, session):
            return Outcome(NO_SESSION)
        if asked.touch:
            self._sessions.touch(session, now_s)
        return Outcome(Answer(True, ""), session, people.people[session.person])

    def _known_people(self) -> PeopleState:
        """Return the people, as last read while the store is away: pages go on, acts are refused."""
        with suppress(StoreError):
            self._newest = self._people.people()
        return self._newest

    def _act(self, asked: Do, reply: Reply) -> None:
        now_s = self._clock().now_s
        session: Session | None = self._sessions.find(asked.token, asked.address, now_s)
        if session is None:
            reply(Outcome(NO_SESSION))
            return
        self._sessions.touch(session, now_s)
        request = asked.make(Login(session.person, f"{SESSION}{asked.token}"))

        def answered(answer: Answer) -> None:
            self._sessions.answered(session, self._clock().now_s)
            reply(Outcome(answer, session))

        self._sessions.waits(session, now_s + ANSWER_WITHIN_S)
        self._begin(request, f"{ACCOUNT}{asked.address}", answered)

    def step(self, at: Moment) -> None:
        """End sessions that are over, and report them to the web part."""
        if at.now_s < self._sweep_s:
            return
        self._sweep_s, people = at.now_s + _SWEEP_S, None
        if len(self._sessions) and at.now_s >= self._look_s:
            self._look_s = at.now_s + _LOOK_AT_PEOPLE_S
            people = self._known_people()
        ended = self._sessions.sweep(people, at.now_s)
        if ended:
            self._bridge.on_ended(ended)
            self._kept.write(at)
        self._kept.step(at)

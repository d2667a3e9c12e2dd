"""Desk of people: what accounts ask about people is decided, stored and answered; people log in for their acts."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from typing import Any

import msgspec
import structlog
from sabot_protocol import authority
from sabot_protocol.service.daemons import FLOOR
from sabot_protocol.service.messages import Answer
from sabot_protocol.service.moment import Moment
from sabot_protocol.service.plain_text import plain

from sabot_floor.people import entries, hashing, logins
from sabot_floor.people.checker import Checker
from sabot_floor.people.log import Made, PeopleLog
from sabot_floor.people.logins import Checked, Claim
from sabot_floor.people.sessions import Sessions
from sabot_floor.people.state import PeopleState, Person, unknown
from sabot_floor.people.verbs import (
    AddPerson,
    Disable,
    Enable,
    GiveRole,
    ListPeople,
    Login,
    SetBadge,
    SetSecret,
    UserChange,
    UserVerb,
)
from sabot_floor.store import StoreError

_BUSY = "Too many people log in at this moment. Try again in a few seconds."
_NOT_CHANGED = "Nothing was changed: "
Reply = Callable[[Answer], None]

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class PeopleDesk:
    """One answer for each request; what takes long is done by the checker, and answered later."""

    def __init__(self, people: PeopleLog, checker: Checker, admins: Iterable[str], clock: Callable[[], Moment]) -> None:
        self._log, self._checker, self._admins, self._clock = people, checker, frozenset(admins), clock
        self.sessions = Sessions()

    def _time(self) -> str:
        return self._clock().time

    def people(self) -> PeopleState:
        """Return the people as the store has them now; StoreError if it cannot be read."""
        return self._log.state()

    def begin(self, verb: UserVerb, account: str, reply: Reply) -> None:
        """Do what an account asks for; `reply` is called once, now or later."""
        _guard(reply, lambda: self._begin(verb, account, reply))

    def _begin(self, verb: UserVerb, account: str, reply: Reply) -> None:
        if isinstance(verb, ListPeople):
            data = {"people": listed(self._log.state(), self._time())}
            reply(Answer(True, "", msgspec.Raw(msgspec.json.encode(data))))
        elif not isinstance(verb, UserChange) or account not in self._admins:
            reply(Answer(False, f"Account {account} may not change people; {', '.join(sorted(self._admins))} may."))
        elif isinstance(verb, SetSecret):
            self._set_secret(verb, account, reply)
        else:
            reply(self._change(_made_of(verb, account, self._time()), _done(verb)))

    def _set_secret(self, verb: SetSecret, account: str, reply: Reply) -> None:
        state = self._log.state()
        refused = unknown(state, verb.person)
        refused = refused or hashing.too_simple(verb.secret, verb.person, state.people[verb.person].name)
        if refused:
            reply(Answer(False, refused))
            return

        def store(hashed: str) -> None:
            made = entries.SecretSet(time=self._time(), person=verb.person, hash=hashed, by=account)
            reply(self._change(lambda _: Made([made]), f"{verb.person} has a new PIN or password."))

        self._later(lambda: hashing.make_hash(verb.secret), store, reply)

    def _change(self, make: Callable[[PeopleState], Made], done: str) -> Answer:
        refused = self._log.append(self._time(), make)
        return Answer(False, refused) if refused else Answer(True, done)

    def log_in(
        self, given: Sequence[Login], act: str, account: str, reply: Reply, then: Callable[[list[Person]], None]
    ) -> None:
        """Check every log-in; `then` gets the people if all are right, else `reply` gets the refusal."""
        _guard(reply, lambda: self._log_in(given, act, account, reply, then))

    def _log_in(
        self, given: Sequence[Login], act: str, account: str, reply: Reply, then: Callable[[list[Person]], None]
    ) -> None:
        claims = self._claims(given, account)
        if isinstance(claims, str):
            reply(Answer(False, claims))
            return

        def store(checked: list[Checked]) -> None:
            time = self._time()
            refused = self._log.append(time, lambda state: logins.settle(state, checked, act, account, time))
            if refused:
                reply(Answer(False, refused))
                return
            state = self._log.state()
            then([state.people[one.person] for one in claims])

        if any(one.hash for one in claims):
            self._later(lambda: logins.check(claims), store, reply)
        else:
            store(logins.check(claims))

    def _claims(self, given: Sequence[Login], account: str) -> list[Claim] | str:
        """Return whom the log-ins are for, or the first refusal."""
        state, claims = self._log.state(), list[Claim]()
        for one in given:
            if logins.by_session(one, account):
                found = logins.session_claim(self.sessions, one, account, self._clock().now_s)
            else:
                found = logins.claim(state, one, account, self._time())
            if isinstance(found, str):
                return found
            claims.append(found)
        known = [one.person for one in claims if one.person]
        if len(set(known)) < len(known):
            return f"Two different people are needed: {known[0]} cannot be both."
        return claims

    def _later(self, work: Callable[[], Any], then: Callable[[Any], None], reply: Reply) -> None:
        def finished(future: Future[Any]) -> None:
            _guard(reply, lambda: then(future.result()))

        if not self._checker.submit(work, finished):
            reply(Answer(False, _BUSY))


def about_service(answer: Answer) -> bool:
    """Return True if a refusal is about the service, and not about what was asked: nobody has failed to log in."""
    return answer.say in (_BUSY, FLOOR.internal_error) or answer.say.startswith(_NOT_CHANGED)


def _guard(reply: Reply, step: Callable[[], None]) -> None:
    """Take a step; an error becomes the answer."""
    try:
        step()
    except (StoreError, hashing.HashingError) as error:
        reply(Answer(False, f"{_NOT_CHANGED}{error}."))
    except Exception:
        log.exception("a request about people could not be served")
        reply(Answer(False, FLOOR.internal_error))


def _made_of(verb: UserChange, account: str, time: str) -> Callable[[PeopleState], Made]:
    """Return what makes the entry of a verb; its refusal if the verb itself is wrong."""
    given: dict[str, Any] = {"time": time, "person": verb.person, "by": account}
    match verb:
        case AddPerson():
            name = plain(verb.name)
            refused = "" if any(map(str.isalnum, name)) else "Give the person's name: --name NAME."
            return lambda _: Made((), refused) if refused else Made([entries.Added(name=name, **given)])
        case GiveRole():
            return lambda _: _role(verb, given)
        case Disable():
            return lambda _: Made([entries.Disabled(**given)])
        case Enable():
            return lambda _: Made([entries.Enabled(**given)])
        case SetBadge():
            return lambda state: _badge(state, verb, given)
    raise TypeError(f"no entry for {type(verb).__name__}")


def _role(verb: GiveRole, given: dict[str, Any]) -> Made:
    try:
        authority.load(verb.rulebook)
        role = authority.find_role(verb.rulebook, verb.role).id if verb.role else ""
    except authority.AuthorityError as error:
        return Made((), f"{error}.")
    return Made([entries.RoleGiven(rulebook=verb.rulebook, role=role, **given)])


def _badge(state: PeopleState, verb: SetBadge, given: dict[str, Any]) -> Made:
    problem = hashing.badge_problem(verb.code) if verb.code else ""
    if problem:
        return Made((), problem)
    badge = hashing.badge_hash(state.key, verb.code) if verb.code else ""
    return Made([entries.BadgeSet(badge=badge, **given)])


def _done(verb: UserChange) -> str:
    match verb:
        case AddPerson():
            return f"{verb.person} is added; give a role and a PIN: `sabot users role`, `sabot users pin`."
        case GiveRole():
            return f"{verb.person} {f'is {verb.role}' if verb.role else 'has no role'} in {verb.rulebook}."
        case Disable():
            return f"{verb.person} is disabled."
        case Enable():
            return f"{verb.person} is enabled."
        case SetBadge():
            return f"{verb.person} has {'a new' if verb.code else 'no'} badge."
    return "Done."


def listed(state: PeopleState, time: str) -> list[dict[str, Any]]:
    """Return all people in the order of their ids, without anything of their secrets."""
    return [
        {
            "person": one.id,
            "name": one.name,
            "roles": one.roles,
            "pin": bool(one.secret),
            "badge": bool(one.badge),
            "disabled": one.disabled,
            "locked_until": logins.locked_until(one.attempts, time),
        }
        for one in sorted(state.people.values(), key=lambda one: one.id)
    ]

"""Desk of people: what accounts ask about people is decided, stored and answered; people log in for their acts."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from typing import Any

import msgspec
import structlog
from sabot_protocol import authority
from sabot_protocol.inputs.plain_text import plain
from sabot_service.daemons import FLOOR
from sabot_service.messages import Answer
from sabot_service.moment import Moment

from sabot_floor.people import entries, hashing, logins
from sabot_floor.people.checker import Checker
from sabot_floor.people.kept import KeptSessions
from sabot_floor.people.log import Made, PeopleLog
from sabot_floor.people.logins import Checked, Claim
from sabot_floor.people.sessions import Failures, Sessions
from sabot_floor.people.state import BADGE, PeopleState, Person, unknown
from sabot_floor.people.verbs import (
    AddPerson,
    ChangeSecret,
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
_OWN_PIN = "change own PIN"  # the act of that log-in
_USED = "You had this PIN or password before: choose another."
Reply = Callable[[Answer], None]

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class PeopleDesk:
    """One answer for each request; what takes long is done by the checker, and answered later."""

    def __init__(self, people: PeopleLog, checker: Checker, admins: Iterable[str], clock: Callable[[], Moment]) -> None:
        self._log, self._checker, self._admins, self._clock = people, checker, frozenset(admins), clock
        self.sessions, self._failures = Sessions(), Failures()

    def _time(self) -> str:
        return self._clock().time

    def people(self) -> PeopleState:
        """Return the people as the store has them now; StoreError if it cannot be read."""
        return self._log.state()

    def kept_sessions(self, worker: str) -> KeptSessions:
        """Return what keeps the sessions of a worker in the store."""
        return KeptSessions(self._log.store, worker, self.sessions)

    def begin(self, verb: UserVerb, account: str, reply: Reply) -> None:
        """Do what an account asks for; `reply` is called once, now or later."""
        _guard(reply, lambda: self._begin(verb, account, reply))

    def _begin(self, verb: UserVerb, account: str, reply: Reply) -> None:
        if isinstance(verb, ListPeople):
            data = {"people": listed(self._log.state(), self._time())}
            reply(Answer(True, "", msgspec.Raw(msgspec.json.encode(data))))
        elif isinstance(verb, ChangeSecret):
            self.change_own(verb, account, reply, lambda _: reply(Answer(True, "Your PIN or password is changed.")))
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
            made = entries.SecretSet(time=self._time(), person=verb.person, hash=hashed, by=account, initial=True)
            own = f"at a page, or with `sabot users own-pin {verb.person}`"
            say = f"{verb.person} has a new PIN or password. It must be changed before the first act: {own}."
            reply(self._change(lambda _: Made([made]), say))

        self._later(lambda: hashing.make_hash(verb.secret), store, reply)

    def _change(self, make: Callable[[PeopleState], Made], done: str) -> Answer:
        refused = self._log.append(self._time(), make)
        return Answer(False, refused) if refused else Answer(True, done)

    def change_own(self, verb: ChangeSecret, account: str, reply: Reply, then: Callable[[Person], None]) -> None:
        """Change a person's own PIN: `then` gets the person as changed, else `reply` gets the refusal."""

        def logged(people: list[Person]) -> None:
            (person,) = people
            if refused := hashing.too_simple(verb.secret, person.id, person.name):
                reply(Answer(False, refused))
            else:
                self._later(lambda: hashing.unused(verb.secret, [person.secret, *person.used]), store(person), reply)

        def store(person: Person) -> Callable[[str], None]:
            def change(hashed: str) -> None:
                made = entries.SecretChanged(time=self._time(), person=person.id, hash=hashed, by=account)
                refused = "" if hashed else _USED
                refused = refused or self._log.append(made.time, lambda state: _changed(state, made, person.secret))
                if refused:
                    reply(Answer(False, refused))
                else:
                    then(self._log.state().people[person.id])

            return change

        self.log_in([verb.login], _OWN_PIN, account, reply, logged, by_badge=False, initial=True)

    def log_in(
        self,
        given: Sequence[Login],
        act: str,
        account: str,
        reply: Reply,
        then: Callable[[list[Person]], None],
        *,
        by_badge: bool = True,
        initial: bool = False,
    ) -> None:
        """Check every log-in; `then` gets the people if all are right, else `reply` gets the refusal.

        `by_badge`: a badge is taken; `initial`: a PIN that an administrator has set is taken, too.
        """

        def step() -> None:
            claims = self._claims(given, account, by_badge=by_badge)
            if isinstance(claims, str):
                reply(Answer(False, claims))
            elif any(one.hash for one in claims):
                self._later(lambda: logins.check(claims), store, reply)
            else:
                store(logins.check(claims))

        def store(checked: list[Checked]) -> None:
            time = self._time()
            refused = self._log.append(
                time, lambda state: logins.settle(state, checked, act, account, time, initial=initial)
            )
            self._count(checked, account, refused)
            if refused:
                reply(Answer(False, logins.for_page(refused) if logins.by_page(account) else refused))
                return
            state = self._log.state()
            then([state.people[one.claim.person] for one in checked])

        _guard(reply, step)

    def _count(self, checked: Sequence[Checked], account: str, refused: str) -> None:
        """Count who has failed to log in, and forget the failures of who has not."""
        now_s = self._clock().now_s
        for claim, right in checked:
            if claim.session is not None:
                continue
            if not right or claim.refused:
                self._failures.failed(_counted(account, claim.given), now_s, claim.given)
                return
            if not refused:
                self._failures.succeeded(_counted(account, claim.given), claim.given)

    def _claims(self, given: Sequence[Login], account: str, *, by_badge: bool) -> list[Claim] | str:
        """Return whom the log-ins are for, or why none of them is looked at."""
        state, claims, now_s = self._log.state(), list[Claim](), self._clock().now_s
        for one in given:
            found: Claim | None
            if logins.by_session(one, account):
                found = logins.session_claim(self.sessions, one, account, now_s)
                if found is None:
                    return logins.SESSION_ENDED
            else:
                counted = _counted(account, one.person)
                if self._failures.locked(counted, now_s) and one.person != BADGE:  # those are counted in the log
                    return logins.too_many(one.person, account)
                trace = not self._failures.holds(counted, one.person, now_s)
                found = logins.claim(state, one, account, self._time(), trace=trace, by_badge=by_badge)
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


def _counted(account: str, person: str) -> str:
    """Return what failures are counted for: the address of a page, for whomever; an account with one person."""
    return account if logins.by_page(account) else f"{account} {person}"


def _changed(state: PeopleState, made: entries.SecretChanged, before: str) -> Made:
    """Return the entry of a changed PIN; its refusal if the record has another one than was checked."""
    if state.people[made.person].secret == before:
        return Made([made])
    return Made((), f"The PIN of {made.person} was changed meanwhile: log in again.")


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
            "locked_until": max(logins.locked_at(one, time).values(), default=""),
            **({"locked_at": list(found)} if (found := logins.locked_at(one, time)) else {}),
            **({"initial": True} if one.initial else {}),
        }
        for one in sorted(state.people.values(), key=lambda one: one.id)
    ]

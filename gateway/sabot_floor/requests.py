"""Requests: what a person may ask of the floor service, one struct for each verb; a line becomes a request."""

from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta
from sabot_protocol.inputs.plain_text import plain
from sabot_protocol.jackpots.parameters import Id
from sabot_service.messages import RequestError
from sabot_service.request_line import parse_line, person

from sabot_floor.commands.verbs import TableCommand
from sabot_floor.jackpots.batch import DrawRequest
from sabot_floor.jackpots.engine import Entry
from sabot_floor.jackpots.engine.entries import (
    RULES,
    Adjusted,
    Confirmed,
    Invalid,
    MadeGood,
    Ordered,
    Restored,
    Settled,
    Withdrawn,
)
from sabot_floor.people.verbs import USER_VERBS, Login, UserVerb
from sabot_floor.signs.verbs import ChangeSign, ShowSign

Text = Annotated[str, Meta(min_length=1, max_length=160)]
Role = Annotated[str, Meta(max_length=64)]
TableName = Annotated[str, Meta(pattern=r"\A[A-Za-z0-9_-]{1,64}\Z")]
RequestId = Annotated[str, Meta(pattern=r"\A[A-Za-z0-9-]{8,64}\Z")]  # made by the client: the same id counts once
Amount = Annotated[int, Meta(ge=-(10**12), le=10**12)]


class Signer(NamedTuple):
    """Who answers for an act: a name as typed, or a person who has logged in; `second` where two people do."""

    name: str
    role: str
    person: str = ""
    second: str = ""
    second_person: str = ""


class Verb(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a person asks for; the fields are the arguments."""


class Status(Verb, frozen=True):
    """Report the jackpots, the broker and the store, and what is wrong."""


class Show(Verb, frozen=True):
    """Report everything about one jackpot; a person who logs in needs the role that reads the console."""

    jackpot: Id
    login: Login | None = None

    def logins(self) -> tuple[Login, ...]:
        """Return how the person logs in, if anybody does."""
        return (self.login,) if self.login else ()


class Act(Verb, frozen=True, kw_only=True):
    """An act of a person about a jackpot: with a log-in, or with a name and a role as typed."""

    jackpot: Id
    role: Role = ""
    login: Login | None = None

    def logins(self) -> tuple[Login, ...]:
        """Return how the people log in; empty if the names are as typed."""
        return (self.login,) if self.login else ()

    def signer(self, by: str) -> Signer:
        """Return who answers by the names as typed; RequestError if one is missing."""
        if not self.role:
            raise RequestError("Give your role, --role ROLE, or log in: --as PERSON.")
        return Signer(person(by), self.role)

    def entry(self, by: Signer, time: str) -> Entry | DrawRequest:
        """Return the entry that the engine decides on."""
        raise NotImplementedError


class Confirm(Act, frozen=True, kw_only=True):
    """Confirm a pay-out."""

    win: Text
    notified: Annotated[str, Meta(max_length=160)] = ""

    def entry(self, by: Signer, time: str) -> Entry:
        """Return the entry that the engine decides on."""
        return Confirmed(time=time, win=self.win, **_one(by), notified=plain(self.notified), rules=RULES)


class DeemInvalid(Act, frozen=True, kw_only=True):
    """Deem a win invalid."""

    win: Text
    reason: Text

    def entry(self, by: Signer, time: str) -> Entry:
        """Return the entry that the engine decides on."""
        return Invalid(time=time, win=self.win, **_one(by), reason=plain(self.reason))


class DecideOrder(Act, frozen=True, kw_only=True):
    """Decide the place of a win whose order the messages do not show: before another, or, without one, last."""

    win: Text
    before: Annotated[str, Meta(max_length=160)] = ""
    reason: Text

    def entry(self, by: Signer, time: str) -> Entry:
        """Return the entry that the engine decides on."""
        return Ordered(time=time, win=self.win, before=self.before, reason=plain(self.reason), **_one(by), rules=RULES)


class Settle(Act, frozen=True, kw_only=True):
    """Close the difference between what a win was paid and what it was worth."""

    win: Text
    reason: Text

    def entry(self, by: Signer, time: str) -> Entry:
        """Return the entry that the engine decides on."""
        return Settled(time=time, win=self.win, reason=plain(self.reason), **_one(by), rules=RULES)


class Adjust(Act, frozen=True, kw_only=True):
    """Change the meter by an amount; a second person approves it."""

    id: RequestId
    amount: Amount
    second: Annotated[str, Meta(max_length=160)] = ""
    second_login: Login | None = None
    reason: Text

    def logins(self) -> tuple[Login, ...]:
        """Return how the people log in; RequestError if only one of them does."""
        if (self.login is None) != (self.second_login is None):
            raise RequestError("Both people log in, --as PERSON and --second-as PERSON, or none of them.")
        return (self.login, self.second_login) if self.login and self.second_login else ()

    def signer(self, by: str) -> Signer:
        """Return who answers by the names as typed; RequestError if one is missing."""
        return super().signer(by)._replace(second=person(self.second, "--second"))

    def entry(self, by: Signer, time: str) -> Entry:
        """Return the entry that the engine decides on."""
        return Adjusted(
            time=time,
            id=self.id,
            amount=self.amount,
            by=(by.name, by.second),
            role=by.role,
            reason=plain(self.reason),
            people=(by.person, by.second_person) if by.person else (),
            rules=RULES,
        )


class Withdraw(Act, frozen=True, kw_only=True):
    """Withdraw the jackpot from a table."""

    table: TableName
    reason: Text

    def entry(self, by: Signer, time: str) -> Entry:
        """Return the entry that the engine decides on."""
        return Withdrawn(time=time, table=self.table, reason=plain(self.reason), **_one(by))


class Restore(Act, frozen=True, kw_only=True):
    """Offer the jackpot at a table again."""

    table: TableName
    reason: Annotated[str, Meta(max_length=160)] = ""

    def entry(self, by: Signer, time: str) -> Entry:
        """Return the entry that the engine decides on."""
        return Restored(time=time, table=self.table, reason=plain(self.reason), **_one(by))


class MakeGood(Act, frozen=True, kw_only=True):
    """Add the contribution of a missed coup."""

    missed: Text
    reason: Annotated[str, Meta(max_length=160)] = ""
    amount: Amount | None = None

    def entry(self, by: Signer, time: str) -> Entry:
        """Return the entry that the engine decides on."""
        given, reason = _one(by), plain(self.reason)
        return MadeGood(time=time, missed=self.missed, **given, reason=reason, amount=self.amount, rules=RULES)


class Draw(Act, frozen=True, kw_only=True):
    """Draw a table, a seat or a wagering location at random."""

    id: RequestId

    def entry(self, by: Signer, time: str) -> DrawRequest:
        """Return what the draw is made of."""
        return DrawRequest(self.id, **_one(by))


class Accept(Verb, frozen=True, kw_only=True):
    """Go on with logs that are behind the meters at the broker."""

    role: Role = ""
    reason: Text
    login: Login | None = None


class AcceptGateway(Accept, frozen=True, kw_only=True):
    """Accept that a gateway speaks for a table, or that it has another name."""

    gateway: Annotated[str, Meta(pattern=r"\A[A-Za-z0-9_-]{1,64}\Z")]  # the id of its ledger
    table: Annotated[str, Meta(pattern=r"\A[A-Za-z0-9_-]{0,64}\Z")] = ""
    name: Annotated[str, Meta(pattern=r"\A[A-Za-z0-9_-]{0,64}\Z")] | None = None


def _one(by: Signer) -> dict[str, Any]:
    """Return the fields of an entry by one person."""
    return {"by": by.name, "role": by.role, "person": by.person}


AnyVerb = Verb | UserVerb | TableCommand | ShowSign | ChangeSign
VERBS: dict[str, type[AnyVerb]] = {
    "status": Status,
    "show": Show,
    "confirm": Confirm,
    "invalid": DeemInvalid,
    "order": DecideOrder,
    "settle": Settle,
    "adjust": Adjust,
    "withdraw": Withdraw,
    "restore": Restore,
    "make-good": MakeGood,
    "draw": Draw,
    "accept": Accept,
    "accept-gateway": AcceptGateway,
    "table": TableCommand,
    "sign": ChangeSign,
    "show-sign": ShowSign,
    **USER_VERBS,
}


def name_of(verb: Verb) -> str:
    """Return the name of a verb, as on the command line."""
    return next(name for name, kind in VERBS.items() if type(verb) is kind)


class FloorRequest(msgspec.Struct, frozen=True):
    """A request, checked and cleaned; `signer` is None where nothing is changed, and where people log in."""

    verb: AnyVerb
    signer: Signer | None = None
    by: str = ""  # the name as typed, of an acceptance without a log-in


def _accept(verb: Accept, by: str) -> FloorRequest:
    if verb.login is None:
        if not verb.role:
            raise RequestError("Give your role, --role ROLE, or log in: --as PERSON.")
        return FloorRequest(verb, by=person(by))
    if by or verb.role:
        raise RequestError("Who logs in gives no name and no role: both are in the record.")
    return FloorRequest(verb)


def parse(line: bytes) -> FloorRequest:
    """Return the request in a line; RequestError for any other bytes."""
    envelope, verb = parse_line(line, VERBS, "sabot jackpot")
    if envelope.table or envelope.clause or envelope.second:
        raise RequestError(f"{envelope.verb} takes no table, no clause and no second person beside its arguments.")
    if isinstance(verb, Accept):
        return _accept(verb, envelope.by)
    if not isinstance(verb, Act):
        return FloorRequest(verb)
    if not verb.logins():
        return FloorRequest(verb, verb.signer(envelope.by))
    if envelope.by or verb.role or getattr(verb, "second", ""):
        raise RequestError("Who logs in gives no name and no role: both are in the record.")
    return FloorRequest(verb)

"""Requests: what a person may ask of the floor service, one struct for each verb; a line becomes a request."""

from typing import Annotated

import msgspec
from msgspec import Meta
from sabot_protocol.jackpots.parameters import Id
from sabot_protocol.service.messages import RequestError
from sabot_protocol.service.plain_text import plain
from sabot_protocol.service.request_line import parse_line, person

from sabot_floor.jackpots.batch import DrawRequest
from sabot_floor.jackpots.engine import Entry
from sabot_floor.jackpots.engine.entries import Adjusted, Confirmed, Invalid, MadeGood, Restored, Withdrawn

Text = Annotated[str, Meta(min_length=1, max_length=160)]
Role = Annotated[str, Meta(min_length=1, max_length=64)]
TableName = Annotated[str, Meta(pattern=r"\A[A-Za-z0-9_-]{1,64}\Z")]
RequestId = Annotated[str, Meta(pattern=r"\A[A-Za-z0-9-]{8,64}\Z")]  # made by the client: the same id counts once
Amount = Annotated[int, Meta(ge=-(10**12), le=10**12)]


class Verb(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a person asks for; the fields are the arguments."""


class Status(Verb, frozen=True):
    """Report the jackpots, the broker and the store, and what is wrong."""


class Show(Verb, frozen=True):
    """Report everything about one jackpot."""

    jackpot: Id


class Act(Verb, frozen=True):
    """An act of a person about a jackpot."""

    jackpot: Id
    role: Role

    def entry(self, by: str, time: str) -> Entry | DrawRequest:
        """Return the entry that the engine decides on."""
        raise NotImplementedError


class Confirm(Act, frozen=True):
    """Confirm a pay-out."""

    win: Text
    notified: Annotated[str, Meta(max_length=160)] = ""

    def entry(self, by: str, time: str) -> Entry:
        """Return the entry that the engine decides on."""
        return Confirmed(time=time, win=self.win, by=by, role=self.role, notified=plain(self.notified))


class DeemInvalid(Act, frozen=True):
    """Deem a win invalid."""

    win: Text
    reason: Text

    def entry(self, by: str, time: str) -> Entry:
        """Return the entry that the engine decides on."""
        return Invalid(time=time, win=self.win, by=by, role=self.role, reason=plain(self.reason))


class Adjust(Act, frozen=True):
    """Change the meter by an amount; a second person approves it."""

    id: RequestId
    amount: Amount
    second: Text
    reason: Text

    def entry(self, by: str, time: str) -> Entry:
        """Return the entry that the engine decides on."""
        people = (by, person(self.second, "--second"))
        return Adjusted(time=time, id=self.id, amount=self.amount, by=people, role=self.role, reason=plain(self.reason))


class Withdraw(Act, frozen=True):
    """Withdraw the jackpot from a table."""

    table: TableName
    reason: Text

    def entry(self, by: str, time: str) -> Entry:
        """Return the entry that the engine decides on."""
        return Withdrawn(time=time, table=self.table, reason=plain(self.reason), by=by, role=self.role)


class Restore(Act, frozen=True):
    """Offer the jackpot at a table again."""

    table: TableName

    def entry(self, by: str, time: str) -> Entry:
        """Return the entry that the engine decides on."""
        return Restored(time=time, table=self.table, by=by, role=self.role)


class MakeGood(Act, frozen=True):
    """Add the contribution of a missed coup."""

    missed: Text
    reason: Annotated[str, Meta(max_length=160)] = ""
    amount: Amount | None = None

    def entry(self, by: str, time: str) -> Entry:
        """Return the entry that the engine decides on."""
        reason = plain(self.reason)
        return MadeGood(time=time, missed=self.missed, by=by, role=self.role, reason=reason, amount=self.amount)


class Draw(Act, frozen=True):
    """Draw a table, a seat or a wagering location at random."""

    id: RequestId

    def entry(self, by: str, time: str) -> DrawRequest:
        """Return what the draw is made of."""
        return DrawRequest(self.id, by, self.role)


class Accept(Verb, frozen=True):
    """Go on with logs that are behind the meters at the broker."""

    role: Role
    reason: Text


VERBS: dict[str, type[Verb]] = {
    "status": Status,
    "show": Show,
    "confirm": Confirm,
    "invalid": DeemInvalid,
    "adjust": Adjust,
    "withdraw": Withdraw,
    "restore": Restore,
    "make-good": MakeGood,
    "draw": Draw,
    "accept": Accept,
}


class FloorRequest(msgspec.Struct, frozen=True):
    """A request, checked and cleaned; `by` is empty where nothing is changed."""

    verb: Verb
    by: str = ""


def parse(line: bytes) -> FloorRequest:
    """Return the request in a line; RequestError for any other bytes."""
    envelope, verb = parse_line(line, VERBS, "sabot jackpot")
    if envelope.table or envelope.clause:
        raise RequestError(f"{envelope.verb} takes no table and no clause beside its arguments.")
    if isinstance(verb, Act):
        by = person(envelope.by)
        verb.entry(by, "")  # a second person's name may be wrong too
        return FloorRequest(verb, by)
    if isinstance(verb, Accept):
        return FloorRequest(verb, person(envelope.by))
    return FloorRequest(verb)

"""Attempts: a request of a person and its answer, as ledger and MQTT have them."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from sabot_protocol.topics import AfterEntry, EntryNumber, GatewayId, Time


class FloorCommand(msgspec.Struct, kw_only=True, frozen=True):
    """What a request has of the signed command that it came with."""

    id: str
    digest: Annotated[str, Meta(description="of the payload")]
    nonce: str
    person: str
    role: str
    asks: Annotated[str, Meta(description="the person who asks, if another approves")]
    asks_role: str
    act: Annotated[str, Meta(description="of the rulebook; empty if it has none")]
    coup: Annotated[str, Meta(description="that must be on the table; empty if any may be")]
    issued: str
    expires: str
    key: str


class Attempt(msgspec.Struct, kw_only=True, frozen=True):
    """A request of a person to a table, stored before anything is done."""

    gateway: GatewayId = msgspec.UNSET
    entry: EntryNumber = msgspec.UNSET
    after: AfterEntry = msgspec.UNSET
    id: Annotated[str, Meta(description="id of this request; an outcome names it as its `attempt`")]
    time: Time
    table: str
    verb: str
    by: str
    user: Annotated[str, Meta(description="account on the table PC")]
    clause: str
    args: dict[str, Any]
    origin: Annotated[
        Literal["local", "floor"], Meta(description="the control socket, or a command of the floor service")
    ] = "local"
    command: FloorCommand | None = None
    role: Annotated[
        str, Meta(description="role by which it was granted or refused; empty if the table PC's accounts have none")
    ] = ""
    asks: Annotated[str, Meta(description="the person who asks, if `by` approves it for another")] = ""


class Outcome(msgspec.Struct, kw_only=True, frozen=True):
    """The answer to an attempt, stored before the person gets it."""

    gateway: GatewayId = msgspec.UNSET
    entry: EntryNumber = msgspec.UNSET
    after: AfterEntry = msgspec.UNSET
    id: str
    time: Time
    table: str
    attempt: Annotated[str, Meta(description="id of the request")]
    ok: bool
    say: str

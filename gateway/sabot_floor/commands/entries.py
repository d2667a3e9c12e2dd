"""Entries of the log `commands`: what people asked of tables, and what came of it."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

By = Annotated[str, Meta(description="the account at the control socket, from the kernel")]


class Asked(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="asked"):
    """People who have logged in and may do it ask for an act; stored before the command is sent."""

    time: str
    id: Annotated[str, Meta(description="of the command; the gateway's ledger has it too")]
    table: str
    verb: str
    args: dict[str, Any]
    clause: str
    rulebook: str
    act: Annotated[str, Meta(description="of the rulebook; empty if it has none, or only the gateway can tell")]
    person: Annotated[str, Meta(description="id of the person who decides")]
    name: str
    role: str
    asks_person: Annotated[str, Meta(description="id of the person who asks, if `person` approves it for another")]
    asks: str
    asks_role: str
    expires: str
    digest: Annotated[str, Meta(description="of the signed payload")]
    worker: str
    by: By


class Answered(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="answered"):
    """The gateway's reply."""

    time: str
    id: str
    ok: bool
    say: str
    reason: str
    replied: Annotated[str, Meta(description="time of the reply, gateway clock")]


class Unanswered(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="unanswered"):
    """No reply came: it is not known here whether it was carried out."""

    time: str
    id: str
    say: str


class Refused(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="refused"):
    """The floor refused it; nothing was sent. The people are those who were named, whether they logged in or not.

    A name as typed is one too. Act and roles are by the rulebook of the table or jackpot, empty where they are unknown.
    """

    time: str
    table: str
    verb: str
    act: str = ""
    role: str = ""
    second_role: str = ""
    args: dict[str, Any]
    clause: str
    person: str
    second: str
    say: str
    by: By
    left_out: Annotated[int, Meta(description="refusals since the last entry that are only counted")] = 0


Entry = Asked | Answered | Unanswered | Refused

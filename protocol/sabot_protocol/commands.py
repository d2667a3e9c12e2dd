"""Commands of people over MQTT: the message of the floor service, the one way to write it, and the reply."""

import json
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Annotated, Any

import msgspec
from msgspec import Meta

MOST_BYTES = 8192  # of a command
MOST_VALID_S = 30.0
CLOCK_SLACK_S = 5.0  # between the clocks of floor and gateway
_DIGEST_DIGITS = 32

Text = Annotated[str, Meta(max_length=64)]
Hex16 = Annotated[str, Meta(pattern=r"\A[0-9a-f]{16}\Z")]
Time = Annotated[
    str,
    Meta(
        pattern=r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\Z",
        description="clock of the floor service, ISO 8601, UTC, with milliseconds",
    ),
]


class CommandError(ValueError):
    """A command that is refused: `reason` is one word for the counters, the message a sentence for people."""

    def __init__(self, reason: str, say: str) -> None:
        super().__init__(say)
        self.reason = reason


class CommandAct(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """What is to be done, as the control socket takes it."""

    verb: Annotated[Text, Meta(description="as `sabot table` has it: void, decide, key-card")]
    args: Annotated[dict[str, Any], Meta(description="the arguments of the verb")] = {}


class CommandMessage(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A command of a person to a table; the payload is canonical JSON, and nothing else is accepted."""

    id: Annotated[str, Meta(pattern=r"\A[A-Za-z0-9_.-]{1,64}\Z", description="of this command; the reply has it")]
    site: Text
    table: Text
    person: Annotated[Text, Meta(description="id of the person, as `sabot users` has it")]
    name: Annotated[Text, Meta(description="name of the person, for ledger and messages")]
    role: Annotated[Text, Meta(description="role of the person in the table's rulebook")]
    act: CommandAct
    nonce: Annotated[str, Meta(pattern=r"\A[0-9a-f]{32}\Z", description="16 random bytes, hex, never used again")]
    issued: Time
    expires: Annotated[Time, Meta(description="at most 30 seconds after `issued`")]
    key: Annotated[Hex16, Meta(description="id of the key that signs")]
    clause: Annotated[Text, Meta(description="clause of the rulebook")] = ""
    coup: Annotated[
        str,
        Meta(
            pattern=r"\A([0-9]{1,9}/[0-9]{1,9})?\Z",
            description="shoe/coup that must be on the table, as 3/17; empty if any may be",
        ),
    ] = ""
    asks: Annotated[Text, Meta(description="name of the person who asks, if `name` approves it for another")] = ""
    asks_role: Annotated[Text, Meta(description="role of the person who asks")] = ""
    signature: Annotated[
        str, Meta(pattern=r"\A([0-9a-f]{128})?\Z", description="Ed25519 over the canonical JSON of all other fields")
    ] = ""


class CommandReply(msgspec.Struct, kw_only=True, frozen=True):
    """The answer to a command, once its outcome is in the ledger; the same command again gets the same reply."""

    id: Annotated[str, Meta(description="of the command; empty if it could not be read")]
    digest: Annotated[str, Meta(description="first 32 hex digits of the SHA-256 of the command's payload")]
    table: str
    ok: bool
    say: Annotated[str, Meta(description="what was done, or why not and the next step")]
    reason: Annotated[str, Meta(description="one word for a command that was refused unread or unseen; else empty")] = (
        ""
    )
    data: Any = None
    time: Annotated[str, Meta(description="gateway clock, ISO 8601, UTC", extra_json_schema={"format": "date-time"})]
    local_time: Annotated[str, Meta(description="the same moment with the offset of the table PC's time zone")]


def canonical(message: CommandMessage, *, signed: bool) -> bytes:
    """Return the one way to write a command: every field, keys in order, no blanks, UTF-8; or all but `signature`."""
    fields = msgspec.to_builtins(message)
    if not signed:
        del fields["signature"]
    return json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def digest(payload: bytes) -> str:
    """Return the name of a payload by which a sender knows the reply to what it sent."""
    return sha256(payload).hexdigest()[:_DIGEST_DIGITS]


def read(payload: bytes) -> CommandMessage:
    """Return the command in a payload; CommandError for any bytes that are not its canonical form."""
    if len(payload) > MOST_BYTES:
        raise CommandError("too_long", f"the command has more than {MOST_BYTES} bytes; send a shorter one")
    try:
        message = msgspec.json.decode(payload, type=CommandMessage)
        same = canonical(message, signed=True) == payload
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise CommandError("unreadable", f"this is no command: {why}") from None
    if not same:
        raise CommandError("unreadable", "this is no command: it is not written in the canonical form; see MQTT.md")
    return message


def id_in(payload: bytes) -> str:
    """Return the id of what may be a command, to answer it; empty if there is none."""
    try:
        return msgspec.json.decode(payload[:MOST_BYTES], type=_Id).id
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return ""


class _Id(msgspec.Struct):
    id: Annotated[str, Meta(pattern=r"\A[A-Za-z0-9_.-]{1,64}\Z")]


def check_address(message: CommandMessage, site: str, table: str) -> None:
    """Raise CommandError if the command is for another site or table than that of its topic."""
    if message.site != site:
        raise CommandError("other_site", f"the command is for site {message.site!r}, and this is {site!r}")
    if message.table != table:
        raise CommandError("other_table", f"the command is for table {message.table!r}, and came to {table!r}")


def check_time(message: CommandMessage, now: str) -> None:
    """Raise CommandError if the command is not valid now, by the gateway's clock."""
    issued, expires, at = moment(message.issued), moment(message.expires), moment(now)
    if not timedelta(0) <= expires - issued <= timedelta(seconds=MOST_VALID_S):
        raise CommandError("validity", f"a command is valid for {MOST_VALID_S:.0f} seconds at most; sign it again")
    slack = timedelta(seconds=CLOCK_SLACK_S)
    clocks = "send it again; if it happens again, compare the clocks of floor and table PC"
    if at > expires + slack:
        raise CommandError("expired", f"the command expired at {message.expires}, and it is {now}; {clocks}")
    if at < issued - slack:
        raise CommandError("early", f"the command was issued at {message.issued}, and it is only {now}; {clocks}")


def moment(time: str) -> datetime:
    """Return a time as it is written in a command; CommandError if there is no such time."""
    try:
        return datetime.fromisoformat(time)
    except ValueError:
        raise CommandError("unreadable", f"this is no command: there is no time {time}") from None

"""Channels: the tables [[notify]] of the floor's config; which alarms and which steps each one is for."""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta
from sabot_protocol.inputs import config_file
from sabot_protocol.inputs.config_file import Name, with_paths
from sabot_protocol.rulebooks.people import catalogue
from sabot_protocol.topics import AlarmMessage, AlarmState, Severity

MOST_CHANNELS = 16
Pattern = Annotated[str, Meta(pattern=r"\A[A-Za-z0-9_*?-]{1,64}\Z")]
Address = Annotated[str, Meta(pattern=r"\A[^@\s<>,;]{1,64}@[^@\s<>,;]{1,190}\Z")]
_RANK: dict[Severity, int] = {"info": 0, "warning": 1, "critical": 2}


class Channel(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind"):
    """What every channel has. One without `alarms`, `severity`, `to` and `limits` is for all critical alarms."""

    name: Name
    alarms: tuple[Pattern, ...] | None = None  # names of alarms, * stands for anything
    severity: Severity | None = None  # the lowest
    states: tuple[AlarmState, ...] = ("raised",)
    tables: tuple[Pattern, ...] = ("*",)
    to: tuple[str, ...] = ()  # the parties that this channel reaches: inspector, surveillance …
    limits: bool = False  # also remind of every other step with a time limit
    remind_minutes: Annotated[int, Meta(ge=1, le=44640)] = 60  # ahead of a time limit
    timeout_s: Annotated[float, Meta(ge=0.1, le=60)] = 10.0  # for one message as a whole
    ca_file: str | None = None  # certificates to trust; not set: those of the system


class Webhook(Channel, frozen=True, tag="webhook"):
    """An HTTP POST with a JSON body."""

    url: str | None = None
    url_file: str | None = None  # for an address that is a secret itself
    secret_file: str | None = None  # signs each body


class Mail(Channel, frozen=True, tag="email"):
    """An e-mail by SMTP."""

    host: str
    sender: Address
    recipients: Annotated[tuple[Address, ...], Meta(min_length=1, max_length=20)]
    port: Annotated[int, Meta(ge=1, le=65535)] | None = None  # 587, with `tls` 465, without 25
    security: Literal["starttls", "tls", "none"] = "starttls"
    user: str | None = None
    password_file: str | None = None


class Syslog(Channel, frozen=True, tag="syslog"):
    """A line of syslog: udp://host:514, tcp://host:601, tls://host:6514, or the path of a socket."""

    address: str = "/dev/log"
    facility: Literal[
        "user", "daemon", "auth", "authpriv", "local0", "local1", "local2", "local3", "local4", "local5", "local6",
        "local7",
    ] = "local0"  # fmt: skip


AnyChannel = Webhook | Mail | Syslog
_KINDS: dict[str, type[AnyChannel]] = {"webhook": Webhook, "email": Mail, "syslog": Syslog}
_PATHS = {
    Webhook: ("url_file", "secret_file", "ca_file"),
    Mail: ("password_file", "ca_file"),
    Syslog: ("ca_file",),
}
_WANTED = {
    "name": 'letters, digits, - and _, such as "pit"',
    "alarms": 'a list of names, * for anything, such as ["discrepancy", "fault_*"]',
    "severity": 'the lowest: "critical", "warning" or "info"',
    "states": f"a list of {', '.join(get_args(AlarmState))}",
    "tables": 'a list of tables, * for anything, such as ["bac-*"]',
    "to": 'a list of parties, such as ["surveillance"]',
    "limits": "true or false",
    "remind_minutes": "1 to 44640, such as 60",
    "timeout_s": "0.1 to 60, such as 10",
    "ca_file": 'the path of certificates to trust, such as "ca.pem"',
    "url": '"https://host/path"',
    "url_file": 'the path of a file with mode 0600 with the address, such as "hook.url"',
    "secret_file": 'the path of a file with mode 0600, such as "hook.secret"',
    "host": 'the name of the mail server, such as "mail.example"',
    "sender": 'the address of the sender, such as "sabot@casino.example"',
    "recipients": 'a list of 1 to 20 addresses, such as ["inspector@example"]',
    "port": "1 to 65535, such as 587",
    "security": '"starttls", "tls" or "none"',
    "user": 'the name at the mail server, such as "sabot"',
    "password_file": 'the path of a file with mode 0600, such as "mail.password"',
    "address": '"udp://host:514", "tcp://host:601", "tls://host:6514", or a path such as "/dev/log"',
    "facility": '"local0" to "local7", "user", "daemon", "auth" or "authpriv"',
}


def shape_problems(tables: Any) -> Iterator[str]:
    """Yield what is wrong with the keys and types of `notify` in a file."""
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        yield "notify: write tables: [[notify]]"
        return
    if len(tables) > MOST_CHANNELS:
        yield f"notify: {len(tables)} channels; at most {MOST_CHANNELS} are possible"
    for number, table in enumerate(tables, 1):
        yield from _table_problems(table, f"notify {number}: ")
    names = [name for table in tables if isinstance(name := table.get("name"), str)]
    yield from (f"notify: the name {name!r:.80} is there twice" for name in {*names} if names.count(name) > 1)


def _table_problems(table: dict[str, Any], place: str) -> Iterator[str]:
    kind = table.get("kind")
    if not isinstance(kind, str) or kind not in _KINDS:
        yield f'{place}kind = {kind!r:.40}; write "webhook", "email" or "syslog"'
        return
    others = {key: value for key, value in table.items() if key != "kind"}
    yield from config_file.key_problems(_KINDS[kind], others, place, _WANTED)


def absolute(channel: AnyChannel, directory: Path) -> AnyChannel:
    """Return the channel with its paths made absolute."""
    return with_paths(channel, directory, *_PATHS[type(channel)])


def party_problems(channel: Channel) -> Iterator[str]:
    """Yield the parties that no rulebook has."""
    known = catalogue().party
    for party in channel.to:
        if party not in known:
            yield f"to: unknown party {party!r:.60}; there are {', '.join(known)}"


def wants_alarm(channel: Channel, message: AlarmMessage) -> bool:
    """Return True if a channel is for an alarm in its state."""
    if message.state not in channel.states or not wants_table(channel, message.table):
        return False
    if channel.alarms is None and channel.severity is None:
        return not channel.to and not channel.limits and message.severity == "critical"
    if channel.severity is not None and _RANK[message.severity] < _RANK[channel.severity]:
        return False
    return channel.alarms is None or any(fnmatchcase(message.name, pattern) for pattern in channel.alarms)


def wants_table(channel: Channel, table: str) -> bool:
    """Return True if a channel is for a table."""
    return any(fnmatchcase(table, pattern) for pattern in channel.tables)


def unknown_alarms(channel: Channel, known: list[str]) -> list[str]:
    """Return the patterns for alarms that fit none of these names."""
    return [pattern for pattern in channel.alarms or () if not any(fnmatchcase(name, pattern) for name in known)]

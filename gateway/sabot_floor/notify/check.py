"""Check: what is wrong with the channels of a config, and which receivers cannot be reached now."""

import shlex
import socket
from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from sabot_service.facts import Fact

from sabot_floor.notify.channels import AnyChannel, Mail, Webhook, party_problems, unknown_alarms
from sabot_floor.notify.senders import mail, secrets, syslog, webhook
from sabot_floor.notify.senders.connection import SendError, connected, tls

_REACH_S = 2.0


def problems(channels: Sequence[AnyChannel]) -> Iterator[str]:
    """Yield what keeps channels from working, whatever the network does."""
    for channel in channels:
        yield from (f"notify {channel.name}: {problem}" for problem in _problems(channel))


def _problems(channel: AnyChannel) -> Iterator[str]:
    yield from party_problems(channel)
    try:
        if channel.ca_file is not None:
            tls(channel.ca_file)
        if isinstance(channel, Webhook):
            yield from _webhook_problems(channel)
        elif isinstance(channel, Mail):
            yield from _mail_problems(channel)
        else:
            syslog.target(channel)
    except SendError as error:
        yield str(error)


def _webhook_problems(channel: Webhook) -> Iterator[str]:
    if (channel.url is None) == (channel.url_file is None):
        yield "write either url or url_file"
        return
    webhook.target(channel)
    if channel.secret_file is not None:
        secrets.read(channel.secret_file)


def _mail_problems(channel: Mail) -> Iterator[str]:
    if (channel.user is None) != (channel.password_file is None):
        yield "write both user and password_file, or neither"
    if channel.password_file is not None:
        secrets.read(channel.password_file)
        if channel.security == "none":
            yield 'security = "none" would send the password readable; write "starttls" or "tls"'


def facts(channels: Sequence[AnyChannel], alarms: Sequence[str], config: str) -> Iterator[Fact]:
    """Yield whether each channel's alarms exist and its receiver can be reached.

    `alarms` are all known names, `config` is the file of the channels.
    """
    for channel in channels:
        subject = f"notify {channel.name}"
        if alarms:
            yield from (_unknown(subject, one, alarms) for one in unknown_alarms(channel, list(alarms)))
        if _is_readable(channel):
            yield Fact("warning", subject, "without TLS everybody on the way can read and change what is sent")
        yield _reached(subject, channel, config)


def _unknown(subject: str, pattern: str, alarms: Sequence[str]) -> Fact:
    near = get_close_matches(pattern, alarms, 1)
    hint = f"did you mean {near[0]!r}?" if near else "`gateway/VERIFY.md` lists all alarms"
    return Fact("wrong", subject, f"alarms: there is no alarm {pattern!r}; {hint}")


def _is_readable(channel: AnyChannel) -> bool:
    """Return True if notices leave this machine in plain text."""
    if isinstance(channel, Webhook):
        to = webhook.target(channel)
        return not to.tls and not _is_local(to.host)
    if isinstance(channel, Mail):
        return channel.security == "none" and not _is_local(channel.host)
    place = syslog.target(channel)
    return place.way in ("udp", "tcp") and not _is_local(place.host)


def _is_local(host: str) -> bool:
    return host in ("localhost", "::1") or host.startswith("127.")


def _reached(subject: str, channel: AnyChannel, config: str) -> Fact:
    try:
        place = _reach(channel)
    except SendError as error:
        return Fact("warning", subject, f"cannot be reached now: {error}")
    test = f"sabot floor notify test --config {shlex.quote(config)} --channel {channel.name}"
    return Fact("ok", subject, f"{place}; try it: {test}")


def _reach(channel: AnyChannel) -> str:
    """Connect, where there is a connection, and send nothing; return what was reached, or raise SendError."""
    if isinstance(channel, Webhook):
        to = webhook.target(channel)
        return _connect(to.host, to.port, channel.ca_file if to.tls else None, secure=to.tls)
    if isinstance(channel, Mail):
        return _connect(channel.host, mail.port(channel), channel.ca_file, secure=channel.security == "tls")
    place = syslog.target(channel)
    if place.way == "unix":
        return _connect_local(place.path)
    if place.way != "udp":
        return _connect(place.host, place.port, channel.ca_file, secure=place.way == "tls")
    try:
        socket.getaddrinfo(place.host, place.port, type=socket.SOCK_DGRAM)
    except (OSError, UnicodeError) as error:
        raise SendError(f"{place.host}: {getattr(error, 'strerror', None) or error}") from None
    return f"{place.host} has an address; udp has no answer"


def _connect(host: str, port: int, ca_file: str | None, *, secure: bool) -> str:
    with connected(host, port, _REACH_S, tls(ca_file) if secure else None):
        return f"{host}:{port} answers"


def _connect_local(path: str) -> str:
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as made:
            made.connect(path)
    except OSError as error:
        raise SendError(f"{path}: {error.strerror or error}") from None
    return f"{path} is there"

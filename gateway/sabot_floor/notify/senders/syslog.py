"""Syslog: one line, RFC 5424, by UDP, TCP or TLS; or in the form of this machine's own socket."""

import os
import socket
from typing import NamedTuple
from urllib.parse import urlsplit

from sabot_protocol.topics import Severity

from sabot_floor.notify.channels import Syslog
from sabot_floor.notify.notices import Notice
from sabot_floor.notify.senders.connection import SendError, connected, tls

_PORTS = {"udp": 514, "tcp": 601, "tls": 6514}
_FACILITIES = {"user": 1, "daemon": 3, "auth": 4, "authpriv": 10} | {f"local{n}": 16 + n for n in range(8)}
_SEVERITIES: dict[Severity, int] = {"critical": 2, "warning": 4, "info": 6}
_MOST_BYTES = 2048  # which every receiver should take (RFC 5424 6.1)
_LISTEN_S = 1.0  # for a receiver that refuses what it got


class Target(NamedTuple):
    """Where a syslog is; a path of a socket has no host."""

    way: str  # udp, tcp, tls, unix
    host: str
    port: int
    path: str = ""


def target(channel: Syslog) -> Target:
    """Return where to send; SendError if the address cannot be used."""
    if channel.address.startswith("/"):
        return Target("unix", "", 0, channel.address)
    problem = "address: expected udp://host:514, tcp://host:601, tls://host:6514 or the path of a socket"
    try:
        parts = urlsplit(channel.address)
        port = parts.port
    except ValueError:
        raise SendError(problem) from None
    if parts.scheme not in _PORTS or not parts.hostname or parts.path or parts.query or parts.username is not None:
        raise SendError(problem)
    return Target(parts.scheme, parts.hostname, port or _PORTS[parts.scheme])


def send(channel: Syslog, notice: Notice) -> str:
    """Send a notice; return what is known about its arrival, or raise SendError."""
    to = target(channel)
    if to.way == "unix":
        return _send_local(to.path, local_line(channel, notice, os.getpid()))
    line = rfc5424_line(channel, notice, socket.gethostname())
    if to.way == "udp":
        return _send_datagram(to, line, channel.timeout_s)
    with connected(
        to.host, to.port, channel.timeout_s, tls(channel.ca_file) if to.way == "tls" else None
    ) as connection:
        connection.sendall(b"%d %b" % (len(line), line))  # octet counting, RFC 6587 and 5425
        connection.listen(_LISTEN_S, ended=to.way == "tcp")
    return f"taken by {to.way}; syslog has no answer"


def _send_datagram(to: Target, line: bytes, limit_s: float) -> str:
    try:
        family, kind, proto, _, address = socket.getaddrinfo(to.host, to.port, type=socket.SOCK_DGRAM)[0]
        with socket.socket(family, kind, proto) as made:
            made.settimeout(limit_s)
            made.sendto(line, address)
    except (OSError, UnicodeError) as error:
        raise SendError(f"{to.host}:{to.port}: {getattr(error, 'strerror', None) or error}") from None
    return "sent by udp, which has no answer"


def _send_local(path: str, line: bytes) -> str:
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as made:
            made.settimeout(_LISTEN_S)
            made.connect(path)
            made.send(line)
    except OSError as error:
        raise SendError(f"{path}: {error.strerror or error}") from None
    return f"taken by {path}; syslog has no answer"


def rfc5424_line(channel: Syslog, notice: Notice, host: str) -> bytes:
    """Return a line of RFC 5424; the id is at the end of the text, so that a receiver can drop a repeat."""
    about = _word(notice.name or notice.occasion, 32)
    head = f"<{_priority(channel, notice)}>1 {notice.time} {_word(host, 255)} sabot-floor - {about} -"
    return head.encode() + b" " + _text(notice, _MOST_BYTES - len(head) - 1, mark=True)


def local_line(channel: Syslog, notice: Notice, process: int) -> bytes:
    """Return a line as /dev/log takes it; journald and rsyslog add time and host."""
    head = f"<{_priority(channel, notice)}>sabot-floor[{process}]: ".encode()
    return head + _text(notice, _MOST_BYTES - len(head), mark=False)


def _priority(channel: Syslog, notice: Notice) -> int:
    return _FACILITIES[channel.facility] * 8 + _SEVERITIES[notice.severity]


def _word(text: str, most: int) -> str:
    """Return a text as a field of the head: printable ASCII without spaces, `-` for none."""
    return "".join(char for char in text if "!" <= char <= "~")[:most] or "-"


def _text(notice: Notice, most: int, *, mark: bool) -> bytes:
    """Return subject, text and id in so many bytes; `mark` puts a byte order mark before what is not ASCII."""
    begin = f"{notice.subject}. {notice.text}"
    end = f" id={notice.id}".encode()
    bom = b"\xef\xbb\xbf" if mark and not begin.isascii() else b""
    cut = begin.encode()[: most - len(bom) - len(end)].decode(errors="ignore")
    return bom + cut.encode() + end

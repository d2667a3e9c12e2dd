"""Webhook: an HTTP POST with a JSON body, its id, and a signature if there is a secret."""

import hashlib
import hmac
import http.client
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec

from sabot_floor.notify.channels import Webhook
from sabot_floor.notify.notices import Notice, short
from sabot_floor.notify.senders import secrets
from sabot_floor.notify.senders.connection import SendError, connected, tls

_MOST_ANSWER_BYTES = 4096


class Target(NamedTuple):
    """Where a webhook is; `path` may be a secret."""

    tls: bool
    host: str
    port: int
    path: str

    @property
    def shown(self) -> str:
        """Return the address as far as anybody may see it."""
        return f"{'https' if self.tls else 'http'}://{self.host}:{self.port}/…"


def target(channel: Webhook) -> Target:
    """Return where to send; SendError if the address cannot be used."""
    where = "url_file" if channel.url_file else "url"
    text = secrets.read(channel.url_file) if channel.url_file else channel.url or ""
    problem = f"{where}: expected http://host/path or https://host/path, without user and password"
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise SendError(problem) from None
    odd = parts.username is not None or parts.password is not None or parts.fragment or not text.isascii()
    if parts.scheme not in ("http", "https") or not parts.hostname or odd or " " in text:
        raise SendError(problem)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    secure = parts.scheme == "https"
    return Target(secure, parts.hostname, port or (443 if secure else 80), path)


def send(channel: Webhook, notice: Notice) -> str:
    """Send a notice; return the receiver's answer, or raise SendError."""
    to, key = target(channel), secrets.read(channel.secret_file) if channel.secret_file else ""
    body = msgspec.json.encode(notice)
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "sabot-floor",
        "Connection": "close",
        "X-Sabot-Id": notice.id,
    }
    if key:
        headers["X-Sabot-Signature"] = "sha256=" + hmac.new(key.encode(), body, hashlib.sha256).hexdigest()
    context = tls(channel.ca_file) if to.tls else None
    with connected(to.host, to.port, channel.timeout_s, context) as line:
        client = http.client.HTTPConnection(to.host, to.port)
        client.sock = line
        client.request("POST", to.path, body, headers)
        answer = client.getresponse()
        said = _beginning(answer)
    text = secrets.without(f"{answer.status} {answer.reason} {said.decode(errors='replace')}", to.path, key)
    if 300 <= answer.status < 400:
        raise SendError(f"{to.shown} answered {short(text)}: redirects are not followed; give the new address")
    if not 200 <= answer.status < 300:
        raise SendError(f"{to.shown} answered {short(text)}")
    return short(text)


def _beginning(answer: http.client.HTTPResponse) -> bytes:
    """Return the beginning of an answer's text; its status is known, so what fails now does no harm."""
    try:
        return answer.read1(_MOST_ANSWER_BYTES)
    except (OSError, SendError, http.client.HTTPException):
        return b""

"""Mail: an e-mail by SMTP, with STARTTLS, TLS or neither."""

import smtplib
import socket
import ssl
from contextlib import suppress
from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime

from sabot_floor.notify.channels import Mail
from sabot_floor.notify.notices import Notice, short
from sabot_floor.notify.senders import secrets
from sabot_floor.notify.senders.connection import Line, SendError, connected, tls

_PORTS = {"starttls": 587, "tls": 465, "none": 25}


def port(channel: Mail) -> int:
    """Return the port of the mail server."""
    return channel.port or _PORTS[channel.security]


def send(channel: Mail, notice: Notice) -> tuple[str, str]:
    """Send a notice; return the server's answer and what is wrong nevertheless, or raise SendError."""
    password = secrets.read(channel.password_file) if channel.password_file else ""
    try:
        return _send(channel, notice, password)
    except SendError as error:
        raise SendError(short(secrets.without(str(error), password), 300)) from None


def _send(channel: Mail, notice: Notice, password: str) -> tuple[str, str]:
    context = tls(channel.ca_file) if channel.security != "none" else None
    at_once = context if channel.security == "tls" else None
    with connected(channel.host, port(channel), channel.timeout_s, at_once) as line:
        session = _Session(line)
        try:
            _accepted(session.getreply())
            session.ehlo_or_helo_if_needed()
            if channel.security == "starttls" and context is not None:
                session.starttls(context=_Upgrade(context))  # type: ignore[call-overload]
                session.ehlo_or_helo_if_needed()
            if channel.user is not None:
                session.login(channel.user, password)
            return _deliver(session, channel, notice)
        except smtplib.SMTPResponseException as error:
            raise SendError(f"answered {_text(error.smtp_code, error.smtp_error)}") from None


def _deliver(session: smtplib.SMTP, channel: Mail, notice: Notice) -> tuple[str, str]:
    _accepted(session.mail(channel.sender))
    answers = {recipient: session.rcpt(recipient) for recipient in channel.recipients}
    refused = [f"{one}: {_text(*answer)}" for one, answer in answers.items() if answer[0] not in (250, 251)]
    if len(refused) == len(answers):
        raise SendError(f"no recipient was accepted: {'; '.join(refused)}")
    answer = session.data(message(channel, notice).as_bytes())
    _accepted(answer)
    with suppress(Exception):  # it is delivered already
        session.quit()
    return _text(*answer), short(f"not accepted for {'; '.join(refused)}") if refused else ""


def message(channel: Mail, notice: Notice) -> EmailMessage:
    """Return the e-mail; its Message-ID is the same whenever it is sent again."""
    made = EmailMessage()
    made["From"], made["To"] = channel.sender, ", ".join(channel.recipients)
    made["Subject"] = f"[sabot {notice.site}] {notice.subject}"
    made["Date"] = format_datetime(datetime.fromisoformat(notice.time))
    made["Message-ID"] = f"<{notice.id}@{notice.site}.sabot>"
    made["Auto-Submitted"] = "auto-generated"
    facts = {"site": notice.site, "table": notice.table, "at": notice.at, "until": notice.until, "rule": notice.clause}
    more = {"alarm": notice.alarm, "incident": notice.incident, "step": notice.step, "id": notice.id}
    listed = "\n".join(f"{name}: {value}" for name, value in (facts | more).items() if value)
    made.set_content(f"{notice.text}\n\n{listed}\n")
    return made


def _accepted(answer: tuple[int, bytes]) -> None:
    if not 200 <= answer[0] < 300:
        raise smtplib.SMTPResponseException(*answer)


def _text(code: int, said: bytes | str) -> str:
    return short(f"{code} {said.decode(errors='replace') if isinstance(said, bytes) else said}")


class _Session(smtplib.SMTP):
    """SMTP over a connection that is there already."""

    def __init__(self, line: Line) -> None:
        super().__init__(local_hostname=_own_name())
        self.sock = line  # type: ignore[assignment]


class _Upgrade:
    """What STARTTLS takes for a context: the line begins TLS itself."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self._context = context

    def wrap_socket(self, line: Line, **_: object) -> Line:
        """Begin TLS."""
        line.wrap(self._context)
        return line


def _own_name() -> str:
    """Return the name for EHLO, without a question to a name server."""
    name = socket.gethostname()
    return name if name and name.isascii() and name.isprintable() and " " not in name else "sabot-floor"

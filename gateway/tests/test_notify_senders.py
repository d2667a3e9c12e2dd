"""Notices to real receivers: what arrives, what a bad one costs in time and bytes; no secret in a sentence."""

import hashlib
import hmac
import re
import socket
import time
from email import message_from_bytes, policy
from pathlib import Path

import msgspec
import pytest
from notify_parts import BEGIN_S, alarm, secret_file
from notify_receivers import (
    MailServer,
    WebServer,
    answer_for_ever,
    answer_slowly,
    answering,
    certificates,
    never_answer,
)
from sabot_floor.gaming_day import Calendar
from sabot_floor.notify import notices
from sabot_floor.notify.channels import AnyChannel, Mail, Syslog, Webhook
from sabot_floor.notify.delivery import Outcome
from sabot_floor.notify.notices import Notice
from sabot_floor.notify.senders.sending import Senders, send
from sabot_floor.notify.senders.syslog import local_line, rfc5424_line
from sabot_service.moment import utc
from sabot_tools.stand.ports import free_port
from support.patience import PATIENCE_S, is_quick

NOTICE = notices.of_alarm("sydney", "c", alarm(), utc(BEGIN_S), Calendar())
QUICK_S, MOST_TIMEOUT_S = 0.25, 60.0  # of a receiver that hangs, and of all others


# Webhook


def test_a_webhook_gets_the_notice_its_id_and_a_signature(tmp_path: Path) -> None:
    key = secret_file(tmp_path / "hook.secret", "correct horse battery\n")
    with WebServer().running() as server:
        channel = Webhook(name="c", url=f"http://127.0.0.1:{server.port}/hook?x=1", secret_file=key)
        outcome = send(channel, NOTICE)
    assert (outcome.result, outcome.say) == ("sent", "202 Accepted queued")
    [(path, headers, body)] = server.requests
    assert path == "/hook?x=1"
    assert msgspec.json.decode(body, type=Notice) == NOTICE
    assert headers["X-Sabot-Id"] == NOTICE.id
    expected = hmac.new(b"correct horse battery", body, hashlib.sha256).hexdigest()
    assert headers["X-Sabot-Signature"] == f"sha256={expected}"
    assert headers["Content-Type"] == "application/json"


def test_a_webhook_without_a_secret_is_not_signed() -> None:
    with WebServer().running() as server:
        send(Webhook(name="c", url=f"http://127.0.0.1:{server.port}"), NOTICE)
    [(path, headers, _)] = server.requests
    assert path == "/"
    assert "X-Sabot-Signature" not in headers


@pytest.mark.parametrize(
    ("status", "headers", "say"),
    [
        (500, {}, r"http://127.0.0.1:\d+/… answered 500 Internal Server Error: no \(…\)|… answered 500"),
        (404, {}, "answered 404 Not Found"),
        (302, {"Location": "http://127.0.0.1:1/other"}, "redirects are not followed; give the new address"),
        (307, {"Location": "/other"}, "redirects are not followed"),
    ],
)
def test_an_answer_that_is_not_an_acceptance_is_a_failure(status: int, headers: dict[str, str], say: str) -> None:
    with WebServer().running() as server:
        server.answer = (status, headers, b"no")
        outcome = send(Webhook(name="c", url=f"http://127.0.0.1:{server.port}/hook"), NOTICE)
    assert outcome.result == "failed"
    assert re.search(say, outcome.say)
    assert len(server.requests) == 1


def test_https_checks_the_certificate_and_the_name(tmp_path: Path) -> None:
    authority, context = certificates()
    ca_file = str(tmp_path / "ca.pem")
    authority.cert_pem.write_to_path(ca_file)
    with WebServer().running(context) as server:
        url = f"https://localhost:{server.port}/hook"
        assert send(Webhook(name="c", url=url, ca_file=ca_file), NOTICE).result == "sent"
        unknown = send(Webhook(name="c", url=url), NOTICE)
        other_name = send(Webhook(name="c", url=url.replace("localhost", "127.0.0.1"), ca_file=ca_file), NOTICE)
    assert unknown.result == other_name.result == "failed"
    assert "its certificate is not accepted" in unknown.say
    assert "its certificate is not accepted" in other_name.say
    assert len(server.requests) == 1


def test_an_address_and_a_secret_are_in_no_sentence(tmp_path: Path) -> None:
    with WebServer().running() as server:
        address = secret_file(tmp_path / "hook.url", f"http://127.0.0.1:{server.port}/services/T0KEN\n")
        key = secret_file(tmp_path / "hook.secret", "S3CRET")
        server.answer = (404, {}, b"no /services/T0KEN here, and no S3CRET")
        outcome = send(Webhook(name="c", url_file=address, secret_file=key), NOTICE)
        server.answer = (200, {}, b"hello /services/T0KEN S3CRET")
        accepted = send(Webhook(name="c", url_file=address, secret_file=key), NOTICE)
    assert "T0KEN" not in outcome.say + accepted.say
    assert "S3CRET" not in outcome.say + accepted.say
    assert accepted.result == "sent"


# E-mail


def mail(port: int, **changes: object) -> Mail:
    values = {"name": "c", "host": "localhost", "port": port, "sender": "sabot@casino.example", "security": "none"}
    return msgspec.convert({"kind": "email", **values, "recipients": ["i@example.org"], **changes}, Mail)


@pytest.mark.parametrize("security", ["starttls", "tls"])
def test_an_e_mail_is_sent_encrypted_with_a_login(tmp_path: Path, security: str) -> None:
    authority, context = certificates()
    ca_file = str(tmp_path / "ca.pem")
    authority.cert_pem.write_to_path(ca_file)
    password = secret_file(tmp_path / "mail.password", "pass word\n")
    login = {"user": "sabot", "password_file": password, "ca_file": ca_file, "security": security}
    with MailServer(context, at_once=security == "tls", password="pass word").running() as server:
        outcome = send(mail(server.port, **login), NOTICE)
        wrong = secret_file(tmp_path / "wrong", "another")
        refused = send(mail(server.port, **(login | {"password_file": wrong})), NOTICE)
        unknown = send(mail(server.port, **(login | {"ca_file": None})), NOTICE)
    assert (outcome.result, outcome.say) == ("sent", "250 queued as 4711")
    [envelope] = server.mails
    assert (envelope.mail_from, envelope.rcpt_tos) == ("sabot@casino.example", ["i@example.org"])
    assert isinstance(envelope.content, bytes)
    got = message_from_bytes(envelope.content, policy=policy.default)
    assert got["Subject"] == "[sabot sydney] bac-01: alarm discrepancy, critical, raised"
    assert got["Message-ID"] == f"<{NOTICE.id}@sydney.sabot>"
    assert got["Date"] == "Tue, 17 Nov 2026 12:00:00 +0000"
    assert "Shoe and gateway differ. Call a supervisor." in got.get_content()
    assert refused.result == unknown.result == "failed"
    assert "535" in refused.say
    assert "another" not in refused.say
    assert "its certificate is not accepted" in unknown.say


def test_a_recipient_who_is_refused_is_named_and_the_others_get_it() -> None:
    with MailServer().running() as server:
        some = send(mail(server.port, recipients=["a@nowhere.example", "b@example.org"]), NOTICE)
        none = send(mail(server.port, recipients=["a@nowhere.example"]), NOTICE)
    assert (some.result, some.say) == ("sent", "250 queued as 4711")
    assert some.problem == "not accepted for a@nowhere.example: 550 no such mailbox"
    assert none.result == "failed"
    assert "no recipient was accepted" in none.say
    assert [one.rcpt_tos for one in server.mails] == [["b@example.org"]]


def test_a_mail_server_without_starttls_gets_no_password(tmp_path: Path) -> None:
    password = secret_file(tmp_path / "p", "pass word")
    with MailServer().running() as server:
        outcome = send(mail(server.port, security="starttls", user="sabot", password_file=password), NOTICE)
    assert outcome.result == "failed"
    assert "STARTTLS" in outcome.say


# Syslog


def test_udp_carries_one_line_of_rfc_5424() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind(("127.0.0.1", 0))
        receiver.settimeout(PATIENCE_S)
        address = f"udp://127.0.0.1:{receiver.getsockname()[1]}"
        assert send(Syslog(name="c", address=address), NOTICE).result == "sent"
        line = receiver.recv(4096)
    host = socket.gethostname()
    assert line.decode() == (  # local0 is 16, critical is 2: 16 * 8 + 2
        f"<130>1 2026-11-17T12:00:00.000Z {host} sabot-floor - discrepancy - bac-01: alarm discrepancy, critical, "
        "raised. Shoe and gateway differ. Call a supervisor. Shoe 3, coup 17. Rule 12.13. "
        f"id={NOTICE.id}"
    )


def test_tcp_counts_the_octets(tmp_path: Path) -> None:
    got = bytearray()

    def take(connection: socket.socket) -> None:
        while data := connection.recv(4096):
            got.extend(data)

    with answering(take) as port:
        assert send(Syslog(name="c", address=f"tcp://127.0.0.1:{port}"), NOTICE).result == "sent"
    length, _, line = bytes(got).partition(b" ")
    assert int(length) == len(line)
    assert line.startswith(b"<130>1 2026-11-17T12:00:00.000Z ")


def test_tls_checks_the_certificate(tmp_path: Path) -> None:
    authority, context = certificates()
    ca_file = str(tmp_path / "ca.pem")
    authority.cert_pem.write_to_path(ca_file)
    got = bytearray()

    def take(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as secure:
            got.extend(secure.recv(4096))

    with answering(take) as port:
        assert send(Syslog(name="c", address=f"tls://localhost:{port}", ca_file=ca_file), NOTICE).result == "sent"
    assert b"<130>1 " in got
    with answering(take) as port:
        assert "certificate" in send(Syslog(name="c", address=f"tls://localhost:{port}"), NOTICE).say


def test_the_socket_of_this_machine_gets_its_own_form(tmp_path: Path) -> None:
    path = str(tmp_path / "log")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiver:
        receiver.bind(path)
        receiver.settimeout(PATIENCE_S)
        assert send(Syslog(name="c", address=path, facility="daemon"), NOTICE).result == "sent"
        line = receiver.recv(4096).decode()
    assert re.match(r"<26>sabot-floor\[\d+\]: bac-01: alarm discrepancy", line)  # 3 * 8 + 2
    assert "No such file" in send(Syslog(name="c", address=str(tmp_path / "none")), NOTICE).say


def test_a_time_in_an_alarm_is_that_of_the_site() -> None:
    say = "Not listed since 2026-11-17T12:00:00.000Z: 3 reject."
    made = notices.of_alarm("sydney", "c", alarm(say=say), utc(BEGIN_S), Calendar(zone="Australia/Sydney"))
    assert made.text.startswith("Not listed since 2026-11-17 23:00:00 Australia/Sydney: 3 reject.")


def test_a_line_has_at_most_2048_bytes_and_always_its_id() -> None:
    long = notices.of_alarm("sydney", "c", alarm(say="Karte ♠ " * 1000), utc(BEGIN_S), Calendar())
    line = rfc5424_line(Syslog(name="c"), long, "h" * 400)
    assert len(line) <= 2048
    assert line.endswith(f"id={NOTICE.id}".encode())
    assert b" - \xef\xbb\xbfbac-01: " in line
    line.decode()
    assert len(local_line(Syslog(name="c"), long, 1)) <= 2048


# Bad receivers


def by_web(port: int, timeout_s: float = MOST_TIMEOUT_S) -> Webhook:
    return Webhook(name="c", url=f"http://127.0.0.1:{port}/", timeout_s=timeout_s)


def by_mail(port: int, timeout_s: float = MOST_TIMEOUT_S) -> Mail:
    return mail(port, host="127.0.0.1", timeout_s=timeout_s)


@pytest.mark.parametrize(
    ("channel_of", "serve"),
    [
        (by_web, never_answer),
        (by_web, answer_slowly(b"HTTP/1.1 200 OK\r\nX: ")),
        (by_web, answer_slowly(b"HTTP/1.1 100 Continue\r\n")),
        (by_mail, never_answer),
        (by_mail, answer_slowly(b"220 ")),
    ],
)
def test_a_receiver_that_hangs_costs_its_time_limit_and_no_more(channel_of: object, serve: object) -> None:
    def failed_s() -> float:
        with answering(serve) as port:  # type: ignore[arg-type]
            began_s = time.monotonic()
            outcome = send(channel_of(port, QUICK_S), NOTICE)  # type: ignore[operator]
            took_s = time.monotonic() - began_s
        assert outcome.result == "failed"
        assert outcome.say == f"127.0.0.1:{port}: no answer within 0.25 s"
        return took_s

    assert is_quick(failed_s, QUICK_S + 1.0)


@pytest.mark.parametrize(
    ("channel_of", "serve", "result"),
    [
        (by_web, answer_for_ever(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 100), "sent"),  # the first 4096 bytes are read
        (by_web, answer_slowly(b"HTTP/1.1 200 OK\r\n\r\n"), "sent"),
        (by_web, answer_for_ever(b"HTTP/1.1 100 Continue\r\n\r\n"), "failed"),
        (by_web, answer_for_ever(b"x" * 100), "failed"),
        (by_web, answer_for_ever(b"\xff\x00\r\n"), "failed"),
        (by_mail, answer_for_ever(b"220-more\r\n"), "failed"),
        (by_mail, answer_for_ever(b"x" * 100), "failed"),
        (by_mail, lambda connection: connection.close(), "failed"),
    ],
)
def test_a_huge_or_senseless_answer_is_not_read_to_its_end(channel_of: object, serve: object, result: str) -> None:
    with answering(serve) as port:  # type: ignore[arg-type]
        outcome = send(channel_of(port), NOTICE)  # type: ignore[operator]
    assert outcome.result == result
    assert "no answer within" not in outcome.say  # it ended by the bytes, not by the time
    assert len(outcome.say) <= 300
    assert outcome.say.isprintable()


@pytest.mark.parametrize(
    "channel",
    [by_web(free_port()), by_mail(free_port()), Syslog(name="c", address=f"tcp://127.0.0.1:{free_port()}")],
)
def test_a_refused_connection_is_a_failure_with_its_reason(channel: AnyChannel) -> None:
    outcome = send(channel, NOTICE)
    assert outcome.result == "failed"
    assert outcome.say.endswith(": Connection refused")


def test_one_thread_per_channel_and_the_rest_of_a_batch_is_released_after_a_failure() -> None:
    with WebServer().running() as server, answering(never_answer) as port:
        good = Webhook(name="good", url=f"http://127.0.0.1:{server.port}/", timeout_s=MOST_TIMEOUT_S)
        channels = (by_web(port, QUICK_S), good)
        senders = Senders(channels)
        many = [
            notices.of_alarm("sydney", name, alarm(number), utc(BEGIN_S), Calendar())
            for number in range(2)
            for name in ("c", "good")
        ]
        senders.submit(many)
        assert senders.busy() == {"c", "good"}
        found: list[Outcome] = []
        until_s = time.monotonic() + PATIENCE_S
        while len(found) < 4 and time.monotonic() < until_s:
            found += senders.outcomes()
            time.sleep(0.005)
        senders.close()
    results = [(one.notice.channel, one.result) for one in found]
    assert [one for one in results if one[0] == "good"] == [("good", "sent")] * 2
    assert [one for one in results if one[0] == "c"] == [("c", "failed"), ("c", "released")]
    assert senders.busy() == set()

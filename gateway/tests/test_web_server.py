"""The server of pages: hosts, paths, headers, bounds of connections, TLS, a port in use, and the end."""

import http.client
import socket
import ssl
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trustme
from sabot_floor.web import channels, connection, hub
from sabot_floor.web.server import WebServer
from sabot_floor.web.site_state import SiteState
from sabot_service.moment import Moment
from support.patience import PATIENCE_S, is_quick
from web_rig import ended, get, made, raw, read_until, started, wait_for

EVENTS = b"GET /events/wall HTTP/1.1\r\nHost: localhost\r\n\r\n"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    with started(tmp_path_factory.mktemp("web"), hosts=("screens.example",)) as made_server:
        yield made_server


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8480", "screens.example", "SCREENS.example:1", "[::1]:80"])
def test_pages_are_served_under_our_names(server: WebServer, host: str) -> None:
    assert get(server, "/wall", host=host)[0] == 200


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "", "screens.example.evil", "a b"])
def test_requests_for_other_hosts_are_refused(server: WebServer, host: str) -> None:
    for path in ("/wall", "/events/wall", "/static/live.js"):
        assert get(server, path, host=host)[0] == 421


@pytest.mark.parametrize("path", ["/wall", "/static/live.js", "/words", "/nothing", "/session", "/"])
def test_every_answer_has_the_headers(server: WebServer, path: str) -> None:
    status, headers, _ = get(server, path)
    assert status == {"/nothing": 404, "/": 302}.get(path, 200)
    assert headers["content-security-policy"] == POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "server" not in headers


@pytest.mark.parametrize("path", ["/nothing", "/wall/a/b/c/d/e", "/display/%3Cb%3E", "/missing"])
def test_an_address_without_a_page_has_a_page_of_its_own(server: WebServer, path: str) -> None:
    status, headers, body = get(server, path)
    assert (status, headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert b"/static/missing.js" in body


@pytest.mark.parametrize(
    "path",
    [
        "/static/../config.py",
        "/static/%2e%2e/config.py",
        "/static/..%2fconfig.py",
        "/static//etc/passwd",
        "/static/vendor/../../server.py",
        "/static/vendor/vendor.toml",
        "/static/",
        "/wall/../../config.py",
        "/wall/%2e%2e%2fconfig.py",
        "/..%2fpages%2fwall.html",
        "/config.py",
        "/wall.html",
        "/wall/<script>",
        "/wall/a/b/c/d/e",
        "/%00",
        "/events/",
        "/events/nothing",
        "/events/display/..",
    ],
)
def test_other_paths_have_nothing(server: WebServer, path: str) -> None:
    assert get(server, path)[0] == 404


def test_a_page_that_the_browser_has_is_not_sent_again(server: WebServer) -> None:
    _, headers, body = get(server, "/static/live.js")
    assert body
    status, _, body = get(server, "/static/live.js", **{"if-none-match": headers["etag"]})
    assert (status, body) == (304, b"")


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "TRACE"])
def test_other_methods_are_refused(server: WebServer, method: str) -> None:
    assert get(server, "/wall", method)[0] == 405


@pytest.mark.parametrize("path", ["/act", "/login", "/logout"])
def test_no_act_comes_with_a_get(server: WebServer, path: str) -> None:
    assert get(server, path)[0] in (404, 405)


@pytest.mark.parametrize(
    "data", [b"\0\0\0\0\r\n\r\n", b"GET\r\n\r\n", b"GET /wall HTTP/1.1\r\nContent-Length: x\r\n\r\n"]
)
def test_what_is_no_http_is_answered_and_ended(server: WebServer, data: bytes) -> None:
    with raw(server, data) as sock:
        assert ended(sock).startswith(b"HTTP/1.1 400 ")


def test_a_long_head_is_refused(server: WebServer) -> None:
    with raw(server, b"GET /wall HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 20_000) as sock:
        assert b"400" in ended(sock)[:20]
    with raw(server, b"GET /" + b"x" * 20_000) as sock:
        assert b"400" in ended(sock)[:20]
    many = b"".join(b"X-%d: y\r\n" % number for number in range(2000))
    with raw(server, b"GET /wall HTTP/1.1\r\nHost: localhost\r\n" + many) as sock:
        assert b"400" in ended(sock)[:20]


@pytest.mark.parametrize(("size", "status"), [(16_000, b"404"), (30_000, b"400")])
def test_a_long_request_line_is_refused_though_it_comes_at_once(server: WebServer, size: int, status: bytes) -> None:
    rest = b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    with raw(server, b"GET /" + b"x" * size + rest) as sock:
        assert ended(sock)[9:12] == status


def test_a_request_that_does_not_come_to_its_end_is_dropped(server: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "HEAD_WITHIN_S", 0.1)
    monkeypatch.setattr(hub, "BEAT_S", 0.2)
    body = b"POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n"
    for data in (b"", b"GET /wall HTTP/1.1\r\n", body):
        with raw(server, data) as sock:
            assert b"200" not in ended(sock)[:20]
    with raw(server, EVENTS) as sock:  # a stream has no such end
        read_until(sock, b"event: beat")


def test_there_are_at_most_so_many_connections(server: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    wait_for(lambda: server.hub.streams() == 0)
    monkeypatch.setattr(connection, "MOST_CONNECTIONS", 3)
    kept = [raw(server, EVENTS) for _ in range(3)]
    wait_for(lambda: server.hub.streams() == 3)
    with raw(server, b"") as sock:
        assert ended(sock) == b""
    for sock in kept:
        sock.close()
    wait_for(lambda: server.hub.streams() == 0)
    assert get(server, "/wall")[0] == 200


def test_there_are_at_most_so_many_streams(server: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "MOST_STREAMS", 1)
    with raw(server, EVENTS):
        wait_for(lambda: server.hub.streams() == 1)
        status, headers, body = get(server, "/events/wall")
        assert (status, headers["retry-after"]) == (503, "5")
        assert b"Too many streams" in body
    wait_for(lambda: server.hub.streams() == 0)


def test_a_reader_that_does_not_read_is_dropped_and_others_go_on(
    server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def big(_site: SiteState, _key: str, at: Moment) -> dict[str, Any]:
        return {"now": at.now_s, "text": "x" * 1_000_000}

    monkeypatch.setitem(channels.CHANNELS, "big", channels.Channel(big, frozenset(), True, every_s=0.01))
    monkeypatch.setattr(hub, "SLOW_S", 0.1)
    monkeypatch.setattr(hub, "BEAT_S", 0.1)
    before = server.hub.dropped
    with raw(server, EVENTS.replace(b"wall", b"big")), raw(server, EVENTS) as other:
        wait_for(lambda: server.hub.dropped > before)
        wait_for(lambda: server.hub.streams() == 1)
        read_until(other, b"event: beat")
    wait_for(lambda: server.hub.streams() == 0)


def test_pages_over_tls(tmp_path: Path) -> None:
    authority = trustme.CA()
    issued = authority.issue_cert("localhost")
    certificate, key = tmp_path / "web.pem", tmp_path / "web.key"
    certificate.write_bytes(b"".join(part.bytes() for part in issued.cert_chain_pems))
    key.write_bytes(issued.private_key_pem.bytes())
    context = ssl.create_default_context()
    authority.configure_trust(context)
    with started(tmp_path, certificate=str(certificate), key=str(key)) as server:
        offered = server._web.context()
        assert offered is not None
        assert offered.minimum_version >= ssl.TLSVersion.TLSv1_2
        connection = http.client.HTTPSConnection("localhost", server.port, context=context, timeout=PATIENCE_S)
        connection.request("GET", "/wall")
        assert connection.getresponse().status == 200
        connection.close()
        with raw(server, EVENTS, context) as sock:
            assert b"200 OK" in sock.recv(4096)
        with raw(server, EVENTS) as sock:
            assert ended(sock) == b""


@pytest.mark.parametrize(("proxies", "status"), [(("127.0.0.1",), 503), (("10.9.9.9",), 403), ((), 403)])
def test_what_a_proxy_reports_counts_only_from_its_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, proxies: tuple[str, ...], status: int
) -> None:
    monkeypatch.setattr("sabot_floor.web.bridge.ANSWER_WITHIN_S", 0.01)  # 503: the floor's loop does not answer
    body = b'{"person": "vera", "secret": "730155"}'
    head = (
        b"POST /login HTTP/1.1\r\nHost: screens.example\r\nOrigin: https://screens.example\r\n"
        b"X-Forwarded-For: 10.1.2.3\r\nX-Forwarded-Proto: https\r\nContent-Type: application/json\r\n"
        b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body)
    )
    with started(tmp_path, hosts=("screens.example",), proxies=proxies) as server, raw(server, head + body) as sock:
        assert ended(sock).startswith(b"HTTP/1.1 %d " % status)
        asked = [one for one, _ in server._bridge.take()]
    assert [one.address for one in asked] == (["10.1.2.3"] if proxies == ("127.0.0.1",) else [])


def test_a_port_in_use_is_tried_again_until_it_is_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sabot_floor.web.server._BIND_AGAIN_S", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        server = made(tmp_path, listen=f"127.0.0.1:{port}")
        server.start()
        wait_for(lambda: server.problem)
        assert f"127.0.0.1:{port}: Address already in use; free the port or change `listen`" in server.problem
        assert server.status()["problem"] == server.problem
    wait_for(lambda: server.port)
    assert get(server, "/wall")[0] == 200
    assert not server.problem
    server.stop()


def test_a_server_whose_port_is_in_use_can_be_stopped(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        listen = f"127.0.0.1:{other.getsockname()[1]}"

        def stopped_s() -> float:
            server = made(tmp_path, listen=listen)
            server.start()
            wait_for(lambda: server.problem)
            began_s = time.monotonic()
            server.stop()
            return time.monotonic() - began_s

        assert is_quick(stopped_s, 1.0)


def end_with_streams(tmp_path: Path) -> float:
    """Return how long the end of a server takes that has streams open."""
    with started(tmp_path) as server:
        streams = [raw(server, EVENTS) for _ in range(20)]
        half = raw(server, b"GET /wall HTTP/1.1\r\n")
        wait_for(lambda: server.hub.streams() == 20)
        began_s = time.monotonic()
        server.stop()
        took_s = time.monotonic() - began_s
        assert not server._thread.is_alive()
        for sock in streams:
            assert ended(sock).endswith(b"0\r\n\r\n")
            sock.close()
        half.close()
        with pytest.raises(ConnectionError):
            raw(server, b"")
    return took_s


def test_the_end_takes_less_than_two_seconds_with_streams_open(tmp_path: Path) -> None:
    assert is_quick(lambda: end_with_streams(tmp_path), 2.0)

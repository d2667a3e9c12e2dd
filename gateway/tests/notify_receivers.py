"""Real receivers of notifications on this machine: a web server, a mail server, sockets of syslog, and bad ones."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import trustme
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, Envelope, LoginPassword, Session
from sabot_tools.stand.ports import free_port
from support.patience import PATIENCE_S


class WebServer:
    """Keeps every request; `answer` is status, headers and body of what it answers, as soon as `may_answer` is set."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, str], bytes]] = []
        self.answer: tuple[int, dict[str, str], bytes] = (202, {}, b"queued")
        self.may_answer = threading.Event()
        self.may_answer.set()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                server.requests.append((self.path, dict(self.headers), body))
                server.may_answer.wait(PATIENCE_S)
                status, headers, said = server.answer
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                with suppress(OSError):
                    self.wfile.write(said)

            def log_message(self, *_: Any) -> None:
                pass

        return Handler

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @contextmanager
    def running(self, context: ssl.SSLContext | None = None) -> Iterator["WebServer"]:
        if context is not None:
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self._thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()
            self._thread.join(PATIENCE_S)


class MailServer:
    """Keeps every e-mail; refuses recipients at nowhere.example, and every password but one."""

    def __init__(self, context: ssl.SSLContext | None = None, *, at_once: bool = False, password: str = "") -> None:
        self.mails: list[Envelope] = []
        self._password = password
        options: dict[str, Any] = {"hostname": "127.0.0.1", "port": free_port()}
        if password:
            options["authenticator"] = self._login
        if context is not None:
            options |= (
                {"ssl_context": context, "auth_require_tls": False}
                if at_once
                else {"tls_context": context, "require_starttls": True}
            )
        self._controller = Controller(self, **options)
        self.port = int(self._controller.port)

    def _login(self, _server: Any, _session: Any, _envelope: Any, _mechanism: str, data: Any) -> AuthResult:
        fits = isinstance(data, LoginPassword) and (data.login, data.password) == (b"sabot", self._password.encode())
        return AuthResult(success=fits, handled=False)

    async def handle_RCPT(  # noqa: N802
        self, _server: Any, _session: Session, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        if address.endswith("@nowhere.example"):
            return "550 no such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server: Any, _session: Session, envelope: Envelope) -> str:  # noqa: N802
        self.mails.append(envelope)
        return "250 queued as 4711"

    @contextmanager
    def running(self) -> Iterator["MailServer"]:
        self._controller.start()
        try:
            yield self
        finally:
            self._controller.stop()


@contextmanager
def answering(serve: Callable[[socket.socket], object]) -> Iterator[int]:
    """Serve one connection in a thread, badly; yield the port."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(PATIENCE_S)

        def run() -> None:
            with suppress(OSError):
                connection, _ = server.accept()
                connection.settimeout(PATIENCE_S)
                with connection:
                    serve(connection)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        yield int(server.getsockname()[1])
        thread.join(PATIENCE_S)
        assert not thread.is_alive()


def never_answer(connection: socket.socket) -> None:
    """Take everything and answer nothing."""
    while connection.recv(65_536):
        pass


def answer_slowly(first: bytes) -> Callable[[socket.socket], None]:
    """Answer with a byte every moment, for ever: no single wait is long."""

    def serve(connection: socket.socket) -> None:
        connection.sendall(first)
        pause = threading.Event()
        while not pause.wait(0.02):
            connection.sendall(b"x")

    return serve


def answer_for_ever(line: bytes) -> Callable[[socket.socket], None]:
    """Answer as much and as fast as possible."""

    def serve(connection: socket.socket) -> None:
        while True:
            connection.sendall(line * 1000)

    return serve


def certificates(name: str = "localhost") -> tuple[trustme.CA, ssl.SSLContext]:
    """Return an authority, and a server's context with a certificate of it for this name."""
    authority = trustme.CA()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert(name).configure_cert(context)
    return authority, context

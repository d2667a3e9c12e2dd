"""Web rig: the thread of the web part alone, without a broker and without a floor service, on a free port."""

import http.client
import selectors
import socket
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sabot_floor.config import Config
from sabot_floor.signs.board import SignBoard
from sabot_floor.web.bridge import Bridge
from sabot_floor.web.config import Web
from sabot_floor.web.server import WebServer
from support.patience import PATIENCE_S


def wait_for(done: Callable[[], object]) -> None:
    """Wait until the condition holds."""
    give_up_s = time.monotonic() + PATIENCE_S
    while not done():
        assert time.monotonic() < give_up_s
        time.sleep(0.005)


@contextmanager
def started(work_dir: Path, **web: Any) -> Iterator[WebServer]:
    """Yield a server that listens; it is stopped at the end."""
    server = made(work_dir, **web)
    server.start()
    try:
        wait_for(lambda: server.port)
        yield server
    finally:
        server.stop()


def made(work_dir: Path, **web: Any) -> WebServer:
    """Return a server that is not started."""
    given = Web(**{"listen": "127.0.0.1:0", **web})
    config = Config("sydney", str(work_dir / "floor.db"), "mqtt://127.0.0.1:1", web=given)
    return WebServer(config, given, Bridge(selectors.DefaultSelector()), SignBoard(()))


def get(server: WebServer, path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Return status, headers and body of the answer to a request."""
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)) as connection:
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()


def raw(server: WebServer, data: bytes, context: ssl.SSLContext | None = None) -> socket.socket:
    """Return a connection over which these bytes were sent."""
    sock: socket.socket = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S)
    if context is not None:
        sock = context.wrap_socket(sock, server_hostname="localhost")
    sock.sendall(data)
    return sock


def ended(sock: socket.socket) -> bytes:
    """Return all that comes until the server ends the connection."""
    found = bytearray()
    try:
        while data := sock.recv(1 << 20):
            found += data
    except ConnectionError:
        pass
    return bytes(found)


def read_until(sock: socket.socket, text: bytes) -> bytes:
    """Return what comes until this text has come."""
    found = bytearray()
    while text not in found:
        data = sock.recv(1 << 16)
        assert data, bytes(found)
        found += data
    return bytes(found)

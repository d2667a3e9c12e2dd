"""Client of the control socket: connect, send one request, read the answer."""

import contextlib
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from sabot_service.daemons import GATEWAY, Daemon
from sabot_service.groups import group_to_join
from sabot_service.messages import Answer, ControlError, Request

_CONNECT_S, _RETRY_S = 2.0, 0.01
_ANSWER_WITHIN_S = 30.0


def ask(path: Path, request: Request, daemon: Daemon = GATEWAY) -> Answer:
    """Return the daemon's answer to a request; ControlError if there is none."""
    with send_request(path, request, daemon) as sock, sock.makefile("rb") as lines:
        return parse_answer(path, lines.readline(), daemon)


@contextlib.contextmanager
def send_request(path: Path, request: Request, daemon: Daemon = GATEWAY) -> Iterator[socket.socket]:
    """Send a request and yield the connection for the answer; any socket error inside becomes a ControlError."""
    with socket.socket(socket.AF_UNIX) as sock:
        sock.settimeout(_CONNECT_S)
        try:
            _connect(sock, path)
            sock.settimeout(_ANSWER_WITHIN_S)
            sock.sendall(msgspec.json.encode(request) + b"\n")
            yield sock
        except PermissionError:
            group = group_to_join(path)
            raise ControlError(f"{path}: Permission denied: join group `{group}` to use this socket.") from None
        except TimeoutError:
            raise ControlError(
                f"{path}: the {daemon.name} did not answer in time. Read its log: `journalctl -u {daemon.unit}`."
            ) from None
        except OSError as error:
            raise ControlError(
                f"{path}: no {daemon.name} answers ({error.strerror or error}). Start it, or name the socket of the "
                "one that runs with --control PATH."
            ) from None


def parse_answer(path: Path, line: bytes, daemon: Daemon = GATEWAY) -> Answer:
    """Return the answer in a line; ControlError if the connection was closed without one."""
    if not line:
        raise ControlError(
            f"{path}: the {daemon.name} closed the connection without an answer: it is stopping, or has too many "
            "callers. Try again in a moment."
        )
    return msgspec.json.decode(line, type=Answer)


def _connect(sock: socket.socket, path: Path) -> None:
    """Connect; retry while the kernel's queue of waiting connections is full."""
    give_up_s = time.monotonic() + _CONNECT_S
    while True:
        try:
            sock.connect(str(path))
        except BlockingIOError:
            if time.monotonic() > give_up_s:
                raise TimeoutError from None
            time.sleep(_RETRY_S)
        else:
            return

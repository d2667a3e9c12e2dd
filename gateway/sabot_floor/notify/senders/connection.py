"""Connection: TCP, with TLS or without, bounded in time and in bytes as a whole, whatever the other side does."""

import io
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_MOST_BYTES = 1 << 16  # that a receiver may answer


class SendError(Exception):
    """A receiver did not accept a notice; the sentence has the reason, and no secret."""


class Line:
    """As much of a socket as the clients of HTTP and SMTP use; every wait ends at the same time."""

    def __init__(self, made: socket.socket, host: str, until_s: float) -> None:
        self._socket, self._host, self._until_s, self._left = made, host, until_s, _MOST_BYTES
        self.problem: Exception | None = None  # for clients that replace it by an error of their own

    def wrap(self, context: ssl.SSLContext) -> None:
        """Begin TLS; certificate and name of the other side are checked."""
        self._wait()
        self._socket = context.wrap_socket(self._socket, server_hostname=self._host)

    def _wait(self, most_s: float | None = None) -> None:
        left_s = self._until_s - time.monotonic()
        if left_s <= 0:
            raise TimeoutError
        self._socket.settimeout(left_s if most_s is None else min(left_s, most_s))

    def sendall(self, data: bytes) -> None:
        """Send everything."""
        self._wait()
        self._socket.sendall(data)

    def read_into(self, buffer: Any) -> int:
        """Read what is there, at least a byte; 0 at the end."""
        try:
            self._wait()
            count = self._socket.recv_into(buffer)
        except OSError as error:
            self.problem = error
            raise
        self._left -= count
        if self._left < 0:
            raise SendError(f"it answered more than {_MOST_BYTES} bytes")
        return count

    def listen(self, most_s: float, *, ended: bool) -> None:
        """Wait a moment for the other side to close, or to refuse with an error; `ended` if nothing more is sent."""
        if ended:
            self._socket.shutdown(socket.SHUT_WR)
        self._wait(most_s)
        try:
            self._socket.recv(1)
        except TimeoutError:
            return

    def makefile(self, _mode: str = "rb") -> io.BufferedReader:
        """Return a file to read from."""
        return io.BufferedReader(_Reader(self))

    def close(self) -> None:
        """Do nothing: the connection is closed by `end`."""

    def end(self) -> None:
        """Close the connection."""
        self._socket.close()


class _Reader(io.RawIOBase):
    """The bytes of a line."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._line.read_into(buffer)


@contextmanager
def connected(host: str, port: int, limit_s: float, context: ssl.SSLContext | None = None) -> Iterator[Line]:
    """Connect for `limit_s` in all; every error in between is raised as a SendError that names the place."""
    until_s = time.monotonic() + limit_s
    line: Line | None = None
    try:
        line = Line(socket.create_connection((host, port), timeout=limit_s), host, until_s)
        if context is not None:
            line.wrap(context)
        yield line
    except Exception as error:
        cause = (line.problem if line is not None else None) or error
        raise SendError(f"{host}:{port}: {_reason(cause, limit_s)}") from None
    finally:
        if line is not None:
            line.end()


def _reason(error: Exception, limit_s: float) -> str:
    if isinstance(error, SendError):
        return str(error)
    if isinstance(error, TimeoutError):
        return f"no answer within {limit_s:g} s"
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not accepted: {error.verify_message}"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return f"{type(error).__name__}: {error}"


def tls(ca_file: str | None) -> ssl.SSLContext:
    """Return how TLS is used: certificate and name of the other side are checked."""
    try:
        return ssl.create_default_context(cafile=ca_file)
    except OSError as error:
        raise SendError(f"ca_file {ca_file}: {error.strerror or error}; give a file with PEM certificates") from None

"""Ports: a local serial port, a TCP socket or an RFC 2217 host, each as one descriptor that a selector can watch."""

import contextlib
import errno
import os
import queue
import socket
import struct
import termios
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import serial
from serial.tools import list_ports

_READ_BYTES = 65_536
_CHUNK_BYTES = 4096
_CONNECT_TIMEOUT_S = 5.0
_DEAD_HOST_S = 20  # a host that takes no bytes and acknowledges nothing for so long is gone
_STUCK_LOOP_S = 5  # what a host sends is held for a loop that does not read, and then no longer
_MOST_HELD_BYTES = 1 << 18  # that came from a host faster than they could be handed on
_STEADY_S = 10.0
_BY_ID = Path("/dev/serial/by-id")

_BUSY = (errno.EWOULDBLOCK, errno.EBUSY)
# The next step for each reason that a system call gives.
_STEPS = {
    errno.ENOENT: "is not there: plug the adapter in, or correct `port` (`ls /dev/serial/by-id` shows what is there)",
    errno.EACCES: "may not be used by this user: `sudo usermod -aG dialout USER`, and log in again",
    **dict.fromkeys(_BUSY, "is busy: another program has it; end that program, or the second gateway"),
    errno.ENOTTY: "is no serial port; correct `port`",
    errno.EISDIR: "is a directory, not a serial port; correct `port`",
    errno.ECONNREFUSED: "is refused: the host is there, but nothing listens; start its serial server, check the number",
    errno.EHOSTUNREACH: "cannot be reached: check the host's power and the network",
    errno.ENETUNREACH: "cannot be reached: check this PC's network",
    errno.EIO: "does not answer: take the adapter out and put it in again",
    errno.ENODEV: "does not answer: take the adapter out and put it in again",
    errno.ENXIO: "does not answer: take the adapter out and put it in again",
}
_STEPS[errno.EPERM], _STEPS[errno.ENOTDIR] = _STEPS[errno.EACCES], _STEPS[errno.ENOENT]


class PortError(Exception):
    """A port cannot be opened; the message names it, the fact and the next step."""


class PortBusyError(PortError):
    """Another program has the port."""


def url_problem(url: str) -> str | None:
    """Return what is wrong with the way a port is written; None where it can be tried."""
    if "://" not in url:
        return None if url else "is empty; write a device such as /dev/ttyACM0"
    try:
        parts = urlsplit(url)
        known, whole = parts.scheme in ("socket", "rfc2217"), bool(parts.hostname and parts.port)
    except ValueError:
        known = whole = False
    return None if known and whole else "is no port; write a device, socket://host:port or rfc2217://host:port"


def found() -> list[str]:
    """Return the serial ports of this PC, by the names that survive replugging where there are some."""
    lasting = {os.path.realpath(path): str(path) for path in sorted(_BY_ID.glob("*"))}
    return sorted(lasting.get(os.path.realpath(port.device), port.device) for port in list_ports.comports())


class Port:
    """An open port: bytes by its descriptor, never waiting."""

    def __init__(self, url: str, descriptor: int) -> None:
        self.url, self._descriptor = url, descriptor

    @classmethod
    def open(cls, url: str, baud: int) -> "Port":
        """Open a port, or PortError; a URL may take seconds, see Opening."""
        problem = url_problem(url)
        if problem:
            raise PortError(f"port {url} {problem}")
        try:
            return cls(url, _OPENERS[urlsplit(url).scheme if "://" in url else ""](url, baud))
        except (OSError, ValueError, termios.error) as error:
            busy = getattr(error, "errno", None) in _BUSY
            raise (PortBusyError if busy else PortError)(f"port {url} {reason(error)}") from error

    def fileno(self) -> int:
        """Return the descriptor for the selector."""
        return self._descriptor

    def read(self, most_bytes: int = _READ_BYTES) -> bytes | None:
        """Return what has come, or the first part of it; None: nothing now; b"": the port is gone."""
        try:
            return os.read(self._descriptor, most_bytes)
        except BlockingIOError:
            return None
        except OSError:
            return b""

    def write(self, data: bytes) -> int | None:
        """Return how many of the first bytes were taken; None: the port is gone."""
        try:
            return os.write(self._descriptor, data)
        except BlockingIOError:
            return 0
        except OSError:
            return None

    def close(self) -> None:
        """Give it back at once: what a shoe that hangs has not taken is dropped, and sent again later."""
        with contextlib.suppress(termios.error):  # of a host there is nothing to drop
            termios.tcflush(self._descriptor, termios.TCOFLUSH)
        os.close(self._descriptor)


def reason(error: Exception) -> str:
    """Return the fact and the next step; pyserial keeps the reason of a host in the context."""
    cause = error.__context__ if isinstance(error, serial.SerialException) and error.__context__ else error
    number = cause.args[0] if isinstance(cause, termios.error) else getattr(cause, "errno", None)
    if isinstance(cause, socket.gaierror):
        return f"names a host that is not known ({cause.strerror}); correct the name, or write its address"
    if isinstance(cause, TimeoutError):
        return f"did not answer within {_CONNECT_TIMEOUT_S:.0f} s: check the host's power and the network"
    if isinstance(cause, BrokenPipeError | ConnectionError) and number not in _STEPS:
        return "was closed by its host: another program may have it; end that program"
    return _STEPS.get(number or 0, f"cannot be opened: {error}; check the cable, `port` and `baud`")


def _open_local(url: str, baud: int) -> int:
    """Settings and lock are the open file's: one descriptor keeps them when pyserial has given back its five."""
    # An inter-byte timeout of 0 makes a read with nothing there an error of its own, and not the end of the port.
    with serial.Serial(url, baud, timeout=0, inter_byte_timeout=0, exclusive=True) as line:
        return os.dup(line.fileno())


def _open_socket(url: str, _baud: int) -> int:
    parts = urlsplit(url)
    line = socket.create_connection((parts.hostname, parts.port or 0), _CONNECT_TIMEOUT_S)
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    _notice_dead_host(line)
    line.setblocking(False)
    return line.detach()


def _open_rfc2217(url: str, baud: int) -> int:
    """Return the near end of a pair of sockets; two threads carry bytes between its far end and pyserial."""
    host = serial.serial_for_url(url, baud, timeout=0.2)
    _notice_dead_host(host._socket)
    near, far = socket.socketpair()
    near.setblocking(False)
    far.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", _STUCK_LOOP_S, 0))
    for carry in (_from_host, _to_host):
        threading.Thread(target=carry, args=(host, far), name=f"{carry.__name__} {url}", daemon=True).start()
    return near.detach()


_OPENERS = {"": _open_local, "socket": _open_socket, "rfc2217": _open_rfc2217}


def _notice_dead_host(line: socket.socket) -> None:
    """Let unanswered bytes and probes end the connection: a host that lost its power sends nothing."""
    line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", 5), ("TCP_KEEPINTVL", 5), ("TCP_USER_TIMEOUT", _DEAD_HOST_S * 1000)):
        if hasattr(socket, name):
            line.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def _from_host(host: Any, far: socket.socket) -> None:
    """Carry bytes until the host or the loop is gone, or the loop does not keep up."""
    with contextlib.suppress(OSError):
        while host.in_waiting < _MOST_HELD_BYTES:
            far.sendall(host.read(min(max(1, host.in_waiting), _CHUNK_BYTES)))
    with contextlib.suppress(OSError):
        far.shutdown(socket.SHUT_WR)


def _to_host(host: Any, far: socket.socket) -> None:
    """Carry bytes until the loop closes its end, or the host is gone; pyserial is slow to close."""
    with contextlib.suppress(OSError):
        while data := far.recv(_CHUNK_BYTES):
            host.write(data)
    host.close()
    far.close()


class Opening:
    """A port on its way: a device is opened at once, a host in a thread that ends with the answer."""

    def __init__(self, url: str, baud: int) -> None:
        self._answer: queue.SimpleQueue[Port | PortError] = queue.SimpleQueue()
        self._abandoned = threading.Event()
        if "://" in url:
            threading.Thread(target=self._open, args=(url, baud), name=f"open {url}", daemon=True).start()
        else:
            self._open(url, baud)

    def _open(self, url: str, baud: int) -> None:
        try:
            self._answer.put(Port.open(url, baud))
        except PortError as error:
            self._answer.put(error)
        if self._abandoned.is_set():
            self._drop()

    def poll(self) -> Port | PortError | None:
        """Return the answer, once; None until it is there."""
        with contextlib.suppress(queue.Empty):
            return self._answer.get_nowait()
        return None

    def abandon(self) -> None:
        """Close the port that may still come: nobody waits for it any more."""
        self._abandoned.set()
        self._drop()

    def _drop(self) -> None:
        answer = self.poll()
        if isinstance(answer, Port):
            answer.close()


@dataclass
class Backoff:
    """When to try again: after first_s, then twice as long each time up to most_s; afresh once it was steady."""

    first_s: float
    most_s: float
    next_s: float = 0.0
    _wait_s: float = 0.0
    _up_s: float | None = None

    def due(self, now_s: float) -> bool:
        """Return True if it is time to try."""
        return now_s >= self.next_s

    def up(self, now_s: float) -> None:
        """Note that a try has succeeded."""
        self._up_s = now_s

    def down(self, now_s: float) -> None:
        """Note that a try has failed, or that what was up is lost."""
        steady = self._up_s is not None and now_s - self._up_s >= _STEADY_S
        self._wait_s = self.first_s if steady or not self._wait_s else min(2 * self._wait_s, self.most_s)
        self._up_s, self.next_s = None, now_s + self._wait_s


@dataclass
class Line:
    """One port kept open: a device that is not there is looked for each second, a host less and less often."""

    url: str
    baud: int
    port: Port | None = None
    _opening: Opening | None = None
    _backoff: Backoff = field(init=False)

    def __post_init__(self) -> None:
        """A device may be plugged in at any moment; a host that is away is not to be hammered."""
        self._backoff = Backoff(1.0, 30.0 if "://" in self.url else 1.0)

    def open(self, now_s: float) -> Port | PortError | None:
        """Make one step towards an open port; return the port once it is open, an error once it is known, else None."""
        if self._opening is None:
            if self.port is not None or not self._backoff.due(now_s):
                return None
            self._opening = Opening(self.url, self.baud)
        answer = self._opening.poll()
        if answer is None:
            return None
        self._opening = None
        if isinstance(answer, Port):
            self.port = answer
            self._backoff.up(now_s)
        else:
            self._backoff.down(now_s)
        return answer

    def lose(self, now_s: float) -> None:
        """The port is gone: close it and try again later. The selector must have let go of it."""
        self.close()
        self._backoff.down(now_s)

    def close(self) -> None:
        """Give everything back."""
        if self._opening is not None:
            self._opening.abandon()
        if self.port is not None:
            self.port.close()
        self.port = self._opening = None

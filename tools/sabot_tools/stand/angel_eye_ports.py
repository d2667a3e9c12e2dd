"""Ports of an emulated Angel Eye: a converter in TCP server mode, as casinos put it behind the shoe, or a pty."""

import contextlib
import fcntl
import os
import random
import select
import selectors
import socket
import sys
import termios
import tty
from pathlib import Path
from typing import Final, Protocol

from sabot_tools.stand.shoe_port import ShoePort, ShoePortError, listener, make_link, set_up

CLIENTS: Final = 4
_READ_BYTES: Final = 4096
_MOST_WAITING: Final = 65_536  # bytes for a client that does not read; more is lost, as in a converter
_SEND_BUFFER: Final = 4096
_MOST_NEWS: Final = 100


class AngelEyePort(ShoePort, Protocol):
    """A ShoePort that knows whether somebody listens."""

    @property
    def clients(self) -> int:
        """Return how many listen."""

    def waiting(self) -> int:
        """Return the bytes that wait for the slowest client."""

    def unplug(self) -> None:
        """Disconnect every client; they can connect again at once."""


class ConverterPort:
    """A TCP port for `socket://`: raw bytes in segments cut anywhere; they are lost while no client is connected."""

    def __init__(
        self, selector: selectors.BaseSelector, host: str, port: int, rng: random.Random, most: int = CLIENTS
    ) -> None:
        self._selector, self._rng, self._most, self.news = selector, rng, most, list[str]()
        self._clients: dict[socket.socket, bytearray] = {}
        self._listener = listener(host, port)
        self.port = f"socket://{host}:{self._listener.getsockname()[1]}"
        selector.register(self._listener, selectors.EVENT_READ)

    @property
    def clients(self) -> int:
        """Return how many clients are connected."""
        return len(self._clients)

    def waiting(self) -> int:
        """Return the bytes that wait for the slowest client."""
        return max(map(len, self._clients.values()), default=0)

    def read(self) -> bytes:
        """Return what all clients have sent; accept new ones."""
        self._accept()
        return b"".join(self._read_from(client) for client in list(self._clients))

    def _read_from(self, client: socket.socket) -> bytes:
        try:
            data = client.recv(_READ_BYTES)
        except BlockingIOError:
            return b""
        except OSError:
            data = b""
        if not data:
            self._lose(client, "a client has disconnected")
        return data

    def _accept(self) -> None:
        try:
            client, _ = self._listener.accept()
        except OSError:
            return
        if len(self._clients) >= self._most:
            self._note(f"one more client tried to connect and was refused: {self._most} are connected")
            client.close()
            return
        set_up(client)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
        self._selector.register(client, selectors.EVENT_READ)
        self._clients[client] = bytearray()
        self._note(f"a client has connected ({len(self._clients)} of {self._most})")

    def _note(self, text: str) -> None:
        self.news.append(text)
        del self.news[:-_MOST_NEWS]

    def _lose(self, client: socket.socket, note: str) -> None:
        self._selector.unregister(client)
        client.close()
        del self._clients[client]
        self._note(note)

    def write(self, data: bytes) -> None:
        """Send bytes of the shoe to every client, and a part of what waits."""
        for client, waiting in list(self._clients.items()):
            waiting += data[: _MOST_WAITING - len(waiting)]
            self._send(client, waiting)

    def _send(self, client: socket.socket, waiting: bytearray) -> None:
        """Send a segment of any length; the rest follows with the next call."""
        if not waiting:
            return
        try:
            sent = client.send(waiting[: self._rng.randint(1, len(waiting))])
        except BlockingIOError:
            return
        except OSError:
            self._lose(client, "a client has disconnected")
            return
        del waiting[:sent]

    def unplug(self) -> None:
        """Disconnect every client; they can connect again at once."""
        for client in list(self._clients):
            self._lose(client, "the converter has lost a client")

    def close(self) -> None:
        """Disconnect everybody and close the port."""
        self.unplug()
        self._selector.unregister(self._listener)
        self._listener.close()


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOCTTY | os.O_NONBLOCK)


class SerialLine:
    """A pseudo-terminal that one program at a time opens; `link` is a symbolic link to it with a lasting name."""

    def __init__(self, link: Path | None = None) -> None:
        self._master, slave = os.openpty()
        tty.setraw(slave)
        os.set_blocking(self._master, False)
        self._device, self._link, self.news = os.ttyname(slave), link, list[str]()
        os.close(slave)  # so that a program that opens it can be seen
        self._poll = select.poll()
        self._poll.register(self._master, select.POLLHUP)
        self.port = self._device if link is None else str(link.absolute())
        if link is not None:
            self._make_link(link)

    def _make_link(self, link: Path) -> None:
        try:
            make_link(link, self._device)
        except (OSError, ShoePortError) as error:
            os.close(self._master)
            if isinstance(error, ShoePortError):
                raise
            raise ShoePortError(f"--pty {link}: {error.strerror}; choose a path where you can create files") from error

    @property
    def clients(self) -> int:
        """Return 1 if a program has the line open."""
        return 0 if self._poll.poll(0) else 1

    def waiting(self) -> int:
        """Return the bytes that the program has not read; what the pty has no room for is lost."""
        if not self.clients:
            return 0
        with contextlib.suppress(OSError), open(self._device, "rb", buffering=0, opener=_without_waiting) as end:
            select.select([end], [], [], 0)  # has the kernel hand on what it holds
            return int.from_bytes(fcntl.ioctl(end, termios.FIONREAD, bytes(4)), sys.byteorder)
        return 0

    def read(self) -> bytes:
        """Return what the program has sent."""
        with contextlib.suppress(OSError):
            return os.read(self._master, _READ_BYTES)
        return b""

    def write(self, data: bytes) -> None:
        """Send bytes of the shoe, as many as the pty has room for."""
        if data and self.clients:
            with contextlib.suppress(OSError):
                os.write(self._master, data)

    def unplug(self) -> None:
        """Do nothing: a program does not notice that a serial cable is out."""

    def close(self) -> None:
        """Close the pty and remove its link."""
        if self._link is not None and self._link.is_symlink() and os.readlink(self._link) == self._device:
            self._link.unlink()
        os.close(self._master)

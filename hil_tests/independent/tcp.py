"""Shoes behind TCP ports, as serial servers have them: one selector loop for all of them."""

import selectors
import socket
import struct
import time
from dataclasses import dataclass, field
from typing import Protocol

HOST = "127.0.0.1"
_READ_BYTES = 65536
_MOST_UNSENT = 65536  # bytes that a gateway has not read: the peer waits


class Peer(Protocol):
    """What is behind a port."""

    def connected(self, now_ms: int) -> None:
        """A gateway has opened the line."""

    def disconnected(self) -> None:
        """The line is gone."""

    def receive(self, data: bytes, now_ms: int) -> None:
        """Bytes from the gateway."""

    def poll(self, now_ms: int) -> None:
        """Do what is due."""

    def take(self) -> bytes:
        """Bytes for the gateway."""

    def leaving(self) -> bool:
        """True to hang up."""


@dataclass
class Port:
    """A listening port and the one connection that it has; a newer one takes its place."""

    peer: Peer
    number: int = 0
    rude: bool = False  # resets the connection instead of closing it
    connections: int = 0
    _unsent: bytearray = field(default_factory=bytearray)
    line: socket.socket | None = None

    def __post_init__(self) -> None:
        """Listen; port 0 is any that is free."""
        self.listener = socket.create_server((HOST, self.number))
        self.listener.setblocking(False)
        self.number = self.listener.getsockname()[1]

    @property
    def url(self) -> str:
        """As the gateway's config names it."""
        return f"socket://{HOST}:{self.number}"

    @property
    def connected(self) -> bool:
        """True while a gateway holds the line."""
        return self.line is not None

    def accept(self) -> socket.socket | None:
        """Take a new connection in place of the old one."""
        try:
            line, _ = self.listener.accept()
        except OSError:
            return None
        line.setblocking(False)
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.line = line
        self.connections += 1
        return line

    def hang_up(self) -> None:
        """End the connection, if there is one."""
        line, self.line = self.line, None
        self._unsent.clear()
        if line is not None:
            if self.rude:
                line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            line.close()
            self.peer.disconnected()

    def read(self, now_ms: int) -> bool:
        """Give the peer what has come; False when the line is gone."""
        if self.line is None:
            return False
        try:
            data = self.line.recv(_READ_BYTES)
        except BlockingIOError:
            return True
        except OSError:
            return False
        if data:
            self.peer.receive(data, now_ms)
        return bool(data)

    def write(self) -> bool:
        """Send what the peer has to say, while the gateway reads; False when the line is gone."""
        if self.line is None:
            return True
        if len(self._unsent) < _MOST_UNSENT:
            self._unsent += self.peer.take()
        if not self._unsent:
            return True
        try:
            del self._unsent[: self.line.send(self._unsent)]
        except BlockingIOError:
            pass
        except OSError:
            return False
        return True


@dataclass
class Server:
    """All ports of a laboratory."""

    ports: list[Port]
    begun_s: float = field(default_factory=time.monotonic)  # when the shoes' clocks were at zero

    def __post_init__(self) -> None:
        """Watch the listeners."""
        self._selector = selectors.DefaultSelector()
        for port in self.ports:
            self._selector.register(port.listener, selectors.EVENT_READ, port)

    def now_ms(self) -> int:
        """The clock of every shoe here."""
        return int((time.monotonic() - self.begun_s) * 1000)

    def step(self, wait_s: float) -> None:
        """Wait for bytes at most this long, then let every peer send."""
        for key, _ in self._selector.select(wait_s):
            port: Port = key.data
            if key.fileobj is port.listener:
                self._accept(port)
            elif not port.read(self.now_ms()):
                self.hang_up(port)
        for port in self.ports:
            self._speak(port)

    def hang_up(self, port: Port) -> None:
        """End a port's connection; the listener stays."""
        if port.line is not None:
            self._selector.unregister(port.line)
            port.hang_up()

    def close(self) -> None:
        """Everything."""
        for port in self.ports:
            self.hang_up(port)
            port.listener.close()
        self._selector.close()

    def _accept(self, port: Port) -> None:
        self.hang_up(port)
        line = port.accept()
        if line is not None:
            self._selector.register(line, selectors.EVENT_READ, port)
            port.peer.connected(self.now_ms())

    def _speak(self, port: Port) -> None:
        if port.connected:
            port.peer.poll(self.now_ms())
            if not port.write() or port.peer.leaving():
                self.hang_up(port)

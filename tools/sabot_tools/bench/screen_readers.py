"""Readers of event streams as displays without a browser: many sockets in one selector, each event with its time."""

import re
import selectors
import socket
import time
from dataclasses import dataclass
from typing import Final, NamedTuple
from urllib.parse import urlsplit

_RECV: Final = 1 << 16
_COUP: Final = re.compile(rb'"coup":(\d+)')
_END: Final = b"\n\n"


def newest_coup(event: bytes) -> int:
    """Return the highest number of a coup in an event; 0 if there is none."""
    return max(map(int, _COUP.findall(event)), default=0)


class Seen(NamedTuple):
    """When a reader had a coup for the first time, on the wall clock."""

    channel: str
    coup: int
    at_s: float


@dataclass
class Reader:
    """One stream; `read` returns what is new."""

    channel: str
    sock: socket.socket
    ended: bool = False
    coup: int = -1  # the newest; -1 before the first state
    _buffer: bytes = b""

    def read(self) -> list[Seen]:
        """Take what has come; return the coups that this reader has not had."""
        try:
            data = self.sock.recv(_RECV)
        except BlockingIOError:
            return []
        self.ended = not data
        at_s, found = time.time(), []
        *events, self._buffer = (self._buffer + data).split(_END)
        for event in events:
            coup = newest_coup(event) if b"event: state" in event else -1
            if coup > self.coup:
                self.coup = coup
                found.append(Seen(self.channel, coup, at_s))
        return found


def open_stream(url: str, channel: str) -> socket.socket:
    """Ask for a channel's stream; return the socket before the answer has come."""
    where = urlsplit(url)
    assert where.hostname is not None
    sock = socket.create_connection((where.hostname, where.port or 80), timeout=10)
    sock.sendall(f"GET /events/{channel} HTTP/1.1\r\nHost: {where.netloc}\r\n\r\n".encode())
    sock.setblocking(False)
    return sock


class Readers:
    """Many readers; `step` reads what has come, and `seen` keeps every coup of every reader."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._selector = selectors.DefaultSelector()
        self.all: list[Reader] = []
        self.seen: list[Seen] = []

    def open(self, channel: str) -> Reader:
        """Add a reader of this channel."""
        reader = Reader(channel, open_stream(self._url, channel))
        self._selector.register(reader.sock, selectors.EVENT_READ, reader)
        self.all.append(reader)
        return reader

    def step(self, timeout_s: float = 0.0) -> None:
        """Read what has come within this time; ConnectionError if a stream has ended."""
        for key, _ in self._selector.select(timeout_s):
            reader: Reader = key.data
            self.seen += reader.read()
            if reader.ended:
                raise ConnectionError(f"the floor service has ended the stream of {reader.channel}")

    def close_one(self, reader: Reader) -> None:
        """Close a stream."""
        self._selector.unregister(reader.sock)
        reader.sock.close()
        self.all.remove(reader)

    def close(self) -> None:
        """Close all streams."""
        for reader in [*self.all]:
            self.close_one(reader)
        self._selector.close()

"""Plays many Angel Eye shoes in one process: each line is a TCP port, as of a converter, and waits for nobody."""

import selectors
import signal
import socket
import sys
import threading
import time
from array import array
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec

from sabot_tools.bench.angel_lines import BYTES_A_SECOND, Line, line

TURN_S: Final = 0.02  # a client of a line gets its bytes so often
_GROUPS: Final = 4  # of lines, one behind the other within a turn
_MOST_CLIENTS: Final = 4  # of one line, as the converters allow
_MESSAGE_S: Final = 0.1  # more than three copies of any message last
_OPENING_S: Final = 2.0  # more than a shoe takes until its first coup
_MIXED: Final = 0.1  # share of the messages that come mixed with the next, where there is no pause
_SETTLE_S: Final = 0.5  # between the last client and the first byte


class Load(msgspec.Struct, frozen=True):
    """What to play; `gap_s` is the time from one message to the next, 0 is one behind the other without a pause."""

    listeners: list[int]
    seconds: float
    gap_s: float
    spoilt: float  # share of the messages with one spoilt copy
    report: str  # file

    def line(self, number: int) -> Line:
        """Return what the shoe of this number sends."""
        if self.gap_s:
            return line(number, self.seconds / self.gap_s * _MESSAGE_S + _OPENING_S, self.spoilt)
        return line(number, self.seconds, self.spoilt, _MIXED)

    def first(self, number: int) -> int:
        """Return the first message of a line that is played: with gaps it begins at the first coup."""
        return self.line(number).coups[0].first if self.gap_s else 0

    def due(self, number: int, past_s: float) -> int:
        """Return how far a line must be after so many seconds, in bytes; lines are spread over a gap or a turn."""
        past_s = min(past_s, self.seconds) - (self.gap_s or TURN_S) * number / len(self.listeners)
        starts, first = self.line(number).starts, self.first(number)
        if past_s <= 0:
            return starts[first]
        if not self.gap_s:
            return int(past_s * BYTES_A_SECOND)
        place, rest_s = divmod(past_s, self.gap_s)
        begin, end = starts[first + int(place) : first + int(place) + 2]
        return min(begin + int(rest_s * BYTES_A_SECOND), end)


class Join(msgspec.Struct, frozen=True):
    """A client came when so many bytes of the line had been sent."""

    line: int
    offset: int
    at_s: float


class Played(msgspec.Struct):
    """What was sent when; for each line the times of its writes, and how far it was after each, as arrays of bytes."""

    start_s: float
    joins: list[Join]
    overruns: int  # clients that did not take what was sent
    times: list[bytes]
    offsets: list[bytes]

    def writes(self, number: int) -> tuple["array[float]", "array[int]"]:
        """Return the times of a line's writes, and how far it was after each."""
        return array("d", self.times[number]), array("I", self.offsets[number])


@dataclass
class Port:
    """One line: takes clients, sends them what is due."""

    number: int
    listener: socket.socket
    line: Line
    clients: list[socket.socket] = field(default_factory=list)
    offset: int = 0
    overruns: int = 0
    times: "array[float]" = field(default_factory=lambda: array("d"))
    offsets: "array[int]" = field(default_factory=lambda: array("I"))

    def accept(self, now_s: float) -> Join | None:
        """Take a client; None if there are too many."""
        client, _ = self.listener.accept()
        if len(self.clients) >= _MOST_CLIENTS:
            client.close()
            return None
        client.setblocking(False)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.clients.append(client)
        return Join(self.number, self.offset, now_s)

    def send(self, upto: int, now_s: float) -> None:
        """Send what is due to every client; one that is gone, or does not take it, is dropped."""
        if upto <= self.offset:
            return
        data, self.offset = self.line.data[self.offset : upto], upto
        for client in list(self.clients):
            try:
                taken = client.send(data)
            except BlockingIOError:
                taken = 0
            except OSError:
                taken = -1
            if taken < len(data):
                self.overruns += taken >= 0
                self.clients.remove(client)
                client.close()
        self.times.append(now_s)
        self.offsets.append(upto)


class Player:
    """All lines; accept() and step() until done(). The lines start together when each has its first client."""

    def __init__(self, load: Load) -> None:
        self._load, self.joins = load, list[Join]()
        self.ports = [
            Port(number, socket.socket(fileno=descriptor), load.line(number), offset=load.due(number, 0.0))
            for number, descriptor in enumerate(load.listeners)
        ]
        self._selector = selectors.DefaultSelector()
        for port in self.ports:
            port.listener.setblocking(False)
            self._selector.register(port.listener, selectors.EVENT_READ, port)
        self.start_s = 0.0
        self._turn = 0

    def accept(self, wait_s: float) -> None:
        """Take the clients that come, for so long."""
        for key, _ in self._selector.select(wait_s):
            join = key.data.accept(time.monotonic())
            self.joins += [join] if join else []

    def wait_s(self, now_s: float) -> float:
        """Return the time until the next group is due."""
        return max(self._next_s() - now_s, 0.0) if self.start_s else TURN_S

    def _next_s(self) -> float:
        return self.start_s + self._turn * TURN_S / _GROUPS

    def step(self, now_s: float) -> None:
        """Send the next group of lines what is due; begin once every line has a client."""
        if not self.start_s:
            if all(port.clients for port in self.ports):
                self.start_s = now_s + _SETTLE_S
        elif now_s >= self._next_s():
            for port in self.ports[self._turn % _GROUPS :: _GROUPS]:
                port.send(self._load.due(port.number, now_s - self.start_s), now_s)
            self._turn += 1

    def done(self, now_s: float) -> bool:
        """Return True if every line has sent everything."""
        return bool(self.start_s) and now_s >= self.start_s + self._load.seconds + 2 * TURN_S

    def report(self) -> None:
        """Write what was sent."""
        played = Played(
            self.start_s,
            self.joins,
            sum(port.overruns for port in self.ports),
            [port.times.tobytes() for port in self.ports],
            [port.offsets.tobytes() for port in self.ports],
        )
        part = Path(f"{self._load.report}.part")
        part.write_bytes(msgspec.msgpack.encode(played))
        part.rename(self._load.report)


def main(load: Load) -> None:
    """Play everything, write the report, and keep the ports open until stopped."""
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    player = Player(load)
    while not player.done(now_s := time.monotonic()) and not stop.is_set():
        player.accept(player.wait_s(now_s))
        player.step(time.monotonic())
    player.report()
    stop.wait()


if __name__ == "__main__":
    main(msgspec.json.decode(sys.argv[1], type=Load))

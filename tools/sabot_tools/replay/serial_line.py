"""The serial line between a rig and the gateway's port: a pty, faults on the way, and a monitor of both ends."""

import contextlib
import os
import random
import termios
import tty
from dataclasses import dataclass, field
from typing import Any, Final

from sabot_gateway.shoe.parse import Frame, Parser
from sabot_sim.line.faulty_line import Faults, FaultyLine
from sabot_sim.rigs.rig import Rig

_READ_BYTES: Final = 4096
_NOISE_BYTES: Final = 24
_ENDLESS_BYTES: Final = 4096
_SHARES: Final = {
    "drop": 0.1,
    "repeat": 0.2,
    "corrupt": 0.004,
    "lose": 0.004,
    "split": 0.5,
    "delay": 0.2,
    "reorder": 0.1,
}
_DEAD: Final = {"cut": ("shoe", "gateway"), "mute": ("shoe",), "deaf": ("gateway",)}


@dataclass
class LineMonitor:
    """Follows what the shoe sends and what reaches it, at the shoe's end of the line."""

    frames: int = 0  # that the shoe has sent
    logged_no: int = 0  # the last event that the shoe has logged
    acked_no: int = 0  # the last event that was acknowledged
    commanded_id: int = 0  # the last command that reached the shoe
    done_id: int = 0  # the last command that the shoe executed or refused
    profile: bytes = b""  # the hash of the shoe's profile
    times_set: int = 0  # time_set events so far
    hello: dict[str, Any] = field(default_factory=dict)
    in_session: bool = False  # the shoe has sent something in a session since its start
    _from_shoe: Parser = field(default_factory=Parser)
    _to_shoe: Parser = field(default_factory=Parser)

    def from_shoe(self, data: bytes) -> None:
        """Take bytes that the shoe sent."""
        for frame in self._from_shoe.feed(data):
            self.frames += 1
            if frame.type == "hello":
                self._hello(frame.body)
            elif frame.type == "event":
                self._event(frame)
            self.in_session = self.in_session or frame.type in ("event", "alive")

    def _hello(self, body: dict[str, Any]) -> None:
        self.hello, self.profile = body, body["profile_hash"]
        self.logged_no = max(self.logged_no, body["next_event_no"] - 1)
        self.done_id = max(self.done_id, body["last_command_id"])

    def _event(self, frame: Frame) -> None:
        body, data = frame.body, frame.body["data"]
        self.logged_no = max(self.logged_no, body["event_no"])
        if body["kind"] == "profile_set":
            self.profile = data["profile_hash"]
        elif body["kind"] in ("command_done", "command_refused"):
            self.done_id = max(self.done_id, data["command_id"])
        elif body["kind"] == "time_set":
            self.times_set += 1

    def to_shoe(self, data: bytes) -> None:
        """Take bytes that reached the shoe."""
        for frame in self._to_shoe.feed(data):
            if frame.type == "ack":
                self.acked_no = max(self.acked_no, frame.body["event_no"])
            elif frame.type == "welcome":
                self.acked_no = max(self.acked_no, frame.body["durable_event_no"])
            elif frame.type == "command":
                self.commanded_id = max(self.commanded_id, frame.body["command_id"])

    def caught_up(self) -> bool:
        """Return True if every event is acknowledged and every command executed or refused."""
        return self.acked_no >= self.logged_no and self.done_id >= self.commanded_id

    def started(self) -> bool:
        """Return True if the shoe has sent something since its start."""
        return self.in_session or bool(self.hello)

    def shoe_started(self) -> None:
        """Begin anew: the shoe has sent nothing since its start."""
        self.in_session, self.hello = False, {}
        self._from_shoe, self._to_shoe = Parser(), Parser()


class SerialLine:
    """Carries bytes between a rig and `port`, which a gateway opens; each pump() carries all there are."""

    def __init__(self, rig: Rig) -> None:
        self.rig, self.monitor = rig, LineMonitor()
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self.port = os.ttyname(self._slave)
        self._fault, self._rng = "mend", random.Random(0)
        self._lines: dict[str, FaultyLine] = {}
        self._unsent = b""
        self._second: tuple[int, int] | None = None

    def fault(self, name: str, seed: int = 0, share: float | None = None) -> None:
        """Give the line a fault from now on; `mend` removes it."""
        self._fault, self._rng = name, random.Random(seed)
        faults = Faults(**{name: _SHARES[name] if share is None else share}) if name in _SHARES else Faults()
        self._lines = {side: FaultyLine(random.Random(f"{seed} {side}"), faults) for side in ("shoe", "gateway")}
        if name == "endless":
            self._unsent += b"\x55" * _ENDLESS_BYTES
            self.rig.send(b"\x55" * _ENDLESS_BYTES)

    @property
    def sound(self) -> bool:
        """Return True if everything that is sent arrives in the end."""
        return self._fault not in (*_DEAD, "baud")

    def pump(self) -> None:
        """Carry all bytes, both ways."""
        data = self.rig.receive()
        self.monitor.from_shoe(data)
        self._unsent += self._transmitted(data, "shoe")
        self._flush()
        self._pump_second(data)
        data = self._transmitted(self._read(), "gateway")
        if data:
            self.monitor.to_shoe(data)
            self.rig.send(data)

    def _flush(self) -> None:
        with contextlib.suppress(BlockingIOError):
            if self._unsent:
                self._unsent = self._unsent[os.write(self._master, self._unsent) :]

    def _read(self) -> bytes:
        with contextlib.suppress(OSError):
            return os.read(self._master, _READ_BYTES)
        return b""

    def _transmitted(self, data: bytes, side: str) -> bytes:
        """Return what arrives at the other end."""
        if self._fault in _DEAD:
            return b"" if side in _DEAD[self._fault] else data
        if self._fault == "baud":
            return bytes(byte << 1 & 0xFE | 0x81 for byte in data[::2])
        if self._fault == "noise" and data and side == "shoe":
            return self._rng.randbytes(_NOISE_BYTES) + b"\0" + data
        if self._fault not in _SHARES:
            return data
        now_ms = int(self.rig.line_s() * 1000)
        self._lines[side].put(data, now_ms)
        return self._lines[side].take(now_ms)

    def second_port(self) -> str:
        """Open a second port on the same line, connected to the shoe both ways."""
        self._second = os.openpty()
        tty.setraw(self._second[1])
        os.set_blocking(self._second[0], False)
        return os.ttyname(self._second[1])

    def close_second(self) -> None:
        """Close the second port."""
        for end in self._second or ():
            os.close(end)
        self._second = None

    def _pump_second(self, data: bytes) -> None:
        if self._second is not None:
            with contextlib.suppress(OSError):
                os.write(self._second[0], data)
            with contextlib.suppress(OSError):
                self.rig.send(os.read(self._second[0], _READ_BYTES))

    def inject(self, data: bytes) -> None:
        """Send bytes to the gateway that the shoe did not send."""
        self._unsent += data
        self._flush()

    def clear(self) -> None:
        """Discard the bytes under way: no gateway has the port open."""
        self._unsent = b""
        termios.tcflush(self._slave, termios.TCIOFLUSH)

    def fileno(self) -> int:
        """Return the descriptor that is readable when the gateway has sent something."""
        return self._master

    def close(self) -> None:
        """Close the pty."""
        os.close(self._master)
        os.close(self._slave)

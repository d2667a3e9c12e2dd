"""Link: greets a shoe, checks its version in words, takes its log in order, and acknowledges what is durable."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sabot_protocol import codec, framing, messages

from sabot_gateway import parse
from sabot_gateway.parse import Event, Frame, Parser

_ASK_EVERY_S = 1.0
_MOST_UNSENT_BYTES = 4096
_SILENT_AFTER_S = 5.0
SILENT = "nothing comes on this port: the shoe is switched off, or its cable is not in, or this is another port"
UNREADABLE = "bytes come on this port, but no frame: the baud rate is wrong, or another device is on it"


@dataclass
class ShoeLink:
    """One port, sans-I/O: bytes in by receive(), bytes out by output() and written(), time as an argument."""

    profile: dict[str, Any]
    durable: Callable[[str], int]  # the last event number the ledger holds of a unit
    unit: str | None = None
    problem: str | None = None  # why the shoe is not served, in words
    lost: tuple[int, int] | None = None  # events that the shoe no longer holds and the ledger never had
    counters: dict[str, int] = field(default_factory=lambda: {"repeated": 0, "gaps": 0, "dropped_commands": 0})
    parser: Parser = field(default_factory=Parser)
    heard_s: float | None = None  # when the shoe last said something sound
    _next_no: int = 0
    _durable_no: int = 0
    _profile_known: bool = False
    _asked_s: float | None = None
    _seq: int = 0
    _opened_s: float | None = None
    _heard_bytes: int = 0
    _out: bytearray = field(default_factory=bytearray)

    def opened(self) -> None:
        """The port has just been opened: nothing is known of who is there."""
        self.unit = self.problem = self._asked_s = self.heard_s = self._opened_s = None
        self._heard_bytes = 0
        self._profile_known = False
        self._out.clear()

    def tick(self, now_s: float) -> None:
        """Ask again for what has not come: a HELLO, or the profile; say so when nothing sound ever came."""
        self._opened_s = now_s if self._opened_s is None else self._opened_s
        if self.heard_s is None and now_s - self._opened_s >= _SILENT_AFTER_S:
            self.problem = UNREADABLE if self._heard_bytes else SILENT
        if self._asked_s is not None and now_s - self._asked_s < _ASK_EVERY_S:
            return
        if self.unit is None:
            self._send("who", now_s)
        elif not self._profile_known:
            self._send_profile(now_s)
        else:
            return
        self._asked_s = now_s

    def receive(self, data: bytes, now_s: float) -> list[Event]:
        """The new events in these bytes, in order, none twice and none skipped."""
        events: list[Event] = []
        self._heard_bytes += len(data)
        repeated = self.counters["repeated"]
        for frame in self.parser.feed(data):
            self.heard_s = now_s
            if frame.type == "hello":
                self._hello(frame, now_s)
            elif frame.type == "event" and self.unit is not None:
                self._event(frame, self.unit, events)
        if self.counters["repeated"] > repeated and self.unit is not None:
            self.acknowledge(self._durable_no, now_s)  # the shoe sends again: our last word was lost
        return events

    def _hello(self, frame: Frame, now_s: float) -> None:
        unit = frame.body["unit"].hex()
        if frame.body["protocol_hash"] != messages.protocol_hash():
            self.problem = (
                f"shoe {unit} speaks protocol {frame.body['protocol_hash'].hex()}, this gateway "
                f"{messages.protocol_hash().hex()}; reflash the shoe or update the gateway: both must be of one release"
            )
            return
        durable = self.durable(unit)
        if frame.body["next_event_no"] <= durable:
            self.problem = (
                f"shoe {unit} would number its next event {frame.body['next_event_no']}, but the ledger already holds "
                f"{durable}: its journal was erased or the unit id is used twice; give the controller a new unit id"
            )
            return
        oldest = frame.body["oldest_event_no"]
        self.lost = (durable + 1, oldest - 1) if oldest > durable + 1 else None
        taken = self._next_no if unit == self.unit else 0  # may be ahead of the ledger by what waits for its commit
        self.unit, self.problem, self._durable_no = unit, None, durable
        self._next_no = max(durable + 1, oldest, taken)
        self._send("welcome", now_s, protocol_hash=messages.protocol_hash(), durable_event_no=durable)
        self._profile_known = frame.body["profile_hash"] == messages.profile_hash(self.profile)
        if not self._profile_known:
            self._send_profile(now_s)
            self._asked_s = now_s

    def _event(self, frame: Frame, unit: str, events: list[Event]) -> None:
        event_no = frame.body["event_no"]
        if event_no != self._next_no:
            self.counters["repeated" if event_no < self._next_no else "gaps"] += 1
            return
        self._next_no += 1
        event = parse.event(unit, frame)
        if event.kind == "profile_set":
            self._profile_known = event.data["profile_hash"] == messages.profile_hash(self.profile)
        events.append(event)

    def line_counters(self) -> dict[str, int]:
        """Everything that was damaged, dropped or said twice on this line."""
        deframer = self.parser.deframer
        return {
            **self.counters,
            "malformed": self.parser.malformed,
            "crc_errors": deframer.crc_errors,
            "cobs_errors": deframer.cobs_errors,
            "oversize": deframer.oversize,
        }

    def acknowledge(self, event_no: int, now_s: float) -> None:
        """The ledger holds everything up to this event."""
        self._durable_no = event_no
        self._send("ack", now_s, event_no=event_no)

    def _send_profile(self, now_s: float) -> None:
        self._send("set_profile", now_s, profile_hash=messages.profile_hash(self.profile), profile=self.profile)

    def _send(self, kind: str, now_s: float, **body: Any) -> None:
        time_ms = int(now_s * 1000) % 2**30
        frame = framing.encode(
            codec.build({"type": kind, "flags": 0, "seq": self._seq, "time_ms": time_ms, "body": body})
        )
        if len(self._out) + len(frame) > _MOST_UNSENT_BYTES:  # nobody reads; whatever matters is said again
            self.counters["dropped_commands"] += 1
            return
        self._seq = (self._seq + 1) % 2**16
        self._out += frame

    def output(self) -> bytes:
        """What waits to be written."""
        return bytes(self._out)

    def written(self, count: int) -> None:
        """The port took the first `count` bytes of the output."""
        del self._out[:count]

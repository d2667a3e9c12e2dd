"""A shoe written from PROTOCOL.md alone: bytes and time in, bytes out; dealer.py decides what it deals."""

import random
import struct
from collections.abc import Callable
from dataclasses import dataclass, field

from independent import wire
from independent.journal import Event, Journal
from independent.session import Session, offered

PROFILE_SET, SELF_TEST, LOCK, COMMAND_DONE, TIME_SET, COMMAND_REFUSED = 2, 12, 21, 22, 25, 31
_SET_TIME, _LOCK, _UNLOCK, _SELF_TEST = 1, 4, 5, 15  # commands
OBEYS = frozenset((_SET_TIME, _LOCK, _UNLOCK, _SELF_TEST))
_DONE, _UNKNOWN, _ALL_TESTS = 0, 5, 15
WINDOW = 8  # events beyond the last ACK
_SILENCE_MS = 5000
_HELLO_EVERY_MS = 500
_ALIVE_EVERY_MS = 1000
_RESEND_AFTER_MS = (500, 1000, 2000, 4000, 8000)
_MOST_OFFERS = 4
_HELLO = struct.Struct("<8sH8s8s3s8sII4HIBB8s8s")
_PROFILE = struct.Struct("<8s8sBBBBHBB46s")
_ZEROS = bytes(8)


@dataclass(frozen=True)
class Profile:
    """The profile of the house; the codes of irregularities are stored, not used."""

    hash: bytes
    rulebook_hash: bytes
    card_set: int
    decks: int
    burn: int
    burn_modes: int
    switches: int
    unwagered: int
    ordered: int
    codes: bytes


@dataclass(frozen=True)
class Identity:
    """The identity of a shoe: unit, protocol, and key if it has one."""

    unit: bytes
    protocol_hash: bytes
    key: bytes | None = None
    boot_count: int = 1
    version: bytes = bytes((1, 0, 0))
    image_hash: bytes = bytes(8)


@dataclass
class Counts:
    """The line counters in HELLO."""

    crc_errors: int = 0
    resends: int = 0
    refused: int = 0


def ignore(event: Event) -> None:
    """Do nothing when an event is sent first."""


@dataclass
class Shoe:
    """Call `receive` with what the line brings and `poll` often; send what `take` returns.

    One class because PROTOCOL.md describes one state machine, and hostile shoes override parts of it.
    """

    identity: Identity
    rng: random.Random
    journal: Journal = field(default_factory=Journal)
    counts: Counts = field(default_factory=Counts)
    profile: Profile | None = None
    shoe_open: bool = False
    locked: bool = False
    last_command: int = 0
    obeys: frozenset[int] = OBEYS  # all other commands are refused
    first_sent: Callable[[Event], None] = ignore
    session: Session | None = None
    _offers: list[Session] = field(default_factory=list)
    _offer_no: int = 0
    _split: wire.Splitter = field(default_factory=wire.Splitter)
    _out: bytearray = field(default_factory=bytearray)
    _now_ms: int = 0
    _heard_ms: int = 0
    _spoke_ms: int = -_HELLO_EVERY_MS
    _next: int = 1  # the event to send next
    _sent: int = 0  # the highest event sent so far
    _tries: int = 0
    _resend_ms: int = 0

    def log(self, now_ms: int, kind: int, data: bytes) -> Event:
        """Log an event."""
        return self.journal.log(now_ms, kind, data)

    def take(self) -> bytes:
        """Return bytes for the line."""
        data = bytes(self._out)
        self._out.clear()
        return data

    def connected(self, now_ms: int) -> None:
        """Note that a gateway has opened the line: HELLO is due at once."""
        self._spoke_ms = now_ms - _HELLO_EVERY_MS

    def leaving(self) -> bool:
        """Return True to close the line; a shoe keeps it."""
        return False

    def disconnected(self) -> None:
        """Drop the session and partial frames: the line is closed."""
        self.session = None
        self._offers.clear()
        self._split = wire.Splitter()
        self._out.clear()

    def receive(self, data: bytes, now_ms: int) -> None:
        """Take bytes from the gateway."""
        self._now_ms = now_ms
        before = self._split.bad
        for frame in self._split.feed(data):
            self._frame(frame)
        self.counts.crc_errors += self._split.bad - before

    def poll(self, now_ms: int) -> None:
        """Send what is due."""
        self._now_ms = now_ms
        if self.session is not None and now_ms - self._heard_ms > _SILENCE_MS:
            self.session = None
        if self.session is None:
            self._send_hello()
        else:
            self._send_events()
            if now_ms - self._spoke_ms >= _ALIVE_EVERY_MS:
                self._send_frame(wire.ALIVE)

    def _send_hello(self) -> None:
        if self._now_ms - self._spoke_ms >= _HELLO_EVERY_MS:
            self._put(wire.pack(wire.HELLO, 0, self._now_ms, self._hello(_ZEROS, _ZEROS)))

    def _frame(self, frame: wire.Frame) -> None:
        if frame.type == wire.WHO and len(frame.body) == 16:
            self._who(frame.body[:8], frame.body[8:])
        elif frame.type == wire.WELCOME and len(frame.body) == 20:
            self._welcome(frame)
        elif self.session is not None and self.session.take(frame):
            self._heard_ms = self._now_ms
            self._in_session(frame)
        else:
            self.counts.refused += 1

    def _who(self, gateway: bytes, nonce: bytes) -> None:
        if self.session is not None and self.session.gateway != gateway:
            self._put(wire.pack(wire.BUSY, 0, self._now_ms, self.session.gateway + nonce))
            return
        self._offer_no += 1
        ours = struct.pack("<HH", self.identity.boot_count & 0xFFFF, self._offer_no & 0xFFFF) + self.rng.randbytes(4)
        offer = offered(self.identity.key, gateway, nonce, ours)
        self._offers = [*self._offers, offer][-_MOST_OFFERS:]
        self._put(offer.pack(wire.HELLO, self._now_ms, self._hello(nonce, ours)))

    def _hello(self, gateway_nonce: bytes, shoe_nonce: bytes) -> bytes:
        who, counts = self.identity, self.counts
        profile_hash = self.profile.hash if self.profile else _ZEROS
        counters = (counts.crc_errors & 0xFFFF, counts.resends & 0xFFFF, counts.refused & 0xFFFF, 0)
        numbers = (self.journal.next_no, self.journal.oldest, *counters, self.last_command)
        head = (who.unit, who.boot_count, who.protocol_hash, profile_hash, who.version, who.image_hash)
        return _HELLO.pack(*head, *numbers, 1, 0, gateway_nonce, shoe_nonce)

    def _welcome(self, frame: wire.Frame) -> None:
        nonce, durable = frame.body[8:16], int.from_bytes(frame.body[16:20], "little")
        for offer in self._offers:
            if offer.shoe_nonce == nonce and offer.take(frame):
                self.session, self._heard_ms = offer, self._now_ms
                self._offers.clear()
                self.journal.acked = min(durable, self.journal.next_no - 1)
                self._continue_from(durable + 1)
                return
        self.counts.refused += 1

    def _in_session(self, frame: wire.Frame) -> None:
        if frame.type == wire.ACK and len(frame.body) == 4:
            self._ack(int.from_bytes(frame.body, "little"))
        elif frame.type == wire.RESEND and len(frame.body) == 4:
            self._continue_from(int.from_bytes(frame.body, "little"))
        elif frame.type == wire.SET_PROFILE and len(frame.body) == _PROFILE.size:
            self._set_profile(Profile(*_PROFILE.unpack(frame.body)))
        elif frame.type == wire.COMMAND and len(frame.body) >= 5:
            self._command(int.from_bytes(frame.body[:4], "little"), frame.body[4], frame.body[5:])

    def _ack(self, number: int) -> None:
        if number > self.journal.acked:
            self.journal.acknowledge(number)
            self._tries = 0
            self._resend_ms = self._now_ms + _RESEND_AFTER_MS[0]
            self._next = max(self._next, self.journal.acked + 1)

    def _continue_from(self, number: int) -> None:
        self._next = max(self.journal.oldest, min(number, self.journal.next_no))
        self._tries = 0
        self._resend_ms = self._now_ms + _RESEND_AFTER_MS[0]

    def _set_profile(self, profile: Profile) -> None:
        if not self.shoe_open and profile != self.profile:
            self.profile = profile
            self.log(self._now_ms, PROFILE_SET, profile.hash)

    def _command(self, number: int, kind: int, data: bytes) -> None:
        if number <= self.last_command:
            return
        self.last_command = number
        done = self._obey(kind, data)
        self.counts.refused += not done
        head = number.to_bytes(4, "little") + bytes([kind, _DONE if done else _UNKNOWN])
        self.log(self._now_ms, COMMAND_DONE if done else COMMAND_REFUSED, head + data if done else head)

    def _obey(self, kind: int, data: bytes) -> bool:
        """Carry out a command that needs nobody at the table; return True if it was accepted."""
        if kind not in self.obeys:
            return False
        if kind == _SET_TIME:
            self.log(self._now_ms, TIME_SET, data)
        elif kind in (_LOCK, _UNLOCK):
            self.locked = kind == _LOCK
            self.log(self._now_ms, LOCK, bytes([self.locked]))
        else:
            self.log(self._now_ms, SELF_TEST, bytes([_ALL_TESTS]) + bytes(8))
        return True

    def _send_events(self) -> None:
        if self.journal.waiting and self._next > self.journal.acked + 1 and self._now_ms >= self._resend_ms:
            self._resend()
        last = min(self.journal.acked + WINDOW, self.journal.next_no - 1)
        while self._next <= last:
            event = self.journal.get(self._next)
            if event is None:
                return
            self._send(event)

    def _resend(self) -> None:
        """Send again from the first event that is not acknowledged."""
        self._next = max(self.journal.oldest, self.journal.acked + 1)
        self._tries = min(self._tries + 1, len(_RESEND_AFTER_MS) - 1)
        self._resend_ms = self._now_ms + _RESEND_AFTER_MS[self._tries]
        self.counts.resends += 1

    def _send(self, event: Event) -> None:
        if event.number > self._sent:
            self._sent = event.number
            self.first_sent(event)
        if self._next == self.journal.acked + 1 and not self._tries:
            self._resend_ms = self._now_ms + _RESEND_AFTER_MS[0]
        self._send_frame(wire.EVENT, event.body(), event.time_ms)
        self._next += 1

    def _send_frame(self, kind: int, body: bytes = b"", time_ms: int | None = None) -> None:
        assert self.session is not None
        self._put(self.session.pack(kind, self._now_ms if time_ms is None else time_ms, body))

    def _put(self, packed: bytes) -> None:
        self._out += packed
        self._spoke_ms = self._now_ms

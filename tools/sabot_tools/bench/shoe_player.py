"""Many shoes in one process: logs that are encoded beforehand, played over ptys, flat out or at a pace."""

import os
import random
import selectors
import signal
import sys
import threading
import time
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from struct import pack
from typing import Any, Final

import msgspec
from sabot_gateway.shoe.session import frame_bytes
from sabot_protocol import framing, messages, rulebooks
from sabot_protocol.cards import INDEX
from sabot_protocol.codec import parse
from sabot_protocol.fields import NONCE_BYTES, Button
from sabot_sim.dealing.stack import CUT, shuffled
from sabot_sim.rigs.play import CPythonPlay

RULEBOOK: Final = "star-baccarat"
_LOGS: Final = 4  # tables that deal the same cards are this far apart
_WINDOW: Final = 24  # events under way, as the firmware has it
_ALIVE_S: Final = 1.0
_SETTLE_S: Final = 0.5  # between the last WELCOME and the first event
_EVENT: Final = messages.FrameType.encmapping["event"]
_CONFIRM: Final = ("button", Button.encmapping["confirm"])
_CLOSED, _COMPLETE = 0, 3  # states of a shoe, as firmware/bench/play.py tells them
Record = tuple[int, int, str]  # event number, kind, body in hex


class Load(msgspec.Struct, frozen=True):
    """What to play: so many frames a shoe, so many a second on each; 0 is flat out."""

    masters: list[int]
    frames: int
    rate: float
    written: str  # the file of the moments at which frames were written, shoe by shoe, and of the last ack; 0 is never


def unit(number: int) -> str:
    """The shoe on the pty of this number."""
    return f"{0x5AB0 << 48 | number + 1:016x}"


def profile() -> dict[str, Any]:
    """What the shoes are told of their house."""
    return rulebooks.load(RULEBOOK).profile(None, 1)


@cache
def profile_hash() -> bytes:
    """What the shoes say of it in HELLO; a thousand of them ask at once."""
    return messages.profile_hash(profile())


def log(number: int, frames: int) -> list[Record]:
    """The log of the shoe of this number: its firmware is dealt whole shoes, one after the other."""
    rng, records = random.Random(number % _LOGS), list[Record]()
    told_profile = profile()
    with CPythonPlay(messages.profile_hash(told_profile) + messages.Profile.build(told_profile)) as shoe:
        while len(records) < frames:
            records += _dealt(shoe, iter(shuffled(8, rng)))
    return records[:frames]


def _dealt(shoe: CPythonPlay, cards: Iterator[str]) -> Iterator[Record]:
    """What the firmware logs of one shoe, from opening it to the coup after which it closes."""
    data = messages.COMMANDS["open_shoe"].build({"decks": 8, "burn": "none"})
    told = shoe.step("command", messages.CommandKind.encmapping["open_shoe"], data.hex())
    yield from told.records
    while told.state != _CLOSED:
        told = shoe.step(*(_CONFIRM if told.state == _COMPLETE else _next(cards)))
        yield from told.records


def _next(cards: Iterator[str]) -> tuple[Any, ...]:
    card = next(cards)
    return ("cut",) if card == CUT else ("card", INDEX[card], 0, -1)


def coups(shoes: int, frames: int) -> int:
    """How many results of coups the logs of so many shoes have."""
    result = messages.EventKind.encmapping["coup"]
    each = [sum(kind == result for _, kind, _ in log(number, frames)) for number in range(min(_LOGS, shoes))]
    return sum(each[number % _LOGS] for number in range(shoes))


def encoded(records: list[Record]) -> list[bytes]:
    """A log as it goes over the line, without a key."""
    return [
        framing.encode(pack("<BBHIIB", _EVENT, 0, no & 0xFFFF, no * 300, no, kind) + bytes.fromhex(body))
        for no, kind, body in records
    ]


@dataclass
class Shoe:
    """One end of a line; bytes in by hear(), bytes out by speak()."""

    number: int
    wire: list[bytes]
    welcomed: bool = False
    sent: int = 0
    acked: int = 0
    due: int = 0  # frames that may have been sent by now
    spoke_s: float = 0.0
    resends: int = 0
    written: "array[float]" = field(default_factory=lambda: array("d"))
    _deframer: framing.Deframer = field(default_factory=framing.Deframer)
    _out: bytes = b""

    def hear(self, data: bytes) -> None:
        """Take what the gateway says."""
        for raw in self._deframer.feed(data):
            frame = parse(raw)
            body = frame["body"]
            if frame["type"] == "ack":
                self.acked = body["event_no"]
            elif frame["type"] == "who":
                self._out += self._hello(body["nonce"])
            elif frame["type"] == "welcome":
                self.welcomed, self.acked = True, body["durable_event_no"]
            elif frame["type"] == "resend":
                self.sent = body["event_no"] - 1
                self.resends += 1

    def _hello(self, nonce: bytes) -> bytes:
        zeros = dict.fromkeys(("crc_errors", "resends", "refused", "sample_overruns", "last_command_id"), 0)
        body = {
            "unit": bytes.fromhex(unit(self.number)),
            "boot_count": 1,
            "protocol_hash": messages.protocol_hash(),
            "profile_hash": profile_hash(),
            "firmware_version": bytes(3),
            "next_event_no": len(self.wire) + 1,
            "oldest_event_no": 1,
            "cause": "power",
            "fault": "none",
            "gateway_nonce": nonce,
            "shoe_nonce": bytes(NONCE_BYTES),
        }
        return frame_bytes("hello", {**zeros, **body}, 0, 0.0)

    def speak(self, now_s: float) -> bytes:
        """What is due and has room in the window; ALIVE where that is nothing for a second."""
        upto = min(self.due, self.acked + _WINDOW, len(self.wire))
        if self.welcomed and upto > self.sent:
            self._out += b"".join(self.wire[self.sent : upto])
            self.written.extend([now_s] * (upto - len(self.written)))
            self.sent, self.spoke_s = upto, now_s
        elif self.welcomed and now_s - self.spoke_s >= _ALIVE_S:
            self._out += frame_bytes("alive", {}, 0, now_s)
            self.spoke_s = now_s
        return self._out

    def took(self, count: int) -> None:
        """The line took the first `count` bytes."""
        self._out = self._out[count:]


class Player:
    """All shoes on one selector; step() until done()."""

    def __init__(self, load: Load) -> None:
        logs = [encoded(log(number, load.frames)) for number in range(min(_LOGS, len(load.masters)))]
        self.shoes = [Shoe(number, logs[number % _LOGS]) for number in range(len(load.masters))]
        self._load, self._selector = load, selectors.DefaultSelector()
        for shoe, master in zip(self.shoes, load.masters, strict=True):
            os.set_blocking(master, False)
            self._selector.register(master, selectors.EVENT_READ, shoe)
        self._start_s: float | None = None
        self._played = 0  # frames that have become due, of all shoes in turn
        self._alive_s = 0.0

    def done(self) -> bool:
        """Every frame of every shoe is durable."""
        return all(shoe.acked >= self._load.frames for shoe in self.shoes)

    def step(self, now_s: float) -> None:
        """Hear, and say what is due."""
        touched = self._hear()
        if self._start_s is None:
            if all(shoe.welcomed for shoe in self.shoes):
                self._start_s = now_s + _SETTLE_S
        elif now_s >= self._start_s:
            touched |= self._fall_due(now_s - self._start_s)
        if now_s >= self._alive_s:
            touched, self._alive_s = set(range(len(self.shoes))), now_s + _ALIVE_S / 10
        for number in touched:
            self._write(self.shoes[number], now_s)

    def _hear(self) -> set[int]:
        heard = set()
        for key, _ in self._selector.select(0.001 if self._load.rate or self._start_s is None else 0.01):
            key.data.hear(os.read(key.fd, 65_536))
            heard.add(key.data.number)
        return heard

    def _fall_due(self, past_s: float) -> set[int]:
        """The shoes take turns, evenly over the time between two frames of one of them."""
        shoes, total = self.shoes, self._load.frames * len(self.shoes)
        upto = min(int(past_s * self._load.rate * len(shoes)), total) if self._load.rate else total
        if upto == total and self._played < total:
            for shoe in shoes:
                shoe.due = self._load.frames
        turns = range(self._played, upto)
        self._played = upto
        touched = {turn % len(shoes) for turn in turns[-len(shoes) :]}
        for turn in turns if upto < total else ():
            shoes[turn % len(shoes)].due += 1
        return touched

    def _write(self, shoe: Shoe, now_s: float) -> None:
        data = shoe.speak(now_s)
        if data:
            try:
                shoe.took(os.write(self._load.masters[shoe.number], data))
            except BlockingIOError:
                return


def main(load: Load) -> None:
    """Play everything, tell when each frame was written, and stay until stopped: the lines stay open."""
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    player = Player(load)
    while not player.done() and not stop.is_set():
        player.step(time.monotonic())
    moments = array("d")
    for shoe in player.shoes:
        moments += shoe.written + array("d", bytes(8 * (load.frames - len(shoe.written))))
    moments.append(time.monotonic() if player.done() else 0.0)
    part = Path(f"{load.written}.part")
    part.write_bytes(moments.tobytes())
    part.rename(load.written)
    stop.wait()


if __name__ == "__main__":
    main(msgspec.json.decode(sys.argv[1], type=Load))

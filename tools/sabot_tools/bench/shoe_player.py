"""Plays many shoes in one process: logs encoded beforehand, sent over ptys as fast as possible or at a given rate."""

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
from sabot_sim.rigs.play import CPythonPlay
from sabot_sim.stack import CUT, shuffled

RULEBOOK: Final = "star-baccarat"
_LOGS: Final = 4  # different logs; every fourth shoe plays the same one
_WINDOW: Final = 24  # events sent and not acknowledged, as in the firmware
_ALIVE_S: Final = 1.0
_RESEND_LAST_S: Final = 8.0  # the wait for an acknowledgement doubles up to this, as in the firmware
_SETTLE_S: Final = 0.5  # between the last WELCOME and the first event
_EVENT: Final = messages.FrameType.encmapping["event"]
_CONFIRM: Final = ("button", Button.encmapping["confirm"])
_CLOSED, _COMPLETE = 0, 3  # states of a shoe in the answers of firmware/bench/play.py
Record = tuple[int, int, str]  # event number, kind, body in hex


class Load(msgspec.Struct, frozen=True):
    """What to play: frames a shoe, and frames a second on each; a rate of 0 is as fast as possible."""

    masters: list[int]
    frames: int
    rate: float
    written: str  # file for the times at which each frame was written, shoe by shoe, and of the last ack; 0 is never


def unit(number: int) -> str:
    """Return the unit id of the shoe on the pty of this number."""
    return f"{0x5AB0 << 48 | number + 1:016x}"


def profile(rulebook: str = RULEBOOK) -> dict[str, Any]:
    """Return the profile of the shoes."""
    return rulebooks.load(rulebook).profile(None, 1)


@cache
def profile_hash(rulebook: str = RULEBOOK) -> bytes:
    """Return the hash of the profile; cached, for a thousand shoes send it in their HELLO at once."""
    return messages.profile_hash(profile(rulebook))


def log(number: int, frames: int) -> list[Record]:
    """Return the log of the shoe of this number: the firmware is dealt whole shoes, one after the other."""
    rng, records = random.Random(number % _LOGS), list[Record]()
    with CPythonPlay(profile_hash() + messages.Profile.build(profile())) as shoe:
        while len(records) < frames:
            records += _dealt(shoe, iter(shuffled(8, rng)))
    return records[:frames]


def _dealt(shoe: CPythonPlay, cards: Iterator[str]) -> Iterator[Record]:
    """Yield what the firmware logs of one shoe, from opening it to closing it."""
    data = messages.COMMANDS["open_shoe"].build({"decks": 8, "burn": "none"})
    answer = shoe.step("command", messages.CommandKind.encmapping["open_shoe"], data.hex())
    yield from answer.records
    while answer.state != _CLOSED:
        answer = shoe.step(*(_CONFIRM if answer.state == _COMPLETE else _next(cards)))
        yield from answer.records


def _next(cards: Iterator[str]) -> tuple[Any, ...]:
    card = next(cards)
    return ("cut",) if card == CUT else ("card", INDEX[card], 0, -1)


def coups(shoes: int, frames: int) -> int:
    """Return the number of results of coups in the logs of so many shoes."""
    result = messages.EventKind.encmapping["coup"]
    each = [sum(kind == result for _, kind, _ in log(number, frames)) for number in range(min(_LOGS, shoes))]
    return sum(each[number % _LOGS] for number in range(shoes))


def encoded(records: list[Record]) -> list[bytes]:
    """Return the frames of a log as they go over the line, without a key."""
    return [
        framing.encode(pack("<BBHIIB", _EVENT, 0, no & 0xFFFF, no * 300, no, kind) + bytes.fromhex(body))
        for no, kind, body in records
    ]


@dataclass
class Shoe:
    """One shoe: takes bytes by receive(), gives bytes by output()."""

    number: int
    wire: list[bytes]
    rulebook: str = RULEBOOK
    resend_first_s: float = 0.0  # send again what is not acknowledged for so long; 0 is never
    welcomed: bool = False
    sent: int = 0
    acked: int = 0
    due: int = 0  # frames that should have been sent by now
    sent_s: float = 0.0
    resends: int = 0
    progress_s: float = 0.0  # when something was acknowledged last, or sent again
    waits: int = 0  # for an acknowledgement, in vain, since the last
    written_s: "array[float]" = field(default_factory=lambda: array("d"))
    _deframer: framing.Deframer = field(default_factory=framing.Deframer)
    _out: bytes = b""

    def receive(self, data: bytes) -> None:
        """Take bytes of the gateway."""
        for raw in self._deframer.feed(data):
            frame = parse(raw)
            body = frame["body"]
            if frame["type"] == "ack":
                self._acknowledge(body["event_no"])
            elif frame["type"] == "who":
                self._out += self._hello(body["nonce"])
            elif frame["type"] == "welcome":
                self.welcomed = True
                self._acknowledge(body["durable_event_no"])
                self.sent = self.acked  # a new gateway: what the old one had not stored is sent again
            elif frame["type"] == "resend":
                self.sent = body["event_no"] - 1
                self.resends += 1

    def _acknowledge(self, event_no: int) -> None:
        if event_no > self.acked:
            self.acked, self.sent = event_no, max(self.sent, event_no)
            self.progress_s, self.waits = 0.0, 0

    def _hello(self, nonce: bytes) -> bytes:
        zeros = dict.fromkeys(("crc_errors", "resends", "refused", "sample_overruns", "last_command_id"), 0)
        body = {
            "unit": bytes.fromhex(unit(self.number)),
            "boot_count": 1,
            "protocol_hash": messages.protocol_hash(),
            "profile_hash": profile_hash(self.rulebook),
            "firmware_version": bytes(3),
            "image_hash": bytes(8),
            "next_event_no": len(self.wire) + 1,
            "oldest_event_no": 1,
            "cause": "power",
            "fault": "none",
            "gateway_nonce": nonce,
            "shoe_nonce": bytes(NONCE_BYTES),
        }
        return frame_bytes("hello", {**zeros, **body}, 0, 0.0)

    def output(self, now_s: float) -> bytes:
        """Return what is due and fits the window; ALIVE if nothing was sent for a second."""
        self._resend(now_s)
        upto = min(self.due, self.acked + _WINDOW, len(self.wire))
        if self.welcomed and upto > self.sent:
            self._out += b"".join(self.wire[self.sent : upto])
            self.written_s.extend([now_s] * (upto - len(self.written_s)))
            self.sent, self.sent_s = upto, now_s
        elif self.welcomed and now_s - self.sent_s >= _ALIVE_S:
            self._out += frame_bytes("alive", {}, 0, now_s)
            self.sent_s = now_s
        return self._out

    def _resend(self, now_s: float) -> None:
        """Go back to the first event that is not acknowledged, if nothing was for too long."""
        wait_s = min(self.resend_first_s * 2**self.waits, _RESEND_LAST_S)
        if self.sent <= self.acked or not self.progress_s:
            self.progress_s = now_s
        elif wait_s and now_s - self.progress_s >= wait_s:
            self.sent, self.progress_s, self.waits = self.acked, now_s, min(self.waits + 1, 10)
            self.resends += 1

    def written(self, count: int) -> None:
        """Drop the first `count` bytes of the output: the line has taken them."""
        self._out = self._out[count:]


def shoes(load: Load) -> list[Shoe]:
    """Return the shoes of a load."""
    logs = [encoded(log(number, load.frames)) for number in range(min(_LOGS, len(load.masters)))]
    return [Shoe(number, logs[number % _LOGS]) for number in range(len(load.masters))]


class Player:
    """All shoes on one selector; step() until done(). A rate is in frames a second of each shoe; 0 has no limit."""

    def __init__(self, shoes: list[Shoe], masters: list[int], rate: float) -> None:
        self.shoes, self._masters, self._rate = shoes, masters, rate
        self._most = max(len(shoe.wire) for shoe in shoes)
        self._selector = selectors.DefaultSelector()
        for shoe, master in zip(shoes, masters, strict=True):
            os.set_blocking(master, False)
            self._selector.register(master, selectors.EVENT_READ, shoe)
        self._start_s: float | None = None
        self._played = 0  # frames that have become due so far, of all shoes
        self._alive_s = 0.0

    def done(self) -> bool:
        """Return True if every frame of every shoe is acknowledged."""
        return all(shoe.acked >= len(shoe.wire) for shoe in self.shoes)

    def step(self, now_s: float) -> None:
        """Receive, and send what is due."""
        touched = self._receive()
        if self._start_s is None:
            if all(shoe.welcomed for shoe in self.shoes):
                self._start_s = now_s + _SETTLE_S
        elif now_s >= self._start_s:
            touched |= self._fall_due(now_s - self._start_s)
        if now_s >= self._alive_s:
            touched, self._alive_s = set(range(len(self.shoes))), now_s + _ALIVE_S / 10
        for number in touched:
            self._write(self.shoes[number], now_s)

    def _receive(self) -> set[int]:
        touched = set()
        for key, _ in self._selector.select(0.001 if self._rate or self._start_s is None else 0.01):
            key.data.receive(os.read(key.fd, 65_536))
            touched.add(key.data.number)
        return touched

    def _fall_due(self, past_s: float) -> set[int]:
        """Make frames due, shoe after shoe, evenly over time; return the shoes that have new ones."""
        shoes, total = self.shoes, self._most * len(self.shoes)
        upto = min(int(past_s * self._rate * len(shoes)), total) if self._rate else total
        if upto == total and self._played < total:
            for shoe in shoes:
                shoe.due = self._most
        turns = range(self._played, upto)
        self._played = upto
        touched = {turn % len(shoes) for turn in turns[-len(shoes) :]}
        for turn in turns if upto < total else ():
            shoes[turn % len(shoes)].due += 1
        return touched

    def _write(self, shoe: Shoe, now_s: float) -> None:
        data = shoe.output(now_s)
        if data:
            try:
                shoe.written(os.write(self._masters[shoe.number], data))
            except BlockingIOError:
                return


def main(load: Load) -> None:
    """Play everything, write the times of all frames, and keep the ptys open until stopped."""
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    player = Player(shoes(load), load.masters, load.rate)
    while not player.done() and not stop.is_set():
        player.step(time.monotonic())
    times = array("d")
    for shoe in player.shoes:
        times += shoe.written_s + array("d", bytes(8 * (load.frames - len(shoe.written_s))))
    times.append(time.monotonic() if player.done() else 0.0)
    part = Path(f"{load.written}.part")
    part.write_bytes(times.tobytes())
    part.rename(load.written)
    stop.wait()


if __name__ == "__main__":
    main(msgspec.json.decode(sys.argv[1], type=Load))

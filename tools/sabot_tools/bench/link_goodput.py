"""Goodput of the link: a journal's backlog from the firmware to the gateway over a simulated 115,200 baud line."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sabot_gateway.shoe.link import ShoeLink
from sabot_gateway.shoe.parse import Event
from sabot_protocol import messages, rulebooks
from sabot_protocol.auth import MAC_BYTES
from sabot_sim.line.paced_line import PacedLine
from sabot_sim.rigs import firmware
from sabot_sim.rigs.flash import Flash

from sabot_tools.bench.frame_parsing import CARD_KIND, KEY, NONCES, card_body

UNIT: Final = bytes.fromhex("5ab0000000000001")
PROFILE: Final = rulebooks.load("star-baccarat").profile(8, 1)
BACKLOG: Final = 2_000
_UART_BYTES: Final = 512  # the shoe's buffer, each way
_TTY_BYTES: Final = 4096  # the gateway's buffer, each way
_RX_BYTES: Final = 256  # a turn of the superloop
_MOST_SENDS: Final = 8  # a turn of the superloop
_SHOE_TURN_MS: Final = 2
_COMMIT_MS: Final = 10
_LONGEST_MS: Final = 120_000


class Shoe:
    """The firmware's link with a journal full of cards; turn() is one turn of the superloop."""

    def __init__(self, events: int) -> None:
        journal, profile = firmware.module("sabot.storage.journal"), firmware.module("sabot.profile").Profile(1)
        profile.digest[:] = messages.profile_hash(PROFILE)
        self.journal = journal.Journal(Flash(events // 100 + 3))
        at = journal.wire.RECORD_DATA
        for coup_no in range(events):
            self.journal.record[at : at + 10] = card_body(coup_no)
            self.journal.append(coup_no, CARD_KIND, 10)
            self.journal.housekeep()
        link, sampler = firmware.module("sabot.link.link"), firmware.module("sabot.reading.sampler").Sampler()
        self.link = link.Link(UNIT, 1, 1, self.journal, profile, sampler, lambda size: bytes(size), KEY)

    def turn(self, up: PacedLine, down: PacedLine, now_ms: int) -> None:
        """Take what arrived, send what there is room for."""
        arrived = down.read(now_ms * 1000, _RX_BYTES)
        self.link.receive(arrived, len(arrived), now_ms)
        for _ in range(_MOST_SENDS):
            self.link.pump(now_ms)
            if not self.link.tx_size:
                break
            self.link.sent(up.write(bytes(self.link.tx[: self.link.tx_size]), now_ms * 1000))


class Gateway:
    """The gateway's link and a ledger whose commits take time; nothing is read while it commits."""

    def __init__(self) -> None:
        self.link = ShoeLink(PROFILE, lambda unit: 0, keys=lambda unit: [KEY], nonce=lambda: NONCES[0])
        self.link.reset()
        self.ledger: list[Event] = []
        self.acks = 0
        self._committing: list[Event] = []
        self._idle_ms = 0

    def turn(self, up: PacedLine, down: PacedLine, now_ms: int) -> None:
        """Do the work of one millisecond: finish a commit, or read and begin one."""
        if now_ms < self._idle_ms:
            return
        self._committed(now_ms)
        self.link.tick(now_ms / 1000)
        self.link.written(down.write(self.link.output(), now_ms * 1000))
        self._committing = self.link.receive(up.read(now_ms * 1000), now_ms / 1000)
        self._idle_ms = now_ms + _COMMIT_MS if self._committing else now_ms

    def _committed(self, now_ms: int) -> None:
        if self._committing:
            self.ledger += self._committing
            self.link.acknowledge(self.ledger[-1].event_no, now_ms / 1000)
            self.acks += 1


@dataclass(frozen=True)
class Goodput:
    """What the line carried from WELCOME to the last acknowledgement, as shares of its capacity."""

    events: float  # frames of events, each counted once
    bodies: float  # the events alone, without framing
    up: float  # everything from the shoe
    down: float  # everything to the shoe
    acks: int
    seconds: float
    resends: int


def measure(up: PacedLine | None = None, down: PacedLine | None = None, events: int = BACKLOG) -> Goodput:
    """Send a backlog over the line; raise RuntimeError if not all of it arrives."""
    up, down = up or PacedLine(_UART_BYTES, _TTY_BYTES), down or PacedLine(_TTY_BYTES, _UART_BYTES)
    shoe, gateway = Shoe(events), Gateway()
    before = start_ms = 0
    for now_ms in _turns(shoe, gateway, up, down):
        if gateway.link.unit is None:
            start_ms, before = now_ms, up.carried_bytes
        if shoe.journal.acked == events:
            return _shares(shoe, gateway, up, down, now_ms - start_ms, before)
    raise RuntimeError(f"{len(gateway.ledger)} of {events} events arrived in {_LONGEST_MS} ms")


def _turns(shoe: Shoe, gateway: Gateway, up: PacedLine, down: PacedLine) -> Iterator[int]:
    for now_ms in range(_LONGEST_MS):
        if now_ms % _SHOE_TURN_MS == 0:
            shoe.turn(up, down, now_ms)
        gateway.turn(up, down, now_ms)
        yield now_ms


def _shares(shoe: Shoe, gateway: Gateway, up: PacedLine, down: PacedLine, took_ms: int, before: int) -> Goodput:
    line = up.capacity_bytes(took_ms * 1000)
    frames = sum(len(event.raw) + MAC_BYTES + 4 for event in gateway.ledger)  # CRC, COBS and delimiter
    bodies = sum(len(event.raw) - 8 for event in gateway.ledger)  # without the header of the frame
    carried = up.carried_bytes - before
    return Goodput(
        frames / line,
        bodies / line,
        carried / line,
        down.carried_bytes / line,
        gateway.acks,
        took_ms / 1000,
        shoe.link.resends,
    )

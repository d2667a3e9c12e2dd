"""The wire from end to end: a read's bytes to frames of the gateway, and a journal's backlog over a paced line."""

import hmac
from binascii import crc_hqx
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from struct import pack
from typing import Any, Final

from cobs import cobs
from sabot_gateway.shoe.link import ShoeLink
from sabot_gateway.shoe.parse import Event, Frame, Parser
from sabot_gateway.shoe.session import Session
from sabot_protocol import framing, messages, rulebooks
from sabot_protocol.auth import KEY_BYTES, MAC_BYTES, TO_GATEWAY, Seal
from sabot_sim.line.paced_line import PacedLine
from sabot_sim.rigs import firmware
from sabot_sim.rigs.flash import Flash

KEY: Final = bytes(range(KEY_BYTES))
_NONCES: Final = (b"gateway.", b"the shoe")
_FRAMES_A_READ: Final = 16
_READS: Final = 10
FRAMES: Final = _READS * _FRAMES_A_READ
_CARD_KIND: Final = 4


def card_body(coup_no: int) -> bytes:
    """The eight of hearts as the Player's first card, read at 900 mm/s with a margin of 80 %."""
    return pack("<HHBBHBB", 1, coup_no, 1, 33, 900, 80, 0)


def card_frame(seq: int, flags: int = 0) -> bytes:
    """The event of a card, without MAC and CRC."""
    return pack("<BBHIIB", 2, flags, seq, 1234 + seq, 7 + seq, _CARD_KIND) + card_body(2)


def reads() -> list[bytes]:
    """What a gateway reads of a shoe that sends card after card in a keyed session."""
    seal = Seal(KEY, TO_GATEWAY, *_NONCES)
    bodies = [card_frame(seq, messages.AUTHENTICATED) for seq in range(FRAMES)]
    wire = [framing.encode(body + seal.mac(body)) for body in bodies]
    return [b"".join(wire[at : at + _FRAMES_A_READ]) for at in range(0, len(wire), _FRAMES_A_READ)]


def by_gateway(chunks: list[bytes]) -> list[Frame]:
    """The gateway's own way from bytes to frames that are of the session and new."""
    parser, session = Parser(), Session(*_NONCES, KEY)
    return [frame for chunk in chunks for frame in parser.feed(chunk) if session.refuses(frame) is None]


def by_textbook(chunks: list[bytes]) -> list[Any]:
    """The same with nothing but Python, hmac and construct."""
    return _interpreted(chunks, _cobs_decode, _crc16)


def by_textbook_in_c(chunks: list[bytes]) -> list[Any]:
    """The textbook with COBS and CRC from C extensions."""
    return _interpreted(chunks, cobs.decode, lambda data: crc_hqx(data, 0xFFFF))


def _interpreted(chunks: list[bytes], decode: Callable[[bytes], bytes], crc16: Callable[[bytes], int]) -> list[Any]:
    key = hmac.digest(KEY, TO_GATEWAY + b"".join(_NONCES), "sha256")
    frames: list[Any] = []
    for encoded in (part for chunk in chunks for part in chunk.split(b"\0")[:-1]):
        checked = decode(encoded)
        sealed, crc = checked[:-2], checked[-2:]
        body, mac = sealed[:-MAC_BYTES], sealed[-MAC_BYTES:]
        right = hmac.new(key, body, sha256).digest()[:MAC_BYTES]
        if crc16(sealed) == int.from_bytes(crc, "little") and hmac.compare_digest(mac, right):
            frames.append(messages.Frame.parse(body))
    return frames


def _cobs_decode(encoded: bytes) -> bytes:
    """Byte by byte; faster than the pure Python of the package `cobs`."""
    out, at = bytearray(), 0
    while at < len(encoded):
        code = encoded[at]
        at += 1
        for _ in range(code - 1):
            out.append(encoded[at])
            at += 1
        if code < 0xFF and at < len(encoded):
            out.append(0)
    return bytes(out)


def _crc16(data: bytes) -> int:
    """By a table of 256, a step a byte."""
    crc = 0xFFFF
    for byte in data:
        crc = (crc << 8 & 0xFFFF) ^ _CRC_TABLE[crc >> 8 ^ byte]
    return crc


_CRC_TABLE: Final = [crc_hqx(bytes([byte]), 0) for byte in range(256)]

UNIT: Final = bytes.fromhex("5ab0000000000001")
PROFILE: Final = rulebooks.load("star-baccarat").profile(8, 1)
BACKLOG: Final = 2_000
_UART_BYTES: Final = 512  # of the shoe, each way
_TTY_BYTES: Final = 4096  # of the gateway, each way
_RX_BYTES: Final = 256  # a turn of the superloop
_MOST_SENDS: Final = 8  # a turn of the superloop
_SHOE_TURN_MS: Final = 2
_COMMIT_MS: Final = 10
_LONGEST_MS: Final = 120_000


class Shoe:
    """The firmware's link over a journal full of cards, turned by a superloop."""

    def __init__(self, events: int) -> None:
        journal, profile = firmware.module("sabot.storage.journal"), firmware.module("sabot.profile").Profile(1)
        profile.digest[:] = messages.profile_hash(PROFILE)
        self.journal = journal.Journal(Flash(events // 100 + 3))
        for coup_no in range(events):
            self.journal.record[journal.BODY : journal.BODY + 10] = card_body(coup_no)
            self.journal.append(coup_no, _CARD_KIND, 10)
            self.journal.housekeep()
        link, sampler = firmware.module("sabot.link.link"), firmware.module("sabot.reading.sampler").Sampler()
        self.link = link.Link(UNIT, 1, 1, self.journal, profile, sampler, lambda size: bytes(size), KEY)

    def turn(self, up: PacedLine, down: PacedLine, now_ms: int) -> None:
        """Serial in, serial out."""
        arrived = down.read(now_ms * 1000, _RX_BYTES)
        self.link.receive(arrived, len(arrived), now_ms)
        for _ in range(_MOST_SENDS):
            self.link.pump(now_ms)
            if not self.link.tx_size:
                break
            self.link.sent(up.write(bytes(self.link.tx[: self.link.tx_size]), now_ms * 1000))


class Gateway:
    """The gateway's link and a ledger that takes its time; one thread, which reads nothing while it commits."""

    def __init__(self) -> None:
        self.link = ShoeLink(PROFILE, lambda unit: 0, keys=lambda unit: [KEY], nonce=lambda: _NONCES[0])
        self.link.reset()
        self.ledger: list[Event] = []
        self.acks = 0
        self._committing: list[Event] = []
        self._idle_ms = 0

    def turn(self, up: PacedLine, down: PacedLine, now_ms: int) -> None:
        """A millisecond: finish a commit, or read and begin one."""
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
    """What the line carried between WELCOME and the acknowledgement of the last event, as shares of what it could."""

    events: float  # whole frames of events, each counted once
    bodies: float  # of these, what the events themselves are
    up: float  # everything from the shoe
    down: float  # everything to the shoe
    acks: int
    seconds: float
    resends: int


def goodput(up: PacedLine | None = None, down: PacedLine | None = None, events: int = BACKLOG) -> Goodput:
    """Carry a backlog over the line; RuntimeError if it does not come whole."""
    up, down = up or PacedLine(_UART_BYTES, _TTY_BYTES), down or PacedLine(_TTY_BYTES, _UART_BYTES)
    shoe, gateway = Shoe(events), Gateway()
    before = start_ms = 0
    for now_ms in _turns(shoe, gateway, up, down):
        if gateway.link.unit is None:
            start_ms, before = now_ms, up.carried_bytes
        if shoe.journal.acked == events:
            return _shares(shoe, gateway, up, down, now_ms - start_ms, before)
    raise RuntimeError(f"{len(gateway.ledger)} of {events} events came in {_LONGEST_MS} ms")


def _turns(shoe: Shoe, gateway: Gateway, up: PacedLine, down: PacedLine) -> Iterator[int]:
    for now_ms in range(_LONGEST_MS):
        if now_ms % _SHOE_TURN_MS == 0:
            shoe.turn(up, down, now_ms)
        gateway.turn(up, down, now_ms)
        yield now_ms


def _shares(shoe: Shoe, gateway: Gateway, up: PacedLine, down: PacedLine, took_ms: int, before: int) -> Goodput:
    line = up.capacity_bytes(took_ms * 1000)
    frames = sum(len(event.raw) + MAC_BYTES + 4 for event in gateway.ledger)  # CRC, COBS and delimiter
    bodies = sum(len(event.raw) - 8 for event in gateway.ledger)  # behind the header of the frame
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

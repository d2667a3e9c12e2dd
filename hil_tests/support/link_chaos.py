"""Both ends of the link in one process, a faulty line between them, and either end restarted at random."""

import random
from typing import Any

from sabot_protocol.auth import KEY_BYTES
from sabot_sim.line.faulty_line import Faults, FaultyLine
from sabot_sim.rigs import firmware
from sabot_sim.rigs.flash import Flash
from sabot_tools.stand.minimal_gateway import MinimalGateway

SECTORS, SECTOR_BYTES = 4, 1024
UNIT = bytes.fromhex("5ab0000000000001")
STEP_MS = 20
CALM_STEPS = 3_000  # a minute without faults: everything must have arrived by then
_CARD, _CARD_BYTES = 4, 10
_POWER = 1


class Shoe:
    """The firmware's link and journal; `logged` has every durable event by number."""

    def __init__(self, rng: random.Random, key: bytes | None) -> None:
        self._rng, self._key = rng, key
        self._journal = firmware.module("sabot.storage.journal")
        self._flash = Flash(SECTORS, SECTOR_BYTES)
        self.logged: dict[int, bytes] = {}
        self._boots = 0
        self.restart()

    def erase(self) -> None:
        """Erase the journal: numbers start again at 1."""
        self._flash, self.logged = Flash(SECTORS, SECTOR_BYTES), {}
        self.restart()

    def restart(self) -> None:
        """Switch off and on."""
        self._boots += 1
        self.journal = self._journal.Journal(self._flash)
        self.journal.housekeep()
        self.profile = firmware.module("sabot.profile").Profile(4)
        sampler = firmware.module("sabot.reading.sampler").Sampler()
        link, chance = firmware.module("sabot.link.link").Link, self._rng.randbytes
        self.link = link(UNIT, self._boots, _POWER, self.journal, self.profile, sampler, chance, self._key)

    def log(self, rng: random.Random, now_ms: int) -> None:
        """Log a card, unless the journal is full."""
        if self.journal.full():
            return
        body = bytes([1, 0, 1, 0, rng.randint(0, 6), rng.randint(0, 51), *rng.randbytes(2)])
        body += bytes([rng.randint(0, 100), rng.randint(0, 31)])
        at = self._journal.wire.RECORD_DATA
        self.journal.record[at : at + _CARD_BYTES] = body
        self.logged[self.journal.next_no] = body
        self.journal.append(now_ms, _CARD, _CARD_BYTES)

    def step(self, arrived: bytes, now_ms: int) -> bytes:
        """Run one turn of the superloop: bytes in, bytes out."""
        self.link.receive(arrived, len(arrived), now_ms)
        self.journal.housekeep()
        out = bytearray()
        for _ in range(8):
            self.link.pump(now_ms)
            if not self.link.tx_size:
                break
            out += self.link.tx[: self.link.tx_size]
            self.link.sent(self.link.tx_size)
        return bytes(out)


class World:
    """One seed: the same faults, restarts and events every time."""

    def __init__(self, seed: int, most: float = 0.2, keyed: bool = True) -> None:
        self.rng = random.Random(seed)
        key = self.rng.randbytes(KEY_BYTES) if keyed else None
        self.shoe, self.gateway = Shoe(self.rng, key), MinimalGateway(key, self.rng)
        self.up = FaultyLine(self.rng, Faults.drawn(self.rng, most))
        self.down = FaultyLine(self.rng, Faults.drawn(self.rng, most))
        self._restarts = self.rng.choice((0.0, 0.002, 0.02))
        self._now_ms = 0

    def run(self, steps: int) -> None:
        """Run this many steps with faults, then without until everything has arrived."""
        for _ in range(steps):
            self._random_fault()
            if self.rng.random() < 0.3:
                self.shoe.log(self.rng, self._now_ms)
            self._step()
        self.up.faults = self.down.faults = Faults()
        for _ in range(CALM_STEPS):
            if len(self.gateway.events) == len(self.shoe.logged):
                return
            self._step()

    def _random_fault(self) -> None:
        if self.rng.random() < self._restarts:
            self.shoe.restart()
        if self.rng.random() < self._restarts:
            self.gateway.restart()

    def _step(self) -> None:
        self._now_ms += STEP_MS
        self.up.put(self.shoe.step(self.down.take(self._now_ms), self._now_ms), self._now_ms)
        arrived, commit = self.up.take(self._now_ms), self.rng.random() < 0.7
        self.down.put(self.gateway.exchange(arrived, self._now_ms / 1000, commit), self._now_ms)

    def differences(self) -> list[Any]:
        """Where the ledger is not what the shoe logged, in its order, once each."""
        logged = list(self.shoe.logged.items())
        ledger = [(event.event_no, event.raw[13:]) for event in self.gateway.events]
        pairs = zip(logged, ledger, strict=False)
        found: list[Any] = [(place, sent, kept) for place, (sent, kept) in enumerate(pairs) if sent != kept]
        if len(logged) != len(ledger):
            found.append(f"{len(logged)} logged, {len(ledger)} in the ledger")
        return found

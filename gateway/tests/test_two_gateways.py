"""Two gateways on one line with one shoe: the firmware's own link serves one of them, and the other knows why not."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any

import pytest
from sabot_gateway.shoe.link import ShoeLink
from sabot_sim.rigs import firmware
from sabot_sim.rigs.flash import Flash
from shoe_events import KEY, PROFILE, UNIT, frames_in

STEP_MS = 20
SECTORS = 4
FIRST, SECOND = bytes.fromhex("6a7e000000000001"), bytes.fromhex("6a7e000000000002")
POWER, BUTTON = 1, 8


class Sampler:
    """All that the link wants of the sampler."""

    overruns = 0


class Shoe:
    """The firmware's link and journal."""

    def __init__(self, rng: random.Random, key: bytes | None) -> None:
        journal = firmware.module("sabot.storage.journal")
        self.journal = journal.Journal(Flash(SECTORS))
        profile = firmware.module("sabot.profile").Profile(4)
        link, unit = firmware.module("sabot.link.link").Link, bytes.fromhex(UNIT)
        self.link = link(unit, 1, POWER, self.journal, profile, Sampler(), rng.randbytes, key)
        self._body_at: int = firmware.module("sabot.wire").RECORD_DATA

    def log(self, now_ms: int) -> None:
        """A button."""
        self.journal.record[self._body_at : self._body_at + 5] = bytes([1, 0, 1, 0, 4])
        self.journal.append(now_ms, BUTTON, 5)

    def step(self, arrived: bytes, now_ms: int) -> bytes:
        """Bytes in, bytes out."""
        self.link.receive(arrived, len(arrived), now_ms)
        self.link.pump(now_ms)
        out = bytes(self.link.tx[: self.link.tx_size])
        self.link.sent(self.link.tx_size)
        return out


@dataclass
class Gateway:
    """A gateway's link and its ledger."""

    link: ShoeLink
    taken: list[int] = field(default_factory=list)
    running: bool = True
    sessions: list[Any] = field(default_factory=list)

    def served(self) -> bool:
        """It has the shoe, and nothing to say against it."""
        return (self.link.unit, self.link.problem) == (UNIT, None)

    def step(self, arrived: bytes, now_s: float) -> bytes:
        """One turn of the daemon's loop; silent while stopped."""
        if not self.running:
            return b""
        events = [event.event_no for event in self.link.receive(arrived, now_s)]
        self.taken += events
        if events:
            self.link.acknowledge(events[-1], now_s)
        self.link.tick(now_s)
        if self.link.handshake.session not in (None, *self.sessions):
            self.sessions.append(self.link.handshake.session)
        out = self.link.output()
        self.link.written(len(out))
        return out


class World:
    """One line: both gateways receive the shoe, and the shoe receives both."""

    def __init__(self, key: bytes | None) -> None:
        rng = random.Random(1)
        self.shoe = Shoe(rng, key)
        self.first, self.second = (self._gateway(who, rng, key) for who in (FIRST, SECOND))
        self.second.running = False
        self.now_ms, self._down = 0, b""
        self.shoe_frames: list[str] = []  # by the shoe

    def _gateway(self, who: bytes, rng: random.Random, key: bytes | None) -> Gateway:
        keys = [key] if key else []
        gateway = Gateway(ShoeLink(PROFILE, lambda unit: len(gateway.taken), who, lambda unit: keys))
        gateway.link.handshake.nonce = partial(rng.randbytes, 8)
        gateway.link.reset()
        return gateway

    def run(self, seconds: float, each: Callable[[], None] = lambda: None) -> None:
        """So long; the shoe logs something five times a second."""
        for _ in range(int(seconds * 1000 / STEP_MS)):
            self.now_ms += STEP_MS
            if self.now_ms % 200 == 0:
                self.shoe.log(self.now_ms)
            up = self.shoe.step(self._down, self.now_ms)
            self.shoe_frames += [frame.type for frame in frames_in(up)]
            self._down = b"".join(gateway.step(up, self.now_ms / 1000) for gateway in (self.first, self.second))
            each()

    def last_no(self) -> int:
        """The newest event of the shoe's log."""
        newest: int = self.shoe.journal.next_no - 1
        return newest


@pytest.fixture(params=[None, KEY], ids=["no key", "key"])
def world(request: pytest.FixtureRequest) -> World:
    """The first gateway is served."""
    made = World(request.param)
    made.run(3)
    assert made.first.link.unit == UNIT
    return made


def test_the_second_is_refused_with_the_reason(world: World) -> None:
    world.second.running = True
    problems = []
    world.run(30, lambda: problems.append(world.second.link.problem))
    assert set(problems[50:]) == {
        f"the shoe is served by another gateway, {FIRST.hex()}: one shoe, one gateway; "
        "stop the other one, or take this table out of the config"
    }
    assert world.second.link.unit is None
    assert world.second.taken == []
    assert 25 <= world.shoe_frames.count("busy") <= 35


def test_the_first_is_undisturbed(world: World) -> None:
    world.second.running = True
    hellos, times_s = world.shoe_frames.count("hello"), []
    world.run(30, lambda: times_s.append(world.first.link.last_frame_s))
    assert world.shoe_frames.count("hello") == hellos
    assert len(world.first.sessions) == 1
    assert max(after - before for before, after in pairwise(times_s) if before and after) <= 1.1
    assert world.first.taken == list(range(1, world.last_no() + 1))
    assert world.shoe.link.resends == 0
    unsound = {name: number for name, number in world.first.link.line_counters().items() if number}
    assert unsound == {}


def test_the_second_is_served_when_the_first_stops(world: World) -> None:
    world.second.running = True
    world.run(2)
    world.first.running = False
    world.run(4.5)
    assert not world.second.served()
    world.run(2.5)
    assert world.second.served()
    assert world.second.taken == list(range(1, world.second.taken[-1] + 1))
    assert world.last_no() - world.second.taken[-1] <= 1


def test_the_first_is_refused_when_it_comes_back(world: World) -> None:
    world.second.running, world.first.running = True, False
    world.run(8)
    world.first.running = True
    world.first.link.reset()
    sessions = len(world.second.sessions)
    world.run(10)
    assert world.first.link.problem is not None
    assert SECOND.hex() in world.first.link.problem
    assert len(world.second.sessions) == sessions


def test_after_a_restart_the_first_goes_on_at_once(world: World) -> None:
    world.second.running = True
    world.run(2)
    world.first.link.reset()
    world.run(1)
    assert world.first.link.unit == UNIT
    assert world.second.link.unit is None

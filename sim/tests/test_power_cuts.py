"""The plug is pulled in mid-write, mid-erase and mid-recovery: no event is lost or doubled. A seed replays exactly.

SABOT_SEEDS=10000 .venv/bin/pytest sim/tests/test_power_cuts.py tries more of them; a single one is World(seed).run().
"""

import os
import random
from collections import Counter
from contextlib import suppress

import pytest
from sabot_sim.rigs import firmware
from sabot_sim.rigs.flash import Flash, FlashError, Plug, PowerCut, torn_erase, torn_program

SEEDS = int(os.environ.get("SABOT_SEEDS", "400"))
PARTS = 8
LIVES = 10  # times that the power comes back, a seed
KEYS = range(1, 6)
ANY = ("program", "header", "erase")

journal, wire = firmware.module("sabot.storage.journal"), firmware.module("sabot.wire")
store = firmware.module("sabot.storage.store")
seal = firmware.module("sabot.storage.seal")


class World:
    """A journal and a store, and what they must hold."""

    def __init__(self, seed: int) -> None:
        self.rng = rng = random.Random(seed)
        self.plug = Plug(rng)
        self.journal_flash = Flash(rng.randint(3, 6), rng.choice((512, 1024)), self.plug)
        self.store_flash = Flash(rng.randint(2, 3), 2048, self.plug)
        self.events: list[bytes] = []  # bodies; the first is event 1
        self.values: dict[int, bytes] = {}
        self.acked = 0  # what the gateway holds
        self.event_begun: bytes | None = None
        self.value_begun: tuple[int, bytes] | None = None
        self.cut_in: Counter[str] = Counter()
        self.doing = ""

    def run(self, lives: int = LIVES) -> None:
        """Cut after cut; at last the power stays and everything is looked at once more."""
        for _ in range(lives):
            self.pull()
            try:
                self.start()
                while True:
                    self.step()
            except PowerCut:
                self.cut_in[self.doing] += 1
        self.plug.left = None
        self.start()
        for _ in range(20):
            self.step()
        self.check()

    def pull(self) -> None:
        """Soon, later, in mid-erase, or in the write that makes an erased sector count."""
        when = self.rng.random()
        if when < 0.4:
            self.plug.pull(self.rng.randint(0, 8), ("erase",) if when < 0.2 else ("header",))
        else:
            self.plug.pull(self.rng.choice((self.rng.randint(0, 12), self.rng.randint(0, 150))), ANY)

    def run_at_the_turn(self) -> None:
        """Cut the power again and again where journal and store are about to enter the next sector."""
        self.start()
        for _ in range(30):
            self.append()
            self.acknowledge()
            self.put()
        for _ in range(5):
            self.plug.pull(self.rng.randint(0, 2), ("erase", "header"))
            with suppress(PowerCut):
                self.start()
                self.housekeep()
        self.plug.left = None
        self.start()

    def start(self) -> None:
        """The power is back."""
        self.plug.erase_allowed = True
        self.doing = "recovery"
        self.journal = journal.Journal(self.journal_flash)
        self.journal.housekeep()  # as the shoe does when it has read its log
        self.store = store.Store(self.store_flash)
        self.plug.erase_allowed = False
        assert (self.journal.worn, self.store.damaged) == (0, 0)  # a cut is no damage
        self.check()
        self.check_weak()

    def step(self) -> None:
        """What a shoe does, in any order."""
        work = (self.append, self.append, self.append, self.append, self.housekeep, self.put, self.acknowledge)
        self.rng.choice(work)()

    def append(self) -> None:
        self.doing = "append"
        if self.journal.full(1):
            return
        self.event_begun = body = self.rng.choice((self.rng.randbytes(20), bytes(20), b"\xff" * 20))
        self.journal.record[wire.RECORD_DATA : wire.RECORD_DATA + 20] = body
        self.journal.append(self.rng.randrange(1 << 30), self.rng.randint(11, 31), 20)
        self.event_begun = None
        self.events.append(body)

    def housekeep(self) -> None:
        self.doing = "housekeep"
        self.plug.erase_allowed = True
        self.journal.housekeep()
        self.store.housekeep()
        self.plug.erase_allowed = False

    def put(self) -> None:
        self.doing = "put"
        key, value = self.rng.choice(KEYS), self.rng.randbytes(self.rng.choice((2, 4, 96)))
        self.value_begun = key, value
        if self.store.put(key, value, len(value)):
            self.values[key] = value
        self.value_begun = None

    def acknowledge(self) -> None:
        self.acked = self.rng.randint(self.acked, len(self.events))
        self.journal.acknowledge(self.acked)

    def check(self) -> None:
        """Everything that was finished is there, what was begun is there or not, and nothing else is."""
        if self.event_begun is not None and self.journal.next_no == len(self.events) + 2:
            self.events.append(self.event_begun)
        self.event_begun = None
        assert self.journal.next_no == len(self.events) + 1
        assert self.journal.lost == 0
        assert self.journal.acked <= self.acked
        assert self.journal.oldest() <= self.acked + 1
        for event_no in range(self.journal.oldest(), self.journal.next_no):
            assert self.read(event_no) == self.events[event_no - 1], event_no
        self.check_values()

    def check_values(self) -> None:
        for key in KEYS:
            buf = bytearray(store.MOST)
            size = self.store.get(key, buf)
            value = bytes(buf[:size]) if size >= 0 else None
            if self.value_begun == (key, value):
                assert value is not None
                self.values[key] = value
            assert value == self.values.get(key)
        self.value_begun = None

    def check_weak(self) -> None:
        """No weak cell is left but where an erase comes first; in a journal without room, the next slot may be."""
        if not self.journal.full():
            waiting = (self.journal._sector + self.journal._clean + 1) % self.journal_flash.sectors
            assert {sector for sector, _ in self.journal_flash.weak_cells()} <= {waiting}
        assert all(sector != self.store._sector and at >= 128 for sector, at in self.store_flash.weak_cells())

    def read(self, event_no: int) -> bytes:
        buf = bytearray(journal.RECORD)
        assert self.journal.read(event_no, buf)
        assert int.from_bytes(buf[:4], "little") == event_no
        assert buf[wire.RECORD_KIND] > wire.EV_DAMAGED
        return bytes(buf[wire.RECORD_DATA : wire.RECORD_DATA + buf[wire.RECORD_DATA_SIZE]])


@pytest.mark.parametrize("part", range(PARTS))
def test_no_event_lost_none_doubled_values_old_or_new(part: int) -> None:
    events = 0
    for seed in range(part, SEEDS, PARTS):
        world = World(seed)
        try:
            world.run()
        except Exception as error:
            raise AssertionError(f"seed {seed}, {world.doing}") from error
        events += len(world.events)
    assert events > 100 * SEEDS // PARTS


def test_cut_after_cut_at_the_turn_of_a_sector() -> None:
    for seed in range(SEEDS // 2):
        world = World(seed)
        try:
            world.run_at_the_turn()
        except Exception as error:
            raise AssertionError(f"seed {seed}, {world.doing}") from error


class BarelyErased(Flash):
    """An erase that is cut so soon that it leaves no more than one weak cell, in the value of the first entry."""

    def erase(self, sector: int) -> None:
        self.weak[sector * self.sector_bytes + 128 + 2] = 0x01
        raise PowerCut


@pytest.mark.parametrize("seed", range(40))
def test_a_sector_of_the_store_that_was_given_up_does_not_come_back(seed: int) -> None:
    flash = Flash(2, 2048, Plug(random.Random(seed)))
    kept = store.Store(flash)
    for number in range(12):
        kept.put_number(store.CAUSE, number)
    kept.housekeep()
    assert kept._sector == 1
    flash.weak[2048] = 0x10  # of the header written last: the first start may find it sound or not
    barely = BarelyErased(2, 2048, flash.plug)
    barely.data, barely.weak = flash.data, flash.weak
    with suppress(PowerCut):
        store.Store(barely)
    for _ in range(3):
        assert store.Store(flash).get_number(store.CAUSE) == 11


def test_the_same_seed_is_the_same_world() -> None:
    one, other = World(5), World(5)
    one.run()
    other.run()
    assert one.journal_flash.data == other.journal_flash.data
    assert one.events == other.events


def test_the_cuts_are_everywhere() -> None:
    seen: Counter[str] = Counter()
    for seed in range(60):
        world = World(seed)
        world.run()
        seen += world.cut_in
    assert all(seen[doing] > 10 for doing in ("recovery", "append", "housekeep", "put")), seen


def test_what_is_cut_short_never_passes_the_seal() -> None:
    rng = random.Random(3)
    for _ in range(20_000):
        whole = bytearray(rng.randbytes(34))
        seal.close(whole, 30)
        assert seal.sound(whole, 30)
        for torn in (torn_program(rng, b"\xff" * 34, bytes(whole)), torn_erase(rng, bytes(whole))):
            assert seal.sound(torn, 30) == (torn == whole)


def worked(sectors: int, events: int) -> tuple[Flash, Flash]:
    """Return flash after this many events, each acknowledged, and a value stored for every four."""
    plug = Plug(random.Random(0))
    logs, values = Flash(sectors, plug=plug), Flash(2, plug=plug)
    log, kept = journal.Journal(logs), store.Store(values)
    for number in range(1, events + 1):
        plug.erase_allowed = False
        log.append(0, 4, 9)
        log.acknowledge(number)
        log.read(number, bytearray(journal.RECORD))
        if number % 4 == 0:
            kept.put_number(number // 4 % 5 + 1, number)
        plug.erase_allowed = True
        log.housekeep()
        kept.housekeep()
    return logs, values


def test_wear_is_even_and_nothing_but_housekeeping_erases() -> None:
    logs, values = worked(22, 10_000)
    assert max(logs.erases) - min(logs.erases) <= 1
    assert sum(logs.erases) == 10_000 // 111 + 2
    assert max(values.erases) - min(values.erases) <= 1
    print(f"journal {sum(logs.erases)} erases in 10000 events, store {sum(values.erases)} in 2500 values")


def test_the_flash_is_strict() -> None:
    flash = Flash(1)
    flash.program(0, b"\x0f")
    flash.program(0, b"\x0e")
    with pytest.raises(FlashError, match="set bits"):
        flash.program(0, b"\x0f")
    with pytest.raises(FlashError, match="leaves its page"):
        flash.program(255, b"\x00\x00")
    flash.plug.erase_allowed = False
    with pytest.raises(FlashError, match="while erasing is not allowed"):
        flash.erase(0)

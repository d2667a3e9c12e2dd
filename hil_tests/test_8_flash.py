"""Journal and store on the flash of the emulated chip: cold starts, and power that is cut at any cycle or in mid-write.

In the emulator a program and an erase take no time, so a cut at a random cycle falls between them; `tearing` cuts one
short all the same. SABOT_FLASH_CUTS=200 .venv/bin/pytest hil_tests/test_8_flash.py cuts more often.
"""

import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sabot_sim.chip.filesystem import RESERVED_BLOCKS
from sabot_sim.chip.python_chip import PythonChip
from sabot_sim.chip.uf2 import HOW_TO_GET_UF2, find_uf2
from sabot_sim.rigs import firmware
from sabot_sim.rigs.build import firmware_image
from sabot_sim.rigs.flash import Flash, PowerCut, torn_erase, torn_program

UF2 = find_uf2()
pytestmark = pytest.mark.skipif(UF2 is None, reason=HOW_TO_GET_UF2)
CUTS = int(os.environ.get("SABOT_FLASH_CUTS", "1"))

FLASH_BYTES, SECTOR_BYTES, PAGE_BYTES = 2 << 20, 4096, 256
USED = 40 * 111 - 5  # events; a sector holds 111
LONGEST_US = 300_000  # of a life; it comes up in two thirds of that
REGION = FLASH_BYTES - RESERVED_BLOCKS * SECTOR_BYTES
PROGRAM_PAGE, ERASE_SECTOR = 0x02, 0x20

# Prints what it found, then logs events one by one and prints each; the body of an event is made of its number.
PROGRAM = """
import machine, micropython, time
from struct import pack_into, unpack_from
from sabot.boards.flash import journal_medium, store_medium
from sabot import wire
from sabot.storage.journal import RECORD, Journal
from sabot.storage.store import BOOTS, CAUSE, Count, Store

uart = machine.UART(0, 115200, tx=machine.Pin(0), rx=machine.Pin(1))

def say(line):
    uart.write(line)
    uart.flush()

def wrong(journal, first):
    buf = bytearray(RECORD)
    count = 0
    for event_no in range(first, journal.next_no):
        journal.read(event_no, buf)
        body = unpack_from("<II", buf, wire.RECORD_DATA)
        count += buf[wire.RECORD_KIND] != wire.EV_CARD or body != (event_no, event_no * 7919 & 0x3FFFFFFF)
    return count

def log(journal, store, buf):
    event_no = journal.next_no
    pack_into("<II", journal.record, wire.RECORD_DATA, event_no, event_no * 7919 & 0x3FFFFFFF)
    micropython.heap_lock()
    start_us = time.ticks_us()
    journal.append(0x3FFFFFFF, 4, 20)
    append_us = time.ticks_diff(time.ticks_us(), start_us)
    start_us = time.ticks_us()
    journal.read(event_no, buf)
    read_us = time.ticks_diff(time.ticks_us(), start_us)
    journal.acknowledge(event_no - 2)
    store.put_number(CAUSE, event_no)
    journal.housekeep()
    store.housekeep()
    micropython.heap_unlock()
    say("event %d append_us %d read_us %d\\n" % (event_no, append_us, read_us))

def main():
    start_us = time.ticks_us()
    store = Store(store_medium())
    store_us = time.ticks_diff(time.ticks_us(), start_us)
    start_us = time.ticks_us()
    journal = Journal(journal_medium())
    journal_us = time.ticks_diff(time.ticks_us(), start_us)
    boots = Count(store, BOOTS).bump()
    first = max(journal.oldest(), journal.next_no - 10)
    found = (boots, journal.next_no, journal.oldest(), wrong(journal, first), store.get_number(CAUSE))
    say("boot %d next %d oldest %d wrong %d base %d" % found)
    say(" store_us %d journal_us %d\\n" % (store_us, journal_us))
    buf = bytearray(RECORD)
    while True:
        log(journal, store, buf)
"""


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    program = tmp_path_factory.mktemp("program") / "program.py"
    program.write_text(PROGRAM)
    return firmware_image(program)


@pytest.fixture
def chip(image: dict[str, bytes]) -> PythonChip:
    assert UF2 is not None
    return PythonChip(Path(UF2), image)


@pytest.fixture
def used(chip: PythonChip) -> PythonChip:
    """Return a chip whose journal has wrapped and is about to enter the next sector."""
    journal = firmware.module("sabot.storage.journal")
    flash = Flash(journal.SECTORS)
    log = journal.Journal(flash)
    at = journal.wire.RECORD_DATA
    for event_no in range(1, USED + 1):
        body = event_no.to_bytes(4, "little") + (event_no * 7919 & 0x3FFFFFFF).to_bytes(4, "little")
        log.record[at : at + 8] = body
        log.append(0, 4, 20)
        log.acknowledge(event_no - 2)
        log.housekeep()
    chip.write_flash(REGION, bytes(flash.data))
    return chip


def values(line: str) -> dict[str, int]:
    words = line.split()
    return {name: int(value) for name, value in zip(words[::2], words[1::2], strict=True)}


class Witness:
    """Reads everything that a chip prints, over all its starts, and checks it."""

    def __init__(self, events: int = 0) -> None:
        self.events = events  # number of events that are certainly logged
        self.boots = self.lives = 0
        self.found: dict[str, int] = {}

    def read(self, chip: PythonChip) -> None:
        """Check one start of the chip to its end: only the last line may be truncated."""
        self.lives += 1
        for line in chip.text.split("\n")[:-1]:
            printed = values(line)
            if "boot" in printed:
                self._booted(printed)
            else:
                self.events += 1
                assert printed["event"] == self.events

    def _booted(self, printed: dict[str, int]) -> None:
        """Check that nothing is lost, and that only the write in progress may be new."""
        self.found = printed
        assert printed["next"] - 1 in (self.events, self.events + 1)
        self.events = printed["next"] - 1
        assert printed["wrong"] == 0
        assert self.boots < printed["boot"] <= self.lives
        self.boots = printed["boot"]
        assert not printed["base"] or printed["base"] in (self.events, self.events - 1)


def run_until_lines(chip: PythonChip, count: int) -> None:
    chip.run_until(lambda: chip.text.count("\n") >= count, most_us=3_000_000)


@contextmanager
def tearing(chip: PythonChip, rng: random.Random, after: int, counted: tuple[int, ...]) -> Iterator[None]:
    """Cut the power in the operation after this many counted ones."""
    ssi, flash = chip.mcu.ssi, chip.mcu.flash
    whole, left = ssi._apply_command, [after]

    def apply() -> None:
        command = bytes(ssi._tx_buffer[:4])
        counts = ssi._write_enabled and command and command[0] in counted
        left[0] -= bool(counts)
        at = int.from_bytes(command[1:])
        size = PAGE_BYTES if counts and command[0] == PROGRAM_PAGE else SECTOR_BYTES
        old = bytes(flash[at : at + size])
        whole()
        if left[0] >= 0:
            return
        new = bytes(flash[at : at + size])
        flash[at : at + size] = torn_program(rng, old, new) if size == PAGE_BYTES else torn_erase(rng, old)
        raise PowerCut

    ssi._apply_command = apply
    try:
        yield
    finally:
        ssi._apply_command = whole


def test_new_flash_and_cuts_at_any_cycle(chip: PythonChip) -> None:
    rng, witness = random.Random(6), Witness()
    run_until_lines(chip, 4)
    for _ in range(CUTS):
        chip.run_for(rng.randint(1, LONGEST_US))
        witness.read(chip)
        chip.power_cycle()
    run_until_lines(chip, 2)
    witness.read(chip)
    print(witness.events, "events,", chip.text)
    assert witness.found["oldest"] == 1 or CUTS > 1


def test_cuts_in_mid_write_and_mid_erase(used: PythonChip) -> None:
    """The count of writes begins with the start, so recovery is cut too."""
    rng, witness = random.Random(8), Witness(USED)
    for cut in range(CUTS):
        erase = 1 if cut == 0 else rng.randint(0, 1)  # the first is the store's, the second the journal's
        when = (erase, (ERASE_SECTOR,)) if cut % 2 == 0 else (rng.randint(0, 40), (PROGRAM_PAGE, ERASE_SECTOR))
        with tearing(used, rng, *when), pytest.raises(PowerCut):
            run_until_lines(used, 1_000)
        witness.read(used)
        used.power_cycle()
    run_until_lines(used, 2)
    witness.read(used)
    print(witness.events - USED, "events,", used.text)
    assert witness.found["next"] - witness.found["oldest"] >= 2_048

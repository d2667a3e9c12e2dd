"""The journal: numbers that never repeat, restarts, damage, erasing ahead, and the ring when it is full."""

from struct import unpack_from

import micropython
from sabot import wire
from sabot.storage.journal import RECORD, Journal
from support import Memory

SECTOR = 27  # events that fit one of the small sectors here
SLOT = 36


def append(journal, count):
    for _ in range(count):
        journal.record[wire.RECORD_DATA] = journal.next_no & 0xFF
        journal.append(1000 + journal.next_no, 4, 1)
        journal.housekeep()


def filled(count, sectors=4):
    medium = Memory(sectors)
    journal = Journal(medium)
    for _ in range(count):
        append(journal, 1)
        journal.acknowledge(journal.next_no - 1)
    return medium, journal


def at(slot, sector=0):
    """Return the address of a slot; the first of a sector is its header."""
    return sector * 1024 + slot // 7 * 256 + slot % 7 * SLOT


def kinds(journal):
    """Return the kind of every event that can be read, and check that each is the right one."""
    buf = bytearray(RECORD)
    found = []
    for event_no in range(journal.oldest(), journal.next_no):
        assert journal.read(event_no, buf)
        assert unpack_from("<I", buf, 0)[0] == event_no
        found.append(buf[8])
        if buf[8] == 4:
            assert buf[9] == 1
            assert buf[wire.RECORD_DATA] == event_no & 0xFF
    return found


def test_numbers_start_at_one_and_go_up():
    _, journal = filled(3)
    buf = bytearray(RECORD)
    assert journal.next_no == 4
    assert journal.read(2, buf)
    assert unpack_from("<IIBB", buf, 0) == (2, 1002, 4, 1)
    assert buf[wire.RECORD_DATA] == 2


def test_a_restart_continues_where_it_was():
    for count in (0, 1, 26, 27, 28, 53, 54, 55, 80, 81, 82, 108, 109, 400):
        medium, journal = filled(count)
        again = Journal(medium)
        assert again.next_no == count + 1
        assert journal.oldest() <= again.oldest() <= max(1, count + 1 - 2 * SECTOR)
        assert count - SECTOR <= again.acked <= count
        append(again, 40)
        assert again.next_no == count + 41
        assert set(kinds(again)) == {4}


def test_at_least_all_but_two_sectors_of_events_can_be_read():
    _, journal = filled(400)
    for _ in range(2 * SECTOR):
        append(journal, 1)
        journal.acknowledge(journal.next_no - 1)
        assert journal.next_no - journal.oldest() >= 2 * SECTOR


def test_a_half_written_record_is_dropped():
    medium, _ = filled(5)
    medium.data[at(5) + 8] = 0xFF
    again = Journal(medium)
    assert again.next_no == 5
    append(again, 3)
    assert kinds(again) == [4] * 7


def test_one_half_written_after_another():
    medium, journal = filled(3)
    for _ in range(12):
        journal.append(0, 4, 1)
        for sector in range(4):
            for slot in range(1, 28):
                if unpack_from("<I", medium.data, at(slot, sector))[0] == 4:
                    medium.data[at(slot, sector)] = 0xFF
        journal = Journal(medium)
        assert journal.next_no == 4
    append(journal, 30)
    assert kinds(Journal(medium)) == [4] * 33


def test_a_damaged_record_is_read_as_damaged_and_hides_no_other():
    for byte in (0, 3, 5, 8, 9, 12, 30, 32):
        medium, journal = filled(40)
        medium.data[at(3) + byte] ^= 1
        assert kinds(journal) == [4, 4, 10] + [4] * 37
        assert kinds(Journal(medium)) == [4, 4, 10] + [4] * 37


def test_the_very_first_record_may_be_damaged_too():
    medium, _ = filled(40)
    medium.data[at(1) + 12] ^= 1
    assert kinds(Journal(medium)) == [10] + [4] * 39
    medium.data[at(1, 1) + 12] ^= 1
    assert kinds(Journal(medium)) == [10] + [4] * 26 + [10] + [4] * 12


def test_the_number_of_a_last_record_that_lost_a_bit_is_not_used_again():
    for place in range(SLOT - 2):  # the last two bytes of a slot say nothing
        medium, _ = filled(5)
        byte = medium.data[at(5) + place]
        if not byte:
            continue
        medium.data[at(5) + place] = byte & byte - 1
        for _ in range(2):
            again = Journal(medium)
            assert again.next_no == 6, place
            assert kinds(again) == [4, 4, 4, 4, 10], place
        append(again, 3)
        assert kinds(Journal(medium)) == [4, 4, 4, 4, 10, 4, 4, 4], place


def test_a_damaged_header_hides_no_event_and_is_counted():
    for sector in (1, 2):
        medium, _ = filled(60)
        assert Journal(medium).worn == 0
        medium.data[at(0, sector)] ^= 1
        assert Journal(medium).worn == 1
        for count in (60, 80):
            again = Journal(medium)
            assert again.next_no == count + 1
            assert again.oldest() <= SECTOR + 1
            assert set(kinds(again)) == {4}
            append(again, 20)


def test_what_is_not_there_is_not_read():
    _, journal = filled(200)
    buf = bytearray(RECORD)
    assert journal.oldest() > 1
    assert not journal.read(journal.oldest() - 1, buf)
    assert journal.read(journal.oldest(), buf)
    assert journal.read(200, buf)
    assert not journal.read(201, buf)


def test_full_before_an_unacknowledged_event_would_be_lost():
    journal = Journal(Memory(4))
    append(journal, 4 * SECTOR - 8)
    assert not journal.full()
    append(journal, 1)
    assert journal.full()
    journal.acknowledge(SECTOR - 1)
    journal.housekeep()
    assert journal.full()
    journal.acknowledge(SECTOR)
    journal.housekeep()
    assert not journal.full()
    assert journal.oldest() == SECTOR + 1


def test_an_event_without_room_is_counted_and_nothing_is_overwritten():
    medium = Memory(4)
    journal = Journal(medium)
    append(journal, 4 * SECTOR + 5)
    assert journal.lost == 5
    assert kinds(journal) == [4] * 4 * SECTOR
    assert kinds(Journal(medium)) == [4] * 4 * SECTOR


def test_full_too_without_housekeeping():
    medium, journal = filled(0)
    erases = medium.erases
    for event_no in range(1, 2 * SECTOR + 1):
        journal.append(0, 4, 0)
        journal.acknowledge(event_no)
    assert medium.erases == erases
    assert journal.full(1)
    journal.housekeep()
    assert medium.erases == erases + 1
    assert not journal.full()


def test_only_given_numbers_are_acknowledged():
    _, journal = filled(0)
    append(journal, 5)
    journal.acknowledge(3)
    journal.acknowledge(2)
    assert journal.acked == 3
    journal.acknowledge(6)
    assert journal.acked == 3


def test_a_slot_that_does_not_take_is_struck_out():
    medium, journal = filled(2)
    medium.data[at(3) + 15] = 0x7F  # a cell that is stuck
    program = medium.program

    def worn(address, buf):
        if address == at(3) and buf[15] & 0x80:
            medium.data[at(3)] = 0
            return
        program(address, buf)

    medium.program = worn
    journal.record[15] = 0xFF
    append(journal, 4)
    assert kinds(journal) == [4] * 6
    assert kinds(Journal(medium)) == [4] * 6


def test_append_and_read_allocate_nothing():
    journal = Journal(Memory(4))
    buf = bytearray(RECORD)
    micropython.heap_lock()
    try:
        for event_no in range(1, 2 * SECTOR + 3):
            journal.append(0x3FFFFFFF, 4, 20)
            journal.full()
            journal.acknowledge(event_no)
            journal.read(event_no, buf)
            journal.read(1, buf)
            journal.read(event_no + 1, buf)
            journal.housekeep()
    finally:
        micropython.heap_unlock()
    assert journal.next_no == 2 * SECTOR + 3


def test_reading_a_damaged_record_allocates_nothing():
    medium, journal = filled(10)
    for i in range(SLOT):
        medium.data[at(10) + i] = 0xFF
    buf = bytearray(RECORD)
    micropython.heap_lock()
    try:
        journal.read(10, buf)
    finally:
        micropython.heap_unlock()
    assert buf[8] == 10

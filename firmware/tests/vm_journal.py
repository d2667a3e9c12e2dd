"""The journal: numbers that never repeat, restarts, damage, and the ring when it is full."""

from struct import unpack_from

from sabot.journal import BODY, RECORD, Count, Journal
from support import Memory


def filled(count, slots=16):
    medium = Memory(slots, RECORD)
    journal = Journal(medium, slots)
    for i in range(count):
        journal.record[BODY] = i & 0xFF
        journal.append(1000 + i, 4, 1)
    return medium, journal


def test_numbers_start_at_one_and_go_up():
    _, journal = filled(3)
    buf = bytearray(RECORD)
    assert journal.next_no == 4
    assert journal.read(2, buf)
    assert unpack_from("<IIBB", buf, 0) == (2, 1001, 4, 1)
    assert buf[BODY] == 1


def test_a_restart_goes_on_where_it_was():
    for count in (0, 1, 15, 16, 17, 40):
        medium, _ = filled(count)
        again = Journal(medium, 16)
        assert again.next_no == count + 1
        assert again.oldest() == max(1, count + 1 - 16)


def test_a_half_written_record_is_as_if_it_had_not_been():
    medium, _ = filled(5)
    medium.slots[5][20] ^= 1
    assert Journal(medium, 16).next_no == 5


def test_a_damaged_record_is_told_as_such_and_never_as_another_event():
    for at in (0, 5, 8, 9, 12, 30):
        medium, journal = filled(5)
        medium.slots[3][at] ^= 1
        buf = bytearray(RECORD)
        assert journal.read(3, buf)
        assert unpack_from("<IIBB", buf, 0) == (3, 0, 10, 0)
        assert journal.read(2, buf)
        assert buf[8] == 4


def test_a_record_in_the_wrong_slot_does_not_count():
    medium, _ = filled(5)
    for i in range(RECORD):
        medium.slots[9][i] = medium.slots[5][i]
    medium.slots[5][0] ^= 1
    assert Journal(medium, 16).next_no == 5


def test_what_is_not_there_is_not_read():
    _, journal = filled(40)
    buf = bytearray(RECORD)
    assert not journal.read(24, buf)
    assert journal.read(25, buf)
    assert journal.read(40, buf)
    assert not journal.read(41, buf)


def test_full_before_an_unacknowledged_event_would_be_lost():
    _, journal = filled(7)
    assert not journal.full()
    journal.append(0, 4, 0)
    assert journal.full()
    journal.acknowledge(1)
    assert not journal.full()


def test_only_given_numbers_are_acknowledged():
    _, journal = filled(5)
    journal.acknowledge(3)
    journal.acknowledge(2)
    assert journal.acked == 3
    journal.acknowledge(6)
    assert journal.acked == 3


def test_a_count_survives():
    medium = Memory(2, 4)
    assert Count(medium, 1).bump() == 1
    assert Count(medium, 1).bump() == 2
    assert Count(medium, 0).bump() == 1

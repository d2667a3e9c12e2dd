"""The store: values survive a restart, old or new, and housekeeping makes room."""

import micropython
from sabot.storage.store import BOOTS, CAUSE, MOST, PROFILE, Count, Store
from support import Memory


def fresh():
    medium = Memory(2, 2048)
    return medium, Store(medium)


def test_nothing_is_there_at_first():
    _, store = fresh()
    assert store.get(PROFILE, bytearray(MOST)) == -1
    assert store.get_number(CAUSE) == 0


def test_values_survive():
    medium, store = fresh()
    profile = bytes(range(MOST))
    assert store.put(PROFILE, profile, MOST)
    assert store.put_number(CAUSE, 0x3FFFFFFF)
    for _ in range(3):
        again = Store(medium)
        buf = bytearray(MOST)
        assert again.get(PROFILE, buf) == MOST
        assert buf == profile
        assert again.get_number(CAUSE) == 0x3FFFFFFF


def test_the_newest_counts_through_many_sectors():
    medium, store = fresh()
    store.put(PROFILE, b"profile", 7)
    for number in range(1, 100):
        assert store.put_number(BOOTS + number % 2, number)
        store.housekeep()
    assert medium.erases > 5
    again = Store(medium)
    buf = bytearray(MOST)
    assert again.get(PROFILE, buf) == 7
    assert bytes(buf[:7]) == b"profile"
    assert (again.get_number(BOOTS), again.get_number(2)) == (98, 99)


def test_a_lost_bit_is_noticed_once_and_the_sound_rest_is_kept():
    medium, store = fresh()
    store.put_number(BOOTS, 7)
    store.put_number(CAUSE, 3)
    store.put_number(CAUSE, 5)
    written = [at for at in range(2048 * 2) if medium.data[at] not in (0, 0xFF)]
    assert len(written) > 20
    before = bytes(medium.data)
    for at in written:
        medium.data[:] = before
        medium.data[at] &= medium.data[at] - 1
        again = Store(medium)
        assert again.damaged == 1, at
        assert again.get_number(BOOTS) in (0, 7), at
        assert again.get_number(CAUSE) in (0, 3, 5), at
        assert Store(medium).damaged == 0, at


def test_put_never_erases_and_returns_false_without_room():
    medium, store = fresh()
    before = medium.erases
    put = 0
    while store.put_number(CAUSE, put + 1):
        put += 1
    assert put >= 8
    assert medium.erases == before
    assert store.get_number(CAUSE) == put
    store.housekeep()
    assert store.get_number(CAUSE) == put
    assert store.put_number(CAUSE, 77)
    assert Store(medium).get_number(CAUSE) == 77


def test_a_half_written_value_is_dropped():
    medium, store = fresh()
    store.put_number(CAUSE, 5)
    store.put_number(CAUSE, 6)
    medium.data[2 * 128 + 2] = 0xFF
    again = Store(medium)
    assert again.get_number(CAUSE) == 5
    assert again.put_number(CAUSE, 7)
    assert Store(medium).get_number(CAUSE) == 7


def test_a_count_survives():
    medium, store = fresh()
    assert Count(store, BOOTS).bump() == 1
    assert Count(Store(medium), BOOTS).bump() == 2
    assert Count(Store(medium), 2).bump() == 1
    store = Store(medium)
    store.put_number(BOOTS, 0xFFFF)
    assert Count(store, BOOTS).bump() == 0


def test_put_and_get_allocate_nothing():
    _, store = fresh()
    count = Count(store, 2)
    buf = bytearray(MOST)
    micropython.heap_lock()
    try:
        for i in range(12):
            store.put(PROFILE, buf, i)
            store.get(PROFILE, buf)
            store.put_number(CAUSE, 0x3FFFFFFF)
            count.bump()
            store.housekeep()
    finally:
        micropython.heap_unlock()
    assert store.get(PROFILE, buf) == 11

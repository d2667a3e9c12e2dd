"""The paced line: its rate to the byte, its order, and both of its buffers."""

import random

from sabot_sim.line.paced_line import PacedLine

SECOND_US = 1_000_000


def test_a_byte_has_come_with_its_last_bit_and_not_before() -> None:
    line = PacedLine(512, 512)
    line.write(b"ab", 1_000)
    assert line.read(1_086) == b""
    assert line.read(1_087) == b"a"
    assert line.read(1_173) == b""
    assert line.read(1_174) == b"b"


def test_a_line_kept_full_carries_11520_bytes_a_second_however_often_it_is_looked_at() -> None:
    for step_us in (7, 100, 1_000, 9_999):
        line, came = PacedLine(512, 512), 0
        for now_us in range(0, SECOND_US, step_us):
            line.write(bytes(512), now_us)
            came += len(line.read(now_us))
        assert came + len(line.read(SECOND_US)) == 11_520 == line.carried_bytes == line.capacity_bytes(SECOND_US)


def test_a_pause_is_not_made_up_for() -> None:
    line = PacedLine(512, 512)
    line.write(b"a", 0)
    line.write(b"b", SECOND_US)
    assert line.read(SECOND_US + 86) == b"a"
    assert line.read(SECOND_US + 87) == b"b"


def test_what_the_sender_has_no_room_for_is_not_taken() -> None:
    line = PacedLine(4, 512)
    assert line.write(b"abcdef", 0) == 4
    assert line.write(b"ef", 86) == 0
    assert line.write(b"ef", 87) == 1
    assert line.read(SECOND_US) == b"abcde"


def test_what_the_receiver_has_no_room_for_is_lost_and_counted() -> None:
    line = PacedLine(512, 4)
    line.write(b"abcdef", 0)
    assert line.read(SECOND_US) == b"abcd"
    assert line.overruns == 2
    assert line.read(2 * SECOND_US) == b""


def test_a_receiver_may_take_a_part() -> None:
    line = PacedLine(512, 512)
    line.write(b"abc", 0)
    assert [line.read(SECOND_US, 2), line.read(SECOND_US, 2)] == [b"ab", b"c"]


def test_everything_taken_comes_once_and_in_order() -> None:
    rng, line, now_us = random.Random(1), PacedLine(64, 4096), 0
    taken, came = bytearray(), bytearray()
    for _ in range(2_000):
        now_us += rng.randrange(5_000)
        chunk = rng.randbytes(rng.randrange(50))
        taken += chunk[: line.write(chunk, now_us)]
        came += line.read(now_us)
    came += line.read(now_us + SECOND_US)
    assert len(taken) > 10_000
    assert came == taken

"""The driver of an Angel Eye: scripted bytes and times in, numbered events out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sabot_gateway.angel_eye import events
from sabot_gateway.angel_eye.driver import AngelEyeDriver
from sabot_gateway.shoe.parse import NO_CLOCK, Event
from sabot_protocol.angel_eye import build

UNIT = "ae-0123456789abc"
EIGHT = bytes.fromhex("05 31 44 81 B8 03 34 46")  # Player 1 is 8S: the published example
KING = bytes.fromhex("05 32 44 91 CD 03 32 39")  # Banker 1 is KH
START = bytes.fromhex("05 31 53 03 36 31")
CONNECT = b'\x16{"fact":"connect"}'


def opened(durable_no: int = 0) -> AngelEyeDriver:
    driver = AngelEyeDriver(UNIT, durable_no, baud=4800)
    driver.reset()
    return driver


def raws(found: list[Event]) -> list[bytes]:
    return [event.raw for event in found]


def test_frames_become_events_numbered_on_behind_the_ledger_with_their_bytes_as_evidence() -> None:
    driver = opened(41)
    found = driver.receive(EIGHT * 3 + KING * 3, 1.0)
    assert [(event.unit, event.event_no, event.kind, event.time_ms) for event in found] == [
        (UNIT, 42, "angel_eye", NO_CLOCK),
        (UNIT, 43, "angel_eye", NO_CLOCK),
        (UNIT, 44, "angel_eye", NO_CLOCK),
    ]
    assert raws(found) == [CONNECT, EIGHT, KING]
    assert (found[1].data["message"].target, found[1].data["message"].card) == ("player", "8S")
    assert driver.line_counters()["repeated"] == 4


def test_an_event_is_read_again_from_the_ledger_as_it_was() -> None:
    for event in opened().receive(EIGHT + build.ack() + build.nak(0x02), 1.0):
        assert events.stored_event(UNIT, event.event_no, event.raw) == event


def test_the_unit_is_lasting_and_no_shoe_of_ours_can_have_it() -> None:
    unit = events.unit_of(bytes(8), "bac-01")
    assert unit == events.unit_of(bytes(8), "bac-01")
    assert len({unit, events.unit_of(bytes(8), "bac-02"), events.unit_of(b"\1" * 8, "bac-01")}) == 3
    assert len(unit) == 16
    assert events.is_unit(unit)
    with pytest.raises(ValueError, match="non-hexadecimal"):
        bytes.fromhex(unit)


def test_the_shoe_is_served_while_its_port_is_open_however_silent_it_is() -> None:
    driver = AngelEyeDriver(UNIT, 0, baud=4800)
    assert [driver.unit] == [None]
    driver.reset()
    driver.tick(1.0)
    driver.tick(100_000.0)
    assert [driver.unit, driver.problem, driver.last_frame_s] == [UNIT, None, None]
    driver.port_lost()
    assert [driver.unit] == [None]


def test_every_opening_of_the_port_is_an_event_before_what_follows() -> None:
    driver = opened()
    assert raws(driver.receive(EIGHT, 1.0)) == [CONNECT, EIGHT]
    driver.reset()
    assert driver.events_due(1.2)
    assert raws(driver.receive(b"", 1.2)) == [CONNECT]
    assert raws(driver.receive(EIGHT, 1.3)) == [EIGHT], "the frames before an opening are forgotten"


def test_a_port_that_flaps_without_bringing_anything_does_not_fill_the_ledger() -> None:
    driver = opened()
    assert raws(driver.receive(b"", 1.0)) == [CONNECT]
    for second in range(2, 100):
        driver.reset()
        assert driver.receive(b"", float(second)) == []
    assert not driver.events_due(100.0)
    assert raws(driver.receive(EIGHT, 100.0)) == [EIGHT], "the connect that is stored stands for all of them"


def test_half_a_frame_before_an_opening_is_no_part_of_the_next() -> None:
    driver = opened()
    driver.receive(EIGHT[:4], 1.0)
    driver.reset()
    assert raws(driver.receive(EIGHT[4:] + KING, 1.1)) == [KING]


def test_what_the_kernel_kept_during_a_hold_is_read_to_the_last_byte() -> None:
    driver = opened()
    assert raws(driver.receive(KING + EIGHT[:4], 1.0)) == [CONNECT, KING]
    driver.read_late(1.2, 300.0)  # the disk was full for five minutes
    driver.restart_silence(300.0)
    assert raws(driver.receive(EIGHT[4:] + KING + START, 300.0)) == [EIGHT, START]
    driver.receive(EIGHT[:4], 301.0)
    assert driver.receive(EIGHT[4:], 301.6) == [], "half a second later it is no frame any more"


def test_behind_what_the_kernel_kept_for_hours_some_may_be_dropped_and_the_link_counts_as_lost() -> None:
    driver = opened()
    assert raws(driver.receive(KING, 1.0)) == [CONNECT, KING]
    driver.read_late(1.2, 8000.0)
    assert raws(driver.receive(EIGHT, 8000.0)) == [EIGHT]
    assert raws(driver.receive(KING, 8001.0)) == [CONNECT, KING]
    assert raws(driver.receive(EIGHT, 8002.0)) == [EIGHT], "once"


def test_a_restart_after_a_silence_is_no_repeat_because_the_gateway_was_held_meanwhile() -> None:
    driver = opened()
    assert raws(driver.receive(START, 1.0)) == [CONNECT, START]
    driver.read_late(600.0, 900.0)
    assert raws(driver.receive(START, 900.1)) == [START]
    driver.read_late(901.0, 903.0)
    assert raws(driver.receive(START, 1000.0)) == [START], "what comes later is new"


def test_copies_that_waited_for_a_busy_loop_are_repeats() -> None:
    driver = opened()
    assert raws(driver.receive(KING + EIGHT + KING[:4], 1.0)) == [CONNECT, KING, EIGHT]
    driver.read_late(1.0, 3.0)  # a turn of the loop took two seconds
    assert driver.receive(KING[4:] + EIGHT + KING[:4], 3.0) == []
    assert driver.receive(KING[4:], 3.1) == [], "the rest of it waited, too"
    assert raws(driver.receive(KING, 5.1)) == [KING], "the loop was in time, and this came two seconds later"


def test_two_pauses_one_after_the_other_are_one() -> None:
    driver = opened()
    assert raws(driver.receive(KING + EIGHT[:4], 1.0)) == [CONNECT, KING]
    driver.read_late(1.0, 1.6)  # it was not this port's turn
    driver.read_late(1.6, 2.2)
    assert raws(driver.receive(EIGHT[4:] + KING, 2.2)) == [EIGHT], "half a frame is completed, and a copy is a repeat"
    assert raws(driver.receive(KING, 4.0)) == [KING], "no pause was before this"


def test_events_without_bytes_do_not_keep_half_a_frame_alive() -> None:
    driver = opened()
    driver.receive(EIGHT[:4], 1.0)
    driver.receive(b"", 1.4)
    assert driver.receive(EIGHT[4:], 1.8) == []


def test_what_the_ledger_refused_comes_again_under_the_same_numbers_and_nothing_is_lost_meanwhile() -> None:
    driver = opened(7)
    driver.receive(b"", 0.5)
    driver.acknowledge(8, 0.5)
    assert [event.event_no for event in driver.receive(EIGHT, 1.0)] == [9]
    driver.refuse("cannot be stored", 61.0)
    assert driver.problem == "cannot be stored"
    assert driver.receive(KING, 30.0) == []
    driver.tick(60.0)
    assert [driver.problem, driver.events_due(60.0)] == ["cannot be stored", False]
    driver.tick(61.0)
    assert [driver.problem, driver.events_due(61.0)] == [None, True]
    assert [(event.event_no, event.raw) for event in driver.receive(b"", 61.0)] == [(9, EIGHT), (10, KING)]
    driver.acknowledge(10, 61.0)
    assert [(event.event_no, event.raw) for event in driver.receive(START, 62.0)] == [(11, START)]


def test_numbers_that_a_lost_ledger_may_have_had_are_left_out() -> None:
    driver = opened(7)
    driver.skip_numbers(100)
    assert [event.event_no for event in driver.receive(EIGHT, 1.0)] == [108, 109]


def test_while_nothing_may_be_taken_a_bounded_number_of_bytes_is_held_and_the_loss_is_marked() -> None:
    driver = opened()
    driver.receive(EIGHT, 0.5)
    driver.refuse("cannot be stored", 1000.0)
    for second in range(1, 100):
        driver.reset()
        driver.receive(b"\x00" * 4096, float(second))
    for _ in range(1000):
        driver.reset()
    assert len(driver._inbox) < 40
    assert 60_000 < sum(len(data or b"") for data, *_ in driver._inbox) <= 65_536
    assert driver.line_counters()["dropped_bytes"] > 300_000
    assert raws(driver.receive(KING, 1000.0))[-2:] == [CONNECT, KING]


@given(
    st.lists(
        st.tuples(
            st.one_of(st.none(), st.binary(max_size=40), st.sampled_from([EIGHT, KING, START, EIGHT[:5], EIGHT[5:]])),
            st.floats(0, 2),
        )
    ),
    st.integers(0, 1000),
)
def test_any_bytes_cut_anywhere_at_any_times_give_the_same_events_to_two_gateways(
    script: list[tuple[bytes | None, float]], durable_no: int
) -> None:
    one, other = AngelEyeDriver(UNIT, 0, baud=4800), AngelEyeDriver("ae-fedcba9876543", durable_no, baud=4800)
    now_s, found = 0.0, list[tuple[Event, Event]]()
    for data, passed_s in script:
        now_s += passed_s
        for driver in (one, other):
            driver.tick(now_s)
            if data is None:
                driver.reset()
        pair = [driver.receive(data or b"", now_s) for driver in (one, other)]
        found += zip(*pair, strict=True)
    assert [event.event_no for event, _ in found] == list(range(1, len(found) + 1))
    assert [event.event_no for _, event in found] == list(range(durable_no + 1, durable_no + len(found) + 1))
    assert all((one_.kind, one_.data, one_.raw) == (two.kind, two.data, two.raw) for one_, two in found)


class Stores:
    """A driver and a ledger that takes what came, refuses it for a while, or is not read meanwhile."""

    def __init__(self) -> None:
        self.driver = AngelEyeDriver(UNIT, 0, baud=4800, commands=True)
        self.stored = list[Event]()
        self.pending = list[Event]()
        self.sent = list[bytes]()

    def turn(self, data: bytes, now_s: float) -> None:
        """Take what has come, and write what waits."""
        self.pending += self.driver.receive(data, now_s)
        self.driver.tick(now_s)
        if output := self.driver.output():
            self.sent.append(output)
            self.driver.written(len(output))

    def commit(self, now_s: float) -> None:
        """Store what waits."""
        if self.pending:
            self.stored += self.pending
            self.driver.acknowledge(self.pending[-1].event_no, now_s)
            self.pending = []

    def refuse(self, now_s: float) -> None:
        """Drop what waits, as after an entry that cannot be stored."""
        self.pending = []
        self.driver.refuse("refused", now_s + 60.0)


PIECES = st.one_of(
    st.binary(max_size=20),
    st.sampled_from([EIGHT, KING, START, EIGHT[:5], EIGHT[5:], b"\x06", b"\x15\x02", b"\x15\x21"]),
)
ACTS = st.one_of(PIECES, st.sampled_from(["open", "lost", "refuse", "hold", "lock", "confirm"]))


@given(st.lists(st.tuples(ACTS, st.floats(0, 2)), max_size=40))
def test_whatever_is_refused_held_or_asked_for_meanwhile_nothing_is_lost_and_no_number_is_skipped(
    script: list[tuple[bytes | str, float]],
) -> None:
    plain, other, now_s, asked = Stores(), Stores(), 0.0, 0
    for act, passed_s in script:
        now_s += passed_s
        for one in (plain, other):
            if act == "open":
                one.driver.reset()
            elif act == "lost":
                one.driver.port_lost()
        if act == "hold":
            other.driver.read_late(now_s, now_s)
            other.driver.restart_silence(now_s)
        if act in ("lock", "confirm") and (command := other.driver.prepare_command(str(act), {})):
            command.held = not other.driver.number_command(command)
            asked += act == "lock"
        for one in (plain, other):
            one.turn(act if isinstance(act, bytes) else b"", now_s)
        plain.commit(now_s)
        if act == "refuse":
            other.refuse(now_s)
        elif passed_s > 1:
            other.commit(now_s)
    for one in (plain, other):
        one.turn(b"", now_s + 100.0)
        one.turn(b"", now_s + 200.0)
        one.commit(now_s + 200.0)
        assert [event.event_no for event in one.stored] == list(range(1, len(one.stored) + 1))
    assert plain.sent == []
    assert len(other.sent) <= 2 * asked, "at most twice: once with each form of the BCC"
    if "hold" not in [act for act, _ in script]:  # then half a frame is completed that is too old otherwise
        facts = ("command_done", "command_refused")
        assert raws(plain.stored) == [event.raw for event in other.stored if event.kind not in facts]

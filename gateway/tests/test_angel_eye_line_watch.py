"""The watch of an Angel Eye's line: what is wrong with it is named, and what is normal raises no alarm."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sabot_gateway.angel_eye.driver import AngelEyeDriver
from sabot_gateway.angel_eye.sequence import Sequence
from sabot_gateway.verify.alarms.catalogue import ALARMS, CONCERNS
from sabot_protocol.angel_eye import build
from sabot_protocol.angel_eye.messages import Message, decoded

CARD = build.card("1", "player", 1, "8S")


def opened() -> AngelEyeDriver:
    driver = AngelEyeDriver("ae-0123456789abc", 0, baud=9600)
    driver.reset()
    driver.tick(0.0)
    return driver


def alarms(driver: AngelEyeDriver, now_s: float) -> dict[str, str]:
    """Return the alarms of a turn, as the loop takes them."""
    driver.tick(now_s)
    found = dict(driver.reports)
    driver.reports.clear()
    assert set(found) <= set(ALARMS)
    assert set(found) <= set(CONCERNS)
    return found


def stripped(frame: bytes) -> bytes:
    """Return the bytes of a line with 7 data bits."""
    return bytes(byte & 0x7F for byte in frame)


def test_bytes_without_a_frame_are_an_alarm_once_that_names_the_speed() -> None:
    driver = opened()
    driver.receive(b"\xf8\x00\x87" * 4, 1.0)
    assert alarms(driver, 1.0) == {}
    assert alarms(driver, 60.0) == {}, "too few to say anything"
    driver.receive(b"\xf8\x00\x87" * 8, 61.0)
    assert "Check the speed (here 9600 baud; 4800 is usual), 8 data bits" in alarms(driver, 61.0)["unreadable_frames"]
    assert alarms(driver, 62.0) == {}
    driver.reset()
    driver.receive(b"\xf8\x00\x87" * 12, 70.0)
    alarms(driver, 70.0)
    assert list(alarms(driver, 72.0)) == ["unreadable_frames"], "and again after the next opening"


def test_noise_before_the_first_frame_is_no_alarm() -> None:
    driver = opened()
    driver.receive(b"\xf8\x00\x87" * 12, 1.0)
    assert alarms(driver, 1.5) == {}
    driver.receive(CARD, 2.0)
    assert alarms(driver, 100.0) == {}


def test_seven_data_bits_are_named() -> None:
    driver = opened()
    driver.receive(stripped(CARD) * 3, 1.0)  # two bytes are changed, and the BCC agrees all the same
    assert driver.line_counters()["wrong_bit7"] == 3
    assert "is set to 7 data bits" in alarms(driver, 1.0)["unreadable_frames"]


def test_some_damaged_copies_are_normal_and_many_an_alarm() -> None:
    driver = opened()
    damaged = CARD[:-1] + b"0"
    driver.receive(build.frame("1", "P") + damaged * 30, 1.0)
    assert alarms(driver, 1.0) == {}
    driver.receive(damaged, 2.0)
    assert "31 frames came damaged" in alarms(driver, 2.0)["unreadable_frames"]
    for minute in range(1, 5):
        driver.receive(damaged * 10, 60.0 * minute)
        assert alarms(driver, 60.0 * minute + 1) == {}


def test_nothing_since_the_opening_is_a_note_in_the_status_and_no_alarm() -> None:
    driver = opened()
    assert alarms(driver, 29.0) == {}
    assert [driver.note] == [None]
    assert alarms(driver, 30.0) == {}
    assert str(driver.note).startswith("nothing has come from the shoe since the port was opened. That is normal")
    driver.receive(CARD, 31.0)
    assert [driver.note] == [None]
    driver.reset()
    driver.receive(b"\xf8", 40.0)
    assert alarms(driver, 40.0) == {}
    assert alarms(driver, 90.0) == {}
    assert [driver.note] == [None], "something came"


def test_silence_in_an_open_coup_is_an_alarm_and_between_coups_it_is_not() -> None:
    driver = opened()
    driver.receive(CARD, 10.0)
    assert alarms(driver, 189.0) == {}
    assert "nothing has come from the shoe for 3 minutes" in alarms(driver, 190.0)["line_silent"]
    assert alarms(driver, 191.0) == {}
    driver.receive(build.result("2", "player"), 200.0)
    assert alarms(driver, 90_000.0) == {}


@pytest.mark.parametrize(
    ("stops", "goes_on"),
    [
        (build.error("2", 1, in_error_mode=True), build.error_cancelled("3", 1)),
        (build.lock("2", locked=True), build.lock("3", locked=False)),
    ],
)
def test_nobody_draws_from_a_shoe_in_error_or_locked_so_its_silence_is_no_alarm(stops: bytes, goes_on: bytes) -> None:
    driver = opened()
    driver.receive(CARD + stops, 10.0)
    assert alarms(driver, 900.0) == {}
    driver.receive(goes_on, 1000.0)
    assert list(alarms(driver, 1180.0)) == ["line_silent"]


def test_a_hold_of_the_gateway_is_no_silence_of_the_shoe() -> None:
    driver = opened()
    driver.receive(CARD, 10.0)
    driver.tick(400.0)  # while it is held
    driver.restart_silence(500.0)
    assert alarms(driver, 500.0) == {}


@pytest.mark.parametrize("cycle", ["123456789", "0123456789", "0123456789ABCDEF", "123456789ABCDEF", "abc"])
def test_the_cycle_of_the_sequence_is_learnt_and_its_wrap_is_no_jump(cycle: str) -> None:
    sequence = Sequence()
    assert [sequence.jump(stand_by(seq)) for seq in cycle * 5] == [None] * (len(cycle) * 5)
    assert sequence.jumps == 0


def stand_by(seq: str, letter: str = "P") -> Message:
    found = decoded(build.frame(seq, letter))
    assert isinstance(found, Message)
    return found


def test_a_jump_is_an_alarm_with_both_characters() -> None:
    driver = opened()
    for seq in "12345":
        driver.receive(build.frame(seq, "P"), 1.0)
    assert alarms(driver, 1.0) == {}
    driver.receive(build.frame("7", "P"), 2.0)
    assert "the count of its messages went from 5 to 7" in alarms(driver, 2.0)["message_lost"]
    assert driver.line_counters()["sequence_jumps"] == 1


def test_a_message_lost_at_the_wrap_is_found_once_the_cycle_is_known() -> None:
    sequence = Sequence()
    for seq in "0123456789" * 2:
        sequence.jump(stand_by(seq))
    assert sequence.jump(stand_by("1")) == ("9", "1")
    assert [sequence.jump(stand_by(seq)) for seq in "2345"] == [None] * 4
    assert sequence.jump(stand_by("0")) == ("5", "0")


def test_a_first_wrap_with_a_lost_message_is_corrected_by_the_next() -> None:
    sequence = Sequence()
    found = [sequence.jump(stand_by(seq)) for seq in "012345678" + "0123456789" * 3]
    assert found == [None] * len(found)


def test_the_start_of_the_shoe_and_an_opening_of_the_port_begin_the_count_again() -> None:
    sequence = Sequence()
    for seq in "12345":
        sequence.jump(stand_by(seq))
    assert sequence.jump(stand_by("1", "S")) is None
    assert sequence.jump(stand_by("1")) is None
    sequence.forget()
    assert sequence.jump(stand_by("8")) is None
    error = decoded(build.error("2", 1, in_error_mode=True))
    assert isinstance(error, Message)
    assert sequence.jump(error) is None
    assert sequence.jump(stand_by("7")) is None, "after an error the count may begin again"
    assert sequence.jumps == 0


@given(st.text(st.characters(codec="latin-1", exclude_characters="\x02\x03\x05\x06\x15"), max_size=60))
def test_a_count_that_makes_no_sense_raises_few_alarms(characters: str) -> None:
    sequence = Sequence()
    found = [sequence.jump(stand_by(seq)) for seq in characters]
    assert sum(one is not None for one in found) * 4 <= sequence.regular

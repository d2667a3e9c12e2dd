"""The rig at a port: the bytes that go over USB, and a port without a bench board."""

import os
from pathlib import Path

import pytest
from sabot_sim.rigs.board import BoardRig
from sabot_sim.rigs.board_link import FORGET, INPUTS, IS_OFF, KEY, LINE, OFF, ON, STARTED, Messages, messages
from sabot_sim.rigs.rig import BenchError
from sabot_sim.rigs.vm import firmware_dir


def test_a_message_is_kind_size_and_content() -> None:
    assert messages(LINE, b"ab") == b"\x81\x02ab"
    assert messages(OFF) == b"\x82\x00"


def test_long_data_is_sent_as_several_messages_of_whole_records() -> None:
    records = bytes(5 * 60)
    assert messages(INPUTS, records) == b"\x80\xff" + bytes(255) + b"\x80\x2d" + bytes(45)


def test_messages_are_found_between_text_however_the_bytes_are_split() -> None:
    sent = b"MPY: soft reboot\r\n\x86\x08\x01\x02\x03\x04\x05\x06\x07\x80>>> \x81\x03\x80\x03\x00\x81\x00"
    for step in (1, 3, len(sent)):
        reader, found = Messages(), list[tuple[int, bytes]]()
        for at in range(0, len(sent), step):
            found += reader.feed(sent[at : at + step])
        assert found == [(STARTED, b"\x01\x02\x03\x04\x05\x06\x07\x80"), (LINE, b"\x80\x03\x00"), (LINE, b"")]
        assert reader.text == "MPY: soft reboot\r\n>>> "


def test_of_the_text_only_the_end_is_kept() -> None:
    reader = Messages()
    assert list(reader.feed(b"x" * 5000 + b"end")) == []
    assert len(reader.text) == 2000
    assert reader.text.endswith("xend")


def test_the_kinds_are_those_of_the_firmware() -> None:
    text = Path(firmware_dir(), "sabot/boards/stream.py").read_text()
    kinds = {"INPUTS": INPUTS, "LINE": LINE, "OFF": OFF, "ON": ON, "FORGET": FORGET, "KEY": KEY}
    for name, kind in {**kinds, "STARTED": STARTED, "IS_OFF": IS_OFF}.items():
        assert f"\n_{name} = const({kind:#x})" in text


def test_no_port() -> None:
    with pytest.raises(BenchError, match=r"no board at /dev/ttyNOWHERE: .*plug it in"):
        BoardRig("/dev/ttyNOWHERE")


def test_the_error_for_an_unprepared_board_names_the_command_that_prepares_it() -> None:
    master, slave = os.openpty()
    try:
        with pytest.raises(BenchError, match="is not prepared for a bench: run `sabot flash PORT --bench`"):
            BoardRig(os.ttyname(slave), start_s=0.1)
        assert os.read(master, 4096) == b"\x82\x00" + b"\x03" * 258 + b"\x02\x04"
    finally:
        os.close(master)
        os.close(slave)

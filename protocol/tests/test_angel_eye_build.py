"""Frames and commands of the Angel Eye line as they are sent; expected from the published examples or by hand."""

import pytest
from sabot_protocol.angel_eye import build
from sabot_protocol.angel_eye.build import Command, CommandReader

LOCK = bytes.fromhex("02 4F 50 4C 4B 30 32 03 31 42")


@pytest.mark.parametrize(
    ("made", "sent"),
    [
        (build.frame("1", "S"), "05 31 53 03 36 31"),
        (build.card("1", "player", 1, "8S"), "05 31 44 81 B8 03 34 46"),
        (build.card("2", "banker", 1, "KH"), "05 32 44 91 CD 03 32 39"),
        (build.card("2", "burn_count", 6, None), "05 32 44 D6 80 03 32 33"),
        (build.card("3", 3, 1, "8S"), "05 33 44 B1 B8 03 37 44"),
        (build.card("5", "player", 1, "2H", "R"), "05 35 52 81 C2 03 32 37"),
        (build.card_outside("2", "error", 2, "7H"), "05 32 64 92 C7 03 30 30"),
        (build.result("3", "player", banker_pair=True), "05 33 47 92 03 45 35"),
        (build.result("3", "player", player_pair=True), "05 33 47 91 03 45 36"),
        (build.result("7", "forced_end"), "05 37 47 F0 03 38 33"),
        (build.error("2", 1, in_error_mode=True), "05 32 45 C1 03 42 35"),
        (build.error("3", 2, in_error_mode=False), "05 33 45 82 03 46 37"),
        (build.error_cancelled("3", 2), "05 33 65 82 03 44 37"),
        (build.lock("5", locked=True), "05 35 4C 81 03 46 42"),
        (build.preset("4", "01", "0010"), "05 34 4D 30 31 30 30 31 30 03 37 41"),
        (build.ack(), "06"),
        (build.nak(0x21), "15 21"),
        (build.stx_frame("AB12", with_stx=False), "02 41 42 31 32 03 30 33"),
    ],
)
def test_frames_of_the_shoe(made: bytes, sent: str) -> None:
    assert made.hex(" ").upper() == sent


@pytest.mark.parametrize(
    ("kind", "data", "with_stx", "without_stx"),
    [
        ("LK", "01", "18", "1A"),
        ("LK", "02", "1B", "19"),
        ("EC", "00", "18", "1A"),
        ("EC", "01", "19", "1B"),
        ("EC", "02", "1A", "18"),
        ("GP", "00", "09", "0B"),
    ],
)
def test_all_six_commands_with_both_forms_of_the_bcc(kind: str, data: str, with_stx: str, without_stx: str) -> None:
    for variant, check in (("with_stx", with_stx), ("without_stx", without_stx)):
        sent = build.command(kind, data, with_stx=variant == "with_stx")
        assert sent == b"\x02OP" + (kind + data).encode() + b"\x03" + check.encode()
        assert CommandReader().feed(sent) == [Command(f"OP{kind}{data}", variant, sent)]


def test_a_reader_takes_commands_cut_anywhere_and_skips_the_rest() -> None:
    stream = b"\x00\x05" + LOCK + b"AB\x02OPL" + LOCK + LOCK
    for size in (1, 2, 3, 7, 100):
        reader, found = CommandReader(), []
        for at in range(0, len(stream), size):
            found += reader.feed(stream[at : at + size])
        assert [command.raw for command in found] == [LOCK] * 3


def test_a_wrong_bcc_is_named() -> None:
    assert CommandReader().feed(LOCK[:-1] + b"0") == [Command("OPLK02", "wrong", LOCK[:-1] + b"0")]


def test_a_command_that_is_too_long_is_skipped_and_not_held() -> None:
    reader = CommandReader()
    for _ in range(3):
        assert reader.feed(b"\x02" + b"A" * 1000) == []
        assert len(reader._half) <= 32
    assert reader.feed(b"\x0300" + LOCK) == [Command("OPLK02", "with_stx", LOCK)]

"""Messages of the Angel Eye line: every value that the vectors leave out; expected by hand from the published facts."""

from typing import Any

import pytest
from msgspec import UNSET
from sabot_protocol.angel_eye.messages import Message, Reject, decoded, fact, report, stored
from sabot_protocol.codec import CodecError

RANKS = "A23456789TJQK"


def framed(body: str, start: int = 5, counted: bytes = b"") -> bytes:
    """Return a frame of these bytes (hex, from Seq on) with its BCC by a loop of its own."""
    checked, total = bytes.fromhex(body) + b"\3", 0
    for byte in counted + checked:
        total ^= byte
    return bytes([start]) + checked + f"{total:02X}".encode()


def read(body: str) -> Any:
    """Return the report of a frame, or the reason of its refusal."""
    found = decoded(framed(body))
    return found.reason if isinstance(found, Reject) else report(found)


def card(target: str, drawn: str | None, index: int, t: str = "D", name: str = "card") -> dict[str, Any]:
    return {"seq": "1", "t": t, "name": name, "target": target, "card": drawn, "index": index}


@pytest.mark.parametrize("suit", "DCSH")
@pytest.mark.parametrize("rank", RANKS)
def test_all_52_cards(rank: str, suit: str) -> None:
    byte = 0x80 | {"D": 0x10, "C": 0x20, "S": 0x30, "H": 0x40}[suit] | RANKS.index(rank) + 1
    assert read(f"31 44 92 {byte:02X}") == card("banker", rank + suit, 2)


@pytest.mark.parametrize("target", [("8", "player"), ("9", "banker")])
def test_a_hand_has_places_1_to_3(target: tuple[str, str]) -> None:
    digit, name = target
    found = [read(f"31 44 {digit}{index:X} B8") for index in range(16)]
    assert found == ["value", *(card(name, "8S", index) for index in (1, 2, 3)), *["value"] * 12]


@pytest.mark.parametrize("letter", ["44", "52"])
@pytest.mark.parametrize("byte", ["80", "88", "B0", "BE", "BF", "D8", "E8", "F8"])
def test_a_hand_takes_no_card_without_suit_or_rank(letter: str, byte: str) -> None:
    """None at all, no suit, no rank, rank 14 and 15, suits 5 to 7."""
    assert [read(f"31 {letter} {place} {byte}") for place in ("81", "93")] == ["value", "value"]


def test_a_burn_card_may_lack_suit_or_rank() -> None:
    assert [read(f"31 44 A1 {byte}") for byte in ("80", "88", "B0", "BD")] == [
        card("burn", None, 1),
        card("burn", None, 1),
        card("burn", None, 1),
        card("burn", "KS", 1),
    ]


@pytest.mark.parametrize("body", ["31 44 A1", "31 44 C0", "31 44 D6", "31 44 B1", "31 64 81", "31 52 A1"])
@pytest.mark.parametrize("byte", ["BE", "BF", "D8", "E8", "F8", "D0", "8E"])
def test_a_suit_or_rank_that_is_not_defined_is_no_card(body: str, byte: str) -> None:
    assert read(f"{body} {byte}")["card"] is None


def test_first_card_has_index_0_or_another_up_to_10() -> None:
    assert read("31 44 C0 C6") == card("burn_first", "6H", 0)
    assert read("31 44 CA C6") == card("burn_first", "6H", 10)
    assert read("31 44 CB C6") == "value"


def test_burn_count_is_1_to_10_with_or_without_a_card() -> None:
    counted = {"seq": "1", "t": "D", "name": "card", "target": "burn_count"}
    assert [read(f"31 44 D{count:X} 80") for count in range(16)] == [
        "value",
        *({**counted, "card": None, "count": count} for count in range(1, 11)),
        *["value"] * 5,
    ]
    assert read("31 44 D1 91") == {**counted, "card": "AD", "count": 1}


@pytest.mark.parametrize("digit", "BEF")
def test_an_undefined_target_is_reported_and_named_unknown(digit: str) -> None:
    assert read(f"31 44 {digit}0 91") == card("unknown", "AD", 0)
    assert read(f"31 44 {digit}A 80") == card("unknown", None, 10)
    assert read(f"31 44 {digit}B 91") == "value"
    assert read(f"31 52 {digit}4 91") == card("unknown", "AD", 4, "R", "card_again")


def test_mode_of_a_card_outside_the_game() -> None:
    modes = ["lock", "error", "setting", "unknown", "unknown", "unknown", "unknown", "unknown"]
    for number, mode in enumerate(modes):
        outside = {"seq": "1", "t": "d", "name": "card_outside_game", "mode": mode, "low": 15, "card": None}
        assert read(f"31 64 {0x8F + 16 * number:02X} 80") == outside


def test_result_by_its_upper_bits_and_pairs_by_the_lowest() -> None:
    names = ["unknown", "player", "tie", "unknown", "banker", "unknown", "unknown", "forced_end"]
    for number, name in enumerate(names):
        for pairs in range(4):
            expected = {"result": name, "player_pair": pairs in (1, 3), "banker_pair": pairs in (2, 3)}
            for other_bits in (0, 4, 8, 12):
                byte = 0x80 + 16 * number + other_bits + pairs
                assert read(f"31 47 {byte:02X}") == {"seq": "1", "t": "G", "name": "result", **expected}


ERRORS = ["cannot_read", "overdraw", "wrong_button", "reverse_exit", "reverse_midway", "card_code", "draw_timeout"]


def test_errors_have_six_bits_of_code_and_one_of_mode() -> None:
    for code in range(64):
        fields = {"seq": "1", "code": code, "error": ERRORS[code - 1] if 1 <= code <= 7 else "unknown"}
        for byte, in_error_mode in ((0x80 + code, False), (0xC0 + code, True)):
            assert read(f"31 45 {byte:02X}") == {"t": "E", "name": "error", **fields, "in_error_mode": in_error_mode}
            assert read(f"31 65 {byte:02X}") == {"t": "e", "name": "error_cancelled", **fields}


@pytest.mark.parametrize(("byte", "locked"), [("80", False), ("81", True), ("FE", False), ("FF", True)])
def test_lock_is_the_lowest_bit(byte: str, locked: bool) -> None:
    assert read(f"31 4C {byte}") == {"seq": "1", "t": "L", "name": "lock", "locked": locked}


def test_preset_takes_printable_characters_by_their_seven_bits() -> None:
    preset = {"seq": "1", "t": "M", "name": "preset"}
    assert read("31 4D 41 7A 20 2D 31 7E") == {**preset, "address": "Az", "value": " -1~"}
    assert read("31 4D B0 B1 B0 30 31 B0") == {**preset, "address": "01", "value": "0010"}
    assert read("31 4D 30 31 30 30 31 30 39 C1") == {**preset, "address": "01", "value": "0010", "extra": "39 C1"}
    assert read("31 4D 30 31 30 30 31") == "short"
    assert [read(f"31 4D 30 31 {byte} 30 31 30") for byte in ("00", "1F", "7F", "9B")] == ["value"] * 4


@pytest.mark.parametrize("body", ["", "31", "31 44", "31 44 81", "31 52 81", "31 64 81", "31 47", "31 45", "31 65"])
def test_a_frame_with_too_few_bytes_is_short(body: str) -> None:
    assert read(body) == "short"


@pytest.mark.parametrize("body", ["31 44 01 B8", "31 44 81 38", "31 64 01 B8", "31 52 81 38", "31 47 10", "31 45 41"])
def test_one_byte_without_bit_7_is_refused(body: str) -> None:
    assert read(body) == "bit7"


@pytest.mark.parametrize("body", ["31 65 01", "31 4C 01", "31 53 35", "31 44 81 B8 35", "31 44 00 80"])
def test_bit_7_counts_in_every_known_type_for_extra_bytes_too_and_before_values(body: str) -> None:
    assert read(body) == "bit7"


@pytest.mark.parametrize(("body", "t"), [("31 53 85 C1", "S"), ("31 50 85 C1", "P"), ("31 43 85 C1", "C")])
def test_extra_bytes_are_flagged_in_hex(body: str, t: str) -> None:
    names = {"S": "comm_start", "P": "stand_by", "C": "cutting_card"}
    assert read(body) == {"seq": "1", "t": t, "name": names[t], "extra": "85 C1"}


def test_an_unknown_type_keeps_its_bytes_unchecked() -> None:
    assert read("31 5A 01 7F C1") == {"seq": "1", "t": "Z", "name": "unknown", "payload": "01 7F C1"}
    assert read("31 C4 81") == {"seq": "1", "t": "Ä", "name": "unknown", "payload": "81"}


@pytest.mark.parametrize(("byte", "seq"), [("46", "F"), ("7A", "z"), ("00", "\0"), ("B1", "±")])
def test_any_sequence_character_is_taken(byte: str, seq: str) -> None:
    assert read(f"{byte} 50") == {"seq": seq, "t": "P", "name": "stand_by"}


@pytest.mark.parametrize("check", [b"4f", b"F4", b"4\x16", b"\xb4F", b"  "])
def test_the_bcc_is_two_upper_case_hex_characters_and_is_checked_first(check: bytes) -> None:
    assert decoded(b"\x05\x31\x44\x81\xb8\x03" + check) == Reject("bcc")
    assert decoded(b"\x05\x31\x44\x01\x03" + check) == Reject("bcc")


def test_a_reply_has_its_bcc_with_or_without_stx() -> None:
    reply = {"t": "STX", "name": "reply"}
    assert report(stored(framed("41 B0", 2))) == {**reply, "text": "A°", "bcc": "without_stx"}
    assert report(stored(framed("41 42", 2, b"\2"))) == {**reply, "text": "AB", "bcc": "with_stx"}
    assert report(stored(framed("", 2))) == {**reply, "text": "", "bcc": "without_stx"}
    assert decoded(b"\x02\x41\x42\x0399") == Reject("bcc")


NAKS = {
    0x01: "line_error",
    0x02: "bcc",
    0x03: "no_etx",
    0x11: "format",
    0x12: "address",
    0x13: "command",
    0x14: "type",
    0x21: "busy",
    0x22: "writing",
    0xFF: "other",
}


def test_every_nak_code() -> None:
    for code in range(256):
        named = {"t": "NAK", "name": "nak", "code": code, "error": NAKS.get(code, "unknown")}
        assert report(stored(bytes([0x15, code]))) == named


def test_a_field_that_a_kind_does_not_have_is_unset_and_the_frame_is_kept() -> None:
    raw = framed("31 50")
    found = decoded(raw)
    assert isinstance(found, Message)
    assert (found.raw, found.card, found.extra) == (raw, UNSET, UNSET)


def test_a_message_is_made_by_names_and_stays_as_it_is() -> None:
    """The decoder gives the same object for the same bytes, so nobody may change it."""
    found = decoded(framed("31 50"))
    assert found is decoded(framed("31 50"))
    with pytest.raises(AttributeError):
        found.seq = "2"  # type: ignore[union-attr, misc]
    with pytest.raises(TypeError):
        Message(b"", "P", "stand_by")  # type: ignore[call-arg]


def test_a_fact_of_the_gateway_reads_back_from_the_ledger() -> None:
    made = fact("command", id=7, command="lock", data={}, outcome="nak 21")
    assert made.raw == b'\x16{"fact":"command","id":7,"command":"lock","data":{},"outcome":"nak 21"}'
    assert (made.t, made.name) == ("SYN", "command")
    assert made.fact == {"id": 7, "command": "lock", "data": {}, "outcome": "nak 21"}
    assert stored(made.raw) == made
    assert stored(b'\x16{"fact":"connect"}') == fact("connect")


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"", "frame  of an Angel Eye shoe: short"),
        (b"\x06\x06", "frame 06 06 of an Angel Eye shoe: short"),
        (b"\x15", "short"),
        (b"\x15\x01\x02", "short"),
        (b"\x05\x03\x30", "short"),
        (b"\x00\x31\x50\x03\x36\x32", "short"),
        (b"\x05\x31\x50\x04\x36\x32", "short"),
        (b"\x05\x31\x50\x03\x36\x31", "frame 05 31 50 03 36 31 of an Angel Eye shoe: bcc"),
        (b"\x16", "fact b'' of the gateway: "),
        (b"\x16" + b"x" * 99, f"fact b'{'x' * 59}' of the gateway: "),
        (b"\x16{}", "fact b'{}' of the gateway: no name"),
        (b"\x16[1]", "of the gateway: Expected `object`"),
        (b'\x16{"fact":1}', "of the gateway: no name"),
        (b"\x16" + b"[" * 100_000, "of the gateway: "),
    ],
)
def test_bytes_that_are_no_frame_are_refused_with_their_reason(raw: bytes, why: str) -> None:
    with pytest.raises(CodecError) as error:
        stored(raw)
    assert why in str(error.value)

"""Frames of the Angel Eye line out of bytes: where one begins and ends, half frames, counters; repeats by time."""

import pytest
from sabot_protocol.angel_eye.decoder import Decoder
from sabot_protocol.angel_eye.messages import Message, Reject, decoded, fact
from sabot_protocol.angel_eye.repeats import RepeatFilter

CARD = bytes.fromhex("05 31 44 81 B8 03 34 46")
OTHER = bytes.fromhex("05 32 44 91 A6 03 34 32")
REPLY = bytes.fromhex("02 41 42 31 32 03 30 33")
START = bytes.fromhex("05 31 53 03 36 31")


def raws(*segments: bytes | str, at: list[float] | None = None) -> list[bytes]:
    """Return the frames that a new decoder accepts out of these segments."""
    return feed(Decoder(), *segments, at=at)


def feed(decoder: Decoder, *segments: bytes | str, at: list[float] | None = None) -> list[bytes]:
    found = []
    for number, segment in enumerate(segments):
        data = bytes.fromhex(segment) if isinstance(segment, str) else segment
        found += [message.raw for message in decoder.feed(data, at[number] if at else 0.0)]
    return found


def test_stx_restarts_as_enq_does() -> None:
    assert raws(CARD[:4] + REPLY + REPLY[:3] + CARD) == [REPLY, CARD]


@pytest.mark.parametrize("size", range(1, 8))
def test_ack_ends_a_frame_wherever_it_comes(size: int) -> None:
    decoder = Decoder()
    assert feed(decoder, CARD[:size] + b"\x06" + CARD[size:] + OTHER) == [b"\x06", OTHER]
    assert (decoder.cut_off, decoder.too_long, dict(decoder.rejected)) == (1, 0, {})


@pytest.mark.parametrize("code", [0x01, 0x02, 0x03, 0x05, 0x06, 0x15, 0xFF])
@pytest.mark.parametrize("size", [0, 1, 4, 6, 7])
def test_nak_ends_a_frame_and_takes_the_next_byte_as_it_is(size: int, code: int) -> None:
    nak = bytes([0x15, code])
    assert raws(CARD[:size] + nak + OTHER) == [nak, OTHER]
    assert raws(CARD[:size] + nak[:1], nak[1:] + OTHER) == [nak, OTHER]


@pytest.mark.parametrize("byte", [0x03, 0x02, 0x05])
@pytest.mark.parametrize("place", [6, 7])
def test_a_control_byte_of_the_line_in_place_of_a_bcc_character_cuts_the_frame_off(place: int, byte: int) -> None:
    decoder = Decoder()
    assert feed(decoder, CARD[:place] + bytes([byte]) + CARD[place + 1 :] + OTHER) == [OTHER]
    assert dict(decoder.rejected) == {}
    assert decoder.cut_off >= 1


@pytest.mark.parametrize("byte", [0x00, 0x16, 0x1F, 0x7F, 0xFF])
@pytest.mark.parametrize("place", [6, 7])
def test_any_other_byte_there_is_a_wrong_bcc(place: int, byte: int) -> None:
    decoder = Decoder()
    assert feed(decoder, CARD[:place] + bytes([byte]) + CARD[place + 1 :] + OTHER) == [OTHER]
    assert (dict(decoder.rejected), decoder.cut_off) == ({"bcc": 1}, 0)


def long_frame(size: int) -> bytes:
    """Return a frame of an unknown type with this many bytes from ENQ to BCC."""
    body = b"1Z" + b"A" * (size - 6) + b"\3"
    total = 0
    for byte in body:
        total ^= byte
    return b"\5" + body + f"{total:02X}".encode()


@pytest.mark.parametrize("cut", [0, 1, 28, 29, 30, 31])
def test_a_frame_has_at_most_32_bytes(cut: int) -> None:
    for size, accepted in ((31, True), (32, True), (33, False), (34, False), (300, False)):
        decoder, frame = Decoder(), long_frame(size)
        assert feed(decoder, frame[:cut], frame[cut:] + CARD) == [*([frame] if accepted else []), CARD]
        assert (decoder.too_long, decoder.cut_off, dict(decoder.rejected)) == (int(not accepted), 0, {}), size


def test_a_frame_is_too_long_when_no_room_is_left_for_its_end() -> None:
    for size, counted in ((28, (1, 0)), (29, (0, 1))):
        decoder = Decoder()
        feed(decoder, b"\5" + b"A" * size + b"\6")
        assert (decoder.cut_off, decoder.too_long) == counted


def test_an_ack_behind_a_frame_that_is_too_long_is_an_ack() -> None:
    assert raws(b"\5" + b"A" * 40 + b"\6") == [b"\6"]


@pytest.mark.parametrize("pause", [0.0, 0.3, 0.5])
@pytest.mark.parametrize("cut", range(1, 8))
def test_a_half_frame_waits_for_half_a_second(cut: int, pause: float) -> None:
    assert raws(CARD[:cut], CARD[cut:], at=[7.0, 7.0 + pause]) == [CARD]


@pytest.mark.parametrize("cut", range(1, 8))
def test_a_half_frame_is_dropped_after_half_a_second(cut: int) -> None:
    decoder = Decoder()
    assert feed(decoder, CARD[:cut], CARD[cut:] + OTHER, at=[7.0, 7.51]) == [OTHER]
    assert (decoder.cut_off, dict(decoder.rejected)) == (1, {})


def test_the_half_second_counts_from_the_last_byte() -> None:
    assert raws(CARD[:2], CARD[2:5], CARD[5:], at=[0.0, 0.4, 0.8]) == [CARD]
    assert raws(CARD[:2], b"", CARD[2:], at=[0.0, 0.4, 0.8]) == []


@pytest.mark.parametrize(("since_s", "found"), [(5.0, [CARD]), (5.5, [CARD]), (5.6, [])])
def test_bytes_that_waited_may_have_come_as_early_as_they_could(since_s: float, found: list[bytes]) -> None:
    decoder = Decoder()
    decoder.feed(CARD[:3], 5.0)
    assert [message.raw for message in decoder.feed(CARD[3:] + OTHER[:2], 9.0, since_s)] == found
    assert [message.raw for message in decoder.feed(OTHER[2:], 9.4)] == [OTHER]


def test_a_nak_without_its_code_is_dropped_after_half_a_second() -> None:
    decoder = Decoder()
    assert feed(decoder, b"\x15", CARD, at=[0.0, 0.6]) == [CARD]
    assert (decoder.frames, decoder.cut_off) == (1, 1)


def test_time_alone_drops_nothing_and_a_clock_that_steps_back_does_not_either() -> None:
    assert raws(CARD, CARD[:3], CARD[3:], at=[0.0, 100.0, 60.0]) == [CARD, CARD]


def test_a_new_connection_forgets_a_half_frame_and_keeps_the_counters() -> None:
    decoder = Decoder()
    feed(decoder, CARD + CARD[:4])
    decoder.reset()
    assert feed(decoder, CARD[4:] + OTHER) == [OTHER]
    assert (decoder.bytes, decoder.frames) == (24, 2)


def test_counters() -> None:
    """Two frames, an empty reply, a copy, one of each reject, an ACK, a NAK, one frame cut off, noise."""
    decoder = Decoder()
    wrong = [
        bytes.fromhex(text) for text in ("05 31 44 80 B8 03 34 45", "05 35 44 81 03 46 33", "05 36 44 01 38 03 34 38")
    ]
    segments = [
        CARD,
        REPLY,
        b"\x02\x0303",
        *wrong,
        CARD[:-1] + b"0",
        b"\x06\x15\x01",
        b"\x05\x31\x44",
        CARD,
        b"\xf8\x00",
    ]
    feed(decoder, *segments)
    assert dict(decoder.rejected) == {"value": 1, "short": 1, "bit7": 1, "bcc": 1}
    assert (decoder.frames, decoder.cut_off, decoder.too_long) == (4, 1, 0)
    assert decoder.bytes == sum(map(len, segments))


def test_what_is_held_is_bounded() -> None:
    decoder = Decoder()
    for segment in (b"\x05" + b"A" * 10_000, b"A" * 10_000, b"\x05" * 10_000, b"\x00" * 10_000):
        feed(decoder, segment)
        assert len(decoder.half) <= 32
    assert (decoder.too_long, decoder.cut_off) == (2, 9_999)


def message(raw: bytes) -> Message:
    found = decoded(raw)
    assert not isinstance(found, Reject)
    return found


def verdicts(*sent: tuple[bytes, float]) -> list[bool]:
    repeats = RepeatFilter()
    found = [repeats.is_repeat(message(raw), now_s) for raw, now_s in sent]
    assert repeats.count == sum(found)
    return found


def numbered(number: int) -> bytes:
    return long_frame(8 + number)


def test_a_copy_counts_within_1_s_of_the_frame_that_was_taken() -> None:
    assert verdicts((CARD, 5.0), (CARD, 5.9), (CARD, 6.0), (CARD, 6.01), (CARD, 6.9)) == [
        False,
        True,
        True,
        False,
        True,
    ]


def test_a_copy_does_not_move_the_time_of_the_frame_that_was_taken() -> None:
    assert verdicts((CARD, 0.0), (CARD, 0.8), (CARD, 1.2)) == [False, True, False]


def test_a_copy_that_waited_is_one_if_it_may_have_come_in_time_and_then_counts_from_now() -> None:
    repeats = RepeatFilter()
    sent = [(0.0, None), (9.0, 1.01), (20.0, 9.5), (20.9, None), (21.1, 21.1), (22.05, 22.05), (22.15, None)]
    found = [repeats.is_repeat(message(CARD), now_s, since_s) for now_s, since_s in sent]
    assert found == [False, False, True, True, False, True, False]


def test_a_frame_that_waited_moves_no_other() -> None:
    repeats = RepeatFilter()
    assert not repeats.is_repeat(message(CARD), 0.0)
    assert not repeats.is_repeat(message(OTHER), 0.0)
    assert repeats.is_repeat(message(OTHER), 5.0, 0.5)
    assert not repeats.is_repeat(message(CARD), 5.5)
    assert repeats.is_repeat(message(OTHER), 5.6)


def test_four_frames_are_remembered() -> None:
    for others, repeat in ((3, True), (4, False)):
        sent = [(CARD, 0.0), *((numbered(number), 0.1) for number in range(others)), (CARD, 0.2)]
        assert verdicts(*sent)[-1] is repeat


def test_copies_do_not_push_a_frame_out() -> None:
    assert verdicts(*[(CARD, 0.0)] + [(OTHER, 0.1)] * 6 + [(CARD, 0.2)])[-1]


def test_s_forgets_the_frames_before_it_and_not_itself() -> None:
    assert verdicts((CARD, 0.0), (START, 0.1), (START, 0.2), (CARD, 0.3), (START, 0.4)) == [
        False, False, True, False, True,
    ]  # fmt: skip


def test_answers_are_never_copies_and_take_no_place() -> None:
    answers = [(b"\x06", 0.1), (b"\x06", 0.1), (b"\x15\x21", 0.1), (b"\x15\x21", 0.1)] * 2
    assert verdicts((CARD, 0.0), *answers, (CARD, 0.2)) == [False] * 9 + [True]
    repeats = RepeatFilter()
    assert [repeats.is_repeat(fact("connect"), 0.0) for _ in range(2)] == [False, False]


def test_a_reply_is_a_frame_and_has_copies() -> None:
    assert verdicts((REPLY, 0.0), (REPLY, 0.1)) == [False, True]


def test_a_new_connection_forgets_all_and_keeps_the_count() -> None:
    repeats = RepeatFilter()
    assert [repeats.is_repeat(message(CARD), 0.0) for _ in range(2)] == [False, True]
    repeats.forget()
    assert not repeats.is_repeat(message(CARD), 0.0)
    assert repeats.count == 1

"""The Angel Eye line with any bytes, cut anywhere, at any times: no exception, bounded memory, no invented card."""

from functools import reduce
from operator import xor
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from sabot_protocol.angel_eye import build
from sabot_protocol.angel_eye.decoder import Decoder
from sabot_protocol.angel_eye.messages import Message, report, stored
from sabot_protocol.angel_eye.repeats import RepeatFilter
from sabot_protocol.cards import DECK

RANKS, SUITS = " A23456789TJQK", " DCSH"
CONTROL = st.sampled_from([b"\x02", b"\x03", b"\x05", b"\x06", b"\x15", b"\x16"])


@st.composite
def frames(draw: st.DrawFn) -> bytes:
    """A frame as a shoe sends it, sometimes with bytes that no shoe would send."""
    seq, letter = draw(st.sampled_from("0123456789ABCDEF")), draw(st.sampled_from("SPDDDdRGCEeLMZ"))
    data = draw(st.binary(max_size=7).map(lambda part: bytes(byte | 0x80 for byte in part)))
    if letter in "DR" and draw(st.booleans()):
        target = draw(st.sampled_from(["player", "banker", "burn"]))
        return build.card(seq, target, draw(st.integers(1, 3)), draw(st.sampled_from(DECK)), letter)
    return build.frame(seq, letter, data)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A frame with one bit flipped, or one byte lost, or its end."""
    frame = draw(frames())
    at = draw(st.integers(0, len(frame) - 1))
    flipped = frame[:at] + bytes([frame[at] ^ 1 << draw(st.integers(0, 7))]) + frame[at + 1 :]
    return draw(st.sampled_from([flipped, frame[:at] + frame[at + 1 :], frame[:at]]))


PARTS = st.one_of(frames(), frames().map(lambda frame: frame * 3), damaged(), CONTROL, st.binary(max_size=40))
STREAMS = st.lists(PARTS, max_size=12).map(b"".join)
TIMES = st.floats(allow_nan=False, allow_infinity=False, width=32)


@st.composite
def segments(draw: st.DrawFn, stream: bytes) -> list[bytes]:
    """The stream cut at some places."""
    cuts = sorted(draw(st.lists(st.integers(0, len(stream)), max_size=12)))
    return [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]


def read(parts: list[tuple[bytes, float]]) -> tuple[list[Message], Decoder, RepeatFilter]:
    """Return what a new decoder and filter make of timed segments."""
    decoder, repeats, taken = Decoder(), RepeatFilter(), []
    for data, now_s in parts:
        taken += [one for one in decoder.feed(data, now_s) if not repeats.is_repeat(one, now_s)]
        assert len(decoder.half) <= 32
        assert len(repeats._taken) <= 4
    return taken, decoder, repeats


def carried(message: Message, stream: bytes) -> bool:
    """Return True if the stream has a frame with a right BCC that carries this very card; counted by hand."""
    raw = message.raw
    right = b"%02X" % reduce(xor, raw[1:-2])
    high, low = raw[4] >> 4 & 7, raw[4] & 15
    return raw in stream and raw[-2:] == right and RANKS[low] + SUITS[high] == message.card


@given(data=st.data(), stream=STREAMS)
def test_any_bytes_at_any_times(data: st.DataObject, stream: bytes) -> None:
    pieces = data.draw(segments(stream))
    times = data.draw(st.lists(TIMES, min_size=len(pieces), max_size=len(pieces)))
    taken, decoder, repeats = read(list(zip(pieces, times, strict=True)))
    for message in taken:
        assert stored(message.raw) == message
        assert report(message)["t"] == message.t
        assert not isinstance(message.card, str) or carried(message, stream)
    assert decoder.bytes == len(stream)
    assert len([one for one in taken if one.t not in ("ACK", "NAK")]) + repeats.count == decoder.frames


def state(pieces: list[bytes]) -> tuple[Any, ...]:
    taken, decoder, repeats = read([(piece, 0.0) for piece in pieces])
    counted = (decoder.rejected, decoder.bytes, decoder.frames, decoder.cut_off, decoder.too_long, repeats.count)
    return taken, counted, decoder.half


@given(data=st.data(), stream=STREAMS)
def test_cutting_changes_nothing(data: st.DataObject, stream: bytes) -> None:
    whole = state([stream])
    assert state(data.draw(segments(stream))) == whole
    assert state([stream[at : at + 1] for at in range(len(stream))]) == whole


@given(parts=st.lists(frames(), max_size=8), noise=st.lists(damaged(), max_size=4), data=st.data())
def test_a_sound_copy_is_found_behind_any_damage(parts: list[bytes], noise: list[bytes], data: st.DataObject) -> None:
    """A frame that follows another whole frame is found, whatever came before: ENQ begins a frame anywhere."""
    for part in parts:
        before = data.draw(st.sampled_from([b"", *noise]))
        if before[-1:] != b"\x15":
            decoder = Decoder()
            decoder.feed(before + part, 0.0)
            alone = Decoder()
            alone.feed(part, 0.0)
            assert decoder.frames >= alone.frames

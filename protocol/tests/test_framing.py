"""Framing: the published check values, damage, and bounds."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sabot_protocol.framing import MAX_BODY_BYTES, Deframer, crc16, encode

VECTORS: list[dict[str, Any]] = [
    json.loads(line) for line in (Path(__file__).parents[1] / "vectors" / "frames.jsonl").read_text().splitlines()
]


def test_crc_check_value() -> None:
    assert crc16(b"123456789") == 0x29B1


@pytest.mark.parametrize(
    "vector", [one for one in VECTORS if one["expect"] == "accept"], ids=lambda vector: str(vector["name"])
)
def test_golden_frames_both_ways(vector: dict[str, str]) -> None:
    body, wire = bytes.fromhex(vector["body"] + vector.get("mac", "")), bytes.fromhex(vector["wire"])
    assert encode(body) == wire
    assert Deframer().feed(wire) == [body]


@pytest.mark.parametrize(
    "vector", [one for one in VECTORS if one.get("layer") == "framing"], ids=lambda vector: str(vector["name"])
)
def test_golden_rejects(vector: dict[str, str]) -> None:
    deframer = Deframer()
    assert deframer.feed(bytes.fromhex(vector["wire"])) == []
    assert deframer.crc_errors + deframer.cobs_errors + deframer.oversize == 1


@given(st.lists(st.binary(min_size=1, max_size=MAX_BODY_BYTES), max_size=5), st.integers(1, 40))
def test_any_bodies_in_any_pieces(bodies: list[bytes], piece: int) -> None:
    stream = b"".join(map(encode, bodies))
    deframer, seen = Deframer(), []
    for at in range(0, len(stream), piece):
        seen += deframer.feed(stream[at : at + piece])
    assert seen == bodies


@given(st.binary(max_size=MAX_BODY_BYTES), st.data())
def test_a_flipped_bit_never_gives_a_body(body: bytes, data: st.DataObject) -> None:
    wire = bytearray(encode(body or b"\1"))
    at = data.draw(st.integers(0, len(wire) - 2))
    wire[at] ^= 1 << data.draw(st.integers(0, 7))
    assert (body or b"\1") not in Deframer().feed(bytes(wire))


def test_endless_bytes_are_bounded_counted_once_and_followed_by_a_good_frame() -> None:
    deframer = Deframer()
    for _ in range(1000):
        assert deframer.feed(b"\x55" * 100) == []
        assert len(deframer._partial) <= MAX_BODY_BYTES + 3
    assert deframer.feed(b"\0" + encode(b"after")) == [b"after"]
    assert deframer.oversize == 1


def test_a_body_that_is_too_long_is_refused() -> None:
    with pytest.raises(ValueError, match="129 bytes: at most 128 fit"):
        encode(bytes(129))

"""From bytes to frames: whatever cannot be read is counted, and another release is recognised."""

import pytest
from sabot_gateway.shoe.parse import Parser
from sabot_protocol import framing
from shoe_events import UNIT, frame, hello_body


@pytest.mark.parametrize(
    "raw", [b"\x01", b"\x02\x01", b"\x02\x01" + bytes(6), b"\x03\x01" + bytes(7), b"\x03\x03" + bytes(14)]
)
def test_a_frame_that_is_too_short_or_has_unknown_flags_is_counted(raw: bytes) -> None:
    parser = Parser()
    assert parser.feed(framing.encode(raw)) == []
    assert parser.malformed == 1


def test_a_hello_of_another_release_is_known_by_its_first_bytes() -> None:
    parser = Parser()
    parser.feed(framing.encode(frame("hello", hello_body(protocol_hash=b"anothers"))[:26]))
    assert parser.other_release == (UNIT, b"anothers".hex())


def test_a_broken_hello_of_this_release_and_other_frames_are_no_other_release() -> None:
    parser = Parser()
    alive = b"\x03" + frame("hello", hello_body(protocol_hash=b"anothers"))[1:]
    for raw in (frame("hello", hello_body())[:-1], alive, frame("hello", hello_body())[:25]):
        parser.feed(framing.encode(raw))
    assert (parser.malformed, parser.unknown) == (3, 3)
    assert parser.other_release is None

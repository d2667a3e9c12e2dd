"""The place of a published message in its ledger: put in front, taken out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sabot_protocol.place import Place, with_place, without_place

STORED = b'{"id":"u-1","n":1}'


def test_the_place_stands_in_front_and_is_taken_out_again() -> None:
    sent = with_place(STORED, Place("0123456789abcdef", 12, 9))
    assert sent == b'{"gateway":"0123456789abcdef","entry":12,"after":9,"id":"u-1","n":1}'
    assert without_place(sent) == (Place("0123456789abcdef", 12, 9), STORED)


def test_a_payload_that_names_its_gateway_gives_it() -> None:
    stored = b'{"id":"u-1","gateway":"ab"}'
    sent = with_place(stored, Place("", 3, 0))
    assert sent == b'{"entry":3,"after":0,"id":"u-1","gateway":"ab"}'
    assert without_place(sent) == (Place("ab", 3, 0), stored)


def test_the_hash_of_the_entry_is_part_of_the_place() -> None:
    digest = "0f" * 32
    sent = with_place(STORED, Place("ab", 12, 9, digest))
    assert sent == b'{"gateway":"ab","entry":12,"after":9,"hash":"%b","id":"u-1","n":1}' % digest.encode()
    assert without_place(sent) == (Place("ab", 12, 9, digest), STORED)
    named = with_place(b'{"id":"u-1","gateway":"ab"}', Place("", 3, 0, digest))
    assert without_place(named)[0] == Place("ab", 3, 0, digest)


def test_the_place_of_a_damaged_payload_is_still_known() -> None:
    assert without_place(with_place(b'{"id":"u-', Place("ab", 3, 2))) == (Place("ab", 3, 2), b'{"id":"u-')


@pytest.mark.parametrize("payload", [b"", b"[]", b"{}", b"7", b"{", b'"{"', b"\xff\xfe"])
def test_what_is_no_object_is_left_as_it_is(payload: bytes) -> None:
    assert with_place(payload, Place("ab", 3, 2)) == payload
    assert without_place(payload) == (None, payload)


@pytest.mark.parametrize(
    "front",
    [
        b'{"gateway":"ab","entry":3,"after":3,',  # not after anything
        b'{"gateway":"ab","entry":0,"after":0,',
        b'{"gateway":"a b","entry":3,"after":2,',
        b'{"gateway":"ab","entry":3,"after":-1,',
        b'{"gateway":"ab","entry":1000000000000000,"after":2,',
        b'{"gateway":"","entry":3,"after":2,',
        b'{"entry":3,"after":2,',  # and no gateway in the rest
    ],
)
def test_a_place_that_no_ledger_has_is_none(front: bytes) -> None:
    assert without_place(front + STORED[1:])[0] is None


@given(st.binary())
def test_any_bytes_are_taken(payload: bytes) -> None:
    _, stored = without_place(payload)
    assert len(stored) <= len(payload)

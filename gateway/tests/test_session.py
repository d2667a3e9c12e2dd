"""A session: who made a frame, for which conversation, and whether it came before."""

import pytest
from sabot_gateway.shoe import parse
from sabot_gateway.shoe.parse import Frame
from sabot_gateway.shoe.session import Session
from sabot_protocol import framing
from sabot_protocol.auth import TO_GATEWAY, TO_SHOE, Seal
from shoe_events import KEY, OTHER_KEY, frame

OURS, SHOES = b"gateway.", b"the shoe"


def arrived(
    seq: int, key: bytes | None = KEY, direction: bytes = TO_GATEWAY, nonces: tuple[bytes, bytes] = (OURS, SHOES)
) -> Frame:
    """An ALIVE as it comes from the line."""
    raw = frame("alive", {}, seq, int(key is not None))
    mac = Seal(key, direction, *nonces).mac(raw) if key else b""
    return parse.sealed_frame(raw + mac)


def new_session(key: bytes | None = KEY) -> Session:
    return Session(OURS, SHOES, key)


def test_frames_with_rising_numbers_are_taken_once_each() -> None:
    session = new_session()
    refusals = [session.refuses(arrived(seq)) for seq in (0, 1, 1, 0, 5, 4, 6)]
    assert refusals == [None, None, "replayed", "replayed", None, "replayed", None]


@pytest.mark.parametrize(
    ("foreign", "refusal"),
    [
        (arrived(0, key=None), "unauthenticated"),
        (arrived(0, key=OTHER_KEY), "forged"),
        (arrived(0, direction=TO_SHOE), "forged"),
        (arrived(0, nonces=(OURS, b"another.")), "forged"),
        (arrived(0, nonces=(b"another.", SHOES)), "forged"),
        (arrived(0, nonces=(SHOES, OURS)), "forged"),
    ],
)
def test_what_is_not_of_this_session_is_refused_and_changes_nothing(foreign: Frame, refusal: str) -> None:
    session = new_session()
    assert session.refuses(foreign) == refusal
    assert session.refuses(arrived(0)) is None


@pytest.mark.parametrize("bit", range(0, 16 * 8, 5))
def test_a_frame_with_any_bit_changed_is_forged(bit: int) -> None:
    good = arrived(3)
    sealed = bytearray(good.raw + good.mac)
    sealed[bit // 8] ^= 1 << bit % 8
    changed = Frame("alive", 3, 1000, {}, bytes(sealed[:8]), bytes(sealed[8:]))
    assert new_session().refuses(changed) == "forged"


def test_a_forged_number_does_not_shut_the_shoe_out() -> None:
    session = new_session()
    assert session.refuses(arrived(0xFFFF, key=OTHER_KEY)) == "forged"
    assert session.refuses(arrived(0)) is None


def test_without_a_key_a_mac_proves_nothing() -> None:
    session = new_session(None)
    assert session.refuses(arrived(0)) == "unauthenticated"
    assert [session.refuses(arrived(seq, key=None)) for seq in (4, 4, 0)] == [None, None, None]


def test_frames_to_the_shoe_are_sealed_and_numbered() -> None:
    session, seal = new_session(), Seal(KEY, TO_SHOE, OURS, SHOES)
    out = b"".join(session.build("ack", {"event_no": number}, 2.0) for number in (7, 8))
    frames = [parse.sealed_frame(raw) for raw in framing.Deframer().feed(out)]
    assert [(each.seq, each.body["event_no"], each.time_ms) for each in frames] == [(0, 7, 2000), (1, 8, 2000)]
    assert all(seal.fits(each.raw, each.mac) for each in frames)


def test_frames_to_a_shoe_without_a_key_have_no_mac() -> None:
    (raw,) = framing.Deframer().feed(new_session(None).build("ack", {"event_no": 7}, 2.0))
    assert parse.sealed_frame(raw).mac == b""
    assert raw[1] == 0


def test_it_is_old_long_before_the_numbers_of_either_side_are_used_up() -> None:
    ours, theirs = new_session(), new_session()
    assert not ours.old()
    ours.seq = 2**15
    assert ours.old()
    theirs.refuses(arrived(2**15 - 2))
    assert not theirs.old()
    theirs.refuses(arrived(2**15 - 1))
    assert theirs.old()


def test_nothing_of_the_key_is_shown() -> None:
    shown = repr(new_session())
    assert KEY.hex() not in shown
    assert repr(KEY) not in shown

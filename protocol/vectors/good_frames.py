"""Frames that shoe and gateway must accept."""

from collections.abc import Iterator
from itertools import count
from typing import Any

from frame_bodies import (
    COMMANDS,
    EVENTS,
    GATEWAY,
    GATEWAY_NONCE,
    KEY,
    NONE,
    OTHER_NONCE,
    SHOE_NONCE,
    TO_GATEWAY,
    TO_SHOE,
    hello,
    mac,
    number,
    profile,
    session_key,
    update,
    update_data,
    update_state,
    welcome,
    who,
)
from frame_parts import TOP, TYPES, Frame, command, done, event, wire

CARD = next(data for kind, _, data in EVENTS if kind == "card")
SESSION = {
    "the gateway asks": Frame("who", 0, 1000, who(GATEWAY, GATEWAY_NONCE)),
    "the shoe offers a session": Frame("hello", 0, 5000, hello(2, 0, GATEWAY_NONCE, SHOE_NONCE)),
    "the gateway takes it": Frame("welcome", 0, 1100, welcome(0)),
    "the house's profile": Frame("set_profile", 1, 1100, profile()),
    "the first event: the eight of hearts": Frame("event", 1, 4000, event(1, "card", 4, CARD)),
    "it is durable": Frame("ack", 2, 1200, number(1)),
    "the exit is to be locked": Frame("command", 3, 1200, command(1, "lock", 4, NONE)),
    "it is locked": Frame("event", 2, 5200, event(2, "command_done", 22, done(1, *COMMANDS[3]))),
    "that is durable too": Frame("ack", 4, 1300, number(2)),
    "another gateway asks": Frame("who", 0, 2000, who(b"gateway2", OTHER_NONCE)),
    "another gateway serves the shoe": Frame("busy", 0, 5300, who(GATEWAY, OTHER_NONCE)),
    "nothing to say": Frame("alive", 3, 6200, NONE),
}
UNSEALED = ("who", "busy")


def accepted(name: str, frame: Frame) -> dict[str, Any]:
    """Return a frame without a MAC, and its fields."""
    return {
        "name": name,
        "expect": "accept",
        "body": frame.raw().hex(),
        "wire": wire(frame.raw()).hex(),
        "fields": frame.fields(),
    }


def under(direction: bytes) -> dict[str, str]:
    """What is needed to check a MAC."""
    return {
        "key": KEY.hex(), "direction": direction.decode(),
        "gateway_nonce": GATEWAY_NONCE.hex(), "shoe_nonce": SHOE_NONCE.hex(),
    }  # fmt: skip


def direction_of(frame: Frame) -> bytes:
    """By its type: from 0x80 on the gateway's."""
    return TO_SHOE if TYPES[frame.type] & 0x80 else TO_GATEWAY


def sealed(name: str, frame: Frame) -> dict[str, Any]:
    """Return a frame of the session with its MAC, and its fields."""
    raw, direction = frame.raw(1), direction_of(frame)
    tag = mac(raw, session_key(direction))
    found = {"name": name, "expect": "accept", "body": raw.hex(), "mac": tag.hex(), "wire": wire(raw + tag).hex()}
    return {**found, **under(direction), "fields": frame.fields(1)}


def in_session() -> Iterator[dict[str, Any]]:
    """The session, frame by frame."""
    for name, frame in SESSION.items():
        yield {**(accepted if frame.type in UNSEALED else sealed)(name, frame), "session": True, "page": True}


ON_PAGE = ("event coup", "event reject", "event irregularity", "event command_done 2")


def plain_frames() -> Iterator[dict[str, Any]]:
    """Every type of frame, every kind of event and of command, without a MAC."""
    yield accepted("the shoe offers nothing: nobody asked", Frame("hello", 0, 0, hello(1, 0, bytes(8), bytes(8))))
    yield accepted(
        "hello with every number at its top", Frame("hello", 65535, TOP, hello(TOP, 65535, b"\xff" * 8, b"\xff" * 8))
    )
    yield accepted("alive", Frame("alive", 9, 7, NONE))
    yield accepted("who of zeros", Frame("who", 0, 0, who(bytes(8), bytes(8))))
    yield accepted("welcome", Frame("welcome", 1, 50, welcome(41)))
    yield accepted("ack at the top of the range", Frame("ack", 65535, TOP, number(TOP)))
    yield accepted("ack of nothing yet", Frame("ack", 0, 0, number(0)))
    yield accepted("resend", Frame("resend", 3, 60, number(12)))
    yield accepted("update", Frame("update", 4, 70, update(61_000, 0)))
    yield accepted("update_data", Frame("update_data", 5, 71, update_data(96)))
    yield accepted("update_state", Frame("update_state", 6, 72, update_state(2, "receiving", 192)))
    yield accepted("update_state beyond retrying", Frame("update_state", 7, 73, update_state(12, "no_room", TOP)))
    yield accepted("set_profile", Frame("set_profile", 2, 55, profile()))
    seen: dict[str, Iterator[int]] = {}
    for at, one in enumerate(EVENTS):
        which = next(seen.setdefault(one[0], count(1)))
        name = f"event {one[0]}{f' {which}' if which > 1 else ''}"
        found = accepted(name, Frame("event", at, 1300 + at, event(8 + at, *one)))
        yield {**found, "page": True} if name in ON_PAGE else found
    for at, one in enumerate(COMMANDS):
        yield accepted(f"command {one[0]}", Frame("command", at, 2000 + at, command(1 + at, *one)))
        echo = event(200 + at, "command_done", 22, done(1 + at, *one))
        yield accepted(f"event command_done: {one[0]}", Frame("event", 100 + at, 3000 + at, echo))
    yield accepted("a command at the top of the range", Frame("command", 65535, TOP, command(TOP, *COMMANDS[3])))


def sealed_frames() -> Iterator[dict[str, Any]]:
    """More of the same session: the longest command, the top of the numbers."""
    yield sealed("a coup of another shoe, with its MAC", Frame("command", 5, 1400, command(2, *COMMANDS[13])))
    yield sealed("the longest frame, with its MAC", Frame("update", 65535, TOP, update(TOP, 1)))
    yield sealed("go on from event 12, with its MAC", Frame("resend", 65535, TOP, number(12)))
    yield sealed(
        "the longest event, with its MAC",
        Frame("event", 65535, TOP, event(TOP, *next(one for one in EVENTS if one[0] == "health"))),
    )

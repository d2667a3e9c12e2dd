"""What hostile shoes do on the line itself: bytes, frames and offers; each act is a small generator."""

import struct
from collections.abc import Iterator

from independent import wire

from siege.stage import Stage

_HELLO = struct.Struct("<8sH8s8s3sII4HIBB8s8s")
_NEAR_END = wire.MOST - 10


def random_bytes(stage: Stage) -> Iterator[int]:
    """Noise of every length."""
    while True:
        stage.send(stage.rng.randbytes(stage.rng.randint(1, 3000)))
        yield 10


def zeros(stage: Stage) -> Iterator[int]:
    """Delimiters and nothing between them."""
    while True:
        stage.send(bytes(20_000))
        yield 10


def endless(stage: Stage) -> Iterator[int]:
    """A frame that never ends."""
    while True:
        stage.send(stage.rng.randbytes(20_000).replace(b"\0", b"\1"))
        yield 10


def oversize(stage: Stage) -> Iterator[int]:
    """Frames with a right CRC that are too long."""
    while True:
        stage.send(wire.pack(stage.rng.randrange(256), 0, 0, stage.rng.randbytes(stage.rng.randint(121, 4000))))
        yield 10


def flood(stage: Stage) -> Iterator[int]:
    """As many bytes as the line takes."""
    junk = stage.rng.randbytes(200_000)
    while True:
        stage.send(junk)
        yield 0


def frame_flood(stage: Stage) -> Iterator[int]:
    """As many valid frames without meaning as the line takes."""
    one = b"".join(wire.pack(wire.ALIVE, number, number) for number in range(2000))
    while True:
        stage.send(one)
        yield 0


def slow_loris(stage: Stage) -> Iterator[int]:
    """A byte now and then."""
    stage.deaf = True
    hello = _hello(stage, 1, 1)
    for at in range(len(hello)):
        stage.send(hello[at : at + 1])
        yield 150


def silence(stage: Stage) -> Iterator[int]:
    """The line is open and nothing is sent."""
    stage.deaf = True
    while True:
        yield 500


def unknown_types(stage: Stage) -> Iterator[int]:
    """Frames of every type, in and out of the session."""
    while True:
        kind, body = stage.rng.randrange(256), stage.rng.randbytes(stage.rng.randint(0, 100))
        stage.send(wire.pack(kind, stage.rng.randrange(65536), stage.now_ms, body))
        stage.in_session(stage.rng.randrange(256), body)
        yield 5


def headers(stage: Stage) -> Iterator[int]:
    """Right CRCs over impossible headers."""
    while True:
        stage.send(wire.block(stage.rng.randbytes(stage.rng.randint(0, 128))))
        yield 5


def hello_flood(stage: Stage) -> Iterator[int]:
    """The same offer over and over."""
    while True:
        for _ in range(10):
            stage.send(_hello(stage, 1, 1))
        yield 5


def hello_numbers(stage: Stage) -> Iterator[int]:
    """Offers with impossible numbers."""
    odd = (0, 1, 2, 1000, _NEAR_END, wire.MOST, wire.MOST + 1, 2**32 - 1)
    while True:
        stage.send(_hello(stage, stage.rng.choice(odd), stage.rng.choice(odd)))
        yield 40


def hello_random(stage: Stage) -> Iterator[int]:
    """Offers of random fields."""
    while True:
        body = bytearray(stage.rng.randbytes(_HELLO.size))
        body[0:8] = stage.shoe.identity.unit
        if stage.rng.random() < 0.7:
            body[10:18] = stage.shoe.identity.protocol_hash
        if stage.rng.random() < 0.7:
            body[51:59] = stage.nonce
        stage.send(wire.pack(wire.HELLO, 0, stage.now_ms, bytes(body)))
        yield 20


def other_protocol(stage: Stage) -> Iterator[int]:
    """Another version of the protocol."""
    stage.deaf = True
    while True:
        stage.send(_hello(stage, 1, 1, stage.rng.randbytes(8)))
        yield 100


def busy_flood(stage: Stage) -> Iterator[int]:
    """The shoe claims that another gateway serves it."""
    while True:
        stage.send(wire.pack(wire.BUSY, 0, stage.now_ms, stage.rng.randbytes(8) + stage.nonce))
        yield 10


def replayed(stage: Stage) -> Iterator[int]:
    """Frames sent before, again."""
    while True:
        for sent in stage.rng.sample(stage.tape, min(10, len(stage.tape))):
            stage.send(sent)
        yield 20


def storm(stage: Stage) -> Iterator[int]:
    """Hang up in the middle of a frame."""
    stage.send(_hello(stage, 1, 1)[: stage.rng.randint(0, 60)])
    yield stage.rng.randint(0, 50)
    stage.hanging_up = True
    yield 1000


def churn(stage: Stage) -> Iterator[int]:
    """A new session as soon as there is one."""
    while True:
        yield from stage.session()
        stage.shoe.disconnected()
        stage.shoe.connected(stage.now_ms)
        yield 10


def _hello(stage: Stage, next_no: int, oldest: int, protocol: bytes | None = None) -> bytes:
    """An offer without a MAC that answers the last WHO."""
    who = stage.shoe.identity
    head = (who.unit, stage.rng.randrange(65536), protocol or who.protocol_hash, bytes(8), bytes(3))
    numbers = (next_no, oldest, 0, 0, 0, 0, stage.rng.choice((0, wire.MOST)))
    body = _HELLO.pack(*head, *numbers, 1, 0, stage.nonce, stage.rng.randbytes(8))
    return wire.pack(wire.HELLO, 0, stage.now_ms, body)

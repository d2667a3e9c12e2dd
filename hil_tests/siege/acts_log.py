"""What hostile shoes write into their log, under right CRCs and MACs; each act is a small generator."""

import struct
from collections.abc import Iterator

from independent import cards, wire
from independent.dealer import Dealer

from siege.stage import Stage

_NEAR_END = wire.MOST - 10
_CARD, _COUP, _EVENTS = 4, 6, range(1, 32)


def plays(stage: Stage) -> Iterator[int]:
    """Honest play, so that the next act starts with an open shoe."""
    yield from stage.session()
    if stage.dealer is None:
        stage.dealer = Dealer(stage.shoe, stage.rng, card_ms=30, shoe_cards=30)
    while True:
        yield 100


def mutated(stage: Stage) -> Iterator[int]:
    """An honest log on a line that changes bytes."""
    stage.damage = 0.02
    yield from plays(stage)


def unreadable(stage: Stage) -> Iterator[int]:
    """Events with values that are not defined, under a right CRC and MAC."""
    yield from stage.session()
    card = struct.pack("<HHBBHBB", 1, 1, 1, 5, 900, 80, 0)
    odd = [
        (_CARD, card[:8] + bytes([101]) + card[9:]),
        (_CARD, card[:5] + bytes([77]) + card[6:]),
        (_CARD, card[:4] + bytes([99]) + card[5:]),
        (99, b""),
        (0, b"\0" * 8),
        (255, stage.rng.randbytes(90)),
        (_CARD, card + b"\0"),
        (_CARD, card[:-1]),
        (_COUP, struct.pack("<HHBBBBB", 1, 1, 9, 77, 77, 255, 9)),
        (10, b"more"),
    ]
    while True:
        stage.log(*stage.rng.choice(odd))
        yield 50


def random_events(stage: Stage) -> Iterator[int]:
    """Every kind, every length, any bytes."""
    yield from stage.session()
    while True:
        kind = stage.rng.choice((stage.rng.randrange(256), stage.rng.choice(_EVENTS)))
        stage.log(kind, stage.rng.randbytes(stage.rng.randint(0, 40)))
        yield 20


def number_jump(stage: Stage) -> Iterator[int]:
    """Event numbers jump, up to the highest possible number."""
    yield from stage.session()
    for number in (5_000, 1_000_000, _NEAR_END):
        body = number.to_bytes(4, "little") + bytes([20, 1])
        stage.in_session(wire.EVENT, body)
        yield 100
    while True:
        body = stage.rng.getrandbits(32).to_bytes(4, "little") + bytes([20, 1])
        stage.in_session(wire.EVENT, body)
        yield 20


def high_numbers(stage: Stage) -> Iterator[int]:
    """A log that begins near the highest possible number."""
    stage.wipe()
    stage.shoe.journal.next_no, stage.shoe.journal.acked = _NEAR_END, _NEAR_END - 1
    yield from stage.session()
    while stage.shoe.journal.next_no < wire.MOST + 10:
        stage.log(20, bytes([stage.rng.randrange(2)]))
        yield 100


def wiped(stage: Stage) -> Iterator[int]:
    """The journal is empty, and soon passes the ledger's numbers again."""
    yield from stage.session()
    for _ in range(20):
        stage.log(20, b"\1")
        yield 5
    yield 300
    stage.wipe()
    for number in range(60):
        stage.log(20, bytes([number & 1]))
    while True:
        yield 100


def clock_jumps(stage: Stage) -> Iterator[int]:
    """The shoe's time goes anywhere."""
    yield from stage.session()
    while True:
        stage.shoe.log(stage.rng.randrange(wire.MOST), 20, b"\1")
        yield 20


def disputes(stage: Stage) -> Iterator[int]:
    """Hundreds of coups a second whose result is not that of the cards."""
    yield from stage.session()
    stage.log(3, struct.pack("<HBBB", 1, 1, 8, 0))
    stage.log(13, struct.pack("<HBBB", 1, 0, 0, 0))
    coup = 0
    while True:
        coup += 1
        for slot in range(1, 5):
            stage.log(_CARD, struct.pack("<HHBBHBB", 1, coup, slot, stage.rng.choice((7, 8)), 900, 80, 0))
        stage.log(_COUP, struct.pack("<HHBBBBB", 1, coup, stage.rng.choice((1, 2)), 1, 2, 0, 1))
        yield 2


def alarms(stage: Stage) -> Iterator[int]:
    """Faults, rejects and irregularities without end."""
    yield from stage.session()
    while True:
        fault = stage.rng.randint(1, 9)
        stage.log(17, struct.pack("<BH", fault, stage.rng.randrange(65536)))
        stage.log(7, struct.pack("<HHBBHHB", 1, 1, stage.rng.randint(1, 14), 10, 3, 900, 0))
        stage.log(24, struct.pack("<HHBHB", 1, 1, stage.rng.randint(1, 19), stage.rng.randrange(512), 8))
        stage.log(18, struct.pack("<BB", fault, 1))
        yield 5


def shoes(stage: Stage) -> Iterator[int]:
    """Shoes are opened and closed, in no order."""
    yield from stage.session()
    while True:
        number = stage.rng.randrange(65536)
        stage.log(3, struct.pack("<HBBB", number, stage.rng.randrange(256), stage.rng.randrange(256), 0))
        stage.log(9, struct.pack("<HHB", stage.rng.choice((number, 0)), 65535, 1))
        yield 10


def false_answers(stage: Stage) -> Iterator[int]:
    """Outcomes of commands that were never sent."""
    yield from stage.session()
    while True:
        number = stage.rng.choice((0, 1, 2, stage.rng.randrange(wire.MOST)))
        head = number.to_bytes(4, "little") + bytes([stage.rng.randint(1, 19)])
        stage.log(31, head + bytes([stage.rng.randrange(6)]))
        stage.log(22, head[:4] + b"\4\0")
        yield 20


def other_profiles(stage: Stage) -> Iterator[int]:
    """The shoe reports a profile of its own."""
    yield from stage.session()
    while True:
        stage.log(2, stage.rng.randbytes(8))
        yield 50


def times(stage: Stage) -> Iterator[int]:
    """The clock was set to any time at all."""
    yield from stage.session()
    while True:
        stage.log(25, struct.pack("<IH", stage.rng.randrange(wire.MOST), stage.rng.randrange(1000)))
        yield 20


def states(stage: Stage) -> Iterator[int]:
    """Checkpoints, hand-overs and decks that belong to nothing."""
    yield from stage.session()
    rng = stage.rng
    while True:
        hand = bytes(rng.choice((255, rng.randrange(52))) for _ in range(6))
        place = struct.pack("<BHBB", 8, rng.randrange(500), rng.randrange(3), 0)
        stage.log(16, struct.pack("<HHBB", rng.randrange(9), rng.randrange(99), 1, rng.randrange(2)) + hand + place)
        stage.log(29, struct.pack("<HHBHBBBB", rng.randrange(9), rng.randrange(99), 8, 400, 0, 1, 0, 0))
        stage.log(28, struct.pack("<HB", rng.randrange(9), rng.randrange(2)) + rng.randbytes(13))
        stage.log(27, struct.pack("<HBBB", rng.randrange(9), rng.randrange(52), 9, 8))
        stage.log(10, b"")
        yield 20


def sequence(stage: Stage) -> Iterator[int]:
    """Frame numbers at their end, and back."""
    yield from stage.session()
    while True:
        if stage.shoe.session is not None:
            stage.shoe.session.seq = stage.rng.choice((0, 65530, 65535, stage.rng.randrange(65536)))
        stage.log(20, b"\1")
        yield 20


def overfull(stage: Stage) -> Iterator[int]:
    """A thousand events at once without a window, in order and not."""
    yield from stage.session()
    numbers = list(range(1, 1000))
    stage.rng.shuffle(numbers)
    while True:
        for number in numbers[:200]:
            stage.in_session(wire.EVENT, number.to_bytes(4, "little") + bytes([20, 1]))
        yield 50


def huge_cards(stage: Stage) -> Iterator[int]:
    """Cards without a coup, thousands of one kind."""
    yield from stage.session()
    card = stage.rng.choice([number for number in range(52) if cards.points([number]) == 0])
    while True:
        for slot in range(8):
            stage.log(_CARD, struct.pack("<HHBBHBB", 1, stage.rng.randrange(3), slot, card, 0, 0, 255))
        yield 5


def rewritten(stage: Stage) -> Iterator[int]:
    """Acknowledged event numbers again, with other content."""
    yield from stage.session()
    for _ in range(10):
        stage.log(20, b"\1")
        yield 20
    while True:
        number = stage.rng.randint(1, stage.shoe.journal.next_no)
        coup = struct.pack("<HHBBBBB", 1, 1, stage.rng.randint(1, 3), 5, 5, 0, 1)
        stage.in_session(wire.EVENT, number.to_bytes(4, "little") + bytes([_COUP]) + coup)
        yield 20


def commands_end(stage: Stage) -> Iterator[int]:
    """The last command of this shoe has the highest possible number."""
    stage.shoe.last_command = wire.MOST - stage.rng.randrange(2)
    stage.shoe.disconnected()
    yield from stage.session()
    while True:
        yield 200

"""Random and systematic cases for readers of an Angel Eye's line: vectors and sessions; a seed gives the same ones."""

import random
from collections.abc import Iterator
from typing import Any, NamedTuple

from angel_eye_line import CYCLES, Arrival, Style, copies, segments, session, style, vector
from angel_eye_plays import SINGLES, Dealer, Step, play, send, soup, undefined

Report = dict[str, Any]
PLAIN = Style("123456789", (3,), 8, (200,), 0.0, "copies", (0,))
CONTROLS = b"\x02\x03\x05\x06\x15"


class Case(NamedTuple):
    """A vector (a line of `sabot angel-eye decode`) or a session (a file of `sabot angel-eye session`)."""

    name: str
    vector: Report | None
    events: list[Report]


def made(name: str, chance: random.Random, line: Style, steps: list[Step]) -> Case:
    """A session where the link or the host plays a part, and else often a vector."""
    arrivals = segments(chance, line, copies(chance, line, steps))
    if any(step.what in ("cut", "tx") for step in steps) or chance.random() < 0.4:
        return Case(name, None, session(arrivals))
    return Case(name, vector(name, arrivals, line.segments == "whole"), [])


def any_bytes(chance: random.Random) -> list[Arrival]:
    """Bytes that mean nothing, with more control characters than chance would bring."""
    data = bytes(
        chance.choice(CONTROLS) if chance.random() < 0.25 else chance.randrange(256)
        for _ in range(chance.choice([1, 10, 100, 500]))
    )
    return segments(chance, style(chance), [Arrival(0, "rx", data)])


def random_case(seed: int, number: int) -> Case:
    """Case `number` of a seed."""
    chance = random.Random(f"angel-eye {seed} {number}")
    name = f"{seed}-{number}"
    kind = chance.choices(["play", "soup", "values", "bytes"], [0.5, 0.3, 0.1, 0.1])[0]
    if kind == "bytes":
        return Case(name, vector(name, any_bytes(chance), False), [])
    if kind == "values":
        return made(name, chance, style(chance), [undefined(chance) for _ in range(chance.randint(1, 10))])
    return made(name, chance, style(chance), play(chance) if kind == "play" else soup(chance))


def systematic_cases(seed: int) -> Iterator[Case]:
    """Every single thing at every place of a coup, in a fresh shoe and in one that ends."""
    for name in SINGLES:
        for ending in (False, True):
            for place in range(8):
                chance = random.Random(f"angel-eye {seed} {name} {ending} {place}")
                dealer = Dealer(chance)
                steps = dealer.coup()
                at = min(place, len(steps))
                steps[at:at] = [SINGLES[name](chance, dealer)]
                before = [*dealer.coup(), send("C")] if ending else []
                after = [*dealer.burn(), *dealer.coup()] if ending else dealer.coup()
                yield made(f"{name} at {place}, ending {ending}", chance, PLAIN, [*before, *steps, *after])


def at_two_gateways(seed: int, number: int) -> tuple[Case, Case]:
    """One shoe on two gateways: of each frame one good copy, others damaged, cut at other places."""
    chance = random.Random(f"angel-eye pair {seed} {number}")
    steps = [step for step in play(chance) if step.what == "send"]
    line = PLAIN._replace(cycle=chance.choice(CYCLES[:3]), segments="cuts")
    arrivals = copies(chance, line, steps)
    sides = [segments(chance, line, one_side(chance, arrivals)) for _ in range(2)]
    first, second = (Case(f"side {at}", vector(f"side {at}", side, False), []) for at, side in enumerate(sides))
    return first, second


def one_side(chance: random.Random, arrivals: list[Arrival]) -> list[Arrival]:
    """Damage some copies of each frame. No fault makes a NAK, which would take the next ENQ with it."""
    answer = []
    for group in range(0, len(arrivals), 3):
        good = chance.randrange(3)
        for at, item in enumerate(arrivals[group : group + 3]):
            data, place = item.data, chance.randrange(len(item.data))
            flipped = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
            answer.append(item._replace(data=data if at == good else chance.choice([data, flipped, data[:place]])))
    return answer

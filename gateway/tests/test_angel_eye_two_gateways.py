"""Two gateways at the line of one Angel Eye: their logs differ only in their own ids."""

import random
from typing import cast

from angel_eye_session import new_session, random_line
from sabot_gateway.angel_eye.driver import AngelEyeDriver
from sabot_gateway.angel_eye.events import unit_of
from sabot_gateway.ledger import Entry
from sabot_gateway.shoe.driver import Driver
from sabot_protocol.angel_eye.tables import SYN

_FRAME_S = 0.02  # on the line
_PAUSE_S = 1.2  # between two messages: later than a repeat can be


def sent(seed: int) -> list[tuple[bytes, float]]:
    """Return each byte of a line with its time: every message three times."""
    frames = [message.raw for message in random_line(seed, 12) if message.raw[0] != SYN]
    copies = [(frame, at * _PAUSE_S + copy * _FRAME_S) for at, frame in enumerate(frames) for copy in range(3)]
    return [(bytes([byte]), at_s) for frame, at_s in copies for byte in frame]


def logged(line: list[tuple[bytes, float]], gateway: bytes, rng: random.Random) -> list[Entry]:
    """Return the entries of a gateway that gets these bytes in segments of its own."""
    unit, session = unit_of(gateway, "bac-01"), new_session()
    driver = AngelEyeDriver(unit, 0, baud=4800)
    session.link = cast(Driver, driver)
    driver.reset()
    while line:
        size = rng.randrange(1, 40)
        last_s = next((at_s for _, at_s in line[1:size] if at_s > line[0][1] + _FRAME_S * 3), None)
        piece = [byte for byte, at_s in line[:size] if last_s is None or at_s < last_s]
        session.receive(b"".join(piece), line[len(piece) - 1][1], "2026-11-17T21:00:00.000Z")
        line = line[len(piece) :]
    return [entry._replace(unit="", payload=entry.payload.replace(unit.encode(), b"unit")) for entry in session.pending]


def test_two_logs_of_one_shoe_differ_only_in_the_gateways_own_ids() -> None:
    for seed in range(3):
        line, rng = sent(seed), random.Random(seed)
        first, second = (logged(line, gateway, rng) for gateway in (b"gateway1", b"gateway2"))
        assert first == second
        assert sum(entry.topic == "coup" for entry in first) >= 10

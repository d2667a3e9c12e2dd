"""Many commands that are forged, changed, expired, misdirected or of a lower role: none is accepted."""

import os
import random
from typing import Any

import pytest
from floor_commands_bench import KEY, NOW_S, OTHER_KEY, CommandBench, command, disputed, signed
from sabot_gateway.operator.attempts import ATTEMPT
from sabot_protocol.command_keys import SigningKey

MUTANTS = int(os.environ.get("SABOT_FORGED", "20000"))  # `make forged` tries 100,000


@pytest.fixture
def bench() -> CommandBench:
    return CommandBench()


def mutant(chance: random.Random, payload: bytes, other: bytes) -> bytes:
    """Return bytes that differ from the payload."""
    at, kind = chance.randrange(len(payload)), chance.randrange(7)
    if kind == 0:
        return payload[:at] + bytes([payload[at] ^ (1 << chance.randrange(8))]) + payload[at + 1 :]
    if kind == 1:
        return payload[:at]
    if kind == 2:
        return payload[:at] + chance.randbytes(chance.randrange(1, 4)) + payload[at:]
    if kind == 3:
        return payload[:at] + payload[at + chance.randrange(1, 9) :]
    if kind == 4:
        end = min(len(payload), len(other), at + chance.randrange(1, 60))
        return payload[:at] + other[at:end] + payload[end:]
    digits = b"0123456789abcdef"
    return payload[:at] + bytes([chance.choice(digits)]) + payload[at + 1 :]


def wrong(chance: random.Random) -> bytes:
    """Return a well-formed command that is not right: re-signed, expired, early, misdirected, of a lower role."""
    key: SigningKey = KEY
    changes: dict[str, Any] = {}
    kind = chance.randrange(7)
    if kind == 0:
        key = OTHER_KEY
    elif kind == 1:
        changes["now_s"] = NOW_S - chance.uniform(36.0, 1e6)
    elif kind == 2:
        changes["now_s"] = NOW_S + chance.uniform(6.0, 1e6)
    elif kind == 3:
        changes["site"] = f"site-{chance.randrange(1000)}"
    elif kind == 4:
        changes["table"] = f"bac-{chance.randrange(2, 1000):02}"
    elif kind == 5:
        changes["role"] = chance.choice(["dealer", "player", "inspector", "surveillance", "nobody"])
    else:
        changes["coup"] = f"{chance.randrange(1, 9)}/{chance.randrange(2, 90)}"
    return key.sign(command("decide", args={"coup": "1/1", "verdict": "void"}, clause="12.13", **changes))


def test_of_many_wrong_commands_none_is_accepted(bench: CommandBench) -> None:
    chance = random.Random(18)
    right = disputed(bench)
    others = [wrong(chance) for _ in range(500)] + [signed() for _ in range(10)]
    given = 0
    while given < MUTANTS:
        payload = wrong(chance) if given % 10 == 0 else mutant(chance, right, chance.choice(others))
        if payload != right:
            bench.put(payload)
            given += 1
    status = bench.intake.status()
    assert (status["accepted"], sum(status["refused"].values()) + status["repeated"]) == (0, MUTANTS)
    assert status["repeated"] < MUTANTS / 100
    bench.store()
    assert bench.entries(ATTEMPT) == []
    assert len(bench.entries("refused")) <= 220
    assert bench.give(right) is not None
    assert bench.replies[-1].ok

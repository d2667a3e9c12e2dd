"""A line on which anything may come, beside two that deal: nothing ends the daemon, and nobody else notices."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sabot_protocol import messages
from shoe_events import KEY, UNIT, hello_body
from tcp_floor import CONFIRM, Floor, LogShoe, Open, floors
from test_app import key_file

OTHER, HOSTILE = "5ab0000000000002", "5ab0000000000066"
NUMBERS = [0, 1, 2, 3, 5, 20, 2**16, 2**24, 2**30 - 2, 2**30 - 1]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    with floors(tmp_path) as make:
        yield make


class Hostile(LogShoe):
    """Answers as it likes, under any name, and says what comes to its mind."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__(HOSTILE)
        self._rng, self.units = rng, [HOSTILE, UNIT, OTHER, "00" * 8, "ff" * 8]

    def _hello(self, nonce: bytes) -> None:
        rng = self._rng
        self.unit, self.key = rng.choice(self.units), rng.choice([None, None, None, KEY])
        oldest, next_no = rng.choice(NUMBERS), rng.choice(NUMBERS)
        self.hello = {"oldest_event_no": oldest, "next_event_no": next_no, "last_command_id": rng.choice(NUMBERS)}
        super()._hello(nonce)

    def turn(self) -> None:
        for _ in range(20):
            self.say(self._frame())
        super().turn()

    def _frame(self) -> bytes:
        rng = self._rng
        kind = rng.choice([1, 2, 2, 2, 2, 3, 4, rng.randrange(256)])
        number = rng.choice([*NUMBERS, len(self.log) + 1]).to_bytes(4, "little")
        body = rng.choice([CONFIRM, rng.randbytes(rng.randrange(140)), bytes([rng.randrange(256)]) + CONFIRM[1:]])
        made = self.header(kind, rng.choice([0, 5, 2**30 - 1])) + (number + body if kind == 2 else self._other(kind))
        return rng.choice([made, made[: rng.randrange(1, len(made))], made + b"more"])

    def _other(self, kind: int) -> bytes:
        if kind == 1:
            return bytes(messages.FRAMES["hello"].build(hello_body(unit=bytes.fromhex(self._rng.choice(self.units)))))
        return self._rng.randbytes(self._rng.randrange(30))


def play(floor: Floor, honest: list[LogShoe], turns: int) -> None:
    for _ in range(turns):
        for shoe in honest:
            shoe.press()
        floor.run(0.2)


@pytest.mark.parametrize("seed", range(4))
def test_whatever_comes_on_one_line_the_other_tables_deal_on(opened: Open, tmp_path: Path, seed: int) -> None:
    first, second, hostile = LogShoe(key=KEY), LogShoe(OTHER), Hostile(random.Random(seed))
    hostile.answers = False
    floor = opened(first, second, hostile, keys=key_file(tmp_path), keys_required=False)
    floor.run(3)
    hostile.units.append(floor.app._ledger.gateway())
    hostile.answers = True
    play(floor, [first, second], 40)
    floor.run(2)
    for table, shoe in enumerate((first, second), 1):
        assert floor.status(table)["state"] == "online"
        assert (floor.stored(shoe.unit), shoe.acked) == (list(range(1, 41)), 40)
        assert [alarm["name"] for alarm in floor.alarms(table)] == []
    line: dict[str, Any] = floor.app._tables["bac-03"].status()["line"]
    assert sum(line.values()) > 1000
    assert floor.app._ledger.verify_chain() >= 80

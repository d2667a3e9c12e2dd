"""Plays the shoes of all tables in one process; writes how far they are, and stays until it is stopped."""

import signal
import sys
import threading
import time
from pathlib import Path
from typing import Final

import msgspec
from sabot_tools.bench.shoe_player import Player, Shoe, encoded

from floor_kills.logs import LOGS, RULEBOOK, log

_RESEND_FIRST_S: Final = 0.5  # as in the firmware
_REPORT_EVERY_S: Final = 0.25


class Load(msgspec.Struct, frozen=True):
    """What to play: coups a table; frames a second of each table, 0 is as fast as possible."""

    masters: list[int]
    coups: int
    rate: float
    report: str  # file for `Played`


class Played(msgspec.Struct, frozen=True):
    """How far the shoes are, in frames of their logs."""

    acknowledged: int = 0
    total: int = 1
    resends: int = 0
    done: bool = False


def main(load: Load) -> None:
    """Play everything, and keep the ptys open until stopped."""
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    wires = [encoded(log(number, load.coups)) for number in range(min(LOGS, len(load.masters)))]
    shoes = [
        Shoe(number, wires[number % LOGS], RULEBOOK, resend_first_s=_RESEND_FIRST_S)
        for number in range(len(load.masters))
    ]
    player, report_s = Player(shoes, load.masters, load.rate), 0.0
    while not stop.is_set():
        player.step(time.monotonic())
        if time.monotonic() >= report_s:
            report_s = time.monotonic() + _REPORT_EVERY_S
            _write(Path(load.report), player)


def _write(path: Path, player: Player) -> None:
    shoes = player.shoes
    acknowledged, total = sum(shoe.acked for shoe in shoes), sum(len(shoe.wire) for shoe in shoes)
    part = path.with_suffix(".part")
    part.write_bytes(msgspec.json.encode(Played(acknowledged, total, sum(s.resends for s in shoes), player.done())))
    part.rename(path)


if __name__ == "__main__":
    main(msgspec.json.decode(sys.argv[1], type=Load))

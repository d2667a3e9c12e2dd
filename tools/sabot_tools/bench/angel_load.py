"""Many Angel Eye tables on one real gateway: each line a TCP port at 4800 baud, played by a process of its own."""

import socket
import sqlite3
import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

import msgspec
from sabot_sim.angel_eye.settings import BAUD

from sabot_tools.bench import angel_player
from sabot_tools.bench.angel_lines import RULEBOOK, Dealt
from sabot_tools.bench.angel_player import Played
from sabot_tools.bench.gateway_load import (
    CannotMeasureError,
    GatewayLoad,
    LoadPlan,
    LoadResult,
    Sample,
    percentile,
    raise_limits,
    table_name,
    work_dir,
)
from sabot_tools.stand.ports import HOST

SPOILT: Final = 0.1  # share of the messages with one spoilt copy
SETTINGS: Final = f'driver = "angel-eye"\nbaud = {BAUD}\nrulebook = "{RULEBOOK}"\nshoe = {{ dealing = "face_up" }}\n'
_AFTER_S: Final = 60.0  # for what is still on its way when the last byte is sent

Place = tuple[str, int, int]  # table, shoe, coup


@dataclass(frozen=True)
class AngelPlan:
    """Number of tables, how long they play, and the time from one message to the next; 0 is without a pause."""

    tables: int
    seconds: float
    gap_s: float = 0.0
    spoilt: float = SPOILT

    def load(self, listeners: list[int], report: Path) -> angel_player.Load:
        """Return what the player plays."""
        return angel_player.Load(listeners, self.seconds, self.gap_s, self.spoilt, str(report))


class CoupPlace(msgspec.Struct):
    """Where a coup was dealt."""

    table: str
    shoe: int
    coup: int


def run(plan: AngelPlan) -> LoadResult:
    """Run a plan with a new broker and ledger."""
    with work_dir() as work, ExitStack() as stack:
        return AngelLoad(stack, Path(work), plan).measure("gateway")


def listening(stack: ExitStack, count: int) -> list[socket.socket]:
    """Return this many listening sockets; they stay open until the stack closes."""
    raise_limits(count)
    return [stack.enter_context(socket.create_server((HOST, 0))) for _ in range(count)]


def port_url(listener: socket.socket) -> str:
    """Return the `port` of a table's config for a listening socket."""
    return f"socket://{HOST}:{listener.getsockname()[1]}"


def player_command(load: angel_player.Load) -> list[str]:
    """Return the command that plays a load."""
    return [sys.executable, "-m", "sabot_tools.bench.angel_player", msgspec.json.encode(load).decode()]


class AngelLoad(GatewayLoad):
    """Ports, broker, subscriber, player and gateway of one run."""

    def __init__(self, stack: ExitStack, work: Path, plan: AngelPlan) -> None:
        self._angel = plan
        super().__init__(stack, work, LoadPlan(plan.tables, 0, 0, plan.seconds + _AFTER_S))

    def _open_lines(self, stack: ExitStack) -> None:
        self._listeners = listening(stack, self._angel.tables)
        self._names = [port_url(one) for one in self._listeners]

    def _start_player(self) -> None:
        descriptors = [one.fileno() for one in self._listeners]
        self._load = self._angel.load(descriptors, self._written)
        self._children.start("player", player_command(self._load), pass_fds=tuple(descriptors))

    def _table_settings(self) -> str:
        return SETTINGS

    def _due_coups(self) -> int:
        return sum(len(self._whole(number)) for number in range(self._angel.tables))

    def _whole(self, number: int) -> list[Dealt]:
        """Return the coups of a line of which everything is sent."""
        line, end = self._load.line(number), self._load.due(number, self._angel.seconds)
        return [coup for coup in line.coups if line.messages[coup.last].good[0][1] <= end]

    def _sent(self, number: int) -> int:
        """Return the messages of a line of which a good copy is sent."""
        end = self._load.due(number, self._angel.seconds)
        played = self._load.line(number).messages[self._load.first(number) :]
        return sum(message.good[0][1] <= end for message in played)

    def _result(self, samples: list[Sample], due: int, inside_ms: float | None) -> LoadResult:
        if not self._written.exists() or not self._inbox.received:
            raise CannotMeasureError(f"no coup arrived from {self._angel.tables} tables: the machine may be too busy")
        played = msgspec.msgpack.decode(self._written.read_bytes(), type=Played)
        arrived = dict[Place, float]()
        for at_s, payload in self._inbox.received:
            place = msgspec.json.decode(payload, type=CoupPlace)
            arrived.setdefault((place.table, place.shoe, place.coup), at_s)
        end_s = max(arrived.values())
        frames, rows = _counted(self._ledger)
        return LoadResult(
            seconds=end_s - played.start_s,
            frames=frames,
            rows=rows,
            sent=sum(map(self._sent, range(self._angel.tables))),
            coups=len(arrived),
            due_coups=due,
            messages=[payload for _, payload in self._inbox.received],
            latency_ms=list(self._latency_ms(played, arrived)),
            inside_ms=inside_ms,
            late_ms=_late_ms(played.writes(0)[0]),
            samples=[one for one in samples if played.start_s <= one.at_s <= end_s],
        )

    def _latency_ms(self, played: Played, arrived: dict[Place, float]) -> Iterator[float]:
        """Yield for each coup the time from the last byte of the first good copy of its result to its message."""
        for number in range(self._angel.tables):
            messages, (times, offsets) = self._load.line(number).messages, played.writes(number)
            for coup in self._whole(number):
                at_s = arrived.get((table_name(number), coup.shoe, coup.number))
                if at_s is not None:
                    yield (at_s - times[bisect_left(offsets, messages[coup.last].good[0][1])]) * 1e3


def _counted(ledger: Path) -> tuple[int, int]:
    """Return the number of shoes' frames, without the gateway's own facts about a line, and of all rows."""
    with closing(sqlite3.connect(ledger)) as db:
        of_shoes = "frame <> x'' AND substr(frame, 1, 1) <> x'16'"
        frames, rows = db.execute(f"SELECT sum({of_shoes}), count(*) FROM entries").fetchone()
    return frames, rows


def _late_ms(times: "array[float]") -> float:
    """Return by how much the player's turns were longer than planned, at the 99th percentile."""
    gaps = [after - before for before, after in pairwise(times)]
    return (percentile(gaps, 99) - angel_player.TURN_S) * 1e3 if len(gaps) > 1 else 0.0

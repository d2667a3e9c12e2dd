"""From the bytes of many shoes to entries that wait for the ledger, in one process: no ports, no ledger, no broker."""

import selectors
import time
from dataclasses import dataclass, field
from typing import Final, cast

from sabot_gateway.config import Table
from sabot_gateway.incidents.book import IncidentBook
from sabot_gateway.operator.capture_streams import CaptureStreams
from sabot_gateway.own_entries import OwnEntries
from sabot_gateway.publish.status import StatusTopics
from sabot_gateway.shoe.link import ShoeLink
from sabot_gateway.shoe.ports import Line, Port
from sabot_gateway.table_lines import TableLines
from sabot_gateway.table_session import TableSession
from sabot_gateway.verify import Verifier
from sabot_protocol import rulebooks
from sabot_service.moment import Moment, utc

from sabot_tools.bench import shoe_player
from sabot_tools.bench.shoe_player import Shoe

_START_S: Final = 1_790_000_000.0
_TURN_S: Final = 0.3  # as far apart as the events of the logs
_TURNS_TO_GREET: Final = 4  # WHO, HELLO, WELCOME, the shoe's clock
_SWEEP_S: Final = 0.25  # how often a table is visited that has sent nothing
_GATEWAY: Final = bytes(range(8))


@dataclass
class _Wire:
    """In place of a port: what is put in is read once; what is written goes to the shoe while it is greeted."""

    shoe: Shoe
    waiting: bytes | None = None
    greeted: bool = False

    def read(self, _most: int) -> bytes | None:
        data, self.waiting = self.waiting, None
        return data

    def write(self, data: bytes) -> int:
        if not self.greeted:
            self.shoe.receive(data)
        return len(data)


class _NoStatus:
    """In place of the topics of the tables' status."""

    def problem(self, table: TableSession, problem: str, at: Moment) -> None:
        """Drop it."""

    def connected(self, table: TableSession, time: str) -> None:
        """Drop it."""

    def concern(self, table: TableSession, at: Moment) -> None:
        """Drop it."""


@dataclass
class _NoCaptures:
    """In place of the captures: none runs."""

    running: dict[str, object] = field(default_factory=dict, init=False)


class GatewayStages:
    """Tables as the daemon has them, each with its shoe; time runs only with their turns."""

    def __init__(self, shoes: list[Shoe]) -> None:
        self._now_s, self.entries = 0.0, 0
        self._wires = [_Wire(shoe) for shoe in shoes]
        self._tables = {f"bac-{wire.shoe.number:04}": _session(wire) for wire in self._wires}
        own = OwnEntries(_GATEWAY.hex(), 1)
        status, captures = cast(StatusTopics, _NoStatus()), cast(CaptureStreams, _NoCaptures())
        selector = selectors.DefaultSelector()
        self._lines = TableLines(self._tables, selector, status, captures, own, lambda: _START_S + self._now_s)
        for _ in range(_TURNS_TO_GREET):
            reads = [shoe.output(self._now_s) for shoe in shoes]
            for shoe, data in zip(shoes, reads, strict=True):
                shoe.written(len(data))
            self.turn(reads)
        for wire in self._wires:
            wire.greeted = True

    def turn(self, reads: list[bytes], after_s: float = _TURN_S) -> None:
        """Carry what each shoe has sent through the stages, as a turn of the loop does; the ledger is left out."""
        self._now_s += after_s
        at, tables = Moment(self._now_s, utc(_START_S + self._now_s)), self._tables.values()
        for wire, data in zip(self._wires, reads, strict=True):
            wire.waiting = data or None
        for table in tables:
            received = self._lines.read(table, at)
            if received is not None:
                table.receive(received, at.now_s, at.time)
        for table in tables:
            self.entries += len(table.pending)
            table.stored(at)
        for table in tables:
            self._lines.tend(table, at)

    def sweep(self, turns: int) -> None:
        """Visit tables that have sent nothing."""
        for _ in range(turns):
            self._now_s += _SWEEP_S
            at = Moment(self._now_s, utc(_START_S + self._now_s))
            for table in self._tables.values():
                table.link.restart_silence(at.now_s)
                self._lines.tend(table, at)


def _session(wire: _Wire) -> TableSession:
    name, book = f"bac-{wire.shoe.number:04}", rulebooks.load(shoe_player.RULEBOOK)
    profile, line = shoe_player.profile(), Line("none", 9600)
    line.port = cast(Port, wire)
    link = ShoeLink(profile, lambda unit: 0, _GATEWAY)
    config = Table(name=name, port="none", rulebook=shoe_player.RULEBOOK)
    return TableSession(config, line, link, Verifier(name, book, profile), IncidentBook(name, book))


def cpu_us_a_frame(shoes: list[Shoe], frames_a_read: int) -> float:
    """Return the CPU time of a frame when each port brings so many in a turn."""
    stages, frames = GatewayStages(_again(shoes)), len(shoes[0].wire)
    reads = [[b"".join(shoe.wire[at : at + frames_a_read]) for shoe in shoes] for at in range(0, frames, frames_a_read)]
    begun_s, before = time.process_time(), stages.entries
    for each in reads:
        stages.turn(each, _TURN_S * frames_a_read)
    used_s, stored = time.process_time() - begun_s, stages.entries - before
    if stored < len(shoes) * frames:
        raise RuntimeError(f"{stored} entries of {len(shoes) * frames} events: this measured something else")
    return used_s / (len(shoes) * frames) * 1e6


def cpu_us_a_visit(shoes: list[Shoe], visits: int) -> float:
    """Return the CPU time of a visit at a table that has sent nothing."""
    stages = GatewayStages(_again(shoes))
    begun_s = time.process_time()
    stages.sweep(visits)
    return (time.process_time() - begun_s) / (len(shoes) * visits) * 1e6


def _again(shoes: list[Shoe]) -> list[Shoe]:
    """Return the same shoes before their first event."""
    return [Shoe(shoe.number, shoe.wire) for shoe in shoes]

"""The firmware's card reader on the MicroPython VM or in this interpreter: edges in, answers out."""

import struct
import subprocess
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol, Self

from sabot_protocol.cards import DECK
from sabot_protocol.fields import RejectReason

from sabot_sim.optics.signals import Edge
from sabot_sim.rigs import firmware
from sabot_sim.rigs.rig import BenchError
from sabot_sim.rigs.vm import HEAP, firmware_dir, micropython
from sabot_sim.stack import CUT

MOST_SPAN_US = 24 * 3600 * 1_000_000

_CARD, _CUT = 1, 2
_ANSWER = struct.Struct("<BBBBHH")
_MOST_SAMPLES = 400
_LONGEST_US = 1 << 29  # half the range of the tick counter; a board samples more often


class Answer(NamedTuple):
    """A card (or the cutting card), or the reason for the reject."""

    card: str | None
    reason: str | None
    margin_pct: int
    speed_mm_s: int
    columns: int
    doubtful: int


class ReaderBench(Protocol):
    """A reader for cards of one set at a time."""

    def read(self, card_set: int, reads: Sequence[Sequence[Edge]]) -> list[list[Answer]]:
        """Return the answers to each of these reads; the path is cleared in between."""


class CPythonReader:
    """The firmware's modules in this interpreter."""

    def __init__(self) -> None:
        self._replay = firmware.module("replay").Replay()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def read(self, card_set: int, reads: Sequence[Sequence[Edge]]) -> list[list[Answer]]:
        """Return the answers to each of these reads."""
        return [self._read(card_set, edges) for edges in reads]

    def _read(self, card_set: int, edges: Sequence[Edge]) -> list[Answer]:
        replay, answers = self._replay, bytearray()
        replay.reader.set_no = card_set
        for elapsed_us, pins in _samples(edges):
            replay.feed(elapsed_us, pins)
            answers += self._take()
        replay.finish()
        return _answers(answers + self._take())

    def columns(self) -> list[tuple[int, int, int, bool]]:
        """Return start and end in microseconds since the first read, value and doubt of each column of one card."""
        marks = self._replay.reader.marks
        return [
            (
                marks.times[0] + (marks.starts[column] << marks.scale),
                marks.times[0] + (marks.ends[column] << marks.scale),
                marks.values[column],
                bool(marks.doubtful >> column & 1),
            )
            for column in range(marks.columns)
        ]

    def _take(self) -> bytes:
        buffer = self._replay.answers
        answers = bytes(buffer[1 : 1 + _ANSWER.size * buffer[0]])
        buffer[0] = 0
        return answers


class VmReader:
    """The firmware on a MicroPython VM with the board's heap, over pipes."""

    _IN_FLIGHT_BYTES = 30_000  # less than a pipe holds, so that the two sides cannot deadlock

    def __init__(self) -> None:
        args = [micropython(), "-X", HEAP, str(firmware_dir() / "bench" / "replay.py")]
        self._vm = subprocess.Popen(
            args, env={"MICROPYPATH": f"{firmware_dir()}:.frozen"}, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._vm.kill()
        self._vm.communicate()

    def read(self, card_set: int, reads: Sequence[Sequence[Edge]]) -> list[list[Answer]]:
        """Return the answers to each of these reads."""
        found: list[list[Answer]] = [[] for _ in reads]
        waiting: list[int] = []
        size = 0
        for number, edges in enumerate(reads):
            for part in _parts(card_set, edges):
                if size + len(part) > self._IN_FLIGHT_BYTES:
                    self._collect(waiting, found)
                    size = 0
                self._send(part)
                waiting.append(number)
                size += len(part)
        self._collect(waiting, found)
        return found

    def _send(self, part: bytes) -> None:
        assert self._vm.stdin
        self._vm.stdin.write(part)

    def _collect(self, waiting: list[int], found: list[list[Answer]]) -> None:
        """Read the answer to every part that was sent."""
        self._flush()
        for number in waiting:
            found[number] += self._answered()
        waiting.clear()

    def _flush(self) -> None:
        assert self._vm.stdin
        try:
            self._vm.stdin.flush()
        except BrokenPipeError as error:
            raise BenchError("the MicroPython VM has ended; its last output is above") from error

    def _answered(self) -> list[Answer]:
        assert self._vm.stdout
        count = self._vm.stdout.read(1)
        if not count:
            raise BenchError("the MicroPython VM has ended; its last output is above")
        return _answers(self._vm.stdout.read(count[0] * _ANSWER.size))


BENCHES: dict[str, type[CPythonReader] | type[VmReader]] = {"unix": VmReader, "cpython": CPythonReader}


def _samples(edges: Sequence[Edge]) -> Iterator[Edge]:
    """Yield edges as (microseconds since the last, pins); long gaps are split."""
    last_us = pins = 0
    for t_us, level in edges:
        while t_us - last_us > _LONGEST_US:
            yield _LONGEST_US, pins
            last_us += _LONGEST_US
        yield t_us - last_us, level
        last_us, pins = t_us, level


def _parts(card_set: int, edges: Sequence[Edge]) -> Iterator[bytes]:
    """Yield the requests of one read, as firmware/bench/replay.py takes them."""
    samples = list(_samples(edges))
    for first in range(0, max(1, len(samples)), _MOST_SAMPLES):
        part = samples[first : first + _MOST_SAMPLES]
        last = first + _MOST_SAMPLES >= len(samples)
        times, pins = [elapsed_us for elapsed_us, _ in part], [level for _, level in part]
        yield struct.pack(f"<BBH{len(part)}I{len(part)}H", card_set, last, len(part), *times, *pins)


def _answers(data: bytes | bytearray) -> list[Answer]:
    return [_answer(*fields) for fields in _ANSWER.iter_unpack(data)]


def _answer(kind: int, number: int, margin_pct: int, columns: int, doubtful: int, speed_mm_s: int) -> Answer:
    card = DECK[number] if kind == _CARD else CUT if kind == _CUT else None
    reason = None if card else RejectReason.decmapping[number]
    return Answer(card, reason, margin_pct, speed_mm_s, columns, doubtful)

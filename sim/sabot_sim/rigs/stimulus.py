"""The stimulus: inputs of a shoe as firmware/sabot/boards/stimulus.py reads them, and its answers."""

import struct
from collections.abc import Iterable, Iterator
from typing import Final

from sabot_sim.optics.signals import Edge

PROBES: Final = 2  # samples without a change that must be answered before a rig is quiet
_RECORD = struct.Struct("<HBH")  # microseconds since the last record (low 16, high 8 bits), levels
_ANSWER = struct.Struct("<HH")
_MOST_US = 0xFFFFFF
# When a board samples inputs that do not change: soon after a change, and then every second.
_STILL_US: Final = (4_000, 12_000, 28_000, 60_000, 124_000, *range(1_000_000, 8_000_001, 1_000_000))


class Stimulus:
    """The bench's end: packs records, reads answers; `outputs` is lock and lamps by the last answer."""

    def __init__(self) -> None:
        self._sent = self._taken = self._levels = 0
        self._answers = b""
        self.outputs: int | None = None

    def records(self, changes: Iterable[tuple[int, int]]) -> bytes:
        """Pack changes of the inputs: (microseconds since the last change, levels)."""
        packed = bytearray()
        for dt_us, levels in changes:
            while dt_us > _MOST_US:  # a record holds 24 bits of time
                packed += self._record(_MOST_US, self._levels)
                dt_us -= _MOST_US
            packed += self._record(dt_us, levels)
        return bytes(packed)

    def _record(self, dt_us: int, levels: int) -> bytes:
        self._sent = self._sent + 1 & 0xFFFF
        self._levels = levels
        return _RECORD.pack(dt_us & 0xFFFF, dt_us >> 16, levels)

    def answered(self, data: bytes) -> None:
        """Take bytes that the shoe has answered."""
        self._answers += data
        whole = len(self._answers) // _ANSWER.size * _ANSWER.size
        if whole:
            self._taken, self.outputs = _ANSWER.unpack(self._answers[whole - _ANSWER.size : whole])
            self._answers = self._answers[whole:]

    def settled(self) -> bool:
        """Return True when every record was answered, so that `outputs` is current."""
        return self._sent == self._taken


def with_stills(edges: Iterable[Edge], since_us: int, levels: int, until_us: int) -> Iterator[Edge]:
    """Yield the edges and, between them, the samples without a change that a board takes."""
    for t_us, after in [*edges, (until_us, None)]:
        for still_us in _STILL_US:
            if since_us + still_us >= t_us:
                break
            yield since_us + still_us, levels
        since_us, levels = t_us, levels if after is None else after
        yield since_us, levels


def stimulus(edges: Iterable[Edge], since_us: int, levels: int, until_us: int) -> list[tuple[int, int]]:
    """Return the same as records: (microseconds since the last record, levels)."""
    records = []
    for t_us, after in with_stills(edges, since_us, levels, until_us):
        records.append((t_us - since_us, after))
        since_us = t_us
    return records

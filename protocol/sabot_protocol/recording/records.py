"""The records of a recording: their types, their limits, and how many of each a recording holds."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

MAX_LINE_BYTES: Final = 1 << 12
MAX_T_US: Final = (1 << 53) - 1  # what every JSON reader holds exactly
MAX_LEVELS: Final = 0xFFFF
MAX_RECORDS: Final = (1 << 32) - 1
SENDERS: Final = {"shoe": 1, "gateway": 2}


class RecordingError(ValueError):
    """What is wrong with a recording, and at which byte."""

    def __init__(self, what: str, at: int | None = None) -> None:
        super().__init__(what if at is None else f"byte {at}: {what}")
        self.at = at


class CutOffError(RecordingError):
    """The recording was cut off; what was read of it is sound."""


class Edge(NamedTuple):
    """The levels of all inputs from this time on; before the first edge all are 0."""

    t_us: int
    levels: int


class Line(NamedTuple):
    """Bytes as they came over the serial line, from `shoe` or `gateway`."""

    t_us: int
    sender: str
    data: bytes


class Act(NamedTuple):
    """What people or the world did, other than moving inputs: a JSON object with the act in `do`."""

    t_us: int
    act: dict[str, Any]


Record = Edge | Line | Act


@dataclass
class Counts:
    """How much a recording holds."""

    blocks: int = 0
    edges: int = 0
    lines: int = 0
    line_bytes: int = 0
    acts: int = 0

    @property
    def records(self) -> int:
        """Return the number of all records."""
        return self.edges + self.lines + self.acts

    def at_end(self) -> tuple[int, int, int, int]:
        """Return the counts as the end of a recording holds them."""
        return self.blocks, self.edges, self.lines + self.acts, self.line_bytes

    def add(self, record: Record) -> None:
        """Count a record."""
        if isinstance(record, Edge):
            self.edges += 1
        elif isinstance(record, Act):
            self.acts += 1
        else:
            self.lines += 1
            self.line_bytes += len(record.data)


def content_of(record: Line | Act) -> bytes:
    """Return the bytes of a record that follow its length."""
    if isinstance(record, Line):
        return record.data
    try:
        return json_bytes(record.act)
    except (TypeError, ValueError, RecursionError) as error:
        raise RecordingError(f"an act that JSON cannot hold: {error}") from error


def json_bytes(value: Mapping[str, Any]) -> bytes:
    return json.dumps(dict(value), ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def problem_with(record: Record, last_us: int) -> str | None:
    """Return why a recording cannot hold this record after one of that time; None if it can."""
    if not last_us <= record.t_us <= MAX_T_US:
        return f"{record.t_us} us after {last_us} us; records go forwards in time, up to {MAX_T_US} us"
    if isinstance(record, Edge):
        return None if 0 <= record.levels <= MAX_LEVELS else f"levels {record.levels:#x}; there are 16 inputs"
    if isinstance(record, Line) and record.sender not in SENDERS:
        return f"bytes from {record.sender!r}; the line has {' and '.join(SENDERS)}"
    size, what = len(content_of(record)), "the line" if isinstance(record, Line) else "an act"
    return None if 0 < size <= MAX_LINE_BYTES else f"{size} bytes of {what}; 1 to {MAX_LINE_BYTES} make a record"

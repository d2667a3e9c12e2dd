"""A recording in memory, and how its edges are grouped for a replay."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sabot_protocol import recording
from sabot_protocol.cardcode import PINS
from sabot_protocol.recording import Act, Edge, Line, RecordingError

from sabot_tools.replay.table_setup import TableSetup

Json = dict[str, Any]

_PAUSE_US: Final = 100_000  # a gap this long between two edges ends a burst, unless a card is in the path
_SENSORS: Final = sum(1 << pin for pin in PINS.values())
_TAIL_US: Final = 500_000  # after the last record


@dataclass(frozen=True)
class LoadedRecording:
    """A recording in memory."""

    metadata: Json
    records: list[Edge | Act]

    def noisy(self) -> bool:
        """Return True if the serial line misbehaves at any time."""
        return any(isinstance(record, Act) and record.act.get("do") == "line" for record in self.records)

    def table_setup(self) -> TableSetup:
        """Return the table that the metadata describes."""
        meta = self.metadata
        given = {name: meta[name] for name in ("rulebook", "decks", "card_set", "options") if name in meta}
        key = bytes.fromhex(meta["key"]) if "key" in meta else None
        started_us = meta.get("started_unix_us")
        return TableSetup(**given, key=key, **({} if started_us is None else {"started_s": started_us / 1e6}))


def load(path: Path) -> LoadedRecording:
    """Return a recording for a replay; RecordingError if it is damaged or has no edges."""
    reader = recording.Reader()
    with path.open("rb") as file:
        pieces = iter(lambda: file.read(1 << 16), b"")
        records = [record for record in recording.read(reader, pieces) if not isinstance(record, Line)]
    if not any(isinstance(record, Edge) for record in records):
        raise RecordingError(
            "the recording has no edges, only bytes of the serial line: use `sabot inspect`, it cannot be replayed"
        )
    return LoadedRecording(reader.metadata or {}, records)


def bursts(records: Iterable[Edge | Act]) -> Iterator[tuple[list[tuple[int, int]], int, Act | None]]:
    """Yield edges that belong together, the time to advance to, and the act to perform then."""
    edges: list[tuple[int, int]] = []
    end_us = 0
    for record in records:
        # A burst must not end while a card is in the path: a chip, whose time goes on, would see the card stop.
        path_clear = bool(edges) and not edges[-1][1] & _SENSORS
        if path_clear and record.t_us - end_us >= _PAUSE_US:
            yield edges, end_us + _PAUSE_US, None
            edges = []
        end_us = record.t_us
        if isinstance(record, Act):
            yield edges, end_us, record
            edges = []
        else:
            edges.append((record.t_us, record.levels))
    yield edges, end_us + _TAIL_US, None

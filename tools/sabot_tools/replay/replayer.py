"""Replay: edges and acts of a recording through a system, the same every time; what came of it, as a sidecar has it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import msgspec
from sabot_gateway.shoe import parse
from sabot_protocol import recording
from sabot_protocol.cardcode import PINS
from sabot_protocol.recording import Act, Edge, Line, RecordingError
from sabot_sim.rigs.rig import BenchError

from sabot_tools.actions.inspect import plain
from sabot_tools.replay.act_handlers import ActHandlers, Json
from sabot_tools.replay.system import ReplayError, ReplaySystem
from sabot_tools.replay.table_setup import TableSetup

_PAUSE_US: Final = 100_000  # after an edge without a follower for so long all is settled, unless a card is in the path
_SENSORS: Final = sum(1 << pin for pin in PINS.values())
_TAIL_US: Final = 500_000  # behind the last record


@dataclass(frozen=True)
class LoadedRecording:
    """A recording in memory."""

    metadata: Json
    records: list[Edge | Act]

    def noisy(self) -> bool:
        """Whether its line misbehaves at any time."""
        return any(isinstance(record, Act) and record.act.get("do") == "line" for record in self.records)

    def table_setup(self) -> TableSetup:
        """The table that its metadata describes."""
        meta = self.metadata
        given = {name: meta[name] for name in ("rulebook", "decks", "card_set", "options") if name in meta}
        key = bytes.fromhex(meta["key"]) if "key" in meta else None
        started_us = meta.get("started_unix_us")
        return TableSetup(**given, key=key, **({} if started_us is None else {"started_s": started_us / 1e6}))


_HEADS: Final = "ledger"  # hashes of everything, the program's own included: hil_tests/test_7_heads.py compares them


@dataclass
class ReplayResult:
    """What a replay has brought, as a sidecar keeps it."""

    events: list[Json] = field(default_factory=list)
    published: list[Json] = field(default_factory=list)
    said: list[Json] = field(default_factory=list)
    counters: dict[str, int] = field(default_factory=dict)
    problem: str = ""  # why it did not come to its end
    noisy: bool = False  # the line lost or damaged bytes: how often something was said again is chance


def load(path: Path) -> LoadedRecording:
    """A recording that can be replayed: RecordingError where it is damaged or holds no input."""
    reader = recording.Reader()
    with path.open("rb") as file:
        pieces = iter(lambda: file.read(1 << 16), b"")
        records = [record for record in recording.read(reader, pieces) if not isinstance(record, Line)]
    if not any(isinstance(record, Edge) for record in records):
        raise RecordingError("no edges: what the serial line carried can be inspected, but not replayed")
    return LoadedRecording(reader.metadata or {}, records)


def bursts(records: Iterable[Edge | Act]) -> Iterator[tuple[list[tuple[int, int]], int, Act | None]]:
    """Edges that belong together, until when time is to go on, and the act that is done then."""
    edges: list[tuple[int, int]] = []
    end_us = 0
    for record in records:
        clear = bool(edges) and not edges[-1][1] & _SENSORS  # else a chip, whose time goes on, would see a card stop
        if clear and record.t_us - end_us >= _PAUSE_US:
            yield edges, end_us + _PAUSE_US, None
            edges = []
        end_us = record.t_us
        if isinstance(record, Act):
            yield edges, end_us, record
            edges = []
        else:
            edges.append((record.t_us, record.levels))
    yield edges, end_us + _TAIL_US, None


class Replayer:
    """One recording on one system."""

    def __init__(self, recorded: LoadedRecording, system: ReplaySystem) -> None:
        self.recorded, self.system, self.acts = recorded, system, ActHandlers(system)

    def run(self, progress: Callable[[float], None] = lambda share: None) -> ReplayResult:
        """Play it to its end, or as far as it goes: `problem` says why not."""
        try:
            self._play(progress)
        except (ReplayError, BenchError) as error:
            return replace(self._collect({}), problem=str(error))
        return self._collect({name: value for name, value in self.system.counted().items() if value})

    def _play(self, progress: Callable[[float], None]) -> None:
        self.system.start()
        end_us = self.recorded.records[-1].t_us or 1
        for edges, until_us, act in bursts(self.recorded.records):
            self.system.play(edges, until_us)
            if act is not None:
                self.system.wait_until_idle()
                self.acts.perform(act.act)
            progress(min(1.0, until_us / end_us))
        self.system.wait_until_idle()

    def _collect(self, counters: dict[str, int]) -> ReplayResult:
        """Everything that is compared."""
        system = self.system
        names = dict(system.names())
        published = [{"topic": topic, **said} for topic, said in system.subscriber.received if topic != _HEADS]
        return ReplayResult(
            _named([_event(entry.unit, entry.frame) for entry in system.ledger() if entry.frame], names),
            _named(sorted(published, key=lambda one: str(one["topic"])), names),
            _named(self.acts.answers, names),
            counters,
            noisy=self.recorded.noisy(),
        )


def _event(unit: str, frame: bytes) -> Json:
    event = parse.event(unit, parse.frame(frame))
    data = {name: _flags(value) for name, value in plain(event.data).items()}
    return {"no": event.event_no, "unit": unit, "time_ms": event.time_ms, "event": event.kind, **data}


def _flags(value: Any) -> Any:
    """Flags by the names of those that are set."""
    is_flags = isinstance(value, dict) and value and all(isinstance(one, bool) for one in value.values())
    return [name for name, is_set in value.items() if is_set] if is_flags else value


def _named(lines: list[Json], names: dict[str, str]) -> list[Json]:
    """The same with names instead of ids that are others in each run."""
    text = msgspec.json.encode(lines).decode()
    for value, name in names.items():
        text = text.replace(value, name)
    found: list[Json] = msgspec.json.decode(text)
    return found

"""The judgement: the ledger of every table against what its line brought, one sentence a difference."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import msgspec
from sabot_gateway.ledger import Reader, Stored, audit
from sabot_tools.bench.angel_lines import Dealt, Line
from sabot_tools.bench.angel_player import Load, Played
from sabot_tools.bench.gateway_load import table_name

from angel_kills import truth

_FACT: Final = 0x16  # first byte of what the gateway itself adds, such as the opening of a port
_CONNECT: Final = b'"connect"'
_COMPARED: Final = ("player", "banker", "winner", "player_pair", "banker_pair")


@dataclass
class Counts:
    """What was compared; a judgement that compared nothing proves nothing."""

    messages: int = 0
    verified: int = 0
    cut: int = 0  # coups that a kill left without an end, or without a beginning
    changes_missed: int = 0  # tables where the cards were changed and no gateway could know it
    lost: int = 0  # messages that came within COMMITTED_WITHIN_S before a kill and are in no ledger


@dataclass
class Table:
    """The entries of one table: frames by connection, and what was published."""

    segments: list[list[tuple[int, bytes]]] = field(default_factory=list)  # event number, frame
    coups: list[dict[str, Any]] = field(default_factory=list)
    confirmed: list[dict[str, Any]] = field(default_factory=list)
    events: list[int] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)

    def take(self, entry: Stored) -> None:
        """Add an entry, in the order of the ledger."""
        message = msgspec.json.decode(entry.payload) if entry.payload else {}
        self.ids += [message["id"]] if "id" in message else []
        if entry.topic in ("coup", "confirmed"):
            (self.coups if entry.topic == "coup" else self.confirmed).append(message)
        if not entry.frame or entry.event_no is None:
            return
        self.events.append(entry.event_no)
        if entry.frame[0] != _FACT:
            self.segments[-1].append((entry.event_no, entry.frame))
        elif _CONNECT in entry.frame:
            self.segments.append([])


def tables(ledger_path: Path) -> dict[str, Table]:
    """Return every table of a ledger."""
    found = dict[str, Table]()
    with closing(Reader(ledger_path)) as ledger:
        for entry in ledger.entries():
            found.setdefault(entry.table, Table()).take(entry)
    return found


@dataclass
class Judged:
    """What a run has left: `received` has topic and id of every message by table, `kills_s` are the gateway's."""

    ledger: Path
    load: Load
    played: Played
    kills_s: Sequence[float]
    received: dict[str, set[str]]
    within_s: float  # what came earlier before a kill must be in the ledger


def findings(run: Judged, counts: Counts) -> list[str]:
    """Return what is wrong, nothing if all is as it must be."""
    found = [f"ledger: {fault}" for fault in audit.verify(run.ledger).faults]
    found += [f"{run.played.overruns} clients did not take what was sent"] if run.played.overruns else []
    stored = tables(run.ledger)
    for number in range(len(run.load.listeners)):
        name, line = table_name(number), run.load.line(number)
        table = stored.get(name, Table())
        clients = truth.connections(run.played, number, run.kills_s, run.within_s)
        problems = [*_table(table, line, clients, counts), *_published(table, run.received.get(name, set()))]
        found += [f"{name}: {problem}" for problem in problems]
    return found


def _table(table: Table, line: Line, clients: list[truth.Connection], counts: Counts) -> Iterator[str]:
    """Compare frames and coups of a table with its line."""
    if table.events != list(range(1, len(table.events) + 1)):
        yield "event numbers are not 1, 2, 3 …"
    if len(set(table.ids)) != len(table.ids):
        yield "an id is there twice"
    if len(table.segments) > len(clients):
        yield f"{len(table.segments)} openings in the ledger, but {len(clients)} clients came"
    source, stored = dict[int, Dealt](), set[int]()
    segments = iter(_matched(table, line, clients))
    for client in clients:
        segment, order = next(segments), client.order(line)
        frames = [frame for _, frame in segment]
        if not _fits(segment, line, order):
            yield _first_difference(frames, [line.messages[number].frame for number in order])
            continue
        missing = [number for number in order[len(frames) :] if client.brought(line, number)]
        if missing:
            yield f"{len(missing)} messages are missing that two copies brought, the first is number {missing[0]}"
        counts.messages += len(frames)
        counts.lost += len(order) - len(frames)
        stored.update(order[: len(frames)])
        here = truth.whole(line, order[: len(frames)])
        source |= {segment[order.index(coup.last)][0]: coup for coup in here}
    missed = truth.misses_a_change(line, stored)
    counts.changes_missed += missed
    yield from _coups(table, source, counts, doubts=missed)


def _matched(table: Table, line: Line, clients: list[truth.Connection]) -> list[list[tuple[int, bytes]]]:
    """Return the segment of each client; one that was killed before its opening was stored has none."""
    found, rest = list[list[tuple[int, bytes]]](), list(table.segments)
    for client in clients:
        order = client.order(line)
        fits = bool(rest) and _fits(rest[0], line, order)
        needed = any(client.brought(line, number) for number in order)
        found.append(rest.pop(0) if rest and (fits or needed) else [])
    return found


def _fits(segment: list[tuple[int, bytes]], line: Line, order: list[int]) -> bool:
    """Return True if these frames are the first that a client got."""
    return [frame for _, frame in segment] == [line.messages[number].frame for number in order[: len(segment)]]


def _first_difference(frames: list[bytes], due: list[bytes]) -> str:
    pairs = zip(frames, [*due, *[b""] * len(frames)], strict=False)
    place, (stored, sent) = next((at, pair) for at, pair in enumerate(pairs) if pair[0] != pair[1])
    return f"frame {place} of a connection is {stored.hex(' ')}, but the line brought {sent.hex(' ') or 'nothing'}"


def _coups(table: Table, source: dict[int, Dealt], counts: Counts, *, doubts: bool) -> Iterator[str]:
    """Compare the coups: whole ones once and as dealt, and verified; others never verified.

    Doubts: the cards were changed unseen, so a card can come too often for one shoe, and its coup is disputed.
    """
    verified = [coup for coup in table.coups if coup["status"] == "verified"]
    for coup in table.coups:
        dealt = source.get(coup["event_no"])
        if dealt is None:
            yield from _cut(coup)
        elif wrong := [key for key in _COMPARED if coup[key] != getattr(dealt, key)]:
            yield f"coup {coup['id']} differs from what was dealt: {', '.join(wrong)}"
        elif coup["status"] != "verified" and not doubts:
            yield f"coup {coup['id']} came whole, but is {coup['status']} with flags {coup.get('flags')}"
    here = {coup["event_no"] for coup in table.coups}
    if missing := source.keys() - here:
        yield f"{len(missing)} coups came whole and were not published, the first with event {min(missing)}"
    numbers = [(coup["shoe"], coup["coup"]) for coup in table.coups]
    if numbers != sorted(set(numbers)):
        yield "the numbers of shoes and coups do not rise"
    if [one["coup_id"] for one in table.confirmed] != [one["id"] for one in verified]:
        yield f"{len(table.confirmed)} coups are confirmed, {len(verified)} are verified"
    counts.verified += len(verified)
    counts.cut += sum(coup["event_no"] not in source for coup in table.coups)


def _cut(coup: dict[str, Any]) -> Iterator[str]:
    if coup["status"] != "disputed" or not coup.get("flags") or coup.get("winner"):
        yield f"coup {coup['id']} did not come whole, but is {coup['status']} with flags {coup.get('flags')}"


def _published(table: Table, received: set[str]) -> Iterator[str]:
    stored = {f"coup {one['id']}" for one in table.coups} | {f"confirmed {one['id']}" for one in table.confirmed}
    if stored != received:
        yield f"{len(stored - received)} messages did not arrive, {len(received - stored)} arrived that are not stored"

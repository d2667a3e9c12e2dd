"""Audit: find out whether a ledger is what was written: a quick check when the daemon starts, a full one on request."""

import gc
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

from sabot_protocol.inputs.plain_text import counted
from sabot_protocol.topics import LedgerMessage

from sabot_gateway.ledger import heads, schema
from sabot_gateway.ledger.errors import LedgerError
from sabot_gateway.ledger.files import Rest, sidecar_path
from sabot_gateway.ledger.heads import Kept
from sabot_gateway.ledger.reader import Reader
from sabot_gateway.ledger.recompute import Range, SharedRanges
from sabot_gateway.ledger.units import Run

_AT_START = 200_000  # newest entries that a start checks; everything of a ledger that has no more
_MOST_FAULTS = 5  # of one kind
_TRIES = 3

Progress = Callable[[int], None]
Runs = dict[Range, Run | LedgerError]


@dataclass
class Start:
    """A ledger that may be used: notes for the log, and whether its derived tables must be rebuilt first."""

    notes: list[str] = field(default_factory=list)
    rebuild: bool = False


@dataclass
class Verdict:
    """Everything that is wrong with a ledger, the entries first, and notes about it."""

    entries: int = 0
    version: int = schema.VERSION
    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def start(path: Path, key: bytes | None, *, whole: bool = False) -> Start:
    """Refuse a damaged ledger: check the newest entries; everything if it is small, or if `whole`."""
    try:
        with closing(Reader(path)) as reader:
            _refuse(reader.schema_difference())
            _refuse(reader.unsigned_checkpoint(key))
            if not whole and reader.span() > _AT_START:
                reader.verify_newest(_AT_START)
                return Start()
            reader.verify_structure()
            reader.verify_chain()
            different = reader.derived_difference()
    except schema.NewerError:
        raise
    except (LedgerError, sqlite3.Error) as error:
        raise LedgerError(_refusal(path, error)) from error
    if different is None:
        return Start()
    return Start([f"{different}; it was rebuilt from the entries"], rebuild=True)


def _refuse(fact: str | None) -> None:
    if fact:
        raise LedgerError(fact)


def _refusal(path: Path, error: Exception) -> str:
    fact = str(error).removeprefix(f"ledger {path}: ")
    return (
        f"ledger {path} cannot be used: {fact}. Move {path.name} and the files beside it ({path.name}-…) away together "
        "and keep them; the daemon then starts a new ledger, and each shoe sends again what it still holds. "
        f"`sabot ledger verify {path}` lists all that is wrong"
    )


def verify(
    path: Path,
    key: bytes | None = None,
    progress: Progress = lambda done: None,
    known: Iterable[LedgerMessage] = (),
    *,
    fork: bool = False,
    rest: Rest | None = None,
) -> Verdict:
    """Check everything: chain, structure, derived tables, cursors, checkpoint, and heads that were kept elsewhere.

    With `fork`, which is for programs with one thread, a second process checks structure, tables and part of the chain.
    Without it, `rest` is called every millisecond or two.
    """
    known = list(known)
    for _ in range(_TRIES):
        before = _state(path)
        with _beside(path) if fork else _alone(path, rest) as check:
            verdict = _verify_once(path, key, progress, known, check)
        if not verdict.faults or _state(path) == before:
            break
    return verdict


def _state(path: Path) -> tuple[bool, int, int]:
    """Return what changes when a daemon begins to write a ledger that was at rest: then it must be read again."""
    found = path.stat() if path.is_file() else None
    return sidecar_path(path, "wal").exists(), found.st_mtime_ns if found else 0, found.st_size if found else 0


class _Check(NamedTuple):
    """What a check with one process or two offers: the ranges that are left to check, and the verdict of the tables."""

    ranges: Callable[[Reader], Iterable[Range]]
    tables: Callable[[], tuple[Verdict, Runs]]
    rest: Rest | None = None


@contextmanager
def _alone(path: Path, rest: Rest | None) -> Iterator[_Check]:
    """Check everything in this process."""
    yield _Check(Reader.ranges, lambda: (_tables(path, rest), {}), rest)


@contextmanager
def _beside(path: Path) -> Iterator[_Check]:
    """Begin the check of structure and tables in another process; then both share the ranges of the chain."""
    from concurrent.futures import ProcessPoolExecutor  # a third of the start, and a daemon needs none of it
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    shared = _shared_ranges(path)
    with _no_search_for_cycles(), closing(shared), ProcessPoolExecutor(1, get_context("fork")) as pool:
        begun = pool.submit(_tables_and_ranges, path, shared)

        def tables() -> tuple[Verdict, Runs]:
            try:
                return begun.result()
            except BrokenProcessPool:
                fault = "its tables are not checked: the process that checks them was ended; try again"
                return Verdict(faults=[fault]), {}

        yield _Check(lambda reader: shared.take(), tables)


@contextmanager
def _no_search_for_cycles() -> Iterator[None]:
    """Have Python look for no cycles, in both processes: rows make none, and the search takes its time."""
    searched = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if searched:
            gc.enable()


def _shared_ranges(path: Path) -> SharedRanges:
    """Return the ranges of a ledger as it is now; none of one that cannot be read, for which there will be an error."""
    shared = SharedRanges()
    with suppress(LedgerError, sqlite3.Error), closing(Reader(path)) as reader:
        shared.offer(reader.origin.seq, reader.newest()[0])
    return shared


def _tables_and_ranges(path: Path, shared: SharedRanges) -> tuple[Verdict, Runs]:
    """Check structure and tables, then ranges of the chain until none is left."""
    verdict = _tables(path)
    try:
        with closing(Reader(path)) as reader:
            reader.hold()
            return verdict, _followed(reader, shared.take())
    except (LedgerError, sqlite3.Error):  # the other process checks what is left
        return verdict, {}


def _followed(reader: Reader, ranges: Iterable[Range], progress: Progress = lambda done: None) -> Runs:
    """Follow ranges up to the first one with an error."""
    found: Runs = {}
    for part in ranges:
        try:
            found[part] = reader.follow(part)
        except LedgerError as error:
            found[part] = error
            break
        progress(part.last - part.after)
    return found


def _tables(path: Path, rest: Rest | None = None) -> Verdict:
    """Check structure, schema and derived tables over a connection of its own."""
    verdict = Verdict()
    try:
        with closing(Reader(path, rest)) as reader:
            reader.hold()
            for check in (_structure, _schema, _play):
                _checked(check, reader, verdict)
    except (LedgerError, sqlite3.Error) as error:
        verdict.faults.append(str(error))
    return verdict


def _verify_once(
    path: Path, key: bytes | None, progress: Progress, known: list[LedgerMessage], check: _Check
) -> Verdict:
    verdict = Verdict()
    try:
        kept = _kept(path, verdict)  # before the ledger is read: the daemon writes it after its entries
        with closing(Reader(path, check.rest)) as reader:
            reader.hold()
            verdict.version = reader.version
            runs = _followed(reader, check.ranges(reader), progress)
            found, others = check.tables()
            progress(sum(part.last - part.after for part in others))
            runs = _complete(reader, runs | others)
            _checked(partial(_chain, runs=runs), reader, verdict)
            _check_heads(reader, verdict, kept.head if kept else None, known, key)
            _checked(partial(_units, runs=runs), reader, verdict)
            verdict.faults += found.faults
            verdict.notes += found.notes
            _check_cursors(reader, verdict, kept)
            _check_pruned(reader, verdict, key)
    except (LedgerError, sqlite3.Error) as error:
        verdict.faults.append(str(error))
    return verdict


def _kept(path: Path, verdict: Verdict) -> Kept | None:
    try:
        return heads.read(sidecar_path(path, "head"))
    except LedgerError as error:
        verdict.faults.append(str(error))
        return None


def _checked(check: Callable[[Reader, Verdict], None], reader: Reader, verdict: Verdict) -> None:
    try:
        check(reader, verdict)
    except (LedgerError, sqlite3.Error) as error:
        verdict.faults.append(str(error))


def _complete(reader: Reader, runs: Runs) -> Runs:
    """Return the runs in order, up to the first error; follow what no process has followed as it is now."""
    found: Runs = {}
    for part in reader.ranges():
        run = runs.get(part)
        found |= {part: run} if isinstance(run, Run) else _followed(reader, [part])
        if isinstance(found[part], LedgerError):
            break
    return found


def _chain(_reader: Reader, verdict: Verdict, runs: Runs) -> None:
    entries = 0
    for run in runs.values():
        if isinstance(run, LedgerError):
            raise run
        entries += run.entries
    verdict.entries = entries


def _structure(reader: Reader, _verdict: Verdict) -> None:
    reader.verify_structure()


def _schema(reader: Reader, verdict: Verdict) -> None:
    different = reader.schema_difference()
    if different:
        verdict.faults.append(different)


def _units(reader: Reader, verdict: Verdict, runs: Runs) -> None:
    whole = [run for run in runs.values() if isinstance(run, Run)]
    _derived(reader, verdict, reader.units_difference(whole if len(whole) == len(runs) else None))


def _play(reader: Reader, verdict: Verdict) -> None:
    _derived(reader, verdict, reader.tables_difference())
    if reader.version < schema.VERSION:
        verdict.notes.append(
            f"of version {reader.version}: its derived tables are not checked, for the next start rebuilds them"
        )


def _derived(reader: Reader, verdict: Verdict, different: str | None) -> None:
    if different:
        verdict.faults.append(f"{different}; `sabot ledger rebuild {reader.path}` rebuilds it")


def _check_cursors(reader: Reader, verdict: Verdict, kept: Kept | None) -> None:
    found = reader.cursor_problems(kept.cursors if kept else {})
    verdict.faults += [problem for _, problem in found.values() if problem]
    if kept and kept.head.gateway == reader.gateway():
        _note_cursors_ahead(reader, verdict, {name: seq for name, (seq, problem) in found.items() if not problem})


def _note_cursors_ahead(reader: Reader, verdict: Verdict, cursors: dict[str, int]) -> None:
    """Note cursors that the next start puts back; compare with the head as it is now, which a daemon may rewrite."""
    now = heads.read(sidecar_path(reader.path, "head"))
    ahead = [heads.cursor_ahead(name, seq, now.cursors) for name, seq in cursors.items()] if now else []
    verdict.notes += [f"{fact}: the next start publishes again what is between" for fact in ahead if fact]


def _check_heads(
    reader: Reader, verdict: Verdict, kept: LedgerMessage | None, known: list[LedgerMessage], key: bytes | None
) -> None:
    """Compare with heads kept elsewhere: a chain alone cannot show that its end was cut off."""
    gateway, beside_it = reader.gateway(), sidecar_path(reader.path, "head").name
    if kept and kept.gateway != gateway and reader.version:
        verdict.faults.append(f"{beside_it} is of another ledger, of gateway {kept.gateway}")
    elif kept and key and not heads.is_signed(kept, key):
        verdict.faults.append(f"{beside_it} was changed: it is not signed by the ledger's key")
    elif kept:
        _compare(reader, verdict, [kept])
    if known:
        _check_known(reader, verdict, known, key)


def _check_known(reader: Reader, verdict: Verdict, known: list[LedgerMessage], key: bytes | None) -> None:
    gateway = reader.gateway()
    own = [head for head in known if head.gateway == gateway and (key is None or heads.is_signed(head, key))]
    if len(own) < len(known):
        others = f"{len(known) - len(own)} of {len(known)} heads are of another ledger, or not signed by its key"
        (verdict.notes if own else verdict.faults).append(f"{others}; this one is of gateway {gateway}")
    if own:
        verdict.notes.append(
            f"{counted(len(own), 'head')} compared, the newest of entry {max(head.entry for head in own)}"
        )
        _compare(reader, verdict, own)


def _compare(reader: Reader, verdict: Verdict, own: list[LedgerMessage]) -> None:
    found = {head: text for head in own if (text := heads.contradiction(reader, head))}
    accepted = reader.accepted() if found else []
    excused = [text for head, text in found.items() if heads.excused(head, accepted)]
    faults = [text for text in dict.fromkeys(found.values()) if text not in excused]
    verdict.notes += [f"{text}; a person accepted that" for text in excused[:_MOST_FAULTS]]
    verdict.faults += [text for text in faults[:_MOST_FAULTS] if text not in verdict.faults]


def _check_pruned(reader: Reader, verdict: Verdict, key: bytes | None) -> None:
    pruned = reader.pruned()
    if pruned is None:
        return
    pruning = f"entries up to {pruned.seq} were pruned; the last was of {pruned.time}"
    wrong = reader.unsigned_checkpoint(key)
    if wrong:
        verdict.faults.append(f"{pruning}; but {wrong}")
    elif key is None:
        verdict.notes.append(f"{pruning}; their checkpoint was not checked, for its key is not here")
    else:
        verdict.notes.append(f"{pruning}; their checkpoint is signed by the gateway's key")

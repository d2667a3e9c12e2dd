"""Audit: is a ledger what was written? Quickly when the daemon starts, wholly when somebody asks."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from sabot_gateway.ledger import schema, sums, wal
from sabot_gateway.ledger.chain import LedgerError
from sabot_gateway.ledger.reader import Reader
from sabot_gateway.ledger.sums import Sums, beside

_MOST_PAGES = 5  # named in a verdict
_TRIES = 5

Progress = Callable[[int], None]


@dataclass
class Start:
    """What a ledger that may be used needs first."""

    sums: Sums | None  # None: they must be made anew
    notes: list[str] = field(default_factory=list)
    rebuild: bool = False


@dataclass
class Verdict:
    """Everything that is wrong with a ledger, the entries first, and what else is to be said of it."""

    entries: int = 0
    version: int = schema.VERSION
    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def start(path: Path, *, recheck: bool = False) -> Start:
    """Refuse a damaged ledger. With sound sums: every page, and the chain of what is newer; else every entry."""
    log, found = wal.read(beside(path, "wal")), sums.load(path)
    notes = [_torn(log.torn)] if log.torn else []
    try:
        if log.damage:
            raise LedgerError(f"in {beside(path, 'wal').name}: {log.damage}")
        if found.sums and not recheck:
            for fault in sums.faults(path, found.sums, log):
                if not fault.mended:
                    raise LedgerError(fault.text)
                notes.append(fault.text)
            return Start(_newer(path, found.sums), notes)
        return _whole(
            path, [*notes, f"{found.problem or 'asked for'}: every entry was checked, and the sums are made anew"]
        )
    except schema.NewerError:
        raise
    except (LedgerError, sqlite3.Error) as error:
        raise LedgerError(_refusal(path, error)) from error


def _newer(path: Path, known: Sums) -> Sums:
    with closing(Reader(path)) as reader:
        reader.verify_from(known.seq, known.head)
    return known


def _whole(path: Path, notes: list[str]) -> Start:
    with closing(Reader(path)) as reader:
        reader.verify_structure()
        reader.verify_chain()
        different = reader.derived_difference()
        if reader.version < schema.WITH_SUMS:
            notes = []  # it never had any
    if different:
        notes.append(f"{different}; it was made anew from the entries")
    return Start(None, notes, rebuild=different is not None)


def _refusal(path: Path, error: Exception) -> str:
    fact = str(error).removeprefix(f"ledger {path}: ")
    return (
        f"ledger {path} cannot be used: {fact}. Move {path.name} and the files beside it ({path.name}-…) away together "
        "and keep them; the daemon then starts a new ledger, and each shoe sends again what it still holds. "
        f"`sabot ledger verify {path}` lists all that is wrong"
    )


def _torn(fact: str) -> str:
    return (
        f"the last transaction in its write-ahead log is not whole ({fact}): power was cut while it was written, "
        "then nothing is lost, for it was not acknowledged; or it was damaged later"
    )


def verify(path: Path, key: bytes | None = None, progress: Progress = lambda done: None) -> Verdict:
    """Check everything that is there: chain, structure, derived tables, every page, the log, the checkpoint."""
    verdict = Verdict()
    try:
        known = sums.load(path).sums if path.is_file() else None
        with closing(Reader(path)) as reader:
            reader.hold()
            _check_entries(reader, verdict, progress)
            _check_end(reader, verdict, known)
            _check_pruned(reader, verdict, key)
    except (LedgerError, sqlite3.Error) as error:
        verdict.faults.append(str(error))
    if path.is_file():
        _check_file(path, verdict)
    return verdict


def _check_entries(reader: Reader, verdict: Verdict, progress: Progress) -> None:
    verdict.version = reader.version
    for check in (_chain, _structure, _derived):
        try:
            check(reader, verdict, progress)
        except (LedgerError, sqlite3.Error) as error:
            verdict.faults.append(str(error))
    if reader.version < schema.WITH_SUMS:
        verdict.notes.append(f"of version {reader.version}, which has no page sums and no derived tables")


def _chain(reader: Reader, verdict: Verdict, progress: Progress) -> None:
    verdict.entries = reader.verify_chain(progress)


def _structure(reader: Reader, _verdict: Verdict, _progress: Progress) -> None:
    reader.verify_structure()


def _derived(reader: Reader, verdict: Verdict, _progress: Progress) -> None:
    different = reader.derived_difference()
    if different:
        verdict.faults.append(f"{different}; `sabot ledger rebuild {reader.path}` makes it anew")


def _check_end(reader: Reader, verdict: Verdict, known: Sums | None) -> None:
    """A chain cannot show that its end was cut off; the sums know how long it was."""
    last, _ = reader.newest()
    if known and last < known.seq:
        verdict.faults.insert(0, f"entry {last + 1} is missing: the file ends with {last}, but held {known.seq}")


def _check_pruned(reader: Reader, verdict: Verdict, key: bytes | None) -> None:
    pruned = reader.pruned()
    if pruned is None:
        return
    said = f"entries up to {pruned.seq} were pruned; the last was of {pruned.time}"
    if key is None:
        verdict.notes.append(f"{said}; their checkpoint was not checked, for its key is not here")
    elif reader.pruned_signed(key):
        verdict.notes.append(f"{said}; their checkpoint is signed by the gateway's key")
    else:
        verdict.faults.append(f"{said}; but their checkpoint is not signed by this key")


def _check_file(path: Path, verdict: Verdict) -> None:
    """The bytes. What a daemon is just writing is another thing the next time; damage stays."""
    before: list[str] = []
    for _ in range(_TRIES):
        faults = list(_byte_faults(path, verdict))
        if not faults or faults == before:
            verdict.faults += faults
            return
        before = faults
    verdict.faults.append("its bytes could not be checked, for the daemon writes too much; try again, or stop it first")


def _byte_faults(path: Path, verdict: Verdict) -> Iterator[str]:
    log, found = wal.read(beside(path, "wal")), sums.load(path)
    if log.damage:
        yield f"in {beside(path, 'wal').name}: {log.damage}"
    if log.torn:
        yield _torn(log.torn)
    if found.sums:
        yield from (fault.text for fault in islice(sums.faults(path, found.sums, log), _MOST_PAGES))
    elif verdict.version >= schema.WITH_SUMS:
        yield f"{found.problem}; {_intact(verdict)}"


def _intact(verdict: Verdict) -> str:
    if verdict.faults:
        return "bytes that no entry covers cannot be checked"
    return "its entries are intact; the daemon writes the sums anew at its next start, after it has checked every entry"

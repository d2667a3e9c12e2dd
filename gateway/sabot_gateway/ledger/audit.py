"""Audit: find out whether a ledger is what was written: a quick check when the daemon starts, a full one on request."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from sabot_protocol.service.plain_text import counted
from sabot_protocol.topics import LedgerMessage

from sabot_gateway.ledger import heads, schema
from sabot_gateway.ledger.errors import LedgerError
from sabot_gateway.ledger.files import sidecar_path
from sabot_gateway.ledger.heads import Kept
from sabot_gateway.ledger.reader import Reader

_AT_START = 200_000  # newest entries that a start checks; everything of a ledger that has no more
_MOST_FAULTS = 5  # of one kind
_TRIES = 3

Progress = Callable[[int], None]


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
) -> Verdict:
    """Check everything: chain, structure, derived tables, cursors, checkpoint, and heads that were kept elsewhere.

    With `fork`, which is for programs with one thread, a second process checks structure and tables.
    """
    known = list(known)
    for _ in range(_TRIES):
        before = _state(path)
        with _tables_beside(path) if fork else nullcontext(lambda: _tables(path)) as tables:
            verdict = _verify_once(path, key, progress, known, tables)
        if not verdict.faults or _state(path) == before:
            break
    return verdict


def _state(path: Path) -> tuple[bool, int, int]:
    """Return what changes when a daemon begins to write a ledger that was at rest: then it must be read again."""
    found = path.stat() if path.is_file() else None
    return sidecar_path(path, "wal").exists(), found.st_mtime_ns if found else 0, found.st_size if found else 0


@contextmanager
def _tables_beside(path: Path) -> Iterator[Callable[[], Verdict]]:
    """Begin the check of structure and tables in another process; what is given waits for its verdict."""
    from concurrent.futures import ProcessPoolExecutor  # a third of the start, and a daemon needs none of it
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    with ProcessPoolExecutor(1, get_context("fork")) as pool:
        begun = pool.submit(_tables, path)

        def verdict() -> Verdict:
            try:
                return begun.result()
            except BrokenProcessPool:
                return Verdict(faults=["its tables are not checked: the process that checks them was ended; try again"])

        yield verdict


def _tables(path: Path) -> Verdict:
    """Check structure, schema and derived tables over a connection of its own."""
    verdict = Verdict()
    try:
        with closing(Reader(path)) as reader:
            reader.hold()
            for check in (_structure, _schema, _play):
                _checked(check, reader, verdict)
    except (LedgerError, sqlite3.Error) as error:
        verdict.faults.append(str(error))
    return verdict


def _verify_once(
    path: Path, key: bytes | None, progress: Progress, known: list[LedgerMessage], tables: Callable[[], Verdict]
) -> Verdict:
    verdict = Verdict()
    try:
        kept = _kept(path, verdict)  # before the ledger is read: the daemon writes it after its entries
        with closing(Reader(path)) as reader:
            reader.hold()
            verdict.version = reader.version
            _checked(partial(_chain, progress=progress), reader, verdict)
            _check_heads(reader, verdict, kept.head if kept else None, known, key)
            _checked(_units, reader, verdict)  # here, so that both processes have as much to do
            found = tables()
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


def _chain(reader: Reader, verdict: Verdict, progress: Progress) -> None:
    verdict.entries = reader.verify_chain(progress)


def _structure(reader: Reader, _verdict: Verdict) -> None:
    reader.verify_structure()


def _schema(reader: Reader, verdict: Verdict) -> None:
    different = reader.schema_difference()
    if different:
        verdict.faults.append(different)


def _units(reader: Reader, verdict: Verdict) -> None:
    _derived(reader, verdict, reader.units_difference())


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

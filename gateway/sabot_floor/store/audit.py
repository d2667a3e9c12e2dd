"""Audit: find out whether a store is what was written, entry by entry."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from sabot_floor.store import chain
from sabot_floor.store.chain import DamagedError, Head, Stored, StoreError
from sabot_floor.store.store import Store

_PROGRESS_EVERY = 1000
_BEFORE_ALL = -(1 << 63)  # also before numbers that no entry of the service has
_AT_OPEN = 1000  # newest entries of each log
Progress = Callable[[int], None]


@dataclass
class Verdict:
    """What is wrong with a store or a log, the first bad entry first; `entries` counts those that are right."""

    entries: int = 0
    faults: list[str] = field(default_factory=list)


def verify(store: Store, progress: Progress = lambda done: None) -> Verdict:
    """Check every log of a store as it is at this moment: entries, heads, states, cursors, and the file itself."""
    verdict = Verdict()
    try:
        with store.snapshot():
            logs, with_entries = store.logs(), store.logs_of_entries()
            for log in logs:
                _check_log(store, log, verdict, progress, ())
            verdict.faults += [f"log {log} has entries but no head" for log in with_entries if log not in logs]
            verdict.faults += cursor_problems(store).values()
        problem = store.structure_problem()
        verdict.faults += [problem] if problem else []
    except StoreError as error:
        verdict.faults.append(str(error))
    return verdict


def verify_log(store: Store, log: str, progress: Progress = lambda done: None, known: Iterable[Head] = ()) -> Verdict:
    """Check one log; `known` are heads kept elsewhere, for a chain alone cannot show that its end was cut off."""
    verdict = Verdict()
    try:
        with store.snapshot():
            _check_log(store, log, verdict, progress, known)
            verdict.faults += cursor_problems(store, log).values()
    except StoreError as error:
        verdict.faults.append(str(error))
    return verdict


def check_newest(store: Store, count: int = _AT_OPEN) -> None:
    """Raise an error if the newest entries of a log, or its head, are not what was written."""
    with store.snapshot():
        for log in store.logs():
            head = store.head(log) or Head()
            before = store.read(log, head.seq - count - 1, 1) if head.seq > count else []
            first = Head(before[0].seq, before[0].hash) if before else Head()
            reached = chain.continues(store.entries(log, first.seq or _BEFORE_ALL), log, first)
            if problem := _head_problem(log, head, reached):
                raise DamagedError(f"{problem} ({store.place}). Stop the service and put back a copy of the store")


def _head_problem(log: str, head: Head, reached: Head) -> str:
    """Return where a head differs from the last entry, or nothing."""
    if head.seq != reached.seq:
        return f"log {log} ends with entry {reached.seq}, but its head is at entry {head.seq}"
    return "" if head.hash == reached.hash else f"the head of log {log} has another hash than its last entry {head.seq}"


def _check_log(store: Store, log: str, verdict: Verdict, progress: Progress, known: Iterable[Head]) -> None:
    """Compare entries and head; a bad entry ends the check of this log."""
    expected = {head.seq: head.hash for head in known}
    walked = _Walk(expected)
    try:
        reached = chain.continues(walked.through(store.entries(log, _BEFORE_ALL), progress), log, Head())
        verdict.entries += reached.seq
        verdict.faults += walked.faults(log, reached.seq)
        head = store.head(log)
        if head is None:
            verdict.faults.append(f"log {log} has entries but no head" if reached.seq else f"there is no log {log}")
        elif problem := _head_problem(log, head, reached):
            verdict.faults.append(problem)
    except StoreError as error:
        verdict.faults.append(str(error))


class _Walk:
    """Compares the entries that pass with hashes that were known before."""

    def __init__(self, expected: dict[int, bytes]) -> None:
        self._expected, self._different = expected, list[int]()

    def through(self, entries: Iterator[Stored], progress: Progress) -> Iterator[Stored]:
        """Yield all entries, and report progress."""
        for count, entry in enumerate(entries, 1):
            known = self._expected.get(count)
            if known is not None and known != entry.hash:
                self._different.append(count)
            yield entry
            if count % _PROGRESS_EVERY == 0:
                progress(_PROGRESS_EVERY)

    def faults(self, log: str, last: int) -> list[str]:
        """Return what the known hashes contradict."""
        different = [
            f"entry {seq} of log {log} is not the one whose hash was kept elsewhere" for seq in self._different
        ]
        lost = [seq for seq in self._expected if seq > last]
        cut = f"log {log} ends with entry {last}, but entry {max(lost)} was stored: its end was cut off" if lost else ""
        return different[:1] + ([cut] if cut else [])


def cursor_problems(store: Store, only: str | None = None) -> dict[tuple[str, str], str]:
    """Return what is wrong with cursors, by name and log."""
    wrong: dict[tuple[str, str], str] = {}
    for name, log, seq, own_hash in store.cursors():
        if only not in (None, log):
            continue
        found = store.read(log, seq - 1, 1)
        if not found or found[0].seq != seq:
            wrong[name, log] = f"the cursor {name} of log {log} is at entry {seq}, but there is no such entry"
        elif found[0].hash != own_hash:
            wrong[name, log] = f"the cursor {name} of log {log} was not put at entry {seq} by the service"
    return wrong

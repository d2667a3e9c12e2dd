"""Audit: recompute a jackpot from its log: chain, every entry by the engine, every win and draw, and the state."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import msgspec
from sabot_protocol.jackpots.draws import commitment
from sabot_protocol.jackpots.messages import Win, WinMessage

from sabot_floor.jackpots import draws, engine
from sabot_floor.jackpots.batch import FAULT, WIN, log_name
from sabot_floor.jackpots.engine import Applied, JackpotState, Logged, Refused
from sabot_floor.jackpots.engine.entries import Drawn, Opened
from sabot_floor.store import Store, Stored, StoreError, audit

_MOST_FAULTS = 20
_NO_CURSOR = (
    "it has no cursor: either nothing of it was published yet, or the cursors were removed; the next start publishes "
    "all its wins and faults once more"
)
Progress = Callable[[int], None]
_logged = msgspec.json.Decoder(Logged)


@dataclass
class Verdict:
    """What is wrong with a jackpot's log, oldest first; `entries` and `draws` count what was recomputed."""

    entries: int = 0
    draws: int = 0
    stored: int = 0  # entries in the store, right or wrong
    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # that need not be wrong
    state: JackpotState | None = None


def jackpots(store: Store) -> list[str]:
    """Return the ids of all jackpots that have a log, or entries without the head of one; reads everything."""
    prefix = log_name("")
    names = sorted({*store.logs(), *store.logs_of_entries()})
    return [name.removeprefix(prefix) for name in names if name.startswith(prefix)]


def verify(store: Store, jackpot: str, progress: Progress = lambda done: None) -> Verdict:
    """Recompute everything; stop after some faults."""
    name, verdict = log_name(jackpot), Verdict()
    verdict.faults += audit.verify_log(store, name, progress).faults
    try:
        with store.snapshot():
            verdict.stored = sum(1 for _ in store.entries(name))
            if not verdict.faults:
                _recompute(store, name, verdict, progress)
            if verdict.stored > 1 and name not in {cursor.log for cursor in store.cursors()}:
                verdict.notes.append(_NO_CURSOR)
    except StoreError as error:
        verdict.faults.append(str(error))
    return verdict


def _recompute(store: Store, name: str, verdict: Verdict, progress: Progress) -> None:
    replayed = _Replayed()
    for entry in store.entries(name):
        verdict.faults += [f"entry {entry.seq} ({entry.kind}): {problem}" for problem in replayed.take(entry)]
        if len(verdict.faults) >= _MOST_FAULTS:
            return
        verdict.entries += 1
        progress(verdict.entries)
    verdict.draws, verdict.state = replayed.draws, replayed.state
    head = store.head(name)
    verdict.faults += replayed.end(head.state if head else None)


class _Replayed:
    """The state as the entries so far make it."""

    def __init__(self) -> None:
        self.state: JackpotState | None = None
        self.draws = 0
        self._hash = bytes(32)
        self._wins: list[Win] = []  # that the next entries must publish

    def take(self, entry: Stored) -> Iterator[str]:
        """Apply an entry; yield what is wrong with it."""
        try:
            yield from self._check(entry)
        except (msgspec.MsgspecError, RecursionError) as error:
            yield f"it cannot be read: {error}"
        self._hash = entry.hash

    def _check(self, entry: Stored) -> Iterator[str]:
        if entry.kind == FAULT:
            return
        if entry.kind == WIN:
            yield from self._check_win(entry)
            return
        if self._wins:
            yield f"the entry before brought {len(self._wins)} wins more than the log has"
        yield from self._apply(_logged.decode(entry.payload))

    def _check_win(self, entry: Stored) -> Iterator[str]:
        message = msgspec.json.decode(entry.payload, type=WinMessage)
        expected = self._wins.pop(0) if self._wins else None
        if message.win != expected:
            yield f"win {message.win.win} is not what the entries before it give"

    def _apply(self, found: Logged) -> Iterator[str]:
        if isinstance(found.entry, Opened) and self.state is None:
            self.state, self._wins = engine.open_jackpot(found.entry), []
        elif self.state is None:
            yield "the log does not begin with its opening"
            return
        else:
            if isinstance(found.entry, Drawn):
                self.draws += 1
                yield from draws.problems(self.state, found.entry, self._hash)
            result = engine.apply(self.state, found.entry)
            if isinstance(result, Refused):
                yield f"the engine refuses it: {result.say}"
                return
            yield from self._compare(found, result)
        if found.meters != self.state.meters():
            yield f"its meters are {found.meters}, recomputed {self.state.meters()}"

    def _compare(self, found: Logged, result: Applied) -> Iterator[str]:
        self._wins = list(result.wins)
        if (found.digest, found.version) != (result.digest, result.version):
            yield f"its parameters are {found.digest}, recomputed {result.digest}"

    def end(self, state: bytes | None) -> Iterator[str]:
        """Yield how the state in the store differs from what the entries make."""
        if self.state is None or state is None:
            if (self.state is None) != (state is None):
                yield "the log has a state without entries, or entries without a state"
            return
        stored = engine.decode(state)
        if commitment(bytes.fromhex(stored.secret)) != stored.commitment:
            yield "the secret of the next draw does not give its commitment"
        stored.secret = ""
        if stored != engine.decode(engine.encode(self.state)):
            yield "the state in the store is not what the entries make; nothing may be paid by it"

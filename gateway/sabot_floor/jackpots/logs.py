"""Logs of the jackpots: what is decided goes to the store in one transaction; where each jackpot stands now."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import structlog
from sabot_protocol.jackpots.parameters import Parameters

from sabot_floor.jackpots import engine
from sabot_floor.jackpots.batch import Batch, log_name
from sabot_floor.jackpots.engine import JackpotState
from sabot_floor.store import EntryError, Store, Stored, StoreError

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class Standing(NamedTuple):
    """Where a jackpot stands after its newest entry."""

    seq: int
    hash: str  # hex
    time: str  # of the newest entry
    state: JackpotState


class JackpotLogs:
    """The jackpots that are served, by id; other processes may append to the same logs."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.served: dict[str, Parameters] = {}  # as the parameters' file has them
        self._standing: dict[str, Standing] = {}
        self.on_appended: Callable[[str, list[Stored]], None] = lambda jackpot, entries: None

    def serve(self, parameters: Iterable[Parameters]) -> None:
        """Serve these jackpots from now on, and no others."""
        self.served = {one.id: one for one in parameters}
        self._standing = {name: found for name, found in self._standing.items() if name in self.served}

    def standing(self, jackpot: str) -> Standing | None:
        """Return where a jackpot stood when it was last looked at."""
        return self._standing.get(jackpot)

    def state(self, jackpot: str) -> JackpotState | None:
        """Return the state of a jackpot when it was last looked at."""
        found = self._standing.get(jackpot)
        return found.state if found else None

    def open_wins(self) -> dict[str, dict[str, int]]:
        """Return how many wins of each jackpot have an open difference, and how many an open order."""
        return {
            name: {
                "difference": len(engine.differences(found.state)),
                "order": sum(bool(hit.undecided) for hit in found.state.open.values()),
            }
            for name, found in self._standing.items()
        }

    def parameters(self) -> list[Parameters]:
        """Return the parameters in force of the jackpots that are served."""
        return [found.state.parameters for found in self._standing.values()]

    def commit(self, batches: Sequence[Batch]) -> None:
        """Store what the batches decide, all or nothing; StoreError if the store cannot be written."""
        if not batches:
            return
        stored = self.store.append_many({log_name(batch.jackpot): batch.decide for batch in batches})
        for batch in batches:
            self._appended(batch, stored[log_name(batch.jackpot)])

    def _appended(self, batch: Batch, entries: list[Stored]) -> None:
        """Take note of a batch that is durable now."""
        before = self._standing.get(batch.jackpot)
        if entries and batch.state is not None:
            newest = entries[-1]
            self._standing[batch.jackpot] = Standing(newest.seq, newest.hash.hex(), newest.time, batch.state)
            self.on_appended(batch.jackpot, entries)
        elif before is None or batch.seq != before.seq:
            self.refresh(batch.jackpot)

    def refresh(self, jackpot: str) -> bool:
        """Look at the store again; return True if another process has appended since."""
        name, before = log_name(jackpot), self._standing.get(jackpot)
        head = self.store.head(name)
        if head is None or head.state is None or (before is not None and before.seq == head.seq):
            return False
        newest = self.store.read(name, head.seq - 1, 1)
        self._standing[jackpot] = Standing(
            head.seq, head.hash.hex(), newest[0].time if newest else "", engine.decode(head.state)
        )
        return True

    def commit_alone(self, batch: Batch) -> str | None:
        """Store one batch; return why it can never be stored. StoreError if the store cannot be written now."""
        try:
            self.commit([batch])
        except EntryError as error:
            return str(error)
        except StoreError:
            raise
        except Exception as error:
            log.exception("an entry could not be applied", jackpot=batch.jackpot)
            return f"{type(error).__name__}: {error}"
        return None

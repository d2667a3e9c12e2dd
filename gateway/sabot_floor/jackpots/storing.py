"""Storing: what the messages of a turn brought, in one transaction; an entry that cannot be stored is dropped alone."""

import structlog
from sabot_service.moment import Moment

from sabot_floor.jackpots.batch import Batch
from sabot_floor.jackpots.collector import Collector, Work
from sabot_floor.jackpots.logs import JackpotLogs
from sabot_floor.store import EntryError, StoreError

log: structlog.stdlib.BoundLogger = structlog.get_logger()


def store_work(logs: JackpotLogs, collector: Collector, work: Work, at: Moment) -> None:
    """Store the batches in one transaction, and if one of them cannot be stored at all, each entry by itself.

    StoreError if the store cannot be written now: then nothing is stored.
    """
    try:
        logs.commit(work.batches)
    except EntryError:
        log.exception("a batch cannot be stored; each entry is tried by itself")
        _store_one_by_one(logs, collector, work.batches, at)
    except StoreError:
        raise
    except Exception:
        log.exception("a batch cannot be applied; each entry is tried by itself")
        _store_one_by_one(logs, collector, work.batches, at)
    else:
        collector.stored(work.batches, at)


def _store_one_by_one(logs: JackpotLogs, collector: Collector, batches: list[Batch], at: Moment) -> None:
    for batch in batches:
        for entry in batch.entries:
            alone = Batch(batch.jackpot, batch.time, [entry])
            problem = logs.commit_alone(alone)
            if problem is None:
                collector.stored([alone], at)
            else:
                say = f"an entry of jackpot {batch.jackpot} was dropped: {problem}. Report it with the store"
                collector.refusals.note(batch.jackpot, "", "state", say, at.now_s, fault=True)

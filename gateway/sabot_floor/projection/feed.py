"""Feed: messages of the broker become rows of the projection, stored before they are acknowledged."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import msgspec
import structlog
from sabot_protocol.place import Place, without_place
from sabot_protocol.service.bounded_json import decoded
from sabot_protocol.service.plain_text import plain
from sabot_protocol.topics import RETAINED, ROOT, LedgerMessage, is_published

from sabot_floor.inbox import Arrived
from sabot_floor.projection import coverage, schema
from sabot_floor.projection.changes import UnreadableError, changes, with_hash
from sabot_floor.projection.rows import AnyRow, Covered, Head
from sabot_floor.projection.writing import PROJECTION, insert, upsert
from sabot_floor.store import EntryError, Store, StoreError

_STATES = ("status", "alarms", "open", "history", "hand")  # topics of a table that do not come from a ledger
_MOST_HEAD_BYTES = 4096
_MOST_NAME = 64
_MOST_WITH_GAPS = 200  # gateways

log: structlog.stdlib.BoundLogger = structlog.get_logger()
_several = msgspec.json.Decoder(list[msgspec.Raw])


def filters(root: str) -> list[str]:
    """Return the topics that the projection needs; `root` is that of the site, with its last slash."""
    tables = [f"+/{name}" for name in RETAINED if name not in _STATES]
    return [f"{root}{topic}" for topic in (*tables, "+/jackpot/#", "ledger", "gateway/+/ledger")]


@dataclass
class Work:
    """What the messages of one turn give."""

    rows: list[AnyRow] = field(default_factory=list)
    covered: list[Covered] = field(default_factory=list)
    heads: list[Head] = field(default_factory=list)


class Feed:
    """Takes the messages of one site; whatever is in one, it costs no more than itself.

    `counts`: messages without a place in a ledger, unreadable entries, and entries that the store refused.
    """

    def __init__(self, store: Store, site: str) -> None:
        self._store, self._root = store, f"{ROOT}/{site}/"
        self.counts: Counter[str] = Counter()
        self._with_gaps: set[str] = set()  # gateways, as the log has them

    def filters(self) -> list[str]:
        """Return the topics to subscribe to: all that comes from the ledgers, and their heads."""
        return filters(self._root)

    def take(self, messages: Iterable[Arrived]) -> None:
        """Store what these messages give; StoreError if the store cannot be written now, then nothing is stored."""
        listed = list(messages)
        counts = self.counts.copy()
        try:
            self._store_all(self._work(listed))
        except EntryError:
            log.exception("messages for the projection cannot be stored; each is tried by itself")
        except StoreError:
            raise
        except Exception:
            log.exception("messages for the projection cannot be applied; each is tried by itself")
        else:
            return
        self.counts = counts
        self._take_one_by_one(listed)

    def _take_one_by_one(self, messages: Iterable[Arrived]) -> None:
        for one in messages:
            try:
                self._store_all(self._work([one]))
            except EntryError:
                self.counts["refused"] += 1
            except StoreError:
                raise
            except Exception:
                log.exception("a message for the projection was dropped; report it with this log", topic=one.topic)
                self.counts["refused"] += 1

    def _store_all(self, work: Work) -> None:
        if not (work.rows or work.covered or work.heads):
            return
        gaps = dict[str, list[tuple[int, int]]]()
        with self._store.writing(PROJECTION):
            insert(self._store, work.rows)
            gaps = coverage.add(self._store, work.covered)
            self._store.execute_many(upsert(schema.HEADS), work.heads)
        for gateway, missing in gaps.items():
            self._note_gaps(gateway, missing)

    def _note_gaps(self, gateway: str, missing: list[tuple[int, int]]) -> None:
        """Log when a gateway's entries begin to be missing, and when none is missing any more."""
        if missing and gateway not in self._with_gaps and len(self._with_gaps) < _MOST_WITH_GAPS:
            self._with_gaps.add(gateway)
            log.warning(
                f"entries of gateway {plain(gateway)[:_MOST_NAME]} are missing: {missing[-1][0]} to {missing[-1][1]}; "
                "if they do not come, give its ledger to `sabot floor rebuild --ledger FILE`"
            )
        elif not missing and gateway in self._with_gaps:
            self._with_gaps.discard(gateway)
            log.info(f"no entry of gateway {plain(gateway)[:_MOST_NAME]} is missing any more")

    def _work(self, messages: Iterable[Arrived]) -> Work:
        work = Work()
        for one in messages:
            parts = one.topic.removeprefix(self._root).split("/", 1)
            if not one.topic.startswith(self._root) or not one.payload:
                continue
            if one.topic.endswith("/ledger") and (len(parts) == 1 or parts[0] == "gateway"):
                work.heads += self._heads(one.payload)
            elif len(parts) == 2 and parts[1] not in _STATES and is_published(parts[1], parts[0]):
                self._entries(parts[0], parts[1], one.payload, work)
        return work

    def _heads(self, payload: bytes) -> Iterator[Head]:
        head = decoded(payload, LedgerMessage, _MOST_HEAD_BYTES)
        texts = (head.gateway, head.hash, head.time, head.signature) if head else ()
        if head is None or not all(len(text) <= 2 * _MOST_NAME and plain(text) == text for text in texts):
            self.counts["unreadable"] += 1
        elif 0 < head.entry < 10**15:
            yield Head(head.gateway, head.time[:10], head.entry, head.hash, head.time, head.signature)

    def _entries(self, table: str, topic: str, payload: bytes, work: Work) -> None:
        for one in self._payloads(topic, payload):
            place, stored = without_place(one)
            if place is None:
                self.counts["unplaced"] += 1
                continue
            work.covered.append(Covered(place.gateway, place.after, place.entry))
            work.rows += self._rows(place, table, topic, stored)

    def _payloads(self, topic: str, payload: bytes) -> list[bytes]:
        """Return the payload of each entry in a message: of each card, or the only one."""
        if topic != "cards":
            return [payload]
        try:
            return [bytes(one) for one in _several.decode(payload)]
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            self.counts["unplaced"] += 1
            return []

    def _rows(self, place: Place, table: str, topic: str, stored: bytes) -> Iterator[AnyRow]:
        try:
            row = changes(place.gateway, place.entry, table, topic, stored)
        except UnreadableError:
            self.counts["unreadable"] += 1
            return
        yield from with_hash(row, place.hash)

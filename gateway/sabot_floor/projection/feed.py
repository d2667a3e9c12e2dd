"""Feed: messages of the broker become rows of the projection, stored before they are acknowledged."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import msgspec
import structlog
from sabot_protocol.inputs.bounded_json import decoded
from sabot_protocol.inputs.plain_text import plain
from sabot_protocol.place import Place, without_place
from sabot_protocol.topics import RETAINED, ROOT, LedgerMessage, is_published
from sabot_service.moment import utc

from sabot_floor.inbox import Arrived
from sabot_floor.projection import coverage, record
from sabot_floor.projection.changes import UnreadableError, changes, with_hash
from sabot_floor.projection.gateway_log import Gate, Pair
from sabot_floor.projection.taking import Placed, take
from sabot_floor.projection.writing import PROJECTION
from sabot_floor.store import EntryError, Store, StoreError
from sabot_floor.store.rows import AnyRow, Contradiction, Head

_STATES = ("status", "alarms", "open", "history", "hand")  # topics of a table that do not come from a ledger
_MOST_HEAD_BYTES = 4096
_MOST_NAME = 64
_MOST_WITH_GAPS = 200  # gateways
_EARLY_S = 10.0  # a gateway publishes its own status before anything else: what it names comes at the same time
_BEYOND_S = 60.0  # heads come once a minute: one that an outage has delayed is followed by the next within that time
_MOST_LOGGED, _MOST_SHOWN = 20, 200  # contradictions, and characters of each message

log: structlog.stdlib.BoundLogger = structlog.get_logger()
_several = msgspec.json.Decoder(list[msgspec.Raw])


def filters(root: str) -> list[str]:
    """Return the topics that the projection needs; `root` is that of the site, with its last slash."""
    tables = [f"+/{name}" for name in RETAINED if name not in _STATES]
    return [f"{root}{topic}" for topic in (*tables, "+/jackpot/#", "status", "ledger", "gateway/+/ledger")]


@dataclass
class Work:
    """What the messages of one turn give."""

    placed: list[Placed] = field(default_factory=list)
    heads: list[Head] = field(default_factory=list)


class Feed:
    """Takes the messages of one site; whatever is in one, it costs no more than itself.

    `counts`: messages without a place in a ledger, of a gateway that does not speak for the table, against one that
    came before, entries that are unreadable, and that the store refused.
    """

    def __init__(self, store: Store, site: str, clock: Callable[[], float] = time.time) -> None:
        self._store, self._root, self._clock = store, f"{ROOT}/{site}/", clock
        self.gate = Gate(store, site, lambda: utc(clock()))
        self.counts: Counter[str] = Counter()
        self._with_gaps: set[str] = set()  # gateways, as the log has them
        self._early_s: dict[Pair, float] = {}  # when a message first came that may count later
        self.beyond: dict[str, int] = {}  # by gateway: the newest entry, which a head that came later has not
        self._since_s: dict[str, float] = {}  # by gateway: since when its heads end before its newest entry
        self._begun = False

    def filters(self) -> list[str]:
        """Return the topics to subscribe to: all that comes from the ledgers, and their heads."""
        return filters(self._root)

    def pairs(self, one: Arrived) -> list[Pair]:
        """Return the table of a message and the gateways that it names; none where it names none."""
        table, topic = self._table_topic(one)
        if not table:
            return []
        return list(dict.fromkeys((table, named) for part in _payloads(topic, one.payload) if (named := _named(part))))

    def waits(self, one: Arrived, now_s: float) -> bool:
        """Return True for some seconds if a message does not count yet, but its gateway may still name the table."""
        early = [pair for pair in self.pairs(one) if self.gate.waits(pair)]
        if len(self._early_s) > _MOST_WITH_GAPS:
            self._early_s.clear()
        return any(now_s < self._early_s.setdefault(pair, now_s) + _EARLY_S for pair in early)

    def counts_for_its_table(self, one: Arrived) -> bool:
        """Return True unless a message that `take` has seen names a gateway that does not speak for the table."""
        return not any(map(self.gate.problem, self.pairs(one)))

    def _table_topic(self, one: Arrived) -> tuple[str, str]:
        """Return table and topic of a message that comes from a ledger, empty texts for another."""
        table, _, topic = one.topic.removeprefix(self._root).partition("/")
        of_ledger = one.payload and topic not in _STATES and is_published(topic, table)
        return (table, topic) if one.topic.startswith(self._root) and of_ledger else ("", "")

    def take(self, messages: Iterable[Arrived]) -> None:
        """Store what these messages give; StoreError if the store cannot be written now, then nothing is stored."""
        self._begin()
        listed = list(messages)
        for one in listed:
            self.gate.received(one.topic, one.payload)
        self.gate.learn(pair for one in listed for pair in self.pairs(one))
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

    def _begin(self) -> None:
        """Begin the record of what is stored, before anything else is."""
        if not self._begun:
            record.begin(self._store)
            self._begun = True

    def _store_all(self, work: Work) -> None:
        if not (work.placed or work.heads):
            return
        rank = self.gate.log.state().rank
        before = {head.gateway: coverage.ends(self._store, head.gateway) for head in work.heads}
        with self._store.writing(PROJECTION):
            taken = take(self._store, work.placed, work.heads, rank)
        self.counts.update({"beyond": taken.beyond} if taken.beyond else {})
        for gateway, missing in taken.gaps.items():
            self._note_gaps(gateway, missing)
        for one in taken.contradictions:
            self._note_contradiction(one)
        for head in work.heads:
            self._note_beyond(head, before[head.gateway])

    def _note_beyond(self, head: Head, before: coverage.Ends) -> None:
        """Keep and log that entries came before a head of their ledger that ends before them.

        A head that was known proves nothing: the broker repeats a retained one. Nor does a late one, unless an entry
        behind it is older; but heads that end before it for a minute do.
        """
        if head.entry <= before.head:
            return
        known = self.beyond.pop(head.gateway, 0)
        if before.covered_to <= head.entry:
            self._since_s.pop(head.gateway, None)
            return
        if len(self._since_s) >= _MOST_WITH_GAPS and head.gateway not in self._since_s:
            return
        now_s = self._clock()
        lasts = now_s >= self._since_s.setdefault(head.gateway, now_s) + _BEYOND_S
        if not lasts and not coverage.newest_between(self._store, head.gateway, head.entry, "", head.time):
            return
        self.beyond[head.gateway] = before.covered_to
        if not known:
            log.error(beyond_head(plain(head.gateway)[:_MOST_NAME], head.entry, before.covered_to))

    def _note_contradiction(self, one: Contradiction) -> None:
        self.counts["contradicted"] += 1
        if self.counts["contradicted"] <= _MOST_LOGGED:
            log.error(
                f"two different messages name entry {one.entry} of gateway {plain(one.gateway)[:_MOST_NAME]}: "
                f"{plain(one.kept)[:_MOST_SHOWN]} is kept, {plain(one.other)[:_MOST_SHOWN]} is not. Check who may "
                "write these topics, and give the gateway's ledger to `sabot floor rebuild --ledger FILE`: it decides"
            )

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
            name = self._ledger_of(one)
            table, topic = self._table_topic(one)
            if name is not None:
                work.heads += self._heads(name, one.payload)
            elif table and self._speaks(one):
                work.placed += self._entries(table, topic, one.payload)
        return work

    def _ledger_of(self, one: Arrived) -> str | None:
        """Return the name of the gateway whose head this is, None for another message."""
        parts = one.topic.removeprefix(self._root).split("/")
        if not one.topic.startswith(self._root) or not one.payload:
            return None
        match parts:
            case ["ledger"]:
                return ""
            case ["gateway", name, "ledger"]:
                return name
        return None

    def _speaks(self, one: Arrived) -> bool:
        if self.counts_for_its_table(one):
            return True
        self.counts["other_gateway"] += 1
        return False

    def _heads(self, name: str, payload: bytes) -> Iterator[Head]:
        head = decoded(payload, LedgerMessage, _MOST_HEAD_BYTES)
        texts = (head.gateway, head.hash, head.time, head.signature) if head else ()
        if head is None or not all(len(text) <= 2 * _MOST_NAME and plain(text) == text for text in texts):
            self.counts["unreadable"] += 1
        elif not self.gate.names(name, head.gateway):
            self.counts["other_gateway"] += 1
        elif 0 < head.entry < 10**15:
            yield Head(head.gateway, head.time[:10], head.entry, head.hash, head.time, head.signature)

    def _entries(self, table: str, topic: str, payload: bytes) -> Iterator[Placed]:
        parts = _payloads(topic, payload)
        if not parts:
            self.counts["unplaced"] += 1
        for one in parts:
            place, stored = without_place(one)
            if place is None:
                self.counts["unplaced"] += 1
                continue
            rows = tuple(self._rows(place, table, topic, stored))
            yield Placed(place.gateway, place.entry, place.after, table, topic, rows)

    def _rows(self, place: Place, table: str, topic: str, stored: bytes) -> Iterator[AnyRow]:
        try:
            row = changes(place.gateway, place.entry, table, topic, stored)
        except UnreadableError:
            self.counts["unreadable"] += 1
            return
        yield from with_hash(row, place.hash)


def beyond_head(gateway: str, head: int, entry: int) -> str:
    """Return that entries are behind the end of their ledger, and the next step."""
    which = f"entry {entry} is" if entry == head + 1 else f"entries {head + 1} to {entry} are"
    return (
        f"of gateway {gateway} {which} here, but the newest head of its ledger ends with entry {head}: they are "
        "not proved, or are forged. If the next head does not have them, give its ledger to `sabot floor rebuild "
        "--ledger FILE`, and check who may write the topics of its tables"
    )


def _payloads(topic: str, payload: bytes) -> list[bytes]:
    """Return the payload of each entry in a message: of each card, or the only one; none if it cannot be read."""
    if topic != "cards":
        return [payload]
    try:
        return [bytes(one) for one in _several.decode(payload)]
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return []


def _named(payload: bytes) -> str:
    place, _ = without_place(payload)
    return place.gateway if place is not None else ""

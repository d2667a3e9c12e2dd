"""Order: a broker may deliver newer messages before older ones; a message that is ahead waits for those before it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from msgspec.structs import replace
from sabot_protocol.jackpots.messages import IncrementMessage, RecordedMessage

from sabot_floor.jackpots.engine import JackpotState, hits
from sabot_floor.jackpots.engine.coups import find_block
from sabot_floor.jackpots.engine.entries import Recorded
from sabot_floor.jackpots.intake import ForJackpot

PATIENCE_S = 300.0  # nats-server delivers again after its ack_wait, by default 30 s, and with a backlog several times
StateOf = Callable[[str], JackpotState | None]


class _Key(NamedTuple):
    jackpot: str
    table: str
    gateway: str


@dataclass
class _Waiting:
    """A message that is ahead, and its repetitions."""

    since_s: float
    items: list[ForJackpot] = field(default_factory=list)


def _last_count(state: JackpotState, key: _Key) -> int | None:
    """Return the last count of a gateway's table; None if a restored table begins anew."""
    sequence = state.sequences.get(key.table, {}).get(key.gateway)
    if sequence is None:
        place = state.places.get(key.table)
        return None if place is not None and place.any_start else 0
    return None if sequence.restart else sequence.count


def _late(item: ForJackpot) -> ForJackpot:
    """Return a record that has waited for its hand: others may have gone before it."""
    entry = item.entry
    if not isinstance(entry, Recorded) or entry.receipt is None:
        return item
    return item._replace(entry=replace(entry, receipt=replace(entry.receipt, prompt=False)))


def _win_of(item: ForJackpot) -> tuple[str, str, str]:
    return item.jackpot, item.entry.message.table, item.entry.message.coup_id


class Order:
    """Messages that are ahead are kept, unacknowledged, until their turn has come or patience has ended."""

    def __init__(self, state_of: StateOf) -> None:
        self._state_of = state_of
        self._increments: dict[_Key, dict[int, _Waiting]] = {}  # by count
        self._records: dict[tuple[str, str, str], _Waiting] = {}  # by jackpot, table and win

    def __len__(self) -> int:
        """Return how many messages wait."""
        return sum(len(one.items) for one in self._waiting())

    def _waiting(self) -> list[_Waiting]:
        return [*(one for counts in self._increments.values() for one in counts.values()), *self._records.values()]

    def longest_s(self, now_s: float) -> float:
        """Return for how long the first of them has waited; 0 if none waits."""
        return max((now_s - one.since_s for one in self._waiting()), default=0.0)

    def take(self, items: Iterable[ForJackpot], now_s: float) -> list[ForJackpot]:
        """Return those whose turn it is, in order, and what has waited too long: what it waits for is missing."""
        ready: list[ForJackpot] = []
        reached: dict[_Key, int | None] = {}
        records: list[ForJackpot] = []
        for item in items:
            if isinstance(item.entry, Recorded):
                records.append(item)
            else:
                self._place(item, item.entry.message.count, reached, ready, now_s)
        for key in list(self._increments):
            self._drain(key, self._reached(key, reached), ready, now_s)
        self._take_records(records, ready, now_s)
        return ready

    def _place(
        self, item: ForJackpot, count: int, reached: dict[_Key, int | None], ready: list[ForJackpot], now_s: float
    ) -> None:
        key = _Key(item.jackpot, item.entry.message.table, item.entry.message.gateway)
        if self._is_of_another_currency(item):
            ready.append(item)  # it is refused, and counted apart by its gateway
            return
        known = self._reached(key, reached)
        if known is None or count <= known + 1:
            ready.append(item)
            reached[key] = count if known is None else max(known, count)
        else:
            counts = self._increments.setdefault(key, {})
            counts.setdefault(count, _Waiting(now_s)).items.append(item)

    def _is_of_another_currency(self, item: ForJackpot) -> bool:
        state, message = self._state_of(item.jackpot), item.entry.message
        return state is not None and getattr(message, "currency", "") != state.parameters.currency

    def _reached(self, key: _Key, reached: dict[_Key, int | None]) -> int | None:
        """Return the last count that was taken; None if any count may come next."""
        if key not in reached:
            state = self._state_of(key.jackpot)
            reached[key] = _last_count(state, key) if state is not None else None
        return reached[key]

    def _drain(self, key: _Key, known: int | None, ready: list[ForJackpot], now_s: float) -> None:
        counts = self._increments[key]
        for count in sorted(counts):
            if known is not None and count > known + 1 and now_s - counts[count].since_s < PATIENCE_S:
                break
            ready += counts.pop(count).items
            known = count if known is None else max(known, count)
        if not counts:
            del self._increments[key]

    def _take_records(self, items: list[ForJackpot], ready: list[ForJackpot], now_s: float) -> None:
        """Return a record once its hand is known, here or in the state."""
        for item in items:
            self._records.setdefault(_win_of(item), _Waiting(now_s)).items.append(item)
        if not self._records:
            return
        coming = {_win_of(item) for item in ready}
        for key, waiting in list(self._records.items()):
            if (
                key in coming
                or self._is_known(key[0], waiting.items[0].entry.message)
                or now_s - waiting.since_s >= PATIENCE_S
            ):
                waited = waiting.since_s < now_s
                ready += [_late(item) if waited else item for item in self._records.pop(key).items]

    def _is_known(self, jackpot: str, record: IncrementMessage | RecordedMessage) -> bool:
        state, of = self._state_of(jackpot), (record.table, record.coup_id)
        if state is None or hits.is_listed(state, *of):
            return True
        block = find_block(state, record.table, record.unit, record.shoe, record.coup)
        return block is not None and block.made_good

    def lost(self) -> None:
        """Forget everything: the broker sends it again."""
        self._increments.clear()
        self._records.clear()

"""Receipts: what the floor knows of the moment of a record, by beats and entries; and whose clock is wrong.

A beat names the newest entry of its gateway's ledger. A record with a higher number was made after that beat, and one
that came within seconds of it was not delayed. The clock of a gateway orders nothing: it is only compared.
"""

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from sabot_protocol.jackpots.messages import IncrementMessage, RecordedMessage
from sabot_protocol.jackpots.parameters import Parameters
from sabot_protocol.topics import SILENT_S, BeatMessage

from sabot_floor.jackpots.engine import Fault
from sabot_floor.jackpots.engine.entries import RULES, Receipt

PROMPT_S = SILENT_S  # a record that is no older when it comes was not delayed
STALL_S = 3.0  # a turn that took longer: what waited has no time of its own
LIMIT_S = 5.0  # by which a gateway's clock may differ, as for commands
_QUIET_S, _SETTLED_S = 1.0, 10.0  # after a connection: the broker has delivered what it kept
_SAME_S, _APART_S = 2.0, 5.0  # a clock that is slow, and not a delay: two messages so far apart differ equally
_MOST_BEATS, _MOST_GATEWAYS = 64, 1000
_TABLES = 64  # of a gateway
CLOCK = "clock"  # a fault: the clock of a gateway is wrong


@dataclass
class _Gateway:
    """What came from a gateway."""

    beats: deque[tuple[float, int]] = field(default_factory=lambda: deque(maxlen=_MOST_BEATS))
    least: deque[tuple[float, float]] = field(default_factory=lambda: deque(maxlen=60))  # of each minute
    tables: dict[str, None] = field(default_factory=dict)
    before: tuple[datetime, float] | None = None  # an offset, and when it was seen
    wrong: float | None = None  # the offset that was reported
    sends_beats: bool = False
    first_s: float | None = None  # when the first message of it came over this connection
    newest: tuple[datetime, int] | None = None  # time of its newest beat, by its own clock, and the most entries so far

    def is_new(self, beat: BeatMessage) -> bool:
        """Note a beat; return False if it may be one that came before and is sent again."""
        sent = _moment(beat.time)
        if sent is None:
            return False
        before, most = self.newest or (None, -1)
        if before is not None and sent <= before and beat.entry <= most:
            return False
        self.newest = sent, max(most, beat.entry)
        return True


class Receipts:
    """Beats and messages in, receipts and faults out; `now_s` is the floor's monotonic clock."""

    def __init__(self) -> None:
        self._gateways: dict[str, _Gateway] = {}
        self._since_s = self._last_s = self._trusted_s = 0.0
        self._settled = False
        self._faults: list[tuple[str, Fault]] = []

    def connected(self, now_s: float) -> None:
        """The broker has answered our subscription: what it has kept comes first."""
        self._since_s = self._last_s = now_s
        self._settled = False
        for one in self._gateways.values():
            one.first_s = None

    def stalled(self, now_s: float) -> None:
        """Note a pause of the loop: the messages of that time arrive at once."""
        self.connected(now_s)
        self._trusted_s = now_s + _SETTLED_S / 5
        for one in self._gateways.values():
            one.beats.clear()

    def turn(self, now_s: float, *, quiet: bool) -> None:
        """Take note of a turn of the loop."""
        if not quiet:
            self._last_s = now_s
        since_s = max(self._since_s, self._last_s)
        self._settled = self._settled or now_s - since_s >= _QUIET_S or now_s - self._since_s >= _SETTLED_S

    def sends_beats(self, gateway: str) -> None:
        """Note that a gateway is of a version that sends beats: without one nothing shows that it was prompt."""
        self._find(gateway).sends_beats = True

    def beat(self, message: BeatMessage, now_s: float, time: str) -> None:
        """Take a beat."""
        if not message.gateway or now_s < self._trusted_s:
            return
        found = self._find(message.gateway)
        if not found.is_new(message):
            return
        if found.beats and found.beats[-1][1] > message.entry:
            found.beats.clear()  # another ledger
        found.beats.append((now_s, message.entry))
        self._compare(message.gateway, found, message.time, now_s, time, live=True)

    def message(self, message: IncrementMessage | RecordedMessage, now_s: float, time: str) -> None:
        """Compare the time in a message of a table with the floor's."""
        found = self._find(message.gateway)
        found.first_s = now_s if found.first_s is None else found.first_s
        if message.table not in found.tables and len(found.tables) < _TABLES:
            found.tables[message.table] = None
        self._compare(message.gateway, found, message.time, now_s, time, live=False)

    def receipt(self, message: RecordedMessage, entry: int, now_s: float, time: str) -> Receipt:
        """Return what is known of a record that came now, number `entry` of its gateway's ledger."""
        first = message.first or entry
        heard = {
            name: one.beats[-1][1]
            for name, one in self._gateways.items()
            if name != message.gateway and one.beats and now_s - one.beats[-1][0] <= PROMPT_S
        }
        return Receipt(first, self._is_prompt(message, first, now_s, time), heard, RULES)

    def _is_prompt(self, message: RecordedMessage, entry: int, now_s: float, time: str) -> bool:
        found = self._find(message.gateway)
        if (found.beats or found.sends_beats) and entry:
            before = [at_s for at_s, newest in found.beats if newest < entry]
            return bool(before) and before[-1] >= max(now_s - PROMPT_S, self._since_s)
        offset = _offset(message.time, time)
        known = min((least for _, least in found.least), default=0.0)
        return self._is_older(found, now_s) and not message.first and offset is not None and offset - known <= PROMPT_S

    def _is_older(self, found: _Gateway, now_s: float) -> bool:
        """Return True if a gateway has sent for a while, without a word that it sends beats."""
        return self._settled and found.first_s is not None and now_s - found.first_s >= PROMPT_S

    def _find(self, gateway: str) -> _Gateway:
        found = self._gateways.get(gateway)
        if found is None:
            while len(self._gateways) >= _MOST_GATEWAYS:
                del self._gateways[next(iter(self._gateways))]
            found = self._gateways[gateway] = _Gateway()
        return found

    def _compare(self, name: str, found: _Gateway, sent: str, now_s: float, time: str, *, live: bool) -> None:
        """Note by how much a gateway's clock is behind ours, or ahead; a delay looks as if it were behind."""
        offset = _offset(sent, time)
        if offset is None:
            return
        self._note_least(found, offset, now_s)
        if live or offset < -LIMIT_S or (not found.beats and self._is_steady(found, offset, time)):
            self._judge(name, found, offset)

    def _note_least(self, found: _Gateway, offset: float, now_s: float) -> None:
        if found.least and now_s - found.least[-1][0] < 60.0:
            at_s, least = found.least.pop()
            found.least.append((at_s, min(least, offset)))
        else:
            found.least.append((now_s, offset))

    def _is_steady(self, found: _Gateway, offset: float, time: str) -> bool:
        """Return True if two messages, seconds apart, differ equally: then none of them was delayed."""
        now = datetime.fromisoformat(time)
        at, before = found.before or (now, offset)
        apart_s = (now - at).total_seconds()
        if found.before is None or apart_s >= _APART_S or apart_s < 0:
            found.before = now, offset
        return apart_s >= _APART_S and abs(offset - before) <= _SAME_S

    def _judge(self, name: str, found: _Gateway, offset: float) -> None:
        is_wrong = abs(offset) > LIMIT_S
        if not is_wrong and found.wrong is None:
            return
        if is_wrong and found.wrong is not None and abs(offset - found.wrong) <= LIMIT_S:
            return
        if found.tables:
            found.wrong = offset if is_wrong else None
            self._faults += [(table, _fault(name, table, offset, active=is_wrong)) for table in found.tables]

    def take_faults(self, jackpots: Mapping[str, Parameters]) -> Iterator[tuple[str, Fault]]:
        """Yield the faults to be stored, with their jackpots; they are not yielded again."""
        faults, self._faults = self._faults, []
        for table, fault in faults:
            yield from ((name, fault) for name, one in jackpots.items() if table in one.table_names)


def _moment(text: str) -> datetime | None:
    """Return a time with its zone; None if it is none."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return None if found.tzinfo is None else found


def _offset(sent: str, time: str) -> float | None:
    """Return by how many seconds a time is behind the floor's; None if it is none."""
    theirs, ours = _moment(sent), _moment(time)
    return None if theirs is None or ours is None else (ours - theirs).total_seconds()


def _fault(gateway: str, table: str, offset: float, *, active: bool) -> Fault:
    if not active:
        return Fault(
            CLOCK, f"The clock of gateway {gateway}, which serves {table}, is right again", table, active=False
        )
    way = "behind" if offset > 0 else "ahead of"
    say = (
        f"The clock of gateway {gateway}, which serves {table}, is {abs(offset):.1f} s {way} the floor service's. "
        "Wins come in the order in which the floor received them; set the clock of that PC (NTP)"
    )
    return Fault(CLOCK, say, table)

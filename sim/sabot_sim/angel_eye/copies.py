"""The transmitter: a frame in, three copies of it out as bytes at their times, damaged as the faults say."""

import heapq
import random
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from sabot_sim.angel_eye.settings import Settings

COPIES: Final = 3
_CONTROL: Final = frozenset((0x02, 0x03, 0x05, 0x06, 0x15))
_NOISE: Final = bytes(byte for byte in range(256) if byte not in _CONTROL)
_MOST_NOISE: Final = 6
_ENQ: Final = b"\x05"
_ALL_BITS, _SEVEN_BITS = 8, 0x7F
_ROUNDING_S: Final = 1e-9
_MOST_WAITING: Final = 1000  # items; a host that never stops asking gets no more answers


@dataclass
class Sent:
    """A frame that was sent; `good` counts its copies that left the shoe undamaged, the first at `whole_s`."""

    at_s: float
    frame: bytes
    good: int = 0
    whole_s: float = 0.0


class _Item(NamedTuple):
    due_s: float
    is_frame: bool  # an answer comes before a frame that is due at the same time
    order: int
    data: bytes
    sent: Sent | None  # counted when the last byte is out; None for noise, damage and answers


@dataclass
class Transmitter:
    """send() and answer() queue, take() returns the bytes whose last bit is out; time is passed in."""

    settings: Settings
    rng: random.Random
    _queue: list[_Item] = field(default_factory=list)
    _order: int = 0
    _current: _Item | None = None
    _at: int = 0  # bytes of the current item that were taken
    _start_s: float = 0.0
    _free_s: float = 0.0  # when the line is free
    _last_copy_s: float = 0.0  # when the last copy of everything that was sent is out

    def send(self, frame: bytes, now_s: float) -> Sent:
        """Queue three copies of a frame; return what is counted of them."""
        settings, sent = self.settings, Sent(now_s, frame)
        due_s = now_s if settings.interleaved else max(now_s, self._last_copy_s)
        for _ in range(COPIES):
            self._queue_copy(frame, due_s, sent)
            due_s += len(frame) * settings.character_s()
            self._last_copy_s = max(self._last_copy_s, due_s)
            due_s += settings.after(self.rng.uniform(*settings.gap_s))
        return sent

    def answer(self, data: bytes, now_s: float) -> None:
        """Queue ACK or NAK: sent once, between two frames."""
        if len(self._queue) < _MOST_WAITING:
            self._push(data, now_s + self.settings.after(self.settings.answer_s), None, is_frame=False)

    def _queue_copy(self, frame: bytes, due_s: float, sent: Sent) -> None:
        faults, rng = self.settings.faults, self.rng
        if rng.random() < faults.noise:
            self._push(self._noise(), due_s, None)
        if rng.random() < faults.lost:
            return
        if rng.random() < faults.flipped:
            self._push(self._flipped(frame), due_s, None)
        elif rng.random() < faults.cut:
            self._push(frame[: rng.randrange(1, len(frame))], due_s, None)
        else:
            self._push(frame, due_s, sent)

    def _noise(self) -> bytes:
        """Return bytes without a control character, sometimes after an ENQ that begins nothing."""
        bytes_ = bytes(self.rng.choices(_NOISE, k=self.rng.randint(1, _MOST_NOISE)))
        return (_ENQ if self.rng.random() < 0.3 else b"") + bytes_

    def _flipped(self, frame: bytes) -> bytes:
        """Return the frame with one wrong bit that makes no control character, which could look like an answer."""
        found = bytearray(frame)
        while True:
            at, bit = self.rng.randrange(len(frame)), 1 << self.rng.randrange(8)
            if frame[at] ^ bit not in _CONTROL:
                found[at] ^= bit
                return bytes(found)

    def _push(self, data: bytes, due_s: float, sent: Sent | None, *, is_frame: bool = True) -> None:
        self._order += 1
        heapq.heappush(self._queue, _Item(due_s, is_frame, self._order, data, sent))

    def take(self, now_s: float) -> bytes:
        """Return the bytes that are out by now and were not taken before."""
        out = bytearray()
        while self._begin(now_s):
            assert self._current is not None
            item, character_s = self._current, self.settings.character_s()
            passed_s = now_s - self._start_s + _ROUNDING_S
            until = min(len(item.data), int(passed_s / character_s)) if character_s else len(item.data)
            out += item.data[self._at : until]
            self._at = until
            if until < len(item.data):
                break
            self._free_s = self._start_s + len(item.data) * character_s
            self._current = None
            if item.sent is not None:
                item.sent.whole_s = item.sent.whole_s if item.sent.good else self._free_s
                item.sent.good += 1
        return bytes(out) if self.settings.data_bits == _ALL_BITS else bytes(byte & _SEVEN_BITS for byte in out)

    def _begin(self, now_s: float) -> bool:
        """Begin the next item if the line is free and it is due; return True if one is under way."""
        if self._current is None and self._queue:
            start_s = max(self._queue[0].due_s, self._free_s)
            if start_s <= now_s + _ROUNDING_S:
                self._current, self._start_s, self._at = heapq.heappop(self._queue), start_s, 0
        return self._current is not None

    def next_s(self) -> float | None:
        """Return when the frame that is under way, or the next one, is out; None if nothing waits."""
        if self._current is not None:
            return self._start_s + len(self._current.data) * self.settings.character_s()
        if not self._queue:
            return None
        item = self._queue[0]
        return max(item.due_s, self._free_s) + len(item.data) * self.settings.character_s()

    def cut(self) -> None:
        """Forget everything that is not out yet: the power has gone."""
        self._queue.clear()
        self._current, self._last_copy_s = None, 0.0

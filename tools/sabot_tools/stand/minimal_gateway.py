"""The smallest gateway: the real link with a list as its ledger, for benches and tests of a shoe."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from sabot_gateway.shoe.link import ShoeLink
from sabot_gateway.shoe.parse import Event
from sabot_protocol import rulebooks

GATEWAY: Final = bytes.fromhex("6a7e000000000001")
PROFILE: Final = rulebooks.load(rulebooks.in_order()[0]).profile(8, 1)


@dataclass
class MinimalGateway:
    """`events` is the ledger. It can be pickled: tests of power cuts keep it while the shoe restarts."""

    key: bytes | None = None
    rng: random.Random = field(default_factory=lambda: random.Random(1))
    events: list[Event] = field(default_factory=list)
    now_s: float = 0.0

    def __post_init__(self) -> None:
        """Start the link."""
        self.restart()

    def restart(self) -> None:
        """Start anew, as after a crash: events that were not committed are lost."""
        self._waiting: list[Event] = []
        self.link = ShoeLink(PROFILE, self._durable, GATEWAY, self._keys, self._nonce, stored=self)
        self.link.reset()

    def _durable(self, _unit: str) -> int:
        return len(self.events)

    def frame_of(self, _unit: str, event_no: int) -> bytes | None:
        """Return the stored frame of an event, or None; the link compares it with a repeated one."""
        return self.events[event_no - 1].raw if 0 < event_no <= len(self.events) else None

    def newest_event(self, _unit: str, kinds: Sequence[int], within: int) -> bytes | None:
        """Return the newest stored frame of these kinds among the last `within` events, or None."""
        frames = (event.raw for event in reversed(self.events[-within:]))
        return next((frame for frame in frames if frame[12] in kinds), None)

    def _keys(self, _unit: str) -> tuple[bytes, ...]:
        return (self.key,) if self.key else ()

    def _nonce(self) -> bytes:
        return self.rng.randbytes(8)

    def exchange(self, data: bytes, now_s: float, commit: bool = True) -> bytes:
        """Do one turn: bytes in, bytes out; events are acknowledged once they are committed."""
        self.now_s = now_s
        self.link.tick(now_s)
        self.link.firmware.tick(now_s)
        self._waiting += self.link.receive(data, now_s)
        if commit and self._waiting:
            self.events += self._waiting
            self._waiting = []
            self.link.acknowledge(self.events[-1].event_no, now_s)
        out = self.link.output()
        self.link.written(len(out))
        return out

    def of(self, *kinds: str) -> list[Event]:
        """Return the events of these kinds."""
        return [event for event in self.events if event.kind in kinds]

"""A table with an Angel Eye: the shoe and its dealer on one clock; bytes at times come out."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from sabot_sim.angel_eye.dealer import AngelEyeDealer
from sabot_sim.angel_eye.shoe import AngelEyeShoe


@dataclass
class AngelEyeTable:
    """`step(now_s)` does what is due; `stream` plays on a clock of its own."""

    shoe: AngelEyeShoe
    dealer: AngelEyeDealer
    _act_s: float = 0.0  # when the dealer acts next

    def step(self, now_s: float) -> bytes:
        """Let the dealer act if it is time; return the bytes that are out by now."""
        out = self.shoe.output(now_s)  # before the dealer acts: he may switch the shoe off
        if now_s >= self._act_s:
            self._act_s = now_s + self.dealer.act(now_s)
        return out + self.shoe.output(now_s)

    def wait(self, now_s: float) -> bytes:
        """Let the dealer stand still; return the bytes that are out by now."""
        self._act_s = max(self._act_s, now_s)
        return self.shoe.output(now_s)

    def next_s(self) -> float:
        """Return when the next step has something to do."""
        due_s = self.shoe.next_s()
        return min(self._act_s, math.inf if due_s is None else due_s)

    def stream(self, coups: int, now_s: float = 0.0) -> Iterator[tuple[float, bytes]]:
        """Play until so many coups have a result and everything is out; yield bytes with their times."""
        self.dealer.begin(now_s)
        goal = self.dealer.coups_seen + coups
        while self.dealer.coups_seen < goal:
            yield from self._at(now_s, self.step(now_s))
            now_s = max(now_s, self.next_s())
        while (due_s := self.shoe.next_s()) is not None:
            now_s = max(now_s, due_s)
            yield from self._at(now_s, self.shoe.output(now_s))

    @staticmethod
    def _at(now_s: float, data: bytes) -> Iterator[tuple[float, bytes]]:
        if data:
            yield now_s, data

"""The rig interface: what a bench can do to one shoe controller. unix.py, rp2040.py and board.py implement it."""

import random
from collections.abc import Iterable
from typing import Protocol

from sabot_sim.optics.signals import Edge


class BenchError(RuntimeError):
    """The bench cannot start or has stopped; the message says what to do."""


class Rig(Protocol):
    """One shoe controller on a bench: its inputs, power, serial line and clock.

    Times of `play` are absolute, on a clock that stops while the power is off and while the shoe starts.
    """

    @property
    def name(self) -> str:
        """The name that `--bench` takes."""

    @property
    def unit(self) -> str:
        """The controller's unit id, 16 hex digits."""

    @property
    def outputs(self) -> int | None:
        """Lock and lamps, as bits; None until the shoe has set them."""

    def power_on(self) -> None:
        """Switch on; inputs are 0 until the next edge."""

    def power_off(self) -> None:
        """Switch off at once."""

    def reset(self) -> None:
        """Pull the reset pin."""

    def play(self, edges: Iterable[Edge], until_us: int) -> None:
        """Queue these edges and let time run to `until_us`; turn() carries it out."""

    def turn(self) -> None:
        """Carry out a part of what is queued; time may pass."""

    def quiet(self) -> bool:
        """Return True when everything queued was played and everything the shoe sends because of it was received."""

    def receive(self) -> bytes:
        """Return what the shoe has sent since the last call."""

    def send(self, data: bytes) -> None:
        """Send bytes to the shoe."""

    def line_s(self) -> float:
        """The clock for timeouts of the line, in seconds."""

    def pass_silence(self, seconds: float) -> None:
        """Advance the line's clock by a time in which nothing could arrive, unless it is the clock of `play`."""

    def damage(self, part: str, seed: int, spots: int) -> None:
        """With the power off: clear bits in `journal` or `store`, or make the check of `image` fail."""

    def exchange(self, number: int) -> None:
        """With the power off: put another controller here, by number; 1 is the first one."""

    def filenos(self) -> list[int]:
        """Descriptors that become readable when turn() has work; empty if time passes only in turn()."""

    def close(self) -> None:
        """Switch off and release everything."""


def fallen_bits(flash: bytes, seed: int, spots: int) -> bytes:
    """Return flash in which `spots` written bytes have lost a bit; the seed decides which."""
    rng, found = random.Random(seed), bytearray(flash)
    written = [at for at, byte in enumerate(found) if byte not in (0x00, 0xFF)]
    for at in rng.sample(written, min(spots, len(written))):
        found[at] &= found[at] - 1
    return bytes(found)

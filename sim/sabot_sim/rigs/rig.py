"""The rig interface: what a bench can do to one shoe controller. unix.py, rp2040.py and board.py implement it."""

import random
from collections.abc import Iterable
from typing import Protocol

from sabot_sim.optics.signals import Edge


class BenchError(RuntimeError):
    """The bench cannot start or has died; the message says what to do."""


class Rig(Protocol):
    """What a bench does to a shoe: its inputs by time, its power, its serial line, its clock.

    Times of `play` are absolute, on a clock that stands still while the power is off and a shoe starts.
    """

    @property
    def name(self) -> str:
        """As `--bench` has it."""

    @property
    def unit(self) -> str:
        """The controller's own number, 16 hex digits."""

    @property
    def outputs(self) -> int | None:
        """Lock and lamps, once the shoe has shown them."""

    def power_on(self) -> None:
        """Put the plug in; inputs are at 0 until the next edge."""

    def power_off(self) -> None:
        """Pull the plug."""

    def reset(self) -> None:
        """Pull the reset pin."""

    def play(self, edges: Iterable[Edge], until_us: int) -> None:
        """Move the inputs at these times, and let time go on until then; turn() does it."""

    def turn(self) -> None:
        """Do a bit of what was asked; time may pass."""

    def quiet(self) -> bool:
        """Everything played was taken, and what the shoe has to say to it is on the line and was received."""

    def receive(self) -> bytes:
        """What the shoe has sent."""

    def send(self, data: bytes) -> None:
        """Bytes for the shoe."""

    def line_s(self) -> float:
        """The clock by which the line is late or silent, in seconds."""

    def damage(self, part: str, seed: int, spots: int) -> None:
        """While the power is off: bits of `journal` or `store` fall, or the `image` is not what it was."""

    def exchange(self, number: int) -> None:
        """While the power is off: put another controller here, number 2 and so on; 1 is the first again."""

    def filenos(self) -> list[int]:
        """Readable when there is something to be done; none where time passes in turn() alone."""

    def close(self) -> None:
        """Power off, and give everything back."""


def fallen_bits(flash: bytes, seed: int, spots: int) -> bytes:
    """The same, but some bytes that were written have lost a bit: drawn by the seed."""
    rng, found = random.Random(seed), bytearray(flash)
    written = [at for at, byte in enumerate(found) if byte not in (0x00, 0xFF)]
    for at in rng.sample(written, min(spots, len(written))):
        found[at] &= found[at] - 1
    return bytes(found)

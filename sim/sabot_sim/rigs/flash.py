"""NOR flash in memory, stricter than a chip, with power cuts in the middle of a write or an erase."""

import random
from typing import Final

PAGE_BYTES: Final = 256


class PowerCut(Exception):  # noqa: N818
    """The power was cut during this operation."""


class FlashError(Exception):
    """An operation that NOR flash does not allow."""


class Plug:
    """The power of one or more flashes; the same seed gives the same cuts."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.left: int | None = None  # operations until the cut; None: no cut
        self.counted: tuple[str, ...] = ()
        self.erase_allowed = True

    def pull(self, after: int, counted: tuple[str, ...]) -> None:
        """Cut the power in the operation after `after` counted ones; a `header` is the write that begins a sector."""
        self.left, self.counted = after, counted

    def torn(self, operation: str) -> bool:
        """Return True if the power is cut during the operation that begins now."""
        if self.left is None:
            return False
        if self.left < 0:
            raise PowerCut
        if operation not in self.counted:
            return False
        self.left -= 1
        return self.left < 0


class Flash:
    """A medium for the firmware's journal and store; `erases` counts by sector.

    Cells whose program or erase was cut may be weak: each read gives 0 or 1 by chance until they are programmed or
    erased again.
    """

    def __init__(self, sectors: int, sector_bytes: int = 4096, plug: Plug | None = None) -> None:
        self.sectors, self.sector_bytes = sectors, sector_bytes
        self.plug = plug or Plug(random.Random(0))
        self.data = bytearray(b"\xff" * (sectors * sector_bytes))
        self.weak: dict[int, int] = {}  # bits by address
        self.erases = [0] * sectors

    def read(self, at: int, buf: bytearray) -> None:
        """Fill buf from this address."""
        buf[:] = self.data[at : at + len(buf)]
        for i in self._weak_in(at, at + len(buf)):
            buf[i - at] ^= self.weak[i] & self.plug.rng.getrandbits(8)

    def program(self, at: int, buf: bytes) -> None:
        """Clear the bits that are 0 in buf; FlashError if a cleared bit should become 1, or if the page ends."""
        end = at + len(buf)
        if at // PAGE_BYTES != (end - 1) // PAGE_BYTES or end > len(self.data):
            raise FlashError(f"program of {len(buf)} bytes at {at} leaves its page")
        old, want = int.from_bytes(self.data[at:end]), int.from_bytes(buf)
        weak = self._weak_in(at, end)
        if want & ~(old | sum(self.weak[i] << 8 * (end - 1 - i) for i in weak)):
            raise FlashError(f"program at {at} would set bits")
        new = (old & want).to_bytes(len(buf))
        if self.plug.torn("program" if at % self.sector_bytes else "header"):
            self._tear(at, torn_program(self.plug.rng, bytes(self.data[at:end]), new), new)
            raise PowerCut
        self.data[at:end] = new
        for i in weak:
            self.weak[i] &= buf[i - at]

    def erase(self, sector: int) -> None:
        """Set all bits of a sector."""
        if not self.plug.erase_allowed:
            raise FlashError(f"erase of sector {sector} while erasing is not allowed")
        start, end = sector * self.sector_bytes, (sector + 1) * self.sector_bytes
        self.erases[sector] += 1
        blank = b"\xff" * self.sector_bytes
        if self.plug.torn("erase"):
            self._tear(start, torn_erase(self.plug.rng, bytes(self.data[start:end])), blank)
            raise PowerCut
        self.data[start:end] = blank
        if self.weak:
            self.weak = {at: bits for at, bits in self.weak.items() if not start <= at < end}

    def _tear(self, at: int, torn: bytes, whole: bytes) -> None:
        """Store the result of a cut operation; of the bits that should have changed none, some or all are weak."""
        changes = [at + i for i, byte in enumerate(whole) if self.data[at + i] != byte]
        rng = self.plug.rng
        for i in rng.sample(changes, min(len(changes), rng.choice((0, 1, 2, len(changes))))):
            self.weak[i] = self.weak.get(i, 0) | self.data[i] ^ whole[i - at]
        self.data[at : at + len(torn)] = torn

    def weak_cells(self) -> list[tuple[int, int]]:
        """Return sector and offset of every byte with weak cells."""
        return [divmod(at, self.sector_bytes) for at, bits in self.weak.items() if bits]

    def _weak_in(self, at: int, end: int) -> list[int]:
        return [i for i in range(at, end) if i in self.weak] if self.weak else []


def torn_program(rng: random.Random, old: bytes, new: bytes) -> bytes:
    """Return what a cut write leaves: some bytes written wholly, the rest in part; also all, or nothing."""
    whole = rng.choice((0, 0, len(new), rng.randint(0, len(new))))
    share = rng.choice((0.0, 0.0, 0.5, 0.99, rng.random()))
    rest = (was & (want | ~bits(rng, share)) & 0xFF for was, want in zip(old[whole:], new[whole:], strict=True))
    return new[:whole] + bytes(rest)


def torn_erase(rng: random.Random, old: bytes) -> bytes:
    """Return what a cut erase leaves: a part of the cells is erased."""
    share = rng.choice((0.0, 0.001, 0.1, 0.5, 0.9, 0.999, rng.random()))
    first, last = sorted(rng.choices(range(len(old) + 1), k=2))
    mixed = bytes(byte | bits(rng, share) for byte in old)
    return rng.choice((mixed, mixed[:first] + b"\xff" * (last - first) + mixed[last:], old[:first] + mixed[first:]))


def bits(rng: random.Random, share: float) -> int:
    """Return a byte in which each bit is 1 with this probability."""
    if share <= 0.0:
        return 0
    return sum(1 << bit for bit in range(8) if rng.random() < share)

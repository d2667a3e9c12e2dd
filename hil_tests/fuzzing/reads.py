"""Reads: the same bytes in one read, and in parts that the bytes themselves choose."""

from collections.abc import Iterator
from zlib import crc32


def parts(data: bytes) -> Iterator[bytes]:
    """Yield the bytes in parts of 1 to 8 bytes; the same bytes always in the same parts."""
    at, seed = 0, crc32(data) | 1
    while at < len(data):
        seed = seed * 1_103_515_245 + 12_345 & 0x7FFF_FFFF
        size = 1 + (seed >> 16) % 8
        yield data[at : at + size]
        at += size


class Choices:
    """Takes numbers and pieces off the front of the bytes; zeros where they have ended."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def more(self) -> bool:
        """Return True while bytes are left."""
        return self._at < len(self._data)

    def number(self) -> int:
        """Return the next byte."""
        self._at += 1
        return self._data[self._at - 1] if self._at <= len(self._data) else 0

    def piece(self) -> bytes:
        """Return as many bytes as the next byte says."""
        size = self.number()
        found = self._data[self._at : self._at + size]
        self._at += size
        return found

    def rest(self) -> bytes:
        """Return all that is left."""
        found, self._at = self._data[self._at :], len(self._data)
        return found

"""A serial line at its baud rate: bytes go one by one from a bounded buffer to a bounded buffer; time is passed in."""

from typing import Final

BAUD: Final = 115_200
_BITS_A_BYTE: Final = 10  # 8N1: start, eight, stop
_US_A_SECOND: Final = 1_000_000


class PacedLine:
    """One direction: write() takes what its buffer has room for, read() returns what has arrived by then."""

    def __init__(self, sender_bytes: int, receiver_bytes: int, baud: int = BAUD) -> None:
        self._sender_bytes, self._receiver_bytes, self._baud = sender_bytes, receiver_bytes, baud
        self._waiting, self._arrived = bytearray(), bytearray()
        self._busy_since_us = 0  # start of the current transmission without a pause
        self._busy_bytes = 0  # bytes carried since then
        self.carried_bytes = 0
        self.overruns = 0  # bytes lost because the receiver's buffer was full

    def write(self, data: bytes, now_us: int) -> int:
        """Send bytes; return how many of them the buffer took."""
        self._advance(now_us)
        if not self._waiting:
            self._busy_since_us, self._busy_bytes = now_us, 0
        taken = data[: self._sender_bytes - len(self._waiting)]
        self._waiting += taken
        return len(taken)

    def read(self, now_us: int, most: int | None = None) -> bytes:
        """Return bytes that have arrived completely."""
        self._advance(now_us)
        data = bytes(self._arrived[:most])
        del self._arrived[: len(data)]
        return data

    def capacity_bytes(self, us: int) -> float:
        """Return how many bytes a line that is never idle carries in this time."""
        return us * self._baud / (_BITS_A_BYTE * _US_A_SECOND)

    def _advance(self, now_us: int) -> None:
        passed = (now_us - self._busy_since_us) * self._baud // (_BITS_A_BYTE * _US_A_SECOND)
        count = min(passed - self._busy_bytes, len(self._waiting))
        self._busy_bytes += count
        self.carried_bytes += count
        self._arrived += self._waiting[:count]
        del self._waiting[:count]
        self.overruns += max(0, len(self._arrived) - self._receiver_bytes)
        del self._arrived[self._receiver_bytes :]

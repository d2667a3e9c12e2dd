"""Stimulus: inputs that arrive as timed records on a stream, and the answers to them. For the boards of benches.

A record is 5 bytes: microseconds since the last record (24 bits), then the levels of all inputs (16 bits).
After each batch the board answers 4 bytes: how many records it has taken (16 bits, wrapping), then its outputs.
"""

from struct import pack_into

from micropython import const

_RECORD = const(5)
_ANSWER_FORMAT = const("<HH")
_BATCH = const(64)
_TICKS = const(0x3FFFFFFF)


class Stimulus:
    """Puts records into the sampler; a part of one is kept until the rest has come."""

    def __init__(self, sampler):
        self._sampler = sampler
        self._records = bytearray(_RECORD * _BATCH)
        self._partial = 0
        self._t_us = 0
        self._taken = 0
        self._answer = bytearray(4)
        self._answer_due = False

    def room(self):
        """Return where the next bytes go: a view as long as the sampler has room for."""
        size = min(self._sampler.free(), _BATCH) * _RECORD
        return memoryview(self._records)[self._partial : size]

    def take(self, got):
        """Take the `got` bytes that have come there."""
        size = self._partial + got
        whole = size // _RECORD
        for i in range(whole):
            self._sample(i * _RECORD)
        self._partial = size % _RECORD
        for i in range(self._partial):
            self._records[i] = self._records[whole * _RECORD + i]

    def _sample(self, at):
        r = self._records
        self._t_us = (self._t_us + (r[at] | r[at + 1] << 8 | r[at + 2] << 16)) & _TICKS
        self._sampler.put(self._t_us, r[at + 3] | r[at + 4] << 8)
        self._taken = self._taken + 1 & 0xFFFF
        self._answer_due = True

    def answer(self, outputs):
        """Return the answer that is due, or None."""
        if not self._answer_due:
            return None
        self._answer_due = False
        pack_into(_ANSWER_FORMAT, self._answer, 0, self._taken, outputs)
        return self._answer

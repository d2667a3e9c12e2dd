"""The bench board: inputs arrive as timed records on a stream, serial is a stream, flash is a file.

A stimulus record is 5 bytes: microseconds since the last record (24 bits), then the levels of all inputs (16 bits).
After each batch the board answers 4 bytes: how many records it has taken (16 bits, wrapping), then its outputs.
"""

import os
import select
import sys
import time
from struct import pack_into

from micropython import const

_STIMULUS = const(5)
_BATCH = const(64)
_KEY_BYTES = const(32)
_TICKS = const(0x3FFFFFFF)


class FileMedium:
    """Fixed-size records in a file: what flash is to the board."""

    def __init__(self, path, slots, record):
        try:
            os.stat(path)
        except OSError:
            with open(path, "wb") as blank:
                blank.write(bytes(slots * record))
        self._file = open(path, "r+b")
        self._record = record

    def read(self, slot, buf):
        """Fill buf from one slot."""
        self._file.seek(slot * self._record)
        self._file.readinto(buf)

    def write(self, slot, buf):
        """Store buf in one slot."""
        self._file.seek(slot * self._record)
        self._file.write(buf)


class Board:
    """Opens the two streams by descriptor, as main.py was told on its command line."""

    def __init__(self, sampler, serial_fd, stimulus_fd):
        self._sampler = sampler
        self._serial = open(serial_fd, "r+b")
        self._stimulus = open(stimulus_fd, "r+b")
        self._poll = select.poll()
        self._poll.register(self._serial, select.POLLIN)
        self._poll.register(self._stimulus, select.POLLIN)
        self._records = bytearray(_STIMULUS * _BATCH)
        self._start = time.ticks_ms()
        self._partial = 0
        self._t_us = 0
        self._taken = 0
        self._answer = bytearray(4)
        self._answer_due = False
        self.rx = bytearray(256)
        self.rx_size = 0

    def wait(self, timeout_ms):
        """Sleep until something comes in; take bytes into rx and samples into the sampler."""
        self.rx_size = 0
        for stream, events in self._poll.ipoll(timeout_ms):
            if stream is self._serial:
                self.rx_size = stream.readinto(self.rx) or 0
            elif not self._take_stimulus() or events & select.POLLHUP:
                raise SystemExit

    def _take_stimulus(self):
        room = min(self._sampler.free(), _BATCH) * _STIMULUS - self._partial
        try:
            got = self._stimulus.readinto(memoryview(self._records)[self._partial : self._partial + room])
        except OSError:  # the other end is gone
            return False
        if got == 0:
            return False
        size = self._partial + (got or 0)
        whole = size // _STIMULUS
        for i in range(whole):
            self._sample(i * _STIMULUS)
        self._partial = size % _STIMULUS
        for i in range(self._partial):
            self._records[i] = self._records[whole * _STIMULUS + i]
        return True

    def _sample(self, at):
        r = self._records
        self._t_us = (self._t_us + (r[at] | r[at + 1] << 8 | r[at + 2] << 16)) & _TICKS
        self._sampler.put(self._t_us, r[at + 3] | r[at + 4] << 8)
        self._taken = self._taken + 1 & 0xFFFF
        self._answer_due = True

    def line_ms(self):
        """The serial line's clock: real time, while the inputs bring their own."""
        return time.ticks_diff(time.ticks_ms(), self._start) & _TICKS

    def show(self, outputs):
        """Drive lock and lamps."""
        if self._answer_due:
            pack_into("<HH", self._answer, 0, self._taken, outputs)
            self._stimulus.write(self._answer)
            self._answer_due = False

    def send(self, buf, size):
        """Write buf[:size] to the serial line; how many bytes it took."""
        try:
            return self._serial.write(buf, size) or 0
        except OSError:  # nobody reads at the other end, and the line is full
            return 0


def random(count):
    """Bytes that nobody can foresee."""
    return os.urandom(count)


def key(state_dir):
    """The key of this unit, or None where none was put in; half a key is an error, not none."""
    try:
        with open(state_dir + "/key.bin", "rb") as file:
            stored = file.read()
    except OSError:
        return None
    if len(stored) != _KEY_BYTES:
        raise ValueError("key.bin has %d bytes, a key has %d: put it in again" % (len(stored), _KEY_BYTES))
    return stored


def arguments():
    """unit id, state directory, serial descriptor, stimulus descriptor: from the command line."""
    _, unit, state, serial_fd, stimulus_fd = sys.argv
    return bytes(int(unit[i : i + 2], 16) for i in range(0, 16, 2)), state, int(serial_fd), int(stimulus_fd)

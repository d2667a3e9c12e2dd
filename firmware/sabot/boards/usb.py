"""The USB serial port as a port to a gateway: MicroPython's own, without its prompt while the shoe runs.

Nothing here waits. A host that does not read fills MicroPython's buffer and gets no more; where no host has opened the
port the oldest bytes are overwritten. A run of Ctrl-C that no frame can have ends the program: `sabot flash` does that.
"""

import select
import sys

import micropython
from micropython import const

_STOP = const(3)  # Ctrl-C: within a frame a byte like any other
_STOPS = const(200)  # in a row; a frame has at most 132 bytes, the last of them 0
_MOST_BYTES = const(128)  # a call: each takes 60 us, and cards come first


class Usb:
    """Bytes in and out, one by one: poll() reports one byte at a time."""

    def __init__(self):
        micropython.kbd_intr(-1)
        self._in, self._out = sys.stdin.buffer, sys.stdout.buffer
        self._readable, self._writable = select.poll(), select.poll()
        self._readable.register(sys.stdin, select.POLLIN)
        self._writable.register(sys.stdout, select.POLLOUT)
        self._byte = bytearray(1)
        self._stops = 0
        for poll in (self._readable, self._writable):
            for _ in poll.ipoll(0):  # its first answer allocates
                pass

    def read(self, buf):
        """Read into buf what has come; return how many bytes. Allocates nothing."""
        readable, byte = self._readable, self._byte
        for size in range(len(buf)):
            for _ in readable.ipoll(0):
                self._in.readinto(byte, 1)
                break
            else:
                return size
            buf[size] = byte[0]
            self._count_stop(byte[0])
        return len(buf)

    def _count_stop(self, byte):
        self._stops = self._stops + 1 if byte == _STOP else 0
        if self._stops == _STOPS:
            raise KeyboardInterrupt

    def write(self, buf, size):
        """Write the first bytes of buf[:size]; return how many. Allocates nothing."""
        writable, out = self._writable, self._out
        size = min(size, _MOST_BYTES)
        for i in range(size):
            for _ in writable.ipoll(0):
                out.write(buf, i, 1)  # type: ignore[call-arg]
                break
            else:
                return i
        return size

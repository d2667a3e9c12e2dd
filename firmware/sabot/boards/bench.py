"""The board of the VM: inputs arrive on a stream (stimulus.py), the serial line is a stream, flash is a file."""

import os
import select
import sys
import time

import slots
from micropython import const

from sabot import wire
from sabot.boards.stimulus import Stimulus
from sabot.storage import image, journal, store

_FIRMWARE = __file__.rsplit("/", 3)[0] or "."
_TICKS = const(0x3FFFFFFF)
_ERASED = b"\xff" * 256


class FileMedium:
    """Flash in a file: a write only clears bits, an erase sets a sector to ones."""

    sector_bytes = 4096

    def __init__(self, path, sectors):
        self.sectors = sectors
        try:
            os.stat(path)
        except OSError:
            with open(path, "wb") as blank:
                for _ in range(sectors * self.sector_bytes // len(_ERASED)):
                    blank.write(_ERASED)
        self._file = open(path, "r+b")

    def read(self, at, buf):
        """Fill buf from this address on."""
        self._file.seek(at)
        self._file.readinto(buf)

    def program(self, at, buf):
        """Clear the bits that are 0 in buf; setting a bit is an error."""
        self._file.seek(at)
        stored = self._file.read(len(buf))
        for i in range(len(buf)):
            if buf[i] & ~stored[i]:
                raise ValueError("program at %d would set bits" % (at + i))
        self._file.seek(at)
        self._file.write(buf)

    def erase(self, sector):
        """Set all bits of a sector."""
        self._file.seek(sector * self.sector_bytes)
        for _ in range(self.sector_bytes // len(_ERASED)):
            self._file.write(_ERASED)


class Restart(Exception):  # noqa: N818
    """The program must start again."""


class Board:
    """The two streams by descriptor, from the command line of main.py; a directory is its flash.

    One class because main.py calls one board, whatever it is made of.
    """

    rx_port = 0  # its only port

    def __init__(self, sampler, unit, state_dir, serial_fd, stimulus_fd):
        self.sampler = sampler
        self.unit = unit
        self._state_dir = state_dir
        self._serial = open(serial_fd, "r+b")
        self._inputs = open(stimulus_fd, "r+b")
        self._stimulus = Stimulus(sampler)
        self._poll = select.poll()
        self._poll.register(self._serial, select.POLLIN)
        self._poll.register(self._inputs, select.POLLIN)
        self._start = time.ticks_ms()
        self.rx = bytearray(256)
        self.rx_size = 0

    def journal_medium(self):
        """Return the medium of the journal."""
        return FileMedium(self._state_dir + "/journal.bin", journal.SECTORS)

    def store_medium(self):
        """Return the medium of the store."""
        return FileMedium(self._state_dir + "/store.bin", store.SECTORS)

    def key(self):
        """Return the key of this unit, None if it has none."""
        return image.key(self._state_dir + "/key.bin")

    def firmware_key(self):
        """Return the public key of the firmware's publisher, None if there is none."""
        return image.key(self._state_dir + "/firmware.pub")

    def random(self, count):
        """Return unpredictable bytes."""
        return os.urandom(count)

    def image_hash(self):
        """Return the hash of the program."""
        return image.digest(slots.folder() or _FIRMWARE)

    def image_sound(self, found):
        """Return True if the program with this hash is the one that was put in, or if there is no note of it."""
        return image.matches((slots.folder() or self._state_dir) + "/image.bin", found)

    def cause(self):
        """Return why the board has started."""
        return wire.CAUSE_POWER

    def now_us(self):
        """Return a time for since_us()."""
        return time.ticks_us()

    def since_us(self, start_us):
        """Return the microseconds since then."""
        return time.ticks_diff(time.ticks_us(), start_us)

    def feed_watchdog(self):
        """Do nothing: a bench has no watchdog."""

    def reboot(self):
        """Start again; with slots that is for the program that has chosen this one."""
        if slots.root is not None:
            raise SystemExit(wire.CAUSE_COMMAND)
        raise Restart

    def failed(self, error):
        """End the program with the error."""
        raise error

    def wait(self, timeout_ms):
        """Sleep until something comes in; take bytes into rx and samples into the sampler.

        Where the bench is gone (it may be killed at any time) the power is off: no error of the program.
        """
        self.rx_size = 0
        for stream, events in self._poll.ipoll(timeout_ms):
            if stream is self._serial:
                self._receive()
            elif not self._take_stimulus() or events & select.POLLHUP:
                raise SystemExit

    def _receive(self):
        try:
            self.rx_size = self._serial.readinto(self.rx) or 0
        except OSError:  # the other end is gone
            self.rx_size = 0

    def _take_stimulus(self):
        try:
            got = self._inputs.readinto(self._stimulus.room())
        except OSError:  # the other end is gone
            return False
        if got == 0:
            return False
        self._stimulus.take(got or 0)
        return True

    def line_ms(self):
        """Return the clock of the serial line: real time, while the inputs bring their own."""
        return time.ticks_diff(time.ticks_ms(), self._start) & _TICKS

    def show(self, outputs):
        """Drive lock and lamps."""
        answer = self._stimulus.answer(outputs)
        if answer and not self._answer(answer):
            raise SystemExit

    def _answer(self, answer):
        try:
            self._inputs.write(answer)
        except OSError:  # the other end is gone
            return False
        return True

    def send(self, buf, size, port=0):
        """Write buf[:size] to the serial line; return how many bytes it took."""
        try:
            return self._serial.write(buf, size) or 0
        except OSError:  # the line is full and nothing reads it
            return 0


def open_board(sampler):
    """Return the board of the command line: unit id, state directory, serial descriptor, stimulus descriptor."""
    _, unit, state_dir, serial_fd, stimulus_fd = sys.argv
    return Board(sampler, _from_hex(unit), state_dir, int(serial_fd), int(stimulus_fd))


def _from_hex(text):
    return bytes(int(text[i : i + 2], 16) for i in range(0, len(text), 2))

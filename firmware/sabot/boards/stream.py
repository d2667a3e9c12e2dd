"""The stream board: an RP2040 on a bench. Inputs and serial line come over USB, in messages; flash is its own.

A message is its kind, the number of bytes that follow, and these. Below 0x80 there is text, which is no message, and
Ctrl-C, which ends the program. `sabot flash --bench` puts this board in the place of rp2.py.
"""

import os
import select
import sys

import machine
import micropython
from micropython import const

from sabot import wire
from sabot.boards import flash, rp2
from sabot.boards.stimulus import Stimulus

# Both ways.
_INPUTS = const(0x80)  # records; their answer
_LINE = const(0x81)  # bytes of the serial line
# To the board.
_OFF = const(0x82)  # the plug is pulled, as far as USB can
_ON = const(0x83)
_FORGET = const(0x84)  # while off: journal and settings are as in a new shoe
_KEY = const(0x85)  # while off: its 32 bytes, or none
# From the board.
_STARTED = const(0x86)  # its unit id
_IS_OFF = const(0x87)

_STOP = const(3)
_MOST = const(255)
_KEY_FILE = "/key.bin"

Restart = rp2.Restart


class Board(rp2.Board):
    """Lock and lamps are also driven on their pins; the other pins are not read."""

    def __init__(self, sampler):
        super().__init__(sampler)
        micropython.kbd_intr(-1)  # within a message 3 is a byte like any other
        self._in, self._out = sys.stdin.buffer, sys.stdout.buffer
        self._poll = select.poll()
        self._poll.register(sys.stdin, select.POLLIN)
        self._stimulus = Stimulus(sampler)
        self._byte = bytearray(1)
        self._head = bytearray(2)
        self._send_message(_STARTED, self.unit, len(self.unit))

    def cause(self):
        """Return the cause: the plug. The chip itself only knows how it was flashed."""
        return wire.CAUSE_POWER

    def feed_watchdog(self):
        """Do nothing: a bench has no watchdog."""

    def reboot(self):
        """Start again, with USB as it is."""
        raise Restart

    def failed(self, error):
        """Print an unexpected error, which is noted in flash already; main() starts again."""
        sys.print_exception(error)

    def wait(self, timeout_ms):
        """Sleep until a message comes in; take its bytes into rx or its samples into the sampler."""
        self.rx_size = 0
        for _ in self._poll.ipoll(timeout_ms):
            kind = self._kind()
            if kind == _INPUTS:
                self._take_inputs(self._next())
            elif kind == _LINE:
                self.rx_size = self._in.readinto(self.rx, self._next()) or 0
            elif kind == _OFF:
                self._next()
                self._stay_off()

    def _kind(self):
        byte = self._next()
        if byte == _STOP:
            raise KeyboardInterrupt
        return byte

    def _next(self):
        self._in.readinto(self._byte, 1)
        return self._byte[0]

    def _take_inputs(self, size):
        self._stimulus.take(self._in.readinto(self._stimulus.room(), size))

    def _stay_off(self):
        """Be no shoe until the plug is in again."""
        self.show(0)
        self._while_off(_OFF, 0)
        while True:
            kind = self._kind()
            if kind >= _INPUTS:
                self._while_off(kind, self._in.readinto(self.rx, self._next()))

    def _while_off(self, kind, size):
        if kind == _ON:
            machine.soft_reset()
        elif kind == _OFF:
            self._send_message(_IS_OFF, self.unit, len(self.unit))
        elif kind == _FORGET:
            _forget()
        elif kind == _KEY:
            _keep_key(bytes(self.rx[:size]))

    def show(self, outputs):
        """Drive lock and lamps, and send them."""
        super().show(outputs)
        answer = self._stimulus.answer(outputs)
        if answer:
            self._send_message(_INPUTS, answer, len(answer))

    def send(self, buf, size, port=0):
        """Send bytes of the serial line; return how many were taken."""
        size = min(size, _MOST)
        self._send_message(_LINE, buf, size)
        return size

    def _send_message(self, kind, buf, size):
        self._head[0] = kind
        self._head[1] = size
        self._out.write(self._head)
        self._out.write(buf, size)


def _forget():
    for medium in (flash.journal_medium(), flash.store_medium()):
        for sector in range(medium.sectors):
            medium.erase(sector)


def _keep_key(key):
    if key:
        with open(_KEY_FILE, "wb") as file:
            file.write(key)
    else:
        try:
            os.remove(_KEY_FILE)
        except OSError:  # there is none
            pass


def open_board(sampler):
    """Return this board; call it once."""
    return Board(sampler)

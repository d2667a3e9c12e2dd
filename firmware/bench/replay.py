"""Replay: changes of the inputs from stdin through the reader, its answers to stdout. For benches; no board.

A request is the card set, 1 when it is the last part of its read, the number of samples (16 bits), then for each the
microseconds since the one before (32 bits each), then the inputs of each (16 bits each). Every part is answered: the
number of answers, then eight bytes each: answer, card or reason, margin_pct, columns, doubtful, speed_mm_s.
"""

import sys
from array import array
from struct import pack_into

from micropython import const
from sabot.reading.reader import CARD, CUT, NOTHING, Reader

MOST_SAMPLES = const(400)
MOST_ANSWERS = const(255)  # more than so many samples can give: an answer takes two changes
ANSWER = const(8)
_TICKS = const(0x3FFFFFFF)
_LASTED_US = const(2_000)  # a change has lasted
_QUIET_US = const(60_000)  # noise is over
_STILL_US = const(5_000_000)  # a card is left half drawn


class Replay:
    """One reader, and a clock that goes on from read to read."""

    def __init__(self):
        self.reader = Reader()
        self.answers = bytearray(1 + ANSWER * MOST_ANSWERS)
        self._t_us = 0
        self._pins = 0

    def feed(self, elapsed_us, pins):
        """The inputs are `pins` so long after the sample before."""
        self._t_us = (self._t_us + elapsed_us) & _TICKS
        self._pins = pins
        answer = self.reader.feed(self._t_us, pins)
        if answer != NOTHING:
            self._note(answer)

    def finish(self):
        """Nothing more comes: wait until the reader has said everything, then clear the path for the next read."""
        self.feed(_LASTED_US, self._pins)
        self.feed(_QUIET_US, self._pins)
        if self._pins:
            self.feed(_STILL_US, self._pins)
            told = self.answers[0]
            for elapsed_us in (_QUIET_US, _LASTED_US, _QUIET_US):
                self.feed(elapsed_us, 0)
            self.answers[0] = told

    def _note(self, answer):
        count = self.answers[0]
        reader = self.reader
        said = reader.card if answer == CARD else 0 if answer == CUT else reader.reason
        speed = reader.speed_mm_s if reader.speed_mm_s < 0xFFFF else 0xFFFF
        at = 1 + ANSWER * count
        pack_into("<BBBB", self.answers, at, answer, said, reader.margin_pct, reader.columns)
        pack_into("<HH", self.answers, at + 4, reader.doubtful, speed)
        self.answers[0] = count + 1


def serve(requests, replies):
    """Until the requests end."""
    it = Replay()
    header = bytearray(4)
    elapsed_us = array("I", bytes(4 * MOST_SAMPLES))
    pins = array("H", bytes(2 * MOST_SAMPLES))
    while requests.readinto(header) == 4:
        count = header[2] | header[3] << 8
        requests.readinto(memoryview(elapsed_us)[:count])
        requests.readinto(memoryview(pins)[:count])
        it.reader.set_no = header[0]
        for i in range(count):
            it.feed(elapsed_us[i], pins[i])
        if header[1]:
            it.finish()
        replies.write(it.answers, 1 + ANSWER * it.answers[0])
        it.answers[0] = 0


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)

"""Replay: feeds changes of the inputs from stdin to the reader and writes its answers to stdout. For benches.

A request is the card set, 1 when it is the last part of its read, the number of samples (16 bits), then for each the
microseconds since the one before (32 bits each), then the inputs of each (16 bits each). Every part is answered: the
number of answers, then eight bytes each: answer, card or reason, margin_pct, columns, doubtful, speed_mm_s.
"""

import sys
from array import array
from struct import pack_into

from micropython import const
from sabot.link.frame import short
from sabot.reading.reader import CARD, CUT, NOTHING, Reader

MOST_SAMPLES = const(400)
MOST_ANSWERS = const(255)  # more than MOST_SAMPLES can give: an answer takes two changes
# A request: its header.
_HEADER = const(4)
_SET_AT = const(0)
_LAST_AT = const(1)
_COUNT_AT = const(2)
ANSWER = const(8)
_ANSWER_FORMAT = const("<BBBBHH")
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
        """Take the inputs, which are `pins` since `elapsed_us` after the sample before."""
        self._t_us = (self._t_us + elapsed_us) & _TICKS
        self._pins = pins
        answer = self.reader.feed(self._t_us, pins)
        if answer != NOTHING:
            self._note(answer)

    def finish(self):
        """Wait until the reader has returned everything, then clear the path for the next read."""
        self.feed(_LASTED_US, self._pins)
        self.feed(_QUIET_US, self._pins)
        if self._pins:
            self.feed(_STILL_US, self._pins)
            count = self.answers[0]
            for elapsed_us in (_QUIET_US, _LASTED_US, _QUIET_US):
                self.feed(elapsed_us, 0)
            self.answers[0] = count

    def _note(self, answer):
        count = self.answers[0]
        reader = self.reader
        value = reader.card if answer == CARD else 0 if answer == CUT else reader.reason
        speed = reader.speed_mm_s if reader.speed_mm_s < 0xFFFF else 0xFFFF
        at = 1 + ANSWER * count
        margin_pct, columns = reader.margin_pct, reader.columns
        pack_into(_ANSWER_FORMAT, self.answers, at, answer, value, margin_pct, columns, reader.doubtful, speed)
        self.answers[0] = count + 1


def serve(requests, replies):
    """Answer every request until they end."""
    replay = Replay()
    header = bytearray(_HEADER)
    elapsed_us = array("I", bytes(4 * MOST_SAMPLES))
    pins = array("H", bytes(2 * MOST_SAMPLES))
    while requests.readinto(header) == _HEADER:
        count = short(header, _COUNT_AT)
        requests.readinto(memoryview(elapsed_us)[:count])
        requests.readinto(memoryview(pins)[:count])
        replay.reader.set_no = header[_SET_AT]
        for i in range(count):
            replay.feed(elapsed_us[i], pins[i])
        if header[_LAST_AT]:
            replay.finish()
        replies.write(replay.answers, 1 + ANSWER * replay.answers[0])
        replay.answers[0] = 0


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)

"""Reader: prints on the serial line how every card is read; for benches and installers.

A line for each card; the byte `s` asks for a line of counters.
"""

import gc
import time

import micropython
from micropython import const
from sabot.boards.rp2 import Board
from sabot.reading.reader import CARD, CUT, NOTHING, REJECT, Reader
from sabot.reading.sampler import Sampler

_ASK = const(115)  # s


class Program:
    """Board, sampler, reader and counters."""

    def __init__(self):
        self.sampler = Sampler()
        self.board = Board(self.sampler)
        self.reader = Reader()
        self.heap = gc.mem_free() + gc.mem_alloc()
        self.samples = 0
        self.longest_us = 0
        self._decoded = False

    def run(self):
        """Run until the power is cut."""
        self.write("ready\n")
        while True:
            self.board.wait(100)
            self.turn()

    def turn(self):
        """Process everything that the last wait has brought."""
        start_us = time.ticks_us()
        while self.sampler.get():
            self.sample()
        self.longest_us = max(self.longest_us, time.ticks_diff(time.ticks_us(), start_us))
        for i in range(self.board.rx_size):
            if self.board.rx[i] == _ASK:
                self.print_counts()

    def sample(self):
        """Process one change of the inputs."""
        self.samples += 1
        micropython.heap_lock()  # an allocation on the card path ends the program
        answer = self.reader.feed(self.sampler.t_us, self.sampler.pins)
        micropython.heap_unlock()
        if self.reader.decoded is not self._decoded:
            self._decoded = self.reader.decoded
            self.board.show_decoded(self._decoded)
        if answer != NOTHING:
            self.print_answer(answer)

    def print_answer(self, answer):
        """Print how the card was read."""
        reader = self.reader
        if answer == CARD:
            self.write("card %d speed_mm_s %d margin_pct %d\n" % (reader.card, reader.speed_mm_s, reader.margin_pct))
        elif answer == CUT:
            self.write("cut\n")
        elif answer == REJECT:
            self.write("reject %d columns %d doubtful %d\n" % (reader.reason, reader.columns, reader.doubtful))
        else:
            self.write("noise\n")

    def print_counts(self):
        """Print overruns, samples, heap and the longest turn since the last time."""
        gc.collect()
        used = gc.mem_alloc()
        counts = (self.sampler.overruns, self.samples, self.heap - used, used, self.longest_us)
        self.write("overruns %d samples %d heap_free %d heap_used %d longest_us %d\n" % counts)
        self.longest_us = 0

    def write(self, line):
        """Write a line to the serial line."""
        self.board.send(line, len(line))


def main():
    """Start here."""
    Program().run()


if __name__ == "__main__":
    main()

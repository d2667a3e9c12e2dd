"""Play on a board: the profile in hexadecimal, then the steps of play.py, a line each on the serial line, both ways."""

import json

from play import FLASH_SECTORS, Player
from sabot.boards.flash import FlashMedium
from sabot.boards.rp2 import Board
from sabot.reading.sampler import Sampler

_END = b"\n"


class Line:
    """The serial line, a line at a time; the samples of the sensors are dropped."""

    def __init__(self):
        self._sampler = Sampler()
        self._board = Board(self._sampler)
        self._received = b""

    def next(self):
        """Wait for a line and return it."""
        while _END not in self._received:
            self._board.wait(100)
            self._received += bytes(self._board.rx[: self._board.rx_size])
            while self._sampler.get():
                pass
        line, self._received = self._received.split(_END, 1)
        return line.decode()

    def send(self, text):
        """Send a line, however long it is."""
        rest = text.encode() + _END
        while rest:
            rest = rest[self._board.send(rest, len(rest)) :]


def main():
    """Answer every line until the power goes."""
    line = Line()
    line.send("ready")
    player = Player(FlashMedium(0, FLASH_SECTORS), line.next())
    while True:
        line.send(json.dumps(player.step(json.loads(line.next()))))


if __name__ == "__main__":
    main()

"""Play on a board: the profile in hexadecimal, then the steps of play.py, a line each on the serial line, both ways."""

import json

from play import FLASH_SECTORS, Player
from sabot.boards.flash import FlashMedium
from sabot.boards.rp2 import Board
from sabot.reading.sampler import Sampler

_END = b"\n"


class Line:
    """The serial line, a line at a time; what the sensors see is left alone."""

    def __init__(self):
        self._sampler = Sampler()
        self._board = Board(self._sampler)
        self._came = b""

    def next(self):
        """Wait for a line."""
        while _END not in self._came:
            self._board.wait(100)
            self._came += bytes(self._board.rx[: self._board.rx_size])
            while self._sampler.get():
                pass
        line, self._came = self._came.split(_END, 1)
        return line.decode()

    def say(self, text):
        """Send a line, however long it is."""
        rest = text.encode() + _END
        while rest:
            rest = rest[self._board.send(rest, len(rest)) :]


def main():
    """Answer every line until the power goes."""
    line = Line()
    line.say("ready")
    player = Player(FlashMedium(0, FLASH_SECTORS), line.next())
    while True:
        line.say(json.dumps(player.step(json.loads(line.next()))))


if __name__ == "__main__":
    main()

"""The board of the bench: when the bench is gone, the power is off, and the program has made no error."""

import gc

import main
from sabot.boards.bench import Board
from sabot.boards.stimulus import Stimulus
from sabot.reading.sampler import Sampler


class Gone:
    """A stream whose other end is gone."""

    def write(self, _data, _size=0):
        raise OSError(32)

    def readinto(self, _room):
        raise OSError(5)


class BoardWithoutBench(Board):
    """A board whose streams have no other end; it has taken one record, and an answer is due."""

    def __init__(self):
        self.sampler = Sampler()
        self._inputs = self._serial = Gone()
        self._stimulus = Stimulus(self.sampler)
        self._stimulus.take(5)
        self.rx, self.rx_size = bytearray(8), 3


def test_outputs_that_nobody_takes_end_the_program_without_an_error():
    try:
        BoardWithoutBench().show(0)
    except SystemExit:
        return
    raise AssertionError("the program went on")


def test_a_line_that_is_gone_brings_nothing():
    board = BoardWithoutBench()
    board._receive()
    assert board.rx_size == 0


class LargeMain:
    """Two thirds of the free heap; it asks for a restart three times."""

    left, blocks = 3, gc.mem_free() * 2 // 3 // 96

    def __init__(self, _board):
        self.all = [bytearray(64) for _ in range(LargeMain.blocks)]

    def run(self):
        LargeMain.left -= 1
        if LargeMain.left < 0:
            raise SystemExit
        raise main.boards.Restart


class AnyBoards:
    Restart = main.boards.Restart

    @staticmethod
    def open_board(_sampler):
        return None


def test_a_restart_has_the_memory_of_the_program_before_it():
    main.Main, main.boards = LargeMain, AnyBoards
    try:
        main.main()
    except SystemExit:
        return
    raise AssertionError("the program went on")

"""On the MicroPython VM: every coup of six point values through the firmware's coup machine, two bytes per coup.

micropython all_coups.py FIRST END: the six digits of each number from FIRST to END - 1 are the points as drawn.
"""

import sys

from sabot.dealing.coup import NONE, Coup
from sabot.wire import SLOT_BANKER_3, SLOT_PLAYER_3

BLOCK = 1000


def card_of(points):
    """A club with so many points."""
    return points - 1 if points else 9


def result(coup, stock):
    """Third cards (1 Player's, 2 Banker's) and winner in one byte, both points in the other."""
    coup.start()
    thirds = 0
    for card in stock:
        if coup.due == NONE:
            break
        if coup.due == SLOT_PLAYER_3:
            thirds |= 1
        elif coup.due == SLOT_BANKER_3:
            thirds |= 2
        coup.draw(card)
    return thirds << 6 | coup.winner() << 4 | coup.natural() << 1 | (coup.due == NONE), (
        coup.player_points << 4 | coup.banker_points
    )


def main():
    """Tell every coup, a block at a time."""
    coup, stock, block = Coup(), bytearray(6), bytearray(2 * BLOCK)
    for first in range(int(sys.argv[1]), int(sys.argv[2]), BLOCK):
        for i in range(BLOCK):
            rest = first + i
            for place in range(5, -1, -1):
                stock[place] = card_of(rest % 10)
                rest //= 10
            block[2 * i], block[2 * i + 1] = result(coup, stock)
        sys.stdout.buffer.write(block)


main()

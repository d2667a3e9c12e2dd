"""Panel: presses of the dealer's buttons in, lock and lamps out."""

from micropython import const

from sabot.coup import BANKER, PLAYER, TIE
from sabot.shoe import CLOSED, COMPLETE, FAULT

# Inputs follow the four sensors.
CONFIRM = const(1 << 7)
NEW_SHOE = const(1 << 8)

# Outputs.
LOCK = const(1)
_LAMP_PLAYER = const(2)
_LAMP_BANKER = const(4)
_LAMP_TIE = const(8)
_LAMP_PLAYER_PAIR = const(16)
_LAMP_BANKER_PAIR = const(32)
_LAMP_FAULT = const(64)
_LAMP_LAST_COUP = const(128)
_LAMP_WAITING = const(256)  # for the gateway to take the log


class Buttons:
    """Which inputs went from released to pressed."""

    def __init__(self):
        self._pins = 0

    def feed(self, pins):
        """The buttons newly pressed."""
        pressed = pins & ~self._pins
        self._pins = pins
        return pressed


def outputs(shoe):
    """Lock and lamps for the state the shoe is in."""
    lit = LOCK if shoe.locked() else 0
    if shoe.state == FAULT:
        lit |= _LAMP_FAULT
    if shoe.stuck():
        lit |= _LAMP_WAITING
    if shoe.state != CLOSED and shoe.last_coup():
        lit |= _LAMP_LAST_COUP
    if shoe.state == COMPLETE:
        lit |= _result(shoe.coup)
    return lit


def _result(coup):
    winner = coup.winner()
    lit = _LAMP_PLAYER if winner == PLAYER else _LAMP_BANKER if winner == BANKER else 0
    if winner == TIE:
        lit |= _LAMP_TIE
    if coup.player_pair():
        lit |= _LAMP_PLAYER_PAIR
    if coup.banker_pair():
        lit |= _LAMP_BANKER_PAIR
    return lit

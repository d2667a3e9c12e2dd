"""Panel: debounces buttons, key and lid; drives lock, lamps and buzzer."""

from micropython import const

from sabot.dealing.state import CLOSED, COMPLETE
from sabot.wire import WINNER_BANKER, WINNER_PLAYER, WINNER_TIE

# Inputs follow the four sensors: Player, Banker, Tie, Confirm, New shoe, in the order of their numbers; key; lid.
_FIRST_BUTTON = const(4)
_BUTTONS = const(0x1F)
_KEY = const(1 << 9)
_LID = const(1 << 10)

# Outputs.
LOCK = const(1)
_LAMP_PLAYER = const(2)
_LAMP_BANKER = const(4)
_LAMP_TIE = const(8)
_LAMP_PLAYER_PAIR = const(16)
_LAMP_BANKER_PAIR = const(32)
_LAMP_FAULT = const(64)  # red
_LAMP_LAST_COUP = const(128)
_LAMP_WAITING = const(256)  # amber, the other colour of the fault lamp: over red it flashes the fault's number
_BUZZER = const(512)

_TICKS_US = const(0x3FFFFFFF)
_TICKS_MS = const(0x3FFFFFFF)
_PRESSED_US = const(20_000)  # buttons that are unchanged for this long have settled
_LEVEL_US = const(50_000)  # likewise key and lid
_ALARM_MS = const(2_000)
_BLINK_MS = const(300)
_PAUSE_BLINKS = const(5)


class Buttons:
    """One button at a time, once a press, when it was held alone long enough."""

    def __init__(self):
        self._down = 0  # as the contacts are
        self._since_us = 0
        self._held = 0  # without the bounces

    def feed(self, t_us, pins):
        """Take the levels of all inputs since `t_us`; return the number of the button that was pressed, else 0."""
        down = pins >> _FIRST_BUTTON & _BUTTONS
        pressed = 0
        if self._down != self._held and (t_us - self._since_us) & _TICKS_US >= _PRESSED_US:
            if not self._held and not self._down & (self._down - 1):  # the first, and alone
                pressed = _number(self._down)
            self._held = self._down
        if down != self._down:
            self._down = down
            self._since_us = t_us
        return pressed


def _number(bit):
    """Return the number of a button: its place among them, from 1."""
    number = 0
    while bit:
        bit >>= 1
        number += 1
    return number


class Level:
    """A key or a lid: `on` follows the input once it has settled."""

    def __init__(self, mask):
        self._mask = mask
        self.on = False
        self._level = False
        self._since_us = 0

    def feed(self, t_us, pins):
        """Take the levels of all inputs; return True if `on` has changed."""
        changed = self._level != self.on and (t_us - self._since_us) & _TICKS_US >= _LEVEL_US
        if changed:
            self.on = self._level
        level = pins & self._mask != 0
        if level != self._level:
            self._level = level
            self._since_us = t_us
        return changed


def key():
    """Return the input of the supervisor's key."""
    return Level(_KEY)


def lid():
    """Return the input of the lid."""
    return Level(_LID)


class Lamps:
    """Lock, lamps and buzzer for the state the shoe is in."""

    def __init__(self, shoe):
        self._alarm_ms = -1
        self._seen = shoe.state.alarms - (shoe.state.fault != 0)  # a fault that is restored sounds again

    def outputs(self, shoe, now_ms):
        """Return all outputs as bits."""
        state = shoe.state
        lit = LOCK if shoe.locked() else 0
        if state.fault:
            lit |= _LAMP_FAULT | (_LAMP_WAITING if _blinks(state.fault, now_ms) else 0)
        elif shoe.waits_for_gateway() or shoe.profile_lost() or _waits(state):
            lit |= _LAMP_WAITING
        if state.phase != CLOSED and state.last_coup():
            lit |= _LAMP_LAST_COUP
        if state.phase == COMPLETE:
            lit |= _result(state.coup)
        return lit | self._buzzer(state, now_ms)

    def _buzzer(self, state, now_ms):
        """Sound for two seconds after every fault and irregularity."""
        if state.alarms != self._seen:
            self._seen = state.alarms
            self._alarm_ms = now_ms
        if self._alarm_ms >= 0 and (now_ms - self._alarm_ms) & _TICKS_MS < _ALARM_MS:
            return _BUZZER
        self._alarm_ms = -1
        return 0


def _waits(state):
    """Return True if no fault locks the exit, but a person must do something first."""
    return state.awaiting_authorisation or state.locked or (state.lid_open and state.card_due())


def _blinks(count, now_ms):
    """Return True if a lamp that flashes `count` times and pauses is on now."""
    step = now_ms // _BLINK_MS % (2 * count + _PAUSE_BLINKS)
    return step < 2 * count and step & 1 == 0


def _result(coup):
    winner = coup.winner()
    lit = _LAMP_PLAYER if winner == WINNER_PLAYER else _LAMP_BANKER if winner == WINNER_BANKER else 0
    if winner == WINNER_TIE:
        lit |= _LAMP_TIE
    if coup.player_pair():
        lit |= _LAMP_PLAYER_PAIR
    if coup.banker_pair():
        lit |= _LAMP_BANKER_PAIR
    return lit

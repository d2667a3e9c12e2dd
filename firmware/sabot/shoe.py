"""Shoe: opened, burnt, dealt coup by coup, ended by the cutting card; what happens becomes an event."""

from struct import pack_into

from micropython import const

from sabot.coup import NONE, PLAYER_1, Coup, value
from sabot.journal import BODY
from sabot.profile import BURN_FACE_UP, BURN_NONE

# Event kinds, as messages.py numbers them.
BOOT = const(1)
PROFILE_SET = const(2)
_SHOE_OPENED = const(3)
_CARD = const(4)
_CUTTING_CARD = const(5)
_COUP = const(6)
_REJECT = const(7)
_BUTTON = const(8)
_SHOE_CLOSED = const(9)
SENSOR = const(11)
_FAULT = const(17)
_FAULT_CLEARED = const(18)
COMMAND_DONE = const(22)
_LIVE = const(1)

_TICKS = const(0x3FFFFFFF)
_MOST_SPEED = const(0xFFFF)
_SLOT_BURN = const(0)
_NOT_DUE = const(8)
_NOISE = const(13)
_NOISE_EVERY_MS = const(60_000)
_LAST_COUP = const(1)
_REPLACED = const(2)
_BUTTON_CONFIRM = const(4)
_BUTTON_NEW_SHOE = const(5)
_JOURNAL_FULL = const(4)
_BY_ITSELF = const(3)
_ROOM_AGAIN = const(32)  # events that must fit before a full journal is said to have room

# States.
CLOSED = const(0)
BURNING = const(1)
DEALING = const(2)
COMPLETE = const(3)
FAULT = const(4)


class Shoe:
    """What may leave the exit, and why; methods are called with the time and write to the journal."""

    def __init__(self, journal, profile, shoe_count):
        self._journal = journal
        self._profile = profile
        self._shoe_count = shoe_count
        self.coup = Coup()
        self.state = CLOSED
        self.shoe_no = 0
        self.coup_no = 0
        self._to_burn = 0
        self._burn_by_value = False
        self._coups_left = 0  # from the cutting card on: this coup and those after it
        self.closed_no = 0  # the shoe closed last
        self._noise_ms = -1  # when noise was last logged
        self._told_full = False

    def card_due(self):
        """The shoe wants a card: to burn, or for the coup."""
        return self.state == BURNING or self.state == DEALING

    def locked(self):
        """The exit is held unless a card is due and its event can be kept."""
        return not self.card_due() or self._journal.full()

    def stuck(self):
        """A card is due, but nobody takes the log and the journal has no room for more."""
        return self.card_due() and self._journal.full()

    def watch_room(self, now_ms):
        """Log once that the journal is full and no card is released, and once that it has room again."""
        if self._journal.full() and not self._told_full:
            self._told_full = True
            pack_into("<BH", self._journal.record, BODY, _JOURNAL_FULL, 0)
            self._journal.append(now_ms, _FAULT, 3)
        elif self._told_full and not self._journal.full(_ROOM_AGAIN):
            self._told_full = False
            pack_into("<BB", self._journal.record, BODY, _JOURNAL_FULL, _BY_ITSELF)
            self._journal.append(now_ms, _FAULT_CLEARED, 2)

    def last_coup(self):
        """The coup on the table is the last of this shoe."""
        return self._coups_left == 1

    def new_shoe(self, now_ms):
        """The dealer put new cards in and pressed New shoe."""
        if not self._profile.known or self.card_due():
            return
        self._log_button(now_ms, _BUTTON_NEW_SHOE)
        if self.state != CLOSED:
            self._close(now_ms, _REPLACED)
        self._open(now_ms)

    def confirm(self, now_ms):
        """The dealer has read the result: on to the next coup, or the end of the shoe. False if there is none."""
        if self.state != COMPLETE:
            return False
        self._log_button(now_ms, _BUTTON_CONFIRM)
        if self._coups_left == 1:
            self._close(now_ms, _LAST_COUP)
        else:
            if self._coups_left:
                self._coups_left -= 1
            self._start_coup()
        return True

    def card(self, now_ms, card, speed_mm_s, margin_pct):
        """A certain card has left the exit."""
        if self.state == BURNING:
            self._log_card(now_ms, _SLOT_BURN, card, speed_mm_s, margin_pct)
            self._burn(card)
        elif self.state == DEALING:
            self._log_card(now_ms, self.coup.due, card, speed_mm_s, margin_pct)
            self.coup.draw(card)
            if self.coup.due == NONE:
                self._log_coup(now_ms)
                self.state = COMPLETE
        else:
            self.reject(now_ms, _NOT_DUE, 0, 0, speed_mm_s, margin_pct)

    def cutting_card(self, now_ms, speed_mm_s, margin_pct):
        """The cutting card has left the exit."""
        if not self.card_due():
            self.reject(now_ms, _NOT_DUE, 0, 0, speed_mm_s, margin_pct)
            return
        first = self.coup.due == PLAYER_1
        pack_into("<HHB", self._journal.record, BODY, self.shoe_no, self.coup_no, first)
        self._journal.append(now_ms, _CUTTING_CARD, 5)
        if not self._coups_left:
            self._coups_left = 1 if first and self._profile.cut_first_card_is_last_coup else 2

    def reject(self, now_ms, reason, columns, doubtful, speed_mm_s, margin_pct):
        """Something happened in the path that is no certain card: an open shoe is held until a new one."""
        if self.state != CLOSED:
            self.state = FAULT
        self._log_reject(now_ms, reason, columns, doubtful, speed_mm_s, margin_pct)

    def noise(self, now_ms, changes):
        """The sensors saw something and no card passed: logged once a minute, and nothing is held."""
        if self._noise_ms < 0 or (now_ms - self._noise_ms) & _TICKS >= _NOISE_EVERY_MS:
            self._noise_ms = now_ms
            self._log_reject(now_ms, _NOISE, changes, 0, 0, 0)

    def _log_reject(self, now_ms, reason, columns, doubtful, speed_mm_s, margin_pct):
        if self._journal.full(2):  # the rest of the room is for what changes the state
            return
        pack_into(
            "<HHBBHHB",
            self._journal.record,
            BODY,
            self.shoe_no,
            self.coup_no,
            reason,
            columns,
            doubtful,
            speed_mm_s if speed_mm_s < _MOST_SPEED else _MOST_SPEED,
            margin_pct,
        )
        self._journal.append(now_ms, _REJECT, 11)

    def _open(self, now_ms):
        profile = self._profile
        self.shoe_no = self._shoe_count.bump()
        self.coup_no = 0
        self._coups_left = 0
        pack_into("<HBBB", self._journal.record, BODY, self.shoe_no, profile.card_set, profile.decks, profile.burn)
        self._journal.append(now_ms, _SHOE_OPENED, 5)
        self._burn_by_value = profile.burn == BURN_FACE_UP
        self._to_burn = profile.burn != BURN_NONE
        self.coup.start()
        self.state = BURNING
        if not self._to_burn:
            self._start_coup()

    def _burn(self, card):
        self._to_burn -= 1
        if self._burn_by_value:
            self._burn_by_value = False
            self._to_burn = value(card) or 10
        if not self._to_burn:
            self._start_coup()

    def _start_coup(self):
        self.coup_no += 1
        self.coup.start()
        self.state = DEALING

    def _close(self, now_ms, reason):
        pack_into("<HHB", self._journal.record, BODY, self.shoe_no, self.coup_no, reason)
        self._journal.append(now_ms, _SHOE_CLOSED, 5)
        self.state = CLOSED
        self.closed_no = self.shoe_no

    def _log_button(self, now_ms, button):
        pack_into("<HHB", self._journal.record, BODY, self.shoe_no, self.coup_no, button)
        self._journal.append(now_ms, _BUTTON, 5)

    def _log_card(self, now_ms, slot, card, speed_mm_s, margin_pct):
        pack_into(
            "<HHBBHBB",
            self._journal.record,
            BODY,
            self.shoe_no,
            self.coup_no,
            slot,
            card,
            speed_mm_s if speed_mm_s < _MOST_SPEED else _MOST_SPEED,
            margin_pct,
            0,
        )
        self._journal.append(now_ms, _CARD, 10)

    def _log_coup(self, now_ms):
        coup = self.coup
        flags = coup.player_pair() | coup.banker_pair() << 1 | coup.natural() << 2 | self.last_coup() << 3
        pack_into(
            "<HHBBBBB",
            self._journal.record,
            BODY,
            self.shoe_no,
            self.coup_no,
            coup.winner(),
            coup.player_points,
            coup.banker_points,
            flags,
            _LIVE,
        )
        self._journal.append(now_ms, _COUP, 9)

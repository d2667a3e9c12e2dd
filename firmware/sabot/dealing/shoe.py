"""Shoe: what may leave the exit, and what comes of it. Every input becomes an event; the state follows the events.

An input is logged and applied, and then follow() logs what that calls for: a restart in between goes on from there.
"""

from struct import pack_into

from micropython import const

from sabot import wire
from sabot.dealing import apply, orders
from sabot.dealing.consequences import follow
from sabot.dealing.coup import NONE, PLAYER_1
from sabot.dealing.state import (
    BURNING,
    CHECKING,
    CLOSED,
    COMPLETE,
    DEALING,
    MOST_SURPLUS,
    SLOT_BURN,
    SLOT_UNUSED,
    State,
)
from sabot.storage.journal import BODY, DAMAGED, RECORD

_TICKS = const(0x3FFFFFFF)
_MOST_SPEED = const(0xFFFF)
_SURPLUS = const(-1)  # no slot wants a card
_NOISE_EVERY_MS = const(60_000)
_SPARE = const(6)  # events for which a full journal keeps room: what closes a shoe
_ROOM_AGAIN = const(32)  # events that must fit before a full journal is said to have room
BY_STYLE = const(-1)  # nobody has said whether a card was exposed


class Shoe:
    """Inputs by card(), reject(), press() and so on, each with the time; the journal is written before they return."""

    def __init__(self, journal, profile):
        self.journal = journal
        self.profile = profile
        self._noise_ms = -1  # when noise was last logged
        self.restore()

    # The log

    def restore(self):
        """Apply what the journal holds, from the newest beginning on; behind a hole nothing is known."""
        self.it = State(self.profile)
        self.damaged = 0  # records of the log that could not be read
        journal, it = self.journal, self.it
        record = bytearray(RECORD)
        first = oldest = journal.oldest()
        hole = 0
        for event_no in range(oldest, journal.next_no):
            journal.read(event_no, record)
            first = apply.beginning(record) or first
            if record[8] == DAMAGED:
                self.damaged += 1
                hole = event_no
        if hole >= first:
            first = journal.next_no
        for event_no in range(oldest, journal.next_no):
            journal.read(event_no, record)
            if event_no < first:
                apply.recall(it, record)
            else:
                apply.apply(it, record)
        journal.keep_no = it.base_no
        journal.housekeep()

    def log(self, now_ms, kind, size):
        """Make the event in the journal's record durable, and follow it; without room for it nothing happens."""
        if self.journal.full(1):
            return
        self.journal.append(now_ms, kind, size)
        apply.apply(self.it, self.journal.record)
        self.journal.keep_no = self.it.base_no

    def log_place(self, now_ms, kind, a, b, size):
        """An event that begins with shoe and coup, and has one byte or two behind them."""
        it = self.it
        pack_into("<HHBB", self.journal.record, BODY, it.shoe_no, it.coup_no, a, b)
        self.log(now_ms, kind, size)

    def log_bytes(self, now_ms, kind, a, b, size):
        """An event of one byte, of two, or of two and a zero."""
        pack_into("<BBB", self.journal.record, BODY, a, b, 0)
        self.log(now_ms, kind, size)

    def follow(self, now_ms):
        """Log what the events so far call for, one after the other."""
        if not self.unruled():
            follow(self, now_ms)

    # What is known

    def locked(self):
        """The exit is held unless a card is due, nothing speaks against it, and its event can be kept."""
        it = self.it
        if it.fault or it.locked or it.lid_open or it.word_wanted or self.unruled():
            return True
        return not it.card_due() or self.journal.full()

    def stuck(self):
        """A card is due, but nobody takes the log and the journal has no room for more."""
        return self.it.card_due() and self.journal.full()

    def unruled(self):
        """The log is in mid-shoe and the profile is lost: what follows from a card is not known until it is back."""
        state = self.it.state
        return not self.profile.known and state != CLOSED and state != CHECKING

    def idle(self):
        """Nothing is on the table: a profile may be changed."""
        return self.it.state == CLOSED and not self.it.open_due

    # Cards

    def card(self, now_ms, card, speed_mm_s, margin_pct, flags=0, exposed=BY_STYLE):
        """A certain card has left the exit; `exposed` is somebody's word, or BY_STYLE."""
        it = self.it
        if it.state == CLOSED or self.unruled():
            self._log_reject(now_ms, wire.REJECT_NOT_DUE, 0, 0, speed_mm_s, margin_pct)
            return
        if card == it.returned:
            flags |= wire.CARD_RETURNED
        self._log_card(now_ms, self._slot(it.unread), card, speed_mm_s, margin_pct, flags, exposed)
        self.follow(now_ms)

    def _slot(self, unread):
        """The place of the next card; _SURPLUS where none is due, or where it is that of a card not read."""
        it = self.it
        if it.state == CHECKING or ((it.state == BURNING or it.burn_next) and not unread):
            return SLOT_BURN
        if unread or it.state == COMPLETE or it.coup.due == NONE:
            return _SURPLUS
        return it.coup.due

    def _surplus_slot(self, flags):
        """The place in the next coup of a card that was not due, or none."""
        it = self.it
        code = self.profile.code(it.surplus_case(), it.surplus_facts(flags))
        if code == wire.CODE_NOT_USED or it.surplus_count == MOST_SURPLUS:
            return SLOT_UNUSED
        return it.next_place()

    def log_keyed(self, now_ms):
        """The card that could not be read: it goes where it was due, whatever fault that was."""
        it = self.it
        flags = wire.CARD_KEYED | it.keyed_flags & (wire.CARD_FACE_UP | wire.CARD_EXPOSED)
        self._log_card(now_ms, self._slot(False), it.keyed_card, 0, 0, flags, BY_STYLE)

    def cutting_card(self, now_ms, speed_mm_s, margin_pct):
        """The cutting card has left the exit."""
        it = self.it
        if it.state == CLOSED or it.state == CHECKING or self.unruled():
            self._log_reject(now_ms, wire.REJECT_NOT_DUE, 0, 0, speed_mm_s, margin_pct)
            return
        first = it.coup.due == PLAYER_1 if it.state == DEALING else not it.carried()
        coup_no = it.coup_no + (it.state != DEALING)  # before the burn is over, and behind a coup, it is the next one's
        pack_into("<HHB", self.journal.record, BODY, it.shoe_no, coup_no, first)
        self.log(now_ms, wire.EV_CUTTING_CARD, 5)
        self.follow(now_ms)

    def reject(self, now_ms, reason, columns, doubtful, speed_mm_s, margin_pct):
        """Something happened in the path that is no certain card: an open shoe is held until somebody sees to it."""
        self._log_reject(now_ms, reason, columns, doubtful, speed_mm_s, margin_pct)
        self.follow(now_ms)

    def noise(self, now_ms, changes):
        """The sensors saw something and no card passed: logged once a minute, and nothing is held."""
        if self._noise_ms < 0 or (now_ms - self._noise_ms) & _TICKS >= _NOISE_EVERY_MS:
            self._noise_ms = now_ms
            self.reject(now_ms, wire.REJECT_NOISE, changes, 0, 0, 0)

    def _log_reject(self, now_ms, reason, columns, doubtful, speed_mm_s, margin_pct):
        if self.journal.full(_SPARE):
            return
        it = self.it
        record = self.journal.record
        pack_into("<HHBB", record, BODY, it.shoe_no, it.coup_no, reason, columns)
        pack_into("<HHB", record, BODY + 6, doubtful, min(speed_mm_s, _MOST_SPEED), margin_pct)
        self.log(now_ms, wire.EV_REJECT, 11)

    def _log_card(self, now_ms, slot, card, speed_mm_s, margin_pct, flags, exposed):
        it, record = self.it, self.journal.record
        coup_no = it.coup_no
        if exposed == 1 or (exposed == BY_STYLE and self.profile.on(wire.SWITCH_DEALT_FACE_UP)):
            flags |= wire.CARD_EXPOSED
        if slot == _SURPLUS:
            flags |= wire.CARD_SURPLUS
            slot = self._surplus_slot(flags)
            coup_no += it.ahead if slot != SLOT_UNUSED else 0
        pack_into("<HHBB", record, BODY, it.shoe_no, coup_no, slot, card)
        pack_into("<HBB", record, BODY + 6, min(speed_mm_s, _MOST_SPEED), margin_pct, flags)
        self.log(now_ms, wire.EV_CARD, 10)

    # People

    def press(self, now_ms, button):
        """A button of the dealer: False where it means nothing now."""
        it = self.it
        if button == wire.BUTTON_NEW_SHOE:
            wanted = self.profile.known and not self._in_coup() and it.state != CHECKING and not it.log_unsound()
        elif button == wire.BUTTON_CONFIRM:
            wanted = it.state == COMPLETE and not it.fault
        else:
            wanted = it.state == COMPLETE and it.dealer_result != button
        wanted = wanted and not self.unruled() and not self.journal.full(_SPARE)
        if wanted:
            self.log_place(now_ms, wire.EV_BUTTON, button, 0, 5)
            self.follow(now_ms)
        return wanted

    def _in_coup(self):
        """Cards are on the table whose coup is not complete."""
        it = self.it
        return not it.fault and (it.state == BURNING or (it.state == DEALING and it.coup_cards() > 0))

    def key(self, now_ms, on):
        """The supervisor's key was turned."""
        if on != self.it.key_on and not self.journal.full(_SPARE):
            self.log_bytes(now_ms, wire.EV_KEY, on, 0, 1)
            self.follow(now_ms)

    def lid(self, now_ms, is_open):
        """The lid was opened or shut."""
        if is_open != self.it.lid_open and not self.journal.full(_SPARE):
            self.log_bytes(now_ms, wire.EV_LID, is_open, 0, 1)
            self.follow(now_ms)

    def obey(self, now_ms, command_id, command, buf, at, size):
        """A command of the gateway: what becomes of it is logged, and returned."""
        outcome = orders.outcome(self.it, self.profile, command, buf, at, size)
        if (
            self.unruled()
            and command != wire.CMD_SET_TIME
            and command != wire.CMD_SELF_TEST
            and command != wire.CMD_REBOOT
        ):
            outcome = wire.OUT_NOT_NOW
        record = self.journal.record
        pack_into("<IBB", record, BODY, command_id, command if orders.known(command) else 0, outcome)
        if outcome == wire.OUT_DONE:
            for i in range(size):
                record[BODY + 6 + i] = buf[at + i]
            self.log(now_ms, wire.EV_COMMAND_DONE, 6 + size)
        else:
            self.log(now_ms, wire.EV_COMMAND_REFUSED, 6)
        self.follow(now_ms)
        return outcome

    def fail(self, now_ms, fault):
        """Something in the controller itself is wrong: the exit is held; of a damaged log, how many records are."""
        self.log_bytes(now_ms, wire.EV_FAULT, fault, min(self.damaged, 0xFF), 3)

    def watch_sensors(self, now_ms, stuck):
        """A sensor is stuck though nobody holds the exit for it: hold it until the sensor is free."""
        it = self.it
        if stuck and not it.fault and it.state != CLOSED and not self.journal.full(_SPARE):
            self.fail(now_ms, wire.FAULT_SENSOR)
        elif it.fault == wire.FAULT_SENSOR and not stuck:
            self.log_bytes(now_ms, wire.EV_FAULT_CLEARED, wire.FAULT_SENSOR, wire.BY_ITSELF, 2)

    def watch_room(self, now_ms):
        """Log once that the journal is full and no card is released, and once that it has room again."""
        told = self.it.full_told
        if self.journal.full() and not told:
            self.log_bytes(now_ms, wire.EV_FAULT, wire.FAULT_JOURNAL_FULL, 0, 3)
        elif told and not self.journal.full(_ROOM_AGAIN):
            self.log_bytes(now_ms, wire.EV_FAULT_CLEARED, wire.FAULT_JOURNAL_FULL, wire.BY_ITSELF, 2)

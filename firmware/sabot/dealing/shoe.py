"""Shoe: every input becomes an event in the journal, the event changes the state, and its consequences are logged.

A restart between two of these events goes on from there: see log_consequences().
"""

from struct import pack_into

from micropython import const

from sabot import wire
from sabot.dealing import apply, commands
from sabot.dealing.consequences import log_consequences
from sabot.dealing.coup import NONE
from sabot.dealing.state import BURNING, CHECKING, CLOSED, COMPLETE, DEALING, MOST_SURPLUS, State
from sabot.storage.journal import RECORD

_TICKS = const(0x3FFFFFFF)
_MOST_SPEED = const(0xFFFF)
_SURPLUS = const(-1)  # in place of a slot: no card is due
_NOISE_EVERY_MS = const(60_000)
_SPARE = const(6)  # events for which a full journal keeps room: those that close a shoe
_ROOM_AGAIN = const(32)  # events that must fit before a full journal counts as having room again
BY_STYLE = const(-1)  # nobody has reported whether a card was exposed: the dealing style decides


class Shoe:
    """Inputs are methods with the time, such as card() and press(); the journal is written before they return.

    One class because every input ends in the same two steps: log() its event, then log_consequences().
    """

    def __init__(self, journal, profile):
        self.journal = journal
        self.profile = profile
        self._noise_ms = -1  # when noise was last logged
        self.restore()

    # The log

    def restore(self):
        """Build the state from the journal, from the newest replay start on; after a hole nothing is known."""
        self.state = State(self.profile)
        self.damaged = 0  # records of the log that could not be read
        journal, state = self.journal, self.state
        record = bytearray(RECORD)
        first = oldest = journal.oldest()
        hole = 0
        for event_no in range(oldest, journal.next_no):
            journal.read(event_no, record)
            first = apply.replay_start(record) or first
            if record[wire.RECORD_KIND] == wire.EV_DAMAGED:
                self.damaged += 1
                hole = event_no
        if hole >= first:
            first = journal.next_no
        for event_no in range(oldest, journal.next_no):
            journal.read(event_no, record)
            if event_no < first:
                apply.apply_lasting(state, record)
            else:
                apply.apply(state, record)
        journal.keep_no = state.replay_from
        journal.housekeep()

    def log(self, now_ms, kind, size):
        """Make the event in the journal's record durable, and apply it; without room for it nothing happens."""
        if self.journal.full(1):
            return
        self.journal.append(now_ms, kind, size)
        apply.apply(self.state, self.journal.record)
        self.journal.keep_no = self.state.replay_from

    def log_of_coup(self, now_ms, kind, value):
        """Log a button or a coup's kind: shoe, coup and one byte."""
        state, record = self.state, self.journal.record
        pack_into(wire.EVENT_BUTTON_FORMAT, record, wire.RECORD_DATA, state.shoe_no, state.coup_no, value)
        self.log(now_ms, kind, wire.EVENT_BUTTON_SIZE)

    def log_switch(self, now_ms, kind, on):
        """Log key, lid or lock."""
        self.journal.record[wire.RECORD_DATA] = on
        self.log(now_ms, kind, wire.EVENT_KEY_SIZE)

    def log_fault(self, now_ms, fault, detail):
        """Log a fault: the exit is locked until it is cleared."""
        pack_into(wire.EVENT_FAULT_FORMAT, self.journal.record, wire.RECORD_DATA, fault, detail)
        self.log(now_ms, wire.EV_FAULT, wire.EVENT_FAULT_SIZE)

    def log_cleared(self, now_ms, fault, by):
        """Log that a fault is over."""
        pack_into(wire.EVENT_FAULT_CLEARED_FORMAT, self.journal.record, wire.RECORD_DATA, fault, by)
        self.log(now_ms, wire.EV_FAULT_CLEARED, wire.EVENT_FAULT_CLEARED_SIZE)

    def log_consequences(self, now_ms):
        """Log what the events so far call for; without a profile that is not known."""
        if not self.profile_lost():
            log_consequences(self, now_ms)

    # Queries

    def locked(self):
        """Return True unless a card is due, nothing forbids it, and the journal has room for its event."""
        state = self.state
        if state.fault or state.lid_open or state.awaiting_authorisation or self.profile_lost():
            return True
        if state.locked and state.phase != CHECKING:  # decks are checked while no card is dealt
            return True
        return not state.card_due() or self.journal.full()

    def waits_for_gateway(self):
        """Return True if a card is due and the journal has no room: no gateway takes the log."""
        return self.state.card_due() and self.journal.full()

    def profile_lost(self):
        """Return True in mid-shoe without a profile: what follows from a card is not known until it is back."""
        phase = self.state.phase
        return not self.profile.known and phase != CLOSED and phase != CHECKING

    def idle(self):
        """Return True while no shoe is open: the profile may be changed."""
        return self.state.phase == CLOSED and not self.state.pending_open

    # Cards

    def card(self, now_ms, card, speed_mm_s, margin_pct, flags=0, exposed=BY_STYLE):
        """Log a certain card that has left the exit; `exposed` is 0 or 1 as a person reported, or BY_STYLE."""
        state = self.state
        if state.phase == CLOSED or self.profile_lost():
            self._log_reject(now_ms, wire.REJECT_NOT_DUE, 0, 0, speed_mm_s, margin_pct)
            return
        if card == state.returned_card:
            flags |= wire.CARD_RETURNED
        self._log_card(now_ms, self._slot(state.card_unread), card, speed_mm_s, margin_pct, flags, exposed)
        self.log_consequences(now_ms)

    def _slot(self, taken):
        """Return the slot of the next card; _SURPLUS if none is due, or if an unread card has `taken` it."""
        state = self.state
        if state.phase == CHECKING or ((state.phase == BURNING or state.burn_next) and not taken):
            return wire.SLOT_BURN
        if taken or state.phase == COMPLETE or state.coup.due == NONE:
            return _SURPLUS
        return state.coup.due

    def _surplus_slot(self, flags):
        """Return the slot of a surplus card in the coup that it begins, or SLOT_UNUSED."""
        state = self.state
        code = self.profile.code(state.surplus_case(), state.surplus_facts(flags))
        if code == wire.CODE_NOT_USED or state.surplus_count == MOST_SURPLUS:
            return wire.SLOT_UNUSED
        state.coups_ahead()
        return state.surplus_coup.due

    def log_keyed_card(self, now_ms):
        """Log the card that was keyed in, in the slot that was due."""
        state = self.state
        flags = wire.CARD_KEYED | state.keyed_flags & (wire.CARD_FACE_UP | wire.CARD_EXPOSED)
        self._log_card(now_ms, self._slot(False), state.keyed_card, 0, 0, flags, BY_STYLE)

    def cutting_card(self, now_ms, speed_mm_s, margin_pct):
        """Log the cutting card, which has left the exit."""
        state, record = self.state, self.journal.record
        if state.phase == CLOSED or state.phase == CHECKING or self.profile_lost():
            self._log_reject(now_ms, wire.REJECT_NOT_DUE, 0, 0, speed_mm_s, margin_pct)
            return
        dealing = state.phase == DEALING  # else it belongs to the next coup
        first = state.coup.due == wire.SLOT_PLAYER_1 if dealing else not state.carried_cards()
        coup_no = state.coup_no + (not dealing)
        pack_into(wire.EVENT_CUTTING_CARD_FORMAT, record, wire.RECORD_DATA, state.shoe_no, coup_no, first)
        self.log(now_ms, wire.EV_CUTTING_CARD, wire.EVENT_CUTTING_CARD_SIZE)
        self.log_consequences(now_ms)

    def reject(self, now_ms, reason, columns, doubtful, speed_mm_s, margin_pct):
        """Log something in the path that is no certain card: an open shoe is locked until a person clears the fault."""
        self._log_reject(now_ms, reason, columns, doubtful, speed_mm_s, margin_pct)
        self.log_consequences(now_ms)

    def noise(self, now_ms, changes):
        """Log, once a minute, that the sensors changed and no card passed: nothing is locked."""
        if self._noise_ms < 0 or (now_ms - self._noise_ms) & _TICKS >= _NOISE_EVERY_MS:
            self._noise_ms = now_ms
            self.reject(now_ms, wire.REJECT_NOISE, changes, 0, 0, 0)

    def _log_reject(self, now_ms, reason, columns, doubtful, speed_mm_s, margin_pct):
        if self.journal.full(_SPARE):
            return
        pack_into(
            wire.EVENT_REJECT_FORMAT,
            self.journal.record,
            wire.RECORD_DATA,
            self.state.shoe_no,
            self.state.coup_no,
            reason,
            columns,
            doubtful,
            min(speed_mm_s, _MOST_SPEED),
            margin_pct,
        )
        self.log(now_ms, wire.EV_REJECT, wire.EVENT_REJECT_SIZE)

    def _log_card(self, now_ms, slot, card, speed_mm_s, margin_pct, flags, exposed):
        state = self.state
        coup_no = state.coup_no
        if exposed == 1 or (exposed == BY_STYLE and self.profile.on(wire.SWITCH_DEALT_FACE_UP)):
            flags |= wire.CARD_EXPOSED
        if slot == _SURPLUS:
            flags |= wire.CARD_SURPLUS
            slot = self._surplus_slot(flags)
            coup_no += state.coups_ahead() if slot != wire.SLOT_UNUSED else 0
        pack_into(
            wire.EVENT_CARD_FORMAT,
            self.journal.record,
            wire.RECORD_DATA,
            state.shoe_no,
            coup_no,
            slot,
            card,
            min(speed_mm_s, _MOST_SPEED),
            margin_pct,
            flags,
        )
        self.log(now_ms, wire.EV_CARD, wire.EVENT_CARD_SIZE)

    # People

    def press(self, now_ms, button):
        """Log a button of the dealer; return False if it means nothing now."""
        state = self.state
        if button == wire.BUTTON_NEW_SHOE:
            able = self.profile.known and state.phase != CHECKING and not state.log_unsound()
            accepted = able and not state.locked and not self._in_coup()
        elif button == wire.BUTTON_CONFIRM:
            entered = state.dealer_result or not self.profile.on(wire.SWITCH_RESULT_BEFORE_CONFIRM)
            accepted = state.phase == COMPLETE and not state.fault and entered
        else:
            accepted = state.phase == COMPLETE and state.dealer_result != button
        accepted = accepted and not self.profile_lost() and not self.journal.full(_SPARE)
        if accepted:
            self.log_of_coup(now_ms, wire.EV_BUTTON, button)
            self.log_consequences(now_ms)
        return accepted

    def _in_coup(self):
        """Return True if cards are on the table whose coup is not complete, or begins with them, and no fault."""
        state = self.state
        returned = state.returned_card != wire.NO_CARD  # it begins the next coup, too
        begun = state.phase == BURNING or (state.phase == DEALING and (state.coup_cards() > 0 or returned))
        begins = state.phase == COMPLETE and (state.carried_cards() > 0 or returned)
        return (begun or begins) and not state.fault

    def key(self, now_ms, on):
        """Log that the supervisor's key was turned."""
        if on != self.state.key_on and not self.journal.full(_SPARE):
            self.log_switch(now_ms, wire.EV_KEY, on)
            self.log_consequences(now_ms)

    def lid(self, now_ms, is_open):
        """Log that the lid was opened or shut."""
        if is_open != self.state.lid_open and not self.journal.full(_SPARE):
            self.log_switch(now_ms, wire.EV_LID, is_open)
            self.log_consequences(now_ms)

    def command(self, now_ms, command_id, command, data, at, size):
        """Log a command of the gateway as done or refused; return the outcome."""
        outcome = commands.outcome(self.state, self.profile_lost(), command, data, at, size)
        record = self.journal.record
        if not commands.known(command):
            command = 0
        # command_done begins with the same three fields as command_refused
        pack_into(wire.EVENT_COMMAND_REFUSED_FORMAT, record, wire.RECORD_DATA, command_id, command, outcome)
        if outcome == wire.OUT_DONE:
            for i in range(size):
                record[wire.EVENT_COMMAND_DONE_DATA + i] = data[at + i]
            self.log(now_ms, wire.EV_COMMAND_DONE, wire.EVENT_COMMAND_DONE_SIZE + size)
        else:
            self.log(now_ms, wire.EV_COMMAND_REFUSED, wire.EVENT_COMMAND_REFUSED_SIZE)
        self.log_consequences(now_ms)
        return outcome

    # The controller

    def fail(self, now_ms, fault):
        """Report a fault of the controller itself; the detail is the number of damaged records."""
        self.log_fault(now_ms, fault, min(self.damaged, 0xFF))

    def watch_sensors(self, now_ms, stuck):
        """Report a sensor that is stuck while no other fault explains it, until it is free."""
        state = self.state
        if stuck and not state.fault and state.phase != CLOSED and not self.journal.full(_SPARE):
            self.fail(now_ms, wire.FAULT_SENSOR)
        elif state.fault == wire.FAULT_SENSOR and not stuck:
            self.log_cleared(now_ms, wire.FAULT_SENSOR, wire.BY_ITSELF)

    def watch_room(self, now_ms):
        """Report once that the journal is full and no card is released, and once that it has room again."""
        logged = self.state.journal_full_logged
        if self.journal.full() and not logged:
            self.log_fault(now_ms, wire.FAULT_JOURNAL_FULL, 0)
        elif logged and not self.journal.full(_ROOM_AGAIN):
            self.log_cleared(now_ms, wire.FAULT_JOURNAL_FULL, wire.BY_ITSELF)

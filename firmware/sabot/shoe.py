"""Shoe: what may leave the exit, and what comes of it. Every input becomes an event; the state follows the events.

An input is logged and applied, and then follow() logs what that calls for: a restart in between goes on from there.
"""

from struct import pack_into

from micropython import const

from sabot import fold, ordered, orders
from sabot import numbers as n
from sabot.coup import NONE, PLAYER_1
from sabot.journal import BODY, RECORD
from sabot.state import BURNING, CHECKING, CLOSED, COMPLETE, DEALING, DECK, MOST_CARRIED, SLOT_BURN, SLOT_UNUSED, State

_TICKS = const(0x3FFFFFFF)
_MOST_SPEED = const(0xFFFF)
_SURPLUS = const(-1)  # no slot wants a card
_NOISE_EVERY_MS = const(60_000)
_MOST_FOLLOWING = const(128)  # events that one input can call for
_SPARE = const(6)  # events for which a full journal keeps room: what closes a shoe
_ROOM_AGAIN = const(32)  # events that must fit before a full journal is said to have room
BY_STYLE = const(-1)  # nobody has said whether a card was exposed


class Shoe:
    """Inputs by card(), reject(), press() and so on, each with the time; the journal is written before they return."""

    def __init__(self, journal, profile):
        self._journal = journal
        self._profile = profile
        self.it = State(profile)
        self._noise_ms = -1  # when noise was last logged
        self._restore()

    # The log

    def _restore(self):
        """Apply what the journal holds, from the newest beginning on."""
        journal, it = self._journal, self.it
        record = bytearray(RECORD)
        first = oldest = journal.oldest()
        for event_no in range(oldest, journal.next_no):
            journal.read(event_no, record)
            first = fold.beginning(record) or first
        for event_no in range(oldest, journal.next_no):
            journal.read(event_no, record)
            if event_no < first:
                fold.recall(it, record)
            else:
                fold.apply(it, record)
        journal.keep_no = it.base_no
        journal.housekeep()

    def log(self, now_ms, kind, size):
        """Make the event in the journal's record durable, and follow it; without room for it nothing happens."""
        if self._journal.full(1):
            return
        self._journal.append(now_ms, kind, size)
        fold.apply(self.it, self._journal.record)
        self._journal.keep_no = self.it.base_no

    def _log_place(self, now_ms, kind, a, b, size):
        """An event that begins with shoe and coup, and has one byte or two behind them."""
        it = self.it
        pack_into("<HHBB", self._journal.record, BODY, it.shoe_no, it.coup_no, a, b)
        self.log(now_ms, kind, size)

    def _log_bytes(self, now_ms, kind, a, b, size):
        pack_into("<BBB", self._journal.record, BODY, a, b, 0)
        self.log(now_ms, kind, size)

    # What is known

    def locked(self):
        """The exit is held unless a card is due, nothing speaks against it, and its event can be kept."""
        it = self.it
        if it.fault or it.locked or it.lid_open or it.word_wanted:
            return True
        return not it.card_due() or self._journal.full()

    def stuck(self):
        """A card is due, but nobody takes the log and the journal has no room for more."""
        return self.it.card_due() and self._journal.full()

    def idle(self):
        """Nothing is on the table: a profile may be changed."""
        return self.it.state == CLOSED and not self.it.open_due

    # Cards

    def card(self, now_ms, card, speed_mm_s, margin_pct, flags=0, exposed=BY_STYLE):
        """A certain card has left the exit; `exposed` is somebody's word, or BY_STYLE."""
        it = self.it
        if it.state == CLOSED:
            self._log_reject(now_ms, n.REJECT_NOT_DUE, 0, 0, speed_mm_s, margin_pct)
            return
        if card == it.returned:
            flags |= n.CARD_RETURNED
        self._log_card(now_ms, self._slot(it.fault), card, speed_mm_s, margin_pct, flags, exposed)
        self.follow(now_ms)

    def _slot(self, fault):
        """The place of the next card; _SURPLUS where none is due, and while a fault holds the exit."""
        it = self.it
        if it.state == CHECKING or ((it.state == BURNING or it.burn_next) and not fault):
            return SLOT_BURN
        if fault or it.state == COMPLETE or it.coup.due == NONE:
            return _SURPLUS
        return it.coup.due

    def _surplus_slot(self, flags):
        """The place in the next coup of a card that was not due, or none."""
        it = self.it
        code = self._profile.code(it.surplus_case(), it.surplus_facts(flags))
        if it.held_up() or code == n.CODE_NOT_USED or it.carried_count == MOST_CARRIED:
            return SLOT_UNUSED
        return it.carried_count + 1

    def cutting_card(self, now_ms, speed_mm_s, margin_pct):
        """The cutting card has left the exit."""
        it = self.it
        if it.state == CLOSED or it.state == CHECKING:
            self._log_reject(now_ms, n.REJECT_NOT_DUE, 0, 0, speed_mm_s, margin_pct)
            return
        first = it.coup.due == PLAYER_1 if it.state == DEALING else not it.carried_count
        pack_into("<HHB", self._journal.record, BODY, it.shoe_no, it.coup_no + (it.state == COMPLETE), first)
        self.log(now_ms, n.EV_CUTTING_CARD, 5)
        self.follow(now_ms)

    def reject(self, now_ms, reason, columns, doubtful, speed_mm_s, margin_pct):
        """Something happened in the path that is no certain card: an open shoe is held until somebody sees to it."""
        self._log_reject(now_ms, reason, columns, doubtful, speed_mm_s, margin_pct)
        self.follow(now_ms)

    def noise(self, now_ms, changes):
        """The sensors saw something and no card passed: logged once a minute, and nothing is held."""
        if self._noise_ms < 0 or (now_ms - self._noise_ms) & _TICKS >= _NOISE_EVERY_MS:
            self._noise_ms = now_ms
            self.reject(now_ms, n.REJECT_NOISE, changes, 0, 0, 0)

    # People

    def press(self, now_ms, button):
        """A button of the dealer: False where it means nothing now."""
        it = self.it
        if button == n.BUTTON_NEW_SHOE:
            wanted = self._profile.known and not self._in_coup() and it.state != CHECKING
        elif button == n.BUTTON_CONFIRM:
            wanted = it.state == COMPLETE and not it.fault
        else:
            wanted = it.state == COMPLETE and it.dealer_result != button
        wanted = wanted and not self._journal.full(_SPARE)
        if wanted:
            self._log_place(now_ms, n.EV_BUTTON, button, 0, 5)
            self.follow(now_ms)
        return wanted

    def _in_coup(self):
        """Cards are on the table whose coup is not complete."""
        it = self.it
        return not it.fault and (it.state == BURNING or (it.state == DEALING and it.coup_cards() > 0))

    def key(self, now_ms, on):
        """The supervisor's key was turned."""
        if on != self.it.key_on and not self._journal.full(_SPARE):
            self._log_bytes(now_ms, n.EV_KEY, on, 0, 1)
            self.follow(now_ms)

    def lid(self, now_ms, is_open):
        """The lid was opened or shut."""
        if is_open != self.it.lid_open and not self._journal.full(_SPARE):
            self._log_bytes(now_ms, n.EV_LID, is_open, 0, 1)
            self.follow(now_ms)

    def obey(self, now_ms, command_id, command, buf, at, size):
        """A command of the gateway: what becomes of it is logged, and returned."""
        outcome = orders.outcome(self.it, self._profile, command, buf, at)
        record = self._journal.record
        pack_into("<IBB", record, BODY, command_id, command, outcome)
        if outcome == n.OUT_DONE:
            for i in range(size):
                record[BODY + 6 + i] = buf[at + i]
            self.log(now_ms, n.EV_COMMAND_DONE, 6 + size)
        else:
            self.log(now_ms, n.EV_COMMAND_REFUSED, 6)
        self.follow(now_ms)
        return outcome

    def fail(self, now_ms, fault):
        """Something in the controller itself is wrong: the exit is held."""
        self._log_bytes(now_ms, n.EV_FAULT, fault, 0, 3)

    def watch_room(self, now_ms):
        """Log once that the journal is full and no card is released, and once that it has room again."""
        told = self.it.full_told
        if self._journal.full() and not told:
            self._log_bytes(now_ms, n.EV_FAULT, n.FAULT_JOURNAL_FULL, 0, 3)
        elif told and not self._journal.full(_ROOM_AGAIN):
            self._log_bytes(now_ms, n.EV_FAULT_CLEARED, n.FAULT_JOURNAL_FULL, n.BY_ITSELF, 2)

    # What follows

    def follow(self, now_ms):
        """Log what the events so far call for, one after the other."""
        for _ in range(_MOST_FOLLOWING):
            if not (self._follow_irregular(now_ms) or self._follow_first_cards(now_ms) or self._follow_play(now_ms)):
                return

    def _follow_play(self, now_ms):
        return self._follow_coup(now_ms) or self._follow_shoe(now_ms)

    def _follow_irregular(self, now_ms):
        it = self.it
        if it.case_count:
            self._log_case(now_ms)
        elif it.clear_due:
            self._log_bytes(now_ms, n.EV_FAULT_CLEARED, it.fault, it.clear_due, 2)
        elif it.fault_due:
            self._log_bytes(now_ms, n.EV_FAULT, it.fault_due, 0, 3)
        elif it.locked != it.lock_told:
            self._log_bytes(now_ms, n.EV_LOCK, it.locked, 0, 1)
        else:
            return False
        return True

    def _follow_coup(self, now_ms):
        it = self.it
        if it.keyed_due:
            self._log_keyed(now_ms)
        elif it.export_due or it.import_due:
            self._log_handed_over(now_ms)
        elif it.void_due:
            self._log_void(now_ms)
        elif it.state == DEALING and not it.kind_told:
            self._log_place(now_ms, n.EV_COUP_KIND, it.kind, 0, 5)
        elif it.state == DEALING and it.coup.due == NONE and not it.coup_told:
            self._log_coup(now_ms)
        else:
            return False
        return True

    def _follow_first_cards(self, now_ms):
        it = self.it
        found = 0
        if not it.ordered_told and not it.first_over and it.state != CLOSED:
            found = ordered.pattern(it.first, it.first_count)
        if not found:
            return False
        pack_into("<HBB", self._journal.record, BODY, it.shoe_no, found, it.first_count)
        self.log(now_ms, n.EV_ORDERED_SET, 4)
        return True

    def _follow_shoe(self, now_ms):
        it = self.it
        if it.close_due:
            self._log_closed(now_ms)
        elif it.open_due:
            self._log_opened(now_ms)
        elif it.state == BURNING and it.burn_due and not it.to_burn:
            pack_into("<HBBB", self._journal.record, BODY, it.shoe_no, it.burn_mode, it.burnt, it.burn_missed)
            self.log(now_ms, n.EV_BURN, 5)
        elif it.check_at <= DECK:
            self._compare(now_ms)
        elif self._empty() and it.coup_cards() and not it.short_told:
            it.add_case(n.CASE_INSUFFICIENT_CARDS, 0)
        elif self._empty() and not it.coup_cards():
            it.close_due = n.CLOSE_NO_CARDS
        elif self._checkpoint_due():
            self._log_checkpoint(now_ms)
        else:
            return False
        return True

    def _empty(self):
        """Every card is out, and the coup wants one."""
        it = self.it
        wanted = it.state == DEALING and it.coup.due != NONE and not it.void_due
        return wanted and it.cards_out >= it.decks * DECK and not self._profile.on(n.SWITCH_CONTINUOUS)

    def _log_case(self, now_ms):
        it = self.it
        case, facts = it.case(), it.case_facts()
        code = self._profile.code(case, facts)
        pack_into("<HHBHB", self._journal.record, BODY, it.shoe_no, it.coup_no, case, facts, code)
        self.log(now_ms, n.EV_IRREGULARITY, 8)

    def _log_keyed(self, now_ms):
        """The card that could not be read: it goes where it was due, whatever fault that was."""
        it = self.it
        flags = n.CARD_KEYED | it.keyed_flags & (n.CARD_FACE_UP | n.CARD_EXPOSED)
        self._log_card(now_ms, self._slot(n.FAULT_NONE), it.keyed_card, 0, 0, flags, BY_STYLE)

    def _log_handed_over(self, now_ms):
        it = self.it
        record = self._journal.record
        pack_into("<HHBB", record, BODY, it.shoe_no, it.coup_no, it.kind, it.import_due)
        for slot in range(PLAYER_1, 7):
            record[15 + slot] = it.coup.cards[slot]
        self.log(now_ms, n.EV_HANDED_OVER, 12)

    def _log_void(self, now_ms):
        it = self.it
        cards = it.coup_cards()
        pack_into("<HHBBB", self._journal.record, BODY, it.shoe_no, it.coup_no, it.void_due, it.void_then, cards)
        self.log(now_ms, n.EV_COUP_VOID, 7)

    def _log_closed(self, now_ms):
        it = self.it
        coups = it.coup_no - (it.state == DEALING and not it.coup_cards())
        pack_into("<HHB", self._journal.record, BODY, it.shoe_no, coups, it.close_due)
        self.log(now_ms, n.EV_SHOE_CLOSED, 5)

    def _log_opened(self, now_ms):
        it = self.it
        shoe_no = it.shoe_no + 1 & 0xFFFF
        card_set = self._profile.card_set
        pack_into("<HBBB", self._journal.record, BODY, shoe_no, card_set, it.open_decks, it.open_burn)
        self.log(now_ms, n.EV_SHOE_OPENED, 5)

    def _log_reject(self, now_ms, reason, columns, doubtful, speed_mm_s, margin_pct):
        if self._journal.full(_SPARE):
            return
        it = self.it
        record = self._journal.record
        pack_into("<HHBB", record, BODY, it.shoe_no, it.coup_no, reason, columns)
        pack_into("<HHB", record, BODY + 6, doubtful, min(speed_mm_s, _MOST_SPEED), margin_pct)
        self.log(now_ms, n.EV_REJECT, 11)

    def _log_card(self, now_ms, slot, card, speed_mm_s, margin_pct, flags, exposed):
        it, record = self.it, self._journal.record
        coup_no = it.coup_no
        if exposed == 1 or (exposed == BY_STYLE and self._profile.on(n.SWITCH_DEALT_FACE_UP)):
            flags |= n.CARD_EXPOSED
        if slot == _SURPLUS:
            flags |= n.CARD_SURPLUS
            slot = self._surplus_slot(flags)
            coup_no += slot != SLOT_UNUSED
        pack_into("<HHBB", record, BODY, it.shoe_no, coup_no, slot, card)
        pack_into("<HBB", record, BODY + 6, min(speed_mm_s, _MOST_SPEED), margin_pct, flags)
        self.log(now_ms, n.EV_CARD, 10)

    def _log_coup(self, now_ms):
        it, coup = self.it, self.it.coup
        flags = coup.player_pair() | coup.banker_pair() << 1 | coup.natural() << 2 | it.last_coup() << 3
        record = self._journal.record
        pack_into("<HHB", record, BODY, it.shoe_no, it.coup_no, coup.winner())
        pack_into("<BBBB", record, BODY + 5, coup.player_points, coup.banker_points, flags, it.kind)
        self.log(now_ms, n.EV_COUP, 9)

    # A check of the decks

    def _compare(self, now_ms):
        """The next card that did not come as often as the decks have it, or the end of the check."""
        it = self.it
        record = self._journal.record
        for card in range(it.check_at, DECK):
            if it.counts[card] != it.decks:
                pack_into("<HBBB", record, BODY, it.shoe_no, card, it.counts[card], it.decks)
                self.log(now_ms, n.EV_DECK_CHECK, 5)
                return
        pack_into("<HHB", record, BODY, it.shoe_no, it.cards_out, it.differences)
        self.log(now_ms, n.EV_CHECKED, 5)

    # A long shoe

    def _checkpoint_due(self):
        it = self.it
        if self._journal.next_no - it.base_no <= self._journal.capacity() // 4:
            return False
        return it.state == CLOSED or (it.between_coups() and not it.fault)

    def _log_composition(self, now_ms, half):
        record, counts = self._journal.record, self.it.counts
        pack_into("<HB", record, BODY, self.it.shoe_no, half)
        for i in range(13):
            card = 26 * half + 2 * i
            record[13 + i] = counts[card] | counts[card + 1] << 4
        self.log(now_ms, n.EV_COMPOSITION, 16)

    def _log_checkpoint(self, now_ms):
        """The two halves of the composition, one a time, then the checkpoint itself."""
        it = self.it
        record = self._journal.record
        closed = it.state == CLOSED
        if not closed and it.composed < 2:
            self._log_composition(now_ms, it.composed)
            return
        pack_into("<HHBH", record, BODY, it.shoe_no, 0 if closed else it.coup_no, it.decks, it.cards_out)
        pack_into("<BBBB", record, BODY + 7, it.coups_left, it.kind, it.authorised, it.locked)
        self.log(now_ms, n.EV_CHECKPOINT, 11)

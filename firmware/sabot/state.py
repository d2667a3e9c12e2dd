"""State: what the shoe knows, folded from its own log; a restart applies the same events and is where it was.

Nothing here is changed but by apply(). What an event calls for next stands in a `…_due` field until its event comes.
"""

from micropython import const

from sabot import numbers as n
from sabot.coup import BANKER_2, BANKER_3, NONE, PLAYER_1, Coup, value
from sabot.journal import BODY

# States.
CLOSED = const(0)
BURNING = const(1)
DEALING = const(2)
COMPLETE = const(3)
CHECKING = const(4)

DECK = const(52)
FIRST_CARDS = const(17)  # a burn by value and the first coup
NO_CARD = const(0xFF)
_MOST_CARRIED = const(4)
_MOST_CASES = const(4)
_CASE = const(0x7F)
_REPORTED = const(0x80)  # by people, who may correct what the shoe took it for
_KINDS = const(40)
_MOST_COUNTED = const(15)  # of one card, as a composition holds it
_SLOT_BURN = const(0)
_SLOT_UNUSED = const(7)

# Where the fields of an event stand in its record; most begin with shoe and coup number.
_COUP_AT = const(12)
_A = const(14)  # the first field behind them, and so on
_B = const(15)
_C = const(16)
_D = const(17)
_E = const(18)
_F = const(19)


class State:
    """One shoe; the log is its only source."""

    def __init__(self, profile):
        self.profile = profile
        self.coup = Coup()
        self.counts = bytearray(DECK)  # how often each card has come out
        self.first = bytearray(FIRST_CARDS)
        self.carried = bytearray(_MOST_CARRIED)  # surplus cards that begin the next coup
        self._cases = bytearray(_MOST_CASES)  # irregularities that are not logged yet
        self._facts = bytearray(2 * _MOST_CASES)
        self.case_count = 0
        self.state = CLOSED
        self.shoe_no = 0
        self.closed_no = 0  # the shoe closed last
        self.fault = n.FAULT_NONE
        self.fault_due = n.FAULT_NONE
        self.clear_due = 0  # who cleared the fault
        self.full_told = False
        self.alarms = 0  # faults and irregularities so far
        self.key_on = False
        self.lid_open = False
        self.locked = False  # by command
        self.lock_told = False
        self.last_command_id = 0
        self.open_due = False
        self.open_decks = 0
        self.open_burn = 0
        self.check_at = NO_CARD  # the next card to compare, DECK behind the last
        self.differences = 0
        self.base_no = 1  # from where the log must be kept
        self.composed = 0  # compositions at the end of the log: a checkpoint that was begun
        self._open(0, 0)
        self._appliers = [None] * _KINDS
        for kind, applier in (
            (n.EV_SHOE_OPENED, self._shoe_opened),
            (n.EV_CARD, self._card),
            (n.EV_CUTTING_CARD, self._cutting_card),
            (n.EV_COUP, self._coup),
            (n.EV_REJECT, self._reject),
            (n.EV_BUTTON, self._button),
            (n.EV_SHOE_CLOSED, self._shoe_closed),
            (n.EV_BURN, self._burn),
            (n.EV_COUP_KIND, self._coup_kind),
            (n.EV_COUP_VOID, self._coup_void),
            (n.EV_HANDED_OVER, self._handed_over),
            (n.EV_FAULT, self._fault),
            (n.EV_FAULT_CLEARED, self._fault_cleared),
            (n.EV_KEY, self._key),
            (n.EV_LID, self._lid),
            (n.EV_LOCK, self._lock),
            (n.EV_COMMAND_DONE, self._command_done),
            (n.EV_COMMAND_REFUSED, self._note_command),
            (n.EV_IRREGULARITY, self._irregularity),
            (n.EV_ORDERED_SET, self._ordered_set),
            (n.EV_DECK_CHECK, self._deck_check),
            (n.EV_CHECKED, self._checked),
            (n.EV_COMPOSITION, self._composition),
            (n.EV_CHECKPOINT, self._checkpoint),
        ):
            self._appliers[kind] = applier  # type: ignore[call-overload]

    def apply(self, record):
        """One event of the log, as it stands in the journal."""
        kind = record[8]
        self.composed = 0
        applier = self._appliers[kind] if kind < _KINDS else None
        if applier:
            applier(record)

    def recall(self, record):
        """An event from before the place where the log is applied: what outlasts a shoe."""
        kind = record[8]
        if n.EV_FAULT <= kind <= n.EV_LOCK:  # faults, key, lid and lock
            self.apply(record)
        elif kind == n.EV_COMMAND_DONE or kind == n.EV_COMMAND_REFUSED:
            self._note_command(record)
        elif kind == n.EV_SHOE_CLOSED:
            self.closed_no = record[BODY] | record[BODY + 1] << 8

    # What is known

    def card_due(self):
        """The shoe wants a card: to burn, for the coup, or to check it."""
        return self.state == BURNING or self.state == CHECKING or (self.state == DEALING and self.coup.due != NONE)

    def last_coup(self):
        """The coup on the table is the last of this shoe."""
        return self.coups_left == 1

    def between_coups(self):
        """The next card begins an ordinary coup, not the first of the shoe: all that is known fits a checkpoint."""
        plain = self.kind == self.next_kind == n.KIND_LIVE and not self.burn_next and self.returned == NO_CARD
        return self.state == DEALING and self.coup.due == PLAYER_1 and plain and self.first_over

    def coup_cards(self):
        """How many cards of the coup are out."""
        count = 0
        for slot in range(PLAYER_1, BANKER_3 + 1):
            count += self.coup.cards[slot] != NO_CARD
        return count

    def waits_for_word(self):
        """The coup is one without wagers that a supervisor has not authorised yet."""
        return self.word_wanted

    def held_up(self):
        """A surplus card would not stand behind a complete coup."""
        return self.state != COMPLETE or (self.fault != n.FAULT_NONE and not self.keyed_due)

    def surplus_case(self):
        """Which irregularity a card is that comes out though none is due."""
        if self.held_up():
            return n.CASE_EXCESS_CARD
        place = self.coup_cards() + self.surplus_count + 1
        if place == 5:
            return n.CASE_PLAYER_OVERDRAW
        if place == 6 and self.coup.cards[BANKER_3] == NO_CARD:
            return n.CASE_BANKER_OVERDRAW
        return n.CASE_EXCESS_CARD

    def surplus_facts(self, flags):
        """And its facts; a card that lies face up is exposed."""
        facts = n.FACT_EXPOSED if flags & (n.CARD_EXPOSED | n.CARD_FACE_UP) else 0
        return facts | (n.FACT_LAST_COUP if self.last_coup() else 0)

    def case(self):
        """The irregularity to be logged next."""
        return self._cases[0] & _CASE

    def case_facts(self):
        """Its facts."""
        return self._facts[0] | self._facts[1] << 8

    # The shoe

    def _open(self, decks, burn):
        self.decks = decks
        self.burn_mode = burn
        self.coup_no = 0
        self.cards_out = 0
        self.coups_left = 0  # from the cutting card on: this coup and those after it
        self.burnt = 0
        self.to_burn = 0 if burn == n.BURN_NONE else 1
        self._burn_by_value = burn == n.BURN_FACE_UP
        self.burn_due = burn != n.BURN_NONE  # its event is not logged
        self.burn_missed = False
        self.burn_next = False  # the next card is burnt before the coup
        self.first_count = 0
        self.first_over = False
        self.ordered_told = False
        self.kind = n.KIND_LIVE
        self.next_kind = n.KIND_LIVE
        self.kind_told = True
        self.word_wanted = False
        self.authorised = 0  # words of a supervisor not yet used
        self.coup_told = False
        self.dealer_result = 0
        self.carried_count = 0
        self.surplus_count = 0
        self.case_count = 0
        self.void_due = 0
        self.void_then = n.THEN_GO_ON
        self.restart_due = False
        self.returned = NO_CARD  # the card that was put back, until the next one is out
        self.keyed_due = False
        self.keyed_card = 0
        self.keyed_flags = 0
        self.export_due = False
        self.import_due = False
        self.close_due = 0
        self.short_told = False
        self.coup.start()
        for card in range(DECK):
            self.counts[card] = 0

    def _shoe_opened(self, r):
        self.base_no = beginning(r)
        self.open_due = False
        self.open_decks = self.open_burn = 0
        self._open(r[13], r[14])
        self.shoe_no = r[BODY] | r[BODY + 1] << 8
        self.closed_no = self.shoe_no - 1 & 0xFFFF
        self.state = BURNING if self.to_burn else DEALING
        if self.state == DEALING:
            self._start_coup()

    def _shoe_closed(self, r):
        self.base_no = beginning(r) or self.base_no
        self.shoe_no = r[BODY] | r[BODY + 1] << 8
        self.state = CLOSED
        self.close_due = 0
        self.closed_no = self.shoe_no
        self.coup_no = 0
        self.authorised = 0
        self.case_count = 0
        self.carried_count = 0
        self.kind = n.KIND_LIVE
        self.word_wanted = False
        self.coups_left = 0

    def _burn(self, r):
        self.burn_due = False
        self.to_burn = 0
        if self.state == BURNING:
            self.state = DEALING
            self._start_coup()

    def _start_coup(self):
        self.coup_no += 1
        self.coup.start()
        self.state = DEALING
        self.burn_next = False
        self.kind = self.next_kind
        self.next_kind = n.KIND_LIVE
        self.kind_told = self.kind == n.KIND_LIVE
        self._want_word()
        self.coup_told = False
        self.dealer_result = 0
        self.surplus_count = 0
        for i in range(self.carried_count):
            if self.coup.due != NONE:
                self.coup.draw(self.carried[i])
        self.carried_count = 0

    def _become(self, kind):
        """The coup is of this kind from now on."""
        if kind != self.kind:
            self.kind = kind
            self.kind_told = False
            self._want_word()

    def _want_word(self):
        """A coup without wagers may need a supervisor; a word said before is used up."""
        self.word_wanted = self.kind != n.KIND_LIVE and self.profile.dummy_needs_word() and not self.key_on
        if self.word_wanted and self.authorised:
            self.authorised -= 1
            self.word_wanted = False

    def _next_coup(self):
        """The coup is over: the next one, or the end of the shoe."""
        after_last = self.next_kind != n.KIND_LIVE and self.profile.on(n.SWITCH_POST_CUT_DUMMY_COUPS)
        if self.coups_left == 1 and not after_last:
            self.close_due = n.CLOSE_LAST_COUP
            return
        if self.coups_left > 1:
            self.coups_left -= 1
        self._start_coup()

    # Cards

    def _card(self, r):
        slot, card, flags = r[_A], r[_B], r[_F]
        self._count(card)
        if self.state == CHECKING:
            return
        self.returned = NO_CARD
        if flags & n.CARD_SURPLUS:
            self._surplus(slot, card, flags)
        elif slot == _SLOT_BURN:
            self._burn_card(card)
        else:
            self._dealt(slot, card, flags)
        if flags & n.CARD_KEYED:
            self.keyed_due = False
            self._clear(n.BY_COMMAND)
        if self.counts[card] > self.decks:
            self.add_case(n.CASE_MISSING_OR_FOREIGN_CARD, 0)

    def _count(self, card):
        """A continuous shuffler gives every card again: nothing is counted there."""
        if self.cards_out < 0xFFFF:
            self.cards_out += 1
        if self.state == CHECKING:
            self.counts[card] = min(0xFF, self.counts[card] + 1)
        elif not self.profile.on(n.SWITCH_CONTINUOUS):
            self.counts[card] = min(_MOST_COUNTED, self.counts[card] + 1)

    def _dealt(self, slot, card, flags):
        self._note_first(card)
        self.coup.draw(card)
        if flags & n.CARD_FACE_UP:
            if slot == PLAYER_1:
                self.add_case(n.CASE_FIRST_CARD_FACE_UP, 0)
            elif slot <= BANKER_2:
                self.add_case(n.CASE_SECOND_TO_FOURTH_CARD_FACE_UP, self.profile.facts())
            else:
                self.add_case(n.CASE_THIRD_CARD_FACE_UP, 0)

    def _burn_card(self, card):
        self._note_first(card)
        self.burnt += 1
        self.burn_next = False
        if self.state != BURNING:
            return
        self.to_burn -= 1
        if self._burn_by_value:
            self._burn_by_value = False
            self.to_burn = value(card) or 10

    def _surplus(self, slot, card, flags):
        self.add_case(self.surplus_case(), self.surplus_facts(flags))
        self.surplus_count += 1
        if slot != _SLOT_UNUSED:
            self.carried[self.carried_count] = card
            self.carried_count += 1

    def _note_first(self, card):
        if not self.first_over and self.first_count < FIRST_CARDS:
            self.first[self.first_count] = card
            self.first_count += 1

    def _cutting_card(self, r):
        first = r[_A]
        if self.coups_left:
            return
        self.coups_left = 1 if first and self.profile.on(n.SWITCH_CUT_FIRST_CARD_IS_LAST_COUP) else 2
        if self.state == COMPLETE:
            self.coups_left += 1  # it came behind a complete coup, before the next

    def _coup(self, r):
        self.coup_told = True
        self.first_over = True
        self.state = COMPLETE

    def _coup_kind(self, r):
        self.kind = r[_A]
        self.kind_told = True

    def _coup_void(self, r):
        then = r[_B]
        self.void_due = 0
        self.void_then = n.THEN_GO_ON
        self.first_over = True
        self.coup_told = True  # and never will be
        self.keyed_due = False
        self._clear(n.BY_COMMAND)
        if self.restart_due:
            self._restart()
        elif then == n.THEN_NEW_CARDS:
            self.close_due = self.close_due or n.CLOSE_NEW_CARDS
        else:
            self._next_coup()

    def _restart(self):
        """The burn was forgotten: it is made good, and the first coup dealt again."""
        self.restart_due = False
        self.coup_no = 0
        self.coup.start()
        self.burn_due = True
        self.to_burn = 1
        self.state = BURNING
        self.first_over = False

    # Irregularities

    def add_case(self, case, facts):
        """An irregularity that is to be logged; more at once than there is room for cannot come from one card."""
        if self.case_count < _MOST_CASES:
            self._cases[self.case_count] = case
            self._facts[2 * self.case_count] = facts & 0xFF
            self._facts[2 * self.case_count + 1] = facts >> 8
            self.case_count += 1

    def _facts_of(self, case, facts):
        """What people reported, and what the shoe knows itself."""
        if case == n.CASE_BURN_MISSED and self.first_over:
            return facts | n.FACT_FIRST_COUP_COMPLETE
        if case <= n.CASE_EXCESS_CARD and self.last_coup():
            return facts | n.FACT_LAST_COUP
        if case == n.CASE_SECOND_TO_FOURTH_CARD_FACE_UP:
            return facts | self.profile.facts()
        return facts

    def _irregularity(self, r):
        case = r[_A]
        facts = r[_B] | r[_C] << 8
        code = r[_D]
        self.alarms = self.alarms + 1 & 0xFFFF
        reported = self._case_logged(case)
        if case == n.CASE_SCAN_DISCREPANCY and facts & n.FACT_CONFIRMED and self.fault == n.FAULT_DECISION:
            self._clear(n.BY_COMMAND)
        if case == n.CASE_INSUFFICIENT_CARDS:
            self.short_told = True
        if case == n.CASE_MISSING_OR_FOREIGN_CARD and code == n.CODE_NO_RULE:
            self.fault_due = n.FAULT_COMPOSITION
        self._follow(case, code, reported)

    def _case_logged(self, case):
        """It is not due any more; whether people had reported it."""
        if not self.case_count or self.case() != case:
            return False
        reported = self._cases[0] & _REPORTED != 0
        self.case_count -= 1
        for i in range(self.case_count):
            self._cases[i] = self._cases[i + 1]
            self._facts[2 * i] = self._facts[2 * i + 2]
            self._facts[2 * i + 1] = self._facts[2 * i + 3]
        return reported

    def _follow(self, case, code, reported):
        """What the book makes of it, as far as the shoe has a part in it."""
        if code == n.CODE_NEXT_LIVE:
            self.next_kind = n.KIND_LIVE if reported else self.next_kind
        elif code == n.CODE_NEXT_NO_BET and (reported or self.carried_count):
            self.next_kind = self.profile.unwagered
        elif code == n.CODE_NOT_USED:
            self.carried_count = 0
        elif code == n.CODE_THIS_NO_BET and self.state == DEALING:
            self._become(self.profile.unwagered)
        elif code == n.CODE_FINISH_RESHUFFLE:
            self.coups_left = 1
        elif code == n.CODE_VOID or code == n.CODE_VOID_NEW_CARDS or code == n.CODE_VOID_CHECK:
            self._void(case, code)
        elif code == n.CODE_RESTART_SHOE:
            self._restart_or_void()
        elif code == n.CODE_PLAY_ON and case == n.CASE_BURN_MISSED and self.state == BURNING:
            self.to_burn = 0
            self.burn_missed = True

    def _void(self, case, code):
        goes_on = code == n.CODE_VOID and case != n.CASE_INSUFFICIENT_CARDS
        if self.state != BURNING:
            self.void_due = _reason(case)
            self.void_then = n.THEN_GO_ON if goes_on else n.THEN_NEW_CARDS
        elif not goes_on:
            self._clear(n.BY_COMMAND)
            self.close_due = n.CLOSE_NEW_CARDS

    def _restart_or_void(self):
        if self.state == DEALING and self.coup_cards():
            self.restart_due = True
            self.void_due = n.VOID_MISDEAL
        elif self.state != BURNING:
            self._restart()

    # Faults and people

    def _reject(self, r):
        reason = r[_A]
        if reason == n.REJECT_NOISE or self.state == CLOSED:
            return
        if self.state != CHECKING:
            if reason == n.REJECT_FOREIGN:
                self.add_case(n.CASE_MISSING_OR_FOREIGN_CARD, 0)
            elif reason <= n.REJECT_NOT_IN_SET or reason == n.REJECT_SPACING:
                self.add_case(n.CASE_MISREAD_CARD, 0)
        if reason == n.REJECT_LID_OPEN:
            self._lid_opened()
        elif reason != n.REJECT_NOT_DUE:
            self.fault_due = n.FAULT_CARD

    def _fault(self, r):
        fault = r[BODY]
        self.alarms = self.alarms + 1 & 0xFFFF
        if fault == n.FAULT_JOURNAL_FULL:
            self.full_told = True
            return
        self.fault_due = n.FAULT_NONE
        self.fault = fault

    def _fault_cleared(self, r):
        if r[BODY] == n.FAULT_JOURNAL_FULL:
            self.full_told = False
            return
        self.fault = n.FAULT_NONE
        self.clear_due = 0

    def _clear(self, by):
        """The fault is over; what was to become one is forgotten."""
        self.fault_due = n.FAULT_NONE
        if self.fault and not (self.fault == n.FAULT_LID and self.lid_open):
            self.clear_due = by

    def _key(self, r):
        self.key_on = r[BODY] == 1
        if self.key_on:
            self.word_wanted = False
            self._clear(n.BY_KEY)

    def _lid(self, r):
        self.lid_open = r[BODY] == 1
        if self.lid_open and self.state != CLOSED:
            self._lid_opened()

    def _lid_opened(self):
        """A fault that is there already, such as the card to be seen to, stays."""
        if not self.fault and not self.fault_due:
            self.fault_due = n.FAULT_LID

    def _lock(self, r):
        self.locked = self.lock_told = r[BODY] == 1

    def _button(self, r):
        button = r[_A]
        if button == n.BUTTON_CONFIRM:
            self._confirm()
        elif button == n.BUTTON_NEW_SHOE:
            self._replace(self.profile.decks, self.profile.burn)
        else:
            self._result(button)

    def _result(self, button):
        """The dealer's own reading; another one than the shoe's is a discrepancy, never an edit."""
        self.dealer_result = button
        if self.state == COMPLETE and button != self.coup.winner() and not self.fault:
            self.add_case(n.CASE_SCAN_DISCREPANCY, n.FACT_CONFIRMED)
            self.fault_due = n.FAULT_DECISION

    def _confirm(self):
        if self.state == COMPLETE:
            self._next_coup()

    def _replace(self, decks, burn):
        self._clear(n.BY_NEW_SHOE)
        if self.state == DEALING and self.coup_cards():
            self.void_due = n.VOID_SUPERVISOR
            self.void_then = n.THEN_NEW_CARDS
        if self.state != CLOSED:
            self.close_due = n.CLOSE_REPLACED
        self.open_due = True
        self.open_decks = decks
        self.open_burn = burn

    def _ordered_set(self, r):
        self.ordered_told = True

    # Commands

    def _command_done(self, r):
        self._note_command(r)
        self._obeyed(r[_A], r)

    def _note_command(self, r):
        self.last_command_id = r[BODY] | r[BODY + 1] << 8 | r[BODY + 2] << 16 | r[BODY + 3] << 24

    def _obeyed(self, command, r):
        if command == n.CMD_OPEN_SHOE:
            self._replace(r[_C], r[_D])
        elif command == n.CMD_CLOSE_SHOE:
            self.close_due = n.CLOSE_COMMAND
        elif command == n.CMD_LOCK or command == n.CMD_UNLOCK:
            self.locked = command == n.CMD_LOCK
        elif command == n.CMD_CONFIRM:
            self._clear(n.BY_COMMAND)
            self._confirm()
        elif command == n.CMD_CLEAR_FAULT:
            self._clear(n.BY_COMMAND)
        elif command == n.CMD_VOID_COUP:
            self.void_due = r[_C]
            self.void_then = r[_D]
        elif command == n.CMD_NO_BET:
            self._declared(r[_C])
        elif command == n.CMD_KEY_CARD:
            self._keyed(r[_C], r[_D])
        elif command == n.CMD_AUTHORISE:
            self._authorise(r[_C])
        elif command == n.CMD_IRREGULARITY:
            self.add_case(r[_C] | _REPORTED, self._facts_of(r[_C], r[_D] | r[_E] << 8))
        elif command == n.CMD_EXPORT_COUP:
            self.export_due = True
        elif command == n.CMD_IMPORT_COUP:
            self._import(r)
        elif command == n.CMD_BURN_CARD:
            self.burn_next = True
        elif command == n.CMD_CARD_RETURNED:
            self._returned()
        elif command == n.CMD_DECK_CHECK:
            self._check(r[_C], r[_D])

    def _declared(self, kind):
        """A supervisor wants a coup of this kind: the one about to begin, or the next."""
        if self.state == DEALING and not self.coup_cards():
            self._become(kind)
        else:
            self.next_kind = kind

    def _keyed(self, card, flags):
        self.keyed_due = True
        self.keyed_card = card
        self.keyed_flags = flags
        if self.authorised and self.profile.keyed_needs_word() and not self.key_on:
            self.authorised -= 1

    def _authorise(self, times):
        if self.word_wanted:
            self.word_wanted = False
            times -= 1
        self.authorised = min(255, self.authorised + times)

    def _returned(self):
        self.carried_count -= 1
        self.surplus_count -= 1
        card = self.carried[self.carried_count]
        self.counts[card] -= self.counts[card] > 0
        self.cards_out -= 1
        self.returned = card

    def _import(self, r):
        self.import_due = True
        self.word_wanted = False
        self.kind = r[_E]
        self.kind_told = self.kind == n.KIND_LIVE
        self._set_cards(r, _F)

    def _set_cards(self, r, at):
        """Six cards of a coup, NO_CARD where there is none."""
        self.coup.start()
        for slot in range(PLAYER_1, BANKER_3 + 1):
            card = r[at + slot - 1]
            if card != NO_CARD and self.coup.due == slot:
                self.coup.draw(card)

    def _handed_over(self, r):
        if r[_B]:
            self.import_due = False
        else:
            self.export_due = False
            self.void_due = n.VOID_HANDED_OVER

    def _check(self, on, decks):
        if on:
            self._open(decks, n.BURN_NONE)
            self.state = CHECKING
            self.differences = 0
        else:
            self.state = CLOSED
            self.check_at = 0

    def _deck_check(self, r):
        self.differences += 1
        self.check_at = r[12] + 1

    def _checked(self, r):
        self.check_at = NO_CARD

    # A long shoe

    def _composition(self, r):
        first = 26 * r[12]
        for i in range(13):
            self.counts[first + 2 * i] = r[13 + i] & 15
            self.counts[first + 2 * i + 1] = r[13 + i] >> 4
        self.composed = r[12] + 1

    def _checkpoint(self, r):
        """All of it, if the log begins here; else nothing new."""
        self.base_no = beginning(r)
        if self.state != CLOSED:
            return
        self.shoe_no = self.closed_no = r[BODY] | r[BODY + 1] << 8
        self.locked = self.lock_told = r[20] == 1
        if _closed(r):
            return
        self.closed_no = self.shoe_no - 1 & 0xFFFF
        self.decks = r[_A]
        self.cards_out = r[_B] | r[_C] << 8
        self.coups_left = r[_D]
        self.next_kind = r[_E]
        self.authorised = r[_F]
        self.first_over = True
        self.burn_due = False
        self.coup_no = (r[_COUP_AT] | r[_COUP_AT + 1] << 8) - 1
        self._start_coup()


def beginning(r):
    """The number of the event from which the log can be applied to get behind this one, or 0."""
    kind = r[8]
    event_no = r[0] | r[1] << 8 | r[2] << 16 | r[3] << 24
    if kind == n.EV_CHECKPOINT:
        return event_no if _closed(r) else event_no - 2  # two compositions stand before it
    if kind == n.EV_SHOE_OPENED or (kind == n.EV_SHOE_CLOSED and r[_A] != n.CLOSE_REPLACED):
        return event_no
    return 0


def _closed(r):
    """A checkpoint between two shoes."""
    return not (r[_COUP_AT] | r[_COUP_AT + 1])


def _reason(case):
    """Why a coup is void, by the irregularity."""
    if case == n.CASE_INSUFFICIENT_CARDS:
        return n.VOID_SHORT_SHOE
    if case == n.CASE_MISSING_OR_FOREIGN_CARD:
        return n.VOID_FOREIGN_CARD
    if case == n.CASE_SCAN_DISCREPANCY:
        return n.VOID_DISCREPANCY
    if case == n.CASE_WRONG_SHOE:
        return n.VOID_WRONG_SHOE
    if n.CASE_FIRST_CARD_FACE_UP <= case <= n.CASE_THIRD_CARD_FACE_UP:
        return n.VOID_FACE_UP
    return n.VOID_MISDEAL

"""State: what the shoe knows, folded from its own log; a restart applies the same events and is where it was.

Nothing here is changed but by fold.apply(). What an event calls for next stands in a `…_due` field until that comes.
"""

from micropython import const

from sabot import wire
from sabot.dealing.coup import BANKER_3, NONE, PLAYER_1, Coup
from sabot.link.frame import short

# States.
CLOSED = const(0)
BURNING = const(1)
DEALING = const(2)
COMPLETE = const(3)
CHECKING = const(4)

DECK = const(52)
FIRST_CARDS = const(17)  # a burn by value and the first coup
NO_CARD = const(0xFF)
MOST_SURPLUS = const(16)
NOT_USED = const(0x80)  # marks a surplus card that begins no coup
SLOT_BURN = const(0)
SLOT_UNUSED = const(7)
_MOST_CASES = const(4)
_CASE = const(0x7F)
REPORTED = const(0x80)  # by people, who may correct what the shoe took it for


class State:
    """One shoe; the log is its only source."""

    def __init__(self, profile):
        self.profile = profile
        self.coup = Coup()
        self.counts = bytearray(DECK)  # how often each card has come out
        self.first = bytearray(FIRST_CARDS)
        self.surplus = bytearray(MOST_SURPLUS)  # cards that were not due, in the order drawn
        self._ahead = Coup()  # what they make of the next coup
        self._cases = bytearray(_MOST_CASES)  # irregularities that are not logged yet
        self._facts = bytearray(2 * _MOST_CASES)
        self.case_count = 0
        self.state = CLOSED
        self.shoe_no = 0
        self.closed_no = 0  # the shoe closed last
        self.fault = wire.FAULT_NONE
        self.fault_due = wire.FAULT_NONE
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
        self.boots = 0  # as the log counts them
        self.rules = bytearray(8)  # the hash of the profile set last, zeros where the log does not say
        self.base_no = 1  # from where the log must be kept
        self.composed = 0  # compositions at the end of the log: a checkpoint that was begun
        self.open(0, 0)

    # What is known

    def card_due(self):
        """The shoe wants a card: to burn, for the coup, or to check it."""
        return self.state == BURNING or self.state == CHECKING or (self.state == DEALING and self.coup.due != NONE)

    def last_coup(self):
        """The coup on the table is the last of this shoe."""
        return self.coups_left == 1

    def between_coups(self):
        """The next card begins an ordinary coup, not the first of the shoe: all that is known fits a checkpoint."""
        burn = self.burn_next or self.burnt_before
        plain = self.kind == self.next_kind == wire.KIND_LIVE and not burn and self.returned == NO_CARD
        plain = plain and not self.surplus_count and not self.touched
        return self.state == DEALING and self.coup.due == PLAYER_1 and plain and self.first_over

    def coup_cards(self):
        """How many cards of the coup are out."""
        count = 0
        for slot in range(PLAYER_1, BANKER_3 + 1):
            count += self.coup.cards[slot] != NO_CARD
        return count

    def begun(self):
        """A card of the coup on the table is out, whether it was read or not."""
        return self.state == COMPLETE or (self.state == DEALING and (self.touched or self.coup_cards() > 0))

    def surplus_case(self):
        """Which irregularity a card is that comes out though none is due."""
        if self.state != COMPLETE:
            return wire.CASE_EXCESS_CARD
        place = self.coup_cards() + self.behind + 1
        if place == 5:
            return wire.CASE_PLAYER_OVERDRAW
        if place == 6 and self.coup.cards[BANKER_3] == NO_CARD:
            return wire.CASE_BANKER_OVERDRAW
        return wire.CASE_EXCESS_CARD

    def surplus_facts(self, flags):
        """And its facts; a card that lies face up is exposed."""
        facts = wire.FACT_EXPOSED if flags & (wire.CARD_EXPOSED | wire.CARD_FACE_UP) else 0
        return facts | (wire.FACT_LAST_COUP if self.last_coup() else 0)

    def carried(self):
        """How many surplus cards begin the next coup."""
        count = 0
        for i in range(self.surplus_count):
            count += self.surplus[i] < NOT_USED
        return count

    def next_place(self):
        """The slot of the next surplus card, so many coups `ahead`; cards before it may fill the next coup."""
        coup = self._ahead
        coup.start()
        self.ahead = 1
        for i in range(self.surplus_count):
            if self.surplus[i] < NOT_USED:
                coup.draw(self.surplus[i])
                if coup.due == NONE:
                    coup.start()
                    self.ahead += 1
        return coup.due

    def case(self):
        """The irregularity to be logged next."""
        return self._cases[0] & _CASE

    def case_facts(self):
        """Its facts."""
        return short(self._facts, 0)

    # The shoe

    def open(self, decks, burn):
        self.decks = decks
        self.burn_mode = burn
        self.coup_no = 0
        self.cards_out = 0
        self.coups_left = 0  # from the cutting card on: this coup and those after it
        self.burnt = 0
        self.to_burn = 0 if burn == wire.BURN_NONE else 1
        self.burn_by_value = burn == wire.BURN_FACE_UP
        self.burn_due = burn != wire.BURN_NONE  # its event is not logged
        self.burn_missed = False
        self.burn_next = False  # the next card is burnt before the coup
        self.burnt_before = False  # one was
        self.first_count = 0
        self.first_over = False
        self.ordered_told = False
        self.kind = wire.KIND_LIVE
        self.next_kind = wire.KIND_LIVE
        self.next_word = False  # a supervisor must authorise the next coup
        self.kind_told = True
        self.word_wanted = False
        self.word_told = False  # that a card was drawn without it
        self.authorised = 0  # words of a supervisor not yet used
        self.coup_told = False
        self.dealer_result = 0
        self.surplus_count = 0
        self.behind = 0  # cards that came behind the complete coup
        self.ahead = 0
        self.unread = False  # a card is out that was not read: the place that is due is its own
        self.touched = False  # one was, in this coup
        self.before_cards = 0  # of the coup before, until a card of this one is drawn
        self.case_count = 0
        self.void_due = 0
        self.void_before = False  # it is the coup before
        self.end_due = False  # this coup stands, and new cards come after it
        self.void_then = wire.THEN_GO_ON
        self.restart_open = False  # whether the first coup is dealt again is for a supervisor to say
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

    def start_coup(self):
        self.coup_no += 1
        self.coup.start()
        self.state = DEALING
        self.burn_next = self.burnt_before = False
        self.kind = self.next_kind
        self.next_kind = wire.KIND_LIVE
        self.kind_told = self.kind == wire.KIND_LIVE
        self.want_word(self.next_word)
        self.next_word = False
        self.coup_told = False
        self.dealer_result = 0
        self.behind = 0
        self.unread = False
        self.touched = False
        self.before_cards = 0
        self._use_surplus()

    def _use_surplus(self):
        """Surplus cards begin this coup; what it does not take begins the one after it."""
        kept = 0
        for i in range(self.surplus_count):
            card = self.surplus[i]
            if card < NOT_USED and self.coup.due != NONE:
                self.coup.draw(card)
            elif card < NOT_USED:
                self.surplus[kept] = card
                kept += 1
        self.surplus_count = kept

    def become(self, kind, word):
        """The coup is of this kind from now on; `word`: a supervisor must authorise that."""
        if kind != self.kind:
            self.kind = kind
            self.kind_told = False
            self.want_word(word)

    def next_is(self, kind, word):
        """So is the next coup; what the book itself has ordered needs no word."""
        self.next_word = word and (self.next_word or self.next_kind == wire.KIND_LIVE)
        self.next_kind = kind

    def want_word(self, word):
        """A coup without wagers may need a supervisor; a word said before is used up."""
        self.word_told = False
        wanted = word and self.kind != wire.KIND_LIVE and self.profile.dummy_needs_word()
        self.word_wanted = wanted and not self.key_on
        if self.word_wanted and self.authorised:
            self.authorised -= 1
            self.word_wanted = False

    def next_coup(self):
        """The coup is over: the next one, or the end of the shoe."""
        after_last = self.next_kind != wire.KIND_LIVE and self.profile.on(wire.SWITCH_POST_CUT_DUMMY_COUPS)
        if self.end_due:
            self.close_due = wire.CLOSE_NEW_CARDS
            return
        if self.coups_left == 1 and not after_last:
            self.close_due = wire.CLOSE_LAST_COUP
            return
        if self.coups_left > 1:
            self.coups_left -= 1
        self.start_coup()

    def restart(self):
        """The burn was forgotten: the coup's cards go back, the burn is made good, and the coup is dealt again."""
        for slot in range(PLAYER_1, BANKER_3 + 1):
            if self.coup.cards[slot] != NO_CARD:
                self.put_back(self.coup.cards[slot])
        for i in range(self.surplus_count):
            self.put_back(self.surplus[i] & ~NOT_USED)
        self.surplus_count = 0
        self.restart_open = False
        self.unread = False
        self.touched = False
        self.coup_no = 0
        self.coup.start()
        self.next_kind = self.kind
        self.burnt = 0
        self.burn_due = True
        self.to_burn = 1
        self.burn_by_value = self.burn_mode == wire.BURN_FACE_UP
        self.state = BURNING
        self.first_count = 0

    def put_back(self, card):
        """This card is in the shoe again."""
        self.counts[card] -= self.counts[card] > 0
        self.cards_out -= self.cards_out > 0

    # Irregularities

    def add_case(self, case, facts):
        """An irregularity that is to be logged; more at once than there is room for cannot come from one card."""
        if self.case_count < _MOST_CASES:
            self._cases[self.case_count] = case
            self._facts[2 * self.case_count] = facts & 0xFF
            self._facts[2 * self.case_count + 1] = facts >> 8
            self.case_count += 1

    def case_logged(self, case):
        """It is not due any more; whether people had reported self."""
        if not self.case_count or self.case() != case:
            return False
        reported = self._cases[0] & REPORTED != 0
        self.case_count -= 1
        for i in range(self.case_count):
            self._cases[i] = self._cases[i + 1]
            self._facts[2 * i] = self._facts[2 * i + 2]
            self._facts[2 * i + 1] = self._facts[2 * i + 3]
        return reported

    # Faults and people

    def log_unsound(self):
        """The log fails its check: nothing is dealt until a self-test finds it sound."""
        return self.fault == wire.FAULT_JOURNAL

    def clear(self, by):
        """The fault is over; what was to become one is forgotten."""
        self.fault_due = wire.FAULT_NONE
        if self.fault and not self.log_unsound() and not (self.fault == wire.FAULT_LID and self.lid_open):
            self.clear_due = by

    def confirm(self):
        if self.state == COMPLETE:
            cards = self.coup_cards()
            self.next_coup()
            self.before_cards = cards if self.state == DEALING else 0

    def replace(self, decks, burn):
        self.clear(wire.BY_NEW_SHOE)
        if self.state == DEALING and self.begun():
            self.void_due = wire.VOID_SUPERVISOR
            self.void_then = wire.THEN_NEW_CARDS
        if self.state != CLOSED:
            self.close_due = wire.CLOSE_REPLACED
        self.open_due = True
        self.open_decks = decks
        self.open_burn = burn

    def set_cards(self, r, at):
        """Six cards of a coup, NO_CARD where there is none."""
        self.coup.start()
        for slot in range(PLAYER_1, BANKER_3 + 1):
            card = r[at + slot - 1]
            if card != NO_CARD and self.coup.due == slot:
                self.coup.draw(card)

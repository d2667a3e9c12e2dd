"""State: what the shoe knows. Only apply() changes it, by the events of the log, so a restart rebuilds it exactly.

`pending_…` is what must be logged next (consequences.py does it); `awaiting_…` is what a person must do first;
`…_logged` is what the log has already.
"""

from micropython import const

from sabot import wire
from sabot.dealing.coup import NONE, Coup
from sabot.link.frame import put_short, short

# Phases of a shoe.
CLOSED = const(0)
BURNING = const(1)
DEALING = const(2)
COMPLETE = const(3)
CHECKING = const(4)

DECK = const(52)
FIRST_CARDS = const(17)  # a burn by value and the first coup
MOST_SURPLUS = const(16)
NOT_USED = const(0x80)  # marks a surplus card that begins no coup
NO_WAGERS = const(0x40)  # marks one whose coup is without wagers, and is not the next
CARD = const(0x3F)
_MOST_CASES = const(4)
_CASE = const(0x7F)
REPORTED = const(0x80)  # marks a case that a person reported: it may correct what the shoe found


class State:
    """All fields of one shoe, and the steps that several events and commands share.

    One class because every step changes fields of several groups at once, and a second object would cost heap.
    """

    def __init__(self, profile):
        self.profile = profile

        # The shoe; start_shoe() sets the rest of it.
        self.phase = CLOSED
        self.shoe_no = 0
        self.closed_no = 0  # the last shoe that was closed
        self.counts = bytearray(DECK)  # how often each card has come out
        self.first_cards = bytearray(FIRST_CARDS)  # for the shuffle check
        self.coup = Coup()

        # Cards that came out though none was due, in the order drawn.
        self.surplus = bytearray(MOST_SURPLUS)
        self.surplus_coup = Coup()  # the coup that the next of them begins, after coups_ahead()

        # Irregularities to be logged, the first of them next.
        self._cases = bytearray(_MOST_CASES)
        self._facts = bytearray(2 * _MOST_CASES)
        self.case_count = 0

        # Faults, key, lid and lock.
        self.fault = wire.FAULT_NONE
        self.pending_fault = wire.FAULT_NONE
        self.pending_clear = 0  # who cleared the fault
        self.journal_full_logged = False
        self.alarms = 0  # faults and irregularities so far: the buzzer sounds for each
        self.key_on = False
        self.lid_open = False
        self.locked = False  # by command
        self.lock_logged = False  # the lock as the log has it

        # The next shoe, and a check of the decks.
        self.pending_open = False
        self.open_decks = 0
        self.open_burn = 0
        self.check_next = wire.NO_CARD  # the next card to compare, DECK after the last
        self.check_differences = 0

        # The log.
        self.last_command_id = 0
        self.boots = 0
        self.profile_hash = bytearray(8)  # of the profile set last, zeros where the log does not have it
        self.replay_from = 1  # the event from which the log must be kept
        self.compositions = 0  # at the end of the log: a checkpoint has begun
        self.start_shoe(0, 0)

    # Queries

    def card_due(self):
        """Return True if a card is due: to burn, for the coup, or for a deck check."""
        phase = self.phase
        return phase == BURNING or phase == CHECKING or (phase == DEALING and self.coup.due != NONE)

    def last_coup(self):
        """Return True if the coup on the table is the last of this shoe."""
        return self.coups_left == 1

    def between_coups(self):
        """Return True before an ordinary coup that is not the first: all that is known then fits a checkpoint."""
        burn = self.burn_next or self.burnt_before
        plain = self.kind == self.next_kind == wire.KIND_LIVE and not burn and self.returned_card == wire.NO_CARD
        plain = plain and not self.surplus_count and not self.unread_in_coup and not self.unread_cards
        return self.phase == DEALING and self.coup.due == wire.SLOT_PLAYER_1 and plain and self.first_coup_over

    def coup_cards(self):
        """Return how many cards of the coup are out."""
        count = 0
        for slot in range(wire.SLOT_PLAYER_1, wire.SLOT_BANKER_3 + 1):
            count += self.coup.cards[slot] != wire.NO_CARD
        return count

    def coup_begun(self):
        """Return True if a card of the coup on the table is out, read or not."""
        in_coup = self.phase == DEALING and (self.unread_in_coup or self.coup_cards() > 0)
        return self.phase == COMPLETE or in_coup

    def not_dealt(self):
        """Return True if no card was drawn in the coup on the table: those that lie there are surplus cards."""
        return self.phase == DEALING and not self.unread_in_coup and self.coup_cards() == self.carried

    def surplus_case(self):
        """Return the irregularity of a card that comes out though none is due."""
        if self.phase != COMPLETE:
            return wire.CASE_EXCESS_CARD
        place = self.coup_cards() + self.cards_after_coup + 1
        if place == 5:
            return wire.CASE_PLAYER_OVERDRAW
        if place == 6 and self.coup.cards[wire.SLOT_BANKER_3] == wire.NO_CARD:
            return wire.CASE_BANKER_OVERDRAW
        return wire.CASE_EXCESS_CARD

    def surplus_facts(self, flags):
        """Return the facts of that irregularity; a card that lies face up is exposed."""
        facts = wire.FACT_EXPOSED if flags & (wire.CARD_EXPOSED | wire.CARD_FACE_UP) else 0
        left = self.coups_left + (self.phase == BURNING)  # the first coup is still to come
        behind_last = self.coups_left and self.coups_ahead() >= left
        return facts | (wire.FACT_LAST_COUP if behind_last else 0)

    def coups_ahead(self):
        """Return how many coups after the one on the table the next surplus card begins: others come first."""
        return self._ahead_of(self.surplus_count)

    def last_surplus_waits(self):
        """Return True if the last surplus card belongs to a coup after the next."""
        return self.surplus_count > 0 and self._ahead_of(self.surplus_count - 1) > 1

    def _ahead_of(self, count):
        """Return how many coups after the one on the table the surplus card begins that so many come before."""
        coup = self.surplus_coup
        coup.start()
        ahead = 1
        for i in range(count):
            if self.surplus[i] < NOT_USED:
                coup.draw(self.surplus[i] & CARD)
                if coup.due == NONE:
                    coup.start()
                    ahead += 1
        return ahead

    def carried_cards(self):
        """Return how many surplus cards begin the next coup."""
        count = 0
        for i in range(self.surplus_count):
            count += self.surplus[i] < NOT_USED
        return count

    def log_unsound(self):
        """Return True while the log fails its check: nothing is dealt until a self-test finds it sound."""
        return self.fault == wire.FAULT_JOURNAL

    # Shoe

    def start_shoe(self, decks, burn):
        """Set every field that belongs to one shoe."""
        self.decks = decks
        self.cards_out = 0
        self.coups_left = 0  # after the cutting card: this coup and those after it
        self.pending_close = 0  # why the shoe is closed next
        self.end_after_coup = False  # this coup counts, then new cards are needed
        self.short_shoe_logged = False
        self.coup.start()
        for card in range(DECK):
            self.counts[card] = 0

        # The burn and the first cards.
        self.burn_mode = burn
        self.to_burn = 0 if burn == wire.BURN_NONE else 1
        self.burnt = 0
        self.burn_by_value = burn == wire.BURN_FACE_UP
        self.pending_burn = burn != wire.BURN_NONE
        self.burn_missed = False
        self.burn_next = False  # the next card is burnt before the coup
        self.burnt_before = False  # a card was burnt before this coup
        self.first_count = 0
        self.first_coup_over = False
        self.ordered_set_logged = False
        self.awaiting_restart = False  # a supervisor decides whether the first coup is dealt again

        # The coup.
        self.coup_no = 0
        self.kind = wire.KIND_LIVE
        self.next_kind = wire.KIND_LIVE
        self.kind_logged = True
        self.result_logged = False
        self.dealer_result = 0
        self.forget_unread()
        self.previous_cards = 0  # of the previous coup, until a card of this one is drawn

        # Authorisation.
        self.awaiting_authorisation = False
        self.next_needs_authorisation = False
        self.unauthorised_logged = False  # a card was drawn without it
        self.authorisations = 0  # given for coups without wagers that are still to be ordered

        # Surplus cards.
        self.surplus_count = 0
        self.carried = 0  # surplus cards with which the coup on the table has begun
        self.cards_after_coup = 0  # drawn after the complete coup
        self.returned_card = wire.NO_CARD  # put back into the shoe, until the next card is out

        # What the next events will be.
        self.case_count = 0
        self.pending_void = 0  # why a coup is void
        self.void_then = wire.THEN_GO_ON
        self.void_previous = False  # the void coup is the previous one
        self.pending_keyed = False
        self.keyed_card = 0
        self.keyed_flags = 0
        self.pending_export = False
        self.pending_import = False

    def doubt_cards(self):
        """Lock where the book has the cards checked after a foreign card, until the gateway unlocks."""
        if self.profile.code(wire.CASE_MISSING_OR_FOREIGN_CARD, 0) == wire.CODE_VOID_CHECK:
            self.locked = True

    def replace_shoe(self, decks, burn):
        """Close the shoe on the table, if there is one, and open the next."""
        self.clear_fault(wire.BY_NEW_SHOE)
        if self.phase == DEALING and self.coup_begun() and not self.not_dealt():
            self.pending_void = wire.VOID_SUPERVISOR
            self.void_then = wire.THEN_NEW_CARDS
        if self.phase != CLOSED:
            self.pending_close = wire.CLOSE_REPLACED
        self.pending_open = True
        self.open_decks = decks
        self.open_burn = burn

    def restart_first_coup(self):
        """The burn was missed: put the coup's cards back, burn, and deal the same coup again."""
        for slot in range(wire.SLOT_PLAYER_1, wire.SLOT_BANKER_3 + 1):
            if self.coup.cards[slot] != wire.NO_CARD:
                self.put_back(self.coup.cards[slot])
        for i in range(self.surplus_count):
            self.put_back(self.surplus[i] & CARD)
        self.surplus_count = 0
        self.awaiting_restart = False
        self.next_needs_authorisation = self.awaiting_authorisation
        self.awaiting_authorisation = False
        self.forget_unread()
        self.coup_no = 0
        self.coup.start()
        self.next_kind = self.kind
        self.burnt = 0
        self.pending_burn = True
        self.to_burn = 1
        self.burn_by_value = self.burn_mode == wire.BURN_FACE_UP
        self.phase = BURNING
        self.first_count = 0

    def put_back(self, card):
        """Count this card as in the shoe again."""
        self.counts[card] -= self.counts[card] > 0
        self.cards_out -= self.cards_out > 0

    # Coup

    def start_coup(self):
        """Begin the next coup, with the surplus cards that were carried over."""
        self.coup_no += 1
        self.coup.start()
        self.phase = DEALING
        self.burn_next = self.burnt_before = False
        self.kind = self.next_kind
        self.next_kind = wire.KIND_LIVE
        self.kind_logged = self.kind == wire.KIND_LIVE
        self.require_authorisation(self.next_needs_authorisation)
        self.next_needs_authorisation = False
        self.result_logged = False
        self.dealer_result = 0
        self.cards_after_coup = 0
        self.forget_unread()
        self.previous_cards = 0
        self._use_surplus()

    def forget_unread(self):
        """No card is out any more that was not read."""
        self.card_unread = False  # one is out: the slot that is due is its own
        self.unread_in_coup = False
        self.may_be_out = False  # a card of this coup that cannot be keyed in: in the shoe again, or void with the coup
        self.settle_unread()

    def settle_unread(self):
        """No card is to be keyed in any more, and what was authorised for it is void."""
        self.unread_cards = 0  # that left the shoe, were not read, and may be keyed in
        self.card_authorisations = 0  # given for them

    def _use_surplus(self):
        """Begin this coup with surplus cards; those that it does not take begin the one after it."""
        kept = 0
        for i in range(self.surplus_count):
            card = self.surplus[i]
            if card < NOT_USED and self.coup.due != NONE:
                self.coup.draw(card & CARD)
            elif card < NOT_USED:
                self.surplus[kept] = card
                kept += 1
        self.surplus_count = kept
        self.carried = self.coup_cards()
        for i in range(kept):
            if self.surplus[i] & NO_WAGERS and self._ahead_of(i) == 1:
                self.next_kind = self.profile.unwagered
                self.next_needs_authorisation = not self.profile.orders(wire.CASE_EXCESS_CARD)

    def set_kind(self, kind, needs_authorisation):
        """Make this coup one of another kind."""
        if kind != self.kind:
            self.kind = kind
            self.kind_logged = False
            self.require_authorisation(needs_authorisation)

    def require_authorisation(self, needed):
        """Wait for a supervisor where the profile asks for one: no authorisation that was given before counts."""
        self.unauthorised_logged = False
        needed = needed and self.kind != wire.KIND_LIVE and self.profile.on(wire.SWITCH_DUMMY_NEEDS_AUTHORISATION)
        self.awaiting_authorisation = needed and not self.key_on

    def use_authorisation(self, kind, wanted):
        """Use one up for a coup without wagers that a person orders, if it is not one already."""
        wanted = wanted and kind != wire.KIND_LIVE and self.profile.on(wire.SWITCH_DUMMY_NEEDS_AUTHORISATION)
        if wanted and self.authorisations and not self.key_on:
            self.authorisations -= 1

    def confirm_coup(self):
        """Go on after a complete coup."""
        if self.phase == COMPLETE:
            cards = self.coup_cards()
            self.next_coup()
            self.previous_cards = cards if self.phase == DEALING else 0

    def next_coup(self):
        """The coup is over: begin the next one, or end the shoe."""
        after_last = self.next_kind != wire.KIND_LIVE and self.profile.on(wire.SWITCH_POST_CUT_DUMMY_COUPS)
        if self.end_after_coup:
            self.pending_close = wire.CLOSE_NEW_CARDS
            return
        if self.coups_left == 1 and not after_last:
            self.pending_close = wire.CLOSE_LAST_COUP
            return
        if self.coups_left > 1:
            self.coups_left -= 1
        self.start_coup()

    # Irregularities and faults

    def add_case(self, case, facts):
        """Queue an irregularity to be logged; one card cannot cause more than the queue holds."""
        if self.case_count < _MOST_CASES:
            self._cases[self.case_count] = case
            put_short(self._facts, 2 * self.case_count, facts)
            self.case_count += 1

    def next_case(self):
        """Return the irregularity to be logged next."""
        return self._cases[0] & _CASE

    def next_case_facts(self):
        """Return its facts."""
        return short(self._facts, 0)

    def remove_case(self, case):
        """Take a logged irregularity out of the queue; return True if a person had reported it."""
        if not self.case_count or self.next_case() != case:
            return False
        reported = self._cases[0] & REPORTED != 0
        self.case_count -= 1
        for i in range(self.case_count):
            self._cases[i] = self._cases[i + 1]
            put_short(self._facts, 2 * i, short(self._facts, 2 * i + 2))
        return reported

    def clear_fault(self, by):
        """Clear the fault, and any that is about to be logged; a damaged log and an open lid stay."""
        self.pending_fault = wire.FAULT_NONE
        if self.fault and not self.log_unsound() and not (self.fault == wire.FAULT_LID and self.lid_open):
            self.pending_clear = by

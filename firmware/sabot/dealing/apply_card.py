"""Apply what leaves the exit: a card, the cutting card, a reject."""

from micropython import const

from sabot import wire
from sabot.dealing.coup import value
from sabot.dealing.state import (
    BURNING,
    CHECKING,
    CLOSED,
    COMPLETE,
    DEALING,
    FIRST_CARDS,
    MOST_SURPLUS,
    NOT_USED,
)

_MOST_COUNTED = const(15)  # of one card: a composition has four bits for it
# Reasons after which a card may be in the shoe again or on the table, where its slot is not its own.
_MAY_BE_OUT = (
    wire.REJECT_PUSHED_BACK,
    wire.REJECT_PUSHED_BACK_MIDWAY,
    wire.REJECT_HALF_DRAWN,
    wire.REJECT_DOUBLE,
)


def apply_card(state, record):
    """Apply a card that has left the exit, or was keyed in."""
    slot, card = record[wire.EVENT_CARD_SLOT], record[wire.EVENT_CARD_CARD]
    flags = record[wire.EVENT_CARD_FLAGS]
    _count(state, card)
    if state.phase == CHECKING:
        return
    state.returned_card = wire.NO_CARD
    if state.locked and not flags & (wire.CARD_KEYED | wire.CARD_SURPLUS):
        state.alarms = state.alarms + 1 & 0xFFFF  # drawn by force
    if flags & wire.CARD_SURPLUS:
        _surplus_card(state, slot, card, flags)
    elif slot == wire.SLOT_BURN:
        _burn_card(state, card)
    else:
        _coup_card(state, slot, card, flags)
    if flags & wire.CARD_KEYED:
        _keyed_card(state)
    elif not state.card_unread:
        state.settle_unread()  # it was drawn again, or play went on without it
    if state.counts[card] > state.decks:
        state.add_case(wire.CASE_MISSING_OR_FOREIGN_CARD, 0)


def _keyed_card(state):
    """One card that was not read is known now; the exit stays locked for another."""
    state.pending_keyed = False
    state.unread_cards -= state.unread_cards > 0
    state.card_authorisations = min(state.card_authorisations, state.unread_cards)
    if not state.unread_cards:
        state.settle_unread()
        state.card_unread = False
        state.clear_fault(wire.BY_COMMAND)


def _count(state, card):
    """Count a card that is out; not with a continuous shuffler, where every card comes again."""
    if state.cards_out < 0xFFFF:
        state.cards_out += 1
    if state.phase == CHECKING:
        state.counts[card] = min(0xFF, state.counts[card] + 1)
    elif not state.profile.on(wire.SWITCH_CONTINUOUS):
        state.counts[card] = min(_MOST_COUNTED, state.counts[card] + 1)


def _coup_card(state, slot, card, flags):
    _note_first_card(state, card)
    state.previous_cards = 0
    state.coup.draw(card)
    if state.awaiting_authorisation and not state.unauthorised_logged:
        state.unauthorised_logged = True
        state.add_case(wire.CASE_UNAUTHORISED_COUP, 0)
    if flags & wire.CARD_FACE_UP:
        if slot == wire.SLOT_PLAYER_1:
            state.add_case(wire.CASE_FIRST_CARD_FACE_UP, 0)
        elif slot <= wire.SLOT_BANKER_2:
            state.add_case(wire.CASE_SECOND_TO_FOURTH_CARD_FACE_UP, state.profile.facts())
        else:
            state.add_case(wire.CASE_THIRD_CARD_FACE_UP, 0)
    elif slot == wire.SLOT_PLAYER_1 and flags & wire.CARD_EXPOSED and not state.profile.on(wire.SWITCH_DEALT_FACE_UP):
        state.add_case(wire.CASE_FIRST_CARD_EXPOSED, 0)


def _burn_card(state, card):
    _note_first_card(state, card)
    state.burnt += 1
    state.burn_next = False
    if state.phase != BURNING:
        state.burnt_before = True
        return
    state.to_burn -= 1
    if state.burn_by_value:
        state.burn_by_value = False
        state.to_burn = value(card) or 10


def _surplus_card(state, slot, card, flags):
    state.add_case(state.surplus_case(), state.surplus_facts(flags))
    state.cards_after_coup += 1
    if state.surplus_count < MOST_SURPLUS:
        state.surplus[state.surplus_count] = card | (NOT_USED if slot == wire.SLOT_UNUSED else 0)
        state.surplus_count += 1


def _note_first_card(state, card):
    if not state.first_coup_over and state.first_count < FIRST_CARDS:
        state.first_cards[state.first_count] = card
        state.first_count += 1


def apply_cutting_card(state, record):
    """Apply the cutting card: this coup or the next is the last. A second cutting card changes nothing."""
    if state.coups_left:
        return
    this_is_last = record[wire.EVENT_CUTTING_CARD_BEFORE_FIRST_CARD] and state.profile.on(
        wire.SWITCH_CUT_FIRST_CARD_IS_LAST_COUP
    )
    state.coups_left = 1 if this_is_last else 2
    if state.phase == COMPLETE:
        state.coups_left += 1  # it came after a complete coup, before the next


def apply_reject(state, record):
    """Apply something that left the exit, or stirred in it, and is no certain card."""
    reason = record[wire.EVENT_REJECT_REASON]
    if reason == wire.REJECT_NOISE or state.phase == CLOSED:
        return
    if state.phase != CHECKING:
        if reason == wire.REJECT_FOREIGN:
            _unread_card(state, wire.CASE_MISSING_OR_FOREIGN_CARD)
        elif reason <= wire.REJECT_NOT_IN_SET or reason == wire.REJECT_SPACING:
            _unread_card(state, wire.CASE_MISREAD_CARD)
            _left_unread(state)
        elif reason == wire.REJECT_PUSHED_BACK_MIDWAY:
            _left_unread(state)
        if reason in _MAY_BE_OUT:
            state.may_be_out = state.phase == DEALING
    if reason == wire.REJECT_LID_OPEN:
        apply_lid_opened(state)
    elif reason != wire.REJECT_NOT_DUE:
        state.pending_fault = wire.FAULT_CARD


def _unread_card(state, case):
    """A card that was not read is on the table: if one was due, it has that slot."""
    state.add_case(case, 0)
    state.card_unread = True
    state.unread_in_coup = state.phase == DEALING
    state.previous_cards = 0


def _left_unread(state):
    """A card of these decks is certain to have left the shoe and was not read: it may be keyed in."""
    state.unread_cards = min(MOST_SURPLUS, state.unread_cards + 1)


def apply_lid_opened(state):
    """Report the open lid, unless there is another fault: that one stays."""
    if not state.fault and not state.pending_fault:
        state.pending_fault = wire.FAULT_LID

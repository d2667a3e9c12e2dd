"""Consequences: log what the events so far call for. This module only reads the state; apply() changes it."""

from struct import pack_into

from micropython import const

from sabot import wire
from sabot.dealing import shuffle_check
from sabot.dealing.apply_irregularity import about_previous_coup
from sabot.dealing.coup import NONE
from sabot.dealing.state import BURNING, CLOSED, DEALING, DECK
from sabot.link.frame import put_short

_MOST_EVENTS = const(128)  # that one input can call for


def log_consequences(shoe, now_ms):
    """Log one event after the other until nothing is pending; the order of the checks is the order of the log."""
    for _ in range(_MOST_EVENTS):
        if not (
            _log_irregular(shoe, now_ms)
            or _log_ordered_set(shoe, now_ms)
            or _log_of_coup(shoe, now_ms)
            or _log_of_shoe(shoe, now_ms)
        ):
            return


def _log_irregular(shoe, now_ms):
    state = shoe.state
    if state.case_count:
        _log_case(shoe, now_ms, state.next_case(), state.next_case_facts())
    elif state.pending_clear:
        shoe.log_cleared(now_ms, state.fault, state.pending_clear)
    elif state.pending_fault:
        shoe.log_fault(now_ms, state.pending_fault, 0)
    elif state.locked != state.lock_logged:
        shoe.log_switch(now_ms, wire.EV_LOCK, state.locked)
    else:
        return False
    return True


def _log_ordered_set(shoe, now_ms):
    state = shoe.state
    if state.ordered_set_logged or state.first_coup_over or state.phase == CLOSED:
        return False
    pattern = shuffle_check.pattern(state.first_cards, state.first_count)
    if pattern:
        record = shoe.journal.record
        pack_into(wire.EVENT_ORDERED_SET_FORMAT, record, wire.RECORD_DATA, state.shoe_no, pattern, state.first_count)
        shoe.log(now_ms, wire.EV_ORDERED_SET, wire.EVENT_ORDERED_SET_SIZE)
    return pattern


def _log_of_coup(shoe, now_ms):
    state = shoe.state
    if state.pending_keyed:
        shoe.log_keyed_card(now_ms)
    elif state.pending_export or state.pending_import:
        _log_handed_over(shoe, now_ms)
    elif state.pending_void:
        _log_void(shoe, now_ms)
    elif state.phase == DEALING and not state.kind_logged:
        shoe.log_of_coup(now_ms, wire.EV_COUP_KIND, state.kind)
    elif state.phase == DEALING and state.coup.due == NONE and not state.result_logged:
        _log_coup(shoe, now_ms)
    else:
        return False
    return True


def _log_of_shoe(shoe, now_ms):
    state = shoe.state
    if state.pending_close:
        _log_closed(shoe, now_ms, state.pending_close)
    elif state.pending_open:
        _log_opened(shoe, now_ms)
    elif state.phase == BURNING and state.pending_burn and not state.to_burn:
        _log_burn(shoe, now_ms)
    elif state.check_next <= DECK:
        _log_deck_check(shoe, now_ms)
    elif _cards_missing(state) and state.coup_cards() and not state.short_shoe_logged:
        _log_case(shoe, now_ms, wire.CASE_INSUFFICIENT_CARDS, 0)
    elif _cards_missing(state) and not state.coup_cards():
        _log_closed(shoe, now_ms, wire.CLOSE_NO_CARDS)
    elif _checkpoint_due(shoe):
        _log_checkpoint(shoe, now_ms)
    else:
        return False
    return True


def _cards_missing(state):
    """Return True if the coup needs a card and all cards of the decks are out."""
    due = state.phase == DEALING and state.coup.due != NONE
    return due and state.cards_out >= state.decks * DECK and not state.profile.on(wire.SWITCH_CONTINUOUS)


def _log_case(shoe, now_ms, case, facts):
    state = shoe.state
    code = state.profile.code(case, facts)
    coup_no = state.coup_no - about_previous_coup(state, case, code)
    record = shoe.journal.record
    pack_into(wire.EVENT_IRREGULARITY_FORMAT, record, wire.RECORD_DATA, state.shoe_no, coup_no, case, facts, code)
    shoe.log(now_ms, wire.EV_IRREGULARITY, wire.EVENT_IRREGULARITY_SIZE)


# The coup


def _log_handed_over(shoe, now_ms):
    state = shoe.state
    pack_into(
        wire.EVENT_HANDED_OVER_FORMAT,
        shoe.journal.record,
        wire.RECORD_DATA,
        state.shoe_no,
        state.coup_no,
        state.kind,
        state.pending_import,
        *state.coup.cards[wire.SLOT_PLAYER_1 :],
        state.decks,
        state.cards_out,
        state.coups_left,
        state.awaiting_authorisation,
    )
    shoe.log(now_ms, wire.EV_HANDED_OVER, wire.EVENT_HANDED_OVER_SIZE)


def _log_void(shoe, now_ms):
    state = shoe.state
    cards = state.previous_cards if state.void_previous else state.coup_cards()
    coup_no = state.coup_no - state.void_previous
    pack_into(
        wire.EVENT_COUP_VOID_FORMAT,
        shoe.journal.record,
        wire.RECORD_DATA,
        state.shoe_no,
        coup_no,
        state.pending_void,
        state.void_then,
        cards,
    )
    shoe.log(now_ms, wire.EV_COUP_VOID, wire.EVENT_COUP_VOID_SIZE)


def _log_coup(shoe, now_ms):
    state, coup = shoe.state, shoe.state.coup
    flags = wire.COUP_PLAYER_PAIR if coup.player_pair() else 0
    flags |= wire.COUP_BANKER_PAIR if coup.banker_pair() else 0
    flags |= wire.COUP_NATURAL if coup.natural() else 0
    flags |= wire.COUP_LAST_COUP if state.last_coup() else 0
    pack_into(
        wire.EVENT_COUP_FORMAT,
        shoe.journal.record,
        wire.RECORD_DATA,
        state.shoe_no,
        state.coup_no,
        coup.winner(),
        coup.player_points,
        coup.banker_points,
        flags,
        state.kind,
    )
    shoe.log(now_ms, wire.EV_COUP, wire.EVENT_COUP_SIZE)


# The shoe


def _log_closed(shoe, now_ms, reason):
    state = shoe.state
    not_drawn = not state.coup_cards() or state.not_dealt()
    not_begun = state.phase == DEALING and not_drawn and not state.result_logged
    coups = state.coup_no - not_begun
    record = shoe.journal.record
    pack_into(wire.EVENT_SHOE_CLOSED_FORMAT, record, wire.RECORD_DATA, state.shoe_no, coups, reason)
    shoe.log(now_ms, wire.EV_SHOE_CLOSED, wire.EVENT_SHOE_CLOSED_SIZE)


def _log_opened(shoe, now_ms):
    state = shoe.state
    pack_into(
        wire.EVENT_SHOE_OPENED_FORMAT,
        shoe.journal.record,
        wire.RECORD_DATA,
        state.shoe_no + 1 & 0xFFFF,
        state.profile.card_set,
        state.open_decks,
        state.open_burn,
    )
    shoe.log(now_ms, wire.EV_SHOE_OPENED, wire.EVENT_SHOE_OPENED_SIZE)


def _log_burn(shoe, now_ms):
    state = shoe.state
    pack_into(
        wire.EVENT_BURN_FORMAT,
        shoe.journal.record,
        wire.RECORD_DATA,
        state.shoe_no,
        state.burn_mode,
        state.burnt,
        state.burn_missed,
    )
    shoe.log(now_ms, wire.EV_BURN, wire.EVENT_BURN_SIZE)


def _log_deck_check(shoe, now_ms):
    """Log the next card that did not come as often as the decks have it, or the end of the check."""
    state, record = shoe.state, shoe.journal.record
    for card in range(state.check_next, DECK):
        seen = state.counts[card]
        if seen != state.decks:
            pack_into(wire.EVENT_DECK_CHECK_FORMAT, record, wire.RECORD_DATA, state.shoe_no, card, seen, state.decks)
            shoe.log(now_ms, wire.EV_DECK_CHECK, wire.EVENT_DECK_CHECK_SIZE)
            return
    differences = state.check_differences
    pack_into(wire.EVENT_CHECKED_FORMAT, record, wire.RECORD_DATA, state.shoe_no, state.cards_out, differences)
    shoe.log(now_ms, wire.EV_CHECKED, wire.EVENT_CHECKED_SIZE)


# Checkpoints


def _checkpoint_due(shoe):
    """Return True in a quiet moment once a quarter of the journal must be kept for a replay."""
    state, journal = shoe.state, shoe.journal
    if shoe.damaged or journal.next_no - state.replay_from <= journal.capacity() // 4:
        return False
    return state.phase == CLOSED or (state.between_coups() and not state.fault)


def _log_checkpoint(shoe, now_ms):
    """Log the two halves of the composition, one per call, then the checkpoint itself."""
    state = shoe.state
    closed = state.phase == CLOSED
    if not closed and state.compositions < 2:
        _log_composition(shoe, now_ms, state.compositions)
        return
    pack_into(
        wire.EVENT_CHECKPOINT_FORMAT,
        shoe.journal.record,
        wire.RECORD_DATA,
        state.shoe_no,
        0 if closed else state.coup_no,
        state.decks,
        state.cards_out,
        state.coups_left,
        state.kind,
        state.authorisations,
        state.locked,
        state.previous_cards,
    )
    shoe.log(now_ms, wire.EV_CHECKPOINT, wire.EVENT_CHECKPOINT_SIZE)


def _log_composition(shoe, now_ms, half):
    record, counts = shoe.journal.record, shoe.state.counts
    put_short(record, wire.EVENT_COMPOSITION_SHOE_NO, shoe.state.shoe_no)
    record[wire.EVENT_COMPOSITION_HALF] = half
    for i in range(wire.EVENT_COMPOSITION_COUNTS_BYTES):
        card = 26 * half + 2 * i
        record[wire.EVENT_COMPOSITION_COUNTS + i] = counts[card] | counts[card + 1] << 4
    shoe.log(now_ms, wire.EV_COMPOSITION, wire.EVENT_COMPOSITION_SIZE)

"""Apply: change the state by one event of the log. apply() is the only way in, live and after a restart."""

from sabot import wire
from sabot.dealing import commands
from sabot.dealing.apply_card import apply_card, apply_cutting_card, apply_lid_opened, apply_reject
from sabot.dealing.apply_irregularity import apply_irregularity
from sabot.dealing.state import BURNING, CLOSED, COMPLETE, DEALING
from sabot.link.frame import number, short


def apply(state, record):
    """Apply one event, as the journal holds it."""
    state.compositions = 0
    applier = _APPLIERS.get(record[wire.RECORD_KIND])
    if applier:
        applier(state, record)


def apply_lasting(state, record):
    """Apply an event from before the place where the replay starts: only what outlasts a shoe."""
    kind = record[wire.RECORD_KIND]
    if wire.EV_FAULT <= kind <= wire.EV_LOCK:  # faults, key, lid and lock
        apply(state, record)
    elif kind == wire.EV_COMMAND_DONE or kind == wire.EV_COMMAND_REFUSED:
        _note_command_id(state, record)
    elif kind == wire.EV_SHOE_CLOSED:
        state.closed_no = short(record, wire.EVENT_SHOE_CLOSED_SHOE_NO)
    elif kind == wire.EV_BOOT or kind == wire.EV_PROFILE_SET:
        apply(state, record)


def replay_start(record):
    """Return the event from which a replay reaches the state after this one, or 0."""
    kind = record[wire.RECORD_KIND]
    event_no = number(record, wire.RECORD_EVENT_NO)
    if kind == wire.EV_CHECKPOINT:
        return event_no if _between_shoes(record) else event_no - 2  # two compositions come before it
    if kind == wire.EV_SHOE_OPENED:
        return event_no
    if kind == wire.EV_SHOE_CLOSED and record[wire.EVENT_SHOE_CLOSED_REASON] != wire.CLOSE_REPLACED:
        return event_no
    return 0


# Start


def _boot(state, record):
    state.boots = short(record, wire.EVENT_BOOT_BOOT_COUNT)
    state.lock_logged = False  # a lock is logged again: the gateway may be another one


def _profile_set(state, record):
    for i in range(8):
        state.profile_hash[i] = record[wire.EVENT_PROFILE_SET_PROFILE_HASH + i]


# Shoe


def _shoe_opened(state, record):
    state.replay_from = replay_start(record)
    state.pending_open = False
    state.open_decks = state.open_burn = 0
    state.start_shoe(record[wire.EVENT_SHOE_OPENED_DECKS], record[wire.EVENT_SHOE_OPENED_BURN])
    state.shoe_no = short(record, wire.EVENT_SHOE_OPENED_SHOE_NO)
    state.closed_no = state.shoe_no - 1 & 0xFFFF
    state.phase = BURNING if state.to_burn else DEALING
    if state.phase == DEALING:
        state.start_coup()


def _shoe_closed(state, record):
    state.replay_from = replay_start(record) or state.replay_from
    state.shoe_no = short(record, wire.EVENT_SHOE_CLOSED_SHOE_NO)
    state.phase = CLOSED
    state.pending_close = 0
    state.closed_no = state.shoe_no
    state.coup_no = 0
    state.authorisations = 0
    state.case_count = 0
    state.surplus_count = 0
    state.forget_unread()
    state.previous_cards = 0
    state.awaiting_restart = False
    state.kind = wire.KIND_LIVE
    state.awaiting_authorisation = False
    state.coups_left = 0


def _burn(state, _record):
    """Begin the first coup; the burn settles no card that is still out and was not read."""
    state.pending_burn = False
    state.to_burn = 0
    if state.phase == BURNING:
        unread, cards, given = state.card_unread, state.unread_cards, state.card_authorisations
        state.start_coup()
        state.card_unread, state.unread_cards, state.card_authorisations = unread, cards, given


# Coup


def _coup(state, _record):
    state.result_logged = True
    state.first_coup_over = True
    state.awaiting_restart = False
    state.cards_after_coup = 0
    state.phase = COMPLETE


def _coup_kind(state, record):
    state.kind = record[wire.EVENT_COUP_KIND_KIND]
    state.kind_logged = True


def _coup_void(state, record):
    state.pending_void = 0
    state.void_then = wire.THEN_GO_ON
    if state.void_previous:
        state.void_previous = False
        state.previous_cards = 0
        return
    state.first_coup_over = True
    state.result_logged = True  # a void coup has none
    state.pending_keyed = False
    state.awaiting_restart = False
    state.clear_fault(wire.BY_COMMAND)
    if record[wire.EVENT_COUP_VOID_REASON] == wire.VOID_FOREIGN_CARD:
        state.doubt_cards()
    if record[wire.EVENT_COUP_VOID_THEN] == wire.THEN_NEW_CARDS:
        state.pending_close = state.pending_close or wire.CLOSE_NEW_CARDS
    else:
        state.next_coup()


def _handed_over(state, record):
    if record[wire.EVENT_HANDED_OVER_IMPORT]:
        state.pending_import = False
    else:
        state.pending_export = False
        state.pending_keyed = False
        state.clear_fault(wire.BY_COMMAND)
        state.coup.start()
        state.pending_close = wire.CLOSE_HANDED_OVER


# Faults and people


def _fault(state, record):
    fault = record[wire.EVENT_FAULT_FAULT]
    state.alarms = state.alarms + 1 & 0xFFFF
    if fault == wire.FAULT_JOURNAL_FULL:
        state.journal_full_logged = True
        return
    state.pending_fault = wire.FAULT_NONE
    state.fault = fault


def _fault_cleared(state, record):
    if record[wire.EVENT_FAULT_CLEARED_FAULT] == wire.FAULT_JOURNAL_FULL:
        state.journal_full_logged = False
        return
    state.fault = wire.FAULT_NONE
    state.pending_clear = 0
    state.card_unread = False
    by = record[wire.EVENT_FAULT_CLEARED_BY]
    if by == wire.BY_COMMAND or by == wire.BY_NEW_SHOE:
        state.settle_unread()  # with the key a card may still be keyed in while it is turned
    state.awaiting_restart = False
    if state.lid_open and state.phase != CLOSED and not state.pending_close:
        apply_lid_opened(state)


def _key(state, record):
    state.key_on = record[wire.EVENT_KEY_ON] == 1
    if state.key_on:
        state.awaiting_authorisation = False
        state.clear_fault(wire.BY_KEY)
    elif state.fault != wire.FAULT_CARD:
        state.settle_unread()


def _lid(state, record):
    state.lid_open = record[wire.EVENT_LID_OPEN] == 1
    if state.lid_open and state.phase != CLOSED:
        apply_lid_opened(state)


def _lock(state, record):
    state.locked = state.lock_logged = record[wire.EVENT_LOCK_ON] == 1


def _button(state, record):
    button = record[wire.EVENT_BUTTON_BUTTON]
    if button == wire.BUTTON_CONFIRM:
        _confirmed(state)
    elif button == wire.BUTTON_NEW_SHOE:
        state.replace_shoe(state.profile.decks, state.profile.burn)
    else:
        _dealer_result(state, button)


def _confirmed(state):
    """Go on; where the dealer's entry counts with Confirm only, a wrong one is a discrepancy now."""
    if state.profile.on(wire.SWITCH_RESULT_BEFORE_CONFIRM) and _differs(state):
        _hold(state)
    else:
        state.confirm_coup()


def _dealer_result(state, winner):
    """Keep the dealer's own result; if it is not the shoe's, that is a discrepancy and never changes the result."""
    state.dealer_result = winner
    if _differs(state) and not state.profile.on(wire.SWITCH_RESULT_BEFORE_CONFIRM):
        _hold(state)


def _differs(state):
    return state.phase == COMPLETE and state.dealer_result != state.coup.winner()


def _hold(state):
    """A supervisor decides: the dealer's result and the shoe's differ."""
    if not state.fault:
        state.add_case(wire.CASE_SCAN_DISCREPANCY, wire.FACT_CONFIRMED)
        state.pending_fault = wire.FAULT_DECISION


def _command_done(state, record):
    _note_command_id(state, record)
    commands.apply_command(state, record[wire.EVENT_COMMAND_DONE_COMMAND], record, wire.EVENT_COMMAND_DONE_DATA)


def _note_command_id(state, record):
    state.last_command_id = number(record, wire.EVENT_COMMAND_DONE_COMMAND_ID)


# Checks of the cards


def _ordered_set(state, _record):
    state.ordered_set_logged = True


def _deck_check(state, record):
    state.check_differences += 1
    state.check_next = record[wire.EVENT_DECK_CHECK_CARD] + 1


def _checked(state, _record):
    state.check_next = wire.NO_CARD


# Checkpoints


def _composition(state, record):
    half = record[wire.EVENT_COMPOSITION_HALF]
    first = 26 * half
    for i in range(13):
        counts = record[wire.EVENT_COMPOSITION_COUNTS + i]
        state.counts[first + 2 * i] = counts & 15
        state.counts[first + 2 * i + 1] = counts >> 4
    state.compositions = half + 1


def _checkpoint(state, record):
    """Restore everything if the replay starts here; the state has it already otherwise."""
    state.replay_from = replay_start(record)
    if state.phase != CLOSED:
        return
    state.shoe_no = state.closed_no = short(record, wire.EVENT_CHECKPOINT_SHOE_NO)
    state.locked = state.lock_logged = record[wire.EVENT_CHECKPOINT_LOCKED] == 1
    if _between_shoes(record):
        return
    state.closed_no = state.shoe_no - 1 & 0xFFFF
    state.decks = record[wire.EVENT_CHECKPOINT_DECKS]
    state.cards_out = short(record, wire.EVENT_CHECKPOINT_CARDS_OUT)
    state.coups_left = record[wire.EVENT_CHECKPOINT_COUPS_LEFT]
    state.next_kind = record[wire.EVENT_CHECKPOINT_KIND]
    state.authorisations = record[wire.EVENT_CHECKPOINT_AUTHORISED]
    state.first_coup_over = True
    state.pending_burn = False
    state.coup_no = short(record, wire.EVENT_CHECKPOINT_COUP_NO) - 1
    state.start_coup()
    state.previous_cards = record[wire.EVENT_CHECKPOINT_BEFORE]


def _between_shoes(record):
    """Return True for a checkpoint that was written while no shoe was open."""
    return not short(record, wire.EVENT_CHECKPOINT_COUP_NO)


_APPLIERS = {
    wire.EV_BOOT: _boot,
    wire.EV_PROFILE_SET: _profile_set,
    wire.EV_SHOE_OPENED: _shoe_opened,
    wire.EV_CARD: apply_card,
    wire.EV_CUTTING_CARD: apply_cutting_card,
    wire.EV_COUP: _coup,
    wire.EV_REJECT: apply_reject,
    wire.EV_BUTTON: _button,
    wire.EV_SHOE_CLOSED: _shoe_closed,
    wire.EV_BURN: _burn,
    wire.EV_COUP_KIND: _coup_kind,
    wire.EV_COUP_VOID: _coup_void,
    wire.EV_HANDED_OVER: _handed_over,
    wire.EV_FAULT: _fault,
    wire.EV_FAULT_CLEARED: _fault_cleared,
    wire.EV_KEY: _key,
    wire.EV_LID: _lid,
    wire.EV_LOCK: _lock,
    wire.EV_COMMAND_DONE: _command_done,
    wire.EV_COMMAND_REFUSED: _note_command_id,
    wire.EV_IRREGULARITY: apply_irregularity,
    wire.EV_ORDERED_SET: _ordered_set,
    wire.EV_DECK_CHECK: _deck_check,
    wire.EV_CHECKED: _checked,
    wire.EV_COMPOSITION: _composition,
    wire.EV_CHECKPOINT: _checkpoint,
}

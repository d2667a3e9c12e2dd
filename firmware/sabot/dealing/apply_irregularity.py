"""Apply an irregularity: what the rulebook's code for it changes in the shoe."""

from sabot import wire
from sabot.dealing.state import BURNING, COMPLETE, DEALING, NO_WAGERS, NOT_USED
from sabot.link.frame import short


def all_facts(state, case, reported):
    """Return the facts that a person reported and those that the shoe knows itself."""
    if case == wire.CASE_BURN_MISSED and state.first_coup_over:
        return reported | wire.FACT_FIRST_COUP_COMPLETE
    if case <= wire.CASE_EXCESS_CARD and state.last_coup():
        return reported | wire.FACT_LAST_COUP
    if case == wire.CASE_SECOND_TO_FOURTH_CARD_FACE_UP:
        return reported | state.profile.facts()
    return reported


def applicable(state, case, code):
    """Return True if the shoe can do now what the code of this case asks for."""
    if case == wire.CASE_INSUFFICIENT_CARDS:
        return state.phase == DEALING and state.coup_begun()
    if code == wire.CODE_VOID or code == wire.CODE_VOID_NEW_CARDS:
        return state.coup_begun() or state.previous_cards > 0
    return code != wire.CODE_THIS_NO_BET or state.phase == DEALING


def about_previous_coup(state, case, code):
    """Return True if the case is about the coup confirmed last: no card of the next is drawn yet (A-45)."""
    if state.phase != DEALING or not state.previous_cards or case == wire.CASE_INSUFFICIENT_CARDS:
        return False
    if code == wire.CODE_VOID or case == wire.CASE_WRONG_AREA or case == wire.CASE_WRONG_RECIPIENT:
        return True
    dealt_wrongly = case == wire.CASE_BAD_ORDER or case == wire.CASE_BANKER_GOT_PLAYERS_CARD
    return dealt_wrongly or case == wire.CASE_SCAN_DISCREPANCY


def apply_irregularity(state, record):
    """Apply a logged irregularity with its code."""
    case, code = record[wire.EVENT_IRREGULARITY_CASE], record[wire.EVENT_IRREGULARITY_CODE]
    state.alarms = state.alarms + 1 & 0xFFFF
    reported = state.remove_case(case)
    confirmed = short(record, wire.EVENT_IRREGULARITY_FACTS) & wire.FACT_CONFIRMED
    if case == wire.CASE_SCAN_DISCREPANCY and confirmed and state.fault == wire.FAULT_DECISION:
        state.clear_fault(wire.BY_COMMAND)
    if case == wire.CASE_INSUFFICIENT_CARDS:
        state.short_shoe_logged = True
    if case == wire.CASE_MISSING_OR_FOREIGN_CARD:
        state.doubt_cards()
        if code == wire.CODE_NO_RULE:
            state.pending_fault = wire.FAULT_COMPOSITION
    _apply_code(state, case, code, reported)


def _apply_code(state, case, code, reported):
    """Do what the code asks of the shoe; codes that ask only people change nothing."""
    if code == wire.CODE_NEXT_LIVE:
        if reported:
            _with_wagers(state)
    elif code == wire.CODE_NEXT_NO_BET:
        _without_wagers(state, case)
    elif code == wire.CODE_NOT_USED and reported and state.surplus_count:
        state.surplus[state.surplus_count - 1] |= NOT_USED
    elif code == wire.CODE_THIS_NO_BET and state.phase == DEALING:
        state.set_kind(state.profile.unwagered, not state.profile.orders(case))
    elif code == wire.CODE_FINISH_RESHUFFLE:
        state.coups_left = 1
    elif code == wire.CODE_VOID or code == wire.CODE_VOID_NEW_CARDS or code == wire.CODE_VOID_CHECK:
        _void(state, case, code)
    elif code == wire.CODE_RESTART_SHOE:
        _restart(state)
    elif code == wire.CODE_PLAY_ON and case == wire.CASE_BURN_MISSED and state.phase == BURNING:
        state.to_burn = 0
        state.burn_missed = True


def _with_wagers(state):
    """A person reports that the coup that the last card in excess begins, or else the next, has wagers."""
    if state.last_surplus_waits():
        state.surplus[state.surplus_count - 1] &= ~NO_WAGERS
    else:
        state.next_kind = wire.KIND_LIVE
        state.next_needs_authorisation = False


def _without_wagers(state, case):
    """The coup that the last card in excess begins, or else the next, has no wagers.

    It needs no authorisation if the book itself orders it, for this case or before.
    """
    if case <= wire.CASE_EXCESS_CARD and state.last_surplus_waits():
        state.surplus[state.surplus_count - 1] |= NO_WAGERS
        return
    first = state.next_needs_authorisation or state.next_kind == wire.KIND_LIVE
    state.next_needs_authorisation = first and not state.profile.orders(case)
    state.next_kind = state.profile.unwagered


def _void(state, case, code):
    """Void the coup that was dealt and no other; if the cards must go, a complete coup counts and is the last."""
    goes_on = code == wire.CODE_VOID and case != wire.CASE_INSUFFICIENT_CARDS
    previous = goes_on and about_previous_coup(state, case, code)
    if state.phase == COMPLETE and not goes_on:
        state.end_after_coup = True
        state.pending_fault = wire.FAULT_NONE
    elif previous or state.coup_begun():
        state.pending_void = _void_reason(case)
        state.void_then = wire.THEN_GO_ON if goes_on else wire.THEN_NEW_CARDS
        state.void_previous = previous
    elif not goes_on:
        state.clear_fault(wire.BY_COMMAND)
        state.pending_close = wire.CLOSE_NEW_CARDS


def _restart(state):
    """Deal the first coup again, at once if no card of it is out; else a supervisor decides."""
    if state.coup_begun():
        state.awaiting_restart = True
        state.pending_fault = wire.FAULT_DECISION
    elif state.phase != BURNING:
        state.restart_first_coup()


def _void_reason(case):
    if case == wire.CASE_INSUFFICIENT_CARDS:
        return wire.VOID_SHORT_SHOE
    if case == wire.CASE_MISSING_OR_FOREIGN_CARD:
        return wire.VOID_FOREIGN_CARD
    if case == wire.CASE_SCAN_DISCREPANCY:
        return wire.VOID_DISCREPANCY
    if case == wire.CASE_WRONG_SHOE:
        return wire.VOID_WRONG_SHOE
    if wire.CASE_FIRST_CARD_FACE_UP <= case <= wire.CASE_THIRD_CARD_FACE_UP:
        return wire.VOID_FACE_UP
    return wire.VOID_MISDEAL

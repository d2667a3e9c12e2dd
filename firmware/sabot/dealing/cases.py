"""Cases: what an irregularity that was logged does to the state."""

from sabot import wire
from sabot.dealing.state import BURNING, COMPLETE, DEALING, NOT_USED


def facts_of(it, case, facts):
    """What people reported, and what the shoe knows itself."""
    if case == wire.CASE_BURN_MISSED and it.first_over:
        return facts | wire.FACT_FIRST_COUP_COMPLETE
    if case <= wire.CASE_EXCESS_CARD and it.last_coup():
        return facts | wire.FACT_LAST_COUP
    if case == wire.CASE_SECOND_TO_FOURTH_CARD_FACE_UP:
        return facts | it.profile.facts()
    return facts


def applies(it, case, code):
    """Return True if the shoe can do now what the book makes of this report."""
    if case == wire.CASE_INSUFFICIENT_CARDS:
        return it.state == DEALING and it.begun()
    if code == wire.CODE_VOID or code == wire.CODE_VOID_NEW_CARDS:
        return it.begun() or it.before_cards > 0
    return code != wire.CODE_THIS_NO_BET or it.state == DEALING


def about_before(it, case, code):
    """Return True if this is about the coup that was confirmed last: no card of the next is drawn yet (A-45)."""
    if it.state != DEALING or not it.before_cards or case == wire.CASE_INSUFFICIENT_CARDS:
        return False
    dealt = (
        case == wire.CASE_BAD_ORDER or case == wire.CASE_BANKER_GOT_PLAYERS_CARD or case == wire.CASE_SCAN_DISCREPANCY
    )
    return code == wire.CODE_VOID or dealt or case == wire.CASE_WRONG_AREA or case == wire.CASE_WRONG_RECIPIENT


def logged(it, case, facts, code):
    """An irregularity stands in the log, with what the book says to it."""
    it.alarms = it.alarms + 1 & 0xFFFF
    reported = it.case_logged(case)
    if case == wire.CASE_SCAN_DISCREPANCY and facts & wire.FACT_CONFIRMED and it.fault == wire.FAULT_DECISION:
        it.clear(wire.BY_COMMAND)
    if case == wire.CASE_INSUFFICIENT_CARDS:
        it.short_told = True
    if case == wire.CASE_MISSING_OR_FOREIGN_CARD and code == wire.CODE_NO_RULE:
        it.fault_due = wire.FAULT_COMPOSITION
    _follow(it, case, code, reported)


def _follow(it, case, code, reported):
    """What the book makes of it, as far as the shoe has a part in it."""
    if code == wire.CODE_NEXT_LIVE:
        it.next_kind = wire.KIND_LIVE if reported else it.next_kind
    elif code == wire.CODE_NEXT_NO_BET:
        it.next_is(it.profile.unwagered, not it.profile.orders(case))
    elif code == wire.CODE_NOT_USED and reported and it.surplus_count:
        it.surplus[it.surplus_count - 1] |= NOT_USED
    elif code == wire.CODE_THIS_NO_BET and it.state == DEALING:
        it.become(it.profile.unwagered, not it.profile.orders(case))
    elif code == wire.CODE_FINISH_RESHUFFLE:
        it.coups_left = 1
    elif code == wire.CODE_VOID or code == wire.CODE_VOID_NEW_CARDS or code == wire.CODE_VOID_CHECK:
        _void(it, case, code)
    elif code == wire.CODE_RESTART_SHOE:
        _restart(it)
    elif code == wire.CODE_PLAY_ON and case == wire.CASE_BURN_MISSED and it.state == BURNING:
        it.to_burn = 0
        it.burn_missed = True


def _void(it, case, code):
    """Void the coup that was dealt, and no other; where the cards must go, a complete coup stands and is the last."""
    goes_on = code == wire.CODE_VOID and case != wire.CASE_INSUFFICIENT_CARDS
    before = goes_on and about_before(it, case, code)
    if it.state == COMPLETE and not goes_on:
        it.end_due = True
        it.fault_due = wire.FAULT_NONE
    elif before or it.begun():
        it.void_due = _reason(case)
        it.void_then = wire.THEN_GO_ON if goes_on else wire.THEN_NEW_CARDS
        it.void_before = before
    elif not goes_on:
        it.clear(wire.BY_COMMAND)
        it.close_due = wire.CLOSE_NEW_CARDS


def _restart(it):
    """Whether a coup that has begun is taken back is for a supervisor to say; nothing is lost where none has."""
    if it.begun():
        it.restart_open = True
        it.fault_due = wire.FAULT_DECISION
    elif it.state != BURNING:
        it.restart()


def _reason(case):
    """Why a coup is void, by the irregularity."""
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

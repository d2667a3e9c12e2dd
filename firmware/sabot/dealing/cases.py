"""Cases: what an irregularity that was logged does to the state."""

from sabot import numbers as n
from sabot.dealing.state import BURNING, COMPLETE, DEALING, NOT_USED


def facts_of(it, case, facts):
    """What people reported, and what the shoe knows itself."""
    if case == n.CASE_BURN_MISSED and it.first_over:
        return facts | n.FACT_FIRST_COUP_COMPLETE
    if case <= n.CASE_EXCESS_CARD and it.last_coup():
        return facts | n.FACT_LAST_COUP
    if case == n.CASE_SECOND_TO_FOURTH_CARD_FACE_UP:
        return facts | it.profile.facts()
    return facts


def applies(it, case, code):
    """Return True if the shoe can do now what the book makes of this report."""
    if case == n.CASE_INSUFFICIENT_CARDS:
        return it.state == DEALING and it.begun()
    if code == n.CODE_VOID or code == n.CODE_VOID_NEW_CARDS:
        return it.begun() or it.before_cards > 0
    return code != n.CODE_THIS_NO_BET or it.state == DEALING


def about_before(it, case, code):
    """Return True if this is about the coup that was confirmed last: no card of the next is drawn yet (A-45)."""
    if it.state != DEALING or not it.before_cards or case == n.CASE_INSUFFICIENT_CARDS:
        return False
    dealt = case == n.CASE_BAD_ORDER or case == n.CASE_BANKER_GOT_PLAYERS_CARD or case == n.CASE_SCAN_DISCREPANCY
    return code == n.CODE_VOID or dealt or case == n.CASE_WRONG_AREA or case == n.CASE_WRONG_RECIPIENT


def logged(it, case, facts, code):
    """An irregularity stands in the log, with what the book says to it."""
    it.alarms = it.alarms + 1 & 0xFFFF
    reported = it.case_logged(case)
    if case == n.CASE_SCAN_DISCREPANCY and facts & n.FACT_CONFIRMED and it.fault == n.FAULT_DECISION:
        it.clear(n.BY_COMMAND)
    if case == n.CASE_INSUFFICIENT_CARDS:
        it.short_told = True
    if case == n.CASE_MISSING_OR_FOREIGN_CARD and code == n.CODE_NO_RULE:
        it.fault_due = n.FAULT_COMPOSITION
    _follow(it, case, code, reported)


def _follow(it, case, code, reported):
    """What the book makes of it, as far as the shoe has a part in it."""
    if code == n.CODE_NEXT_LIVE:
        it.next_kind = n.KIND_LIVE if reported else it.next_kind
    elif code == n.CODE_NEXT_NO_BET:
        it.next_is(it.profile.unwagered, not it.profile.orders(case))
    elif code == n.CODE_NOT_USED and reported and it.surplus_count:
        it.surplus[it.surplus_count - 1] |= NOT_USED
    elif code == n.CODE_THIS_NO_BET and it.state == DEALING:
        it.become(it.profile.unwagered, not it.profile.orders(case))
    elif code == n.CODE_FINISH_RESHUFFLE:
        it.coups_left = 1
    elif code == n.CODE_VOID or code == n.CODE_VOID_NEW_CARDS or code == n.CODE_VOID_CHECK:
        _void(it, case, code)
    elif code == n.CODE_RESTART_SHOE:
        _restart(it)
    elif code == n.CODE_PLAY_ON and case == n.CASE_BURN_MISSED and it.state == BURNING:
        it.to_burn = 0
        it.burn_missed = True


def _void(it, case, code):
    """Void the coup that was dealt, and no other; where the cards must go, a complete coup stands and is the last."""
    goes_on = code == n.CODE_VOID and case != n.CASE_INSUFFICIENT_CARDS
    before = goes_on and about_before(it, case, code)
    if it.state == COMPLETE and not goes_on:
        it.end_due = True
        it.fault_due = n.FAULT_NONE
    elif before or it.begun():
        it.void_due = _reason(case)
        it.void_then = n.THEN_GO_ON if goes_on else n.THEN_NEW_CARDS
        it.void_before = before
    elif not goes_on:
        it.clear(n.BY_COMMAND)
        it.close_due = n.CLOSE_NEW_CARDS


def _restart(it):
    """Whether a coup that has begun is taken back is for a supervisor to say; nothing is lost where none has."""
    if it.begun():
        it.restart_open = True
        it.fault_due = n.FAULT_DECISION
    elif it.state != BURNING:
        it.restart()


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

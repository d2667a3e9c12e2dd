"""Fold: what an event of the log does to the state."""

from micropython import const

from sabot import wire
from sabot.dealing import cases
from sabot.dealing.drawn import drawn
from sabot.dealing.obeyed import obeyed
from sabot.dealing.state import BURNING, CHECKING, CLOSED, COMPLETE, DEALING, NO_CARD
from sabot.link.frame import number, short
from sabot.storage.journal import BODY

# Where the fields of an event stand in its record; most begin with shoe and coup number.
_COUP_AT = const(12)
_A = const(14)  # the first field behind them, and so on
_B = const(15)
_C = const(16)
_D = const(17)
_E = const(18)
_F = const(19)


def apply(it, record):
    """One event of the log, as it stands in the journal."""
    kind = record[8]
    it.composed = 0
    applier = _APPLIERS.get(kind)
    if applier:
        applier(it, record)


def recall(it, record):
    """An event from before the place where the log is applied: what outlasts a shoe."""
    kind = record[8]
    if wire.EV_FAULT <= kind <= wire.EV_LOCK:  # faults, key, lid and lock
        apply(it, record)
    elif kind == wire.EV_COMMAND_DONE or kind == wire.EV_COMMAND_REFUSED:
        _note_command(it, record)
    elif kind == wire.EV_SHOE_CLOSED:
        it.closed_no = short(record, BODY)
    elif kind == wire.EV_BOOT or kind == wire.EV_PROFILE_SET:
        apply(it, record)


def _boot(it, r):
    it.boots = short(r, BODY)


def _profile_set(it, r):
    for i in range(8):
        it.rules[i] = r[BODY + i]


def _shoe_opened(it, r):
    it.base_no = beginning(r)
    it.open_due = False
    it.open_decks = it.open_burn = 0
    it.open(r[13], r[14])
    it.shoe_no = short(r, BODY)
    it.closed_no = it.shoe_no - 1 & 0xFFFF
    it.state = BURNING if it.to_burn else DEALING
    if it.state == DEALING:
        it.start_coup()


def _shoe_closed(it, r):
    it.base_no = beginning(r) or it.base_no
    it.shoe_no = short(r, BODY)
    it.state = CLOSED
    it.close_due = 0
    it.closed_no = it.shoe_no
    it.coup_no = 0
    it.authorised = 0
    it.case_count = 0
    it.surplus_count = 0
    it.unread = False
    it.before_cards = 0
    it.restart_open = False
    it.kind = wire.KIND_LIVE
    it.word_wanted = False
    it.coups_left = 0


def _burn(it, r):
    it.burn_due = False
    it.to_burn = 0
    if it.state == BURNING:
        it.state = DEALING
        it.start_coup()


def _card(it, r):
    drawn(it, r[_A], r[_B], r[_F])


def _cutting_card(it, r):
    first = r[_A]
    if it.coups_left:
        return
    it.coups_left = 1 if first and it.profile.on(wire.SWITCH_CUT_FIRST_CARD_IS_LAST_COUP) else 2
    if it.state == COMPLETE:
        it.coups_left += 1  # it came behind a complete coup, before the next


def _coup(it, r):
    it.coup_told = True
    it.first_over = True
    it.restart_open = False
    it.behind = 0
    it.state = COMPLETE


def _coup_kind(it, r):
    it.kind = r[_A]
    it.kind_told = True


def _coup_void(it, r):
    then = r[_B]
    it.void_due = 0
    it.void_then = wire.THEN_GO_ON
    if it.void_before:
        it.void_before = False
        it.before_cards = 0
        return
    it.first_over = True
    it.coup_told = True  # and never will be
    it.keyed_due = False
    it.restart_open = False
    it.clear(wire.BY_COMMAND)
    if then == wire.THEN_NEW_CARDS:
        it.close_due = it.close_due or wire.CLOSE_NEW_CARDS
    else:
        it.next_coup()


def _reject(it, r):
    reason = r[_A]
    if reason == wire.REJECT_NOISE or it.state == CLOSED:
        return
    if it.state != CHECKING:
        if reason == wire.REJECT_FOREIGN:
            _unread(it, wire.CASE_MISSING_OR_FOREIGN_CARD)
        elif reason <= wire.REJECT_NOT_IN_SET or reason == wire.REJECT_SPACING:
            _unread(it, wire.CASE_MISREAD_CARD)
    if reason == wire.REJECT_LID_OPEN:
        _lid_opened(it)
    elif reason != wire.REJECT_NOT_DUE:
        it.fault_due = wire.FAULT_CARD


def _unread(it, case):
    """A card is on the table that was not read: where one was due, the place is its own."""
    it.add_case(case, 0)
    it.unread = True
    it.touched = it.state == DEALING
    it.before_cards = 0


def _fault(it, r):
    fault = r[BODY]
    it.alarms = it.alarms + 1 & 0xFFFF
    if fault == wire.FAULT_JOURNAL_FULL:
        it.full_told = True
        return
    it.fault_due = wire.FAULT_NONE
    it.fault = fault


def _fault_cleared(it, r):
    if r[BODY] == wire.FAULT_JOURNAL_FULL:
        it.full_told = False
        return
    it.fault = wire.FAULT_NONE
    it.clear_due = 0
    it.unread = False
    it.restart_open = False


def _key(it, r):
    it.key_on = r[BODY] == 1
    if it.key_on:
        it.word_wanted = False
        it.clear(wire.BY_KEY)


def _lid(it, r):
    it.lid_open = r[BODY] == 1
    if it.lid_open and it.state != CLOSED:
        _lid_opened(it)


def _lid_opened(it):
    """A fault that is there already, such as the card to be seen to, stays."""
    if not it.fault and not it.fault_due:
        it.fault_due = wire.FAULT_LID


def _lock(it, r):
    it.locked = it.lock_told = r[BODY] == 1


def _button(it, r):
    button = r[_A]
    if button == wire.BUTTON_CONFIRM:
        it.confirm()
    elif button == wire.BUTTON_NEW_SHOE:
        it.replace(it.profile.decks, it.profile.burn)
    else:
        _result(it, button)


def _result(it, button):
    """The dealer's own reading; another one than the shoe's is a discrepancy, never an edit."""
    it.dealer_result = button
    if it.state == COMPLETE and button != it.coup.winner() and not it.fault:
        it.add_case(wire.CASE_SCAN_DISCREPANCY, wire.FACT_CONFIRMED)
        it.fault_due = wire.FAULT_DECISION


def _irregularity(it, r):
    cases.logged(it, r[_A], short(r, _B), r[_D])


def _ordered_set(it, r):
    it.ordered_told = True


def _command_done(it, r):
    _note_command(it, r)
    obeyed(it, r[_A], r, _C)


def _note_command(it, r):
    it.last_command_id = number(r, BODY)


def _handed_over(it, r):
    if r[_B]:
        it.import_due = False
    else:
        it.export_due = False
        it.keyed_due = False
        it.clear(wire.BY_COMMAND)
        it.coup.start()
        it.close_due = wire.CLOSE_HANDED_OVER


def _deck_check(it, r):
    it.differences += 1
    it.check_at = r[12] + 1


def _checked(it, r):
    it.check_at = NO_CARD


def _composition(it, r):
    first = 26 * r[12]
    for i in range(13):
        it.counts[first + 2 * i] = r[13 + i] & 15
        it.counts[first + 2 * i + 1] = r[13 + i] >> 4
    it.composed = r[12] + 1


def _checkpoint(it, r):
    """All of it, if the log begins here; else nothing new."""
    it.base_no = beginning(r)
    if it.state != CLOSED:
        return
    it.shoe_no = it.closed_no = short(r, BODY)
    it.locked = it.lock_told = r[20] == 1
    if _closed(r):
        return
    it.closed_no = it.shoe_no - 1 & 0xFFFF
    it.decks = r[_A]
    it.cards_out = short(r, _B)
    it.coups_left = r[_D]
    it.next_kind = r[_E]
    it.authorised = r[_F]
    it.first_over = True
    it.burn_due = False
    it.coup_no = short(r, _COUP_AT) - 1
    it.start_coup()
    it.before_cards = r[21]


def beginning(r):
    """The number of the event from which the log can be applied to get behind this one, or 0."""
    kind = r[8]
    event_no = number(r, 0)
    if kind == wire.EV_CHECKPOINT:
        return event_no if _closed(r) else event_no - 2  # two compositions stand before it
    if kind == wire.EV_SHOE_OPENED or (kind == wire.EV_SHOE_CLOSED and r[_A] != wire.CLOSE_REPLACED):
        return event_no
    return 0


def _closed(r):
    """A checkpoint between two shoes."""
    return not short(r, _COUP_AT)


_APPLIERS = {
    wire.EV_BOOT: _boot,
    wire.EV_PROFILE_SET: _profile_set,
    wire.EV_SHOE_OPENED: _shoe_opened,
    wire.EV_CARD: _card,
    wire.EV_CUTTING_CARD: _cutting_card,
    wire.EV_COUP: _coup,
    wire.EV_REJECT: _reject,
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
    wire.EV_COMMAND_REFUSED: _note_command,
    wire.EV_IRREGULARITY: _irregularity,
    wire.EV_ORDERED_SET: _ordered_set,
    wire.EV_DECK_CHECK: _deck_check,
    wire.EV_CHECKED: _checked,
    wire.EV_COMPOSITION: _composition,
    wire.EV_CHECKPOINT: _checkpoint,
}

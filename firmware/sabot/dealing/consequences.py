"""Follow: what the events so far call for, each an event itself; it is logged, and the state follows it."""

from struct import pack_into

from micropython import const

from sabot import wire
from sabot.dealing import cases, shuffle_check
from sabot.dealing.coup import NONE, PLAYER_1
from sabot.dealing.state import BURNING, CLOSED, DEALING, DECK
from sabot.storage.journal import BODY

_MOST_FOLLOWING = const(128)  # events that one input can call for


def follow(shoe, now_ms):
    """Log what the events so far call for, one after the other."""
    for _ in range(_MOST_FOLLOWING):
        if not (_irregular(shoe, now_ms) or _first_cards(shoe, now_ms) or _play(shoe, now_ms)):
            return


def _play(shoe, now_ms):
    return _coup(shoe, now_ms) or _shoe(shoe, now_ms)


def _irregular(shoe, now_ms):
    it = shoe.it
    if it.case_count:
        _log_case(shoe, now_ms)
    elif it.clear_due:
        shoe.log_bytes(now_ms, wire.EV_FAULT_CLEARED, it.fault, it.clear_due, 2)
    elif it.fault_due:
        shoe.log_bytes(now_ms, wire.EV_FAULT, it.fault_due, 0, 3)
    elif it.locked != it.lock_told:
        shoe.log_bytes(now_ms, wire.EV_LOCK, it.locked, 0, 1)
    else:
        return False
    return True


def _coup(shoe, now_ms):
    it = shoe.it
    if it.keyed_due:
        shoe.log_keyed(now_ms)
    elif it.export_due or it.import_due:
        _log_handed_over(shoe, now_ms)
    elif it.void_due:
        _log_void(shoe, now_ms)
    elif it.state == DEALING and not it.kind_told:
        shoe.log_place(now_ms, wire.EV_COUP_KIND, it.kind, 0, 5)
    elif it.state == DEALING and it.coup.due == NONE and not it.coup_told:
        _log_coup(shoe, now_ms)
    else:
        return False
    return True


def _first_cards(shoe, now_ms):
    it = shoe.it
    found = 0
    if not it.ordered_told and not it.first_over and it.state != CLOSED:
        found = shuffle_check.pattern(it.first, it.first_count)
    if not found:
        return False
    pack_into("<HBB", shoe.journal.record, BODY, it.shoe_no, found, it.first_count)
    shoe.log(now_ms, wire.EV_ORDERED_SET, 4)
    return True


def _shoe(shoe, now_ms):
    it = shoe.it
    if it.close_due:
        _log_closed(shoe, now_ms)
    elif it.open_due:
        _log_opened(shoe, now_ms)
    elif it.state == BURNING and it.burn_due and not it.to_burn:
        pack_into("<HBBB", shoe.journal.record, BODY, it.shoe_no, it.burn_mode, it.burnt, it.burn_missed)
        shoe.log(now_ms, wire.EV_BURN, 5)
    elif it.check_at <= DECK:
        _compare(shoe, now_ms)
    elif _empty(shoe) and it.coup_cards() and not it.short_told:
        it.add_case(wire.CASE_INSUFFICIENT_CARDS, 0)
    elif _empty(shoe) and not it.coup_cards():
        it.close_due = wire.CLOSE_NO_CARDS
    elif _checkpoint_due(shoe):
        _log_checkpoint(shoe, now_ms)
    else:
        return False
    return True


def _empty(shoe):
    """Every card is out, and the coup wants one."""
    it = shoe.it
    wanted = it.state == DEALING and it.coup.due != NONE and not it.void_due
    return wanted and it.cards_out >= it.decks * DECK and not shoe.profile.on(wire.SWITCH_CONTINUOUS)


def _log_case(shoe, now_ms):
    it = shoe.it
    case, facts = it.case(), it.case_facts()
    code = shoe.profile.code(case, facts)
    coup_no = it.coup_no - cases.about_before(it, case, code)
    pack_into("<HHBHB", shoe.journal.record, BODY, it.shoe_no, coup_no, case, facts, code)
    shoe.log(now_ms, wire.EV_IRREGULARITY, 8)


def _log_handed_over(shoe, now_ms):
    it = shoe.it
    record = shoe.journal.record
    pack_into("<HHBB", record, BODY, it.shoe_no, it.coup_no, it.kind, it.import_due)
    for slot in range(PLAYER_1, 7):
        record[15 + slot] = it.coup.cards[slot]
    pack_into("<BHBB", record, BODY + 12, it.decks, it.cards_out, it.coups_left, it.word_wanted)
    shoe.log(now_ms, wire.EV_HANDED_OVER, 17)


def _log_void(shoe, now_ms):
    it = shoe.it
    cards = it.before_cards if it.void_before else it.coup_cards()
    coup_no = it.coup_no - it.void_before
    pack_into("<HHBBB", shoe.journal.record, BODY, it.shoe_no, coup_no, it.void_due, it.void_then, cards)
    shoe.log(now_ms, wire.EV_COUP_VOID, 7)


def _log_closed(shoe, now_ms):
    it = shoe.it
    coups = it.coup_no - (it.state == DEALING and not it.coup_cards() and not it.coup_told)
    pack_into("<HHB", shoe.journal.record, BODY, it.shoe_no, coups, it.close_due)
    shoe.log(now_ms, wire.EV_SHOE_CLOSED, 5)


def _log_opened(shoe, now_ms):
    it = shoe.it
    shoe_no = it.shoe_no + 1 & 0xFFFF
    card_set = shoe.profile.card_set
    pack_into("<HBBB", shoe.journal.record, BODY, shoe_no, card_set, it.open_decks, it.open_burn)
    shoe.log(now_ms, wire.EV_SHOE_OPENED, 5)


def _log_coup(shoe, now_ms):
    it, coup = shoe.it, shoe.it.coup
    flags = coup.player_pair() | coup.banker_pair() << 1 | coup.natural() << 2 | it.last_coup() << 3
    record = shoe.journal.record
    pack_into("<HHB", record, BODY, it.shoe_no, it.coup_no, coup.winner())
    pack_into("<BBBB", record, BODY + 5, coup.player_points, coup.banker_points, flags, it.kind)
    shoe.log(now_ms, wire.EV_COUP, 9)


# A check of the decks


def _compare(shoe, now_ms):
    """The next card that did not come as often as the decks have it, or the end of the check."""
    it = shoe.it
    record = shoe.journal.record
    for card in range(it.check_at, DECK):
        if it.counts[card] != it.decks:
            pack_into("<HBBB", record, BODY, it.shoe_no, card, it.counts[card], it.decks)
            shoe.log(now_ms, wire.EV_DECK_CHECK, 5)
            return
    pack_into("<HHB", record, BODY, it.shoe_no, it.cards_out, it.differences)
    shoe.log(now_ms, wire.EV_CHECKED, 5)


# A long shoe


def _checkpoint_due(shoe):
    it = shoe.it
    if shoe.damaged or shoe.journal.next_no - it.base_no <= shoe.journal.capacity() // 4:
        return False
    return it.state == CLOSED or (it.between_coups() and not it.fault)


def _log_composition(shoe, now_ms, half):
    record, counts = shoe.journal.record, shoe.it.counts
    pack_into("<HB", record, BODY, shoe.it.shoe_no, half)
    for i in range(13):
        card = 26 * half + 2 * i
        record[13 + i] = counts[card] | counts[card + 1] << 4
    shoe.log(now_ms, wire.EV_COMPOSITION, 16)


def _log_checkpoint(shoe, now_ms):
    """The two halves of the composition, one a time, then the checkpoint itself."""
    it = shoe.it
    record = shoe.journal.record
    closed = it.state == CLOSED
    if not closed and it.composed < 2:
        _log_composition(shoe, now_ms, it.composed)
        return
    pack_into("<HHBH", record, BODY, it.shoe_no, 0 if closed else it.coup_no, it.decks, it.cards_out)
    pack_into("<BBBBB", record, BODY + 7, it.coups_left, it.kind, it.authorised, it.locked, it.before_cards)
    shoe.log(now_ms, wire.EV_CHECKPOINT, 12)

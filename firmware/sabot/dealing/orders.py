"""Orders: whether a command of the gateway can be done now; what it does, the state does when it is logged."""

from micropython import const

from sabot import wire
from sabot.dealing import cases
from sabot.dealing.coup import NONE, PLAYER_1, Coup
from sabot.dealing.state import BURNING, CHECKING, CLOSED, COMPLETE, DEALING, DECK, NO_CARD
from sabot.link.frame import short
from sabot.wire import COMMAND_SIZES

_CARDS = const(3)  # where the cards of an imported coup begin
_MOST_LEFT = const(2)  # coups from the cutting card on, of one that is in progress


def known(command):
    """This shoe has a command of this number."""
    return 1 <= command <= len(COMMAND_SIZES)


def outcome(it, profile, command, buf, at, size):
    """What becomes of a command whose data stand in buf from there on."""
    if not known(command):
        return wire.OUT_UNKNOWN
    if size != COMMAND_SIZES[command - 1]:
        return wire.OUT_BAD_VALUE
    if command == wire.CMD_OPEN_SHOE:
        return _open(it, profile, buf[at], buf[at + 1])
    if command == wire.CMD_NO_BET:
        return _no_bet(it, profile, buf[at])
    if command == wire.CMD_KEY_CARD:
        return _key_card(it, profile, buf[at])
    if command == wire.CMD_IMPORT_COUP:
        return _import(it, profile, buf, at)
    if command == wire.CMD_IRREGULARITY:
        if not 1 <= buf[at] <= wire.CASE_UNAUTHORISED_COUP:
            return wire.OUT_BAD_VALUE
        return _irregularity(it, profile, buf[at], short(buf, at + 1))
    if command == wire.CMD_DECK_CHECK:
        if buf[at] > 1 or (buf[at] and not 1 <= buf[at + 1] <= 8):
            return wire.OUT_BAD_VALUE
        return _now(it.state == CLOSED if buf[at] else it.state == CHECKING)
    if command == wire.CMD_SET_TIME and not _is_time(buf, at):
        return wire.OUT_BAD_VALUE
    if command == wire.CMD_VOID_COUP and not _is_void(buf[at], buf[at + 1]):
        return wire.OUT_BAD_VALUE
    if command == wire.CMD_BURN_CARD and not profile.on(wire.SWITCH_MID_SHOE_BURN):
        return wire.OUT_NOT_PERMITTED
    if command == wire.CMD_THIS_NO_BET and not profile.on(wire.SWITCH_THIS_NO_BET):
        return wire.OUT_NOT_PERMITTED
    if command == wire.CMD_CARD_RETURNED and not profile.on(wire.SWITCH_CARD_MAY_RETURN_TO_SHOE):
        return wire.OUT_NOT_PERMITTED
    return _now(_possible(it, command, buf, at))


def _is_time(buf, at):
    return buf[at + 3] < 0x40 and short(buf, at + 4) < 1000


def _is_void(reason, then):
    return wire.VOID_SUPERVISOR <= reason <= wire.VOID_FACE_UP and wire.THEN_GO_ON <= then <= wire.THEN_NEW_CARDS


def _now(possible):
    return wire.OUT_DONE if possible else wire.OUT_NOT_NOW


def _possible(it, command, buf, at):
    """Of a command without values that could be wrong: whether this is the time for it."""
    in_coup = it.state == DEALING and it.coup_cards() > 0
    if command == wire.CMD_CLOSE_SHOE:
        return it.state == COMPLETE or it.state == BURNING or (it.state == DEALING and not in_coup)
    if command == wire.CMD_CONFIRM:
        return it.state == COMPLETE and (not it.fault or it.fault == wire.FAULT_DECISION)
    if command == wire.CMD_CLEAR_FAULT:
        return it.fault != wire.FAULT_NONE and it.fault == buf[at] and not it.lid_open and not it.log_unsound()
    if command == wire.CMD_VOID_COUP:
        return it.begun()
    if command == wire.CMD_AUTHORISE:
        return buf[at] > 0 and it.state != CLOSED and it.state != CHECKING
    if command == wire.CMD_EXPORT_COUP:
        return in_coup
    if command == wire.CMD_THIS_NO_BET:
        return in_coup or (it.state == DEALING and it.burnt_before)
    if command == wire.CMD_BURN_CARD:
        return it.restart_open or (it.state == DEALING and not in_coup and not it.fault)
    if command == wire.CMD_CARD_RETURNED:
        return it.state == COMPLETE and it.surplus_count > 0
    return True


def _irregularity(it, profile, case, facts):
    """A report is taken where the shoe can do what the book makes of it."""
    if it.state != BURNING and it.state != DEALING and it.state != COMPLETE:
        return wire.OUT_NOT_NOW
    return _now(cases.applies(it, case, profile.code(case, cases.facts_of(it, case, facts))))


def _open(it, profile, decks, burn):
    if not 1 <= decks <= 8 or burn > wire.BURN_FACE_UP:
        return wire.OUT_BAD_VALUE
    if not profile.permits_burn(burn):
        return wire.OUT_NOT_PERMITTED
    busy = it.state == BURNING or (it.state == DEALING and it.coup_cards() > 0)
    able = profile.known and it.state != CHECKING and not it.log_unsound()
    return _now(able and (not busy or it.fault != wire.FAULT_NONE))


def _no_bet(it, profile, kind):
    if not wire.KIND_LIVE <= kind <= wire.KIND_DUMMY:
        return wire.OUT_BAD_VALUE
    if not profile.permits_kind(kind):
        return wire.OUT_NOT_PERMITTED
    if it.state == CLOSED or it.state == CHECKING:
        return wire.OUT_NOT_NOW
    if kind != wire.KIND_LIVE and profile.dummy_needs_word() and not it.authorised and not it.key_on:
        return wire.OUT_NOT_AUTHORISED
    return wire.OUT_DONE


def _key_card(it, profile, card):
    if card >= DECK:
        return wire.OUT_BAD_VALUE
    if not _unread(it) or it.state == CLOSED or it.state == CHECKING:
        return wire.OUT_NOT_NOW
    if profile.keyed_needs_word() and not it.authorised and not it.key_on:
        return wire.OUT_NOT_AUTHORISED
    return wire.OUT_DONE


def _unread(it):
    """A card could not be read: the fault says so, unless the supervisor's key has cleared it."""
    return it.fault == wire.FAULT_CARD or (it.fault == wire.FAULT_NONE and it.key_on)


def _import(it, profile, buf, at):
    if not wire.KIND_LIVE <= buf[at + 2] <= wire.KIND_DUMMY or not _is_coup(buf, at + _CARDS):
        return wire.OUT_BAD_VALUE
    if not _is_place(buf, at) or not _is_count(buf, at, profile.on(wire.SWITCH_CONTINUOUS)):
        return wire.OUT_BAD_VALUE
    if not profile.permits_kind(buf[at + 2]):
        return wire.OUT_NOT_PERMITTED
    return _now(it.state == BURNING or (it.state == DEALING and it.coup_no == 1 and not it.coup_cards()))


def _is_place(buf, at):
    """Whether a coup of this number can stand at this place of a shoe."""
    return short(buf, at) > 0 and 1 <= buf[at + 9] <= 8 and buf[at + 12] <= _MOST_LEFT and buf[at + 13] <= 1


def _is_count(buf, at, continuous):
    """Whether so many cards of these decks can be out; of a continuous shoe they come again."""
    laid = 0
    for slot in range(6):
        laid += buf[at + _CARDS + slot] != NO_CARD
    out = short(buf, at + 10)
    return laid <= out and (continuous or out <= buf[at + 9] * DECK)


def _is_coup(buf, at):
    """Whether these cards are a coup in progress, each where it was due."""
    coup = Coup()
    for slot in range(PLAYER_1, 7):
        card = buf[at + slot - 1]
        if card == NO_CARD:
            continue
        if card >= DECK or coup.due != slot:
            return False
        coup.draw(card)
    return coup.due != NONE and coup.due != PLAYER_1

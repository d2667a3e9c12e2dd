"""Obeyed: what a command that was logged as done does to the state; whether it could be done, orders.py has said."""

from sabot import wire
from sabot.dealing.cases import facts_of
from sabot.dealing.state import CHECKING, CLOSED, DEALING, NOT_USED, REPORTED
from sabot.link.frame import short


def obeyed(it, command, buf, at):
    """It was done; its data stand in buf from there on."""
    if command == wire.CMD_OPEN_SHOE:
        it.replace(buf[at], buf[at + 1])
    elif command == wire.CMD_CLOSE_SHOE:
        it.close_due = wire.CLOSE_COMMAND
    elif command == wire.CMD_LOCK or command == wire.CMD_UNLOCK:
        it.locked = command == wire.CMD_LOCK
    elif command == wire.CMD_CONFIRM:
        it.clear(wire.BY_COMMAND)
        it.confirm()
    elif command == wire.CMD_CLEAR_FAULT:
        it.clear(wire.BY_COMMAND)
    elif command == wire.CMD_VOID_COUP:
        it.void_due = buf[at]
        it.void_then = buf[at + 1]
    elif command == wire.CMD_NO_BET:
        _declared(it, buf[at])
    elif command == wire.CMD_KEY_CARD:
        _keyed(it, buf[at], buf[at + 1])
    elif command == wire.CMD_AUTHORISE:
        _authorise(it, buf[at])
    elif command == wire.CMD_IRREGULARITY:
        it.add_case(buf[at] | REPORTED, facts_of(it, buf[at], short(buf, at + 1)))
    elif command == wire.CMD_EXPORT_COUP:
        it.export_due = True
    elif command == wire.CMD_IMPORT_COUP:
        _import(it, buf, at)
    elif command == wire.CMD_BURN_CARD:
        _burn(it)
    elif command == wire.CMD_CARD_RETURNED:
        _returned(it)
    elif command == wire.CMD_THIS_NO_BET:
        it.become(it.profile.unwagered, False)
    elif command == wire.CMD_DECK_CHECK:
        _check(it, buf[at], buf[at + 1])


def _declared(it, kind):
    """A supervisor wants a coup of this kind: the one about to begin, or the next."""
    if it.state == DEALING and not it.coup_cards():
        it.become(kind, True)
    else:
        it.next_kind = kind
        it.next_word = True


def _keyed(it, card, flags):
    it.keyed_due = True
    it.keyed_card = card
    it.keyed_flags = flags
    if it.authorised and it.profile.keyed_needs_word() and not it.key_on:
        it.authorised -= 1


def _authorise(it, times):
    if it.word_wanted:
        it.word_wanted = False
        times -= 1
    it.authorised = min(255, it.authorised + times)


def _burn(it):
    """One card before the coup; or the burn that was missed, and the first coup again."""
    if it.restart_open:
        it.clear(wire.BY_COMMAND)
        it.restart()
    else:
        it.burn_next = True


def _returned(it):
    """The last card that was not due is in the shoe again, whether it was to be used or not."""
    it.surplus_count -= 1
    it.behind -= it.behind > 0
    it.returned = it.surplus[it.surplus_count] & ~NOT_USED
    it.put_back(it.returned)


def _import(it, buf, at):
    """The coup goes on under its number; the cards were burnt and counted where they came from."""
    it.import_due = True
    it.before_cards = 0
    it.coup_no = short(buf, at)
    it.kind = buf[at + 2]
    it.kind_told = it.kind == wire.KIND_LIVE
    it.set_cards(buf, at + 3)
    it.decks = buf[at + 9]
    it.cards_out = min(0xFFFF, it.cards_out + short(buf, at + 10))
    it.coups_left = buf[at + 12]
    it.want_word(buf[at + 13] == 1)
    it.state = DEALING
    it.to_burn = 0
    it.burn_due = it.burn_by_value = it.burn_next = False
    it.first_over = True


def _check(it, on, decks):
    if on:
        it.open(decks, wire.BURN_NONE)
        it.state = CHECKING
        it.differences = 0
    else:
        it.state = CLOSED
        it.check_at = 0

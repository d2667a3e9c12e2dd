"""Drawn: what a card that was logged does to the state."""

from micropython import const

from sabot import wire
from sabot.dealing.coup import BANKER_2, PLAYER_1, value
from sabot.dealing.state import BURNING, CHECKING, FIRST_CARDS, MOST_SURPLUS, NO_CARD, NOT_USED, SLOT_BURN, SLOT_UNUSED

_MOST_COUNTED = const(15)  # of one card, as a composition holds it


def drawn(it, slot, card, flags):
    """A card has left the exit, or was keyed in."""
    _count(it, card)
    if it.state == CHECKING:
        return
    it.returned = NO_CARD
    if it.locked and not flags & (wire.CARD_KEYED | wire.CARD_SURPLUS):
        it.alarms = it.alarms + 1 & 0xFFFF  # drawn by force: people must hear of it
    if flags & wire.CARD_SURPLUS:
        _surplus(it, slot, card, flags)
    elif slot == SLOT_BURN:
        _burn_card(it, card)
    else:
        _dealt(it, slot, card, flags)
    if flags & wire.CARD_KEYED:
        it.keyed_due = False
        it.unread = False
        it.clear(wire.BY_COMMAND)
    if it.counts[card] > it.decks:
        it.add_case(wire.CASE_MISSING_OR_FOREIGN_CARD, 0)


def _count(it, card):
    """A continuous shuffler gives every card again: nothing is counted there."""
    if it.cards_out < 0xFFFF:
        it.cards_out += 1
    if it.state == CHECKING:
        it.counts[card] = min(0xFF, it.counts[card] + 1)
    elif not it.profile.on(wire.SWITCH_CONTINUOUS):
        it.counts[card] = min(_MOST_COUNTED, it.counts[card] + 1)


def _dealt(it, slot, card, flags):
    _note_first(it, card)
    it.before_cards = 0
    it.coup.draw(card)
    if it.word_wanted and not it.word_told:
        it.word_told = True
        it.add_case(wire.CASE_UNAUTHORISED_COUP, 0)
    if flags & wire.CARD_FACE_UP:
        if slot == PLAYER_1:
            it.add_case(wire.CASE_FIRST_CARD_FACE_UP, 0)
        elif slot <= BANKER_2:
            it.add_case(wire.CASE_SECOND_TO_FOURTH_CARD_FACE_UP, it.profile.facts())
        else:
            it.add_case(wire.CASE_THIRD_CARD_FACE_UP, 0)
    elif slot == PLAYER_1 and flags & wire.CARD_EXPOSED and not it.profile.on(wire.SWITCH_DEALT_FACE_UP):
        it.add_case(wire.CASE_FIRST_CARD_EXPOSED, 0)


def _burn_card(it, card):
    _note_first(it, card)
    it.burnt += 1
    it.burn_next = False
    if it.state != BURNING:
        it.burnt_before = True
        return
    it.to_burn -= 1
    if it.burn_by_value:
        it.burn_by_value = False
        it.to_burn = value(card) or 10


def _surplus(it, slot, card, flags):
    it.add_case(it.surplus_case(), it.surplus_facts(flags))
    it.behind += 1
    if it.surplus_count < MOST_SURPLUS:
        it.surplus[it.surplus_count] = card | (NOT_USED if slot == SLOT_UNUSED else 0)
        it.surplus_count += 1


def _note_first(it, card):
    if not it.first_over and it.first_count < FIRST_CARDS:
        it.first[it.first_count] = card
        it.first_count += 1

"""Commands: one function for each command of the gateway, with its check and its effect; two tables list them.

A function is called twice. First it returns the outcome and changes nothing. Then, with `accepted`, it changes the
state: when apply() reads the accepted command from the log, now or after a restart. (Two functions for each command
would cost 1.4 KB of heap.) The values of a command begin at data[at].
"""

from micropython import const

from sabot import wire
from sabot.dealing.apply_irregularity import all_facts, applicable
from sabot.dealing.coup import NONE, Coup
from sabot.dealing.state import BURNING, CARD, CHECKING, CLOSED, COMPLETE, DEALING, DECK, REPORTED
from sabot.link.frame import short

_MOST_DECKS = const(8)
_MOST_TOP_BYTE = const(0x3F)  # of a number below 2**30
_MOST_COUPS_LEFT = const(2)  # after the cutting card, of a coup in progress


def known(command):
    """Return True if this shoe has a command of this number."""
    return command in _SHOE_COMMANDS or command in _MAIN_COMMANDS


def outcome(state, profile_lost, command, data, at, size):
    """Return what becomes of a command; without a profile only those to the controller are accepted."""
    check = _MAIN_COMMANDS.get(command)
    if not check and profile_lost:
        return wire.OUT_NOT_NOW
    check = check or _SHOE_COMMANDS.get(command)
    if not check:
        return wire.OUT_UNKNOWN
    if size != wire.COMMAND_SIZES[command - 1]:
        return wire.OUT_BAD_VALUE
    return check(state, data, at, False)


def apply_command(state, command, data, at):
    """Apply the effect of an accepted command to the state."""
    effect = _SHOE_COMMANDS.get(command)
    if effect:
        effect(state, data, at, True)


def carry_out(main, command, data, at):
    """Do what an accepted command asks of the controller: once, and never again from the log."""
    effect = _MAIN_COMMANDS.get(command)
    if effect:
        effect(main, data, at, True)


def _now(possible):
    return wire.OUT_DONE if possible else wire.OUT_NOT_NOW


def _shoe_open(state):
    return state.phase != CLOSED and state.phase != CHECKING


def _in_coup(state):
    return state.phase == DEALING and state.coup_cards() > 0


def _before_coup(state):
    return state.phase == DEALING and not state.coup_cards()


def _lacks_authorisation(state, switch, given):
    return state.profile.on(switch) and not given and not state.key_on


# The shoe


def _open_shoe(state, data, at, accepted):
    decks, burn = data[at + wire.COMMAND_OPEN_SHOE_DECKS], data[at + wire.COMMAND_OPEN_SHOE_BURN]
    if not accepted:
        if not 1 <= decks <= _MOST_DECKS or burn > wire.BURN_FACE_UP:
            return wire.OUT_BAD_VALUE
        if not state.profile.permits_burn(burn):
            return wire.OUT_NOT_PERMITTED
        able = state.profile.known and state.phase != CHECKING and not state.log_unsound()
        busy = state.phase == BURNING or (_in_coup(state) and not state.not_dealt())
        return _now(able and (not busy or state.fault != wire.FAULT_NONE))
    state.replace_shoe(decks, burn)
    return wire.OUT_DONE


def _close_shoe(state, _data, _at, accepted):
    if not accepted:
        before = _before_coup(state) or state.not_dealt()
        return _now(state.phase == COMPLETE or state.phase == BURNING or before)
    state.pending_close = wire.CLOSE_COMMAND
    return wire.OUT_DONE


def _deck_check(state, data, at, accepted):
    begin, decks = data[at + wire.COMMAND_DECK_CHECK_ON], data[at + wire.COMMAND_DECK_CHECK_DECKS]
    if not accepted:
        if begin > 1 or (begin and not 1 <= decks <= _MOST_DECKS):
            return wire.OUT_BAD_VALUE
        return _now(state.phase == (CLOSED if begin else CHECKING))
    if begin:
        state.start_shoe(decks, wire.BURN_NONE)
        state.phase = CHECKING
        state.check_differences = 0
    else:
        state.phase = CLOSED
        state.check_next = 0
    return wire.OUT_DONE


def _lock(state, _data, _at, accepted):
    if accepted:
        state.locked = True
    return wire.OUT_DONE


def _unlock(state, _data, _at, accepted):
    if accepted:
        state.locked = False
    return wire.OUT_DONE


# The coup


def _confirm(state, _data, _at, accepted):
    if not accepted:
        return _now(state.phase == COMPLETE and (not state.fault or state.fault == wire.FAULT_DECISION))
    state.clear_fault(wire.BY_COMMAND)
    state.confirm_coup()
    return wire.OUT_DONE


def _void_coup(state, data, at, accepted):
    reason, then = data[at + wire.COMMAND_VOID_COUP_REASON], data[at + wire.COMMAND_VOID_COUP_THEN]
    if not accepted:
        if not wire.VOID_SUPERVISOR <= reason <= wire.VOID_FACE_UP:
            return wire.OUT_BAD_VALUE
        if not wire.THEN_GO_ON <= then <= wire.THEN_NEW_CARDS:
            return wire.OUT_BAD_VALUE
        return _now(state.coup_begun() or state.may_be_out)
    state.pending_void = reason
    state.void_then = then
    return wire.OUT_DONE


def _no_bet(state, data, at, accepted):
    """Set the kind of the coup that is about to begin, or of the next."""
    kind = data[at + wire.COMMAND_NO_BET_KIND]
    if not accepted:
        if not wire.KIND_LIVE <= kind <= wire.KIND_DUMMY:
            return wire.OUT_BAD_VALUE
        if not state.profile.permits_kind(kind):
            return wire.OUT_NOT_PERMITTED
        if not _shoe_open(state):
            return wire.OUT_NOT_NOW
        needs = kind != wire.KIND_LIVE
        if needs and _lacks_authorisation(state, wire.SWITCH_DUMMY_NEEDS_AUTHORISATION, state.authorisations):
            return wire.OUT_NOT_AUTHORISED
    elif _before_coup(state):
        state.use_authorisation(kind, state.awaiting_authorisation or kind != state.kind)
        state.awaiting_authorisation = False
        state.set_kind(kind, False)
    else:
        state.use_authorisation(kind, state.next_needs_authorisation or kind != state.next_kind)
        state.next_needs_authorisation = False
        state.next_kind = kind
    return wire.OUT_DONE


def _this_no_bet(state, _data, _at, accepted):
    """Let the coup in progress go on without wagers."""
    if not accepted:
        if not state.profile.on(wire.SWITCH_THIS_NO_BET):
            return wire.OUT_NOT_PERMITTED
        return _now(_in_coup(state) or (state.phase == DEALING and state.burnt_before))
    state.set_kind(state.profile.unwagered, False)
    return wire.OUT_DONE


def _burn_card(state, _data, _at, accepted):
    """Burn one card before the coup; or make a missed burn good and deal the first coup again."""
    if not accepted:
        if not state.profile.on(wire.SWITCH_MID_SHOE_BURN):
            return wire.OUT_NOT_PERMITTED
        return _now(state.awaiting_restart or (_before_coup(state) and not state.fault))
    if state.awaiting_restart:
        state.clear_fault(wire.BY_COMMAND)
        state.restart_first_coup()
    else:
        state.burn_next = True
    return wire.OUT_DONE


def _card_returned(state, _data, _at, accepted):
    """Count the last surplus card as put back into the shoe."""
    if not accepted:
        if not state.profile.on(wire.SWITCH_CARD_MAY_RETURN_TO_SHOE):
            return wire.OUT_NOT_PERMITTED
        return _now(state.phase == COMPLETE and state.surplus_count > 0)
    state.surplus_count -= 1
    state.cards_after_coup -= state.cards_after_coup > 0
    state.returned_card = state.surplus[state.surplus_count] & CARD
    state.put_back(state.returned_card)
    return wire.OUT_DONE


# People


def _clear_fault(state, data, at, accepted):
    if not accepted:
        this_fault = state.fault and state.fault == data[at + wire.COMMAND_CLEAR_FAULT_FAULT]
        return _now(this_fault and not state.lid_open and not state.log_unsound())
    state.clear_fault(wire.BY_COMMAND)
    return wire.OUT_DONE


def _key_card(state, data, at, accepted):
    """Key in a card that left the shoe and was not read."""
    card, switch = data[at + wire.COMMAND_KEY_CARD_CARD], wire.SWITCH_MANUAL_ENTRY_NEEDS_AUTHORISATION
    if not accepted:
        if card >= DECK:
            return wire.OUT_BAD_VALUE
        other_fault = state.fault and state.fault != wire.FAULT_CARD
        if not state.unread_cards or other_fault or not _shoe_open(state):
            return wire.OUT_NOT_NOW
        lacks = _lacks_authorisation(state, switch, state.card_authorisations)
        return wire.OUT_NOT_AUTHORISED if lacks else wire.OUT_DONE
    state.pending_keyed = True
    state.keyed_card = card
    state.keyed_flags = data[at + wire.COMMAND_KEY_CARD_FLAGS]
    if state.card_authorisations and state.profile.on(switch) and not state.key_on:
        state.card_authorisations -= 1
    return wire.OUT_DONE


def _authorise(state, data, at, accepted):
    """Authorise what waits now, in this order; what is left is kept for coups that people order, and nothing else."""
    times = data[at + wire.COMMAND_AUTHORISE_TIMES]
    if not accepted:
        return _now(times > 0 and _shoe_open(state))
    if state.awaiting_authorisation:
        state.awaiting_authorisation = False
        times -= 1
    if state.profile.on(wire.SWITCH_MANUAL_ENTRY_NEEDS_AUTHORISATION):
        cards = min(times, state.unread_cards - state.card_authorisations)
        state.card_authorisations += cards
        times -= cards
    if times and state.next_needs_authorisation:
        state.next_needs_authorisation = False
        times -= 1
    state.authorisations = min(255, state.authorisations + times)
    return wire.OUT_DONE


def _irregularity(state, data, at, accepted):
    """Log what a person reports, if the shoe can do what the rulebook's code asks for."""
    case = data[at + wire.COMMAND_IRREGULARITY_CASE]
    facts = all_facts(state, case, short(data, at + wire.COMMAND_IRREGULARITY_FACTS))
    if not accepted:
        if not 1 <= case <= wire.CASE_UNAUTHORISED_COUP:
            return wire.OUT_BAD_VALUE
        return _now(_shoe_open(state) and applicable(state, case, state.profile.code(case, facts)))
    state.add_case(case | REPORTED, facts)
    return wire.OUT_DONE


# A coup that moves to another shoe


def _export_coup(state, _data, _at, accepted):
    if not accepted:
        return _now(_in_coup(state))
    state.pending_export = True
    return wire.OUT_DONE


def _import_coup(state, data, at, accepted):
    """Go on with a coup under its own number; its cards were burnt and counted at the other shoe."""
    kind = data[at + wire.COMMAND_IMPORT_COUP_KIND]
    if not accepted:
        if not wire.KIND_LIVE <= kind <= wire.KIND_DUMMY or not _is_coup_in_progress(state, data, at):
            return wire.OUT_BAD_VALUE
        if not state.profile.permits_kind(kind):
            return wire.OUT_NOT_PERMITTED
        return _now(state.phase == BURNING or (state.coup_no == 1 and _before_coup(state)))
    state.pending_import = True
    state.previous_cards = 0
    state.forget_unread()
    state.coup_no = short(data, at + wire.COMMAND_IMPORT_COUP_COUP_NO)
    state.kind = kind
    state.kind_logged = kind == wire.KIND_LIVE
    _lay(state.coup, data, at)
    state.decks = data[at + wire.COMMAND_IMPORT_COUP_DECKS]
    state.cards_out = min(0xFFFF, state.cards_out + short(data, at + wire.COMMAND_IMPORT_COUP_CARDS_OUT))
    state.coups_left = data[at + wire.COMMAND_IMPORT_COUP_COUPS_LEFT]
    state.require_authorisation(data[at + wire.COMMAND_IMPORT_COUP_AWAITING] == 1)
    state.phase = DEALING
    state.to_burn = 0
    state.pending_burn = state.burn_by_value = state.burn_next = False
    state.first_coup_over = True
    return wire.OUT_DONE


def _is_coup_in_progress(state, data, at):
    """Return True if number, cards, decks and coups left are those of a coup that can be in progress."""
    coup, decks = Coup(), data[at + wire.COMMAND_IMPORT_COUP_DECKS]
    count, out = _lay(coup, data, at), short(data, at + wire.COMMAND_IMPORT_COUP_CARDS_OUT)
    return (
        short(data, at + wire.COMMAND_IMPORT_COUP_COUP_NO) > 0
        and 1 <= decks <= _MOST_DECKS
        and 0 < count <= out
        and coup.due != NONE
        and (out <= decks * DECK or state.profile.on(wire.SWITCH_CONTINUOUS))
        and data[at + wire.COMMAND_IMPORT_COUP_COUPS_LEFT] <= _MOST_COUPS_LEFT
        and data[at + wire.COMMAND_IMPORT_COUP_AWAITING] <= 1
    )


def _lay(coup, data, at):
    """Put the cards of an imported coup in their slots; return how many, or 0 if one is not in the slot that is due."""
    count = 0
    coup.start()
    for slot in range(wire.SLOT_PLAYER_1, wire.SLOT_BANKER_3 + 1):
        card = data[at + wire.COMMAND_IMPORT_COUP_CARDS + slot - wire.SLOT_PLAYER_1]
        if card == wire.NO_CARD:
            continue
        if card >= DECK or coup.due != slot:
            return 0
        coup.draw(card)
        count += 1
    return count


# The controller


def _set_time(main, data, at, accepted):
    if not accepted:
        if data[at + wire.COMMAND_SET_TIME_UTC_S + wire.COMMAND_SET_TIME_UTC_S_BYTES - 1] > _MOST_TOP_BYTE:
            return wire.OUT_BAD_VALUE
        return wire.OUT_BAD_VALUE if short(data, at + wire.COMMAND_SET_TIME_UTC_MS) >= 1000 else wire.OUT_DONE
    record = main.journal.record
    for i in range(wire.EVENT_TIME_SET_SIZE):
        record[wire.RECORD_DATA + i] = data[at + i]
    main.shoe.log(main.sampler.now_ms, wire.EV_TIME_SET, wire.EVENT_TIME_SET_SIZE)
    return wire.OUT_DONE


def _self_test(main, _data, _at, accepted):
    if accepted:
        main.self_test()
    return wire.OUT_DONE


def _reboot(main, _data, _at, accepted):
    if accepted:
        main.reboot_due = True
    return wire.OUT_DONE


def _switch_image(main, data, at, accepted):
    if not accepted:
        return _now(main.phase == CLOSED)
    if main.receiver:
        main.reboot_due = main.receiver.switch(data[at : at + wire.COMMAND_SWITCH_IMAGE_IMAGE_HASH_BYTES])
    return wire.OUT_DONE


# Commands to the shoe: their effects are part of the state.
_SHOE_COMMANDS = {
    wire.CMD_OPEN_SHOE: _open_shoe,
    wire.CMD_CLOSE_SHOE: _close_shoe,
    wire.CMD_LOCK: _lock,
    wire.CMD_UNLOCK: _unlock,
    wire.CMD_CONFIRM: _confirm,
    wire.CMD_CLEAR_FAULT: _clear_fault,
    wire.CMD_VOID_COUP: _void_coup,
    wire.CMD_NO_BET: _no_bet,
    wire.CMD_KEY_CARD: _key_card,
    wire.CMD_AUTHORISE: _authorise,
    wire.CMD_IRREGULARITY: _irregularity,
    wire.CMD_EXPORT_COUP: _export_coup,
    wire.CMD_IMPORT_COUP: _import_coup,
    wire.CMD_BURN_CARD: _burn_card,
    wire.CMD_CARD_RETURNED: _card_returned,
    wire.CMD_DECK_CHECK: _deck_check,
    wire.CMD_THIS_NO_BET: _this_no_bet,
}
# Commands to the controller: they need no profile, and main carries them out once.
_MAIN_COMMANDS = {
    wire.CMD_SET_TIME: _set_time,
    wire.CMD_SELF_TEST: _self_test,
    wire.CMD_REBOOT: _reboot,
    wire.CMD_SWITCH_IMAGE: _switch_image,
}

"""Buttons of the Dealer Terminal: the commands that the state of the table allows now, and who may give each."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec
from sabot_protocol import authority, command_acts
from sabot_protocol.angel_eye.verbs import clearing, is_possible
from sabot_protocol.rulebooks import Rulebook
from sabot_protocol.table_states import HandMessage
from sabot_protocol.topics import UNWAGERED, StatusMessage
from sabot_protocol.wagers.closing import reopening, stated

from sabot_floor.web.views import dealer_fault, wagers_now
from sabot_floor.web.views.dealer_hand import has_outcome, no_shoe
from sabot_floor.web.views.pit_prefill import needs_clause

_CLEARABLE = ("card", "lid", "composition", "program")
_MAIN = ("confirm", "no_more_bets", "authorise", "open_shoe")


class Action(msgspec.Struct, frozen=True):
    """A button; `who` has for each role that may ask the title of the role that must approve, empty if none."""

    name: str
    verb: str
    args: dict[str, Any] = {}
    clause: str = ""
    fields: tuple[str, ...] = ()
    first: str = ""
    who: dict[str, str] = {}
    title: str = ""  # of the jackpot
    main: bool = False  # the thing to do now: it is bigger than the others


class _Button(NamedTuple):
    """A button before it is known who may press it."""

    name: str
    verb: str
    args: Mapping[str, Any] = {}
    act: str | None = None
    fields: tuple[str, ...] = ()
    first: str = ""
    clause: str = ""
    title: str = ""


def actions(
    book: Rulebook, hand: HandMessage, fault: str, jackpots: Mapping[str, str], status: StatusMessage | None = None
) -> list[Action]:
    """Return the buttons of a table with this rulebook, the thing to do first; `jackpots`: titles by id."""
    main = (*_MAIN, dealer_fault.main_button(fault, hand, book))
    buttons = [*_buttons(book, hand, fault, jackpots), *_of_angel_eye(book, hand, status)]
    found = [_action(book.id, button, main) for button in buttons if is_possible(status, button.verb)]
    return sorted(found, key=lambda one: not one.main)


def approvers(book: str, act: str) -> dict[str, str]:
    """Return for each role that may ask for an act the title of the role that must approve; empty: nobody must."""
    roles = [role.id for role in authority.load(book).role]
    found = {role: command_acts.grant(book, act, role) for role in roles}
    return {role: "" if one.alone else one.title for role, one in found.items() if one is not None}


def _action(book: str, button: _Button, main: tuple[str, ...]) -> Action:
    act = button.act if button.act is not None else command_acts.act_of(button.verb, button.args) or ""
    return Action(
        button.name,
        button.verb,
        dict(button.args),
        button.clause,
        button.fields,
        button.first,
        approvers(book, act),
        button.title,
        button.name in main,
    )


def _buttons(book: Rulebook, hand: HandMessage, fault: str, jackpots: Mapping[str, str]) -> Iterator[_Button]:
    coup = f"{hand.shoe}/{hand.coup}"
    if _waits_for_confirm(hand) and not hand.fault:
        yield _confirm(book, hand)
    if hand.authorisation_needed:
        yield _Button("authorise", "authorise", {"times": 1})
    if dealer_fault.may_key(fault, hand):
        first = "authorise" if dealer_fault.has_rule(book) else ""
        clause = book.switch["manual_entry"].clause
        yield _Button("key_card", "key-card", fields=("card",), first=first, clause=clause)
    if hand.fault in _CLEARABLE:
        yield _Button("clear_fault", "clear-fault", {"fault": hand.fault})
    yield from _decisions(book, hand, coup)
    if no_shoe(hand):
        yield _Button("open_shoe", "open-shoe")
    if not hand.fault and hand.kind not in UNWAGERED:
        yield from _wagers(book, hand, coup)
    if hand.phase == "bets" and not hand.fault:
        yield from _before_the_coup(book, hand)
    for jackpot, title in jackpots.items() if hand.shoe else ():
        yield _Button("record_win", "record-win", {"jackpot": jackpot}, title=title)


def _waits_for_confirm(hand: HandMessage) -> bool:
    return hand.phase == "complete" and hand.result is not None and hand.result.status == "verified"


def _confirm(book: Rulebook, hand: HandMessage) -> _Button:
    """Confirm; where the book wants the result before it, the dealer chooses it first."""
    switch = book.switch["result_before_confirm"]
    fields, clause = (("winner",), switch.clause) if switch.value else ((), "")
    return _Button("confirm", "confirm", {"coup": f"{hand.shoe}/{hand.coup}"}, fields=fields, clause=clause)


def _of_angel_eye(book: Rulebook, hand: HandMessage, status: StatusMessage | None) -> Iterator[_Button]:
    """What an Angel Eye needs: its error cleared; Confirm, which no error stops; new cards, which it may not report."""
    is_one = status is not None and status.driver == "angel-eye"
    if is_one and hand.fault and _waits_for_confirm(hand):
        yield _confirm(book, hand)
    for name, args in clearing(status, hand.fault).items():
        yield _Button(name, "clear-error", args, fields=("clause",) if needs_clause("clear-error", args) else ())
    if is_one and (hand.phase == "unknown" or hand.last_coup) and hand.shoe:
        yield _Button("new_cards", "open-shoe")


def _decisions(book: Rulebook, hand: HandMessage, coup: str) -> Iterator[_Button]:
    """What a supervisor decides: a result in dispute, or a burn that was missed (Crown 10.1.1, A-51)."""
    if hand.result and hand.result.status == "disputed":
        clause = authority.load(book.id).act[command_acts.ACTS["decide"]].clause
        fields = () if clause else ("clause",)
        for verdict in ("confirmed", "void") if has_outcome(hand) else ("void",):
            args = {"coup": coup, "verdict": verdict}
            yield _Button(f"decide_{verdict}", "decide", args, fields=fields, clause=clause)
    elif hand.fault == "decision" and hand.phase == "dealing":
        yield _Button("deal_again", "burn-card", act=command_acts.ACTS["card-returned"])
        yield _Button("play_on", "clear-fault", {"fault": "decision"})


def _wagers(book: Rulebook, hand: HandMessage, coup: str) -> Iterator[_Button]:
    """Close the wagers of the coup, reopen them as the book lets, and note that a card of it is exposed."""
    rule = reopening(book)
    may_reopen = wagers_now.may_reopen(hand) and rule is not None
    if wagers_now.are_open(hand):
        yield _Button("no_more_bets", "no-more-bets", {"coup": coup})
    if may_reopen and rule is not None:
        args = {"coup": coup, "facts": stated(rule)}
        yield _Button("reopen_wagers", "reopen-wagers", args, clause=rule.clause)
    if hand.phase in ("dealing", "complete") and not hand.exposed and (may_reopen or wagers_now.are_open(hand)):
        yield _Button("card_exposed", "card-exposed", {"coup": coup})


def _before_the_coup(book: Rulebook, hand: HandMessage) -> Iterator[_Button]:
    if hand.kind not in UNWAGERED:
        yield _Button("no_bet", "no-bet")
    if book.switch["mid_shoe_burn"].value:
        yield _Button("burn_card", "burn-card", clause=book.switch["mid_shoe_burn"].clause)

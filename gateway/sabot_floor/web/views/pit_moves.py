"""Moves: what a supervisor may press for an alarm, for a step of an incident and for a table, as commands; pure."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace
from sabot_protocol import command_acts, incidents, rulebooks
from sabot_protocol.angel_eye.verbs import is_possible
from sabot_protocol.incidents import Opener
from sabot_protocol.table_states import HandMessage, HistoryMessage
from sabot_protocol.topics import AlarmMessage, IncidentMessage, StatusMessage, Step
from sabot_protocol.wagers.closing import reopening, stated

from sabot_floor.web.views import dealer_hand, pit_now, pit_prefill
from sabot_floor.web.views.dealer_fault import has_rule
from sabot_floor.web.views.pit_prefill import NO_FACTS, Facts, Prefill, needs_clause

_DISPUTES = ("discrepancy", "not_confirmed", "scan_discrepancy")  # alarms about a coup that people decide
_REASONS = {
    act: reason for reason, act in command_acts.VOID_ACTS.items() if reason != "supervisor"
}  # of a void, by act
_FAULT = "fault_"
_OVERDRAW = "overdraw"  # an error of an Angel Eye


class Move(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One button: the command that it sends, with what the book has for it."""

    do: str  # names the button
    verb: str
    args: dict[str, Any] = {}
    ask: tuple[str, ...] = ()  # further arguments that the person gives
    clause: str = ""
    clause_needed: bool = False
    role: str = ""  # titles of the lowest roles
    second: str = ""  # title of the role that approves, if two people are needed
    may: tuple[str, ...] = ()  # ids of the roles that may ask for it
    not_now: str = ""  # names the reason why it is not possible now
    plain: bool = False  # the button does not stand out: a person decides whether this settles the matter


class Place(NamedTuple):
    """What is known of a table when its moves are made."""

    book: str
    hand: HandMessage | None = None
    history: HistoryMessage | None = None
    facts: Facts = NO_FACTS
    status: StatusMessage | None = None
    case: AlarmMessage | None = None  # of the coup on the table: one after which it can lose its wagers
    unread_out: bool = False  # a card that cannot be keyed in is out, or may be

    def coup(self) -> str:
        """Return shoe and coup on the table, as 3/17; empty if no coup is."""
        hand = self.hand
        return f"{hand.shoe}/{hand.coup}" if hand and hand.phase in ("dealing", "complete") else ""

    def not_now(self, do: str) -> str:
        """Return the name of the reason why this is not possible now; empty if it is."""
        first = self.hand is not None and self.hand.phase == "bets" and self.unread_out
        return "" if do == "void" and first else pit_now.reason(self.hand, do)

    def waits_for_card(self) -> bool:
        """Return True unless it is known that no card waits to be keyed in."""
        hand = self.hand
        return hand is None or (hand.phase == "unknown" and hand.unread is None) or hand.waits_for_card()

    def has_no_rule_to_key(self) -> bool:
        """Return True if the rulebook has no rule for keying a card in: a supervisor decides, no button stands out."""
        return not has_rule(rulebooks.load(self.book))

    def holds_dispute(self) -> bool:
        """Return True if the coup on the table is known to wait for a decision."""
        result = self.hand.result if self.hand else None
        return result is not None and result.status == "disputed"

    def is_disputed(self, shoe: int, coup: int) -> bool:
        """Return True unless it is known that this coup waits for no decision."""
        hand, history = self.hand, self.history
        if hand and hand.result and (hand.shoe, hand.coup) == (shoe, coup):
            return hand.result.status == "disputed"
        return not (history and history.shoe == shoe) or coup in history.undecided

    def has_outcome(self, shoe: int, coup: int) -> bool:
        """Return True unless it is known that neither the shoe nor the cards give this coup a winner."""
        hand = self.hand
        return hand is None or (hand.shoe, hand.coup) != (shoe, coup) or dealer_hand.has_outcome(hand)


def of_alarm(place: Place, alarm: AlarmMessage) -> list[Move]:
    """Return what may be done about an active alarm; to acknowledge it is the last."""
    moves = _possible(place, _of_cause(place, alarm))
    seen = [_move(place, "acknowledge", "ack-alarm", {"alarm": alarm.alarm})] if alarm.state == "raised" else []
    return [*moves, *seen]


def _possible(place: Place, moves: Iterable[Move]) -> list[Move]:
    """Return those that the shoe of the table can take part in."""
    return [move for move in moves if is_possible(place.status, move.verb)]


def _of_cause(place: Place, alarm: AlarmMessage) -> Iterator[Move]:
    if alarm.name in _DISPUTES and alarm.coup:
        yield from _decide(place, alarm.shoe, alarm.coup, alarm.clause)
    match alarm.name:
        case "fault_card" | "misread_card" if place.waits_for_card():
            yield _key_card(place)
        case "fault_decision":
            yield from _of_decision(place)
        case "exit_locked" if not alarm.clause:  # by a clause until the cards are checked or replaced
            yield _move(place, "unlock", "unlock")
        case "shoe_error":
            yield from _clear_error(place)
        case "awaiting_authorisation":
            yield _move(place, "authorise", "authorise", {"times": 1}, clause=alarm.clause)
    if alarm.name.startswith(_FAULT) and not (alarm.name == "fault_decision" and place.holds_dispute()):
        yield _move(place, "clear_fault", "clear-fault", {"fault": alarm.name.removeprefix(_FAULT)})


def _key_card(place: Place) -> Move:
    move = _move(place, "key_card", "key-card", ask=("card", "flags"))
    return replace(move, plain=place.has_no_rule_to_key())


def _clear_error(place: Place) -> Iterator[Move]:
    """The error in which an Angel Eye stands; an overdraw wants a choice for its card."""
    error = place.status.fault if place.status and place.status.driver == "angel-eye" else None
    if error == _OVERDRAW:
        yield _move(place, "keep_card", "clear-error", {"card": "keep"})
        yield _move(place, "discard_card", "clear-error", {"card": "discard"})
    elif error:
        yield _move(place, "clear_error", "clear-error")


def _of_decision(place: Place) -> Iterator[Move]:
    """A coup that the shoe holds: what its irregularity allows."""
    coup = place.coup()
    hand = place.hand
    if hand and hand.result and place.holds_dispute():
        yield from _decide(place, hand.shoe, hand.coup)
        return
    yield _confirm(place, {"coup": coup} if coup else {})
    yield _void(place, "misdeal")


def _decide(place: Place, shoe: int, coup: int, clause: str = "") -> Iterator[Move]:
    """Decide a disputed coup; a coup on the table that is not disputed is confirmed or void."""
    label = f"{shoe}/{coup}"
    if place.coup() == label and not place.is_disputed(shoe, coup):
        yield _confirm(place, {"coup": label}, clause=clause)
        yield _void(place, "discrepancy")
        return
    if place.has_outcome(shoe, coup):
        yield _move(place, "decide_confirmed", "decide", {"coup": label, "verdict": "confirmed"}, clause=clause)
    yield _move(
        place, "decide_winner", "decide", {"coup": label, "verdict": "confirmed"}, ("winner", "reason"), clause=clause
    )
    yield _move(place, "decide_void", "decide", {"coup": label, "verdict": "void"}, clause=clause)


def _confirm(place: Place, args: dict[str, Any], clause: str = "") -> Move:
    """Confirm, with the winning result where the book wants it first."""
    first = rulebooks.load(place.book).switch["result_before_confirm"].value
    return _move(place, "confirm", "confirm", args, ("winner",) if first else (), clause)


def _void(place: Place, reason: str) -> Move:
    coup = {"coup": place.coup()} if place.coup() else {}
    return _move(place, "void", "void", {**coup, "reason": reason}, ("then",))


def of_step(place: Place, incident: IncidentMessage, step: Step) -> list[Move]:
    """Return what may be done for an open step: what proves it, and at last its record by a person."""
    if step.done:
        return []
    return [*_possible(place, _proving(place, incident, step)), _record(place, incident, step)]


def _proving(place: Place, incident: IncidentMessage, step: Step) -> Iterator[Move]:
    on_table = place.coup() in ("", f"{incident.shoe}/{incident.coup}")
    match step.name:
        case "decide":
            yield from _decide(place, incident.shoe, incident.coup, step.clause)
        case "choose" if on_table:
            yield _this_no_bet(place)
            yield _void(place, "misdeal")
        case "reconstruct" if on_table:
            yield _confirm(place, {"coup": place.coup()} if place.coup() else {})
            yield _void(place, "misdeal")
        case "void" if on_table:
            yield _void(place, _REASONS.get(step.act, "misdeal"))
        case "close_shoe":
            yield _move(place, "close_shoe", "close-shoe", clause=step.clause)
        case "check_cards":
            yield _deck_check(place)
        case "reshuffle":
            yield _move(place, "close_shoe", "close-shoe")
            yield _move(place, "open_shoe", "open-shoe")
        case "key_card" if place.waits_for_card():
            yield _key_card(place)
        case "authorise":
            yield _move(place, "authorise", "authorise", {"times": 1}, clause=step.clause)
        case "announce":
            yield _move(place, "no_bet", "no-bet")
        case "move_cards":
            yield _move(place, "export_coup", "export-coup")
            yield _move(place, "import_coup", "import-coup", ask=("coup_no", "cards", "moved"))


def _this_no_bet(place: Place) -> Move:
    """Let the coup go on without wagers: by its case, if it has one that leads there, else by who orders such coups."""
    move = _move(place, "this_no_bet", "this-no-bet", {"coup": place.coup()} if place.coup() else {})
    if place.case is None:
        return move
    act = command_acts.act_of_this_no_bet((place.case.shoe_says,))
    return _with(replace(pit_prefill.for_act(place.book, act, place.facts), clause=place.case.clause), move)


def _record(place: Place, incident: IncidentMessage, step: Step) -> Move:
    """The record that a step is done: by the act of the step, or by the role of A-80."""
    ask = ("note", "settled") if incident.kind == "player_dispute" else ("note",)
    found = pit_prefill.for_act(place.book, step.act, _facts(incident))
    args = {"incident": incident.incident, "step": step.name}
    found = replace(found, clause=step.clause or found.clause)
    return _with(found, Move(do="step", verb="step", args=args, ask=ask))


def _facts(incident: IncidentMessage) -> dict[str, bool]:
    return {name: value for name, value in incident.facts.items() if isinstance(value, bool)}


def of_incident(place: Place, incident: IncidentMessage) -> list[Move]:
    """Return what may be done about an incident as a whole: withdraw what a person opened by mistake."""
    if not incidents.opened_by_person(incident):
        return []
    act = str(incident.facts.get("act", ""))
    move = Move(do="withdraw", verb="withdraw", args={"incident": incident.incident}, ask=("reason",))
    return [_with(pit_prefill.for_act(place.book, act), move)]


def of_table(place: Place) -> dict[str, list[Move]]:
    """Return every command of the table's panel, by group; those that nobody may give are left out."""
    coup = {"coup": place.coup()} if place.coup() else {}
    fault = place.hand.fault if place.hand else ""
    undecided = fault == "decision" and place.holds_dispute()
    groups = {
        "coup": [
            _confirm(place, coup),
            _move(place, "void", "void", {**coup, "reason": "supervisor"}, ("void_reason", "then")),
            _this_no_bet(place),
            _move(place, "no_bet", "no-bet"),
            _move(place, "authorise", "authorise", {"times": 1}, ("times",)),
            _key_card(place),
            _move(place, "card_returned", "card-returned"),
        ],
        "wagers": [
            _move(place, "no_more_bets", "no-more-bets"),
            *_reopen(place),
            _move(place, "card_exposed", "card-exposed", coup),
        ],
        "shoe": [
            _move(place, "close_shoe", "close-shoe"),
            _cause_move(place, "end_shoe", "end-shoe", ("cause", "agreed", "note")),
            _move(place, "open_shoe", "open-shoe"),
            _move(place, "burn_card", "burn-card"),
            _move(place, "export_coup", "export-coup"),
            _move(place, "import_coup", "import-coup", ask=("coup_no", "cards", "moved")),
            _deck_check(place),
            _move(place, "lock", "lock"),
            _move(place, "unlock", "unlock"),
            *([_move(place, "clear_fault", "clear-fault", {"fault": fault})] if fault and not undecided else []),
            *_clear_error(place),
            _move(place, "self_test", "self-test"),
            _move(place, "reboot", "reboot"),
        ],
        "records": [
            _cause_move(place, "invalidate", "invalidate", ("cause", "coup_needed", "reason")),
            *_opening(place, "dispute", ("patron", "coup", "note")),
            *_opening(place, "payment", ("direction", "amount", "patron", "coup", "intentional", "note")),
            _move(place, "record", "record", ask=("act", "at", "patron", "amount_optional", "coup", "note")),
        ],
    }
    return {
        name: [replace(move, not_now=place.not_now(move.do)) for move in _possible(place, moves) if move.may]
        for name, moves in groups.items()
    }


def _opening(place: Place, verb: str, ask: tuple[str, ...]) -> Iterator[Move]:
    """A verb that opens an incident, where the book has one for it."""
    if incidents.kind_of(place.book, Opener(verb=verb)):
        yield _move(place, verb, verb, ask=ask)


def _reopen(place: Place) -> Iterator[Move]:
    """Let wagers be changed while nothing is exposed, where the book has a clause for it."""
    rule = reopening(rulebooks.load(place.book))
    if rule is not None:
        yield _move(place, "reopen_wagers", "reopen-wagers", {"facts": stated(rule)}, clause=rule.clause)


def _deck_check(place: Place) -> Move:
    checking = place.hand is not None and place.hand.phase == "checking"
    do = "deck_check_end" if checking else "deck_check"
    return _move(place, do, "deck-check", {"on": 0 if checking else 1})


def _cause_move(place: Place, do: str, verb: str, ask: tuple[str, ...]) -> Move:
    """A verb whose act is that of its cause: a button for who may give it for any; the dialog has the rest by cause."""
    found = max(pit_prefill.of_causes(place.book, verb).values(), key=lambda one: len(one.may))
    return _with(replace(found, clause="", second=""), Move(do=do, verb=verb, ask=ask))


def _move(
    place: Place, do: str, verb: str, args: dict[str, Any] | None = None, ask: tuple[str, ...] = (), clause: str = ""
) -> Move:
    found = pit_prefill.for_verb(place.book, verb, args or {}, place.facts)
    return _with(found, Move(do=do, verb=verb, args=args or {}, ask=ask), clause)


def _with(found: Prefill, move: Move, clause: str = "") -> Move:
    """Return the move with what the book has; `clause` is used where the book's act has none."""
    return replace(
        move,
        clause=found.clause or clause,
        clause_needed=needs_clause(move.verb, move.args),
        role=found.role,
        second=found.second,
        may=found.may,
    )

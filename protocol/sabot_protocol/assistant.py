"""The irregularity assistant: what happened, facts, state of the hand and a role in; the answer and the steps out.

A step is a command of `sabot table` that the rulebook allows now: the person gives it alone, or with another person.
Words of cases, facts and steps are in the languages of the pages; the sentence of the answer is the rulebook's.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import msgspec

from sabot_protocol import authority, command_acts, command_clauses, incidents, irregularities, rulebooks
from sabot_protocol.incidents import Opener
from sabot_protocol.irregularities import CASES, Advice

# Every case, by what a dealer would look for.
GROUPS: Final[dict[str, tuple[str, ...]]] = {
    "too_many": ("player_overdraw", "banker_overdraw", "excess_card"),
    "face_up": ("first_card_face_up", "second_to_fourth_card_face_up", "third_card_face_up", "first_card_exposed"),
    "wrong_place": ("bad_order", "banker_got_players_card", "wrong_area", "wrong_recipient"),
    "not_read": ("misread_card", "shoe_not_reading", "scan_discrepancy"),
    "cards": ("missing_or_foreign_card", "insufficient_cards", "wrong_shoe"),
    "shuffle": ("burn_missed", "cut_missed", "not_shuffled_after_cutting_card"),
    "no_wagers": ("unauthorised_coup",),
}
FIELDS: Final = ("card", "patron", "winner", "clause")  # what a person fills in
_OPEN = ("burning", "bets", "dealing", "complete")  # phases with an open shoe
_OF_THE_CASE = ("irregularity", "this-no-bet")  # what the case asks for, under its clause
_CLEARABLE = ("card", "decision", "lid", "composition", "program")
_FOREIGN = "missing_or_foreign_card"
_REASONS: Final = {  # of a void, by case; else it is a misdeal
    "insufficient_cards": "short_shoe",
    "missing_or_foreign_card": "foreign_card",
    "scan_discrepancy": "discrepancy",
    "wrong_shoe": "wrong_shoe",
    "first_card_face_up": "face_up",
    "second_to_fourth_card_face_up": "face_up",
    "third_card_face_up": "face_up",
}


class HandState(NamedTuple):
    """What the table shows: the part of `hand`, of the alarms and of the table's setup that decides about steps."""

    phase: str = "unknown"
    coup: str = ""  # as 3/17
    cards: int = 0  # of the coup on the table
    surplus: int = 0
    fault: str = ""
    live: bool = True  # the coup on the table has wagers
    last_coup: bool = False
    first_coup_complete: bool = False
    banker_draws: bool | None = None  # None: not known
    dealt_face_up: bool = False
    international: bool = False
    disputed: bool = False
    awaiting: bool = False  # a supervisor's authorisation
    reported: frozenset[str] = frozenset()  # cases that have an alarm already
    voided: bool = False  # the coup that was on the table is void
    next_live: bool = True  # the next coup has wagers
    waits_for_card: bool | None = None  # a card is out that was not read; None: only the fault is known
    card_may_be_out: bool = False  # one that cannot be keyed in: half drawn, pushed back, or one of two
    takes_reports: bool = True  # the shoe logs what people report, and so finds the case

    def begun(self) -> bool:
        """Return True if a card of the coup on the table is out."""
        return self.cards > 0 and self.phase in ("dealing", "complete")

    def may_be_void(self, case: str) -> bool:
        """Return True if a card of the coup on the table is out, or its first one may be, read or not."""
        foreign = self.fault == "card" and case == _FOREIGN and case in self.reported
        first = self.phase == "bets" and (self.card_may_be_out or bool(self.waits_for_card) or foreign)
        return (self.begun() or first) and not self.disputed

    def coup_begun(self) -> str:
        """Return the newest coup of which a card that was due is out, as 3/17 or 3/0; empty if it is not known."""
        shoe, _, number = self.coup.partition("/")
        if not number or self.phase not in _OPEN:
            return ""
        return f"{shoe}/{int(number) - (self.phase not in ('dealing', 'complete'))}"

    def may_key(self) -> bool:
        """Return True if a card may be keyed in."""
        return self.fault == "card" if self.waits_for_card is None else self.waits_for_card

    def found(self, case: str) -> bool:
        """Return True if the log has the case, or never will."""
        return case in self.reported or not self.takes_reports

    def known(self, case: str) -> dict[str, bool]:
        """Return the facts of a case that nobody needs to be asked for."""
        found: dict[str, bool | None] = {
            "last_coup": self.last_coup,
            "first_coup_complete": self.first_coup_complete,
            "international": self.international,
            "banker_draws": self.banker_draws,
            "exposed": self.dealt_face_up or None,
        }
        return {fact: value for fact in CASES[case] if (value := found.get(fact)) is not None}


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One permitted next step: a command, and who gives it."""

    name: str  # of its words
    verb: str
    args: dict[str, Any] = {}
    clause: str = ""
    fields: tuple[str, ...] = ()  # that the person fills in: `clause` is the clause, the others are arguments
    first: str = ""  # a verb without arguments that must be given before it, by the same people
    alone: bool
    second: str = ""  # id of the lowest role of the other person who must approve; empty if none
    role: str = ""  # title of that role


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The next question, or the rulebook's answer with the steps."""

    case: str
    facts: dict[str, bool]
    ask: str = ""  # the fact to ask for next; empty when the answer is known
    code: str = ""
    clause: str = ""
    say: str = ""
    steps: tuple[Step, ...] = ()


class _Wish(NamedTuple):
    """A step before it is known who may do it."""

    name: str
    verb: str
    args: Mapping[str, Any] = {}
    act: str | None = None  # None: that of the verb
    fields: tuple[str, ...] = ()
    first: str = ""


def assist(book: str, case: str, given: Mapping[str, bool], state: HandState, role: str) -> Answer:
    """Return the question that decides next, or the answer; IrregularityError for an unknown book, case or fact."""
    irregularities.open_facts(book, case, given)  # refuses what is unknown
    facts = state.known(case) | {fact: value for fact, value in given.items() if fact in CASES[case]}
    missing = irregularities.open_facts(book, case, facts)
    if missing:
        return Answer(case=case, facts=facts, ask=missing[0])
    stands = not state.voided and (state.phase == "complete" or not state.begun())
    advice = irregularities.advise_at_table(book, case, facts, stands=stands, unwagered=not state.next_live)
    steps = tuple(_granted(book, role, advice, case, facts, state))
    return Answer(case=case, facts=facts, code=advice.code, clause=advice.clause, say=advice.say, steps=steps)


def _granted(
    book: str, role: str, advice: Advice, case: str, facts: Mapping[str, bool], state: HandState
) -> Iterator[Step]:
    """Yield the steps that somebody may do, with who."""
    for wish in _wishes(book, advice, case, facts, state):
        act = command_acts.act_of(wish.verb, wish.args) or "" if wish.act is None else wish.act
        found = command_acts.grant(book, act, role)
        if found is None:
            continue
        clause = _clause(book, wish.verb, act, advice)
        asked = () if clause or wish.verb not in ("void", "decide", "this-no-bet", "export-coup") else ("clause",)
        yield Step(
            name=wish.name,
            verb=wish.verb,
            args=dict(wish.args),
            clause=clause,
            fields=(*wish.fields, *asked),
            first=wish.first,
            alone=found.alone,
            second=found.second,
            role=found.title,
        )


def _clause(book: str, verb: str, act: str, advice: Advice) -> str:
    """Return the clause of the case where it is about this step, else that of the step's act."""
    if command_clauses.split(advice.clause) and (verb in _OF_THE_CASE or _is_about(book, advice.clause, act)):
        return advice.clause
    return authority.load(book).act[act].clause if act else ""


def _is_about(book: str, clause: str, act: str) -> bool:
    return not command_clauses.foreign(book, clause, command_clauses.of_act(book, act))


def _wishes(book: str, advice: Advice, case: str, facts: Mapping[str, bool], state: HandState) -> Iterator[_Wish]:
    """Yield what the code asks for in this state, in the order in which a dealer would do it."""
    yield from _by_code(book, advice.code, case, state)
    if _reportable(advice.code, case, facts, state):
        act = command_acts.act_of_report(book, case, facts, state.cards)
        seen = {"coup": begun} if (begun := state.coup_begun()) else {}
        yield _Wish("report", "irregularity", {"case": case, "facts": dict(facts), **seen}, act)
    if state.phase == "complete" and not state.disputed and not state.fault and advice.code in _CONFIRMED:
        first = rulebooks.load(book).switch["result_before_confirm"].value
        yield _Wish("confirm", "confirm", {"coup": state.coup}, fields=("winner",) if first else ())
    if state.awaiting or _needs_authorisation(book, advice.code, case, state):
        yield _Wish("authorise", "authorise", {"times": 1})
    if incidents.kind_of(book, Opener(verb="dispute")):
        yield _Wish("dispute", "dispute", {"note": case}, fields=("patron",))


_CONFIRMED = (
    "NEXT_LIVE", "NEXT_NO_BET", "NOT_USED", "PLAY_ON", "FINISH_RESHUFFLE", "BANKER_THIRD", "PLAYER_THIRD",
    "RECON_WITHDRAW", "RECON_BINDING", "VOID_CHECK", "THIS_NO_BET", "CHOICE", "WITHDRAW_OPTION",
)  # fmt: skip


def _reportable(code: str, case: str, facts: Mapping[str, bool], state: HandState) -> bool:
    """Return True if the shoe takes a report of this case now, and has not logged the same by itself."""
    if state.phase not in _OPEN or (case == "scan_discrepancy" and state.disputed):
        return False
    if case in state.reported and not (facts.get("exposed") and not state.dealt_face_up):
        return False
    if case == "insufficient_cards":
        return state.phase == "dealing" and state.begun()
    if code in ("VOID", "VOID_NEW_CARDS"):
        return state.begun() or (state.phase == "bets" and state.first_coup_complete)
    return code != "THIS_NO_BET" or state.phase in ("bets", "dealing")


def _needs_authorisation(book: str, code: str, case: str, state: HandState) -> bool:
    """Return True if the coup without wagers that follows waits for a supervisor, by the rulebook's switches."""
    switch = rulebooks.load(book).switch
    if code not in ("NEXT_NO_BET", "THIS_NO_BET") or state.phase not in _OPEN:
        return False
    return bool(switch["dummy_needs_authorisation"].value) and case not in str(switch["dummy_ordered_by"].value).split()


def _by_code(book: str, code: str, case: str, state: HandState) -> Iterator[_Wish]:
    switch = rulebooks.load(book).switch
    this_no_bet = bool(switch["this_no_bet"].value) and state.phase == "dealing" and state.begun() and state.live
    match code:
        case "THIS_NO_BET" if this_no_bet and not state.takes_reports:
            yield _this_no_bet("this_no_bet", code, case, state)
        case "RECON_WITHDRAW" if this_no_bet and state.found(case):
            yield _this_no_bet("no_wager_left", code, case, state)
        case "CHOICE" | "WITHDRAW_OPTION":
            yield from _choices(code, case, state, this_no_bet=this_no_bet)
        case "NEXT_LIVE" | "NEXT_NO_BET" if switch["card_may_return_to_shoe"].value and state.surplus:
            if state.phase == "complete":
                yield _Wish("card_returned", "card-returned")
        case "RESTART_SHOE" if state.fault == "decision" and state.phase == "dealing":
            yield _Wish("deal_again", "burn-card", {}, command_acts.ACTS["card-returned"])
            yield _Wish("play_on", "clear-fault", {"fault": "decision"})
        case "MANUAL_ENTRY" if state.may_key():
            yield _Wish("key_card", "key-card", {}, fields=("card",), first="authorise")
        case "MANUAL_ENTRY" if state.card_may_be_out:
            yield from _void(case, state)
        case "SWAP_SHOE" if state.phase == "dealing" and state.begun():
            yield _Wish("export_coup", "export-coup")
        case "NO_RULE":
            yield from _decided_by_supervisor(book, case, state)
    if (code.startswith("VOID") and case in state.reported) or (code.startswith("RECON") and case == "wrong_area"):
        yield from _void(case, state)
    if case == "scan_discrepancy" and state.disputed and code in ("VOID", "CONFIRM"):
        verdict = "void" if code == "VOID" else "confirmed"
        yield _Wish(f"decide_{verdict}", "decide", {"coup": state.coup, "verdict": verdict})


def _void(case: str, state: HandState) -> Iterator[_Wish]:
    reason = _REASONS.get(case, "misdeal")
    act = "" if reason == "short_shoe" else None  # the shoe itself voids by that rule; a person needs the role for it
    if state.may_be_void(case):
        yield _Wish("void", "void", {"coup": state.coup, "reason": reason}, act)


def _choices(code: str, case: str, state: HandState, *, this_no_bet: bool) -> Iterator[_Wish]:
    """The three ways to end a coup that was delivered wrongly; the first two are people's, and recorded."""
    if code == "WITHDRAW_OPTION":
        facts = {"international": True, "settled": False}
        yield _Wish(
            "let_withdraw", "record", {"act": "decide_misdelivery", "facts": facts, "note": "withdrawal allowed"}
        )
        return
    record = {"act": "decide_misdelivery", "facts": {"wrong_recipient": case == "wrong_recipient"}}
    yield _Wish("finish_valid", "record", {**record, "note": "finished, all wagers valid"})
    yield _Wish("finish_reduced", "record", {**record, "note": "finished, players could retract or reduce"})
    if this_no_bet and state.found(case):
        yield _this_no_bet("this_no_bet", code, case, state)


def _this_no_bet(name: str, code: str, case: str, state: HandState) -> _Wish:
    """Return the step after which the coup has no wagers; its act is that of the case, once the log has it."""
    act = command_acts.act_of_this_no_bet({code} if case in state.reported and state.takes_reports else ())
    return _Wish(name, "this-no-bet", {"coup": state.coup}, act)


def _decided_by_supervisor(book: str, case: str, state: HandState) -> Iterator[_Wish]:
    """What is possible where the rulebook has no rule: the role decides that decides such things (A-80)."""
    if state.may_key():
        yield _Wish("key_card", "key-card", {}, fields=("card",))
    if state.disputed:
        for verdict in ("confirmed", "void"):
            yield _Wish(f"decide_{verdict}", "decide", {"coup": state.coup, "verdict": verdict})
    yield from _void(case, state)
    if state.fault in _CLEARABLE:
        yield _Wish("clear_fault", "clear-fault", {"fault": state.fault})
    if state.phase in ("bets", "burning") and case != "unauthorised_coup":
        yield _Wish("close_shoe", "close-shoe")

"""Irregularities: the shoe reports what its cards show, with the facts, and with the book's consequence."""

from dataclasses import dataclass, field

from sabot_protocol import irregularities
from sabot_protocol.rulebooks import Rulebook

from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.checks.authorisation import AuthorisationCheck
from sabot_gateway.verify.checks.composition import CompositionCheck
from sabot_gateway.verify.checks.coups import CoupCheck
from sabot_gateway.verify.checks.cutting_card import CuttingCardCheck
from sabot_gateway.verify.findings import NONE, Finding, Findings
from sabot_gateway.verify.state import NO_COUP, NOT_OPEN, RESULTS, ShoeState

_OVERDRAWS = ("player_overdraw", "banker_overdraw", "excess_card")
_FACE_UP = ("first_card_face_up", "second_to_fourth_card_face_up", "third_card_face_up")
_ANY_OVERDRAW = "a card too many"  # of which the case is not certain
_FOREIGN, _DISPUTED = "missing_or_foreign_card", "scan_discrepancy"
_EXPOSED, _UNAUTHORISED = "first_card_exposed", "unauthorised_coup"
_IN_LOG = (*_OVERDRAWS, *_FACE_UP, _DISPUTED, _EXPOSED, _UNAUTHORISED)


@dataclass
class IrregularityCheck:
    """Irregularities that the shoe has to report, and those that it reports."""

    state: ShoeState
    book: Rulebook
    composition: CompositionCheck
    coups: CoupCheck
    authorisation: AuthorisationCheck
    cutting: CuttingCardCheck
    face_down: bool  # the house deals face down: an exposed card was exposed too early
    _due: dict[str, tuple[int, str]] = field(default_factory=dict)  # by case: the coup, and what shows it
    _by_person: bool = False  # the next irregularity was reported by a person
    _exposed: bool = False  # the last card was
    _surplus: int = 0  # cards since the coup was complete
    _behind_last: bool = False  # the last surplus card would begin a coup after the last one
    _uncertain: bool = False  # a card went back into the shoe: the case of the next surplus card is not certain
    _locked: bool = False  # by a fault
    _foreign: bool = False  # the last reject was a card of another set

    def log_gap(self, event: Event) -> Findings:
        """The irregularity that is due may be in the missing part of the log."""
        self._due.clear()
        self._uncertain = True
        return NONE

    def shoe_opened(self, event: Event) -> Findings:
        """Nothing is due."""
        self._due.clear()
        self._locked = self._uncertain = self._by_person = False
        return NONE

    def card(self, event: Event) -> Findings:
        """Find what was not reported before this card; note what this card shows."""
        found = self._overdue() if self._due else NONE
        data, state = event.data, self.state
        flagged = True in data["flags"].values()
        self._exposed = self._foreign = False
        if flagged:
            self._exposed = bool(data["flags"].get("exposed") or data["flags"].get("face_up"))
        if state.phase in NOT_OPEN:
            return found
        if flagged:
            self._flagged(event)
        if self.authorisation.awaiting and self.authorisation.drawn_without(event):
            shows = f"{data['card']} came, but no supervisor had authorised the coup"
            self._due[_UNAUTHORISED] = (data["coup_no"], shows)
        if self.composition.over:
            shows = f"{data['card']} came more often than {state.decks} decks allow"
            self._due[_FOREIGN] = (data["coup_no"], shows)
        return found

    def _flagged(self, event: Event) -> None:
        """Note what the flags of a card show."""
        data, flags = event.data, event.data["flags"]
        number, card, slot = data["coup_no"], data["card"], data["slot"]
        if flags.get("surplus"):
            self._surplus += 1
            last = self.cutting.last
            self._behind_last = last is not None and self.state.surplus_coup_no() > last
            self._due[self._overdraw(event)] = (number, f"{card} came, but no card was due")
        elif flags.get("face_up") and slot not in NO_COUP:
            self._due[_face_up(slot)] = (number, f"{card} was face up")
        elif flags.get("exposed") and slot == "player_1" and self.face_down:
            self._due[_EXPOSED] = (number, f"{card} was exposed too early")

    def _overdraw(self, event: Event) -> str:
        """Return the case of a surplus card, by the cards that are out."""
        if self._uncertain or not self.state.whole:
            return _ANY_OVERDRAW
        if self.state.phase != "complete":
            return "excess_card"
        slots = [slot for slot, _ in self.state.dealt.get(self.state.coup_no, ())]
        out = len(slots) + self._surplus
        if "banker_3" in slots:
            return "excess_card"
        return {5: "player_overdraw", 6: "banker_overdraw"}.get(out, "excess_card")

    def coup(self, event: Event) -> Findings:
        """Count surplus cards from zero."""
        self._surplus = 0
        return NONE

    def coup_void(self, event: Event) -> Findings:
        """The next surplus card belongs to a new coup."""
        self._uncertain = False
        return NONE

    def fault(self, event: Event) -> Findings:
        """During a fault the shoe takes no result from the dealer."""
        self._locked = True
        return NONE

    def fault_cleared(self, event: Event) -> Findings:
        """The shoe takes the dealer's result again."""
        self._locked = False
        return NONE

    def button(self, event: Event) -> Findings:
        """The shoe has to report a dealer's result that does not match the cards."""
        found, pressed = self._overdue() if self._due else NONE, event.data["button"]
        self._uncertain &= pressed != "confirm"
        taken = self.state.phase == "complete" and not self._locked
        entered = self.coups.entry(event)
        if taken and entered in RESULTS and entered != self.coups.winner:
            shows = f"the dealer says {entered}, the cards say {self.coups.winner}"
            self._due[_DISPUTED] = (event.data["coup_no"], shows)
        return found

    def reject(self, event: Event) -> Findings:
        """Note a card of another set: the decks cannot have it."""
        self._foreign = event.data["reason"] == "foreign"
        return NONE

    def shoe_closed(self, event: Event) -> Findings:
        """Find what was not reported before the shoe ends."""
        return self._overdue()

    def cutting_card(self, event: Event) -> Findings:
        """Find what was not reported before the cutting card."""
        return self._overdue()

    def command_done(self, event: Event) -> Findings:
        """Note that a person reports the next irregularity."""
        if event.data["command"] == "irregularity":
            self._by_person = True
        elif event.data["command"] == "card_returned":
            self._uncertain = True
        elif event.data["command"] == "confirm":
            self._uncertain = False
            return self._overdue()
        return NONE

    def irregularity(self, event: Event) -> Findings:
        """Compare the code with the book, and the case with the log."""
        data, case = event.data, event.data["case"]
        by_person, self._by_person = self._by_person, False
        due = self._due.pop(case, None) or (self._due.pop(_ANY_OVERDRAW, None) if case in _OVERDRAWS else None)
        facts = {fact: data["facts"][fact] for fact in irregularities.CASES[case]}
        advice = irregularities.advise(self.book.id, case, facts)
        if data["code"] != advice.code:
            fact = "The shoe applies the wrong rule. Follow the rulebook."
            yield Finding(fact, data["code"], advice.code, advice.clause, data["coup_no"])
        if by_person or not self.state.whole:
            return
        if case == _UNAUTHORISED and not self.authorisation.certain():
            return
        if due is None and (case in _IN_LOG or (case == _FOREIGN and not self._foreign)):
            fact = "The shoe reports an irregularity that its log does not show."
            yield Finding(fact, case.replace("_", " "), "no such irregularity", advice.clause, data["coup_no"])
        elif case in _OVERDRAWS and facts["exposed"] != self._exposed:
            text = {True: "exposed", False: "not exposed"}
            fact = "The shoe and its log do not agree whether the card was exposed."
            yield Finding(fact, text[facts["exposed"]], text[self._exposed], advice.clause, data["coup_no"])
        elif case in _OVERDRAWS and facts["last_coup"] != self._behind_last:
            text = {True: "no coup is left for the card", False: "the card begins a coup"}
            fact = "The shoe and its log do not agree whether a coup is left for a card in excess."
            yield Finding(fact, text[facts["last_coup"]], text[self._behind_last], advice.clause, data["coup_no"])

    def _overdue(self) -> Findings:
        """Return what the shoe should have reported by now."""
        if not self._due:
            return NONE
        due, fact = list(self._due.items()), "The shoe did not report an irregularity."
        self._due.clear()
        return [
            Finding(fact, "nothing", f"{case.replace('_', ' ')}: {shows}", "", number) for case, (number, shows) in due
        ]


def _face_up(slot: str) -> str:
    return _FACE_UP[0] if slot == "player_1" else _FACE_UP[2] if slot.endswith("3") else _FACE_UP[1]

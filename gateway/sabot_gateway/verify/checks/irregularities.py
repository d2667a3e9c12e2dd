"""Irregular: what a card shows by itself must be told by the shoe, with the facts as they were, and by the book."""

from dataclasses import dataclass, field

from sabot_protocol import irregularities
from sabot_protocol.rulebooks import Rulebook

from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.checks.authorisation import AuthorisationCheck
from sabot_gateway.verify.checks.composition import CompositionCheck
from sabot_gateway.verify.checks.coups import CoupCheck
from sabot_gateway.verify.findings import NONE, Finding, Findings
from sabot_gateway.verify.state import NO_COUP, RESULTS, ShoeState

_OVERDRAWS = ("player_overdraw", "banker_overdraw", "excess_card")
_FACE_UP = ("first_card_face_up", "second_to_fourth_card_face_up", "third_card_face_up")
_ANY_OVERDRAW = "a card too many"
_FOREIGN, _DISPUTED = "missing_or_foreign_card", "scan_discrepancy"
_SEEN, _NO_WORD = "first_card_exposed", "unauthorised_coup"
_SHOWN = (*_OVERDRAWS, *_FACE_UP, _DISPUTED, _SEEN, _NO_WORD)


@dataclass
class IrregularityCheck:
    """Irregularities that are due, and those that are told."""

    state: ShoeState
    book: Rulebook
    counted: CompositionCheck
    coups: CoupCheck
    words: AuthorisationCheck
    face_down: bool  # cards are dealt so: one that is seen was seen before its time
    _due: dict[str, tuple[int, str]] = field(default_factory=dict)  # case: coup, and what shows it
    _reported: bool = False  # by command: the next one is a person's word
    _exposed: bool = False  # the card before
    _too_many: int = 0  # cards since the coup was complete
    _loose: bool = False  # one of them, or of the coup, is not used or went back into the shoe
    _held: bool = False  # by a fault
    _foreign: bool = False  # the reject before was a card of another set

    def log_gap(self, event: Event) -> Findings:
        """The irregularity that is due may be in the missing part of the log."""
        self._due.clear()
        self._loose = True
        return NONE

    def shoe_opened(self, event: Event) -> Findings:
        """Nothing is due."""
        self._due.clear()
        self._held = self._loose = self._reported = False
        return NONE

    def card(self, event: Event) -> Findings:
        """What was due before this card, and what this card makes due."""
        found = self._overdue()
        flags, state = event.data["flags"], self.state
        self._exposed, self._foreign = bool(flags.get("exposed") or flags.get("face_up")), False
        if state.phase in ("unknown", "closed", "checking"):
            return found
        number, card = event.data["coup_no"], event.data["card"]
        if flags.get("surplus"):
            self._too_many += 1
            self._due[self._overdraw(event)] = (number, f"{card} came though none was due")
        elif flags.get("face_up") and event.data["slot"] not in NO_COUP:
            self._due[_face_up(event.data["slot"])] = (number, f"{card} lay face up")
        elif flags.get("exposed") and event.data["slot"] == "player_1" and self.face_down:
            self._due[_SEEN] = (number, f"{card} was seen before it was due")
        if self.words.drawn_without(event):
            self._due[_NO_WORD] = (number, f"{card} came and no supervisor had authorised the coup")
        if self.counted.over:
            self._due[_FOREIGN] = (number, f"{card} came more often than {state.decks} decks have it")
        return found

    def _overdraw(self, event: Event) -> str:
        """Which case a card too many is, by the cards that are out; any, where that is not certain."""
        if self._loose or not self.state.whole:
            return _ANY_OVERDRAW
        if self.state.phase != "complete":
            return "excess_card"
        slots = [slot for slot, _ in self.state.dealt.get(self.state.coup_no, ())]
        out = len(slots) + self._too_many
        if "banker_3" in slots:
            return "excess_card"
        return {5: "player_overdraw", 6: "banker_overdraw"}.get(out, "excess_card")

    def coup(self, event: Event) -> Findings:
        """No card too many yet."""
        self._too_many = 0
        return NONE

    def coup_void(self, event: Event) -> Findings:
        """What was loose belongs to a coup that is over."""
        self._loose = False
        return NONE

    def fault(self, event: Event) -> Findings:
        """While a fault holds, the shoe takes no result of the dealer."""
        self._held = True
        return NONE

    def fault_cleared(self, event: Event) -> Findings:
        """It does again."""
        self._held = False
        return NONE

    def button(self, event: Event) -> Findings:
        """The dealer's entry that is another than the cards' must be told."""
        found, said = self._overdue(), event.data["button"]
        self._loose &= said != "confirm"
        told = self.state.phase == "complete" and not self._held
        if told and said in RESULTS and said != self.coups.winner:
            self._due[_DISPUTED] = (event.data["coup_no"], f"the dealer says {said}, the cards say {self.coups.winner}")
        return found

    def reject(self, event: Event) -> Findings:
        """A card of another set is one that the decks cannot have."""
        self._foreign = event.data["reason"] == "foreign"
        return NONE

    def shoe_closed(self, event: Event) -> Findings:
        """The end of the shoe."""
        return self._overdue()

    cutting_card = shoe_closed

    def command_done(self, event: Event) -> Findings:
        """A person reports a case."""
        if event.data["command"] == "irregularity":
            self._reported = True
        elif event.data["command"] == "card_returned":
            self._loose = True
        elif event.data["command"] == "confirm":
            self._loose = False
            return self._overdue()
        return NONE

    def irregularity(self, event: Event) -> Findings:
        """The code by the book, and a cause in the log."""
        data, case = event.data, event.data["case"]
        reported, self._reported = self._reported, False
        due = self._due.pop(case, None) or (self._due.pop(_ANY_OVERDRAW, None) if case in _OVERDRAWS else None)
        facts = {fact: data["facts"][fact] for fact in irregularities.CASES[case]}
        advice = irregularities.advise(self.book.id, case, facts)
        if data["code"] != advice.code:
            fact = "The shoe draws another consequence than the book: follow the book."
            yield Finding(fact, data["code"], advice.code, advice.clause, data["coup_no"])
        if reported or not self.state.whole:
            return
        if case == _NO_WORD and not self.words.certain():
            return
        if due is None and (case in _SHOWN or (case == _FOREIGN and not self._foreign)):
            fact = "The shoe tells an irregularity that its log does not show."
            yield Finding(fact, case.replace("_", " "), "nothing of the kind", advice.clause, data["coup_no"])
        elif case in _OVERDRAWS and facts["exposed"] != self._exposed:
            words = {True: "exposed", False: "not exposed"}
            fact = "Whether the card was seen is not agreed."
            yield Finding(fact, words[facts["exposed"]], words[self._exposed], advice.clause, data["coup_no"])

    def _overdue(self) -> list[Finding]:
        """What the shoe should have told by now."""
        if not self._due:
            return []
        found = [
            Finding(
                "The shoe did not tell an irregularity.", "nothing", f"{case.replace('_', ' ')}: {shows}", "", number
            )
            for case, (number, shows) in self._due.items()
        ]
        self._due.clear()
        return found


def _face_up(slot: str) -> str:
    return _FACE_UP[0] if slot == "player_1" else _FACE_UP[2] if slot.endswith("3") else _FACE_UP[1]

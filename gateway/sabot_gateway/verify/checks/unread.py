"""Unread cards: a card is keyed in only if one left the shoe and was not read, and each of those only once."""

from dataclasses import dataclass

from sabot_protocol.rulebooks import Rulebook

from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.findings import NONE, Finding, Findings
from sabot_gateway.verify.state import NO_COUP, ShoeState

# Reasons of a reject after which one card of these decks is certain to be out. After any other it may be in the shoe
# again, two may be out, or it is a card of another set.
LEFT = frozenset(("blank", "columns", "doubtful", "not_in_set", "spacing", "pushed_back_midway"))
_HAS_PLACE = LEFT - {"pushed_back_midway"} | {"foreign"}  # the place that was due is its own
_MOST = 16
_PEOPLE = ("command", "new_shoe")  # they settle a fault for good; with the key a card may be keyed in while it is on


@dataclass
class UnreadCheck:
    """Cards that are out and were not read, as rejects, cards and faults show it."""

    state: ShoeState
    book: Rulebook
    out: int | None = None  # None: part of the log is missing
    _held: bool = False  # by the fault of a card: the key turned back does not settle it
    _has_place: bool = False  # a card that comes now is one too many, and settles nothing
    _approved: int = 0  # cards that a supervisor has authorised to be keyed in

    def log_gap(self, event: Event) -> Findings:
        """A reject may be in the missing part of the log."""
        self.out = None
        return NONE

    def over(self, event: Event) -> Findings:
        """The coup, the shoe or the check of the decks is over, and every card of it is settled."""
        self._settle()
        return NONE

    def _settle(self) -> None:
        self.out = self._approved = 0
        self._has_place = False

    def approve(self, times: int) -> int:
        """Authorise at most so many of the cards that are out; return how many."""
        cards = min(times, (self.out or 0) - self._approved)
        self._approved += cards
        return cards

    def use_approval(self) -> bool:
        """Use one up; return True if there was one."""
        approved = self._approved > 0
        self._approved -= approved
        return approved

    def coup_void(self, event: Event) -> Findings:
        """A void coup is over; the one before may be void while the next waits for its first card."""
        state = self.state
        before = state.phase == "between" and event.data["coup_no"] == state.coup_no
        return NONE if before else self.over(event)

    def reject(self, event: Event) -> Findings:
        """Count a card that left the shoe and was not read."""
        reason = event.data["reason"]
        if self.state.phase in ("closed", "checking"):
            return NONE
        self._has_place |= reason in _HAS_PLACE
        if self.out is not None and reason in LEFT:
            self.out = min(_MOST, self.out + 1)
        return NONE

    def card(self, event: Event) -> Findings:
        """Find a keyed card that no reject explains; a card that was read in its place needs no keyed one."""
        flags = event.data["flags"]
        if not flags.get("keyed"):
            if self.out and not (self._has_place and flags.get("surplus")):
                self._settle()
            return NONE
        if self.out == 0:
            return (self._keyed_in(event),)
        self.out = self.out and self.out - 1
        self._approved = min(self._approved, self.out or 0)
        return NONE

    def _keyed_in(self, event: Event) -> Finding:
        data = event.data
        fact, none = "A card was keyed in that did not leave the shoe.", "no card is out that was not read"
        clause = self.book.switch["manual_entry"].clause
        coup_no = 0 if data["slot"] in NO_COUP else data["coup_no"]
        return Finding(fact, f"{data['card']} keyed in as {data['slot']}", none, clause, coup_no)

    def fault(self, event: Event) -> Findings:
        """The fault of a card holds those that are out as they are; another takes its place."""
        if event.data["fault"] != "journal_full":
            self._held = event.data["fault"] == "card"
        return NONE

    def fault_cleared(self, event: Event) -> Findings:
        """A person has settled what was not read."""
        if event.data["fault"] == "journal_full":
            return NONE
        self._held = self._has_place = False
        if self.out and event.data["by"] in _PEOPLE:
            self._settle()
        return NONE

    def key(self, event: Event) -> Findings:
        """When the key is turned back nobody keys a card in any more, unless the fault stands."""
        if self.out and not event.data["on"] and not self._held:
            self._settle()
        return NONE

    def button(self, event: Event) -> Findings:
        """Confirm ends the coup, unless the dealer's entry holds it."""
        state = self.state
        ends = event.data["button"] == "confirm" and state.phase == "complete" and not state.held_by_entry()
        return self.over(event) if ends else NONE

    def command_done(self, event: Event) -> Findings:
        """So does the command; a check of the decks has no card to key in."""
        state, command = self.state, event.data["command"]
        confirmed = command == "confirm" and state.phase == "complete"
        ends = confirmed or (command == "burn_card" and state.burn_restarts())
        return self.over(event) if ends or command == "deck_check" else NONE

"""Lock: no card is drawn while the exit is locked by command."""

from dataclasses import dataclass
from typing import Any

from sabot_protocol.rulebooks import Rulebook

from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.findings import NONE, Finding, Findings
from sabot_gateway.verify.state import ShoeState

# What the first card of a coup does to wagers, by the event that closes them in the book.
_CLOSING = {
    "first_card_removed": "The first card is out, so wagers are closed. Do not accept, change or return any.",
    "first_card_dealt": "The first card is out, so wagers are closed. Do not accept, change or return any.",
    "first_card_exposed": "Keep it face down: wagers close when a card of the coup is exposed.",
    "no_more_bets_and_first_card_removed": "Call no more bets: the first card is out, so that call closes wagers.",
    "no_more_bets": "Call no more bets when the wagers are placed: the call closes them.",
    "end_of_wagering_period": "The wagering period is over: take no more wagers. Those already placed stand.",
}


def style_of(profile: dict[str, Any]) -> str:
    """Return the style in which this table closes wagers, as the book's [closing] names it."""
    return "international" if profile["switches"]["international"] else ""


@dataclass
class LockCheck:
    """The lock, as the shoe logs it."""

    state: ShoeState
    book: Rulebook
    style: str = ""  # of dealing, where the book closes wagers by it
    on: bool = False  # for certain

    def log_gap(self, event: Event) -> Findings:
        """The lock may be released in the missing part of the log."""
        self.on = False
        return NONE

    def lock(self, event: Event) -> Findings:
        """Note the lock."""
        self.on = bool(event.data["on"])
        return NONE

    def command_done(self, event: Event) -> Findings:
        """Note the lock by command: the shoe logs it only where it changes."""
        if event.data["command"] in ("lock", "unlock"):
            self.on = event.data["command"] == "lock"
        return NONE

    def checkpoint(self, event: Event) -> Findings:
        """Note the lock again."""
        self.on = bool(event.data["locked"])
        return NONE

    def card(self, event: Event) -> Findings:
        """Find a card that was due and drawn by force; a card that was not due is an irregularity."""
        if not self.on:
            return NONE
        data = event.data
        if data["flags"].get("surplus") or data["flags"].get("keyed"):
            return NONE
        if self.state.phase in ("closed", "checking"):
            return NONE
        first, closing = data["slot"] == "player_1", self.book.closing.at(self.style)
        say = ["A card was drawn while the exit was locked. It counts: leave it where it was due."]
        say += [_CLOSING[closing.event]] if first else []
        say += ["Do not draw another card until a supervisor has the exit released."]
        shoe_says = f"{data['card']} as {data['slot']}"
        clause = closing.clause if first else ""
        return (Finding(" ".join(say), shoe_says, "the exit is locked", clause, name="drawn_while_locked"),)

"""Void cause: the person, irregularity or button that makes the next coup void; it finds nothing wrong itself."""

from dataclasses import dataclass
from typing import Any

from sabot_protocol import irregularities
from sabot_protocol.rulebooks import Rulebook

from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.deciders import Decider, Who
from sabot_gateway.verify.findings import NONE, Findings
from sabot_gateway.verify.state import ShoeState

_VOIDING = ("void_coup", "irregularity", "open_shoe")  # commands that can make a coup void


@dataclass
class VoidCause:
    """What the shoe logged just before a coup is void."""

    state: ShoeState
    book: Rulebook
    who: Who
    _commanded: Decider | None = None
    _case_clause: str = ""
    _button: str = ""

    def forget(self, event: Event) -> Findings:
        """A card or another input: what came before it made no coup void."""
        self._commanded, self._case_clause, self._button = None, "", ""
        return NONE

    def command_done(self, event: Event) -> Findings:
        """Note who requested a command that can make a coup void."""
        if event.data["command"] in _VOIDING:
            self.forget(event)
            self._commanded = self.of_command(event)
        return NONE

    def irregularity(self, event: Event) -> Findings:
        """Note the clause of an irregularity."""
        self._case_clause = self._clause(event.data)
        return NONE

    def button(self, event: Event) -> Findings:
        """Note the button that ends a shoe."""
        self.forget(event)
        if event.data["button"] == "new_shoe":
            self._button = "New shoe"
        return NONE

    def _clause(self, data: dict[str, Any]) -> str:
        facts = {fact: data["facts"][fact] for fact in irregularities.CASES[data["case"]]}
        return irregularities.advise(self.book.id, data["case"], facts).clause

    def of_command(self, event: Event) -> Decider:
        """Return who requested the command that the shoe has done."""
        number, kind = event.data["command_id"], event.data["command"]
        found = self.who(event.unit, number, kind)
        return found or Decider(f"unknown person, command {number}", time=self.state.time)

    def by_button(self) -> bool:
        """Return True if nobody but who pressed a button makes the coup void."""
        return bool(self._button) and self._commanded is None

    def of_void(self, reason: str) -> Decider:
        """Return who or what made the coup void, once."""
        decider = self._commanded or Decider(f"at the shoe: {self._button or reason}", time=self.state.time)
        found = decider.under(self._case_clause)
        self._commanded, self._case_clause, self._button = None, "", ""
        return found

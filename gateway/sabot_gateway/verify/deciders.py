"""Deciders: who decided about a coup, when, and under which clause; a person at the desk, or people at the shoe."""

from collections.abc import Callable
from typing import Any, NamedTuple

from sabot_protocol import irregularities
from sabot_protocol.rulebooks import Rulebook

from sabot_gateway.shoe.parse import Event


class Decider(NamedTuple):
    """Goes with every coup that somebody decided."""

    by: str
    clause: str = ""
    time: str = ""  # of the request at the desk, else of the event
    attempt: str = ""  # the id of the ledger's entry that has the request

    def fields(self) -> dict[str, str]:
        """As a coup message has them."""
        return {"by": self.by, "clause": self.clause, "decided": self.time, "attempt": self.attempt}

    def under(self, clause: str) -> "Decider":
        """The same, under this clause where he named none."""
        return self._replace(clause=self.clause or clause)


# Who asked for the command that a unit logged under this id and kind; None where nobody here did.
Who = Callable[[str, int, str], Decider | None]
_VOIDING = ("void_coup", "irregularity", "open_shoe")  # commands that can make a coup void
_INPUTS = ("card", "cutting_card", "button", "reject", "coup", "shoe_opened", "shoe_closed", "damaged")


def nobody(unit: str, command_id: int, kind: str) -> Decider | None:
    """Where there is no desk."""
    return None


class Causes:
    """Why the next coup_void comes: the command, the irregularity or the button that the shoe logged just before it."""

    def __init__(self, rulebook: Rulebook, who: Who) -> None:
        self._rulebook, self._who = rulebook, who
        self._ordered: Decider | None = None
        self._case_clause, self._button = "", ""

    def follow(self, event: Event, time: str) -> None:
        """Every event, before it means anything: a card or another input ends what came before."""
        data, voiding = event.data, event.kind == "command_done" and event.data["command"] in _VOIDING
        if voiding or event.kind in _INPUTS:
            self._forget()
        if voiding:
            self._ordered = self.of_command(event, time)
        elif event.kind == "irregularity":
            self._case_clause = self._clause(data)
        elif event.kind == "button" and data["button"] == "new_shoe":
            self._button = "New shoe"

    def _forget(self) -> None:
        self._ordered, self._case_clause, self._button = None, "", ""

    def _clause(self, data: dict[str, Any]) -> str:
        facts = {fact: data["facts"][fact] for fact in irregularities.CASES[data["case"]]}
        return irregularities.advise(self._rulebook.id, data["case"], facts).clause

    def of_command(self, event: Event, time: str) -> Decider:
        """Who asked for the command that the shoe has done."""
        number, kind = event.data["command_id"], event.data["command"]
        found = self._who(event.unit, number, kind)
        return found or Decider(f"unknown person, command {number}", time=time)

    def of_void(self, reason: str, time: str) -> Decider:
        """Who or what made the coup void; asked once."""
        decider = self._ordered or Decider(f"at the shoe: {self._button or reason}", time=time)
        found = decider.under(self._case_clause)
        self._forget()
        return found

"""Deciders: who decided about a coup, when, and under which clause: a person at the gateway, or people at the shoe."""

from collections.abc import Callable
from typing import Final, NamedTuple

BY_DEALER: Final = "the dealer, at the shoe"  # the button Confirm
BY_SUPERVISOR: Final = "a supervisor, at the shoe"  # the supervisor's key


class Decider(NamedTuple):
    """Goes with every coup that somebody decided."""

    by: str
    clause: str = ""
    time: str = ""  # of the request at the gateway, else of the event
    attempt: str = ""  # the id of the ledger's entry that holds the request
    role: str = ""  # that came with the request, if any did

    def fields(self) -> dict[str, str]:
        """Return the fields of a coup message."""
        return {"by": self.by, "clause": self.clause, "decided": self.time, "attempt": self.attempt}

    def under(self, clause: str) -> "Decider":
        """Return the same decider with this clause, if it has none."""
        return self._replace(clause=self.clause or clause)


# Return who requested the command that a unit logged under this id and kind, or None.
Who = Callable[[str, int, str], Decider | None]


def nobody(unit: str, command_id: int, kind: str) -> Decider | None:
    """Return None: this gateway takes no requests."""
    return None

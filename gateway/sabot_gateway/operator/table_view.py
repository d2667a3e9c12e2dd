"""Table view: what a verb and the desk use of a table session."""

from typing import Protocol

from sabot_protocol.topics import CoupMessage

from sabot_gateway.incidents.book import IncidentBook
from sabot_gateway.jackpots.recording import TableJackpots
from sabot_gateway.screens.state import ScreenState
from sabot_gateway.shoe import fault
from sabot_gateway.shoe.driver import Driver
from sabot_gateway.verify import Verifier


class TableView(Protocol):
    """What a request may use of a table."""

    @property
    def name(self) -> str:
        """The table's name in the config."""

    @property
    def link(self) -> Driver:
        """The driver of its shoe."""

    @property
    def verifier(self) -> Verifier:
        """The verifier of its shoe's log."""

    @property
    def jackpots(self) -> TableJackpots | None:
        """The jackpots that run there; None if none does."""

    @property
    def incidents(self) -> IncidentBook:
        """The open incidents of the table."""

    @property
    def screens(self) -> ScreenState:
        """What its screens show beside the verifier's state."""

    @property
    def fault(self) -> str:
        """The fault for which the shoe locks its exit, or `none`."""

    def find_coup(self, shoe: int, coup: int) -> tuple[CoupMessage | None, str]:
        """Return the newest message about a coup that is stored, and the id of what confirmed it; None without one."""

    def why_not_dealt(self, shoe: int, coup: int) -> str:
        """Return why no such coup was dealt here; empty if it was, or if that cannot be known any more."""


def next_step(table: TableView) -> str:
    """Return the sentence that says how to end the shoe's fault or error; empty if it has none."""
    standing = table.verifier.standing_error()
    if standing:
        return standing["next_step"]
    verifier = table.verifier
    return fault.next_step(table.name, table.fault, dealing=verifier.state.dealing(), unread=verifier.unread_cards())

"""Shoe fault: why a shoe locks its exit, by its HELLO and its log since, and what a person does about it."""

from dataclasses import dataclass
from typing import Final

from sabot_gateway.shoe.driver import Driver
from sabot_gateway.shoe.parse import Event

_NOT_LOCKING = ("none", "journal_full")  # a full journal is not in HELLO, and can be there besides another fault

FAULTS: Final = frozenset(("fault", "fault_cleared"))  # kinds of events

_CLEAR = "`sabot table {table} clear-fault {fault} --by NAME`, or the supervisor's key at the shoe"
_NEXT_STEPS = {
    "card": "key the card in with `sabot table {table} key-card CARD --by NAME`, or void the coup with "
    "`sabot table {table} void --by NAME --clause N`: either ends the fault. If neither is needed: " + _CLEAR,
    "no card out": "see that the card is in the shoe; it is drawn again after " + _CLEAR + ". If a card is on the "
    "table that the shoe does not know, void the coup: `sabot table {table} void --by NAME --clause N`",
    "decision": "decide the coup: `sabot table {table} decide --coup SHOE/COUP --verdict confirmed|void --by NAME "
    "--clause N`; if it is decided already, run `sabot table {table} confirm --by NAME` or `sabot table {table} void "
    "--by NAME --clause N`; or turn the supervisor's key and press Confirm at the shoe",
    "burn missed": "the burn was missed: deal the first coup again with `sabot table {table} tell burn-card --by "
    "NAME`, or play on with `sabot table {table} clear-fault decision --by NAME`, or the supervisor's key at the shoe",
    "lid": "check the cards and see that the lid is shut; then " + _CLEAR,
    "composition": "count the cards; then " + _CLEAR + ", or open a new shoe",
    "sensor": "clear the path and clean the sensor; the fault ends by itself",
    "journal": "take the shoe out of service and keep it for inspection; deal from another shoe",
    "image": "take the shoe out of service and reflash it; deal from another shoe",
    "program": "compare the shoe's lamps with the cards on the table; then " + _CLEAR,
}


def next_step(table: str, fault: str, *, dealing: bool, unread: int | None = None) -> str:
    """Return what ends a fault, as a sentence; empty without one.

    `dealing`: a coup has begun and is not complete. `unread`: cards that are out and were not read, if that is known.
    """
    if fault in _NOT_LOCKING:
        return ""
    case = fault
    if fault == "decision" and dealing:  # nothing else is for a supervisor to decide then: Crown 10.1.1, A-51
        case = "burn missed"
    elif fault == "card" and unread == 0:
        case = "no card out"
    step = _NEXT_STEPS[case]
    return f"The shoe locks its exit (fault {fault}): {step.format(table=table, fault=fault)}."


@dataclass
class ShoeFault:
    """`name` is the fault of the shoe that was greeted last; `unmatched` until it was compared with the alarms."""

    name: str = "none"
    unmatched: bool = False
    _greeting: tuple[int, str] | None = None
    _since_no: int = 0  # events before this one happened before the HELLO

    def greeted(self, greeting: tuple[int, str] | None) -> None:
        """Take the last HELLO; the same one again changes nothing."""
        if greeting is not None and greeting is not self._greeting:
            self._greeting = greeting
            self._since_no, self.name = greeting
            self.unmatched = True

    def follow(self, event: Event) -> None:
        """Follow the log since then: an event whose kind is in FAULTS."""
        if event.event_no < self._since_no:
            return
        if event.data["fault"] not in _NOT_LOCKING:
            self.name = event.data["fault"] if event.kind == "fault" else "none"

    def to_match(self, link: Driver) -> bool:
        """Return True, once a HELLO, when the log has reached it: now the alarms must show this fault and no other."""
        if not self.unmatched or not link.caught_up():
            return False
        self.unmatched = False
        return True

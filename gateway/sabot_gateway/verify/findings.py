"""Findings: what a check makes of an event, where the shoe's log and the gateway's own reading do not agree."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from sabot_gateway.shoe.parse import Event


class Finding(NamedTuple):
    """One thing that does not agree; `coup_no` is the coup that it puts in doubt, 0 where it is none."""

    fact: str  # a sentence
    shoe_says: str = ""
    cards_say: str = ""
    clause: str = ""
    coup_no: int = 0
    name: str = "discrepancy"  # of the alarm
    entry: bool = False  # only the dealer's entry differs: a supervisor's word at the shoe settles it


Findings = Iterable[Finding]
Check = Callable[[Event], Findings]  # sees the event before `ShoeState` follows it
NONE: tuple[Finding, ...] = ()

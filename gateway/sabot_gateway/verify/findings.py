"""Findings: what a check finds where the shoe's log and the gateway's own reading of the rules do not agree."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from sabot_gateway.shoe.parse import Event


class Finding(NamedTuple):
    """One thing that does not agree. `coup_no` is the coup that it puts in doubt; 0 is none."""

    fact: str  # a sentence
    shoe_says: str = ""
    cards_say: str = ""
    clause: str = ""
    coup_no: int = 0
    name: str = "discrepancy"  # of the alarm
    entry: bool = False  # only the dealer's entry differs: a supervisor can decide it at the shoe


Findings = Iterable[Finding]
Check = Callable[[Event], Findings]  # sees the event before its effect on `ShoeState`
NONE: tuple[Finding, ...] = ()

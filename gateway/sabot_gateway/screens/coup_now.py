"""Coup now: the coup on the table, or the next one, as far as everybody may know it before its cards."""

from typing import NamedTuple

from sabot_protocol.topics import CoupKind

from sabot_gateway.screens.state import ScreenState
from sabot_gateway.verify import Verifier
from sabot_gateway.verify.state import NOT_OPEN


class CoupNow(NamedTuple):
    """`number` is 0 if no shoe is open, as far as the log shows."""

    number: int = 0
    kind: CoupKind = "live"
    next_kind: CoupKind = "live"
    last: bool = False
    called: bool = False


def coup_now(verifier: Verifier, screens: ScreenState) -> CoupNow:
    """Return the coup on the table: its number, its kind and that of the next, whether it is the last."""
    state, checks = verifier.state, verifier.checks
    if state.phase in NOT_OPEN:
        return CoupNow()
    number = state.coup_no if state.phase == "complete" else state.next_coup_no()
    last = checks.cutting_card.last
    return CoupNow(
        number,
        checks.notices.kind_of(number),
        checks.notices.kind_of(number + 1),
        last is not None and number >= last,
        screens.call == (state.unit, state.shoe_no, number),
    )

"""Coup now: the coup on the table, or the next one, as far as everybody may know it before its cards; its wagers."""

from typing import NamedTuple

from sabot_protocol.rulebooks.model import StyleClosing
from sabot_protocol.table_states import BetsPhase
from sabot_protocol.topics import UNWAGERED, CoupKind
from sabot_protocol.wagers.closing import Cause, Known, closed_by

from sabot_gateway.screens.state import ScreenState
from sabot_gateway.verify import Verifier
from sabot_gateway.verify.checks.lock import style_of
from sabot_gateway.verify.state import NOT_OPEN


class CoupNow(NamedTuple):
    """`number` is 0 if no shoe is open, as far as the log shows."""

    number: int = 0
    kind: CoupKind = "live"
    next_kind: CoupKind = "live"
    last: bool = False
    known: Known = Known()
    closed_by: Cause = ""


def coup_now(verifier: Verifier, screens: ScreenState) -> CoupNow:
    """Return the coup on the table: its number, its kind and that of the next, whether it is the last."""
    state, checks = verifier.state, verifier.checks
    if state.phase in NOT_OPEN:
        return CoupNow()
    number = state.coup_no if state.phase == "complete" else state.next_coup_no()
    last = checks.cutting_card.last
    known = screens.wagers.known(
        (state.unit, state.shoe_no or 0, number),
        cards=state.phase != "between" or state.unread,
        face_up=bool(verifier.profile["switches"]["dealt_face_up"]),
    )
    return CoupNow(
        number,
        checks.notices.kind_of(number),
        checks.notices.kind_of(number + 1),
        last is not None and number >= last,
        known,
        closed_by(closing(verifier), known),
    )


def closing(verifier: Verifier) -> StyleClosing:
    """Return when wagers close at this table, by its book and style."""
    return verifier.book.closing.at(style_of(verifier.profile))


def bets_phase(verifier: Verifier, now: CoupNow) -> BetsPhase:
    """Return whether wagers may be placed: the one answer for screens, people and jackpots."""
    state = verifier.state
    if state.phase in NOT_OPEN or state.burning:
        return "none"
    return "no_more_bets" if now.closed_by or now.kind in UNWAGERED else "bets"

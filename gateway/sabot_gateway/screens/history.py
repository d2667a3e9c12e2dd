"""History: what everybody may see of the shoe on the table; no card before its result is out, never the burn card."""

from sabot_protocol.table_states import HistoryMessage, HistoryState, LastHand
from sabot_protocol.topics import CoupMessage

from sabot_gateway.screens.coup_now import bets_phase, coup_now
from sabot_gateway.screens.results import Results
from sabot_gateway.screens.state import ScreenState
from sabot_gateway.verify import Verifier

_STATES: dict[str, HistoryState] = {"unknown": "unknown", "closed": "closed", "checking": "closed"}


def history_message(table: str, verifier: Verifier, screens: ScreenState, time: str) -> HistoryMessage:
    """Return the message on `history` as it is now."""
    state, now = verifier.state, coup_now(verifier, screens)
    (unit, shoe), results = screens.results.place, screens.results.current()
    if state.unit not in ("", unit) or state.shoe_no not in (None, shoe):
        unit, shoe, results = state.unit, state.shoe_no or 0, Results()
    return HistoryMessage(
        table=table,
        time=time,
        unit=unit,
        shoe=shoe,
        state=_state(verifier) if shoe else "unknown",
        gap=bool(shoe) and verifier.results_missing() and _STATES.get(state.phase) != "closed",
        results=results.text,
        coups=list(results.coups),
        undecided=list(results.undecided),
        phase=bets_phase(verifier, now),
        coup=now.number,
        kind=now.kind,
        next_kind=now.next_kind,
        last_coup=now.last,
        last=_last_hand(results.last),
    )


def _state(verifier: Verifier) -> HistoryState:
    """Return whether the shoe is open; an Angel Eye's is, until its change is seen."""
    phase = verifier.state.phase
    return "open" if phase == "unknown" and verifier.driver == "angel-eye" else _STATES.get(phase, "open")


def _last_hand(coup: CoupMessage | None) -> LastHand | None:
    if coup is None or coup.winner is None:
        return None
    return LastHand(
        coup=coup.coup,
        kind=coup.kind,
        winner=coup.winner,
        player=coup.player,
        banker=coup.banker,
        player_points=coup.player_points,
        banker_points=coup.banker_points,
        player_pair=coup.player_pair,
        banker_pair=coup.banker_pair,
        natural=coup.natural,
        time=coup.time,
    )

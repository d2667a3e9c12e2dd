"""Hand: the coup on the table as staff see it, with every card as it is read, what is due, locks and the result."""

from sabot_protocol.table_states import HandCard, HandMessage, HandPhase, HandResult

from sabot_gateway import rules
from sabot_gateway.screens.cards import SURPLUS
from sabot_gateway.screens.coup_now import bets_phase, coup_now
from sabot_gateway.screens.state import ScreenState
from sabot_gateway.verify import Verifier
from sabot_gateway.verify.state import ShoeState

_PHASES: dict[str, HandPhase] = {
    "unknown": "unknown",
    "closed": "closed",
    "checking": "checking",
    "between": "bets",
    "dealing": "dealing",
    "complete": "complete",
}


def hand_message(table: str, verifier: Verifier, screens: ScreenState, fault: dict[str, str], time: str) -> HandMessage:
    """Return the message on `hand` as it is now; `fault` has the fault that locks the exit, and the next step."""
    state, now = verifier.state, coup_now(verifier, screens)
    cards = screens.cards.on_table(state, now.number) if now.number else []
    own = cards[: len(state.dealt.get(now.number, ()))]
    return HandMessage(
        table=table,
        time=time,
        unit=state.unit,
        shoe=state.shoe_no or 0,
        phase="burning" if _is_burning(state) else _PHASES[state.phase],
        coup=now.number,
        kind=now.kind,
        next_kind=now.next_kind,
        called=now.known.called,
        wagers=bets_phase(verifier, now),
        exposed=now.known.exposed,
        cards=cards,
        player_points=_points(own, "player"),
        banker_points=_points(own, "banker"),
        due=_due(state, now.number),
        surplus=sum(SURPLUS in card.notes for card in cards),
        locked=verifier.exit_locked(fault=bool(fault)),
        last_coup=now.last,
        result=_result(verifier),
        unread=verifier.unread_cards(),
        authorisation_needed=verifier.checks.authorisation.awaiting,
        **fault,
    )


def _is_burning(state: ShoeState) -> bool:
    return state.burning and state.phase == "between"


def _points(cards: list[HandCard], side: str) -> int:
    return rules.points([card.card for card in cards if card.slot.startswith(side)])


def _due(state: ShoeState, coup: int) -> str:
    """Return the slot of the next card; empty if none is due, or if cards of the coup were not seen."""
    if state.phase not in ("between", "dealing") or state.gap_in == coup:
        return ""
    return "burn" if _is_burning(state) else state.due(coup) or ""


def _result(verifier: Verifier) -> HandResult | None:
    """Return the newest message about the coup on the table, until it is confirmed at the shoe."""
    state = verifier.state
    coup = verifier.disputes.last_at((state.unit, state.shoe_no or 0, state.coup_no))
    if state.phase != "complete" or coup is None:
        return None
    return HandResult(
        id=coup.id,
        status=coup.status,
        winner=coup.winner,
        player_points=coup.player_points,
        banker_points=coup.banker_points,
        player_pair=coup.player_pair,
        banker_pair=coup.banker_pair,
        natural=coup.natural,
    )

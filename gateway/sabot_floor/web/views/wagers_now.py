"""Wagers now: whether those of the coup on the table are open, and whether they may be reopened; pure."""

from sabot_protocol.table_states import HandMessage


def are_open(hand: HandMessage) -> bool:
    """Return True if wagers may be placed; an earlier gateway shows it by the phase."""
    if hand.wagers is None:
        return hand.phase == "bets" and not hand.called
    return hand.wagers == "bets"


def may_reopen(hand: HandMessage) -> bool:
    """Return True if the wagers of a coup are closed and nothing of it is exposed."""
    return hand.wagers == "no_more_bets" and not hand.exposed

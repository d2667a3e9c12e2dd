"""What is possible now: the state of a table → why a button of the pit's panel would be refused; pure."""

from collections.abc import Callable

from sabot_protocol.table_states import HandMessage

from sabot_floor.web.views import wagers_now

_NO_SHOE = ("closed", "checking")
_COUP = ("dealing", "complete")


def reason(hand: HandMessage | None, do: str) -> str:
    """Return the name of the reason why this is not possible now; empty if it is, or if the state is not known."""
    if hand is None or hand.phase == "unknown" or do not in _RULES:
        return ""
    return _RULES[do](hand)


def _confirm(hand: HandMessage) -> str:
    status = hand.result.status if hand.result else ""
    if status == "disputed":
        return "disputed"
    if hand.phase == "dealing" and hand.fault == "decision":
        return ""
    return _first((hand.phase not in _COUP, "no_coup"), (hand.phase == "dealing", "dealing"), (_is_over(hand), "over"))


def _is_over(hand: HandMessage) -> bool:
    return hand.result is not None and hand.result.status in ("confirmed", "void")


def _void(hand: HandMessage) -> str:
    if hand.waits_for_card():  # it may be the first of a coup: a void ends the fault
        return ""
    over = hand.result is not None and hand.result.status == "void"
    return _first((hand.phase not in _COUP, "no_coup"), (over, "over"))


def _close_shoe(hand: HandMessage) -> str:
    return _first((hand.phase in _NO_SHOE, "no_shoe"), (hand.phase == "dealing", "dealing"))


def _open_shoe(hand: HandMessage) -> str:
    return _first(
        (hand.phase == "dealing", "dealing"),
        (hand.phase == "burning", "burning"),
        (hand.phase == "checking", "checking"),
    )


def _burn_card(hand: HandMessage) -> str:
    if hand.phase == "dealing" and hand.fault == "decision":  # the burn was missed
        return ""
    return _first((hand.phase in _NO_SHOE, "no_shoe"), (hand.phase == "dealing", "dealing"))


def _reopen(hand: HandMessage) -> str:
    return _first(
        (hand.phase in _NO_SHOE, "no_shoe"),
        (hand.exposed, "exposed"),
        (wagers_now.are_open(hand), "wagers_open"),
    )


def _first(*reasons: tuple[bool, str]) -> str:
    return next((name for holds, name in reasons if holds), "")


_RULES: dict[str, Callable[[HandMessage], str]] = {
    "confirm": _confirm,
    "void": _void,
    "this_no_bet": lambda hand: _first((hand.phase not in _COUP, "no_coup"), (_is_over(hand), "over")),
    "no_more_bets": lambda hand: _first(
        (hand.phase in _NO_SHOE, "no_shoe"), (not wagers_now.are_open(hand), "wagers_closed")
    ),
    "reopen_wagers": _reopen,
    "card_exposed": lambda hand: _first((hand.phase not in _COUP, "no_coup"), (hand.exposed, "exposed")),
    "no_bet": lambda hand: _first((hand.phase in _NO_SHOE, "no_shoe")),
    "authorise": lambda hand: _first((hand.phase in _NO_SHOE, "no_shoe")),
    "key_card": lambda hand: _first((not hand.waits_for_card(), "no_unread")),
    "card_returned": lambda hand: _first((not hand.surplus, "no_surplus")),
    "close_shoe": _close_shoe,
    "end_shoe": lambda hand: _first((hand.phase == "dealing", "dealing"), (hand.phase == "checking", "checking")),
    "open_shoe": _open_shoe,
    "burn_card": _burn_card,
    "export_coup": lambda hand: _first((hand.phase not in _COUP, "no_coup")),
    "import_coup": lambda hand: _first((hand.phase in _NO_SHOE, "no_shoe"), (hand.coup > 1, "coups_dealt")),
    "deck_check": lambda hand: _first((hand.phase not in _NO_SHOE, "shoe_open")),
    "unlock": lambda hand: _first((hand.locked is False, "not_locked")),
}

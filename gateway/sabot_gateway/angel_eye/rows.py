"""Rows: what happens with each part of an Angel Eye's event: its checks, its report, its effect on the state."""

from typing import Any

from sabot_gateway.angel_eye import reports
from sabot_gateway.angel_eye.checks import AngelEyeChecks
from sabot_gateway.verify import effects
from sabot_gateway.verify.dispatch import Row
from sabot_gateway.verify.reports import coups, shoe
from sabot_gateway.verify.state import NO_COUP, ShoeState


def _card(state: ShoeState, data: dict[str, Any]) -> None:
    """Add the card to its coup; after a card that was not due, what is due is not known."""
    number, slot = data["coup_no"], data["slot"]
    due = state.due(number)
    effects.card(state, data)
    if slot not in NO_COUP and slot != due:
        state.gap_in = number


def _connected(state: ShoeState, data: dict[str, Any]) -> None:
    """Cards and coups may be missing from now on; a coup that is complete can still be confirmed."""
    state.whole = state.burning = state.line_lost = False
    if state.phase != "complete":
        state.phase = "unknown"


def _burn_first(state: ShoeState, data: dict[str, Any]) -> None:
    """A shoe without coups begins here, whatever came before the line was opened."""
    if not state.coup_no:
        state.whole = state.burning = True
        state.phase = "between"


def _burn(state: ShoeState, data: dict[str, Any]) -> None:
    """The burn is over; its first card also begins a shoe without coups."""
    if data["first"]:
        _burn_first(state, data)
    effects.burn(state, data)


def _none_on_table(state: ShoeState, data: dict[str, Any]) -> None:
    """The shoe has ended a coup that was not seen; after a coup without a result it may have ended that one."""
    state.missed |= state.phase in ("unknown", "between") and not data["undefined"]
    if state.phase == "unknown":
        state.phase = "between"


ROWS: dict[str, Row[AngelEyeChecks]] = {
    # The shoe and its cards
    "shoe_opened": Row(
        lambda check: (
            check.clock.gateway_only,
            check.composition.shoe_opened,
            check.cutting_card.shoe_opened,
            check.kinds.shoe_opened,
            check.notices.shoe_opened,
            check.tracked.shoe_opened,
            check.void_cause.forget,
        ),
        shoe.opened,
        effects.shoe_opened,
        coups.any_coup,
    ),
    "shoe_closed": Row(lambda check: (check.void_cause.forget,), shoe.closed, effects.shoe_closed, coups.any_coup),
    "burn_first": Row(lambda check: (check.tracked.burn_first,), effect=_burn_first),
    "burn": Row(lambda check: (check.tracked.burn,), effect=_burn),
    "cutting_card": Row(lambda check: (check.cutting_card.cutting_card, check.void_cause.forget)),
    # Coups
    "card": Row(
        lambda check: (
            check.clock.gateway_only,
            check.composition.card,
            check.tracked.card,
            check.coups.card,
            check.void_cause.forget,
        ),
        reports.card,
        _card,
        coups.card_of_another_coup,
    ),
    "conflict": Row(lambda check: (check.tracked.conflict,)),
    "again": Row(lambda check: (check.tracked.again,)),
    "coup": Row(
        lambda check: (check.clock.gateway_only, check.notices.coup, check.tracked.coup, check.void_cause.forget),
        coups.coup,
        effects.coup,
        coups.another_coup,
    ),
    "coup_void": Row(
        lambda check: (check.kinds.coup_void, check.notices.coup_void),
        coups.void,
        effects.coup_void,
        coups.another_coup,
    ),
    # What people must look at
    "outside": Row(lambda check: (), reports.outside),
    "result_not_used": Row(lambda check: (), reports.result_not_used, _none_on_table),
    "sent_again": Row(lambda check: (), reports.sent_again),
    "kept": Row(lambda check: (), reports.kept),
    "kept_forgotten": Row(lambda check: (), reports.kept_forgotten),
    "error": Row(lambda check: (check.tracked.error,), reports.error),
    "error_cleared": Row(lambda check: (), reports.error_cleared),
    # The shoe and its line
    "lock_changed": Row(lambda check: (), reports.lock),
    "restarted": Row(lambda check: (), reports.restarted),
    "connected": Row(lambda check: (), reports.connected, _connected),
    # People
    "button": Row(lambda check: (), reports.confirmed, effects.button),
    "command_done": Row(
        lambda check: (check.kinds.command_done, check.notices.command_done, check.void_cause.command_done),
        coups.command_done,
        effects.command_done,
    ),
    "command_refused": Row(lambda check: ()),
}

"""Other cards before a coup that a card in excess begins: New Zealand 12.1(b), 12.2 permit it for an unseen card."""

from types import SimpleNamespace
from typing import Any, cast

import pytest
from sabot_gateway.operator.table_view import TableView
from sabot_gateway.operator.verbs.shoe import CloseShoe, OpenShoe
from sabot_gateway.operator.verbs.verb import RefusedError
from verified_log import Log


def overdrawn(code: str, *, exposed: bool) -> Log:
    """Return a log after Confirm, with a card in excess that begins the next round."""
    log = Log("nz-baccarat")
    log.deal()
    log.result()
    log.card("8D", "player_1", coup_no=2, flags={"surplus": True, "exposed": exposed})
    log.irregularity("player_overdraw", code, exposed=exposed)
    log.confirm()
    return log


@pytest.mark.parametrize("verb", [CloseShoe(), OpenShoe()])
def test_a_round_without_wagers_is_dealt_before_other_cards_come(verb: Any) -> None:
    seen, unseen = overdrawn("NEXT_NO_BET", exposed=True), overdrawn("NEXT_LIVE", exposed=False)
    verb.check(table_of(unseen))
    with pytest.raises(RefusedError, match="coup 1/2 begins with a card that was drawn in excess"):
        verb.check(table_of(seen))
    seen("coup_void", shoe_no=1, coup_no=2, reason="misdeal", then="go_on", cards=1)
    verb.check(table_of(seen))


def table_of(log: Log) -> TableView:
    """Return as much of a table as the check reads."""
    return cast(TableView, SimpleNamespace(name="bac-01", verifier=log.verifier))


def test_a_shoe_that_is_closed_before_the_round_has_dealt_one_coup() -> None:
    log = overdrawn("NEXT_LIVE", exposed=False)
    log("shoe_closed", shoe_no=1, coups=1, reason="command")
    assert log.alarms() == []

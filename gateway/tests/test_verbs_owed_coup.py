"""Other cards before a coup that a card in excess begins: only New Zealand permits it, for an unseen card."""

from types import SimpleNamespace
from typing import Any, cast

import pytest
from sabot_gateway.operator.table_view import TableView
from sabot_gateway.operator.verbs.shoe import CloseShoe, OpenShoe
from sabot_gateway.operator.verbs.verb import RefusedError
from sabot_gateway.verify import Source
from sabot_gateway.verify.deciders import Decider
from verified_log import Log


def overdrawn(code: str, *, exposed: bool, book: str = "nz-baccarat", confirmed: bool = True) -> Log:
    """Return a log after Confirm, or before it, with a card in excess that begins the next round."""
    log = Log(book)
    log.deal()
    log.result()
    log.card("8D", "player_1", coup_no=2, flags={"surplus": True, "exposed": exposed})
    log.irregularity("player_overdraw", code, exposed=exposed)
    if confirmed:
        log.confirm()
    return log


@pytest.mark.parametrize("verb", [CloseShoe(), OpenShoe()])
@pytest.mark.parametrize("confirmed", [False, True])
@pytest.mark.parametrize(
    ("book", "rule"),
    [
        ("star-baccarat", "12.2, 12.3"),
        ("star-premium", "14.2, 14.3"),
        ("nz-baccarat", ""),  # 12.1(b), 12.2(a): unless the cards are replaced before the next round
        ("crown-baccarat", "10.2"),
        ("star-rapid", "11.8.3, 11.8.4"),
    ],
)
def test_an_unseen_card_in_excess_is_used_first_but_in_new_zealand(
    book: str, rule: str, confirmed: bool, verb: Any
) -> None:
    table = table_of(overdrawn("NEXT_LIVE", exposed=False, book=book, confirmed=confirmed))
    if not rule:
        verb.check(table)
        return
    with pytest.raises(RefusedError) as refused:
        verb.check(table)
    assert f"used for that coup (rule {rule})" in str(refused.value)
    assert ("Confirm the coup on the table" in str(refused.value)) is not confirmed


@pytest.mark.parametrize("verb", [CloseShoe(), OpenShoe()])
def test_a_card_that_is_put_back_begins_a_dummy_coup_first(verb: Any) -> None:
    log = overdrawn("NEXT_NO_BET", exposed=True, book="crown-baccarat", confirmed=False)
    log.command("card_returned")  # 7.1.5(a)
    with pytest.raises(RefusedError, match="dealt without wagers"):
        verb.check(table_of(log))
    log.confirm()
    with pytest.raises(RefusedError, match="dealt without wagers"):
        verb.check(table_of(log))
    log.card("8D", "player_1", coup_no=2, flags={"returned": True})
    assert not log.verifier.state.returned


def test_a_void_shoe_is_closed_though_a_card_in_excess_waits() -> None:
    log = overdrawn("NEXT_LIVE", exposed=False, book="star-baccarat")
    log.verifier.declare_shoe_void(Decider("A. Smith"), Source("6a7e", 1, ""))
    CloseShoe().check(table_of(log))


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

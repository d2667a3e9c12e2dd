"""A dispute or a payment is about a coup that was dealt; and about no day that is still to come."""

from datetime import UTC
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from ledger_entries import coup, play
from sabot_gateway.ledger import Ledger
from sabot_gateway.operator.dealt_coups import why_not
from sabot_gateway.operator.verbs.settle import local_date
from sabot_gateway.verify.state import ShoeState
from test_desk_incidents import ask, bench, one

SHOE_3 = ShoeState(shoe_no=3, phase="complete", coup_no=2)  # two coups are dealt, the second is on the table


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """Shoes 1 and 2 with ten coups each."""
    made = Ledger(tmp_path / "ledger.db")
    made.append(play(1, 1, 10) + play(63, 2, 10, minute=60))
    made.move_cursor("mqtt", 124)
    return made


@pytest.mark.parametrize(
    ("shoe", "number", "why"),
    [
        (1, 1, ""),
        (2, 10, ""),
        (3, 2, ""),
        (3, 3, "shoe 3 has no coup 3: its last one is 3/2"),
        (2, 11, "shoe 2 has no coup 11: its last one is 2/10"),
        (2, 0, "shoe 2 has no coup 0: its last one is 2/10"),
        (7, 300, "bac-01 had no shoe 7: shoes 1 to 3 are known"),
    ],
)
def test_which_coups_were_dealt(ledger: Ledger, shoe: int, number: int, why: str) -> None:
    assert why_not(ledger, "bac-01", SHOE_3, shoe, number) == why


def test_another_tables_shoes_do_not_count(ledger: Ledger) -> None:
    assert why_not(ledger, "bac-02", SHOE_3, 1, 1) == "bac-02 had no shoe 1: shoe 3 is known"


def test_what_was_pruned_may_have_been_dealt(ledger: Ledger) -> None:
    ledger.prune("2026-05-01T01:00:00Z")
    assert why_not(ledger, "bac-01", SHOE_3, 1, 9) == ""
    assert why_not(ledger, "bac-01", SHOE_3, 7, 1) == "bac-01 had no shoe 7: shoes 2 to 3 are known"


def test_a_shoe_with_a_gap_in_its_log_may_have_dealt_more(ledger: Ledger) -> None:
    assert why_not(ledger, "bac-01", ShoeState(shoe_no=3), 3, 50) == ""
    assert why_not(None, "bac-01", ShoeState(), 7, 300) == ""


def test_a_coup_that_came_from_another_shoe_has_its_number_there(ledger: Ledger) -> None:
    ledger.append([coup(200, 90, 4, 12)])
    assert why_not(ledger, "bac-01", SHOE_3, 4, 12) == ""


def test_the_desk_refuses_what_was_never_dealt() -> None:
    made = bench()
    assert ask(made, "dispute", patron="B. Lee", coup="7/300") == (
        "Dispute refused: bac-01 had no shoe 7: shoe 1 is known. Name another coup with --coup, or leave it out for "
        "the one on the table."
    )
    refused = ask(made, "payment", direction="over", amount_cents=5, coup="1/99")
    assert refused.startswith("Payment refused: shoe 1 has no coup 99: its last one is 1/1. ")
    assert made.table.incidents.open() == []


def test_a_payment_of_tomorrow_is_refused_and_one_of_today_is_not() -> None:
    made = bench()  # on 2 January
    refused = ask(made, "payment", direction="over", amount_cents=5, date="2026-01-03")
    assert refused.startswith("Payment refused: 2026-01-03 is not over: it is 2026-01-02 at this gateway.")
    ask(made, "payment", direction="over", amount_cents=5, date="2026-01-02")
    assert one(made).facts["date"] == "2026-01-02"


def test_the_date_is_that_of_the_site() -> None:
    evening = "2026-01-02T20:00:00.000Z"  # seven in the morning of the third in Sydney
    assert local_date(evening, ZoneInfo("Australia/Sydney")) == "2026-01-03"
    assert local_date(evening, UTC) == "2026-01-02"

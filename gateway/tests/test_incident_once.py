"""One thing to settle is one incident."""

import pytest
from incident_log import IncidentLog


@pytest.mark.parametrize(("case", "kind"), [("wrong_area", "misdelivery"), ("bad_order", "misdeal")])
def test_a_void_that_settles_an_incident_opens_no_other(case: str, kind: str) -> None:
    log = IncidentLog("star-rapid")
    log.deal("9S 2H")
    facts = {"international": False} if case == "wrong_area" else {"reconstructible": False}
    log.irregularity(case, "VOID", **facts, **({"notified_before_next": True} if case == "bad_order" else {}))
    log("coup_void", shoe_no=1, coup_no=1, then="go_on", cards=2, reason="misdeal")
    assert [state[:2] for state in log.states()] == [(kind, "open"), (kind, "closed")]

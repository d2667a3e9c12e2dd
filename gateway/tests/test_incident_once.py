"""One thing to settle is one incident."""

import pytest
from incident_log import IncidentLog


@pytest.mark.parametrize(("case", "kind"), [("wrong_area", "misdelivery"), ("bad_order", "misdeal")])
def test_a_void_that_settles_an_incident_opens_no_other(case: str, kind: str) -> None:
    log = IncidentLog("star-rapid")
    log.deal("9S 2H")
    facts = {"international": False} if case == "wrong_area" else {"reconstructible": False}
    log.irregularity(case, "VOID", **facts, **({"notified_before_next": True} if case == "bad_order" else {}))
    log.voided(role="assistant_gaming_manager", cards=2)
    assert [state[:2] for state in log.states()] == [(kind, "open"), (kind, "closed")]


@pytest.mark.parametrize(("case", "kind"), [("wrong_area", "misdelivery"), ("bad_order", "misdeal")])
def test_nor_does_one_that_nobody_of_the_role_has_authorised(case: str, kind: str) -> None:
    log = IncidentLog("star-rapid")
    log.deal("9S 2H")
    log.irregularity(case, "VOID", **({} if case == "wrong_area" else {"notified_before_next": True}))
    log.voided(role="casino_supervisor", cards=2)  # 11.8.1.3: the Assistant Gaming Manager
    assert [state[:2] for state in log.states()][-1] == (kind, "open")
    assert {one.kind for one in log.incidents} == {kind}

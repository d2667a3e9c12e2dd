"""Words of reports: facts, verbs as people type them, and when a step is due."""

import pytest
from sabot_floor.reports.wording import facts_text, typed
from sabot_protocol.due import step_due


def test_facts_in_words() -> None:
    assert facts_text('{"amount_cents":150000,"direction":"over","patron":"P."}') == "overpayment $1,500.00, patron: P."
    assert facts_text('{"amount_cents":5,"direction":"under"}') == "underpayment $0.05"
    assert facts_text('{"amount_cents":150000,"on":true,"empty":""}') == "amount: $1,500.00, on: yes"
    assert [facts_text(text) for text in ("", "no JSON", "[1]")] == ["", "no JSON", "[1]"]


def test_verbs_as_people_type_them() -> None:
    assert (typed("irregularity"), typed("decide")) == ("report", "decide")


@pytest.mark.parametrize(
    ("due", "clause", "to", "words"),
    [
        ("", "12.11.4", [], ""),
        ("at_once", "13.4.5", ["casino_manager"], "at once"),
        ("daily", "12.11.4", ["inspector"], "in the daily report"),
        ("ahead", "6.7", ["players"], "at least 20 minutes before"),  # Crown 6.7: notice of 20 minutes
        ("ahead", "15.8", ["players"], "some time before"),  # 3 coups at Crown, 20 minutes at The Star
        ("ahead", "no such clause", [], "some time before"),
        ("before", "13.4.1(a)", ["vgccc"], "before it is done"),
        ("reasonable_time", "12.18-12.20", ["case_file"], "within a reasonable time"),
    ],
)
def test_when_a_step_is_due(due: str, clause: str, to: list[str], words: str) -> None:
    assert step_due(due, clause, to) == words

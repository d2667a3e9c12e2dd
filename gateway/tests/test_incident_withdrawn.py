"""A mistaken incident that a person opened is withdrawn by a new entry; what an alarm opened is not."""

from typing import Any

import msgspec
import pytest
from desk_bench import DISPUTED, TIME
from sabot_floor.projection.changes import changes
from sabot_floor.reports.payments import payment_rows
from sabot_floor.store.rows import Incident
from sabot_gateway.operator import command_acts
from sabot_gateway.operator.local_roles import Granted
from sabot_gateway.operator.requests import TableRequest, parse
from sabot_protocol.topics import IncidentMessage
from shoe_events import cards, event, result
from test_desk_incidents import ask, bench, one, with_incidents
from test_requests import line, refusal

PRESSED = ("player", "confirm")  # the dealer's entry, where the book wants it, and Confirm


def test_a_wrong_date_is_withdrawn_and_the_right_one_is_taken() -> None:
    made = bench()
    ask(made, "record", act="close_table", at="2026-01-01T22:00Z")  # yesterday
    made.table.incidents.overdue(made.own.new_source(TIME))
    before = one(made)
    assert before.steps[0].late
    made.request("withdraw", by="C. Ng", clause="", args={"incident": "notice", "reason": "the date was wrong"})
    made.commit()
    (payload,) = (payload for _, topic, payload in made.commit() if topic == "incident")
    after = msgspec.convert(payload, IncidentMessage)
    step, _ = after.steps
    assert (after.incident, after.state, after.by) == (before.incident, "closed", "A. Smith")
    assert (step.by, step.note, step.late) == ("C. Ng", "not needed: withdrawn: the date was wrong", False)
    assert after.facts["withdrawn"] == "the date was wrong"
    assert made.answers[-1].say == f"{before.incident} (notice) is withdrawn: the date was wrong."
    ask(made, "record", act="close_table", at="2026-01-02T22:00Z")
    assert one(made).steps[0].until == "2026-01-02T21:40:00.000Z"  # 14.10: twenty minutes


def test_what_an_alarm_opened_stays() -> None:
    made = bench()
    with_incidents(made, *DISPUTED)
    refused = ask(made, "withdraw", incident="discrepancy", reason="a mistake")
    assert "was opened by an alarm or by the shoe's log, and only what a person opened can be withdrawn." in refused
    assert one(made).kind == "discrepancy"


def test_what_is_not_open_is_not_withdrawn() -> None:
    assert ask(bench(), "withdraw", incident="notice", reason="a mistake") == (
        "Withdraw refused: no incident notice is open; open: none"
    )
    assert "reason" in refusal(line("withdraw", {"incident": "notice"}))


@pytest.mark.parametrize(
    ("verb", "args", "kind", "act"),
    [
        ("record", {"act": "close_table"}, "notice", "close_table"),
        ("payment", {"direction": "over", "amount_cents": 5}, "wrong_payment", ""),
        ("dispute", {"patron": "B. Lee"}, "player_dispute", ""),
    ],
)
def test_it_needs_the_role_that_opens_it(verb: str, args: dict[str, Any], kind: str, act: str) -> None:
    made = bench()
    ask(made, verb, **args)
    request = parse(line("withdraw", {"incident": kind, "reason": "a mistake"}))
    assert isinstance(request, TableRequest)
    assert command_acts.act_of(request, made.table) == act


def _row(message: IncidentMessage) -> Incident:
    row = changes("6a7e000000000001", 1, "bac-01", "incident", msgspec.json.encode(message))
    assert isinstance(row, Incident)
    return row


def test_a_withdrawn_payment_is_not_one_for_the_nicc() -> None:
    made = bench()
    ask(made, "payment", direction="over", amount_cents=250_000)
    opened = one(made)
    made.request("withdraw", clause="", args={"incident": "wrong_payment", "reason": "typed twice"})
    made.commit()
    (payload,) = (payload for _, topic, payload in made.commit() if topic == "incident")
    rows = [next(payment_rows([_row(message)])) for message in (opened, msgspec.convert(payload, IncidentMessage))]
    assert [(row.to_nicc, row.notified, row.state) for row in rows] == [(True, "", "open"), (False, "", "closed")]
    assert "withdrawn: typed twice" in rows[1].note


# A record alone makes no coup void


@pytest.mark.parametrize(
    ("book", "act", "role"),
    [
        ("star-baccarat", "void_misdeal", "casino_supervisor"),
        ("crown-baccarat", "void_misdeal", "higher_duties_dealer"),
        ("star-rapid", "void_misdeal", "assistant_gaming_manager"),
        ("star-rapid", "void_wrong_shoe", "assistant_gaming_manager"),
    ],
)
@pytest.mark.parametrize("settled", [False, True])
def test_a_coup_that_stands_is_not_recorded_as_void(book: str, act: str, role: str, settled: bool) -> None:
    made = bench(book)
    made.granted = Granted(role)
    with_incidents(made, *cards(2, "9S 2H TD 3C"))
    ask(made, "record", act=act)
    kind = one(made).kind
    with_incidents(made, result(6, "player", 9, 5, natural=True))
    if settled:
        with_incidents(made, *(event(7 + n, "button", shoe_no=1, coup_no=1, button=b) for n, b in enumerate(PRESSED)))
    refused = ask(made, "step", incident=kind, step="void")
    assert refused.startswith("Step refused: coup 1/1 "), refused
    assert ("withdraw" in refused) is settled
    assert one(made).state == "open"
    ask(made, "withdraw", incident=kind, reason="noticed after the next coup began: the result stands")
    assert made.table.incidents.open() == []


# Two people, two acts: one does not stand in the way of the other


def test_commission_of_two_players_is_deferred_at_one_coup() -> None:
    made = bench("crown-baccarat")  # 9.3.1
    for patron in ("R. Lee", "S. Wu", "S. Wu"):
        answer = ask(made, "record", act="defer_commission", patron=patron)
    assert answer.startswith("Record refused: "), "the same player twice"
    assert [one.facts["patron"] for one in made.table.incidents.open()] == ["R. Lee", "S. Wu"]


@pytest.mark.parametrize("book", ["star-baccarat", "star-premium"])
def test_a_table_is_closed_while_the_sign_of_a_raised_minimum_is_up(book: str) -> None:
    made = bench(book)
    for act in ("raise_minimum", "close_table", "close_table"):
        answer = ask(made, "record", act=act)
    assert answer.startswith("Record refused: "), "the same act twice"
    assert [one.facts["act"] for one in made.table.incidents.open()] == ["raise_minimum", "close_table"]

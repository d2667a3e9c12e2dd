"""sabot table T open|step|dispute|payment|record: what is asked of the daemon, what is printed, and wrong options."""

import json
from typing import Any

import pytest
from sabot_service.messages import Answer, Request
from sabot_tools.actions import incidents
from sabot_tools.cli import app
from sabot_tools.stand import table_target
from sabot_tools.text.incidents import incident_lines, open_line
from typer.testing import CliRunner

INCIDENT: dict[str, Any] = {
    "incident": "5ab0000000000001-40-incident", "kind": "foreign_card", "opened": "2026-01-01T00:00:00.000Z",
    "shoe": 3, "coup": 17, "say": "A card is missing or foreign.",
    "steps": [
        {"name": "void", "say": "Void the coup.", "done": "2026-01-01T00:00:01.000Z"},
        {"name": "check_cards", "say": "Check the cards.", "role": "casino_supervisor", "clause": "12.11"},
        {"name": "notify_inspector", "say": "Notify the Inspector.", "due": "month_end", "late": True},
    ],
}  # fmt: skip
BY = ("--by", "A. Smith")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Request]:
    requests: list[Request] = []
    status = {"tables": [{"table": "bac-01", "incidents": [INCIDENT], "more_incidents": 2}, {"table": "bac-02"}]}

    def ask(_config: object, _socket: object, request: Request) -> Answer:
        requests.append(request)
        return Answer(True, "Done.", json.dumps(status).encode())  # type: ignore[arg-type]

    monkeypatch.setattr(table_target, "ask", ask)
    monkeypatch.setattr(incidents, "ask", ask)
    return requests


def run(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["table", "bac-01", *arguments])
    assert result.exit_code == code, result.output
    return result.output


def test_what_is_open_is_listed_with_what_to_type(asked: list[Request]) -> None:
    assert run("open").splitlines() == [
        "bac-01: foreign_card since 2026-01-01T00:00:00.000Z, coup 3/17: A card is missing or foreign.",
        "  check_cards: Check the cards. (lowest role casino_supervisor, rule 12.11)",
        "  notify_inspector: Notify the Inspector. (due at the end of the month, late)",
        "  sabot table bac-01 step --incident 5ab0000000000001-40-incident --step NAME --by NAME",
        "bac-01: 2 more are open and not listed: see `sabot ledger show`.",
    ]
    assert json.loads(run("open", "--json")) == {"table": "bac-01", "incidents": [INCIDENT], "more": 2}
    assert [request.verb for request in asked] == ["status", "status"]


def test_payments_of_one_kind_differ_by_amount_patron_and_date() -> None:
    def first_line(**facts: Any) -> str:
        payment = {**INCIDENT, "kind": "wrong_payment", "say": "Overpayment.", "facts": facts}
        return incident_lines("bac-01", payment)[0].partition(", ")[2]

    assert first_line(amount_cents=250_050, patron="B. Lee", date="2026-01-01", intentional=True) == (
        "coup 3/17: Overpayment. (amount 2,500.50, patron B. Lee, date 2026-01-01, intentional)"
    )
    assert first_line(amount_cents=5, intentional=False) == "coup 3/17: Overpayment. (amount 0.05)"


def test_a_table_with_nothing_open_and_one_that_is_not_there(asked: list[Request]) -> None:
    result = CliRunner().invoke(app, ["table", "bac-02", "open"])
    assert result.output == "bac-02: nothing is open.\n"
    result = CliRunner().invoke(app, ["table", "bac-09", "open"])
    assert result.exit_code == 1
    assert "this gateway has no table 'bac-09'; it has bac-01, bac-02." in result.output


@pytest.mark.parametrize(
    ("arguments", "verb", "args"),
    [
        (
            ("step", "--incident", "misdeal", "--step", "void", "--settled"),
            "step",
            {"incident": "misdeal", "step": "void", "settled": True},
        ),
        (("dispute", "--patron", "B. Lee", "--coup", "3/17"), "dispute", {"patron": "B. Lee", "coup": "3/17"}),
        (("payment", "--over", "2,500.50"), "payment", {"direction": "over", "amount_cents": 250_050}),
        (
            ("payment", "--under", "7", "--intentional"),
            "payment",
            {"direction": "under", "amount_cents": 700, "intentional": True},
        ),
        (
            ("record", "--act", "close_table", "--fact", "notice_given", "--no-fact", "marker", "--amount", "1.05"),
            "record",
            {
                "act": "close_table",
                "facts": {"notice_given": True, "marker": False},
                "done": [],
                "amount_cents": 105,
            },
        ),
        (
            ("record", "--report", "promotion_terms", "--done", "submit_terms"),
            "record",
            {"report": "promotion_terms", "facts": {}, "done": ["submit_terms"]},
        ),
    ],
)
def test_options_become_a_request(
    asked: list[Request], arguments: tuple[str, ...], verb: str, args: dict[str, Any]
) -> None:
    assert run(*arguments, *BY) == "Done.\n"
    assert (asked[0].verb, asked[0].table, asked[0].by, asked[0].args) == (verb, "bac-01", "A. Smith", args)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("payment",), "give one of them"),
        (("payment", "--over", "1", "--under", "2"), "give one of them"),
        (("payment", "--over", "a lot"), "write an amount as 2500 or 2500.00"),
        (("payment", "--over", "1.5"), "write an amount as 2500 or 2500.00"),
        (("payment", "--over", "1.x5"), "write an amount as 2500 or 2500.00"),
        (("record",), "give one of them"),
        (("record", "--act", "a", "--report", "b"), "give one of them"),
        (("record", "--act", "a", "--amount", "-5"), "write an amount as 2500 or 2500.00"),
        (("step", "--incident", "x"), "--step"),
        (("dispute",), "--patron"),
    ],
)
def test_wrong_options(asked: list[Request], arguments: tuple[str, ...], why: str) -> None:
    assert why in run(*arguments, *BY, code=2)
    assert asked == []


def test_a_line_of_the_status() -> None:
    assert open_line("bac-01", INCIDENT) == (
        "bac-01: open since 2026-01-01T00:00:00.000Z: foreign_card, coup 3/17 (5ab0000000000001-40-incident): "
        "check_cards, notify_inspector; see `sabot table bac-01 open`"
    )
    assert ", coup" not in incident_lines("bac-01", {**INCIDENT, "coup": 0})[0]

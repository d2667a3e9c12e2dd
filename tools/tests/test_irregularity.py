"""sabot irregularity: one line out for one line in, bad ones named, the others unaffected."""

import json
import shlex
from typing import Any

import pytest
from sabot_tools.actions.irregularity import app
from typer.testing import CliRunner


def ask(book: str, *lines: str | bytes) -> tuple[list[Any], int]:
    """The answers to some lines, and the exit status."""
    raw = b"".join((line.encode() if isinstance(line, str) else line) + b"\n" for line in lines)
    ran = CliRunner().invoke(app, ["--rulebook", book], input=raw)
    assert ran.stderr == ""
    return [json.loads(line) for line in ran.stdout.splitlines()], ran.exit_code


GOOD = '{"id": 7, "case": "wrong_shoe", "context": {}}'


def test_the_line_of_the_contract() -> None:
    facts = '{"banker_draws": false, "exposed": false, "last_coup": false}'
    replies, status = ask("star-baccarat", f'{{"id": 0, "case": "player_overdraw", "context": {facts}}}')
    assert status == 0
    assert list(replies[0]) == ["id", "code", "rule", "say"]
    assert (replies[0]["id"], replies[0]["code"], replies[0]["rule"]) == (0, "NEXT_LIVE", "12.2")
    assert replies[0]["say"].startswith("Settle this coup")


@pytest.mark.parametrize(
    ("book", "code", "rule"),
    [
        ("star-baccarat", "RECON_WITHDRAW", "12.1.1"),
        ("star-premium", "RECON_WITHDRAW", "14.1.1"),
        ("nz-baccarat", "RECON_BINDING", "12.6"),
        ("crown-baccarat", "PLAYER_THIRD", "10.3"),
        ("star-rapid", "VOID", "11.8.1.3"),
    ],
)
def test_where_the_books_differ(book: str, code: str, rule: str) -> None:
    facts = {"reconstructible": True, "notified_before_next": True}
    replies, status = ask(book, json.dumps({"id": "a", "case": "banker_got_players_card", "context": facts}))
    assert (replies[0]["id"], replies[0]["code"], replies[0]["rule"], status) == ("a", code, rule, 0)


def test_a_silent_book() -> None:
    replies, status = ask("nz-baccarat", GOOD)
    assert (replies[0]["code"], replies[0]["rule"], status) == ("NO_RULE", "", 0)


def test_answers_come_in_order_and_ids_are_the_askers() -> None:
    wanted = [3, 1, 2, "x", 10**30]
    replies, status = ask("star-rapid", *(json.dumps({"id": number, "case": "cut_missed"}) for number in wanted))
    assert ([reply["id"] for reply in replies], status) == (wanted, 0)


@pytest.mark.parametrize(
    ("line", "number", "error"),
    [
        ("", None, "line 2: the line is empty: expected one JSON object per line"),
        ("   ", None, "line 2: the line is empty"),
        ("{", None, "line 2: Input data was truncated"),
        ('{"id": 4, "case": "cut_missed"} x', None, "line 2: JSON is malformed"),
        ("[1]", None, "line 2: not an object"),
        (b"\xff", None, "line 2: JSON is malformed"),
        (b'{"id": 4, "case": "\xff"}', 4, "line 2: 'utf-8' codec"),
        ("[" * 5000, None, "line 2: "),
        ('{"id": 4, "case": "cut_missed", "context": ' + '{"a":' * 5000, None, "line 2: "),
        ('{"case": "cut_missed"}', None, "line 2: Object missing required field `id`"),
        ('{"id": true, "case": "cut_missed"}', True, "$.id"),
        ('{"id": [], "case": "cut_missed"}', [], "$.id"),
        ('{"id": 4}', 4, "line 2: Object missing required field `case`"),
        ('{"id": 4, "case": 5}', 4, "$.case"),
        ('{"id": "q", "case": "hurricane"}', "q", "line 2: unknown case 'hurricane': choose one of player_overdraw"),
        ('{"id": 4, "case": "cut_missed", "contxt": {}}', 4, "line 2: Object contains unknown field `contxt`"),
        ('{"id": 4, "case": "cut_missed", "context": []}', 4, "$.context"),
        ('{"id": 4, "case": "cut_missed", "context": {"wet": true}}', 4, "line 2: context.wet: unknown fact 'wet'"),
        ('{"id": 4, "case": "player_overdraw"}', 4, "line 2: context.banker_draws, context.last_coup: missing"),
        (
            '{"id": 4, "case": "shoe_not_reading", "context": {"disadvantage": "no"}}',
            4,
            "line 2: context.disadvantage: 'no' is neither true nor false",
        ),
    ],
)
def test_a_bad_line_is_answered_with_an_error_and_harms_no_other(line: str | bytes, number: object, error: str) -> None:
    replies, status = ask("star-rapid", GOOD, line, GOOD)
    assert status == 1
    assert len(replies) == 3
    assert list(replies[1]) == ["id", "error"]
    assert replies[1]["id"] == number
    assert error in replies[1]["error"]
    assert replies[0] == replies[2]
    assert replies[0]["code"] == "VOID"


def test_one_context_for_every_case() -> None:
    everything = {"banker_draws": False, "exposed": False, "last_coup": False, "international": False}
    replies, status = ask("star-rapid", json.dumps({"id": 1, "case": "wrong_shoe", "context": everything}))
    assert (replies[0]["code"], status) == ("VOID", 0)
    replies, status = ask("star-rapid", '{"id": 1, "case": "wrong_shoe", "context": null}')
    assert (replies[0]["code"], status) == ("VOID", 0)


def test_a_last_line_without_its_end() -> None:
    ran = CliRunner().invoke(app, ["--rulebook", "star-rapid"], input=GOOD + "\r\n" + GOOD)
    assert (len(ran.stdout.splitlines()), ran.exit_code) == (2, 0)


def test_nothing_asked_nothing_answered() -> None:
    assert ask("star-rapid") == ([], 0)


def test_an_unknown_rulebook() -> None:
    ran = CliRunner().invoke(app, ["--rulebook", "macau"], input=GOOD)
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert ran.stderr == (
        "sabot irregularity: unknown rulebook 'macau': choose one of "
        "crown-baccarat, nz-baccarat, star-baccarat, star-premium, star-rapid\n"
    )


def test_the_table_for_people() -> None:
    ran = CliRunner().invoke(app, ["--rulebook", "crown-baccarat", "--table"])
    assert ran.exit_code == 0
    lines = [line.split() for line in ran.stdout.splitlines()]
    assert ["case", "facts", "code", "clause"] in lines
    assert ["player_overdraw", "banker_draws", "BANKER_THIRD", "10.6.1(a)"] in lines
    assert ["otherwise", "NEXT_NO_BET", "10.6.1(b)"] in lines
    assert ["burn_missed", "not", "first_coup_complete", "RESTART_SHOE", "10.1.1"] in lines
    assert ["first_card_face_up", "always", "THIS_NO_BET", "10.5.1"] in lines
    assert ["wrong_shoe", "always", "NO_RULE"] in lines
    assert max(map(len, ran.stdout.splitlines())) <= 120


def test_the_examples_of_the_help_work() -> None:
    shown = CliRunner().invoke(app, ["--help"])
    examples = [line.strip() for line in shown.stdout.splitlines() if "Example: " in line]
    assert [example.partition("sabot irregularity ")[2] for example in examples] == [
        "--rulebook star-rapid --table",
        "--rulebook star-rapid",
    ]
    table, echoed = (shlex.split(example.removeprefix("Example: ")) for example in examples)
    assert CliRunner().invoke(app, table[2:]).exit_code == 0
    assert echoed[0] == "echo"
    ran = CliRunner().invoke(app, echoed[5:], input=echoed[1] + "\n")
    assert (ran.exit_code, json.loads(ran.stdout)["code"]) == (0, "VOID")

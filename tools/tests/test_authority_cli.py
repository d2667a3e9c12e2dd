"""sabot authority: one line out for one line in, bad ones named; the table for people and for programs."""

import json
import shlex
from typing import Any

import pytest
from sabot_tools.actions.authority import app
from typer.testing import CliRunner

GOOD = '{"id": 7, "act": "void_wrong_shoe", "role": "agm", "context": {}}'


def ask(book: str, *lines: str, options: tuple[str, ...] = ()) -> tuple[list[Any], int]:
    """The answers to some lines, and the exit status."""
    ran = CliRunner().invoke(app, ["--rulebook", book, *options], input="".join(f"{line}\n" for line in lines))
    assert ran.stderr == ""
    return [json.loads(line) for line in ran.stdout.splitlines()], ran.exit_code


def test_the_line_of_the_contract() -> None:
    replies, status = ask(
        "star-baccarat", '{"id": 0, "act": "void_misdeal", "role": "casino_supervisor", "context": {}}'
    )
    assert status == 0
    assert list(replies[0])[:5] == ["id", "allowed", "second_person", "clause", "say"]
    assert [replies[0][key] for key in ("id", "allowed", "second_person", "clause")] == [0, True, False, "12.1.2"]
    assert replies[0]["assumed"] == ["notified_before_next", "reconstructible"]


@pytest.mark.parametrize(
    ("book", "role", "allowed", "clause"),
    [
        ("star-baccarat", "gaming_supervisor", True, "12.1.2"),
        ("star-baccarat", "dealer", False, "12.1.2"),
        ("star-premium", "CS", True, "14.1.2"),
        ("nz-baccarat", "game_supervisor", False, "12.6"),
        ("nz-baccarat", "operator", True, "12.6"),
        ("crown-baccarat", "TG Higher Duties Dealer", True, "10.11"),
        ("star-rapid", "casino_supervisor", False, "11.8.1.3"),
        ("star-rapid", "assistant_gaming_manager", True, "11.8.1.3"),
    ],
)
def test_where_the_books_differ(book: str, role: str, allowed: bool, clause: str) -> None:
    replies, status = ask(book, json.dumps({"id": "a", "act": "void_misdeal", "role": role}))
    assert (replies[0]["id"], replies[0]["allowed"], replies[0]["clause"], status) == ("a", allowed, clause, 0)


def test_two_people() -> None:
    replies, _ = ask("star-rapid", '{"id": 1, "act": "key_in_card", "role": "dealer"}')
    assert [replies[0][key] for key in ("allowed", "second_person", "clause")] == [True, True, "11.8.12"]
    assert replies[0]["second_role"] == "casino_supervisor"


def test_the_operator_of_a_site() -> None:
    line = '{"id": 1, "act": "jackpot_invalid", "role": "game_supervisor"}'
    assert ask("nz-baccarat", line)[0][0]["allowed"] is False
    assert ask("nz-baccarat", line, options=("--operator", "game_supervisor"))[0][0]["allowed"] is True


@pytest.mark.parametrize(
    ("line", "number", "error"),
    [
        ("", None, "line 2: the line is empty: expected one JSON object per line"),
        ("[1]", None, "line 2: not an object"),
        ('{"id": 4, "act": "void_shoe"}', 4, "line 2: Object missing required field `role`"),
        (
            '{"id": 4, "act": "fly", "role": "dealer"}',
            4,
            "line 2: star-rapid has no act 'fly'; there are check_cards, ",
        ),
        ('{"id": 4, "act": "void_shoe", "role": "hdd"}', 4, "line 2: star-rapid has no role 'hdd'; there are dealer, "),
        (
            '{"id": 4, "act": "void_shoe", "role": "cs", "context": {"wet": true}}',
            4,
            "line 2: context.wet: unknown fact",
        ),
        (
            '{"id": 4, "act": "void_shoe", "role": "cs", "context": {"exposed": 1}}',
            4,
            "line 2: context.exposed: 1 is nei",
        ),
        ('{"id": 4, "act": "void_shoe", "role": "cs", "contxt": {}}', 4, "Object contains unknown field `contxt`"),
    ],
)
def test_a_bad_line_is_answered_with_an_error_and_harms_no_other(line: str, number: object, error: str) -> None:
    replies, status = ask("star-rapid", GOOD, line, GOOD)
    assert (status, len(replies), list(replies[1])) == (1, 3, ["id", "error"])
    assert replies[1]["id"] == number
    assert error in replies[1]["error"]
    assert replies[0] == replies[2]
    assert replies[0]["allowed"] is True


@pytest.mark.parametrize(
    ("args", "error"),
    [
        (["--rulebook", "macau"], "sabot authority: unknown rulebook 'macau': choose one of crown-baccarat, "),
        (
            ["--rulebook", "nz-baccarat", "--operator", "gm"],
            "sabot authority: nz-baccarat has no role 'gm'; there are ",
        ),
        (["--rulebook", "nz-baccarat", "--json"], "--json goes with --table"),
    ],
)
def test_options_that_are_wrong(args: list[str], error: str) -> None:
    ran = CliRunner().invoke(app, args, input=GOOD)
    assert ran.exit_code != 0
    assert ran.stdout == ""
    assert error in ran.stderr


@pytest.mark.parametrize("book", ["star-baccarat", "star-premium", "nz-baccarat", "crown-baccarat", "star-rapid"])
def test_the_table_for_people(book: str) -> None:
    ran = CliRunner().invoke(app, ["--rulebook", book, "--table"])
    assert ran.exit_code == 0
    assert max(map(len, ran.stdout.splitlines())) <= 120
    rows = {line.split()[0] for line in ran.stdout.splitlines() if line.startswith("P-")}
    assert {f"P-{number:02}" for number in range(1, 74)} <= rows


def test_lines_of_the_table() -> None:
    shown = CliRunner().invoke(app, ["--rulebook", "star-rapid", "--table"]).stdout
    lines = [" ".join(line.split()) for line in shown.splitlines()]
    assert "P-48 void_wrong_shoe Assistant Gaming Manager must 11.8.2" in lines
    assert "P-06 burn_otherwise never 3.12" in lines
    assert "P-11 void_shoe no rule" in lines
    assert "Casino Supervisor system_prompted 11.8.14" in lines
    assert "electronic_gaming_supervisor (outside the order)" in lines


def test_the_table_for_programs() -> None:
    ran = CliRunner().invoke(app, ["--rulebook", "crown-baccarat", "--table", "--json"])
    table = json.loads(ran.stdout)
    assert list(table) == ["rulebook", "roles", "acts", "reports"]
    act = table["acts"]["jackpot_confirm"]
    assert (act["row"], act["enforced"]) == ("P-66", True)
    assert act["allowed"]["higher_duties_dealer"] is False
    assert act["allowed"]["area_manager"] is True
    assert act["rules"][0]["notify"] == ["casino_manager"]
    assert table["reports"]["closure_notice"]["coups"] == 3


def test_the_examples_of_the_help_work() -> None:
    shown = CliRunner().invoke(app, ["--help"])
    examples = [line.strip().removeprefix("Example: ") for line in shown.stdout.splitlines() if "Example: " in line]
    assert len(examples) == 3
    for example in examples[:2]:
        assert CliRunner().invoke(app, shlex.split(example)[2:]).exit_code == 0
    echoed = shlex.split(examples[2])
    assert echoed[0] == "echo"
    ran = CliRunner().invoke(app, echoed[5:], input=echoed[1] + "\n")
    assert (ran.exit_code, json.loads(ran.stdout)["allowed"]) == (0, True)

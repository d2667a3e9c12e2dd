"""sabot roads: one line out for one line in, bad ones named; text for people; a picture."""

import json
import shlex
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from sabot_tools.actions.roads import app
from typer.testing import CliRunner

GOOD = '{"id": 7, "results": ["B", "P"]}'
SVG = "{http://www.w3.org/2000/svg}"


def ask(*lines: str, options: tuple[str, ...] = ("--json",)) -> tuple[list[Any], int]:
    """Return the answers to some lines, and the exit status."""
    ran = CliRunner().invoke(app, list(options), input="".join(f"{line}\n" for line in lines))
    assert ran.stderr == ""
    return [json.loads(line) for line in ran.stdout.splitlines()], ran.exit_code


@pytest.mark.parametrize("options", [("--json",), ()])
def test_the_line_of_the_contract(options: tuple[str, ...]) -> None:
    """Expected by hand: B, P with a tie, B, then two P; the second P is deeper than the columns before it."""
    line = '{"id": 0, "results": ["B", "P", "T", "Bb", "Pbpn", "X", "Pn"], "rows": 6}'
    assert ask(line, options=options) == (
        [
            {
                "id": 0,
                "bead": [[0, 0, "B"], [1, 0, "P"], [2, 0, "T"], [3, 0, "B"], [4, 0, "P"], [5, 0, "X"], [0, 1, "P"]],
                "bead_pairs": [[3, 0, "b"], [4, 0, "bp"]],
                "bead_naturals": [[4, 0], [0, 1]],
                "big": [[0, 0, "B", 0], [0, 1, "P", 1], [0, 2, "B", 0], [0, 3, "P", 0], [1, 3, "P", 0]],
                "leading_ties": 0,
                "big_eye": "RRL",
                "small": "RL",
                "cockroach": "L",
                "big_eye_cells": [[0, 0, "R"], [1, 0, "R"], [0, 1, "L"]],
                "small_cells": [[0, 0, "R"], [0, 1, "L"]],
                "cockroach_cells": [[0, 0, "L"]],
                "ask": {"B": ["L", "L", "L"], "P": ["R", "R", "R"]},
            }
        ],
        0,
    )


def test_a_shoe_without_coups() -> None:
    (reply,), status = ask('{"id": "new", "results": []}')
    assert (status, reply["bead"], reply["big"], reply["big_eye"]) == (0, [], [], "")
    assert reply["ask"] == {"B": [None, None, None], "P": [None, None, None]}


@pytest.mark.parametrize(
    ("line", "number", "error"),
    [
        ("", None, "line 2: the line is empty: expected one JSON object per line"),
        ("[1]", None, "line 2: not an object"),
        ("{", None, "line 2: Input data was truncated"),
        ('{"id": 4}', 4, "line 2: Object missing required field `results`"),
        ('{"results": []}', None, "line 2: Object missing required field `id`"),
        ('{"id": 4, "results": ["B", "Q"]}', 4, "line 2: results[1]: 'Q' is not a result: expected B, P or T"),
        ('{"id": 4, "results": ["B", "Xb"]}', 4, "line 2: results[1]: 'Xb' is not a result"),
        ('{"id": 4, "results": ["B", 1]}', 4, "line 2: Expected `str`, got `int` - at `$.results[1]`"),
        ('{"id": 4, "results": "BPB"}', 4, "line 2: Expected `array`, got `str` - at `$.results`"),
        ('{"id": 4, "results": [], "rows": 0}', 4, "line 2: Expected `int` >= 1 - at `$.rows`"),
        ('{"id": 4, "results": [], "rows": 101}', 4, "line 2: Expected `int` <= 100 - at `$.rows`"),
        ('{"id": 4, "results": [], "row": 6}', 4, "line 2: Object contains unknown field `row`"),
    ],
)
def test_a_bad_line_is_answered_with_an_error_and_harms_no_other(line: str, number: object, error: str) -> None:
    replies, status = ask(GOOD, line, GOOD)
    assert (status, len(replies), list(replies[1])) == (1, 3, ["id", "error"])
    assert replies[1]["id"] == number
    assert error in replies[1]["error"]
    assert replies[0] == replies[2]


def test_text_for_people() -> None:
    shoe = '{"id": 3, "results": ["T", "B", "B", "P", "T", "T", "P", "X"]}'
    ran = CliRunner().invoke(app, ["--text"], input=f"{shoe}\n\n{GOOD}\n")
    assert ran.exit_code == 1
    assert ran.stderr == "sabot roads: line 2: the line is empty: expected one JSON object per line\n"
    assert ran.stdout.startswith(
        "Shoe 3\n"
        "bead plate, 8 coups\n"
        "  T  P\n"
        "  B  X\n"
        "  B  .\n"
        "  P  .\n"
        "  T  .\n"
        "  T  .\n"
        "big road, ties before its first circle: 1\n"
        "  B  P2\n"
        "  B  P\n"
        "big eye boy, R red, L blue: R\n"
        "  R\n"
        "small road, R red, L blue: not begun\n"
        "cockroach pig, R red, L blue: not begun\n"
        "if Banker wins next: big eye boy red, small road none yet, cockroach pig none yet\n"
        "if Player wins next: big eye boy blue, small road none yet, cockroach pig none yet\n"
        "\n"
        "Shoe 7\n"
    )


def test_json_and_text_exclude_each_other() -> None:
    ran = CliRunner().invoke(app, ["--json", "--text"], input=GOOD)
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert "--json and --text exclude each other" in ran.stderr


def test_a_picture_of_all_shoes(tmp_path: Path) -> None:
    path = tmp_path / "roads.svg"
    hostile = json.dumps({"id": "<script>\x07&", "results": ["Bb", "Tp", "P", "X"]})
    ran = CliRunner().invoke(app, ["--svg", str(path)], input=f"{hostile}\n{{}}\n{GOOD}\n")
    assert ran.exit_code == 1
    assert [list(json.loads(line))[:2] for line in ran.stdout.splitlines()] == [
        ["id", "bead"],
        ["id", "error"],
        ["id", "bead"],
    ]
    root = ElementTree.fromstring(path.read_text())
    texts = [element.text for element in root.iter(f"{SVG}text")]
    assert [text for text in texts if text and text.endswith(("&", "7"))] == ["<script>\ufffd&", "Shoe 7"]
    assert [text for text in texts if text and len(text) == 1] == ["B", "T", "P", "X", "B", "P"]
    assert not any("href" in name or "script" in element.tag for element in root.iter() for name in element.attrib)


def test_nothing_to_draw_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "roads.svg"
    ran = CliRunner().invoke(app, ["--svg", str(path)], input="")
    assert ran.exit_code == 1
    assert ran.stderr == f"sabot roads: {path} not written: stdin has no shoe that can be drawn\n"
    assert not path.exists()


def test_the_examples_of_the_help_work(tmp_path: Path) -> None:
    shown = CliRunner().invoke(app, ["--help"])
    examples = [line.strip().removeprefix("Example: ") for line in shown.stdout.splitlines() if "Example: " in line]
    assert len(examples) == 3
    for example in examples:
        echo, line, pipe, sabot, roads, *options = shlex.split(example)
        assert (echo, pipe, sabot, roads) == ("echo", "|", "sabot", "roads")
        options = [str(tmp_path / word) if word.endswith(".svg") else word for word in options]
        assert CliRunner().invoke(app, options, input=line + "\n").exit_code == 0

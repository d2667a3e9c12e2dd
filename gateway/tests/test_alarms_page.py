"""ALARMS.md: every alarm and every problem that the code can report has its row, and no row is about nothing."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from sabot_gateway.verify.alarms.catalogue import ALARMS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "gateway" / "ALARMS.md").read_text()
WHO = {"dealer", "supervisor", "technician", "IT", "security", "nobody"}
# Files whose sentences are problems; some sentences in them are none.
REPORTING: dict[str, tuple[str, ...]] = {
    "gateway/sabot_gateway/shoe/refusals.py": (
        "only an Angel Eye has such errors",
        "Two shoes answer with the unit id",
        "The ledger was not writable for a while",
        "The gateway had an internal error",
    ),
    "gateway/sabot_gateway/shoe/line_watch.py": (),
    "gateway/sabot_gateway/shoe/ports.py": (),
    "gateway/sabot_gateway/angel_eye/line_watch.py": (),
    "gateway/sabot_gateway/table_lines.py": (),
    "gateway/sabot_gateway/publish/status.py": (
        "The shoe no longer locks",
        "connected to the broker again",
        ", and set `keys`",
        "…; the ledger keeps everything",
        "`sabot keys rotate",
    ),
    "gateway/sabot_gateway/publish/retained_topics.py": (),
    "gateway/sabot_gateway/publish/subscriptions.py": (),
    "gateway/sabot_service/mqtt.py": ("paho has no message id left",),
    "gateway/sabot_floor/hold.py": (),
    "gateway/sabot_floor/commands/same_units.py": (),
    "gateway/sabot_floor/jackpots/behind.py": ("There is nothing to accept", "its log "),
    "gateway/sabot_floor/web/server.py": (),
    "gateway/sabot_floor/web/listener.py": (),
}
# Of these only the sentences that name a broker: the rest is about a config, and is reported before the start.
BROKER = "gateway/sabot_service/broker.py"
OF_BROKER = (
    "no_connection",
    "_distrust",
    "_unreached",
    "no_answer",
    "exposed",
    "_secret",
    "password",
    "context",
    "present",
)


def rows(heading: str) -> Iterator[list[str]]:
    """Yield the cells of the tables below a heading, up to the next one of its level."""
    part = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    for line in part.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| ") and cells[0] not in ("alarm", "problem"):
            yield cells


def sentences(path: str, functions: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield the texts of a file, or of some of its functions, with … for what is filled in; not the docstrings."""
    tree = ast.parse((ROOT / path).read_text())
    named: list[ast.AST] = [
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name in functions
    ]
    for part in named or [tree]:
        yield from _texts(part)


def _texts(tree: ast.AST, least: int = 25) -> Iterator[str]:
    inside = {id(one) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for one in node.values}
    about = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            text = "".join(str(one.value) if isinstance(one, ast.Constant) else "…" for one in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside | about:
            text = re.sub(r"\{[^{}]*\}", "…", node.value)
        else:
            continue
        if len(text) >= least and text.count(" ") >= 3:
            yield text


def fits(said: str, text: str) -> bool:
    """Return True if a row of the page is about this text; … stands for anything."""
    return re.search(".*".join(map(re.escape, said.strip("…").split("…"))), text) is not None


def test_every_alarm_has_its_row_with_severity_and_meaning_of_the_code() -> None:
    written = {cells[0].strip("`"): cells[1:3] for cells in rows("Alarms")}
    assert written == {name: [kind.severity, kind.means] for name, kind in ALARMS.items()}


def test_every_row_names_what_to_do_and_who_does_it() -> None:
    for cells in (*rows("Alarms"), *rows("Problems")):
        assert set(cells[-1].split(", ")) <= WHO, cells
        assert all(cells), cells


@pytest.mark.parametrize("path", [*REPORTING, BROKER])
def test_every_problem_of_the_code_has_its_row(path: str) -> None:
    known = [cells[0] for cells in rows("Problems")]
    found = list(sentences(path, OF_BROKER if path == BROKER else ()))
    left_out = REPORTING.get(path, ())
    missing = [text for text in found if not any(fits(said, text) for said in known)]
    assert found
    assert [text for text in missing if not text.startswith(left_out or "\0")] == []


def test_every_row_of_a_problem_is_about_something_in_the_code() -> None:
    parts = ("gateway/sabot_gateway", "gateway/sabot_floor", "gateway/sabot_service", "protocol/sabot_protocol/inputs")
    sources = [path.read_text() for part in parts for path in (ROOT / part).rglob("*.py")]
    texts = [text for source in sources for text in _texts(ast.parse(source), 0)]
    assert [cells[0] for cells in rows("Problems") if not any(fits(cells[0], text) for text in texts)] == []

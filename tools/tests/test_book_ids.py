"""No id of a rulebook stands in code: what a book is, is in its files."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from sabot_protocol import rulebooks

ROOT = Path(__file__).parents[2]
CODE = (
    "protocol/sabot_protocol", "gateway/sabot_service", "gateway/sabot_gateway", "gateway/sabot_floor",
    "firmware/sabot", "sim/sabot_sim", "tools/sabot_tools",
)  # fmt: skip
# What is dealt by one book on purpose: recordings, measurements, and the printed rules that tests compare with.
OF_ONE_BOOK = ("sim/sabot_sim/scenarios", "sim/sabot_sim/world", "tools/sabot_tools/bench", "tools/sabot_tools/replay")


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield every text of a module with its line."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


@pytest.mark.parametrize("folder", CODE)
def test_no_id_of_a_book_stands_in_code(folder: str) -> None:
    ids = set(rulebooks.ids())
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text}"
        for path in (ROOT / folder).rglob("*.py")
        if not str(path.relative_to(ROOT)).startswith(OF_ONE_BOOK)
        for line, text in texts(path)
        if text in ids
    ]
    assert found == []

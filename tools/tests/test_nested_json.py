"""JSON that is nested too deeply raises RecursionError, no error of msgspec: who catches those must catch it too."""

import ast
from collections.abc import Iterator
from pathlib import Path

from test_tree import ROOT, tracked

_OF_JSON = {"MsgspecError", "DecodeError"}
# Their caller catches it for both.
_BY_CALLER = {"gateway/sabot_service/request_line.py"}


def caught(handler: ast.ExceptHandler) -> set[str]:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return {ast.unparse(kind) for kind in kinds if kind is not None}


def handlers() -> Iterator[tuple[str, int, set[str]]]:
    for name in tracked("gateway/sabot_*.py", "protocol/sabot_*.py", "tools/sabot_*.py", "sim/sabot_*.py"):
        for node in ast.walk(ast.parse(Path(ROOT, name).read_text())):
            if isinstance(node, ast.ExceptHandler):
                yield name, node.lineno, caught(node)


def test_every_reader_of_json_also_catches_what_nesting_raises() -> None:
    found = [one for one in handlers() if any(kind == f"msgspec.{name}" for kind in one[2] for name in _OF_JSON)]
    assert len(found) > 30
    missing = [
        f"{name}:{line}" for name, line, kinds in found if "RecursionError" not in kinds and name not in _BY_CALLER
    ]
    assert missing == []

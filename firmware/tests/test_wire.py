"""No module of the firmware counts an offset or spells a format by hand: both come from wire.py, or have a name."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

FIRMWARE = Path(__file__).parents[1]
MODULES = sorted([FIRMWARE / "main.py", *(FIRMWARE / "bench").glob("*.py"), *(FIRMWARE / "sabot").rglob("*.py")])
PACKERS = {"pack", "pack_into", "unpack", "unpack_from"}
READERS = {"short", "number", "put_short"}  # of frame.py: a buffer and an offset
BUFFERS = {"record", "body", "buf", "frame", "command", "profile", "data", "found", "header"}
# These two work on bytes of any layout: they make numbers of them, and count their bits.
ANY_LAYOUT = ("sabot/link/frame.py", "sabot/storage/seal.py")


def name_of(node: ast.expr) -> str:
    """Return the last part of a name, without the underscore of a private one."""
    return getattr(node, "attr", getattr(node, "id", "")).lstrip("_")


def has_literal(offset: ast.expr) -> bool:
    """Return True if an offset is a number, or a sum with one; one less than a named size is none."""
    if isinstance(offset, ast.BinOp) and not isinstance(offset.op, ast.Sub):
        return has_literal(offset.left) or has_literal(offset.right)
    return isinstance(offset, ast.Constant) and isinstance(offset.value, int) and offset.value > 0


def literals(tree: ast.Module) -> Iterator[str]:
    """Yield every call with a format in quotes, and every place of a buffer whose offset is a number."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and name_of(node.func) in PACKERS and isinstance(node.args[0], ast.Constant):
            yield ast.unparse(node)
        elif isinstance(node, ast.Call) and name_of(node.func) in READERS and name_of(node.args[0]) in BUFFERS:
            if has_literal(node.args[1]):
                yield ast.unparse(node)
        elif isinstance(node, ast.Subscript) and name_of(node.value) in BUFFERS:
            bounds = [node.slice.lower, node.slice.upper] if isinstance(node.slice, ast.Slice) else [node.slice]
            if any(bound is not None and has_literal(bound) for bound in bounds):
                yield ast.unparse(node)


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(FIRMWARE)))
def test_no_offset_and_no_format_is_written_by_hand(module: Path) -> None:
    if str(module.relative_to(FIRMWARE)) not in ANY_LAYOUT:
        assert list(literals(ast.parse(module.read_text()))) == []


@pytest.mark.parametrize(
    "line",
    [
        'pack_into("<HH", record, at, 1, 2)',
        "kind = record[8]",
        "card = r.record[at + 5]",
        "body[10:18] = unit",
        "event_no = number(body, 8)",
        "self._record[RECORD_DATA + 4] = slot",
    ],
)
def test_such_a_line_is_found(line: str) -> None:
    assert list(literals(ast.parse(line)))


@pytest.mark.parametrize("line", ["record[wire.EVENT_CARD_SLOT]", "pack_into(FORMAT, record, at, 1)", "body[:size]"])
def test_a_line_with_names_is_not(line: str) -> None:
    assert not list(literals(ast.parse(line)))

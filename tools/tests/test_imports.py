"""Who may import whom: arrows of the design, enforced."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MAY_IMPORT = {
    "protocol/sabot_protocol": set[str](),
    "gateway/sabot_gateway": {"sabot_protocol"},
    "gateway/sabot_floor": {"sabot_protocol"},
    "sim/sabot_sim": {"sabot_protocol"},
    "firmware": {"sabot"},
    "tools/sabot_tools": {"sabot_protocol", "sabot_gateway", "sabot_floor", "sabot_sim"},
}
OURS = {"sabot", "sabot_protocol", "sabot_gateway", "sabot_floor", "sabot_sim", "sabot_tools"}


def imported(file: Path) -> set[str]:
    """Our packages that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
    return {name.split(".")[0] for name in found} & OURS


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_imports_follow_the_design(package: str) -> None:
    files = [file for file in (ROOT / package).rglob("*.py") if "tests" not in file.parts]
    assert files
    allowed = MAY_IMPORT[package] | {Path(package).name}
    wrong = {str(file.relative_to(ROOT)): imported(file) - allowed for file in files}
    assert {file: names for file, names in wrong.items() if names} == {}


def test_verify_does_not_share_code_with_the_shoe() -> None:
    assert imported(ROOT / "gateway/sabot_gateway/rules.py") == set()

"""The section "Data path" of a part's README: every file, class and function that it names exists where it says.

A step is "1. `path/file.py`: `Class.method` …": names in backticks are defined in a file named before them in the step.
"""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# The folders in which paths of a README begin, by the folder of the README.
PARTS = {
    "firmware": ("firmware/sabot", "firmware"),
    "gateway": ("gateway/sabot_gateway", "protocol/sabot_protocol", "gateway", "."),
    "gateway/sabot_floor": ("gateway/sabot_floor", "protocol/sabot_protocol", "gateway", "."),
    "tools": ("tools/sabot_tools",),
    "sim": ("sim/sabot_sim",),
    "protocol": ("protocol/sabot_protocol", "."),
}
_SECTION = re.compile(r"^## Data path\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_STEP = re.compile(r"^\d+\. (.*)$", re.MULTILINE)
_NAME = re.compile(r"`([^`]+)`")


def steps(text: str) -> list[str]:
    """Return the numbered steps of the section."""
    section = _SECTION.search(text)
    assert section, 'the README has no section "## Data path"'
    return _STEP.findall(section[1])


@cache
def defined(path: Path) -> frozenset[str]:
    """Return the names of a module: functions, classes, constants, and `Class.method`."""
    names: set[str] = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        if isinstance(node, ast.ClassDef):
            names |= {f"{node.name}.{name}" for name in _methods(node)}
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return frozenset(names)


def _methods(node: ast.ClassDef) -> list[str]:
    return [item.name for item in node.body if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef)]


def problems(step: str, folders: tuple[Path, ...]) -> list[str]:
    """Return what a step names that does not exist."""
    found: list[str] = []
    files: list[Path] = []
    names = 0
    for name in _NAME.findall(step):
        if name.endswith(".py"):
            paths = [folder / name for folder in folders if (folder / name).is_file()]
            files += paths[:1]
            found += [] if paths else [f"no file {name}"]
            continue
        names += 1
        if not any(name in defined(path) for path in files):
            found.append(f"no {name} in {', '.join(path.name for path in files) or 'any file named before it'}")
    return found if names else [*found, f"no function is named: {step}"]


@pytest.mark.parametrize("part", PARTS)
def test_everything_that_the_data_path_names_exists(part: str) -> None:
    folders = tuple(ROOT / folder for folder in PARTS[part])
    listed = steps((ROOT / part / "README.md").read_text())
    assert len(listed) > 4
    assert [problem for step in listed for problem in problems(step, folders)] == []


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ("`dealing/coup.py`: `Coup.draw` puts the card in its slot.", []),
        ("`dealing/coup.py`: `Coup.drawn`", ["no Coup.drawn in coup.py"]),
        ("`dealing/coop.py`: `Coup`", ["no file dealing/coop.py", "no Coup in any file named before it"]),
        ("`Coup.draw` of `dealing/coup.py`", ["no Coup.draw in any file named before it"]),
        ("`dealing/coup.py` does it", ["no function is named: `dealing/coup.py` does it"]),
    ],
)
def test_a_name_that_does_not_exist_is_found(step: str, expected: list[str]) -> None:
    assert problems(step, (ROOT / "firmware" / "sabot",)) == expected


def test_a_readme_without_the_section_fails() -> None:
    with pytest.raises(AssertionError, match="no section"):
        steps("# part\n\n## Tests\n1. `x.py`: `y`\n")

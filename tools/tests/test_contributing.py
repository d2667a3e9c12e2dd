"""CONTRIBUTING.md: every path and make target that it names is there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text()


def test_every_path_is_there() -> None:
    named = set(re.findall(r"[`(]([a-z_]+/[A-Za-z0-9_./]+)[`)]", PAGE))
    assert len(named) > 25
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


def test_every_make_target_is_there() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"`make ([a-z-]+)[ `]", PAGE)) <= targets

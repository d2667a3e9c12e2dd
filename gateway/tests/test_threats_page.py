"""THREATS.md: every file, test and make target that it names is there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "gateway" / "THREATS.md").read_text()


def test_every_path_is_there() -> None:
    named = set(re.findall(r"`([a-z_]+/[A-Za-z0-9_./]+)`", PAGE))
    below = ("", "gateway/")
    assert len(named) > 50
    assert [name for name in sorted(named) if not any((ROOT / part / name).exists() for part in below)] == []


def test_every_make_target_is_there() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"`make ([a-z-]+)`", PAGE)) <= targets


def test_every_threat_has_something_that_holds_it_off_or_is_left() -> None:
    rows = [line.strip("|").split("|") for line in PAGE.splitlines() if line.startswith("| ") and line.count("|") == 5]
    threats = [[cell.strip() for cell in row] for row in rows if row[0].strip() != "tries"]
    assert len(threats) > 35
    for tries, held, proved, left in threats:
        assert bool(held) == bool(proved), tries
        assert held or left, tries

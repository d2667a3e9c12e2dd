"""Contents of the reports: every section has a title and flat columns that a table can show."""

import re
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from sabot_floor.reports.contents import REPORTS, Kind, sections

PLAIN = {str, int, float, bool, type(None)}


@pytest.mark.parametrize("kind", REPORTS)
def test_every_section_has_a_title_and_flat_columns(kind: Kind) -> None:
    found = sections(REPORTS[kind])
    assert found[0].name == "gaps"
    assert len({section.title for section in found}) == len(found) >= 8
    for section in found:
        assert section.row.__doc__, section.name
        for column, hint in get_type_hints(section.row).items():
            kinds = set(get_args(hint)) or {hint}
            texts = all(isinstance(value, str | None) for value in kinds)  # a Literal
            unions = all(part in PLAIN or all(isinstance(word, str) for word in get_args(part)) for part in kinds)
            assert texts or unions or hint == list[str], f"{section.name}.{column}: {hint}"


def test_the_document_lists_every_section() -> None:
    text = (Path(__file__).parents[1] / "REPORTS.md").read_text()
    rows = [line.strip("| ").split("|") for line in text.splitlines() if re.match(r"\| `[a-z_]+`(, `|\s\|)", line)]
    listed: dict[str, set[str]] = {kind: set() for kind in REPORTS}
    for names, *marks, _ in rows:
        for kind, mark in zip(("day", "month", "shoe", "coup", "person"), marks, strict=True):
            if mark.strip():
                listed[kind].update(re.findall(r"`([a-z_]+)`", names))
    assert listed == {kind: {section.name for section in sections(report)} for kind, report in REPORTS.items()}

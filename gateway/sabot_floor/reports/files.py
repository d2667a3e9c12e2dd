"""Files of reports: JSON of a whole report, CSV of a section."""

import csv
import io
from collections.abc import Sequence
from typing import IO

import msgspec
from sabot_protocol.inputs.plain_text import csv_cell, escaped_json

from sabot_floor.reports.contents import Report, Section
from sabot_floor.reports.rows import Row


def json_of(report: Report) -> bytes:
    """Return a report as one JSON document and a line feed; unprintable characters are escaped."""
    return escaped_json(msgspec.json.encode(report)) + b"\n"


def section_json(rows: Sequence[Row]) -> bytes:
    """Return the rows of a section as a JSON array and a line feed."""
    return escaped_json(msgspec.json.encode(rows)) + b"\n"


def write_csv(section: Section, rows: Sequence[Row], out: IO[bytes]) -> None:
    """Write a section with its header; text that a spreadsheet takes for a formula is made plain text."""
    text = io.TextIOWrapper(out, encoding="utf-8", newline="", write_through=True)
    table = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    table.writerow(section.columns)
    for row in rows:
        table.writerow([csv_cell(_cell(getattr(row, column))) for column in section.columns])
    text.detach()


def _cell(value: object) -> object:
    if isinstance(value, list):
        return "; ".join(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else value

"""Output of a report: as text, JSON, CSV or a page, to stdout or to files."""

from pathlib import Path
from typing import IO, NamedTuple

from sabot_floor.reports.contents import REPORTS, Kind, Report, filled, sections
from sabot_floor.reports.files import json_of, section_json, write_csv


class OutputError(ValueError):
    """Options that exclude each other, or a section that there is not; the message has the next step."""


class Form(NamedTuple):
    """The options about the form of a report."""

    kind: Kind
    as_json: bool
    as_csv: bool
    html: Path | None
    pdf_ready: Path | None  # HTML too, with fixed pages
    section: str
    out: Path | None


class Output:
    """Writes a report in the form that was asked for."""

    def __init__(self, form: Form) -> None:
        self._form = form

    @classmethod
    def of(cls, form: Form) -> "Output":
        """Return the output; OutputError if the options do not fit together."""
        known = [section.name for section in sections(REPORTS[form.kind])]
        if form.section and form.section not in known:
            raise OutputError(f"unknown section {form.section!r}: choose one of {', '.join(known)}")
        pages = [path for path in (form.html, form.pdf_ready) if path is not None]
        if form.as_json + form.as_csv + len(pages) > 1:
            raise OutputError("--json, --csv, --html and --pdf-ready exclude each other: give one of them")
        if form.as_csv and not form.section and form.out is None:
            raise OutputError(
                "a CSV file has one section: give --section NAME, or --out DIRECTORY for a file of each; sections: "
                + ", ".join(known)
            )
        if pages and (form.section or form.out is not None):
            raise OutputError("a page has the whole report and is written to its FILE: leave --section and --out out")
        return cls(form)

    def write(self, report: Report, stdout: IO[bytes]) -> None:
        """Write the report; OSError if a file cannot be written."""
        form = self._form
        page = form.html or form.pdf_ready
        if page is not None:
            page.write_text(_page(report, pdf_ready=form.pdf_ready is not None), encoding="utf-8")
        elif form.as_csv and not form.section:
            assert form.out is not None
            _write_sections(report, form.out)
        elif form.out is not None:
            with form.out.open("wb") as file:
                self._write_to(report, file)
        else:
            self._write_to(report, stdout)
            stdout.flush()

    def _write_to(self, report: Report, out: IO[bytes]) -> None:
        from sabot_tools.text.report import lines  # the rulebooks: not for --help

        wanted = [(section, rows) for section, rows in filled(report) if section.name == self._form.section]
        if self._form.as_csv:
            write_csv(*wanted[0], out)
        elif self._form.as_json:
            out.write(section_json(wanted[0][1]) if wanted else json_of(report))
        else:
            out.writelines(f"{line}\n".encode() for line in lines(report, self._form.section))


def _write_sections(report: Report, directory: Path) -> None:
    """Write each section to a file of its own."""
    directory.mkdir(exist_ok=True)
    for section, rows in filled(report):
        with (directory / f"{section.name}.csv").open("wb") as file:
            write_csv(section, rows, file)


def _page(report: Report, *, pdf_ready: bool) -> str:
    """Return the page of a report; imported here, as only this form needs it."""
    from sabot_floor.reports.html import render

    return render(report, pdf_ready)

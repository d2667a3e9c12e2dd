"""Page of a report: head, summary and one table a section; printable on A4."""

from sabot_floor.gaming_day import Calendar
from sabot_floor.reports.contents import CoupReport, Head, Report, Section, ShoeReport, filled
from sabot_floor.reports.html import values
from sabot_floor.reports.html.markup import NOTHING, Markup, element, joined, text
from sabot_floor.reports.html.road_section import road_section
from sabot_floor.reports.html.still_open import still_open
from sabot_floor.reports.html.style import style
from sabot_floor.reports.html.tables import table, upright
from sabot_floor.reports.rows import CoupCountRow, Row

_TITLES = {"day": "Day report", "month": "Month report", "shoe": "Shoe report", "coup": "Coup report"}
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def render(report: Report, pdf_ready: bool = False) -> str:
    """Return a report as one HTML file; with `pdf_ready` the A4 page is fixed, for programs that make a PDF of it."""
    calendar = Calendar(report.head.gaming_day, report.head.time_zone)
    title = f"{_TITLES.get(report.head.report, 'Report on a person')}: {report.head.about}"
    footer = ", ".join(filter(None, [report.head.site, title]))
    body = [
        element("h1", text(title)),
        _head(report.head, calendar),
        _warnings(report),
        _summary(report),
        road_section(report) if isinstance(report, ShoeReport) else NOTHING,
        *(_section(report, section, rows, calendar) for section, rows in filled(report) if rows),
    ]
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{text(_POLICY)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            element("title", text(footer)),
            style(footer, pdf_ready),
            "</head>",
            "<body>",
            *filter(None, body),
            "</body>",
            "</html>\n",
        ]
    )


def _head(head: Head, calendar: Calendar) -> Markup:
    begin, end = values.moment(head.begin, calendar), values.moment(head.end, calendar)
    facts = {
        "Site": text(head.site),
        "Period": joined([begin, end], " until ") if begin or end else text("all that is stored"),
        "Gaming day": text(f"from {head.gaming_day}, times by the clock of {head.time_zone}"),
        "Tables": text(", ".join(head.tables) or "all"),
        "Made": values.moment(head.made, calendar),
    }
    rows = [element("dt", text(name)) + element("dd", value) for name, value in facts.items() if value]
    return element("dl", *map(Markup, rows))


def _warnings(report: Report) -> Markup:
    head = report.head
    sentences = [*head.warnings, *filter(None, [still_open(report)])]
    if head.empty:
        sentences.insert(0, "The store has nothing of this.")
    if not head.complete:
        sentences.insert(0, "This report is not complete: entries of this time are missing.")
    if not sentences:
        return NOTHING
    return element("div", *(element("p", text(sentence)) for sentence in sentences), class_="warning", role="note")


def _summary(report: Report) -> Markup:
    """Return how many rows each section has, and the names of those without a row in one sentence."""
    counts = [(section, _size(rows)) for section, rows in filled(report)]
    items = [
        element("li", element("a", text(section.title), href=f"#{section.name}"), text(f": {count:,}"))
        for section, count in counts
        if count
    ]
    none = ", ".join(section.title for section, count in counts if not count)
    return Markup(
        (element("ul", *items, class_="summary") if items else "")
        + (element("p", text(f"None of these: {none}.")) if none else "")
    )


def _size(rows: list[Row]) -> int:
    """Return the number of rows; of counts, what they count."""
    return sum(row.coups if isinstance(row, CoupCountRow) else 1 for row in rows)


def _section(report: Report, section: Section, rows: list[Row], calendar: Calendar) -> Markup:
    count = element("span", text(f"{_size(rows):,}"), class_="count")
    heading = element("h2", text(section.title), Markup(" "), count, id=section.name)
    return element("section", heading, *_contents(report, section, rows, calendar))


def _contents(report: Report, section: Section, rows: list[Row], calendar: Calendar) -> list[Markup]:
    if isinstance(report, CoupReport) and section.name == "final":
        return [upright(row, calendar) for row in rows]
    return [element("div", table(rows, calendar), class_="scroll")]

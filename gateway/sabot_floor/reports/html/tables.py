"""Tables of a report: a heading for each column, repeated on every printed page, and a line of ids below each row."""

from collections.abc import Sequence

from sabot_floor.gaming_day import Calendar
from sabot_floor.reports import people_rows, rows
from sabot_floor.reports.html import people_columns as people
from sabot_floor.reports.html import play_columns as play
from sabot_floor.reports.html import values
from sabot_floor.reports.html.columns import Column, Layout
from sabot_floor.reports.html.markup import NOTHING, Markup, element, joined, reference, text

LAYOUTS: dict[type[rows.Row], Layout] = {
    rows.ShoeRow: play.SHOES,
    rows.PlayedRow: play.PLAYED,
    rows.CoupRow: play.COUPS,
    rows.CardRow: play.CARDS,
    rows.IrregularityRow: play.IRREGULARITIES,
    rows.VoidRow: play.VOIDS,
    rows.DiscrepancyRow: play.DISCREPANCIES,
    rows.UnwageredRow: play.UNWAGERED,
    rows.DeckCheckRow: play.DECK_CHECKS,
    rows.KeyedCardRow: play.KEYED_CARDS,
    rows.WinRow: play.WINS,
    rows.JackpotActRow: play.JACKPOT_ACTS,
    rows.JackpotFaultRow: play.JACKPOT_FAULTS,
    rows.IncrementRow: play.INCREMENTS,
    rows.NotCountedRow: play.NOT_COUNTED,
    rows.MeterRow: play.METERS,
    rows.GapRow: play.GAPS,
    rows.DaySumRow: play.DAY_SUMS,
    people_rows.AlarmRow: people.ALARMS,
    people_rows.ResponseRow: people.RESPONSES,
    people_rows.DecisionRow: people.DECISIONS,
    people_rows.IncidentRow: people.INCIDENTS,
    people_rows.StepRow: people.STEPS,
    people_rows.NotificationRow: people.NOTIFICATIONS,
    people_rows.PaymentRow: people.PAYMENTS,
}


def table(rows_: Sequence[rows.Row], calendar: Calendar) -> Markup:
    """Return rows of one type as a table."""
    if isinstance(rows_[0], rows.CoupCountRow):
        return _coup_counts([row for row in rows_ if isinstance(row, rows.CoupCountRow)])
    layout, shared = _shared(LAYOUTS[type(rows_[0])], rows_)
    sums = isinstance(rows_[0], rows.DaySumRow)
    lines = [_row(row, layout, calendar) for row in rows_]
    if sums and len(rows_) > 1:
        lines.append(_total([row for row in rows_ if isinstance(row, rows.DaySumRow)], calendar))
    headings = [(column.heading, column.style) for column in layout.columns]
    return _table(headings, lines, "sums" if sums else "", shared)


def _shared(layout: Layout, rows_: Sequence[rows.Row]) -> tuple[Layout, Markup]:
    """Return the layout without the ids that all rows share, and those as a caption of the table."""
    same = tuple(one for one in layout.references if len({getattr(row, one[1]) for row in rows_}) == 1 < len(rows_))
    own = tuple(one for one in layout.references if one not in same)
    ids = _references(rows_[0], layout._replace(references=same))
    caption = element("caption", text("All rows:"), Markup(" "), ids) if ids else NOTHING
    return layout._replace(references=own), caption


def upright(row: rows.Row, calendar: Calendar) -> Markup:
    """Return one row as a table with its headings at the left."""
    layout = LAYOUTS[type(row)]
    lines = [(column.heading, column.show(row, calendar)) for column in layout.columns]
    lines.append(("Reference", _references(row, layout)))
    shown = (
        Markup("\n" + element("tr", element("th", text(heading), scope="row"), element("td", content)))
        for heading, content in lines
        if content
    )
    return element("table", element("tbody", *shown), class_="single")


def _table(headings: list[tuple[str, str]], bodies: list[Markup], style: str = "", caption: Markup = NOTHING) -> Markup:
    heads = (element("th", element("span", text(name)), scope="col", class_=kind) for name, kind in headings)
    lines = (Markup(f"\n{body}") for body in bodies)
    return element("table", caption, element("thead", element("tr", *heads)), *lines, class_=style)


def _row(row: rows.Row, layout: Layout, calendar: Calendar, style: str = "") -> Markup:
    """Return the lines of one row; a page does not break between them."""
    cells = element("tr", *(_cell(column, column.show(row, calendar)) for column in layout.columns))
    ids = _references(row, layout)
    below = element("tr", element("td", ids, colspan=str(len(layout.columns))), class_="ids") if ids else NOTHING
    return element("tbody", cells, below, class_=style)


def _references(row: rows.Row, layout: Layout) -> Markup:
    return joined((reference(name, getattr(row, field)) for name, field in layout.references), " · ")


def _cell(column: Column, content: Markup) -> Markup:
    return element("td", content, class_=column.style)


def _total(days: list[rows.DaySumRow], calendar: Calendar) -> Markup:
    """Return the sums of some days as one more row."""
    names = [name for name in rows.DaySumRow.__struct_fields__ if name not in ("day", "complete")]
    sums = {name: sum(getattr(day, name) for day in days) for name in names}
    total = rows.DaySumRow(day="all days", complete=all(day.complete for day in days), **sums)
    return _row(total, play.DAY_SUMS, calendar, "total")


def _coup_counts(counts: list[rows.CoupCountRow]) -> Markup:
    """Return the numbers of coups with a row a table and a column for each kind and status."""
    kinds = sorted({(row.kind, row.status) for row in counts})
    found = {(row.table, row.kind, row.status): row.coups for row in counts}
    headings = [("Table", ""), *((", ".join(dict.fromkeys(kind)).replace("_", " "), "number") for kind in kinds)]
    bodies = []
    for name in dict.fromkeys(row.table for row in counts):
        numbers = [found.get((name, *kind), 0) for kind in kinds]
        bodies.append(_counts(name, numbers))
    return _table([*headings, ("all", "number")], bodies)


def _counts(name: str, numbers: list[int]) -> Markup:
    cells = (element("td", values.number(number), class_="number") for number in [*numbers, sum(numbers)])
    return element("tbody", element("tr", element("td", values.whole(name)), *cells))

"""sabot report: what happened in a day, a month, a shoe or a coup, or what a person did; read from the store."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from sabot_floor.gaming_day import Calendar, CalendarError, read_day, read_month

from sabot_tools.stand.floor_daemon import CONFIG
from sabot_tools.text.report_output import Form, Output, OutputError

if TYPE_CHECKING:  # the floor's config and its store are half of the start; what needs them imports them
    from sabot_floor.reports.contents import Report
    from sabot_floor.reports.source import Scope, Source

    from sabot_tools.stand.report_site import Site

app = typer.Typer(rich_markup_mode=None, add_completion=False, no_args_is_help=True)

_PERSON_DAYS = 31  # of the report about a person, where no period is given

ConfigFile = Annotated[
    Path, typer.Option("--config", envvar="SABOT_FLOOR_CONFIG", readable=False, help="The floor's TOML file.")
]
Store = Annotated[
    str | None,
    typer.Option(
        help="The store itself, then no config is read: an SQLite file, or postgresql://…", metavar="FILE|URL"
    ),
]
Hour = Annotated[
    str | None, typer.Option("--gaming-day", help="Hour at which a gaming day begins; default: the config's, or 06:00.")
]
Zone = Annotated[str | None, typer.Option("--time-zone", help="Time zone of the site; default: the config's, or UTC.")]
Tables = Annotated[list[str] | None, typer.Option("--table", help="Only this table; may be repeated.", metavar="T")]
From = Annotated[str | None, typer.Option("--from", help="First gaming day of a period.", metavar="DAY")]
To = Annotated[str | None, typer.Option("--to", help="Last gaming day of a period; default: today.", metavar="DAY")]
Unit = Annotated[str, typer.Option(help="Unit id of the shoe, if several had a shoe of this number.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Csv = Annotated[bool, typer.Option("--csv", help="CSV: a section with --section, or a file for each with --out DIR.")]
Html = Annotated[Path | None, typer.Option("--html", help="Write a page to read and print.", metavar="FILE")]
PdfReady = Annotated[
    Path | None, typer.Option("--pdf-ready", help="The same with fixed A4 pages, to make a PDF of.", metavar="FILE")
]
Section = Annotated[str, typer.Option("--section", help="Only this section, such as voids.", metavar="NAME")]
Out = Annotated[Path | None, typer.Option("--out", help="File to write; with --csv and no --section a directory.")]


@app.callback()
def report() -> None:
    """Report on a day, a month, a shoe, a coup or a person. The store is only read; no service needs to run."""


@contextmanager
def _errors_to_stderr() -> Iterator[None]:
    """Print an error on stderr and exit with status 1."""
    from sabot_floor.reports.source import NotFoundError
    from sabot_floor.store import StoreError
    from sabot_protocol.inputs.config_file import ConfigError

    try:
        yield
    except (CalendarError, ConfigError, NotFoundError, OutputError, StoreError) as error:
        typer.echo("\n".join(f"sabot report: {line}" for line in str(error).splitlines()), err=True)
        raise typer.Exit(1) from error


def _print(site: "Site", tables: list[str] | None, output: Output, make: "Callable[[Source, Scope], Report]") -> None:
    """Make a report of the store and write it."""
    from sabot_floor.reports.source import Source
    from sabot_floor.store import open_store

    with open_store(site.store, read_only=True) as store:
        scope = site.scope(tuple(tables or ()))
        output.write(make(Source(store), scope), sys.stdout.buffer)


def read_word(text: str, calendar: Calendar, now: str) -> date:
    """Return a day: a date, `today` or `yesterday`, by the gaming days of the site."""
    today = calendar.day_of(now)
    return {"today": today, "yesterday": today - timedelta(days=1)}.get(text) or read_day(text)


def _site(config: Path, store: str | None, hour: str | None, zone: str | None) -> "Site":
    from sabot_tools.stand.report_site import read_site

    return read_site(config, store, hour, zone)


def _period(site: "Site", first: str | None, last: str | None) -> tuple[date, date]:
    today = site.calendar.day_of(site.now)
    end = read_word(last, site.calendar, site.now) if last else today
    begin = read_word(first, site.calendar, site.now) if first else end - timedelta(days=_PERSON_DAYS - 1)
    return begin, end


@app.command(epilog="Example: sabot report day yesterday --config /etc/sabot/floor.toml --table bac-01")
def day(
    day: Annotated[
        str | None, typer.Argument(help="2026-11-17, today or yesterday.", metavar="DAY", show_default=False)
    ] = None,
    config: ConfigFile = CONFIG,
    store: Store = None,
    tables: Tables = None,
    first: From = None,
    last: To = None,
    as_json: Json = False,
    as_csv: Csv = False,
    html: Html = None,
    pdf_ready: PdfReady = None,
    section: Section = "",
    out: Out = None,
    hour: Hour = None,
    zone: Zone = None,
) -> None:
    """Everything of a gaming day. With --from and --to: of several days, for export."""
    from sabot_floor.reports.day import day_report, period_report

    with _errors_to_stderr():
        output = Output.of(Form("day", as_json, as_csv, html, pdf_ready, section, out))
        site = _site(config, store, hour, zone)
        if (day is None) == (first is None):
            raise CalendarError("give one day, such as `sabot report day yesterday`, or a period with --from and --to")
        if day is not None:
            if last is not None:
                raise CalendarError(f"--to {last} needs --from: give --from {day} instead of the day")
            one = read_word(day, site.calendar, site.now)
            _print(site, tables, output, lambda source, scope: day_report(source, scope, one))
            return
        begin, end = _period(site, first, last)
        span, about = site.calendar.days(begin, end), f"{begin}" if begin == end else f"{begin} to {end}"
        _print(site, tables, output, lambda source, scope: period_report(source, scope.of(span), about))


@app.command(epilog="Example: sabot report month 2026-11 --config /etc/sabot/floor.toml --json")
def month(
    month: Annotated[str, typer.Argument(help="Such as 2026-11.", metavar="MONTH")],
    config: ConfigFile = CONFIG,
    store: Store = None,
    tables: Tables = None,
    as_json: Json = False,
    as_csv: Csv = False,
    html: Html = None,
    pdf_ready: PdfReady = None,
    section: Section = "",
    out: Out = None,
    hour: Hour = None,
    zone: Zone = None,
) -> None:
    """The sums of the gaming days of a month, and its registers. Payments, misdeliveries, notifications."""
    from sabot_floor.reports.month import month_report

    with _errors_to_stderr():
        output = Output.of(Form("month", as_json, as_csv, html, pdf_ready, section, out))
        site = _site(config, store, hour, zone)
        year, number = read_month(month)
        _print(site, tables, output, lambda source, scope: month_report(source, scope, year, number))


@app.command(epilog="Example: sabot report shoe bac-01/3 --config /etc/sabot/floor.toml")
def shoe(
    shoe: Annotated[str, typer.Argument(help="Table and number of the shoe.", metavar="TABLE/SHOE")],
    config: ConfigFile = CONFIG,
    store: Store = None,
    unit: Unit = "",
    as_json: Json = False,
    as_csv: Csv = False,
    html: Html = None,
    pdf_ready: PdfReady = None,
    section: Section = "",
    out: Out = None,
    hour: Hour = None,
    zone: Zone = None,
) -> None:
    """All coups of a shoe with cards, corrections, alarms and decisions."""
    from sabot_floor.reports.play import ShoeKey
    from sabot_floor.reports.shoe import shoe_report

    with _errors_to_stderr():
        output = Output.of(Form("shoe", as_json, as_csv, html, pdf_ready, section, out))
        site = _site(config, store, hour, zone)
        table, number = _numbers(shoe, 1, "bac-01/3")
        _print(site, None, output, lambda source, scope: shoe_report(source, scope, ShoeKey(table, unit, *number)))


@app.command(epilog="Example: sabot report coup bac-01/3/17 --config /etc/sabot/floor.toml")
def coup(
    coup: Annotated[str, typer.Argument(help="Table, shoe and coup.", metavar="TABLE/SHOE/COUP")],
    config: ConfigFile = CONFIG,
    store: Store = None,
    unit: Unit = "",
    as_json: Json = False,
    as_csv: Csv = False,
    html: Html = None,
    pdf_ready: PdfReady = None,
    section: Section = "",
    out: Out = None,
    hour: Hour = None,
    zone: Zone = None,
) -> None:
    """One coup from its first message to its final state."""
    from sabot_floor.reports.play import ShoeKey
    from sabot_floor.reports.shoe import coup_report

    with _errors_to_stderr():
        output = Output.of(Form("coup", as_json, as_csv, html, pdf_ready, section, out))
        site = _site(config, store, hour, zone)
        table, (in_shoe, number) = _numbers(coup, 2, "bac-01/3/17")
        key = ShoeKey(table, unit, in_shoe)
        _print(site, None, output, lambda source, scope: coup_report(source, scope, key, number))


@app.command(epilog="Example: sabot report person 'A. Smith' --from 2026-11-01 --config /etc/sabot/floor.toml")
def person(
    name: Annotated[str, typer.Argument(help="Name as in the decisions, or id of `sabot users`.", metavar="NAME")],
    config: ConfigFile = CONFIG,
    store: Store = None,
    tables: Tables = None,
    first: From = None,
    last: To = None,
    as_json: Json = False,
    as_csv: Csv = False,
    html: Html = None,
    pdf_ready: PdfReady = None,
    section: Section = "",
    out: Out = None,
    hour: Hour = None,
    zone: Zone = None,
) -> None:
    """What a person did, approved and was refused. Default period: the last 31 gaming days."""
    from sabot_floor.reports.person import person_report

    with _errors_to_stderr():
        output = Output.of(Form("person", as_json, as_csv, html, pdf_ready, section, out))
        site = _site(config, store, hour, zone)
        span = site.calendar.days(*_period(site, first, last))
        _print(site, tables, output, lambda source, scope: person_report(source, scope.of(span), name))


def _numbers(text: str, count: int, example: str) -> tuple[str, list[int]]:
    """Return table and numbers of a text such as bac-01/3/17."""
    from sabot_floor.reports.source import NotFoundError

    table, *numbers = text.split("/")
    good = table and len(numbers) == count and all(part.isdecimal() and len(part) < 10 for part in numbers)
    if not good:
        raise NotFoundError(f"{text!r} cannot be read: expected {example}")
    return table, [int(part) for part in numbers]

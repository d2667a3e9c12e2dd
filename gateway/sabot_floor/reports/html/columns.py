"""Columns: how a table shows the rows of one type; the columns that many tables have."""

from collections.abc import Callable
from typing import Any, NamedTuple

from sabot_floor.gaming_day import Calendar
from sabot_floor.reports.html import values
from sabot_floor.reports.html.markup import Markup, text, words

Show = Callable[[Any, Calendar], Markup]


class Column(NamedTuple):
    """A column of a table: its heading, the cell of a row, and `number`, `short`, `person` or `wide` for its style."""

    heading: str
    show: Show
    style: str = ""


class Layout(NamedTuple):
    """How rows of one type are shown: their columns, and the ids on a line below, each with what it is an id of."""

    columns: tuple[Column, ...]
    references: tuple[tuple[str, str], ...] = ()


def time_of(field: str, heading: str) -> Column:
    """Return a column with a time."""
    return Column(heading, lambda row, calendar: values.moment(getattr(row, field), calendar), "short")


def count_of(field: str, heading: str) -> Column:
    """Return a column with a number."""
    return Column(heading, lambda row, _: values.number(getattr(row, field)), "number")


def words_of(field: str, heading: str, style: str = "") -> Column:
    """Return a column with a name as words."""
    return Column(heading, lambda row, _: words(getattr(row, field)), style)


def text_of(field: str, heading: str, style: str = "") -> Column:
    """Return a column with a text."""
    return Column(heading, lambda row, _: text(getattr(row, field)), style)


TABLE = Column("Table", lambda row, _: values.whole(row.table))
PLACE = Column("Table, coup", lambda row, _: values.where(row), "short")
BY = Column("By", lambda row, _: values.person(row.by, row.role), "person")
CLAUSE = text_of("clause", "Clause", "short")
SAY = text_of("say", "What happened, next step", "wide")
JACKPOT = text_of("jackpot", "Jackpot")

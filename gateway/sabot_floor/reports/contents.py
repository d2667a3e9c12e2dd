"""Contents of the reports: the sections of each, with title and rows. Text, CSV, JSON and HTML are made of these."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

from sabot_floor.reports.people_rows import (
    AlarmRow,
    DecisionRow,
    IncidentRow,
    NotificationRow,
    PaymentRow,
    ResponseRow,
    StepRow,
)
from sabot_floor.reports.rows import (
    CardRow,
    CoupCountRow,
    CoupRow,
    DaySumRow,
    DeckCheckRow,
    DiscrepancyRow,
    GapRow,
    IncrementRow,
    IrregularityRow,
    JackpotActRow,
    JackpotFaultRow,
    KeyedCardRow,
    MeterRow,
    NotCountedRow,
    PlayedRow,
    Row,
    ShoeRow,
    UnwageredRow,
    VoidRow,
    WinRow,
)

Kind = Literal["day", "month", "shoe", "coup", "person"]


class Head(msgspec.Struct, kw_only=True, frozen=True):
    """What a report is about, and how far it can be relied on."""

    report: Kind
    about: Annotated[str, Meta(description="the day, the month, table/shoe, table/shoe/coup, or the person")]
    site: Annotated[str, Meta(description="empty if no config was given")]
    begin: Annotated[str, Meta(description="first moment of the period, ISO 8601, UTC; empty for all time")]
    end: Annotated[str, Meta(description="first moment after the period; empty for all time")]
    gaming_day: Annotated[str, Meta(description="hour at which a gaming day begins")]
    time_zone: str
    tables: Annotated[list[str], Meta(description="the tables asked for; empty for all")]
    made: Annotated[str, Meta(description="when the report was made")]
    empty: Annotated[bool, Meta(description="true if the store has nothing of this")]
    complete: Annotated[bool, Meta(description="false if entries of this time are missing in the store")]
    warnings: Annotated[list[str], Meta(description="sentences about what is missing or was left out")]


Shoes = Annotated[list[ShoeRow], Meta(title="Shoes")]
Alarms = Annotated[list[AlarmRow], Meta(title="Alarms")]
Decisions = Annotated[list[DecisionRow], Meta(title="Decisions")]
Incidents = Annotated[list[IncidentRow], Meta(title="Incidents")]
Steps = Annotated[list[StepRow], Meta(title="Steps of the incidents")]
Notifications = Annotated[list[NotificationRow], Meta(title="Notifications and reports due")]
Cards = Annotated[list[CardRow], Meta(title="Cards in no hand, or with a note")]
Wins = Annotated[list[WinRow], Meta(title="Jackpots won")]
JackpotActs = Annotated[list[JackpotActRow], Meta(title="Acts on jackpots")]
JackpotFaults = Annotated[list[JackpotFaultRow], Meta(title="Faults of jackpots")]
Increments = Annotated[list[IncrementRow], Meta(title="Contributions to jackpots")]
NotCounted = Annotated[list[NotCountedRow], Meta(title="Contributions that are not on the meter")]
Meters = Annotated[list[MeterRow], Meta(title="Meters of jackpots")]
Irregularities = Annotated[list[IrregularityRow], Meta(title="Irregularities")]
Gaps = Annotated[list[GapRow], Meta(title="Missing entries")]


class Report(msgspec.Struct, kw_only=True, frozen=True):
    """A report: its head, and sections of rows."""

    head: Head


class DayReport(Report, frozen=True):
    """Everything of one gaming day, or of a period, at all or some tables."""

    gaps: Gaps
    played: Annotated[list[PlayedRow], Meta(title="How long the tables played")]
    shoes: Shoes
    coups: Annotated[list[CoupCountRow], Meta(title="Coups by kind and status")]
    corrected: Annotated[list[CoupRow], Meta(title="Corrections of coups of an earlier time")]
    irregularities: Irregularities
    voids: Annotated[list[VoidRow], Meta(title="Void coups")]
    discrepancies: Annotated[list[DiscrepancyRow], Meta(title="Discrepancies")]
    unwagered: Annotated[list[UnwageredRow], Meta(title="Coups without wagers")]
    deck_checks: Annotated[list[DeckCheckRow], Meta(title="Checks of the composition")]
    keyed_cards: Annotated[list[KeyedCardRow], Meta(title="Cards keyed in")]
    responses: Annotated[list[ResponseRow], Meta(title="Response to alarms")]
    alarms: Alarms
    decisions: Decisions
    incidents: Incidents
    steps: Steps
    notifications: Notifications
    wins: Wins
    jackpot_acts: JackpotActs
    jackpot_faults: JackpotFaults
    increments: Increments
    not_counted: NotCounted
    meters: Meters


class MonthReport(Report, frozen=True):
    """The sums of the gaming days of a month, and the registers that a rulebook asks for each month."""

    gaps: Gaps
    days: Annotated[list[DaySumRow], Meta(title="Sums of the days")]
    coups: Annotated[list[CoupCountRow], Meta(title="Coups by kind and status")]
    responses: Annotated[list[ResponseRow], Meta(title="Response to alarms")]
    payments: Annotated[list[PaymentRow], Meta(title="Over- and underpayments: case files")]
    large_payments: Annotated[list[PaymentRow], Meta(title="Over- and underpayments above $1,000, for the NICC")]
    misdeliveries: Annotated[
        list[IrregularityRow], Meta(title="Misdelivery and early reveal, for the inspector (Premium 14.12.7)")
    ]
    notifications: Notifications
    wins: Wins
    jackpot_acts: JackpotActs
    jackpot_faults: JackpotFaults
    increments: Increments
    not_counted: NotCounted
    meters: Meters


class ShoeReport(Report, frozen=True):
    """One shoe: its coups in the order of play, each in its current state, and the messages that were corrected."""

    gaps: Gaps
    shoes: Shoes
    coups: Annotated[list[CoupRow], Meta(title="Coups, each in its current state")]
    corrected: Annotated[list[CoupRow], Meta(title="Messages that were corrected")]
    cards: Cards
    irregularities: Irregularities
    alarms: Alarms
    decisions: Decisions
    incidents: Incidents
    steps: Steps
    wins: Wins


class CoupReport(Report, frozen=True):
    """One coup from its first message to its final state."""

    gaps: Gaps
    final: Annotated[list[CoupRow], Meta(title="Current state")]
    messages: Annotated[list[CoupRow], Meta(title="Messages, oldest first")]
    cards: Cards
    irregularities: Irregularities
    alarms: Alarms
    decisions: Decisions
    incidents: Incidents
    steps: Steps
    wins: Wins


class PersonReport(Report, frozen=True):
    """What a person did and approved, attempts that were refused included."""

    gaps: Gaps
    decisions: Annotated[list[DecisionRow], Meta(title="Requests made or approved")]
    refused: Annotated[list[DecisionRow], Meta(title="Requests that were refused")]
    coups: Annotated[list[CoupRow], Meta(title="Coups decided")]
    alarms: Annotated[list[AlarmRow], Meta(title="Alarms acknowledged or cleared")]
    incidents: Annotated[list[IncidentRow], Meta(title="Incidents opened")]
    steps: Annotated[list[StepRow], Meta(title="Steps done")]
    wins: Annotated[list[WinRow], Meta(title="Jackpots confirmed or deemed invalid")]
    jackpot_acts: JackpotActs


REPORTS: dict[Kind, type[Report]] = {
    "day": DayReport,
    "month": MonthReport,
    "shoe": ShoeReport,
    "coup": CoupReport,
    "person": PersonReport,
}


class Section(NamedTuple):
    """A section of a report: its name in JSON, its title and the type of its rows."""

    name: str
    title: str
    row: type[Row]

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of the columns, in order."""
        return self.row.__struct_fields__


def sections(report: type[Report]) -> list[Section]:
    """Return the sections of a kind of report, in order."""
    hints = get_type_hints(report, include_extras=True)
    return [_section(name, hints[name]) for name in report.__struct_fields__ if name != "head"]


def _section(name: str, hint: Any) -> Section:
    assert get_origin(hint) is Annotated
    rows, meta = get_args(hint)
    (row,) = get_args(rows)
    return Section(name, meta.title, row)


def filled(report: Report) -> Iterator[tuple[Section, list[Row]]]:
    """Yield each section of a report with its rows."""
    for section in sections(type(report)):
        yield section, getattr(report, section.name)

"""Rows about people: alarms and their response, decisions, incidents, notifications, case files of payments."""

from typing import Annotated, Literal

from msgspec import Meta
from sabot_protocol.topics import AlarmState, Severity

from sabot_floor.reports.rows import Row


class AlarmRow(Row, frozen=True):
    """An alarm from raised to cleared."""

    alarm: str
    raised: str
    table: str
    shoe: int
    coup: int
    name: str
    severity: Severity
    state: AlarmState
    clause: str
    say: str
    acknowledged: str
    acknowledged_by: str
    cleared: str
    cleared_by: str
    acknowledged_s: Annotated[float | None, Meta(description="from raised to acknowledged")]
    cleared_s: Annotated[float | None, Meta(description="from raised to cleared")]


class ResponseRow(Row, frozen=True):
    """How fast people responded to the alarms of one name."""

    name: str
    severity: Severity
    raised: int
    acknowledged: int
    cleared: int
    median_s: Annotated[
        float | None, Meta(description="from raised to acknowledged or cleared by a person; null: nobody did")
    ]
    longest_s: float | None


class DecisionRow(Row, frozen=True):
    """A request of a person and its answer."""

    time: str
    table: str
    verb: str
    act: Annotated[str, Meta(description="act of the rulebook; empty if it has none")]
    by: str
    role: str
    asks: Annotated[str, Meta(description="the person who asked, if `by` approved")]
    asks_role: str
    origin: Annotated[Literal["local", "floor"], Meta(description="at the gateway itself, or by the floor service")]
    user: Annotated[str, Meta(description="account on the table PC")]
    clause: str
    coup: Annotated[str, Meta(description="shoe/coup, if the request names one")]
    args: Annotated[str, Meta(description="the rest of the request, as JSON")]
    ok: Annotated[bool | None, Meta(description="null: the answer is not in the store")]
    answered: str
    say: Annotated[str, Meta(description="the answer")]
    attempt: str


class IncidentRow(Row, frozen=True):
    """Something that people must settle; its steps are in their own section."""

    incident: str
    opened: str
    closed: str
    table: str
    shoe: int
    coup: int
    kind: str
    state: Literal["open", "closed"]
    clause: str
    say: str
    by: str
    steps: int
    done: int
    late: int
    facts: Annotated[str, Meta(description="what a person recorded with it, as JSON")]
    alarm: str


StepState = Annotated[
    Literal["open", "late", "done", "done late"], Meta(description="late: its time is over and it is not done")
]


class StepRow(Row, frozen=True):
    """One thing that somebody must do to settle an incident."""

    incident: str
    kind: Annotated[str, Meta(description="kind of the incident")]
    table: str
    shoe: int
    coup: int
    name: str
    state: StepState
    say: str
    clause: str
    act: str
    role: str
    to: list[str]
    due: str
    until: str
    done: str
    by: str
    by_role: str
    note: str


class NotificationRow(Row, frozen=True):
    """A notification, report or sign that a rulebook asks for: to whom, by when, and who did it."""

    row: Annotated[str, Meta(description="row of the requirements, such as P-74")]
    opened: str
    table: str
    shoe: int
    coup: int
    kind: str
    to: list[str]
    clause: str
    due: str
    until: str
    state: StepState
    done: str
    by: str
    by_role: str
    note: str
    incident: str
    sent: Annotated[list[str], Meta(description="messages that a receiver accepted: time, channel, answer")]


class PaymentRow(Row, frozen=True):
    """A case file of an over- or underpayment (The Star 12.18-12.20, Premium 14.15-14.17)."""

    incident: str
    opened: str
    closed: str
    table: str
    shoe: int
    coup: int
    direction: Annotated[str, Meta(description="over or under")]
    amount: int | None
    date: Annotated[str, Meta(description="day of the error, as it was recorded")]
    patron: str
    intentional: bool | None
    to_nicc: Annotated[bool, Meta(description="over $1,000: reported at the end of the month (12.20.2, 14.17.2)")]
    enquired: str
    rectified: str
    identified: Annotated[str, Meta(description="time at which the patron was identified, if that was needed")]
    notified: Annotated[str, Meta(description="time at which the NICC was notified")]
    state: Literal["open", "closed"]
    clause: str
    note: str

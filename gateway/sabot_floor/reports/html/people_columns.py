"""Columns of rows about people."""

from sabot_protocol.due import step_due
from sabot_protocol.inputs.plain_text import counted

from sabot_floor.gaming_day import Calendar
from sabot_floor.reports import people_rows
from sabot_floor.reports.html import values
from sabot_floor.reports.html.columns import PLACE, SAY, Column, Layout, count_of, time_of, words_of
from sabot_floor.reports.html.markup import NOTHING, Markup, joined, note, stack, strong, text, words
from sabot_floor.reports.wording import typed

StepLike = people_rows.StepRow | people_rows.NotificationRow


def _clause(clause: str) -> Markup:
    return note(text(f"clause {clause}" if clause else ""))


def _alarm(row: people_rows.AlarmRow, _: Calendar) -> Markup:
    severity = strong(text(row.severity)) if row.severity == "critical" else text(row.severity)
    return stack(words(row.name), note(severity, text(row.state)), _clause(row.clause))


def _response(at: str, by: str, seconds: float | None, calendar: Calendar) -> Markup:
    after = values.duration(seconds)
    return stack(values.moment(at, calendar), note(joined([text("after"), after], " ")) if after else NOTHING, text(by))


def _request(row: people_rows.DecisionRow, _: Calendar) -> Markup:
    act = text(f"act {row.act.replace('_', ' ')}" if row.act else "")
    return stack(words(typed(row.verb)), note(act), note(values.facts(row.args)), _clause(row.clause))


def _requested_by(row: people_rows.DecisionRow, _: Calendar) -> Markup:
    place = text("at the table PC" if row.origin == "local" else "by the floor service")
    asked = values.person(row.asks, row.asks_role, "asked by") if row.asks else NOTHING
    return stack(values.person(row.by, row.role), asked, note(place))


def _answer(row: people_rows.DecisionRow, calendar: Calendar) -> Markup:
    verdict = {True: NOTHING, False: strong(text("refused")), None: strong(text("no answer in the store"))}[row.ok]
    shown = stack(verdict, text(row.say)) or text("done")
    return stack(shown, note(values.moment(row.answered, calendar)))


def _table_and_coup(row: people_rows.DecisionRow, _: Calendar) -> Markup:
    return stack(text(row.table), note(text(f"shoe/coup {row.coup}" if row.coup else "")))


def _incident(row: people_rows.IncidentRow, _: Calendar) -> Markup:
    by = note(text(f"opened by {row.by}" if row.by else ""))
    return stack(words(row.kind), _clause(row.clause), by)


def _incident_state(row: people_rows.IncidentRow, calendar: Calendar) -> Markup:
    state = strong(text("open")) if row.state == "open" else text(row.state)
    late = strong(text(f"{row.late} late")) if row.late else NOTHING
    return stack(
        state, values.moment(row.closed, calendar), note(text(f"{row.done} of {counted(row.steps, 'step')} done"), late)
    )


def _step(row: people_rows.StepRow, _: Calendar) -> Markup:
    act = note(text(f"act {row.act.replace('_', ' ')}" if row.act else ""))
    return stack(words(row.name), text(row.say), act, _clause(row.clause))


def _who(row: people_rows.StepRow, _: Calendar) -> Markup:
    role = text(f"{row.role.replace('_', ' ')} or above" if row.role else "")
    to = joined(map(words, row.to))
    return stack(role, joined([text("notify"), to], " ") if to else NOTHING)


def _due(row: StepLike, calendar: Calendar) -> Markup:
    until = values.moment(row.until, calendar)
    return stack(
        text(step_due(row.due, row.clause, row.to)), note(joined([text("until"), until], " ")) if until else NOTHING
    )


def _state(row: StepLike, _: Calendar) -> Markup:
    return text(row.state) if row.state == "done" else strong(text(row.state))


def _done(row: StepLike, calendar: Calendar) -> Markup:
    return stack(values.moment(row.done, calendar), values.person(row.by, row.by_role), note(text(row.note)))


def _payment(row: people_rows.PaymentRow, _: Calendar) -> Markup:
    paid = {"over": "overpaid", "under": "underpaid"}.get(row.direction, row.direction)
    return stack(text(paid), values.money(row.amount, ""), note(text(row.date)))


def _patron(row: people_rows.PaymentRow, calendar: Calendar) -> Markup:
    intent, identified = values.yes(row.intentional), values.moment(row.identified, calendar)
    return stack(
        text(row.patron),
        note(joined([text("intentional:"), intent], " ")) if intent else NOTHING,
        note(joined([text("identified:"), identified], " ")) if identified else NOTHING,
    )


def _nicc(row: people_rows.PaymentRow, calendar: Calendar) -> Markup:
    return stack(text("to be notified" if row.to_nicc else "no duty"), values.moment(row.notified, calendar))


def _case_state(row: people_rows.PaymentRow, calendar: Calendar) -> Markup:
    state = strong(text("open")) if row.state == "open" else text(row.state)
    return stack(state, values.moment(row.closed, calendar), _clause(row.clause), note(text(row.note)))


ALARMS = Layout(
    (
        time_of("raised", "Raised"),
        PLACE,
        Column("Alarm", _alarm),
        SAY,
        Column(
            "Acknowledged",
            lambda row, calendar: _response(row.acknowledged, row.acknowledged_by, row.acknowledged_s, calendar),
            "person",
        ),
        Column(
            "Cleared", lambda row, calendar: _response(row.cleared, row.cleared_by, row.cleared_s, calendar), "person"
        ),
    ),
    (("alarm", "alarm"),),
)
RESPONSES = Layout(
    (
        words_of("name", "Alarm"),
        words_of("severity", "Severity"),
        count_of("raised", "Raised"),
        count_of("acknowledged", "Acknowledged"),
        count_of("cleared", "Cleared"),
        Column("Median response", lambda row, _: values.duration(row.median_s), "number"),
        Column("Longest response", lambda row, _: values.duration(row.longest_s), "number"),
    )
)
DECISIONS = Layout(
    (
        time_of("time", "Time"),
        Column("Table, coup", _table_and_coup, "short"),
        Column("Request", _request, "wide"),
        Column("By", _requested_by, "person"),
        Column("Answer", _answer, "wide"),
    ),
    (("request", "attempt"), ("account", "user")),
)
INCIDENTS = Layout(
    (
        time_of("opened", "Opened"),
        PLACE,
        Column("Incident", _incident),
        Column("What happened", lambda row, _: stack(text(row.say), note(values.facts(row.facts))), "wide"),
        Column("State", _incident_state, "short"),
    ),
    (("incident", "incident"), ("alarm", "alarm")),
)
STEPS = Layout(
    (
        words_of("kind", "Incident"),
        PLACE,
        Column("Step", _step, "wide"),
        Column("Who", _who),
        Column("Due", _due, "short"),
        Column("State", _state, "short"),
        Column("Done", _done, "person"),
    ),
    (("incident", "incident"),),
)
NOTIFICATIONS = Layout(
    (
        time_of("opened", "Opened"),
        PLACE,
        Column("Duty", lambda row, _: stack(words(row.kind), _clause(row.clause), note(text(row.row)))),
        Column("To", lambda row, _: stack(joined(map(words, row.to)), note(*map(text, row.sent)))),
        Column("Due", _due, "short"),
        Column("State", _state, "short"),
        Column("Done", _done, "person"),
    ),
    (("incident", "incident"),),
)
PAYMENTS = Layout(
    (
        time_of("opened", "Opened"),
        PLACE,
        Column("Payment", _payment),
        Column("Patron", _patron),
        time_of("enquired", "Enquired"),
        time_of("rectified", "Rectified"),
        Column("NICC", _nicc),
        Column("State", _case_state),
    ),
    (("case", "incident"),),
)

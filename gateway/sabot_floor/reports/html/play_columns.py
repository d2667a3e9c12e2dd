"""Columns of rows about play, jackpots and sums."""

from typing import Any

from sabot_floor.gaming_day import Calendar
from sabot_floor.reports import rows
from sabot_floor.reports.html import values
from sabot_floor.reports.html.columns import (
    BY,
    CLAUSE,
    JACKPOT,
    PLACE,
    SAY,
    TABLE,
    Column,
    Layout,
    count_of,
    text_of,
    time_of,
    words_of,
)
from sabot_floor.reports.html.markup import NOTHING, Markup, element, joined, note, stack, strong, text, words


def _contents(row: rows.ShoeRow, _: Calendar) -> Markup:
    if not row.decks:
        return text("not in the store")
    return text(f"{row.decks} decks, card set {row.card_set}, burn {row.burn.replace('_', ' ')}")


def _kind(row: rows.CoupRow | rows.UnwageredRow, _: Calendar) -> Markup:
    status = text(row.status) if row.status != row.kind else NOTHING
    return stack(words(row.kind), strong(status) if row.status == "disputed" else note(status))


def _is_void(row: rows.CoupRow) -> bool:
    return "void" in (row.kind, row.status)


def _outcome(row: rows.CoupRow, _: Calendar) -> Markup:
    marks = {"player pair": row.player_pair, "banker pair": row.banker_pair, "natural": row.natural}
    marks["last coup"] = row.last_coup
    return stack(
        values.result(None if _is_void(row) else row.winner),
        note(*(text(name) for name, applies in marks.items() if applies)),
    )


def _decision(row: rows.CoupRow, calendar: Calendar) -> Markup:
    confirmed = values.moment(row.confirmed, calendar)
    return stack(
        values.person(row.by, row.role),
        note(text(f"clause {row.clause}" if row.clause else "")),
        note(values.moment(row.decided, calendar)),
        note(joined([text("confirmed"), confirmed], " ")) if confirmed else NOTHING,
    )


def _irregularity(row: rows.IrregularityRow, _: Calendar) -> Markup:
    return stack(words(row.name), note(words(row.case)) if row.case != row.name else NOTHING)


def _verdict(row: rows.DiscrepancyRow, _: Calendar) -> Markup:
    if not row.verdict:
        return strong(text("not decided"))
    return stack(text(row.verdict), values.result(row.winner) if row.winner else NOTHING)


def _differs(row: rows.DiscrepancyRow, _: Calendar) -> Markup:
    return stack(words(row.name), note(text(f"shoe: {row.shoe_says}")), note(text(f"cards: {row.cards_say}")))


def _decided(row: rows.DiscrepancyRow, calendar: Calendar) -> Markup:
    after = values.duration(row.response_s)
    return stack(values.moment(row.decided, calendar), note(joined([text("after"), after], " ")) if after else NOTHING)


def _value_of_win(row: Any, _: Calendar) -> Markup:
    return stack(values.money(row.value, row.currency), note(values.money(row.rounded, row.currency)))


def _prize(row: Any, _: Calendar) -> Markup:
    return stack(values.money(row.amount, row.currency), note(text(f"{row.percent} %")))


def _meter(field: str, heading: str) -> Column:
    return Column(heading, lambda row, _: values.money(getattr(row, field), row.currency), "number")


SHOES = Layout(
    (
        TABLE,
        count_of("shoe", "Shoe"),
        Column("Unit", lambda row, _: element("code", text(row.unit))),
        time_of("opened", "Opened"),
        time_of("closed", "Closed"),
        Column("Cards", _contents),
        count_of("coups", "Coups"),
    )
)
PLAYED = Layout(
    (
        TABLE,
        Column("Shoe open", lambda row, _: values.duration(row.open_s), "number"),
        time_of("first", "First coup"),
        time_of("last", "Last coup"),
        count_of("shoes", "Shoes"),
        count_of("coups", "Coups"),
    )
)
COUPS = Layout(
    (
        PLACE,
        time_of("time", "Time"),
        Column("Kind", _kind, "short"),
        Column("Player", lambda row, _: values.hand(row.player, row.player_points, not _is_void(row))),
        Column("Banker", lambda row, _: values.hand(row.banker, row.banker_points, not _is_void(row))),
        Column("Result", _outcome),
        Column("Decided by", _decision),
    ),
    (
        ("message", "coup_id"),
        ("corrects", "corrects"),
        ("corrected by", "corrected_by"),
        ("request", "attempt"),
        ("began at", "began"),
        ("unit", "unit"),
    ),
)
CARDS = Layout(
    (
        time_of("time", "Time"),
        PLACE,
        words_of("slot", "Drawn for"),
        Column("Card", lambda row, _: values.card(row.card)),
        Column("Notes", lambda row, _: joined(map(words, row.notes))),
    ),
    (("unit", "unit"),),
)
IRREGULARITIES = Layout(
    (
        time_of("time", "Time"),
        PLACE,
        Column("Irregularity", _irregularity),
        CLAUSE,
        SAY,
        Column("What followed", lambda row, _: stack(*map(text, row.followed)), "wide"),
    ),
    (("alarm", "alarm"),),
)
VOIDS = Layout(
    (
        time_of("time", "Time"),
        PLACE,
        BY,
        CLAUSE,
        text_of("reason", "Reason", "wide"),
        Column("Cards", lambda row, _: values.cards(row.cards)),
    ),
    (("message", "coup_id"), ("request", "attempt"), ("unit", "unit")),
)
DISCREPANCIES = Layout(
    (
        time_of("raised", "Raised"),
        PLACE,
        Column("Difference", _differs, "wide"),
        CLAUSE,
        Column("Decision", _verdict),
        BY,
        Column("Decided", _decided, "short"),
    ),
    (("alarm", "alarm"),),
)
UNWAGERED = Layout(
    (
        time_of("time", "Time"),
        PLACE,
        Column("Kind", _kind),
        Column("Authorised by", lambda row, _: values.person(row.by, row.role) or text("ordered by a rule")),
        CLAUSE,
    ),
    (("message", "coup_id"), ("request", "attempt"), ("unit", "unit")),
)
DECK_CHECKS = Layout(
    (
        time_of("time", "Time"),
        PLACE,
        Column("Decks", lambda row, _: values.number(row.decks) if row.decks else text("all"), "number"),
        count_of("cards", "Cards"),
        BY,
        words_of("result", "Result"),
        text_of("say", "Answer", "wide"),
    ),
    (("alarm", "alarm"), ("request", "attempt")),
)
KEYED_CARDS = Layout(
    (
        time_of("time", "Time"),
        PLACE,
        words_of("slot", "Drawn for"),
        Column("Card", lambda row, _: values.card(row.card)),
        Column("Asked by", lambda row, _: values.person(row.asks, row.asks_role)),
        BY,
        CLAUSE,
    ),
    (("request", "attempt"), ("unit", "unit")),
)
WINS = Layout(
    (
        time_of("time", "Time"),
        Column("Jackpot", lambda row, _: stack(text(row.jackpot), note(words(row.outcome)))),
        PLACE,
        words_of("state", "State"),
        time_of("at", "Settlement"),
        Column("Value, rounded up", _value_of_win, "number"),
        Column("Prize", _prize, "number"),
        Column("Shares of stakes", lambda row, _: values.parts(row.shares, row.stakes, row.currency), "number"),
        text_of("recorder", "Recorded by"),
        BY,
        words_of("notified", "Notified"),
        text_of("reason", "Reason"),
    ),
    (("win", "win"),),
)
JACKPOT_FAULTS = Layout(
    (time_of("time", "Time"), JACKPOT, words_of("name", "Fault"), TABLE, words_of("state", "State"), SAY, CLAUSE)
)
JACKPOT_ACTS = Layout(
    (
        time_of("time", "Time"),
        JACKPOT,
        words_of("act", "Act"),
        TABLE,
        Column("Amount", lambda row, _: values.money(row.amount, row.currency), "number"),
        Column("By", lambda row, _: stack(*map(text, row.by), note(words(row.role)))),
        text_of("reason", "Reason", "wide"),
    )
)
INCREMENTS = Layout(
    (
        JACKPOT,
        text_of("gateway", "Gateway"),
        TABLE,
        count_of("count", "Coups"),
        Column("Amount", lambda row, _: values.money(row.amount, row.currency), "number"),
    )
)
NOT_COUNTED = Layout(
    (
        time_of("time", "Time"),
        JACKPOT,
        text_of("gateway", "Gateway"),
        PLACE,
        count_of("count", "Contributions"),
        Column("Amount", lambda row, _: values.money(row.amount, row.currency), "number"),
        text_of("reason", "Reason", "wide"),
    )
)
METERS = Layout(
    (
        JACKPOT,
        words_of("at", "At"),
        time_of("time", "Newest entry"),
        *(_meter(name, heading) for name, heading in (("base", "Base"), ("came_in", "In"), ("display", "Display"))),
        count_of("hits", "Hits"),
        *(_meter(name, name.capitalize()) for name in ("wins", "overflow", "reserve")),
    )
)
GAPS = Layout(
    (
        text_of("gateway", "Gateway"),
        count_of("first", "First missing entry"),
        count_of("last", "Last missing entry"),
        time_of("after", "After"),
        time_of("before", "Before"),
    )
)
DAY_SUMS = Layout(
    (
        Column("Day", lambda row, _: element("span", text(row.day), class_="whole")),
        count_of("shoes", "Shoes"),
        count_of("coups", "Coups"),
        count_of("live", "Live"),
        count_of("unwagered", "No wagers"),
        count_of("voids", "Void"),
        count_of("irregularities", "Irregularities"),
        count_of("discrepancies", "Discrepancies"),
        count_of("deck_checks", "Deck checks"),
        count_of("keyed_cards", "Cards keyed in"),
        count_of("alarms", "Alarms"),
        count_of("decisions", "Requests"),
        count_of("refused", "Refused"),
        count_of("incidents", "Incidents"),
        count_of("notifications", "Notifications"),
        count_of("late", "Late"),
        count_of("wins", "Jackpots won"),
        Column("Hours open", lambda row, _: values.hours(row.open_s), "number"),
        Column("Complete", lambda row, _: values.yes(row.complete)),
    )
)

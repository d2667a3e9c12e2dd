"""Notices: what is sent through one channel about an alarm, a step of an incident, or many alarms; and its id."""

from hashlib import sha256
from typing import Literal

import msgspec
from sabot_protocol.inputs.plain_text import plain
from sabot_protocol.topics import AlarmMessage, Severity

from sabot_floor.gaming_day import Calendar

MOST_TEXT, MOST_SUBJECT = 1000, 150
Occasion = Literal["raised", "acknowledged", "cleared", "opened", "reminder", "late", "summary", "test"]


class Notice(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A message to people; as JSON it is the body of a webhook and the payload of an entry `decided`."""

    id: str  # the same whenever it is sent again: a receiver drops what it has seen
    site: str
    channel: str
    occasion: Occasion
    time: str  # when it was decided
    severity: Severity
    subject: str
    text: str
    at: str = ""  # when the alarm was raised, or the incident opened
    table: str = ""
    name: str = ""  # of the alarm, or kind of the incident
    alarm: str = ""  # id of the message that raised it
    incident: str = ""
    step: str = ""
    to: list[str] = []
    until: str = ""
    clause: str = ""
    count: int = 0  # alarms in a summary


def notice_id(site: str, channel: str, about: str, step: str, occasion: str) -> str:
    """Return the id of a notice: the same about the same thing, on every worker and after every restart."""
    return sha256("\n".join((site, channel, about, step, occasion)).encode()).hexdigest()[:32]


def short(text: str, most: int = 200) -> str:
    """Return a text of somebody else as one plain line."""
    cleaned = plain(text[: 4 * most])
    return cleaned if len(cleaned) <= most else f"{cleaned[: most - 1]}…"


def of_alarm(site: str, channel: str, message: AlarmMessage, time: str, calendar: Calendar) -> Notice:
    """Return the notice about an alarm."""
    table, name, clause = short(message.table, 64), short(message.name, 64), short(message.clause, 64)
    by = f" by {short(message.by, 80)}" if message.by else ""
    rule = f" Rule {clause}." if clause else ""
    place = f"Shoe {message.shoe}, coup {message.coup}."
    return Notice(
        id=notice_id(site, channel, f"alarm {message.table} {message.alarm}", "", message.state),
        site=site,
        channel=channel,
        occasion=message.state,
        time=time,
        severity=message.severity,
        subject=short(f"{table}: alarm {name}, {message.severity}, {message.state}{by}", MOST_SUBJECT),
        text=short(f"{calendar.in_text(message.say)} {place}{rule}", MOST_TEXT),
        at=short(message.time, 40),
        table=table,
        name=name,
        alarm=short(message.alarm, 160),
        clause=clause,
    )


def of_test(site: str, channel: str, time: str) -> Notice:
    """Return a notice that shows that a channel works."""
    return Notice(
        id=notice_id(site, channel, f"test {time}", "", "test"),
        site=site,
        channel=channel,
        occasion="test",
        time=time,
        severity="info",
        subject=f"{site}: test of the channel {channel}",
        text="This is a test of the notifications of Sabot. Nothing has happened, and nothing is to be done.",
    )

"""Notifications as text: a line per notice, and what the status of the floor service reports about the channels."""

from collections.abc import Iterator
from typing import Any

from sabot_floor.notify.history import Row

_STATES = {"waiting": "waits", "failed": "failed, waits", "sent": "sent", "given_up": "given up"}


def row_line(row: Row) -> str:
    """Return when, what has become of it, through which channel, what it is about, and the answer."""
    about = row.subject or " ".join(filter(None, (row.alarm, row.incident, row.step)))
    tried = f" ({row.attempts} attempts)" if row.attempts > 1 else ""
    again = f"; next attempt {row.next}" if row.next else ""
    said = f": {row.say}" if row.say else ""
    problem = f"; {row.problem}" if row.problem else ""
    state = _STATES.get(row.state, row.state)
    return f"{row.changed}  {state}  {row.channel}  {row.occasion}  {about}{said}{tried}{again}{problem}"


def channel_lines(notify: dict[str, Any] | None) -> Iterator[str]:
    """Yield a line per channel, then what a person should act on."""
    if not notify:
        return
    yield ""
    for one in notify["channels"]:
        waits = f", {one['waiting']} wait since {one['oldest']}" if one["waiting"] else ""
        held = f", {one['in_summary']} alarms for the next summary" if one["in_summary"] else ""
        counts = f"{one['sent']} sent, {one['failed']} attempts failed, {one['given_up']} given up"
        yield f"notify {one['name']} ({one['kind']}): {counts}{waits}{held}"
    yield from _problems(notify)


def _problems(notify: dict[str, Any]) -> Iterator[str]:
    for one in notify["channels"]:
        if one["problem"]:
            again = f"; next attempt {one['next']}" if one["next"] else ""
            yield f"notify {one['name']}: {one['problem_time']}: {one['problem']}{again}"
    if notify["problem"]:
        yield f"notify: {notify['problem']}"
    if notify["not_watched"]:
        yield f"notify: {notify['not_watched']} messages of incidents beyond the {notify['incidents']} that are watched"
    if notify["too_old"]:
        yield f"notify: {notify['too_old']} alarms came more than a day late and notified nobody"
    yield from (f"refused: {sentence}" for sentence in notify["newest_rejected"])

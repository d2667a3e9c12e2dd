"""Steps: open incidents are watched; each step becomes a notice when it opens, ahead of its limit, and once late."""

from collections.abc import Iterator

from sabot_protocol.jackpots.currency import number
from sabot_protocol.topics import IncidentMessage, Severity, Step
from sabot_service.moment import utc

from sabot_floor.gaming_day import Calendar
from sabot_floor.notify import due_times
from sabot_floor.notify.channels import Channel
from sabot_floor.notify.delivery import give_up
from sabot_floor.notify.notices import MOST_SUBJECT, MOST_TEXT, Notice, Occasion, notice_id, short
from sabot_floor.notify.state import MOST_STEPS, MOST_WATCHED, OpenStep, State, Watched, key
from sabot_floor.store import Entry

_SEVERITY: dict[Occasion, Severity] = {"opened": "warning", "reminder": "warning", "late": "critical"}
_HEADS: dict[Occasion, str] = {"opened": "to do", "reminder": "still to do", "late": "late"}


def watch(state: State, message: IncidentMessage, calendar: Calendar) -> bool:
    """Take over an incident from its message; return False if a newer one is known, or there is no room."""
    own = key(message.table, message.incident)
    known, version = state.watched.get(own), (message.entry or 0, message.time)
    newest = known.version if known is not None else state.closed.get(own)
    if newest is not None and version < newest:
        return False
    if message.state == "closed":
        state.watched.pop(own, None)
        state.closed[own] = version
        return True
    if known is None and len(state.watched) >= MOST_WATCHED:
        state.unwatched += 1
        return False
    state.closed.pop(own, None)
    state.watched[own] = Watched(
        incident=message.incident,
        kind=short(message.kind, 64),
        table=message.table,
        say=short(message.say),
        opened=message.opened if due_times.seconds(message.opened) is not None else message.time,
        version=version,
        steps=[_open_step(step, message, calendar) for step in message.steps if not step.done][:MOST_STEPS],
        notified=known.notified if known is not None else {},
        account=_account(message),
        patron=short(str(message.facts.get("patron", ""))),
        place=f"shoe {message.shoe}, coup {message.coup}" if message.coup else "",
    )
    return True


def _account(message: IncidentMessage) -> str:
    """Return what happened as words, with the amount; no patron."""
    facts, say = message.facts, short(message.say)
    cents = facts.get("amount_cents")
    amount = f"${number(cents, 'AUD')}" if isinstance(cents, int) and not isinstance(cents, bool) else ""
    payment = {"over": "Overpayment", "under": "Underpayment"}.get(str(facts.get("direction", "")), "")
    if payment and amount and say.startswith(payment):
        say = f"{payment} of {amount}{say.removeprefix(payment)}"
    elif amount:
        say = f"{say} Amount: {amount}."
    date = f" Date: {short(str(facts['date']), 20)}." if facts.get("date") else ""
    return f"{say}{date}{' Intentional.' if facts.get('intentional') is True else ''}"


def _open_step(step: Step, message: IncidentMessage, calendar: Calendar) -> OpenStep:
    return OpenStep(
        name=short(step.name, 64),
        say=short(step.say),
        clause=short(step.clause, 64),
        role=short(step.role, 64),
        to=[short(party, 64) for party in step.to[:20]],
        until=due_times.until(calendar, step.due, step.until, message.opened),
        late=step.late,
    )


def settle(state: State, table: str, incident: str, now_s: float) -> Iterator[Entry]:
    """Give up the notices about steps that are done; one that is being sent is not stopped."""
    watched = state.watched.get(key(table, incident))
    still_open = {step.name for step in watched.steps} if watched is not None else set()
    for waiting in list(state.queue.values()):
        about = waiting.notice
        if (about.table, about.incident) == (table, incident) and about.step not in still_open and not waiting.claimed:
            yield give_up(state, waiting, "the step was done before this was sent", now_s, problem=False)


def due(watched: Watched, channel: Channel, now_s: float) -> Iterator[tuple[OpenStep, Occasion]]:
    """Yield what a channel is to send now about the steps of an incident, and was not decided before."""
    for step in watched.steps:
        for occasion in _occasions(channel, step, watched.opened, now_s):
            if _key(channel, step, occasion) not in watched.notified:
                yield step, occasion


def _key(channel: Channel, step: OpenStep, occasion: Occasion) -> str:
    return f"{channel.name} {occasion} {step.name}"


def _occasions(channel: Channel, step: OpenStep, opened: str, now_s: float) -> Iterator[Occasion]:
    reached = any(party in channel.to for party in step.to)
    if reached:
        yield "opened"
    if not reached and not channel.limits:
        return
    limit_s = due_times.seconds(step.until)
    if step.late or (limit_s is not None and now_s >= limit_s):
        yield "late"
        return
    remind_s = due_times.reminder_s(opened, step.until, channel.remind_minutes * 60)
    if remind_s is not None and now_s >= remind_s:
        yield "reminder"


def notice(
    watched: Watched, step: OpenStep, occasion: Occasion, channel: Channel, site: str, calendar: Calendar, now_s: float
) -> Notice:
    """Return a notice about a step; it is not due again."""
    watched.notified[_key(channel, step, occasion)] = None
    what = step.say.rstrip(".") or step.name.replace("_", " ")
    subject = f"{watched.table}: {_HEADS[occasion]}: {what} ({watched.kind.replace('_', ' ')})"
    limit = f" By {calendar.local(step.until)} {calendar.zone}." if step.until else ""
    who = f" By {step.role.replace('_', ' ')} or above." if step.role else ""
    rule = f" Rule {step.clause}." if step.clause else ""
    opened = f"opened {calendar.local(utc(due_times.seconds(watched.opened) or 0))} {calendar.zone}."
    to = [party for party in step.to if party in channel.to]
    patron = f" Patron: {watched.patron}." if watched.patron and to else ""  # only for those who must be notified
    place = ", ".join(part for part in (f"Table {watched.table}", watched.place, opened) if part)
    return Notice(
        id=notice_id(site, channel.name, f"incident {watched.table} {watched.incident}", step.name, occasion),
        site=site,
        channel=channel.name,
        occasion=occasion,
        time=utc(now_s),
        severity=_SEVERITY[occasion],
        subject=short(subject, MOST_SUBJECT),
        text=short(
            f"{step.say}{limit}{who}{rule} {calendar.in_text(watched.account or watched.say)}{patron} {place}",
            MOST_TEXT,
        ),
        at=watched.opened,
        table=watched.table,
        name=watched.kind,
        incident=watched.incident,
        step=step.name,
        to=to,
        until=step.until,
        clause=step.clause,
    )

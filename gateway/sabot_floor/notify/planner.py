"""Planner: alarms, incidents and the time → the notices to send, as entries of the log. No clock, no network."""

from collections.abc import Iterator, Sequence

from sabot_protocol.topics import AlarmMessage, IncidentMessage
from sabot_service.moment import utc

from sabot_floor.gaming_day import Calendar
from sabot_floor.notify import due_times, notices, steps, summaries
from sabot_floor.notify.channels import AnyChannel, wants_alarm, wants_table
from sabot_floor.notify.delivery import MOST_AGE_S, decide
from sabot_floor.notify.messages import Received
from sabot_floor.notify.state import MOST_CLOSED, MOST_SEEN, MOST_WAITING, SEEN_S, State, Watched, key
from sabot_floor.store import Entry


class Planner:
    """Changes a state by what has come, and by the time alone; returns the entries for the log."""

    def __init__(self, site: str, channels: Sequence[AnyChannel], calendar: Calendar) -> None:
        self._site, self._channels, self._calendar = site, channels, calendar

    def take(self, state: State, message: Received, now_s: float) -> list[Entry]:
        """Take a message."""
        if isinstance(message, AlarmMessage):
            return list(self._alarm(state, message, now_s))
        return list(self._incident(state, message, now_s))

    def due(self, state: State, now_s: float) -> list[Entry]:
        """Decide what is due by time: steps that are new, near their limit or late, and summaries."""
        entries = [entry for watched in state.watched.values() for entry in self._steps(state, watched, now_s)]
        for channel in self._channels:
            flood = state.floods.get(channel.name)
            if flood is not None and summaries.is_due(flood, now_s):
                del state.floods[channel.name]
                if flood.held:
                    made = summaries.notice(flood, self._site, channel.name, self._calendar, now_s)
                    entries.append(decide(state, made, now_s))
        _forget(state, now_s)
        return entries

    def _alarm(self, state: State, message: AlarmMessage, now_s: float) -> Iterator[Entry]:
        raised_s = due_times.seconds(message.time)
        if raised_s is not None and now_s - raised_s > MOST_AGE_S:
            state.too_old += 1
            return
        for channel in self._channels:
            if not wants_alarm(channel, message):
                continue
            made = notices.of_alarm(self._site, channel.name, message, utc(now_s), self._calendar)
            if made.id in state.seen:
                continue
            state.seen[made.id] = int(now_s)
            single = summaries.may_be_single(state.floods, channel.name, now_s)
            if single and len(state.queue) < MOST_WAITING:
                yield decide(state, made, now_s)
            else:
                summaries.hold(state.floods[channel.name], made)

    def _incident(self, state: State, message: IncidentMessage, now_s: float) -> Iterator[Entry]:
        if not steps.watch(state, message, self._calendar):
            return
        yield from steps.settle(state, message.table, message.incident, now_s)
        watched = state.watched.get(key(message.table, message.incident))
        if watched is not None:
            yield from self._steps(state, watched, now_s)

    def _steps(self, state: State, watched: Watched, now_s: float) -> Iterator[Entry]:
        """Decide once each what is due about the steps of an incident; what finds no room is decided later."""
        for channel in self._channels:
            if not wants_table(channel, watched.table):
                continue
            for step, occasion in steps.due(watched, channel, now_s):
                if len(state.queue) >= MOST_WAITING:
                    return
                made = steps.notice(watched, step, occasion, channel, self._site, self._calendar, now_s)
                yield decide(state, made, now_s)


def _forget(state: State, now_s: float) -> None:
    """Drop what is older, or more, than the state may hold."""
    for own_id, seen_s in list(state.seen.items()):
        if seen_s >= now_s - SEEN_S and len(state.seen) <= MOST_SEEN:
            break
        del state.seen[own_id]
    while len(state.closed) > MOST_CLOSED:
        del state.closed[next(iter(state.closed))]

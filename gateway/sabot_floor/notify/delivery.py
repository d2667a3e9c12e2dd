"""Delivery: what becomes of a decided notice: claimed by one worker, sent, tried again later, or given up."""

from collections.abc import Iterator, Mapping

import msgspec
from sabot_service.moment import utc

from sabot_floor.notify.channels import Channel
from sabot_floor.notify.notices import Notice
from sabot_floor.notify.state import State, Waiting
from sabot_floor.store import Entry

MOST_AGE_S = 86_400  # of an alarm that comes, and of a notice that waits
MOST_ATTEMPTS = 100
AT_ONCE = 5  # notices that a channel is given
_FIRST_WAIT_S, _MOST_WAIT_S = 5.0, 600.0
_LEASE_S = 60.0  # beside the time that sending may take


class Outcome(msgspec.Struct, frozen=True):
    """What a channel made of a notice: sent with the receiver's answer, failed with the reason, or not tried."""

    notice: Notice
    result: str  # sent, failed, released
    say: str = ""
    problem: str = ""  # sent, and still something is wrong


class Fate(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The payload of an entry `sent`, `failed` or `given_up`."""

    channel: str
    occasion: str
    attempt: int
    say: str  # the receiver's answer, or the reason
    table: str = ""
    alarm: str = ""
    incident: str = ""
    step: str = ""
    to: list[str] = []
    next: str = ""  # time of the next attempt
    problem: str = ""


def decide(state: State, notice: Notice, now_s: float) -> Entry:
    """Queue a notice; return its entry."""
    state.queue[notice.id] = Waiting(notice=notice, since_s=now_s, next_s=now_s)
    return Entry(notice.id, "decided", msgspec.json.encode(notice), notice.time)


def claim(
    state: State, worker: str, channels: Mapping[str, Channel], busy: set[str], now_s: float
) -> tuple[list[Notice], list[Entry]]:
    """Return what this worker is to send now, claimed for it, and the entries of what is given up.

    A claim of another worker holds until its time is over: that worker was killed, and may have sent the notice.
    """
    given_up = list(_hopeless(state, channels, now_s))
    claimed: list[Notice] = []
    for name, channel in channels.items():
        if name not in busy and not _later(state.tally(name).next_s, now_s):
            claimed += _claim_channel(state, worker, channel, now_s)
    return claimed, given_up


def _claim_channel(state: State, worker: str, channel: Channel, now_s: float) -> Iterator[Notice]:
    until_s = now_s + AT_ONCE * channel.timeout_s + _LEASE_S
    free = [
        waiting
        for waiting in state.queue.values()
        if waiting.notice.channel == channel.name
        and not _later(waiting.next_s, now_s)
        and (waiting.claimed in ("", worker) or not now_s < waiting.claimed_until_s <= until_s + _LEASE_S)
    ]
    for waiting in sorted(free, key=lambda one: one.attempts)[:AT_ONCE]:
        waiting.claimed, waiting.claimed_until_s = worker, until_s
        yield waiting.notice


def _later(next_s: float, now_s: float) -> bool:
    """Return True if it is too early; a time farther away than any wait is of a clock that went back."""
    return now_s < next_s <= now_s + 2 * _MOST_WAIT_S


def _hopeless(state: State, channels: Mapping[str, Channel], now_s: float) -> Iterator[Entry]:
    for waiting in list(state.queue.values()):
        name = waiting.notice.channel
        if waiting.claimed and now_s < waiting.claimed_until_s:
            continue
        if name not in channels:
            yield give_up(state, waiting, f"there is no channel {name} in the config any more", now_s)
        elif now_s - waiting.since_s > MOST_AGE_S or waiting.attempts >= MOST_ATTEMPTS:
            hours = f"{(now_s - waiting.since_s) / 3600:.1f}"
            say = f"not accepted in {waiting.attempts} attempts and {hours} hours; notify the people by hand"
            yield give_up(state, waiting, say, now_s)


def give_up(state: State, waiting: Waiting, why: str, now_s: float, *, problem: bool = True) -> Entry:
    """Take a notice from the queue unsent; return its entry."""
    notice = waiting.notice
    del state.queue[notice.id]
    if problem:
        tally = state.tally(notice.channel)
        tally.given_up += 1
        tally.problem, tally.problem_time = f"given up: {notice.subject}: {why}", utc(now_s)
    return _entry("given_up", notice, waiting.attempts, why, now_s)


def settle(state: State, outcome: Outcome, now_s: float) -> list[Entry]:
    """Take note of what a channel made of a notice."""
    waiting = state.queue.get(outcome.notice.id)
    attempt = waiting.attempts + 1 if waiting is not None else 0
    if outcome.result == "sent":
        _sent(state, outcome, now_s)
        return [_entry("sent", outcome.notice, attempt, outcome.say, now_s, problem=outcome.problem)]
    if waiting is None:
        return []
    waiting.claimed, waiting.claimed_until_s = "", 0.0
    if outcome.result == "released":
        return []
    waiting.attempts = attempt
    waiting.next_s = now_s + wait_s(attempt)
    tally = state.tally(outcome.notice.channel)
    tally.failed += 1
    tally.in_a_row += 1
    tally.next_s = now_s + wait_s(tally.in_a_row)
    tally.problem, tally.problem_time = outcome.say, utc(now_s)
    return [_entry("failed", outcome.notice, attempt, outcome.say, now_s, next_s=waiting.next_s)]


def _sent(state: State, outcome: Outcome, now_s: float) -> None:
    state.queue.pop(outcome.notice.id, None)
    tally = state.tally(outcome.notice.channel)
    tally.sent += 1
    tally.in_a_row, tally.next_s, tally.last_sent = 0, 0.0, utc(now_s)
    tally.problem, tally.problem_time = outcome.problem, utc(now_s) if outcome.problem else ""


def wait_s(failures: int) -> float:
    """Return how long to wait after so many failures: 5 s, 10 s, 20 s … 10 minutes."""
    return min(_FIRST_WAIT_S * (1 << min(failures - 1, 20)), _MOST_WAIT_S)


def _entry(
    kind: str, notice: Notice, attempt: int, say: str, now_s: float, *, next_s: float | None = None, problem: str = ""
) -> Entry:
    fate = Fate(
        channel=notice.channel,
        occasion=notice.occasion,
        attempt=attempt,
        say=say,
        table=notice.table,
        alarm=notice.alarm,
        incident=notice.incident,
        step=notice.step,
        to=notice.to,
        next=utc(next_s) if next_s is not None else "",
        problem=problem,
    )
    return Entry(notice.id, kind, msgspec.json.encode(fate), utc(now_s))

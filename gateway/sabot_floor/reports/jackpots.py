"""Jackpots: wins and acts of people from the jackpots' logs, contributions from the projection."""

from collections.abc import Collection, Iterator
from typing import Any

import msgspec
from sabot_protocol.jackpots.messages import FaultMessage, WinMessage

from sabot_floor.gaming_day import Span
from sabot_floor.jackpots.batch import FAULT, WIN, log_name
from sabot_floor.jackpots.engine import Logged
from sabot_floor.jackpots.engine.entries import (
    Adjusted,
    Changed,
    Drawn,
    MadeGood,
    Opened,
    Ordered,
    Restored,
    Settled,
    Withdrawn,
)
from sabot_floor.jackpots.engine.entries import Increment as Contributed
from sabot_floor.reports.play import shift
from sabot_floor.reports.rows import IncrementRow, JackpotActRow, JackpotFaultRow, WinRow
from sabot_floor.reports.source import LogEntry, Scope, Source
from sabot_floor.store.rows import Increment

_PREFIX = log_name("")
_INCREMENT = "increment"
PUBLISHED = (WIN, FAULT)  # kinds of entries that follow from the others
_ACTS = (
    *("opened", "parameters", "adjusted", "withdrawn", "restored", "made_good", "drawn", "accepted"),
    *("ordered", "settled"),
)
_RECORDED_S = 24 * 3600  # a win is recorded within this time after its coup; it may be paid later
_AHEAD_S = 24 * 3600  # by which the clock of a table may be ahead of the floor service's, which times its wins


def jackpot_ids(source: Source) -> list[str]:
    """Return the jackpots that have a log in the store."""
    return [log.removeprefix(_PREFIX) for log in source.store.logs() if log.startswith(_PREFIX)]


def wins(source: Source, scope: Scope) -> Iterator[WinRow]:
    """Yield the wins that were recorded, paid, deemed invalid or cancelled, each in its last state of the time."""
    for jackpot in jackpot_ids(source):
        newest: dict[str, WinMessage] = {}
        for entry in source.logged(log_name(jackpot), scope.span, (WIN,)):
            message = decoded(entry, WinMessage)
            if message is not None and scope.has(message.win.table):
                newest[message.win.win] = message
        yield from map(_win_row, newest.values())


def wins_of(source: Source, scope: Scope, table: str, ids: Collection[str], begin: str) -> list[WinRow]:
    """Return the wins of some coups of a table since a time, each in its last state, however late it was paid."""
    if not ids:
        return []
    first = shift(begin, -_AHEAD_S)
    soon = Span(first, shift(begin, _RECORDED_S))
    names = {*ids, *(f"{table}/{one}" for one in ids)}  # as it is called if another table has a win of this id
    found = [row for row in wins(source, scope.of(soon)) if row.table == table and row.win in names]
    if any(row.state == "pending" for row in found):
        later = wins(source, scope.of(Span(first, "~")))
        return [row for row in later if row.table == table and row.win in names]
    return found


def faults(source: Source, scope: Scope) -> Iterator[JackpotFaultRow]:
    """Yield the faults of jackpots and their ends; what is about no table belongs to every table."""
    for jackpot in jackpot_ids(source):
        for entry in source.logged(log_name(jackpot), scope.span, (FAULT,)):
            message = decoded(entry, FaultMessage)
            if message is not None and (not message.table or scope.has(message.table)):
                yield JackpotFaultRow(
                    jackpot=jackpot,
                    time=message.time,
                    name=message.name,
                    table=message.table,
                    state="open" if message.active else "ended",
                    say=message.say,
                    clause=message.clause,
                )


def _win_row(message: WinMessage) -> WinRow:
    win = message.win
    return WinRow(
        jackpot=message.jackpot,
        time=message.time,
        state=win.state,
        outcome=win.outcome,
        table=win.table,
        shoe=win.shoe,
        coup=win.coup,
        at=win.at,
        value=win.value,
        rounded=win.rounded,
        percent=str(win.percent),
        amount=win.prize,
        shares=list(map(str, win.shares)),
        stakes=list(map(str, win.stakes)),
        currency=message.currency,
        recorder=win.recorder,
        by=win.by,
        role=win.role,
        notified=win.notified,
        reason=win.reason,
        win=win.win,
    )


def acts(source: Source, scope: Scope) -> Iterator[JackpotActRow]:
    """Yield what people did to the jackpots; what is about no table belongs to every table."""
    for jackpot in jackpot_ids(source):
        currency = ""
        for entry in source.logged(log_name(jackpot), scope.span, _ACTS):
            logged = decoded(entry, Logged)
            if logged is None:
                continue
            if isinstance(logged.entry, Opened | Changed):
                currency = logged.entry.parameters.currency
            currency = currency or currency_of(source, jackpot)
            row = _act_row(jackpot, entry, logged.entry, _amount(source, jackpot, entry, logged), currency)
            if not row.table or scope.has(row.table):
                yield row


def _amount(source: Source, jackpot: str, entry: LogEntry, logged: Logged) -> int | None:
    """Return what an act added to the meter; a sum that was made good as listed is what came in by it."""
    if isinstance(logged.entry, Adjusted):
        return logged.entry.amount
    if not isinstance(logged.entry, MadeGood):
        return None
    before = source.logged_until(log_name(jackpot), entry.seq - 1, PUBLISHED)
    known = decoded(before, Logged) if before else None
    return logged.meters.in_ - known.meters.in_ if known else logged.entry.amount


def _act_row(jackpot: str, logged: LogEntry, entry: Any, amount: int | None, currency: str) -> JackpotActRow:
    by = getattr(entry, "by", "")
    return JackpotActRow(
        jackpot=jackpot,
        time=logged.time,
        act=logged.kind,
        table=entry.table if isinstance(entry, Withdrawn | Restored) else "",
        amount=amount,
        currency=currency,
        by=[by] if isinstance(by, str) and by else list(by),
        role=getattr(entry, "role", ""),
        reason=_reason(entry),
    )


def _reason(entry: Any) -> str:
    if isinstance(entry, Opened | Changed):
        return f"parameters {entry.parameters.digest}, version {entry.parameters.version}"
    if isinstance(entry, MadeGood):
        return f"{entry.missed}: {entry.reason}" if entry.reason else entry.missed
    if isinstance(entry, Ordered | Settled):
        before = f" before {entry.before}" if isinstance(entry, Ordered) and entry.before else ""
        return f"win {entry.win}{before}: {entry.reason}"
    return f"draw {entry.id}" if isinstance(entry, Drawn) else str(getattr(entry, "reason", ""))


def currency_of(source: Source, jackpot: str) -> str:
    """Return the currency of a jackpot: that of its first entry."""
    first = source.logged_until(log_name(jackpot), 1, PUBLISHED)
    logged = decoded(first, Logged) if first else None
    entry = logged.entry if logged else None
    return entry.parameters.currency if isinstance(entry, Opened) else ""


def decoded(entry: LogEntry, kind: type[Any]) -> Any:
    """Return the message of an entry; None if it cannot be read."""
    try:
        return msgspec.json.decode(entry.payload, type=kind)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


def increments(source: Source, scope: Scope) -> list[IncrementRow]:
    """Return how often and how much each table contributed: the running totals at the end less those before."""
    newest: dict[tuple[str, str, str], Increment] = {}
    for one in source.reading.increments(*scope.span):
        if scope.has(one.table):
            newest[one.jackpot, one.gateway, one.table] = one
    return [_increment_row(source, one, scope.span.begin) for _, one in sorted(newest.items())]


def logged_increments(source: Source, span: Span) -> Iterator[tuple[str, Logged]]:
    """Yield the increments in the logs of all jackpots, with the time at which each was logged."""
    for jackpot in jackpot_ids(source):
        for entry in source.logged(log_name(jackpot), span, (_INCREMENT,)):
            logged = decoded(entry, Logged)
            if logged is not None and isinstance(logged.entry, Contributed):
                yield entry.time, logged


def _increment_row(source: Source, last: Increment, begin: str) -> IncrementRow:
    before = source.reading.increment_before(last.jackpot, last.gateway, last.table, begin)
    return IncrementRow(
        jackpot=last.jackpot,
        gateway=last.gateway,
        table=last.table,
        currency=last.currency,
        count=last.counted - (before.counted if before else 0),
        amount=last.total - (before.total if before else 0),
    )

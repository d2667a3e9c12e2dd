"""Jackpots: wins and acts of people from the jackpots' logs, contributions from the projection."""

from collections.abc import Iterator
from typing import Any

import msgspec
from sabot_protocol.jackpots.messages import WinMessage

from sabot_floor.jackpots.batch import WIN, log_name
from sabot_floor.jackpots.engine import Logged
from sabot_floor.jackpots.engine.entries import Adjusted, Changed, Drawn, MadeGood, Opened, Restored, Withdrawn
from sabot_floor.jackpots.engine.entries import Increment as Contributed
from sabot_floor.projection.rows import Increment
from sabot_floor.reports.gaming_day import Span
from sabot_floor.reports.rows import IncrementRow, JackpotActRow, WinRow
from sabot_floor.reports.source import LogEntry, Scope, Source

_PREFIX = log_name("")
_INCREMENT = "increment"
_ACTS = ("opened", "parameters", "adjusted", "withdrawn", "restored", "made_good", "drawn", "accepted")


def jackpot_ids(source: Source) -> list[str]:
    """Return the jackpots that have a log in the store."""
    return [log.removeprefix(_PREFIX) for log in source.store.logs() if log.startswith(_PREFIX)]


def wins(source: Source, scope: Scope) -> Iterator[WinRow]:
    """Yield the wins that were recorded, paid, deemed invalid or cancelled, each in its last state of the time."""
    for jackpot in jackpot_ids(source):
        newest: dict[str, WinMessage] = {}
        for entry in source.logged(log_name(jackpot), scope.span, (WIN,)):
            message = _decoded(entry, WinMessage)
            if message is not None and scope.has(message.win.table):
                newest[message.win.win] = message
        yield from map(_win_row, newest.values())


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
        amount=win.prize,
        currency=message.currency,
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
            logged = _decoded(entry, Logged)
            if logged is None:
                continue
            if isinstance(logged.entry, Opened | Changed):
                currency = logged.entry.parameters.currency
            currency = currency or _currency(source, jackpot)
            row = _act_row(jackpot, entry, logged.entry, currency)
            if not row.table or scope.has(row.table):
                yield row


def _act_row(jackpot: str, logged: LogEntry, entry: Any, currency: str) -> JackpotActRow:
    by = getattr(entry, "by", "")
    return JackpotActRow(
        jackpot=jackpot,
        time=logged.time,
        act=logged.kind,
        table=entry.table if isinstance(entry, Withdrawn | Restored) else "",
        amount=entry.amount if isinstance(entry, Adjusted | MadeGood) else None,
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
    return f"draw {entry.id}" if isinstance(entry, Drawn) else str(getattr(entry, "reason", ""))


def _currency(source: Source, jackpot: str) -> str:
    """Return the currency of a jackpot: that of its first entry."""
    first = source.store.read(log_name(jackpot), 0, 1)
    logged = _decoded(LogEntry(first[0].kind, first[0].time, first[0].payload), Logged) if first else None
    entry = logged.entry if logged else None
    return entry.parameters.currency if isinstance(entry, Opened) else ""


def _decoded(entry: LogEntry, kind: type[Any]) -> Any:
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
            logged = _decoded(entry, Logged)
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

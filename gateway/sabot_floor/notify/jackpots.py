"""Jackpots: pay-outs and parameters that the book has a party notified of, and faults about money; from the logs."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import msgspec
from sabot_protocol import authority
from sabot_protocol.jackpots.currency import written
from sabot_protocol.jackpots.messages import FaultMessage, WinMessage
from sabot_protocol.topics import AlarmMessage
from sabot_service.moment import utc

from sabot_floor.jackpots import engine
from sabot_floor.jackpots.batch import log_name
from sabot_floor.jackpots.engine import Logged
from sabot_floor.jackpots.engine.entries import Changed, Opened
from sabot_floor.notify.channels import Channel, wants_alarm
from sabot_floor.notify.delivery import decide
from sabot_floor.notify.notices import MOST_SUBJECT, MOST_TEXT, Notice, notice_id, short
from sabot_floor.notify.state import MOST_WAITING, State
from sabot_floor.store import Entry, Store, Stored

_PREFIX = log_name("")
_MOST_READ = 1000  # entries of a log, for one look
_FAULTS = ("difference", "order", "paid_reversed", "clock")  # that are sent as critical alarms


class Read(NamedTuple):
    """New entries of a jackpot's log."""

    jackpot: str
    rulebook: str
    to: int  # the number of the last of them
    entries: list[Stored]


def unread(store: Store, state: State) -> list[Read]:
    """Return what the logs have beyond the state; at the first look nothing but where they stand."""
    names = [name for name in store.logs() if name.startswith(_PREFIX)]
    return [found for name in names for found in _unread(store, name, state)]


def _unread(store: Store, name: str, state: State) -> Iterator[Read]:
    jackpot, head = name.removeprefix(_PREFIX), store.head(name)
    if head is None or head.state is None:
        return
    known = head.seq if state.jackpots is None else state.jackpots.get(jackpot, 0)
    if state.jackpots is not None and known >= head.seq:
        return
    entries = list(store.read(name, known, _MOST_READ))
    to = entries[-1].seq if entries else head.seq
    yield Read(jackpot, engine.decode(head.state).parameters.rulebook, to, entries)


def take(state: State, found: Sequence[Read], channels: Sequence[Channel], site: str, now_s: float) -> Iterator[Entry]:
    """Decide the notices of new entries, each once; what finds no room waits for the next look."""
    known = dict(state.jackpots or {})
    for read in found:
        for entry in read.entries:
            if entry.seq <= known.get(read.jackpot, 0):
                continue
            if len(state.queue) >= MOST_WAITING:
                break
            for channel in channels:
                made = _notice(read, entry, channel, site, now_s)
                if made is not None:
                    yield decide(state, made, now_s)
            known[read.jackpot] = entry.seq
        else:
            known[read.jackpot] = max(read.to, known.get(read.jackpot, 0))
    state.jackpots = known


def _notice(read: Read, entry: Stored, channel: Channel, site: str, now_s: float) -> Notice | None:
    match entry.kind:
        case "win":
            message = _decoded(entry, WinMessage)
            paid = message is not None and message.win.state == "paid"
            return _report(read, entry, channel, site, now_s, "jackpot_payout", _paid(message)) if paid else None
        case "opened" | "parameters":
            logged = _decoded(entry, Logged)
            say = _parameters(logged.entry) if logged else ""
            return _report(read, entry, channel, site, now_s, "jackpot_parameters", say) if say else None
        case "fault":
            fault = _decoded(entry, FaultMessage)
            return _alarm(fault, channel, site, now_s) if fault is not None else None
    return None


def _decoded(entry: Stored, kind: type[Any]) -> Any:
    try:
        return msgspec.json.decode(entry.payload, type=kind)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


def _paid(message: WinMessage) -> str:
    win = message.win
    place = f"coup {win.shoe}/{win.coup}" if win.coup else win.seat
    notified = f" To be notified: {win.notified}." if win.notified else ""
    return (
        f"{message.title}: {written(win.prize, message.currency)} were paid at {win.table or 'all tables'}, {place}, "
        f"confirmed by {win.by}.{notified}"
    )


def _parameters(entry: Any) -> str:
    if not isinstance(entry, Opened | Changed):
        return ""
    new = entry.parameters
    return f"{new.title}: parameters {new.digest}, version {new.version}, in force from {new.in_force or 'now'}."


def _report(
    read: Read, entry: Stored, channel: Channel, site: str, now_s: float, report: str, say: str
) -> Notice | None:
    """Return the notice of a report to those parties that the book names and the channel reaches."""
    wanted = authority.load(read.rulebook).report.get(report)
    to = [party for party in wanted.to if party in channel.to] if wanted else []
    if wanted is None or not to:
        return None
    return Notice(
        id=notice_id(site, channel.name, f"jackpot {read.jackpot} {entry.seq}", report, "opened"),
        site=site,
        channel=channel.name,
        occasion="opened",
        time=utc(now_s),
        severity="warning",
        subject=short(f"{read.jackpot}: {report.replace('_', ' ')}", MOST_SUBJECT),
        text=short(f"{say} Rule {wanted.clause}.", MOST_TEXT),
        at=entry.time,
        name=report,
        step=report,
        to=to,
        clause=wanted.clause,
    )


def _alarm(fault: FaultMessage, channel: Channel, site: str, now_s: float) -> Notice | None:
    if fault.name not in _FAULTS or not fault.active:
        return None
    name = f"jackpot_{fault.name}"
    about = {"table": fault.table, "time": fault.time, "say": fault.say, "clause": fault.clause, "alarm": fault.id}
    none: dict[str, Any] = {"unit": "", "event_no": 0, "shoe": 0, "coup": 0, "rulebook": ""}
    says = {"shoe_says": "", "cards_say": ""}
    given = {"id": fault.id, "name": name, "severity": "critical", "state": "raised", **about, **none, **says}
    alarm = msgspec.convert(given, AlarmMessage)
    if not wants_alarm(channel, alarm):
        return None
    return Notice(
        id=notice_id(site, channel.name, f"alarm {fault.id}", "", "raised"),
        site=site,
        channel=channel.name,
        occasion="raised",
        time=utc(now_s),
        severity="critical",
        subject=short(f"{fault.table or fault.jackpot}: {name}, critical", MOST_SUBJECT),
        text=short(fault.say, MOST_TEXT),
        at=fault.time,
        table=fault.table,
        name=name,
        alarm=fault.id,
        clause=fault.clause,
    )

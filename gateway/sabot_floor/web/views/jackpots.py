"""The Jackpot Management Console: every jackpot with its value, pending wins, faults, and who may act."""

from collections.abc import Iterator
from typing import Any

import msgspec
from sabot_protocol import authority
from sabot_protocol.authority import AuthorityError
from sabot_protocol.jackpots.currency import number, written
from sabot_protocol.jackpots.messages import MeterMessage, Win
from sabot_protocol.jackpots.parameters import Parameters, Part, Random
from sabot_service.moment import Moment

from sabot_floor.web.site_state import JackpotState, Link, SiteState
from sabot_floor.web.views.jackpot import digits, local

_ACTS = {
    "confirm": "jackpot_confirm",
    "invalid": "jackpot_invalid",
    "order": "jackpot_order",
    "settle": "jackpot_order",
    "adjust": "jackpot_adjust",
    "withdraw": "jackpot_withdraw",
    "restore": "jackpot_withdraw",
    "make-good": "jackpot_make_good",
    "draw": "jackpot_draw",
}
READ_JACKPOT = "jackpot_read"  # P-67
_MOST_FAULTS = 10
_IN_WINS = ("difference", "order")  # faults that the lists of wins show, also after a restart


class WhoMay(msgspec.Struct, frozen=True):
    """The lowest role for an act, that of the second person, whom to notify, and the clause."""

    lowest: str
    second: str = ""
    notify: list[str] = []
    clause: str = ""


class OtherWin(msgspec.Struct, frozen=True):
    """Another win: its id, and where it was."""

    win: str
    place: str


class ConsoleWin(msgspec.Struct, frozen=True):
    """A win; amounts as text. `value` is that of the display at settlement, `rounded` the base of the pay-out."""

    win: str
    place: str
    outcome: str
    percent: Part
    state: str
    at: str
    value: str
    rounded: str
    prize: str  # of a paid win what the winner has, by the pay-out or as settled since
    shares: list[str]
    undecided: list[OtherWin] = []  # it may come before or after these
    due: str = ""  # the prize that was due, if another was paid
    over: str = ""  # by how much it was overpaid, or
    under: str = ""  # underpaid


class ConsoleFault(msgspec.Struct, frozen=True):
    """A fault that a person must look at."""

    time: str
    table: str
    say: str
    clause: str


class ConsoleJackpot(msgspec.Struct, frozen=True, kw_only=True):
    """One jackpot."""

    id: str
    title: str
    currency: str
    digits: int
    display: str
    rounded: str  # what a win of 100 % would be based on now
    version: int
    entry: int
    problem: str
    tables: list[str]
    not_offered: dict[str, str]
    away: list[str]  # tables whose gateway does not answer
    pending: list[ConsoleWin]
    differences: list[ConsoleWin]  # paid otherwise than they were worth, until a person settles it
    more: int
    faults: list[ConsoleFault]
    may: dict[str, WhoMay]
    draws: bool  # a draw decides it


class RefusedJackpot(msgspec.Struct, frozen=True):
    """A jackpot that the person may not read, and who may; no role if the rulebook is not known."""

    id: str
    title: str
    lowest: str = ""
    clause: str = ""


class Console(msgspec.Struct, frozen=True):
    """All jackpots, by title: those that the person may read, and the others."""

    link: Link
    jackpots: list[ConsoleJackpot]
    refused: list[RefusedJackpot]


def view(site: SiteState, _key: str, _at: Moment) -> Console:
    """Return all jackpots whose meters are published; of those that the person may not read only who may."""
    parameters = {one.id: one for one in site.signs.jackpots}
    read, refused = list[ConsoleJackpot](), list[RefusedJackpot]()
    for one in site.jackpots.values():
        own = parameters.get(one.id)
        if one.meter is None:
            continue
        if own and own.rulebook in site.read_jackpots:
            read.append(_jackpot(site, one, one.meter, own))
        else:
            who = _who(own.rulebook, READ_JACKPOT) if own else WhoMay("")
            refused.append(RefusedJackpot(one.id, one.meter.title, who.lowest, who.clause))
    return Console(site.site_link(), sorted(read, key=_by_title), sorted(refused, key=_by_title))


def _by_title(jackpot: ConsoleJackpot | RefusedJackpot) -> tuple[str, str]:
    return jackpot.title, jackpot.id


class Matter(msgspec.Struct, frozen=True, kw_only=True):
    """What people must settle about a win, as the retained list of its jackpot has it: its difference, or its order."""

    id: str
    table: str
    kind: str
    title: str
    say: str
    opened: str
    shoe: int
    coup: int
    verb: str  # at the Jackpot Management Console
    who: WhoMay


def matters(site: SiteState) -> list[Matter]:
    """Return what is open about the wins of all jackpots, whatever was restarted since."""
    return [made for found in site.jackpots.values() for made in _matters(site, found)]


def _matters(site: SiteState, found: JackpotState) -> Iterator[Matter]:
    meter, pending = found.meter, found.pending
    if meter is None or pending is None:
        return
    parameters = next((one for one in site.signs.jackpots if one.id == found.id), None)
    who = _who(parameters.rulebook, _ACTS["settle"]) if parameters else WhoMay("")
    for win, shown in zip(pending.wins, _wins(site, pending.wins, meter.currency), strict=True):
        place: dict[str, Any] = {"shoe": win.shoe, "coup": win.coup, "opened": win.closed or win.at, "who": who}
        place |= {"id": f"jackpot-{found.id}-{win.win}", "table": win.table or next(iter(meter.tables), "")}
        if shown.state == "paid":
            amount = f"{shown.over} overpaid" if shown.over else f"{shown.under} underpaid"
            say = f"{meter.title}: {shown.prize} were paid, {shown.due} were due: {amount}."
            yield Matter(
                kind="jackpot_difference", title="Jackpot paid otherwise than due", say=say, verb="settle", **place
            )
        elif shown.undecided:
            others = ", ".join(one.place for one in shown.undecided)
            say = f"{meter.title}: {shown.place} may have been recorded before {others}. None of them can be paid."
            yield Matter(
                kind="jackpot_order", title="Order of jackpot wins not decided", say=say, verb="order", **place
            )


def _jackpot(site: SiteState, found: JackpotState, meter: MeterMessage, parameters: Parameters) -> ConsoleJackpot:
    pending, currency, display = found.pending, meter.currency, meter.meters.display
    rounding = parameters.rounding
    wins = _wins(site, pending.wins, currency) if pending else []
    return ConsoleJackpot(
        id=found.id,
        title=meter.title,
        currency=currency,
        digits=digits(currency),
        display=written(display, currency),
        rounded=written(-(-display // rounding) * rounding, currency),
        version=meter.version,
        entry=meter.entry,
        problem=meter.problem,
        tables=list(meter.tables),
        not_offered=meter.not_offered,
        away=[table for table in meter.tables if site.is_away(table)],
        pending=[win for win in wins if win.state != "paid"],
        differences=[win for win in wins if win.state == "paid"],
        more=pending.more if pending else 0,
        faults=_faults(site, found),
        may={verb: _who(parameters.rulebook, act) for verb, act in _ACTS.items()},
        draws=isinstance(parameters.trigger, Random),
    )


def _wins(site: SiteState, wins: list[Win], currency: str) -> list[ConsoleWin]:
    places = {win.win: _place(win) for win in wins}
    return [_win(site, win, currency, places) for win in wins]


def _place(win: Win) -> str:
    return " ".join(filter(None, [win.table, f"{win.shoe}/{win.coup}" if win.coup else "", win.seat]))


def _win(site: SiteState, win: Win, currency: str, places: dict[str, str]) -> ConsoleWin:
    """Return a win with its amounts as text; what is not known yet is empty."""
    due = None if win.due is msgspec.UNSET else win.due
    has = win.prize if win.settled is msgspec.UNSET else win.settled
    over = 0 if due is None else has - due
    return ConsoleWin(
        win.win,
        places[win.win],
        win.outcome.replace("_", " "),
        win.percent,
        win.state,
        local(site, win.at) if win.at else "",
        written(win.value, currency) if win.rounded else "",
        written(win.rounded, currency) if win.rounded else "",
        written(has, currency) if win.rounded else "",
        [number(share, currency) for share in win.shares],
        [OtherWin(other, places.get(other, other)) for other in win.undecided],
        "" if due is None else written(due, currency),
        written(over, currency) if over > 0 else "",
        written(-over, currency) if over < 0 else "",
    )


def _faults(site: SiteState, found: JackpotState) -> list[ConsoleFault]:
    """Return the newest faults that were not ended, newest first."""
    newest = {(fault.name, fault.table): fault for fault in found.faults if fault.name not in _IN_WINS}
    active = [fault for fault in newest.values() if fault.active]
    shown = sorted(active, key=lambda fault: fault.time, reverse=True)[:_MOST_FAULTS]
    return [ConsoleFault(local(site, fault.time), fault.table, fault.say, fault.clause) for fault in shown]


def _who(rulebook: str, act: str) -> WhoMay:
    """Return who may do an act by the book; where it is silent, who decides what no rule covers."""
    try:
        rule = authority.load(rulebook).act[act].rules[0]
        if rule.basis == "silent":
            lowest = authority.role_without_rule(rulebook)
            return WhoMay(authority.party_title(rulebook, lowest))
        second = authority.party_title(rulebook, rule.second_person) if rule.second_person else ""
        notify = [authority.party_title(rulebook, party) for party in rule.notify]
        return WhoMay(authority.lowest_titles(rulebook, rule), second, notify, rule.clause)
    except (AuthorityError, KeyError):
        return WhoMay("")

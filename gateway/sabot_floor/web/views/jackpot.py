"""The Jackpot Display: the amount, winning messages, where and why the jackpot is not offered."""

from datetime import datetime
from typing import Final

import msgspec
from sabot_protocol.jackpots.currency import number
from sabot_protocol.jackpots.messages import WinMessage
from sabot_protocol.jackpots.sign import wager_title
from sabot_service.moment import Moment

from sabot_floor.jackpots.shoe_faults import SHOE_REASON
from sabot_floor.web.site_state import JackpotState, Link, SiteState

SHOE_FAULT: Final = "shoe_fault"  # the pages have a sentence for it
WINNING_S: Final = 120.0  # how long a winning message is shown
_MOST_LAST = 5


class ShownWin(msgspec.Struct, frozen=True):
    """A win as players read it."""

    table: str
    outcome: str
    prize: str
    time: str  # by the clock of the site


class OtherJackpot(msgspec.Struct, frozen=True):
    """A jackpot of the floor, to choose from."""

    id: str
    title: str


class JackpotView(msgspec.Struct, frozen=True, kw_only=True):
    """A jackpot; `display` is in minor units, with so many digits after the point."""

    link: Link
    known: bool
    title: str = ""
    currency: str = ""
    digits: int = 2
    display: int = 0
    fault: bool = False
    tables: list[str] = []
    not_offered: dict[str, str] = {}
    away: list[str] = []  # tables whose gateway does not answer: the amount may lack their coups
    confirming: list[str] = []  # tables with a win that is not confirmed yet
    won: ShownWin | None = None
    last: list[ShownWin] = []
    others: list[OtherJackpot] = []  # what there is, if this one is not known


def view(site: SiteState, key: str, at: Moment) -> JackpotView:
    """Return what players see of a jackpot."""
    found = site.jackpots.get(key)
    meter = found.meter if found is not None else None
    if found is None or meter is None:
        return JackpotView(link=site.site_link(), known=False, others=_others(site))
    paid = [win for win in found.wins if win.win.state == "paid" and win.win.prize > 0]
    shown = [_shown(site, win) for win in reversed(paid)]
    return JackpotView(
        link=site.site_link(),
        known=True,
        title=meter.title,
        currency=meter.currency,
        digits=digits(meter.currency),
        display=meter.meters.display,
        fault=not meter.balanced or bool(meter.problem),
        tables=list(meter.tables),
        not_offered={table: reason(why) for table, why in meter.not_offered.items()},
        away=[table for table in meter.tables if site.is_away(table)],
        confirming=_confirming(found),
        won=shown[0] if paid and seconds_since(paid[-1].time, at.time) < WINNING_S else None,
        last=shown[:_MOST_LAST],
    )


def reason(why: str) -> str:
    """Return why a jackpot is not offered, as players read it: which part of a shoe has a fault is for staff."""
    return SHOE_FAULT if why.startswith(SHOE_REASON) else why


def _others(site: SiteState) -> list[OtherJackpot]:
    return [OtherJackpot(name, one.meter.title or name) for name, one in sorted(site.jackpots.items()) if one.meter]


def digits(currency: str) -> int:
    """Return how many digits of an amount in minor units stand after the point."""
    return len(number(0, currency).partition(".")[2])


def seconds_since(time: str, now: str) -> float:
    """Return the seconds between two times; a time that cannot be read is long ago."""
    try:
        return (datetime.fromisoformat(now) - datetime.fromisoformat(time)).total_seconds()
    except (ValueError, TypeError):
        return float("inf")


def local(site: SiteState, time: str) -> str:
    """Return day and hour by the clock of the site; the text itself if it is no time."""
    try:
        return site.signs.calendar.local(time)[:16]
    except ValueError:
        return time[:16]


def _confirming(found: JackpotState) -> list[str]:
    newest = {win.win.win: win.win for win in found.wins}
    return sorted({win.table for win in newest.values() if win.state == "pending"})


def _shown(site: SiteState, message: WinMessage) -> ShownWin:
    win = message.win
    prize = f"{message.currency} {number(win.prize, message.currency)}"
    return ShownWin(win.table, wager_title(win.outcome), prize, local(site, message.time))

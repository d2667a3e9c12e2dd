"""The Winning Result Display of a table: results that are out, the state of the coup, notices, limits, jackpots.

It has no card of a coup whose result is not out, and decides no wager: only the Dragon Tail Indicator decides odds.
"""

from functools import lru_cache

import msgspec
from sabot_protocol import rulebooks
from sabot_protocol.jackpots.currency import written
from sabot_protocol.jackpots.messages import MeterMessage
from sabot_protocol.roads import Counts, DragonTail, dragon_tail
from sabot_protocol.table_states import BetsPhase, HistoryMessage, HistoryState, LastHand
from sabot_protocol.topics import CoupKind, StatusMessage
from sabot_service.moment import Moment

from sabot_floor.signs.sign import sign
from sabot_floor.web.site_state import Link, SiteState
from sabot_floor.web.views.jackpot import reason
from sabot_floor.web.views.shoe_roads import RoadsView, shoe_view

TAIL = "tail_"  # begins the kinds of the wagers that need the Dragon Tail Indicator
WITHOUT_ROADS = ("three_card",)  # begins the games that have no Banker and Player for the whole table

PROBLEM = "problem"  # a jackpot whose meters do not add up: the pages have a sentence for it


class Tail(msgspec.Struct, frozen=True):
    """The Dragon Tail Indicator."""

    banker: int
    player: int
    late_waits: bool  # late wagers remain for one more coup


class TableJackpot(msgspec.Struct, frozen=True):
    """A jackpot of the table: its value, or why it is not offered here."""

    id: str
    title: str
    amount: str
    why: str = ""


class Limits(msgspec.Struct, frozen=True):
    """What players must know of the sign: minimum and maximum, what changes them, and when the table closes."""

    currency: str
    minimum: str
    maximum: str
    old_minimum: str = ""  # still valid for players who were there before
    next_minimum: str = ""
    next_at: str = ""
    closes_at: str = ""
    closes_after: int = 0  # coups


class Display(msgspec.Struct, kw_only=True, frozen=True):
    """Everything on the display."""

    table: str
    area: str
    known: bool
    link: Link
    closed: bool  # the table has closed, as its sign announced
    has_roads: bool  # False: the game has no such results
    state: HistoryState
    gap: bool  # results may be missing
    shoe: int
    coup: int
    phase: BetsPhase
    kind: CoupKind
    next_kind: CoupKind
    last_coup: bool
    undecided: list[int]
    last: LastHand | None
    roads: RoadsView
    counts: dict[str, int]
    limits: Limits | None
    tail: Tail | None  # None: Dragon Tail is not offered
    jackpots: list[TableJackpot]


def view(site: SiteState, key: str, at: Moment) -> Display:
    """Return what the display of this table shows."""
    table, floor_table = site.tables.get(key), site.floor_tables.get(key)
    status = table.status if table else None
    setup = status.setup if status else None
    history = (table and table.history) or _nothing(key)
    shoe = shoe_view(history.results)
    return Display(
        table=key,
        area=floor_table.area if floor_table else "",
        known=table is not None or floor_table is not None,
        link=site.link(key),
        closed=_closed(site, key, at),
        has_roads=not (setup and setup.game.startswith(WITHOUT_ROADS)),
        state=history.state,
        gap=history.gap or not shoe.readable,
        shoe=history.shoe,
        coup=history.coup,
        phase=history.phase,
        kind=history.kind,
        next_kind=history.next_kind,
        last_coup=history.last_coup,
        undecided=history.undecided,
        last=history.last,
        roads=shoe.roads,
        counts=_counts(shoe.counts),
        limits=_limits(site, key, at),
        tail=_tail(status, shoe.tail, history.state),
        jackpots=jackpots(site, key),
    )


def jackpots(site: SiteState, table: str) -> list[TableJackpot]:
    """Return the jackpots of a table, by id."""
    meters = [jackpot.meter for _, jackpot in sorted(site.jackpots.items())]
    return [_jackpot(meter, table) for meter in meters if meter and table in meter.tables]


def _jackpot(meter: MeterMessage, table: str) -> TableJackpot:
    why = PROBLEM if meter.problem else reason(meter.not_offered.get(table, ""))
    return TableJackpot(meter.jackpot, meter.title, written(meter.meters.display, meter.currency), why)


def _limits(site: SiteState, table: str, at: Moment) -> Limits | None:
    """Return the limits in force by the log of signs, else by the config; None if neither has them."""
    now = sign(site.signs.context(table, None, site.newest(table)), at.time)
    if now.limits is None:
        return None
    closure = now.closure if now.closure and not now.closure.closed else None
    return Limits(
        currency=now.currency,
        minimum=now.limits.minimum,
        maximum=now.limits.maximum,
        old_minimum=now.old.minimum if now.old else "",
        next_minimum=now.coming.minimum if now.coming else "",
        next_at=now.coming.at if now.coming else "",
        closes_at=closure.at if closure else "",
        closes_after=closure.coups if closure else 0,
    )


def _closed(site: SiteState, table: str, at: Moment) -> bool:
    closure = sign(site.signs.context(table, None, site.newest(table)), at.time).closure
    return closure is not None and closure.closed


def _nothing(table: str) -> HistoryMessage:
    return HistoryMessage(table=table, time="", state="unknown", phase="none")


def _counts(found: Counts) -> dict[str, int]:
    return found._asdict()


@lru_cache(maxsize=128)
def offers_tail(rulebook: str, game: str, wagers: tuple[str, ...]) -> bool:
    """Return True if a table offers Dragon Tail: by its wagers, or by the whole game if it lists none."""
    if rulebook not in rulebooks.ids():
        return False
    sequences = rulebooks.load(rulebook).sequence
    tails = {one.id for one in sequences if one.kind.startswith(TAIL) and game in one.games}
    return bool(tails & {*wagers} if wagers else tails)


def _tail(status: StatusMessage | None, found: DragonTail, state: HistoryState) -> Tail | None:
    """Return the indicator where the table offers Dragon Tail; the end of the shoe resets it."""
    setup = status.setup if status else None
    if not status or not setup or not offers_tail(status.rulebook or "", setup.game, tuple(setup.wagers)):
        return None
    shown = found if state == "open" else dragon_tail([])
    return Tail(shown.banker, shown.player, shown.late_waits)

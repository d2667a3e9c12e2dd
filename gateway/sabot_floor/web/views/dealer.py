"""The Dealer Terminal of a table: what is due now, cards and points as read, result, offers, alarms, buttons."""

import msgspec
from msgspec.structs import replace
from sabot_protocol import assistant
from sabot_protocol.irregularities import CASES
from sabot_protocol.offers import Offer
from sabot_protocol.rulebooks import Rulebook
from sabot_protocol.table_of_play import FIRST_FOUR
from sabot_protocol.table_states import HandCard, HandMessage, HandResult
from sabot_protocol.topics import AlarmMessage
from sabot_service.moment import Moment

from sabot_floor.web import unturned
from sabot_floor.web.site_state import Link, SiteState, TableState
from sabot_floor.web.views import dealer_actions, dealer_fault, dealer_hand
from sabot_floor.web.views.dealer_actions import Action
from sabot_floor.web.views.dealer_hand import Line

MOST_ALARMS = 8
_SEVERITIES = ("critical", "warning", "info")
_NO_HAND = HandMessage(table="", time="", phase="unknown")


class DealerAlarm(msgspec.Struct, frozen=True):
    """An alarm: what happened and what to do."""

    alarm: str
    name: str
    severity: str
    acknowledged: bool
    say: str
    clause: str
    time: str


class Side(msgspec.Struct, frozen=True):
    """A hand as read; a card that is not turned has no text, and then the hand has no points to show."""

    cards: list[HandCard]
    points: int
    covered: bool
    may_turn: bool  # its cards may be turned now


class Dealer(msgspec.Struct, frozen=True, kw_only=True):
    """Everything on the page; a card that is dealt face down is in it once it is turned."""

    table: str
    book: str = ""
    title: str = ""
    game: str = ""
    link: Link
    phase: str = "unknown"
    coup: str = ""
    kind: str = "live"
    next_kind: str = "live"
    last_coup: bool = False
    called: bool = False
    locked: bool = False
    line: Line
    player: Side
    banker: Side
    extra: list[HandCard] = []
    reasons: list[Line] = []
    result: HandResult | None = None
    offers: list[Offer] = []
    fault: str = ""
    picture: str = ""
    alarms: list[DealerAlarm] = []
    more: int = 0
    actions: list[Action] = []
    acknowledge: dict[str, str] = {}  # who may acknowledge an alarm, as `who` of an action
    groups: dict[str, tuple[str, ...]] = msgspec.field(default_factory=lambda: assistant.GROUPS)


def view(site: SiteState, key: str, at: Moment) -> Dealer:
    """Return the page of a table; a table without a rulebook has neither reasons nor buttons."""
    table, link = site.tables.get(key, TableState(key)), site.link(key)
    book = unturned.book_of(table.status)
    hand = table.hand or _NO_HAND
    laid = dealer_hand.hands(hand)
    alarms, past = _alarms(table, hand)
    if twice := site.units_twice(at).get(key):
        alarms.insert(0, replace(_alarm(twice), acknowledged=True))  # it ends by itself
    fault = dealer_fault.cause(hand, table.alarms.alarms if table.alarms else [])
    shown = Dealer(
        table=key,
        link=link,
        phase=hand.phase,
        coup=f"{hand.shoe}/{hand.coup}" if hand.shoe and hand.coup else "",
        kind=hand.kind,
        next_kind=hand.next_kind,
        last_coup=hand.last_coup,
        called=hand.called,
        locked=bool(hand.locked),
        line=_line(table, hand, fault, connected=link.shoe or not link.gateway),
        player=_side(laid.player, hand.player_points, laid),
        banker=_side(laid.banker, hand.banker_points, laid),
        extra=laid.extra,
        result=hand.result,
        fault=hand.fault,
        picture=picture(hand, link, {one.name for one in alarms}, dealer_fault.picture(fault, book)),
        alarms=alarms[:MOST_ALARMS],
        more=past + len(alarms[MOST_ALARMS:]) + (table.alarms.more if table.alarms else 0),
    )
    return _with_book(shown, site, table, hand, fault, book) if book else shown


def _side(cards: list[HandCard], points: int, laid: dealer_hand.Hands) -> Side:
    covered = unturned.is_covered(cards)
    return Side(cards, points, covered, covered and len(laid.all()) >= len(FIRST_FOUR))


def _line(table: TableState, hand: HandMessage, fault: str, *, connected: bool) -> Line:
    """Return what is due; after a coup that was void with the end of its shoe, its stakes until the alarm is seen."""
    alarms = table.alarms.alarms if table.alarms else []
    unseen = any(one.name == "coup_void" and one.shoe == hand.shoe and one.state == "raised" for one in alarms)
    if hand.phase == "closed" and unseen and dealer_hand.is_void(hand, table.history, table.shoe):
        return Line("void", {}, "stop")
    if hand.phase == "closed" and _cards_in_doubt(table):
        return Line("locked", {}, "stop")
    if connected and hand.phase == "unknown" and hand.shoe and table.status and table.status.driver == "angel-eye":
        return Line("joined", {}, "wait")
    return dealer_hand.headline(hand, table.shoe, fault, connected=connected)


def _cards_in_doubt(table: TableState) -> bool:
    """Return True if New shoe does nothing: by a clause the exit is locked until cards are checked or replaced."""
    alarms = table.alarms.alarms if table.alarms else []
    return any(one.name == "exit_locked" and one.clause for one in alarms)


def _with_book(
    shown: Dealer, site: SiteState, table: TableState, hand: HandMessage, fault: str, book: Rulebook
) -> Dealer:
    laid = dealer_hand.hands(hand)
    setup = table.status.setup if table.status else None
    served = shown.link.broker and shown.link.gateway  # else nobody would take a command
    actions = dealer_actions.actions(book, hand, fault, jackpots_of(site, table.name), table.status)
    if _cards_in_doubt(table):
        actions = [one for one in actions if one.name != "open_shoe"]
    return msgspec.structs.replace(
        shown,
        book=book.id,
        title=book.title,
        game=book.game[setup.game].title if setup and setup.game in book.game else "",
        reasons=dealer_hand.reasons(book, laid),
        offers=dealer_hand.offers_due(book, setup, hand, laid),
        actions=actions if served else [],
        acknowledge=dealer_actions.approvers(book.id, ""),
    )


def jackpots_of(site: SiteState, table: str) -> dict[str, str]:
    """Return the titles of the jackpots that run at a table, by id."""
    found = sorted(site.jackpots.items())
    return {key: one.meter.title or key for key, one in found if one.meter and table in one.meter.tables}


def _alarms(table: TableState, hand: HandMessage) -> tuple[list[DealerAlarm], int]:
    """Return the alarms, the most severe first, then the newest; and how many are about coups long over."""
    known = table.alarms.alarms if table.alarms else []
    now = [one for one in known if not _is_past(one, hand)]
    newest = sorted(now, key=lambda one: one.time, reverse=True)
    listed = [_alarm(one) for one in sorted(newest, key=lambda one: _SEVERITIES.index(one.severity))]
    return listed, len(known) - len(now)


def _is_past(one: AlarmMessage, hand: HandMessage) -> bool:
    """Return True if the dealer has nothing to do about an alarm any more: two coups have begun since."""
    about_coup = one.severity != "critical" and one.coup > 0 and one.shoe == hand.shoe
    return about_coup and one.name in CASES and one.coup + 1 < hand.coup


def _alarm(one: AlarmMessage) -> DealerAlarm:
    clause = "" if one.clause in one.say else one.clause
    return DealerAlarm(one.alarm, one.name, one.severity, one.state == "acknowledged", one.say, clause, one.time)


def picture(hand: HandMessage, link: Link, alarms: set[str], of_fault: str) -> str:
    """Return the picture of the shoe with the part to look at; empty if nothing is wrong."""
    if not link.broker or not link.gateway:
        return ""
    if not link.shoe:
        return "power"
    if hand.fault:
        return of_fault
    stopped = hand.locked and hand.phase in ("burning", "bets", "dealing") and not hand.authorisation_needed
    return "lid" if "lid_open" in alarms else "exit" if stopped else ""

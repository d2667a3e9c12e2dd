"""SiteState: what the retained messages of a site show now, for the views; whatever cannot be read is counted."""

import copy
import re
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from dataclasses import replace as replace_fields
from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec.structs import replace
from sabot_protocol.jackpots.messages import FaultMessage, MeterMessage, PendingMessage, WinMessage
from sabot_protocol.table_states import HandMessage, HistoryMessage
from sabot_protocol.topics import (
    ROOT,
    AlarmMessage,
    AlarmsMessage,
    BeatMessage,
    OpenMessage,
    ShoeMessage,
    StatusMessage,
)
from sabot_service.moment import Moment

from sabot_floor.commands.same_units import ServedUnits
from sabot_floor.projection.in_play import Known
from sabot_floor.signs.board import SignBoard
from sabot_floor.signs.limits import MOST_TABLES, TableLimits
from sabot_floor.web import person_acts, unturned
from sabot_floor.web.beats import Beats
from sabot_floor.web.person_acts import PersonAct, PersonActs
from sabot_floor.web.unturned import Turned

MOST_JACKPOTS, MOST_GATEWAYS = 100, 200
MOST_EVENTS = 20  # newest wins and faults of a jackpot
MOST_PAYLOAD_BYTES = 1 << 16
KEY = re.compile(r"\A[A-Za-z0-9_-]{1,64}\Z")  # of a table, a jackpot, a gateway
_TABLE = {
    "status": StatusMessage,
    "shoe": ShoeMessage,
    "history": HistoryMessage,
    "hand": HandMessage,
    "alarms": AlarmsMessage,
    "open": OpenMessage,
}
_JACKPOT = {"meter": MeterMessage, "pending": PendingMessage, "win": WinMessage, "fault": FaultMessage}
_DECODERS: dict[str, msgspec.json.Decoder[Any]] = {
    name: msgspec.json.Decoder(kind) for name, kind in {**_TABLE, **_JACKPOT, "beat": BeatMessage}.items()
}
_STAFF_ONLY = ("hand", "open", "pending", *person_acts.TOPICS)
Kind = Literal["table", "jackpot", "gateway", "broker"]


class Subject(NamedTuple):
    """What a message has changed: of which table or jackpot, and which part of it."""

    kind: Kind
    key: str = ""
    name: str = ""


class Rights(NamedTuple):
    """The rulebooks by which a person may see what others may not."""

    unturned: frozenset[str] = frozenset()  # cards before they are turned
    jackpots: frozenset[str] = frozenset()  # the Jackpot Management Console (P-67)


NO_RIGHTS = Rights()


class Link(msgspec.Struct, frozen=True):
    """Whether the data of a view are live; `say` is what the gateway reports about the shoe or its line."""

    broker: bool
    gateway: bool = True
    shoe: bool = True
    say: str = ""
    silent: bool = False  # the gateway is lost because it sends no beats any more


@dataclass
class TableState:
    """The newest messages of a table; None where none has come."""

    name: str
    status: StatusMessage | None = None
    shoe: ShoeMessage | None = None
    history: HistoryMessage | None = None
    hand: HandMessage | None = None
    alarms: AlarmsMessage | None = None
    open: OpenMessage | None = None
    status_fresh: bool = False  # the status came over the connection that is up now
    fresh: set[str] = field(default_factory=set)  # names of the messages that did
    changed: Moment | None = None
    turned: Turned = unturned.NOTHING

    def empty(self) -> bool:
        """Return True if nothing is known any more."""
        return all(getattr(self, name) is None for name in _TABLE)


@dataclass
class JackpotState:
    """The newest messages of a jackpot; wins and faults since the start of the service, oldest first."""

    id: str
    meter: MeterMessage | None = None
    pending: PendingMessage | None = None
    wins: deque[WinMessage] = field(default_factory=lambda: deque(maxlen=MOST_EVENTS))
    faults: deque[FaultMessage] = field(default_factory=lambda: deque(maxlen=MOST_EVENTS))
    fresh: set[str] = field(default_factory=set)  # names of the messages of the connection that is up now
    changed: Moment | None = None


def _outdated(held: TableState | JackpotState, name: str, message: Any) -> bool:
    """Return True if a newer message came over this connection; not of statuses: a last will has an early time."""
    if name == "status" or name not in held.fresh or message is None:
        return False
    newer = getattr(held, name)
    return newer is not None and bool(message.time < newer.time)


class SiteState:
    """The newest messages of each table, jackpot and gateway, with cards that are not turned; a public one has none.

    One class because every message changes the one state that all views read, and what is hidden is left out of it.
    """

    def __init__(
        self,
        site: str,
        floor_tables: Iterable[TableLimits] = (),
        *,
        public: bool = False,
        signs: SignBoard | None = None,
        beats: Beats | None = None,
    ) -> None:
        self.site, self._root, self._left_out = site, f"{ROOT}/{site}/", _STAFF_ONLY if public else ()
        self.floor_tables = {table.name: table for table in floor_tables}
        self.signs = signs or SignBoard(tuple(self.floor_tables.values()))  # the floor's loop changes it
        self.tables: dict[str, TableState] = {}
        self._all, self._served = self.tables, ServedUnits()  # also where one table alone is shown
        self.jackpots: dict[str, JackpotState] = {}
        self.read_jackpots = NO_RIGHTS.jackpots  # rulebooks of those that may be shown
        self.gateways: dict[str, StatusMessage] = {}  # by name; empty if the site has one without a name
        self.beats = beats or Beats()
        self._lost: dict[str, str] = {}  # when a gateway went offline; its last will has the time of its birth
        self.acts = PersonActs()
        self.broker = False  # the connection is up, and our subscription is answered
        self.unreadable = self.too_many = 0

    def filters(self) -> list[str]:
        """Return the topics to subscribe to."""
        jackpots = [f"{self._root}jackpot/+/{name}" for name in _JACKPOT]
        tables = [f"{self._root}+/{name}" for name in (*_TABLE, *person_acts.TOPICS)]
        gateways = [f"{self._root}{of}{name}" for name in ("status", "beat") for of in ("", "gateway/+/")]
        return [*gateways, *tables, *jackpots]

    def connected(self, up: bool) -> Subject:
        """Note that the broker answers, or is lost; statuses of before the loss do not count any more."""
        self.broker = up
        if not up:
            self.gateways.clear()
            self.beats.clear()
            for table in self.tables.values():
                table.status_fresh = False
                table.fresh.clear()
            for jackpot in self.jackpots.values():
                jackpot.fresh.clear()
        return Subject("broker")

    def received(self, topic: str, payload: bytes, at: Moment, *, retained: bool = False) -> Subject | None:
        """Take a message; return what it has changed, None if nothing.

        A `retained` one answers our subscription, and can come after a newer one: then it is left out.
        """
        parts = topic.removeprefix(self._root).split("/")
        if not all(map(KEY.match, parts)):
            self.unreadable += 1
            return None
        try:
            if len(payload) > MOST_PAYLOAD_BYTES:
                raise ValueError("too long")
            match parts:
                case [*_, name] if name in self._left_out:
                    return None
                case ["status"]:
                    return self._gateway("", payload, at, retained)
                case ["gateway", name, "status"]:
                    return self._gateway(name, payload, at, retained)
                case ["beat"]:
                    return self._beat("", payload, at, retained)
                case ["gateway", name, "beat"]:
                    return self._beat(name, payload, at, retained)
                case ["jackpot", jackpot, name] if name in _JACKPOT:
                    return self._jackpot(jackpot, name, payload, at, retained)
                case [table, name] if name in person_acts.TOPICS:
                    return Subject("table", table, name) if self.acts.received(name, payload, table) else None
                case [table, name] if name in _TABLE:
                    return self._table(table, name, payload, at, retained)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            self.unreadable += 1
        return None

    def _beat(self, name: str, payload: bytes, at: Moment, retained: bool) -> Subject | None:
        """Take a beat of a gateway whose status is known; it changes something only after a silence."""
        _DECODERS["beat"].decode(payload)
        online = name in self.gateways and self.gateways[name].state == "online"
        return Subject("gateway", name) if online and not retained and self.beats.heard(name, at.now_s) else None

    def _gateway(self, name: str, payload: bytes, at: Moment, retained: bool) -> Subject | None:
        if not payload:
            self.gateways.pop(name, None)
            self.beats.forget(name)
        else:
            status = _DECODERS["status"].decode(payload)
            if not self._room(self.gateways, name, MOST_GATEWAYS):
                return None
            self.gateways[name] = status
            if status.state == "offline":
                self.beats.forget(name)
                self._lost.setdefault(name, status.time if retained else at.time)
            else:
                self._lost.pop(name, None)
        return Subject("gateway", name)

    def _table(self, key: str, name: str, payload: bytes, at: Moment, retained: bool) -> Subject | None:
        message = _DECODERS[name].decode(payload) if payload else None
        if self._left_out:
            message = _without_cards(message)
        if not self._room(self.tables, key, MOST_TABLES):
            return None
        table = self.tables.setdefault(key, TableState(key))
        if retained and _outdated(table, name, message):
            return None
        table.fresh.add(name)
        setattr(table, name, message)
        table.changed = at
        if name == "status":
            table.status_fresh = message is not None
            self._served.received(key, message.unit if message and message.state == "online" else None, at)
        if table.empty():
            del self.tables[key]
        return Subject("table", key, name)

    def units_twice(self, at: Moment) -> dict[str, AlarmMessage]:
        """Return an alarm for each table whose shoe answers at a table of another gateway too."""
        return self._served.twice(at, self._gateway_of_shoe)

    def _gateway_of_shoe(self, name: str) -> str | None:
        """Return the gateway that serves a shoe at a table now, None if none does."""
        table = self._all.get(name)
        status = table.status if table is not None and table.status_fresh else None
        up = status is not None and status.state == "online" and self.gateway_up(status.gateway or "")
        return (status.gateway or "") if status is not None and up else None

    def _jackpot(self, key: str, name: str, payload: bytes, at: Moment, retained: bool) -> Subject | None:
        message = _DECODERS[name].decode(payload) if payload else None
        if not self._room(self.jackpots, key, MOST_JACKPOTS):
            return None
        jackpot = self.jackpots.setdefault(key, JackpotState(key))
        if retained and _outdated(jackpot, name, message):
            return None
        jackpot.fresh.add(name)
        jackpot.changed = at
        if name in ("win", "fault"):
            self._event(jackpot, message)
        else:
            setattr(jackpot, name, message)
        if jackpot.meter is None and jackpot.pending is None and not jackpot.wins and not jackpot.faults:
            del self.jackpots[key]
        return Subject("jackpot", key, name)

    def _event(self, jackpot: JackpotState, message: WinMessage | FaultMessage | None) -> None:
        """Keep a win or a fault once, however often it is delivered."""
        kept: deque[Any] = jackpot.wins if isinstance(message, WinMessage) else jackpot.faults
        if message is not None and all(one.id != message.id for one in kept):
            kept.append(message)

    def turn(self, name: str, coup: str, side: str, count: int) -> Subject | str:
        """Note that the first cards of a hand are turned; return what that changes, or why it cannot be."""
        table = self.tables.get(name) or TableState(name)
        found = unturned.turned(table.turned, table.hand, coup, side, count)
        if isinstance(found, str):
            return found
        table.turned = found
        return Subject("table", name, "hand")

    def as_seen(
        self, books: frozenset[str], key: str = "", read_jackpots: frozenset[str] = NO_RIGHTS.jackpots
    ) -> "SiteState":
        """Return this state, or one table of it, without cards that are not turned, but for tables of these books."""
        shown = copy.copy(self)
        shown.read_jackpots = read_jackpots
        tables = {key: self.tables[key]} if key in self.tables else {} if key else self.tables
        shown.tables = {name: _covered(table, books) for name, table in tables.items()}
        shown.acts = self.acts.changed(lambda act: _covered_act(self.tables.get(act.table), act, books))
        return shown

    def turned_coups(self) -> Known:
        """Return table, shoe and coup of each coup on a table of which every card is turned."""
        shown = [(name, _covered(table, frozenset()).hand) for name, table in self.tables.items()]
        turned = [(name, hand) for name, hand in shown if hand and hand.cards and not unturned.is_covered(hand.cards)]
        return frozenset((name, hand.shoe, hand.coup) for name, hand in turned)

    def _room(self, kept: dict[str, Any], key: str, most: int) -> bool:
        if key in kept or len(kept) < most:
            return True
        self.too_many += 1
        return False

    def link(self, name: str) -> Link:
        """Return whether the data of a table are live."""
        table = self.tables.get(name)
        status = table.status if table is not None and table.status_fresh else None
        if status is None:
            return Link(self.broker, False, False)
        gateway = status.gateway or ""
        up = self.gateway_up(gateway) and status.rulebook is not None
        silent = gateway in self.beats.silent
        return Link(self.broker, up, up and status.state == "online", status.problem or "", silent)

    def gateway_up(self, name: str) -> bool:
        """Return True if a gateway is online and not silent."""
        status = self.gateways.get(name)
        return status is not None and status.state == "online" and name not in self.beats.silent

    def away_since(self, name: str, at: Moment) -> str:
        """Return when a gateway was lost, or went online if it is there; empty if that is not known."""
        if name in self.beats.silent:
            heard = datetime.fromisoformat(at.time) - timedelta(seconds=at.now_s - self.beats.last_s(name))
            return heard.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return self._lost.get(name) or self.gateways[name].time

    def is_away(self, name: str) -> bool:
        """Return True if it is known that no gateway answers for a table now."""
        table = self.tables.get(name)
        return table is not None and table.status is not None and not self.link(name).gateway

    def newest(self, name: str) -> tuple[int, int]:
        """Return the shoe of a table and its newest coup that has ended; zeros where that is not known."""
        table = self.tables.get(name)
        history = table.history if table is not None else None
        return (history.shoe, max(0, history.coup - 1)) if history is not None else (0, 0)

    def site_link(self) -> Link:
        """Return whether the data of the whole site are live; each table of it has its own link."""
        return Link(self.broker)


def _hides(table: TableState, books: frozenset[str]) -> bool:
    """Return True if people of these books may not see a card of this table before it is turned."""
    book = unturned.book_of(table.status)
    face_down = unturned.dealt_face_down(book, table.status.setup if table.status else None)
    return face_down and (book is None or book.id not in books)


def _covered(table: TableState, books: frozenset[str]) -> TableState:
    """Return a table without cards that are not turned; the same one if none is hidden from people of these books."""
    if not _hides(table, books):
        return table
    hand = unturned.cover_hand(table.hand, table.turned) if table.hand else None
    alarms = unturned.cover_alarms(table.alarms, hand, table.history) if table.alarms else None
    return replace_fields(table, hand=hand, alarms=alarms)


def _covered_act(table: TableState | None, act: PersonAct, books: frozenset[str]) -> PersonAct:
    return unturned.cover_act(act) if table is None or _hides(table, books) else act


def _without_cards(message: Any) -> Any:
    """Return a message of a table without the burn card, and without texts of alarms, which may name cards."""
    match message:
        case ShoeMessage():
            return replace(message, burn="")
        case AlarmsMessage():
            return replace(message, alarms=[replace(one, say="", shoe_says="", cards_say="") for one in message.alarms])
    return message


View = Callable[[SiteState, str, Moment], Any]  # site, key, now → everything that a page shows

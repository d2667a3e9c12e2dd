"""State of the log `signs`: what applies at each table, what is announced; entry and state → state."""

from datetime import datetime, timedelta
from typing import Final

import msgspec
from sabot_service.moment import utc

from sabot_floor.signs.entries import (
    Cancelled,
    ClosureSet,
    Configured,
    Entry,
    GameSet,
    LimitsSet,
    OldEnded,
    PersonalEnded,
    PersonalSet,
    RestrictionSet,
)
from sabot_floor.signs.limits import MOST_TABLES

MOST_PLACES: Final = 20
MOST_RESTRICTED: Final = 60


class Range(msgspec.Struct, frozen=True):
    """A minimum and a maximum, in minor units."""

    minimum: int
    maximum: int


class ComingLimits(msgspec.Struct, frozen=True):
    """Limits that begin later."""

    limits: Range
    starts: str


class Closure(msgspec.Struct, frozen=True):
    """When the table closes: at a time, or a number of coups after a result."""

    announced: str
    starts: str
    coups: int
    shoe: int
    coup: int


class ComingGame(msgspec.Struct, frozen=True):
    """The game that the table changes to."""

    game: str
    starts: str


class TableSigns(msgspec.Struct, frozen=True):
    """What applies at one table and what is announced; `configured` is what the config had last."""

    currency: str = ""
    configured: Range | None = None
    limits: Range | None = None
    old: Range | None = None  # for players who were at the table before `limits`
    coming: ComingLimits | None = None
    closure: Closure | None = None
    game: ComingGame | None = None
    personal: dict[str, Range] = {}
    restricted: dict[str, bool] = {}

    def at(self, time: str) -> "TableSigns":
        """Return what applies at a time: announced limits have begun, and end those before."""
        if self.coming is None or self.coming.starts > time:
            return self
        return msgspec.structs.replace(self, limits=self.coming.limits, old=None, coming=None)


NO_SIGNS: Final = TableSigns()


class SignsState(msgspec.Struct):
    """The signs of all tables."""

    tables: dict[str, TableSigns] = {}


def apply(state: SignsState, entry: Entry) -> str:
    """Change the state by an entry and return an empty text; or return why it cannot be, and change nothing."""
    before = state.tables.get(entry.table)
    if before is None and len(state.tables) >= MOST_TABLES:
        return f"a floor has at most {MOST_TABLES} tables"
    after = _after((before or TableSigns()).at(entry.time), entry)
    if isinstance(after, str):
        return after
    state.tables[entry.table] = after
    return ""


def _after(signs: TableSigns, entry: Entry) -> TableSigns | str:
    match entry:
        case Configured():
            limits = Range(entry.minimum, entry.maximum)
            return _changed(signs, currency=entry.currency, configured=limits, limits=limits, old=None, coming=None)
        case LimitsSet():
            return _limits(signs, entry)
        case OldEnded():
            return _changed(signs, old=None) if signs.old else f"{entry.table} has one minimum"
        case ClosureSet():
            early = "" if entry.coups else too_early(entry.time, entry.starts, entry.notice_s)
            closure = Closure(entry.time, entry.starts, entry.coups, entry.shoe, entry.coup)
            return early or _changed(signs, closure=closure)
        case GameSet():
            early = too_early(entry.time, entry.starts, 0 if entry.players_agree else entry.notice_s)
            return early or _changed(signs, game=ComingGame(entry.game, entry.starts))
        case Cancelled():
            return _cancelled(signs, entry)
        case PersonalSet() | PersonalEnded():
            return _personal(signs, entry)
        case RestrictionSet():
            return _restriction(signs, entry)


def _changed(signs: TableSigns, **fields: object) -> TableSigns:
    return msgspec.structs.replace(signs, **fields)


def too_early(time: str, starts: str, notice_s: int) -> str:
    """Return why a change cannot begin then; empty if it can."""
    first = later(time, notice_s)
    if starts >= first:
        return ""
    if starts < time:
        return "it would begin in the past"
    return f"the sign must be displayed for at least {notice_s // 60} minutes: it can begin at {first} at the earliest"


def later(time: str, seconds: int) -> str:
    """Return a time so many seconds later."""
    return utc((datetime.fromisoformat(time) + timedelta(seconds=seconds)).timestamp())


def raises(signs: TableSigns, minimum: int) -> bool:
    """Return True if this minimum is higher for anybody at the table: also for players with the old one."""
    ranges = [one for one in (signs.limits, signs.old) if one is not None]
    return any(minimum > one.minimum for one in ranges)


def _limits(signs: TableSigns, entry: LimitsSet) -> TableSigns | str:
    if signs.limits is None:
        return f"{entry.table} has no limits in the config"
    if entry.minimum > entry.maximum:
        return "the minimum is above the maximum"
    new = Range(entry.minimum, entry.maximum)
    if entry.keeps_old:
        return _two_minimums(signs, entry, new)
    if refused := too_early(entry.time, entry.starts, entry.notice_s if raises(signs, entry.minimum) else 0):
        return refused
    if entry.starts <= entry.time:
        return _changed(signs, limits=new, old=None, coming=None)
    return _changed(signs, coming=ComingLimits(new, entry.starts))


def _two_minimums(signs: TableSigns, entry: LimitsSet, new: Range) -> TableSigns | str:
    """Begin a higher minimum for new players at once."""
    if signs.old is not None:
        return f"{entry.table} has two minimums already; end the old one first"
    if signs.limits is None or new.minimum <= signs.limits.minimum:
        return "the minimum is not higher than before, so nobody needs the old one"
    return _changed(signs, limits=new, old=signs.limits, coming=None)


def _cancelled(signs: TableSigns, entry: Cancelled) -> TableSigns | str:
    field = {"minimum": "coming", "closure": "closure", "game": "game"}[entry.what]
    if getattr(signs, field) is None:
        return f"{entry.table}: nothing of that kind is announced"
    return _changed(signs, **{field: None})


def _personal(signs: TableSigns, entry: PersonalSet | PersonalEnded) -> TableSigns | str:
    others = {place: limits for place, limits in signs.personal.items() if place != entry.place}
    if isinstance(entry, PersonalEnded):
        known = entry.place in signs.personal
        return _changed(signs, personal=others) if known else f"place {entry.place} has no limits of its own"
    if entry.minimum > entry.maximum:
        return "the minimum is above the maximum"
    if len(others) >= MOST_PLACES:
        return f"a table has at most {MOST_PLACES} places with limits of their own"
    return _changed(signs, personal={**others, entry.place: Range(entry.minimum, entry.maximum)})


def _restriction(signs: TableSigns, entry: RestrictionSet) -> TableSigns | str:
    if entry.wager not in signs.restricted and len(signs.restricted) >= MOST_RESTRICTED:
        return f"a table has at most {MOST_RESTRICTED} restrictions"
    return _changed(signs, restricted={**signs.restricted, entry.wager: entry.restricted})


def decode(data: bytes | None) -> SignsState:
    """Return the state; msgspec.ValidationError if it is damaged."""
    return msgspec.json.decode(data, type=SignsState) if data is not None else SignsState()


def encode(state: SignsState) -> bytes:
    """Return the state as the store keeps it."""
    return msgspec.json.encode(state)

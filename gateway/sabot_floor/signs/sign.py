"""Sign: everything on the sign of a table: rulebook, setup, limits and changes → what a page or a text shows."""

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

import msgspec
from sabot_protocol import rulebooks
from sabot_protocol.jackpots import sign as jackpot_signs
from sabot_protocol.jackpots.parameters import Parameters
from sabot_protocol.rulebooks import Rulebook
from sabot_protocol.rulebooks.sign import without_side
from sabot_protocol.topics import TableSetup
from sabot_protocol.wagers.money import ante_allowed

from sabot_floor.gaming_day import Calendar
from sabot_floor.signs.amounts import written
from sabot_floor.signs.limits import TableLimits
from sabot_floor.signs.notices import Notice, notices
from sabot_floor.signs.odds import Pays, WagerOdds, offered
from sabot_floor.signs.state import NO_SIGNS, Closure, Range, TableSigns

_MORE = ("area_maximum", "differential", "aggregate_minimum", "aggregate_maximum")


class SignLimits(msgspec.Struct, frozen=True):
    """Limits as text; `at` is the time from which they apply, where that is later."""

    minimum: str
    maximum: str
    at: str = ""
    place: str = ""


class SignWager(msgspec.Struct, frozen=True):
    """A wager with its odds and its limits."""

    id: str
    title: str
    main: bool
    pays: tuple[Pays, ...]
    minimum: str
    maximum: str
    payout: str
    restricted: bool
    note: str


class SignClosure(msgspec.Struct, frozen=True):
    """When the table closes, or that it is closed."""

    closed: bool
    at: str = ""
    coups: int = 0
    coup: int = 0


class SignJackpot(msgspec.Struct, frozen=True):
    """What players must be able to read about a jackpot (D-59, D-60)."""

    id: str
    title: str
    lines: tuple[jackpot_signs.Line, ...]


class Sign(msgspec.Struct, frozen=True, kw_only=True):
    """The sign of one table; texts of the book are English, amounts have no currency."""

    table: str
    area: str = ""
    rulebook: str = ""
    game: str = ""
    currency: str = ""
    per: str = "player"
    limits: SignLimits | None = None
    old: SignLimits | None = None
    coming: SignLimits | None = None
    more: dict[str, str] = {}
    wagers: tuple[SignWager, ...] = ()
    notices: tuple[Notice, ...] = ()
    closure: SignClosure | None = None
    next_game: str = ""
    next_game_at: str = ""
    personal: tuple[SignLimits, ...] = ()
    jackpots: tuple[SignJackpot, ...] = ()
    problems: tuple[str, ...] = ()  # for staff


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a sign is made of, beside the time."""

    table: str
    rulebook: str  # empty if it is not known
    setup: TableSetup | None
    limits: TableLimits
    calendar: Calendar
    signs: TableSigns = NO_SIGNS
    jackpots: Sequence[Parameters] = ()
    shoe: int = 0  # of the newest result
    coup: int = 0


def sign(given: Context, time: str) -> Sign:
    """Return the sign at a time, UTC."""
    signs, limits = given.signs.at(time), given.limits
    book = rulebooks.load(given.rulebook) if given.rulebook in _book_ids() else None
    known = book is not None and given.setup is not None and given.setup.game in book.game
    base = Sign(
        table=given.table,
        area=limits.area,
        currency=limits.currency,
        per=limits.per,
        limits=_table_limits(given, signs),
        old=_range(signs.old, limits.currency),
        coming=_coming(given, signs, time),
        more={key: written(limits.amount(key) or 0, limits.currency) for key in _MORE if getattr(limits, key)},
        closure=_closure(given, signs, time),
        personal=tuple(
            SignLimits(one.minimum, one.maximum, place=place)
            for place, limit in sorted(signs.personal.items())
            if (one := _range(limit, limits.currency))
        ),
        jackpots=_jackpots(given),
        problems=() if known else ("The gateway has not published the table's game: update it, or see its status.",),
    )
    return _with_book(base, given, signs, time, book, given.setup) if known and book and given.setup else base


@cache
def _book_ids() -> frozenset[str]:
    return frozenset(rulebooks.ids())


@lru_cache(1000)
def _printed(rulebook: str, setup: bytes, limits: bytes) -> tuple[tuple[WagerOdds, ...], tuple[Notice, ...]]:
    """Return wagers and notices; they are the same at every look until the table changes, and take milliseconds."""
    book, made = rulebooks.load(rulebook), msgspec.json.decode(setup, type=TableSetup)
    wagers = tuple(offered(book, made))
    found = notices(book, made, msgspec.json.decode(limits, type=TableLimits), tuple(one.id for one in wagers))
    return wagers, tuple(found)


def _with_book(base: Sign, given: Context, signs: TableSigns, time: str, book: Rulebook, setup: TableSetup) -> Sign:
    encoded = msgspec.json.encode(setup)
    wagers, _ = _printed(book.id, encoded, msgspec.json.encode(given.limits))
    restricted = _restricted(given.limits, signs, [one.id for one in wagers])
    limits = msgspec.structs.replace(given.limits, restricted=restricted)
    _, said = _printed(book.id, encoded, msgspec.json.encode(limits))
    next_game, at = _next_game(given, signs, time, book, setup)
    return msgspec.structs.replace(
        base,
        rulebook=book.title,
        game=book.game[setup.game].title,
        wagers=tuple(_wager(book, limits, base.limits, one) for one in wagers),
        notices=said,
        next_game=next_game,
        next_game_at=at,
        problems=tuple(problems(book, setup, given.limits, wagers, signs, time)),
    )


def _range(limits: Range | None, currency: str, at: str = "") -> SignLimits | None:
    if limits is None:
        return None
    return SignLimits(written(limits.minimum, currency), written(limits.maximum, currency), at)


def _table_limits(given: Context, signs: TableSigns) -> SignLimits | None:
    """Return the limits in force: those of the log, or of the config where the log has none yet."""
    if signs.limits is not None:
        return _range(signs.limits, given.limits.currency)
    minimum, maximum = given.limits.amount("minimum"), given.limits.amount("maximum")
    return None if minimum is None or maximum is None else _range(Range(minimum, maximum), given.limits.currency)


def _coming(given: Context, signs: TableSigns, time: str) -> SignLimits | None:
    if signs.coming is None:
        return None
    return _range(signs.coming.limits, given.limits.currency, clock(given.calendar, signs.coming.starts, time))


def clock(calendar: Calendar, starts: str, time: str) -> str:
    """Return a time by the clock on the wall of the site, with its day where that is another than that of `time`."""
    day, hour = calendar.local(starts)[:16].split(" ")
    return hour if calendar.local(time)[:10] == day else f"{day} {hour}"


def _closure(given: Context, signs: TableSigns, time: str) -> SignClosure | None:
    closure = signs.closure
    if closure is None:
        return None
    if not closure.coups:
        return SignClosure(time >= closure.starts, clock(given.calendar, closure.starts, time))
    left = closure.coups - _coups_since(given, closure)
    return SignClosure(left <= 0, "", max(left, 0), closure.coup + closure.coups if closure.coup else 0)


def _coups_since(given: Context, closure: Closure) -> int:
    """Return how many coups have ended since the closure was announced; 0 where that is not known."""
    same_shoe = closure.shoe and given.shoe == closure.shoe
    return max(0, given.coup - closure.coup) if same_shoe else 0


def _next_game(given: Context, signs: TableSigns, time: str, book: Rulebook, setup: TableSetup) -> tuple[str, str]:
    if signs.game is None or signs.game.game == setup.game or signs.game.game not in book.game:
        return "", ""
    return book.game[signs.game.game].title, clock(given.calendar, signs.game.starts, time)


def _jackpots(given: Context) -> tuple[SignJackpot, ...]:
    return tuple(
        SignJackpot(one.id, one.title, jackpot_signs.lines(one))
        for one in given.jackpots
        if given.table in one.table_names
    )


def _restricted(limits: TableLimits, signs: TableSigns, wagers: list[str]) -> tuple[str, ...]:
    """Return the wagers that are restricted now: by the config, unless the log has it otherwise."""
    return tuple(
        wager
        for wager in wagers
        if signs.restricted.get(wager, signs.restricted.get(without_side(wager), limits.is_restricted(wager)))
    )


def _wager(book: Rulebook, limits: TableLimits, table: SignLimits | None, one: WagerOdds) -> SignWager:
    """Return a wager with its own limits, or those of the table (D-27, D-35)."""
    own = {key: limits.of_wager(one.id, key) for key in ("minimum", "maximum", "payout")}
    text = {key: written(value, limits.currency) if value is not None else "" for key, value in own.items()}
    return SignWager(
        one.id,
        one.title,
        one.main,
        one.pays,
        text["minimum"] or (table.minimum if table else ""),
        text["maximum"] or (table.maximum if table else ""),
        text["payout"] if book.sign.payout_clause(one.id) else "",
        one.id in limits.restricted,
        one.note,
    )


def problems(
    book: Rulebook, setup: TableSetup, limits: TableLimits, wagers: Sequence[WagerOdds], signs: TableSigns, time: str
) -> Iterator[str]:
    """Yield what is wrong with [[table]] at this table, and announced changes that were not made; for staff."""
    names = {one.id for one in wagers} | {without_side(one.id) for one in wagers}
    for name in sorted({*limits.wager, *limits.restricted} - names):
        yield f"wager {name}: the table does not offer it; correct [[table]] of the floor, or the gateway's config"
    for name, one in limits.wager.items():
        if one.payout and not book.sign.payout_clause(name):
            yield f"wager {name}: {book.id} has no rule that limits its pay-out; take out `payout`"
    if not limits.minimum:
        yield "minimum and maximum: the book wants them on the sign; write them in [[table]] of the floor"
    yield from _ante_problems(book, limits)
    if limits.insurance_capped and not any(one.id.startswith("insurance") for one in wagers):
        yield "insurance_capped: the table offers no insurance; take it out"
    if signs.game is not None and signs.game.starts <= time and signs.game.game != setup.game:
        yield (
            f"the change to {signs.game.game} was announced, but the gateway plays {setup.game}: change its config, "
            "or cancel the change"
        )


def _ante_problems(book: Rulebook, limits: TableLimits) -> Iterator[str]:
    ante, minimum = limits.amount("ante"), limits.amount("minimum")
    if ante is None:
        return
    if book.money.ante is None:
        yield f"ante: {book.id} has none; take it out"
    elif minimum is not None and not ante_allowed(book.money.ante, ante, minimum):
        yield f"ante: at most {book.money.ante.most_of_minimum} of the minimum ({book.money.ante.clause})"


def scale_problems(setups: dict[str, tuple[str, TableSetup]]) -> Iterator[str]:
    """Yield options that must be the same at all tables that offer the wager (D-46); setups by table, with the book."""
    chosen: dict[tuple[str, str], dict[str, str]] = {}
    for table, (rulebook, setup) in sorted(setups.items()):
        book = rulebooks.load(rulebook)
        used = {
            name
            for wager in book.wagers(setup.game)
            if not setup.wagers or wager.id in setup.wagers
            for price in wager.win.values()
            for name in price.odds_by
        }
        for name in sorted(used):
            option = book.option[name]
            if option.scope == "casino":
                chosen.setdefault((rulebook, name), {})[table] = setup.options.get(name, option.values[0])
    for (rulebook, name), values in chosen.items():
        if len(set(values.values())) > 1:
            listed = ", ".join(f"{table} has {value}" for table, value in values.items())
            clause = rulebooks.load(rulebook).option[name].clause
            yield f"{name} must be the same at all tables ({clause}): {listed}"

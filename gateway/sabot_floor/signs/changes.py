"""Changes: what a person asks of a sign → the entry that makes it, by the table's book, or why it is refused."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from sabot_protocol import rulebooks
from sabot_protocol.authority import Verdict
from sabot_protocol.inputs.plain_text import plain

from sabot_floor.gaming_day import Calendar
from sabot_floor.people.state import Person
from sabot_floor.signs import rules
from sabot_floor.signs.amounts import AmountError, minor_units, written
from sabot_floor.signs.entries import (
    Cancelled,
    ClosureSet,
    Entry,
    GameSet,
    LimitsSet,
    OldEnded,
    PersonalEnded,
    PersonalSet,
    RestrictionSet,
)
from sabot_floor.signs.limits import TableLimits
from sabot_floor.signs.rules import NoticeRule
from sabot_floor.signs.sign import clock
from sabot_floor.signs.start_time import StartTimeError, next_minute, start_time
from sabot_floor.signs.state import Range, TableSigns, later, raises, too_early
from sabot_floor.signs.verbs import ChangeSign

_ANNOUNCED = {"closure": "close_table", "game": "change_game"}
Allowed = Callable[[str, str, str, Mapping[str, object]], Verdict]  # book, act, role, facts


class Asked(NamedTuple):
    """What a person asks for, and what is known about the table."""

    request: ChangeSign
    rulebook: str
    limits: TableLimits
    calendar: Calendar
    person: Person
    role: str
    account: str
    time: str
    newest: tuple[int, int] = (0, 0)  # shoe and coup of the newest result, where known


class Made(NamedTuple):
    """An entry, and the sentence about it."""

    entry: Entry
    say: str


class Refused(NamedTuple):
    """Why it is refused."""

    say: str


class _RefusedError(Exception):
    """Ends a change that is refused."""


def make(asked: Asked, signs: TableSigns, allowed: Allowed) -> Made | Refused:
    """Return what a change makes of what applies now, or why it is refused. Pure."""
    try:
        return _CHANGES[asked.request.change](asked, signs, allowed)
    except (_RefusedError, AmountError, StartTimeError) as error:
        return Refused(str(error))


def _fields(asked: Asked, verdict: Verdict) -> dict[str, Any]:
    """Return the fields of every act; refuse what the role may not do."""
    if not verdict.allowed:
        raise _RefusedError(verdict.say)
    return {
        "time": asked.time,
        "table": asked.request.table,
        "rulebook": asked.rulebook,
        "clause": verdict.clause,
        "person": asked.person.id,
        "name": asked.person.name,
        "role": asked.role,
        "by": asked.account,
    }


def act_of(request: ChangeSign, signs: TableSigns, currency: str) -> tuple[str, dict[str, bool]]:
    """Return the act that a change is by what applies now, with its facts; AmountError for an unreadable minimum."""
    match request.change:
        case "minimum" if signs.limits and raises(signs, _minimum_asked(request, signs.limits, currency)):
            return "raise_minimum", {"notice_given": not request.keep_old}
        case "close":
            return "close_table", {"notice_given": True}
        case "game" if request.players_agree:
            return "change_game", {"players_agree": True, "notice_given": False}
        case "game":
            return "change_game", {"notice_given": True}
        case "personal":
            return "personal_limits", {}
        case "restrict":
            return "restrict_side_wagers", {"super_six": request.wager == "super_six"}
        case "cancel" if request.what != "minimum":
            return _ANNOUNCED[request.what], {"notice_given": True}
    return "alter_limits", {}


def _minimum_asked(request: ChangeSign, limits: Range, currency: str) -> int:
    return minor_units(request.minimum, currency) if request.minimum else limits.minimum


def _verdict(asked: Asked, signs: TableSigns, allowed: Allowed) -> Verdict:
    act, facts = act_of(asked.request, signs, asked.limits.currency)
    return allowed(asked.rulebook, act, asked.role, facts)


def _starts(asked: Asked, rule: NoticeRule) -> str:
    """Return when a change begins: as asked, or as early as the book allows; refuse an earlier start."""
    if not asked.request.at:
        return next_minute(later(asked.time, rule.seconds)) if rule.seconds else asked.time
    starts = start_time(asked.request.at, asked.calendar.zone, asked.time)
    if too_early(asked.time, starts, rule.seconds):
        first = clock(asked.calendar, next_minute(later(asked.time, rule.seconds)), asked.time)
        minutes = rule.seconds // 60
        raise _RefusedError(
            f"the sign must be displayed for at least {minutes} minutes before the change ({rule.clause}): "
            f"{first} at the earliest"
        )
    return starts


def _when(asked: Asked, starts: str) -> str:
    return "now" if starts <= asked.time else clock(asked.calendar, starts, asked.time)


def _minimum(asked: Asked, signs: TableSigns, allowed: Allowed) -> Made:
    request, currency = asked.request, asked.limits.currency
    if signs.limits is None:
        raise _RefusedError("the table has no limits; write minimum and maximum in [[table]] of the floor's config")
    minimum = _minimum_asked(request, signs.limits, currency)
    maximum = minor_units(request.maximum, currency) if request.maximum else signs.limits.maximum
    text = f"minimum {written(minimum, currency)}, maximum {written(maximum, currency)}"
    if not 0 < minimum <= maximum:
        raise _RefusedError(f"{text}: the minimum must be above 0 and not above the maximum")
    higher = raises(signs, minimum)
    if request.keep_old:
        return _two_minimums(asked, signs, allowed, Range(minimum, maximum), text, higher=higher)
    rule = rules.to_raise(asked.rulebook) if higher else NoticeRule()
    fields = _fields(asked, _verdict(asked, signs, allowed))
    starts = _starts(asked, rule)
    entry = LimitsSet(**fields, starts=starts, notice_s=rule.seconds, minimum=minimum, maximum=maximum)
    return Made(entry, f"{text} from {_when(asked, starts)}{_by_rule(rule)}")


def _two_minimums(asked: Asked, signs: TableSigns, allowed: Allowed, limits: Range, text: str, *, higher: bool) -> Made:
    """Raise the minimum at once for new players (6.7.1, 6.6.1)."""
    if not higher:
        raise _RefusedError("the minimum is not higher than before, so nobody needs the old one")
    if asked.request.at:
        raise _RefusedError("with the old minimum for players at the table it begins now; leave out the time")
    fields = _fields(asked, _verdict(asked, signs, allowed))
    entry = LimitsSet(
        **fields, starts=asked.time, notice_s=0, minimum=limits.minimum, maximum=limits.maximum, keeps_old=True
    )
    return Made(entry, f"{text} from now; players at the table keep the old limits, and the sign shows both")


def _by_rule(rule: NoticeRule) -> str:
    return f" ({rule.clause})" if rule.clause else ""


def _one_minimum(asked: Asked, signs: TableSigns, allowed: Allowed) -> Made:
    if signs.old is None:
        raise _RefusedError("the table has one minimum")
    fields = _fields(asked, _verdict(asked, signs, allowed))
    return Made(OldEnded(**fields), "no player has the old limits any more")


def _close(asked: Asked, signs: TableSigns, allowed: Allowed) -> Made:
    rule = rules.to_close(asked.rulebook)
    fields = _fields(asked, _verdict(asked, signs, allowed))
    if rule.coups:
        if asked.request.at:
            raise _RefusedError(f"the notice is {rule.coups} coups ({rule.clause}): leave out the time")
        shoe, coup = asked.newest
        entry = ClosureSet(**fields, starts=asked.time, notice_s=0, coups=rule.coups, shoe=shoe, coup=coup)
        return Made(entry, f"closes after {rule.coups} coups{_by_rule(rule)}")
    starts = _starts(asked, rule)
    return Made(
        ClosureSet(**fields, starts=starts, notice_s=rule.seconds),
        f"closes at {clock(asked.calendar, starts, asked.time)}{_by_rule(rule)}",
    )


def _game(asked: Asked, signs: TableSigns, allowed: Allowed) -> Made:
    request, games = asked.request, rulebooks.load(asked.rulebook).game
    if request.game not in games:
        raise _RefusedError(f"{asked.rulebook} has no game {request.game!r:.40}; there are {', '.join(games)}")
    if games[request.game].tournament_clause:
        raise _RefusedError(f"{request.game} is only for tournaments ({games[request.game].tournament_clause})")
    fields = _fields(asked, _verdict(asked, signs, allowed))
    rule = NoticeRule() if request.players_agree else rules.to_change_game(asked.rulebook)
    starts = _starts(asked, rule)
    entry = GameSet(
        **fields, starts=starts, notice_s=rule.seconds, game=request.game, players_agree=request.players_agree
    )
    what = f"{games[request.game].title} from {_when(asked, starts)}{_by_rule(rule)}"
    return Made(entry, f"{what}; change the gateway's config for that time, too")


def _personal(asked: Asked, signs: TableSigns, allowed: Allowed) -> Made:
    request, currency, place = asked.request, asked.limits.currency, plain(asked.request.place)
    if not place:
        raise _RefusedError("name the place of the player, such as 3")
    fields = _fields(asked, _verdict(asked, signs, allowed))
    if request.end:
        return Made(PersonalEnded(**fields, place=place), f"place {place} has the limits of the table")
    minimum, maximum = minor_units(request.minimum, currency), minor_units(request.maximum, currency)
    if not 0 < minimum <= maximum:
        raise _RefusedError("the minimum is above 0 and not above the maximum")
    text = f"place {place}: minimum {written(minimum, currency)}, maximum {written(maximum, currency)}"
    return Made(PersonalSet(**fields, place=place, minimum=minimum, maximum=maximum), text)


def _restrict(asked: Asked, signs: TableSigns, allowed: Allowed) -> Made:
    request, book = asked.request, rulebooks.load(asked.rulebook)
    known = {wager.id for game in book.game for wager in book.wagers(game)}
    sided = {name for name in (f"{request.wager}_player", f"{request.wager}_banker") if name in known}
    if request.wager not in known and not sided:
        raise _RefusedError(f"{asked.rulebook} has no wager {request.wager!r:.40}")
    verdict = _verdict(asked, signs, allowed)
    fields = _fields(asked, verdict)
    if not request.end and verdict.notify and not plain(request.notified):
        raise _RefusedError("surveillance is notified before: name the person who was notified")
    entry = RestrictionSet(**fields, wager=request.wager, restricted=not request.end, notified=plain(request.notified))
    whom = "all players" if request.end else "players with a wager on Player, Banker or Tie only"
    return Made(entry, f"{request.wager} is for {whom}")


def _cancel(asked: Asked, signs: TableSigns, allowed: Allowed) -> Made:
    fields = _fields(asked, _verdict(asked, signs, allowed))
    return Made(Cancelled(**fields, what=asked.request.what), f"the {asked.request.what} announced is cancelled")


_CHANGES: dict[str, Callable[[Asked, TableSigns, Allowed], Made]] = {
    "minimum": _minimum,
    "one-minimum": _one_minimum,
    "close": _close,
    "game": _game,
    "personal": _personal,
    "restrict": _restrict,
    "cancel": _cancel,
}

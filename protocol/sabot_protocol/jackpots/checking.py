"""Checking: what a rulebook or plain sense forbids about parameters of a jackpot, all of it at once."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from difflib import get_close_matches
from fractions import Fraction
from typing import Protocol

from sabot_protocol import rulebooks
from sabot_protocol.jackpots.book_rules import books, rules_of
from sabot_protocol.jackpots.parameters import LuckyTie, Outcome, Parameters, Part, Random, share
from sabot_protocol.jackpots.triggers import table_of
from sabot_protocol.rulebooks.model import JackpotRules
from sabot_protocol.wagers.table import Settings, Table

MOST_JACKPOTS = 200
_RESERVED = {"jackpot": "a table", "heads": "the logs of the floor"}
_MOST_TITLE, _MOST_SIGN = 60, 1000  # characters


class GamingTable(Protocol):
    """A table as a gateway's config has it."""

    @property
    def name(self) -> str: ...
    @property
    def rulebook(self) -> str: ...
    @property
    def game(self) -> str | None: ...
    @property
    def options(self) -> dict[str, str]: ...
    @property
    def wagers(self) -> tuple[str, ...]: ...


def parameter_problems(parameters: Parameters) -> Iterator[str]:
    """Yield all that is wrong with one jackpot, without its name."""
    yield from _amount_problems(parameters)
    yield from _text_problems(parameters)
    rules = rules_of(parameters.rulebook)
    if rules is None:
        yield (
            f"rulebook = {parameters.rulebook}: this book has no jackpot; choose one of {', '.join(books())}, "
            "or run the table without a jackpot"
        )
        return
    yield from _funding_problems(parameters, rules)
    yield from _equipment_problems(parameters, rules)
    yield from _date_problems(parameters, rules)
    try:
        table = table_of(parameters)
    except rulebooks.RulebookError as error:
        yield str(error)
        return
    yield from _wager_problems(parameters, table)
    yield from _trigger_problems(parameters, table)


def _amount_problems(parameters: Parameters) -> Iterator[str]:
    least = max(parameters.base, parameters.reset_value)
    if parameters.limit is not None and parameters.limit < least:
        yield f"limit = {parameters.limit}: the meter begins with {least}; write that or more"
    if not parameters.unreasonable:
        yield "unreasonable = 0: no coup could contribute; write the most that one coup may contribute"
    elif parameters.unreasonable < parameters.increment:
        yield (
            f"unreasonable = {parameters.unreasonable}: each coup contributes {parameters.increment}; "
            "write the most that one coup may contribute"
        )
    if share(parameters.reserve) >= 1:
        yield f"reserve = {parameters.reserve}: nothing is left for the display; write less than 100%"
    for name in _twice(parameters.tables):
        yield f"tables: {name} is there twice; name each table once"


def _text_problems(parameters: Parameters) -> Iterator[str]:
    if parameters.id in _RESERVED:
        of = _RESERVED[parameters.id]
        yield f"id = {parameters.id}: reserved, for its topics would look like those of {of}; write another"
    if not 0 < len(parameters.title) <= _MOST_TITLE:
        yield f"title: {len(parameters.title)} characters; write 1 to {_MOST_TITLE}"
    if len(parameters.sign) > _MOST_SIGN:
        yield f"sign: {len(parameters.sign)} characters; write at most {_MOST_SIGN}"


def _funding_problems(parameters: Parameters, rules: JackpotRules) -> Iterator[str]:
    funding, by_operator, by_wager = parameters.funding, parameters.increment > 0, bool(parameters.wager_increment)
    if funding not in rules.funding:
        yield (
            f"funding = {funding}: {parameters.rulebook} allows {' or '.join(rules.funding)} "
            f"({rules.funding_clause}); write funding = {rules.funding[0]!r}"
        )
    if funding != "wager" and not by_operator:
        yield f"increment = 0: with funding = {funding!r} the operator contributes; write the amount for each coup"
    if funding == "wager" and by_operator:
        yield "increment: the operator contributes nothing with funding = 'wager'; leave it out, or write 'both'"
    if funding != "operator" and not by_wager:
        yield f"wager_increment is missing: funding = {funding!r} takes a part of stakes; write {{tie = '1.5%'}}"
    if funding == "operator" and by_wager:
        yield "wager_increment: nothing comes from stakes with funding = 'operator'; leave it out, or write 'both'"
    if funding == "operator" and parameters.activation == "no_more_bets":
        yield "activation = no_more_bets: that is for parts of stakes; the operator's part comes with 'end_of_round'"
    for wager, percent in parameters.wager_increment.items():
        if not 0 < share(percent) <= Fraction(1):
            yield f"wager_increment.{wager} = {percent}: write more than 0% and at most 100%"


def _equipment_problems(parameters: Parameters, rules: JackpotRules) -> Iterator[str]:
    for item, clause in rules.equipment.items():
        needed = item != "handset" or not isinstance(parameters.trigger, Random)  # no dealer records a draw
        if needed and item not in parameters.equipment:
            yield (
                f"equipment: no {item}; {parameters.rulebook} offers a jackpot only with one ({clause}): "
                f"fit it to every table, then add {item!r}"
            )


def _date_problems(parameters: Parameters, rules: JackpotRules) -> Iterator[str]:
    if not parameters.in_force:
        if rules.dated_clause:
            yield (
                "in_force is missing: the parameters are notified before the jackpot begins "
                f"({rules.dated_clause}); write the date, such as '2026-11-01'"
            )
        return
    try:
        good = date.fromisoformat(parameters.in_force).isoformat() == parameters.in_force
    except ValueError:
        good = False
    if not good:
        yield f"in_force = {parameters.in_force}: not a date; write it as '2026-11-01'"


def _wager_problems(parameters: Parameters, table: Table) -> Iterator[str]:
    if table.three_card:
        yield f"game = {table.settings.game}: a shoe does not deal it as coups; choose another game"
    for key, names in (("wager_increment", parameters.wager_increment), ("qualifying", parameters.qualifying)):
        for name in (name for name in names if name not in _wager_of(parameters)):  # the trigger's is checked there
            yield from _unknown(f"{key}: ", "wager", name, tuple(table.wagers), f"game {table.settings.game}")
    yield from (f"qualifying: {name} is there twice; name each wager once" for name in _twice(parameters.qualifying))


def _trigger_problems(parameters: Parameters, table: Table) -> Iterator[str]:
    match parameters.trigger:
        case LuckyTie() as trigger:
            yield from _lucky_tie_problems(parameters, trigger)
        case Outcome() as trigger:
            yield from _outcome_problems(parameters, trigger, table)
        case Random() as trigger:
            yield from _random_problems(trigger)


def _lucky_tie_problems(parameters: Parameters, trigger: LuckyTie) -> Iterator[str]:
    rules = rulebooks.load(parameters.rulebook).jackpot.get("lucky_tie")
    if rules is None:
        yield f"trigger.kind = lucky_tie: {parameters.rulebook} has none; choose 'outcome' or 'random'"
        return
    ranges = rules.option[trigger.option]
    place = f"the outcomes of {trigger.option}"
    for name in trigger.percent:
        yield from _unknown("trigger.percent: ", "outcome", name, tuple(ranges), place)
    for name, (least, most) in ranges.items():
        wanted = f"{least} to {most}" if least < most else f"{most}"
        if name not in trigger.percent:
            yield f"trigger.percent: {name} is missing from {place}; write {name} = {wanted} ({rules.clause})"
        elif not least <= share(trigger.percent[name]) * 100 <= most:
            yield (
                f"trigger.percent.{name} = {trigger.percent[name]}: {parameters.rulebook} allows {wanted} per cent "
                f"({rules.clause}); write {wanted}"
            )
    if parameters.qualifying != ("tie",):
        yield "qualifying: only wagers on Tie take part in a Lucky Tie (13.4.6(a)); write ['tie'], or leave it out"


def _outcome_problems(parameters: Parameters, trigger: Outcome, table: Table) -> Iterator[str]:
    unknown = list(
        _unknown("trigger.wager: ", "wager", trigger.wager, tuple(table.wagers), f"game {table.settings.game}")
    )
    if unknown:
        yield from unknown
        return
    outcomes = winning_outcomes(table, trigger.wager)
    if not trigger.percent:
        yield f"trigger.percent is empty; write a per cent for one or more of {', '.join(outcomes)}"
    for name, percent in trigger.percent.items():
        yield from _unknown("trigger.percent: ", "outcome", name, outcomes, f"wager {trigger.wager}")
        yield from _part_problems(f"trigger.percent.{name}", percent)
    if not parameters.qualifying:
        yield "qualifying is empty; write the wagers that take part in a pay-out, or leave it out"


def _part_problems(place: str, percent: Part) -> Iterator[str]:
    if not 1 <= share(percent) * 100 <= 100:
        yield f"{place} = {percent}: a win pays a part of the meter; write 1 to 100"


def _random_problems(trigger: Random) -> Iterator[str]:
    yield from _part_problems("trigger.percent", trigger.percent)
    yield from (f"trigger.draws: {name} is there twice; name each once" for name in _twice(trigger.draws))
    if "location" in trigger.draws and not trigger.locations:
        yield "trigger.locations is missing: a location is drawn; write the names of the wagering locations"
    if trigger.locations and "location" not in trigger.draws:
        yield "trigger.locations: no location is drawn; leave it out, or add 'location' to draws"
    yield from (f"trigger.locations: {name} is there twice; name each once" for name in _twice(trigger.locations))
    if not all(name.strip() for name in trigger.locations):
        yield "trigger.locations: one has no name; write a name for each"


def winning_outcomes(table: Table, wager: str) -> tuple[str, ...]:
    """Return the names of the outcomes that win this wager."""
    return tuple(table.wagers[wager].wager.win) or ("win",)  # a combined wager has no prices of its own


def _unknown(place: str, what: str, name: str, known: Sequence[str], where: str) -> Iterator[str]:
    if name not in known:
        near = get_close_matches(name, known, 1)
        next_step = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
        yield f"{place}no {what} {name} in {where}; {next_step}"


def _twice(names: Iterable[str]) -> list[str]:
    return [name for name, count in Counter(names).items() if count > 1]


def problems_between(jackpots: Sequence[Parameters]) -> Iterator[str]:
    """Yield what is wrong with several jackpots together: ids used twice, two currencies at a table, too many."""
    if len(jackpots) > MOST_JACKPOTS:
        yield f"{len(jackpots)} jackpots, tiers counted; write at most {MOST_JACKPOTS}"
    yield from (f"jackpot {name} is there twice; give each an id of its own" for name in _twice(j.id for j in jackpots))
    first: dict[str, Parameters] = {}
    for jackpot in jackpots:
        for name in jackpot.tables:
            other = first.setdefault(name, jackpot)
            if other.currency != jackpot.currency:
                yield (
                    f"jackpot {jackpot.id}: table {name} plays for {other.currency} in jackpot {other.id} and for "
                    f"{jackpot.currency} here; a table has one currency"
                )


def table_problems(jackpots: Sequence[Parameters], tables: Iterable[GamingTable]) -> Iterator[str]:
    """Yield where tables of a gateway do not fit the jackpots that name them; nothing for tables of other gateways."""
    known = {table.name: table for table in tables}
    if known and not any(name in known for jackpot in jackpots for name in jackpot.tables):
        yield (
            f"no jackpot has one of the tables of this gateway ({_some(known)}) in its `tables`; "
            "write their names as the gateway's config does"
        )
    for jackpot in (jackpot for jackpot in jackpots if not any(parameter_problems(jackpot))):
        for name in jackpot.tables:
            if name in known:
                yield from (f"jackpot {jackpot.id}: table {name} {found}" for found in _misfits(jackpot, known[name]))


def _some(names: Iterable[str]) -> str:
    first, *others = names
    return f"{first} and {len(others)} more" if others else first


def _misfits(jackpot: Parameters, table: GamingTable) -> Iterator[str]:
    if table.rulebook != jackpot.rulebook:
        yield f"plays by {table.rulebook}, the jackpot by {jackpot.rulebook}; take the table out of it"
        return
    book = rulebooks.load(jackpot.rulebook)
    try:
        settings = Settings.of(book, {**({} if table.game is None else {"game": table.game}), **table.options})
    except rulebooks.RulebookError:
        return  # the check of the table itself has it
    if Table(book, settings).three_card:
        yield f"plays game {settings.game}, which a shoe does not deal as coups; take the table out of the jackpot"
        return
    offered = {wager.id: wager for wager in book.wagers(settings.game)}
    for name in sorted({*jackpot.qualifying, *jackpot.wager_increment, *_wager_of(jackpot)}):
        if name not in offered or (table.wagers and name not in table.wagers):
            yield f"does not offer the wager {name}; offer it, or take the table out of the jackpot"
    for name in _wager_of(jackpot):
        own = table_of(jackpot).wagers[name].wager
        if name in offered and (own.bet, own.win.keys()) != (offered[name].bet, offered[name].win.keys()):
            yield f"plays game {settings.game}, where {name} has other outcomes; set `game` of the jackpot to it"


def _wager_of(jackpot: Parameters) -> tuple[str, ...]:
    return (jackpot.trigger.wager,) if isinstance(jackpot.trigger, Outcome) else ()

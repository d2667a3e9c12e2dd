"""Loading: a TOML file of jackpots into parameters, or every problem at once, each with its place and next step."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args

import msgspec

from sabot_protocol.inputs.config_file import ConfigError, key_problems, read_toml
from sabot_protocol.jackpots.book_rules import books
from sabot_protocol.jackpots.checking import GamingTable, parameter_problems, problems_between, table_problems
from sabot_protocol.jackpots.parameters import Drawn, Equipment, LuckyTie, Outcome, Parameters, Random

_MINOR = "a whole number of minor units from 0 to 10**15: 2500 is 25 dollars"
_PERCENT = 'a percentage as text, with at most six decimals, such as "1.5%"'
_ID = "small letters, digits, - and _, at most 48, such as"
# What each key expects, for the message about a wrong value.
_WANTED = {
    "id": f'{_ID} "lucky-tie"',
    "title": 'the name that players read, such as "Lucky Tie Jackpot"',
    "rulebook": f"one of {', '.join(books())}",
    "game": "a game of the rulebook, as text",
    "options": 'choices as text, such as {tiger_option = "1"}',
    "currency": 'three capital letters, such as "AUD"',
    "version": "a whole number, 1 or more; add 1 with every change",
    "in_force": 'the date from which the parameters hold, as text: "2026-11-01"',
    "tables": 'the names of one to 1000 tables, such as ["bac-01", "bac-02"]',
    "funding": '"operator", "wager" or "both"',
    "increment": _MINOR,
    "wager_increment": 'a percentage for each wager, such as {tie = "1.5%"}',
    "unwagered": "true or false",
    "activation": '"end_of_round" or "no_more_bets"',
    "base": _MINOR,
    "reset": _MINOR,
    "reserve": _PERCENT,
    "limit": _MINOR,
    "unreasonable": "the most minor units that one coup may contribute, a whole number up to 10**15",
    "rounding": "the smallest payable amount in minor units, from 1 to 10**9: 100 is one dollar",
    "division": '"equal" or "proportional"',
    "qualifying": 'a list of wagers, such as ["tie"]',
    "equipment": f"a list with any of {', '.join(get_args(Equipment))}",
    "sign": "more text for the table sign, on one line",
    "tier": "[[jackpot.tier]], each with id and what differs",
    "trigger": 'a table: [jackpot.trigger] with kind = "lucky_tie", "outcome" or "random"',
    "option": '"option_1", "option_2" or "option_3"',
    "wager": 'a wager of the rulebook, such as "perfect_pair_player"',
    "percent": 'from 1 to 100 each, one with decimals as text, such as {suited = 100, non_suited = "12.5"}',
    "draws": f"a list with one or more of {', '.join(get_args(Drawn))}",
    "seats": "the number of seats of each table, 1 to 99",
    "locations": 'a list of names, such as ["1 player", "1 banker"]',
}
_WANTED_OF_RANDOM = {**_WANTED, "percent": 'a number from 1 to 100, one with decimals as text, such as "12.5"'}
_TRIGGERS: dict[str, type[msgspec.Struct]] = {"lucky_tie": LuckyTie, "outcome": Outcome, "random": Random}
_A_TRIGGER = {"kind": "random", "draws": ["table"]}  # while the keys beside the trigger are checked

Json = dict[str, Any]


def load(path: Path, tables: Iterable[GamingTable] = ()) -> tuple[Parameters, ...]:
    """Return the jackpots of a file; ConfigError with every problem, also with these tables of a gateway."""
    jackpots, found = _read(path, tables)
    if found:
        raise ConfigError("\n".join(f"{path}: {problem}" for problem in found))
    return jackpots


def problems(path: Path, tables: Iterable[GamingTable] = ()) -> list[str]:
    """Return all that is wrong with a file of jackpots, also with these tables of a gateway."""
    return _read(path, tables)[1]


def choose(jackpots: Sequence[Parameters], wanted: str) -> Parameters:
    """Return the jackpot with this id; ConfigError lists those that there are."""
    for one in jackpots:
        if one.id == wanted:
            return one
    raise ConfigError(f"no jackpot {wanted!r} in this file; it has {', '.join(one.id for one in jackpots)}")


def describe(parameters: Parameters) -> Json:
    """Return parameters for printing: every key with its value, and the digest."""
    return {"digest": parameters.digest, **msgspec.to_builtins(parameters), "reset": parameters.reset_value}


def _read(path: Path, tables: Iterable[GamingTable]) -> tuple[tuple[Parameters, ...], list[str]]:
    data, found = read_toml(path, "a TOML file of jackpots", f"cp gateway/examples/jackpots.toml {path}")
    if data is None:
        return (), found
    jackpots, found = parse(data)
    return jackpots, [*found, *table_problems(jackpots, tables)]


def parse(data: Json) -> tuple[tuple[Parameters, ...], list[str]]:
    """Return the jackpots whose keys are right, in order, and all that is wrong."""
    listed = data.get("jackpot")
    if not isinstance(listed, list) or not _tables(listed):
        return (), ["jackpot is missing; write at least one [[jackpot]] with id, title, rulebook, currency and trigger"]
    found = [f"{key}: no such key; a file of jackpots has [[jackpot]] only" for key in data if key != "jackpot"]
    jackpots: list[Parameters] = []
    for number, one in enumerate(listed, 1):
        for entry in _entries(one, number):
            found += (f"{entry.place}: {problem}" for problem in entry.wrong)
            if entry.fields is not None:
                parameters = msgspec.convert(entry.fields, Parameters)
                found += (f"{entry.place}: {problem}" for problem in parameter_problems(parameters))
                jackpots.append(parameters)
    return tuple(jackpots), [*found, *problems_between(jackpots)]


class _Entry(NamedTuple):
    """One jackpot of the file: its keys if they can be used, and what is wrong with them."""

    place: str
    fields: Json | None
    wrong: list[str]


def _entries(data: Json, number: int) -> Iterator[_Entry]:
    """Yield a jackpot without tiers, or each of its tiers, and before them what is wrong for all tiers."""
    name = data.get("id")
    place = f"jackpot {name}" if isinstance(name, str) and name else f"jackpot number {number}"
    tiers = data.get("tier")
    if tiers is None:
        wrong = list(_problems(data))
        yield _Entry(place, None if wrong else _filled(data), wrong)
    elif not _tables(tiers):
        yield _Entry(place, None, [f"tier = {tiers!r:.60}; write {_WANTED['tier']}"])
    elif "id" not in data:
        yield _Entry(place, None, [f"id is missing; write {_WANTED['id']}"])
    else:
        common = {key: value for key, value in data.items() if key != "tier"}
        of_all = [problem for problem in _problems(common) if " is missing;" not in problem]
        yield _Entry(place, None, of_all)
        for tier_number, tier in enumerate(tiers, 1):
            yield _tier(place, common, of_all, tier, tier_number)


def _tier(place: str, common: Json, of_all: list[str], tier: Json, number: int) -> _Entry:
    """Return a tier; it inherits what it does not set, and only what is wrong with itself is listed."""
    name = tier.get("id")
    if not isinstance(name, str) or not name:
        fact = f"id = {name!r:.60}" if name is not None else "id is missing"
        return _Entry(f"{place}: tier number {number}", None, [f'{fact}; write {_ID} "mini"'])
    place = f"{place}: tier {name}"
    if "tier" in tier:
        return _Entry(place, None, ["tier: a tier has no tiers; leave it out"])
    own = {
        "id": f"{common.get('id')}-{name}",
        "tier": name,
        "title": tier.get("title", f"{common.get('title')}: {name}"),
    }
    fields = common | tier | own
    wrong = list(_problems(fields))
    return _Entry(place, None if wrong else _filled(fields), [one for one in wrong if one not in of_all])


def _tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _problems(data: Json) -> Iterator[str]:
    """Yield unknown keys, missing keys and wrong values of a jackpot and its trigger."""
    trigger = data.get("trigger")
    if not isinstance(trigger, dict):
        yield from key_problems(Parameters, data, "", _WANTED)
        return
    yield from key_problems(Parameters, {**data, "trigger": _A_TRIGGER}, "", _WANTED)
    kind = trigger.get("kind")
    struct = _TRIGGERS.get(kind) if isinstance(kind, str) else None
    if struct is None:
        yield f"trigger.kind = {kind!r:.60}; write one of {', '.join(_TRIGGERS)}"
        return
    keys = {key: value for key, value in trigger.items() if key != "kind"}
    yield from key_problems(struct, keys, "trigger.", _WANTED_OF_RANDOM if struct is Random else _WANTED)
    draws = keys.get("draws")
    if struct is Random and isinstance(draws, list) and draws and ("seat" in draws) != ("seats" in keys):
        yield f"trigger.seats: it goes with 'seat' in draws; write {_WANTED['seats']}, or leave both out"


def _filled(data: Json) -> Json:
    """Return the keys with the wagers that take part in a pay-out: those of the trigger, unless given."""
    trigger = data["trigger"]
    default = {"lucky_tie": ["tie"], "outcome": [trigger.get("wager")]}.get(trigger["kind"], [])
    return {"qualifying": default, **data}

"""Limits: [[table]] of the floor's config: what stands on a table's sign beside its rulebook and its setup."""

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta
from sabot_protocol.inputs import config_file
from sabot_protocol.inputs.config_file import Name
from sabot_protocol.rulebooks.sign import without_side

from sabot_floor.signs.amounts import AmountError, minor_units

Money = Annotated[str, Meta(max_length=24)]
WagerName = Annotated[str, Meta(pattern=r"\A[a-z0-9_]{1,48}\Z")]
Per = Literal["player", "area", "bet_type"]
MOST_TABLES: Final = 500
_MOST_WAGERS = 60
_WAGER = re.compile(r"[a-z0-9_]{1,48}")


class WagerLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Limits of one wager; `pair` stands for pair_player and pair_banker."""

    minimum: Money = ""
    maximum: Money = ""
    payout: Money = ""  # the most that is paid on it


class TableLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One table: where it stands, and what its sign has beside the rulebook."""

    name: Name
    area: Annotated[str, Meta(max_length=40)] = ""  # of the casino
    currency: Annotated[str, Meta(pattern=r"\A[A-Z]{3}\Z")] = "AUD"
    minimum: Money = ""
    maximum: Money = ""
    per: Per = "player"  # what minimum and maximum are for
    area_maximum: Money = ""  # of one playing area, all players together
    differential: Money = ""
    unit: Money = ""  # in which wagers may be made above the minimum
    multiple_of: Money = ""
    aggregate_minimum: Money = ""  # of all wagers of a player
    aggregate_maximum: Money = ""
    ante: Money = ""
    ante_waived_from: Money = ""
    insurance_capped: bool = False  # an insurance pays at most the initial wager
    restricted: Annotated[tuple[WagerName, ...], Meta(max_length=_MOST_WAGERS)] = ()  # to players with a main wager
    wager: Annotated[dict[WagerName, WagerLimits], Meta(max_length=_MOST_WAGERS)] = {}
    notice: Annotated[str, Meta(max_length=300)] = ""  # more text for the sign

    def amount(self, key: str) -> int | None:
        """Return an amount in minor units, None if it is not set."""
        return _minor(getattr(self, key), self.currency)

    def of_wager(self, wager: str, key: str) -> int | None:
        """Return an amount of one wager, None if it is not set; `pair` gives that of pair_player."""
        for name in (wager, without_side(wager)):
            if name in self.wager and (text := getattr(self.wager[name], key)):
                return _minor(text, self.currency)
        return None

    def is_restricted(self, wager: str) -> bool:
        """Return True if only players with a main wager may place it."""
        return wager in self.restricted or without_side(wager) in self.restricted


def _minor(text: str, currency: str) -> int | None:
    return minor_units(text, currency) if text else None


_AMOUNT = 'an amount in quotes, such as "25" or "2,500.50"'
_WANTED = {
    "name": 'the name of the table as its gateway has it, such as "bac-01"',
    "area": 'the part of the casino, such as "Main floor", at most 40 characters',
    "currency": 'three letters, such as "AUD"',
    "per": '"player", "area" or "bet_type"',
    "insurance_capped": "true or false",
    "restricted": 'the wagers that only players with a main wager may place, such as ["pair", "tiger"]',
    "wager": "tables: [table.wager.pair] with minimum, maximum and payout",
    "notice": "a text of at most 300 characters",
}
_AMOUNTS = (
    "minimum", "maximum", "area_maximum", "differential", "unit", "multiple_of", "aggregate_minimum",
    "aggregate_maximum", "ante", "ante_waived_from",
)  # fmt: skip
_OF_WAGER = ("minimum", "maximum", "payout")


def shape_problems(data: Any) -> Iterator[str]:
    """Yield wrong keys and values of [[table]]."""
    if not isinstance(data, list) or not all(isinstance(one, dict) for one in data):
        yield "table: write [[table]], one for each table"
        return
    if len(data) > MOST_TABLES:
        yield f"table: {len(data)} tables; a floor has at most {MOST_TABLES}"
        return
    wanted = {**dict.fromkeys(_AMOUNTS, _AMOUNT), **_WANTED}
    for number, one in enumerate(data, 1):
        place = f"table {one.get('name', number)}: "
        wagers = one.get("wager", {})
        yield from config_file.key_problems(TableLimits, {**one, "wager": {}}, place, wanted)
        if not isinstance(wagers, dict) or not all(isinstance(value, dict) for value in wagers.values()):
            yield f"{place}wager: write {_WANTED['wager']}"
            continue
        if len(wagers) > _MOST_WAGERS:
            yield f"{place}wager: {len(wagers)} wagers; a table has at most {_MOST_WAGERS}"
        for name, value in wagers.items():
            if not _WAGER.fullmatch(name):
                yield f"{place}wager.{name!r:.50}: no such wager; write its id as the rulebook has it, such as pair"
                continue
            yield from config_file.key_problems(
                WagerLimits, value, f"{place}wager.{name}.", dict.fromkeys(_OF_WAGER, _AMOUNT)
            )


def problems(tables: Sequence[TableLimits]) -> Iterator[str]:
    """Yield tables that are there twice, and amounts that cannot be, or contradict each other."""
    seen: set[str] = set()
    for table in tables:
        if table.name in seen:
            yield f"table {table.name}: it is there twice; write one [[table]] for each table"
        seen.add(table.name)
        yield from (f"table {table.name}: {problem}" for problem in _amount_problems(table))


def _amount_problems(table: TableLimits) -> Iterator[str]:
    found = {key: getattr(table, key) for key in _AMOUNTS}
    for name, limits in table.wager.items():
        found |= {f"wager.{name}.{key}": getattr(limits, key) for key in _OF_WAGER}
    amounts: dict[str, int] = {}
    for key, text in found.items():
        try:
            if text:
                amounts[key] = minor_units(text, table.currency)
        except AmountError as error:
            yield f"{key}: {error}"
            continue
        if text and not amounts[key]:
            yield f"{key}: 0 is no limit; leave it out, or write {_AMOUNT}"
    yield from _order_problems(table, amounts)
    if bool(table.minimum) != bool(table.maximum):
        yield "minimum and maximum: a sign has both; write the other one, too"


def _order_problems(table: TableLimits, amounts: dict[str, int]) -> Iterator[str]:
    """Yield pairs of amounts of which the first is above the second."""
    pairs = [
        ("minimum", "maximum"), ("minimum", "area_maximum"), ("minimum", "differential"), ("unit", "maximum"),
        ("multiple_of", "maximum"), ("aggregate_minimum", "aggregate_maximum"), ("minimum", "aggregate_maximum"),
        ("ante", "minimum"), ("minimum", "ante_waived_from"), ("ante_waived_from", "maximum"),
        *((f"wager.{name}.minimum", f"wager.{name}.maximum") for name in table.wager),
    ]  # fmt: skip
    for low, high in pairs:
        if low in amounts and high in amounts and amounts[low] > amounts[high]:
            yield f"{low} is above {high}; correct one of them"
    step = amounts.get("multiple_of", 0)
    if step and amounts.get("minimum", 0) % step:
        yield "minimum is no multiple of multiple_of, so nobody could wager it; correct one of them"
    if table.ante_waived_from and not table.ante:
        yield "ante_waived_from: there is no ante; write it, too"

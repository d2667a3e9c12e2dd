"""The jackpots of the floor, and what their meters must show: arithmetic on the logs that are played."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from floor_kills.logs import RULEBOOK, Table

_TOML: Final = """\
[[jackpot]]
id = "{id}"
title = "{id}"
rulebook = "{rulebook}"
currency = "AUD"
in_force = "2025-01-01"
tables = {tables}
increment = {increment}
unwagered = {unwagered}
base = {base}
reserve = "{reserve}%"
unreasonable = {increment}
rounding = 500
equipment = ["console", "display", "handset"]

[jackpot.trigger]
kind = "lucky_tie"
option = "option_3"
percent = {{ lucky_tie = 100 }}

"""


@dataclass(frozen=True)
class Jackpot:
    """A jackpot of every `every`-th table; amounts are minor units."""

    id: str
    increment: int
    base: int
    reserve: int  # per cent of each increment; a whole number of minor units of it
    unwagered: bool
    every: int

    def of(self, tables: Sequence[Table]) -> list[Table]:
        """Return the tables that take part."""
        return [table for table in tables if table.number % self.every == 0]


JACKPOTS: Final = (
    Jackpot("linked", increment=25, base=1_000_000, reserve=0, unwagered=True, every=1),
    Jackpot("wagered", increment=50, base=5_000, reserve=10, unwagered=False, every=10),
)


@dataclass(frozen=True)
class Expected:
    """What a jackpot must come to."""

    jackpot: Jackpot
    tables: tuple[Table, ...]

    @cached_property
    def ids(self) -> dict[str, set[str]]:
        """The coups that each table contributes, by the ids of their messages on `confirmed`."""
        return {table.name: table.coup_ids(unwagered=self.jackpot.unwagered) for table in self.tables}

    @cached_property
    def coups(self) -> int:
        """Their number."""
        return sum(map(len, self.ids.values()))

    @cached_property
    def meters(self) -> dict[str, int]:
        """The meters at the end: coups × increment, and the base."""
        jackpot = self.jackpot
        total = self.coups * jackpot.increment
        reserve = self.coups * (jackpot.increment * jackpot.reserve // 100)
        return {
            "base": jackpot.base,
            "in": total,
            "display": jackpot.base + total - reserve,
            "hits": 0,
            "wins": 0,
            "overflow": 0,
            "reserve": reserve,
        }


def expected(tables: Sequence[Table]) -> list[Expected]:
    """Return what each jackpot must come to."""
    return [Expected(jackpot, tuple(jackpot.of(tables))) for jackpot in JACKPOTS]


def toml(tables: Sequence[Table]) -> str:
    """Return the file of the jackpots."""
    return "".join(
        _TOML.format(
            id=jackpot.id,
            rulebook=RULEBOOK,
            tables=str([table.name for table in jackpot.of(tables)]).replace("'", '"'),
            increment=jackpot.increment,
            unwagered=str(jackpot.unwagered).lower(),
            base=jackpot.base,
            reserve=jackpot.reserve,
        )
        for jackpot in JACKPOTS
    )

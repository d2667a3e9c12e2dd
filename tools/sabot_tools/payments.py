"""Stakes of a coup in money: what the house pays or collects on each, in whole minor units."""

from math import ceil
from typing import Any

import msgspec
from sabot_protocol.rulebooks import Rulebook
from sabot_protocol.wagers import money
from sabot_protocol.wagers.table import Settled, Table

from sabot_tools.text.json_lines import BadLineError

Cents = int


class Staked(msgspec.Struct):
    """The part of a line that speaks of money."""

    stakes: dict[str, Cents]
    chip: Cents = 1  # the smallest that payments are made in
    differential: Cents | None = None  # Crown 6.5: above it a winning wager pays extra commission


def payments(table: Table, line: dict[str, Any], settled: dict[str, Settled]) -> dict[str, dict[str, Cents]]:
    """For each stake its `net` (paid, or collected as a minus) and what of it was `void`."""
    book, game = table.book, table.settings.game
    staked = msgspec.convert({name: line[name] for name in Staked.__struct_fields__ if name in line}, Staked)
    if staked.chip <= 0:
        raise BadLineError(f"chip: {staked.chip} is not a chip's value")
    if staked.differential is not None and (book.id, game) != ("crown-baccarat", "traditional"):
        raise BadLineError(f"differential: only Traditional Baccarat at Crown has one (6.5), not {game} of {book.id}")
    found = {}
    for name, stake in staked.stakes.items():
        if name not in settled:
            raise BadLineError(f"stakes.{name}: game {game} of {book.id} has no such wager")
        if stake <= 0:
            raise BadLineError(f"stakes.{name}: {stake} is not a stake")
        found[name] = _payment(table, staked, name, stake, settled[name])
    return found


def _payment(table: Table, staked: Staked, name: str, stake: Cents, settled: Settled) -> dict[str, Cents]:
    if settled.result == "not_offered":
        return {"net": 0, "void": stake}
    valid = money.valid_stake(table.book, stake, table.win_odds(name), staked.chip)
    return {"net": _net(table.book, staked, name, valid, settled), "void": stake - valid}


def _net(book: Rulebook, staked: Staked, name: str, stake: Cents, settled: Settled) -> Cents:
    if settled.odds <= 0 or not stake:
        return ceil(settled.odds * stake)
    odds = settled.odds
    if staked.differential is not None and name in ("player", "banker"):
        odds = money.traditional_win(stake, staked.differential, odds) / stake
    return money.pay(book, stake, odds, staked.chip)

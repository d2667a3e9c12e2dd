"""Triggers: the outcome of a jackpot's trigger that the cards of a finished coup give."""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from sabot_protocol import rulebooks
from sabot_protocol.jackpots.parameters import LuckyTie, Outcome, Parameters, Part
from sabot_protocol.topics import WAGERED, CoupKind, Winner
from sabot_protocol.wagers import lucky_tie
from sabot_protocol.wagers.facts import coup_facts
from sabot_protocol.wagers.table import Settings, Table


class TriggerOutcome(NamedTuple):
    """An outcome of a trigger, and the per cent of the rounded meter that it pays."""

    outcome: str
    percent: Part


def recognise(
    parameters: Parameters, kind: CoupKind, player: Sequence[str], banker: Sequence[str], winner: Winner | None
) -> TriggerOutcome | None:
    """Return what a finished coup triggers; None without wagers, for a void coup, and for a random jackpot."""
    if kind not in WAGERED or not _whole(player) or not _whole(banker):
        return None
    match parameters.trigger:
        case LuckyTie() as trigger:
            return _lucky_tie(parameters.rulebook, trigger, player, banker) if winner == "tie" else None
        case Outcome() as trigger:
            return _outcome(parameters, trigger, player, banker)
        case _:
            return None


def _whole(hand: Sequence[str]) -> bool:
    return 2 <= len(hand) <= 3


def _lucky_tie(book: str, trigger: LuckyTie, player: Sequence[str], banker: Sequence[str]) -> TriggerOutcome | None:
    rules = rulebooks.load(book).jackpot.get("lucky_tie")
    found = lucky_tie.outcomes(rules, player, banker).get(trigger.option) if rules else None
    return _paid(trigger.percent, str(found["outcome"])) if found else None


def _outcome(
    parameters: Parameters, trigger: Outcome, player: Sequence[str], banker: Sequence[str]
) -> TriggerOutcome | None:
    table = table_of(parameters)
    settled = table.wagers[trigger.wager].settle(coup_facts(player, banker))
    return _paid(trigger.percent, settled.outcome) if settled.result == "win" else None


def _paid(percent: dict[str, Part], outcome: str) -> TriggerOutcome | None:
    return TriggerOutcome(outcome, percent[outcome]) if outcome in percent else None


def table_of(parameters: Parameters) -> Table:
    """Return the wagers and prices of the game that the parameters name; RulebookError if there is no such game."""
    return _table(parameters.rulebook, parameters.game, tuple(sorted(parameters.options.items())))


@cache
def _table(rulebook: str, game: str | None, options: tuple[tuple[str, str], ...]) -> Table:
    book = rulebooks.load(rulebook)
    chosen = dict(options) if game is None else {"game": game, **dict(options)}
    return Table(book, Settings.of(book, chosen))

"""Sign: what players must be able to read at a table about a jackpot, made from its parameters (D-59, D-60)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from sabot_protocol.jackpots.currency import written
from sabot_protocol.jackpots.parameters import LuckyTie, Outcome, Parameters, Part, Random, share

# The outcomes of a Lucky Tie as table 20 describes them.
_EIGHTS: Final = {
    "suited": "Suited Lucky Tie: all four eights of the same suit",
    "non_suited": "Non-Suited Lucky Tie: the four eights not of the same suit",
    "coloured": "Coloured Lucky Tie: all four eights of the same colour, but not of the same suit",
    "non_coloured": "Non-Coloured Lucky Tie: the four eights not of the same colour",
    "lucky_tie": "Lucky Tie: four eights of any suits",
}
_DRAWN: Final = {"table": "a table", "seat": "a seat", "location": "a wagering location"}


def sign(parameters: Parameters) -> str:
    """Return the text of the table sign, a sentence or two for each line."""
    return "\n".join(
        [
            parameters.title,
            "",
            *_contribution(parameters),
            *_meter(parameters),
            "",
            *_winning(parameters),
            *_payout(parameters),
            *([parameters.sign] if parameters.sign else []),
            "",
            _version(parameters),
        ]
    )


def wager_title(wager: str) -> str:
    """Return a wager's id as players read it: perfect_pair_player is Perfect Pair Player."""
    return wager.replace("_", " ").title()


def _contribution(parameters: Parameters) -> Iterator[str]:
    """Yield method and amount of the contribution (18.5)."""
    moment = "after the call of no more bets" if parameters.activation == "no_more_bets" else "at the end of each coup"
    if parameters.funding != "wager":
        amount = written(parameters.increment, parameters.currency)
        yield f"The casino contributes {amount} for each completed coup at each participating table."
    if parameters.funding != "operator":
        for wager, percent in parameters.wager_increment.items():
            yield f"{percent} of each wager on {wager_title(wager)} is contributed, {moment}."
    if parameters.funding != "wager":
        yield f"Coups without wagers {'count' if parameters.unwagered else 'do not count'}."
    yield "Void coups do not count."
    if share(parameters.reserve):
        yield f"{parameters.reserve} of each contribution is not shown: it is kept for the jackpot after this one."
    yield f"Participating tables: {', '.join(parameters.tables)}."


def _meter(parameters: Parameters) -> Iterator[str]:
    percent = parameters.trigger.percent
    if 100 in (percent.values() if isinstance(percent, dict) else [percent]):
        reset = written(parameters.reset_value, parameters.currency)
        yield f"After a win of 100% the jackpot starts again at {reset}."
    if parameters.limit is not None:
        yield f"The jackpot grows to {written(parameters.limit, parameters.currency)} at most."


def _winning(parameters: Parameters) -> Iterator[str]:
    """Yield the hands that win (18.6), and the part of the jackpot for each (13.4.3)."""
    match parameters.trigger:
        case LuckyTie(percent=percent):
            yield "The jackpot is won by a Tie in which the first two cards of Player and of Banker are all eights."
            yield from (f"- {_EIGHTS[outcome]}: {part}% of the rounded jackpot." for outcome, part in _by_part(percent))
        case Outcome(wager=wager, percent=percent):
            yield f"The jackpot is won by these outcomes of {wager_title(wager)}:"
            yield from (
                f"- {wager_title(outcome)}: {part}% of the rounded jackpot." for outcome, part in _by_part(percent)
            )
        case Random(draws=draws, percent=part):
            chosen = _listed([_DRAWN[one] for one in draws])
            yield f"A random draw chooses {chosen}. No cards are needed to win."
            yield f"The draw pays {part}% of the rounded jackpot."


def _by_part(percent: dict[str, Part]) -> Iterable[tuple[str, Part]]:
    return sorted(percent.items(), key=lambda one: -share(one[1]))


def _payout(parameters: Parameters) -> Iterator[str]:
    """Yield who is paid, how much and how it is divided (18.15 to 18.18, 13.4.6 to 13.4.8)."""
    rounding = written(parameters.rounding, parameters.currency)
    yield f"The displayed jackpot is rounded up to a multiple of {rounding}; the percentage is taken of that."
    if parameters.qualifying:
        names = _listed([wager_title(wager) for wager in parameters.qualifying])
        yield f"Only valid wagers on {names} in the winning coup at the winning table are paid."
    if parameters.division == "equal":
        yield "If several wagers win, each of them is paid the same part."
    else:
        yield "If several wagers win, they are paid in proportion to their amounts."
    yield "Every win is confirmed by the casino before it is paid, in chips, cash or cash equivalent."


def _listed(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _version(parameters: Parameters) -> str:
    since = f", in force from {parameters.in_force}" if parameters.in_force else ""
    return f"Version {parameters.version}{since}."

"""Sign: what players must be able to read at a table about a jackpot, made from its parameters (D-59, D-60)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

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


class Line(NamedTuple):
    """A line of the sign; `names` are the tables, wagers, outcomes or draws that stand in it."""

    say: str
    names: tuple[str, ...] = ()


def sign(parameters: Parameters) -> str:
    """Return the text of the table sign, a sentence or two for each line."""
    return "\n\n".join([parameters.title, *("\n".join(line.say for line in part) for part in _parts(parameters))])


def lines(parameters: Parameters) -> tuple[Line, ...]:
    """Return the lines of the table sign below its title."""
    return tuple(line for part in _parts(parameters) for line in part)


def _parts(parameters: Parameters) -> Iterator[list[Line]]:
    """Yield what is contributed, who wins what, and the version."""
    yield [*_contribution(parameters), *_meter(parameters)]
    own = [Line(text) for text in parameters.sign.split("\n") if text] if parameters.sign else []
    yield [*_winning(parameters), *_payout(parameters), *own]
    yield [Line(_version(parameters))]


def wager_title(wager: str) -> str:
    """Return a wager's id as players read it: perfect_pair_player is Perfect Pair Player."""
    return wager.replace("_", " ").title()


def _contribution(parameters: Parameters) -> Iterator[Line]:
    """Yield method and amount of the contribution (18.5)."""
    moment = "after the call of no more bets" if parameters.activation == "no_more_bets" else "at the end of each coup"
    if parameters.funding != "wager":
        amount = written(parameters.increment, parameters.currency)
        yield Line(f"The casino contributes {amount} for each completed coup at each participating table.")
    if parameters.funding != "operator":
        for wager, percent in parameters.wager_increment.items():
            title = wager_title(wager)
            yield Line(f"{percent} of each wager on {title} is contributed, {moment}.", (title,))
    if parameters.funding != "wager":
        yield Line(f"Coups without wagers {'count' if parameters.unwagered else 'do not count'}.")
    yield Line("Void coups do not count.")
    if share(parameters.reserve):
        kept = "of each contribution is not shown: it is kept for the jackpot after this one"
        yield Line(f"{parameters.reserve} {kept}.")
    yield Line(f"Participating tables: {', '.join(parameters.tables)}.", tuple(parameters.tables))


def _meter(parameters: Parameters) -> Iterator[Line]:
    percent = parameters.trigger.percent
    if 100 in (percent.values() if isinstance(percent, dict) else [percent]):
        reset = written(parameters.reset_value, parameters.currency)
        yield Line(f"After a win of 100% the jackpot starts again at {reset}.")
    if parameters.limit is not None:
        yield Line(f"The jackpot grows to {written(parameters.limit, parameters.currency)} at most.")


def _winning(parameters: Parameters) -> Iterator[Line]:
    """Yield the hands that win (18.6), and the part of the jackpot for each (13.4.3)."""
    match parameters.trigger:
        case LuckyTie(percent=percent):
            eights = "the first two cards of Player and of Banker are all eights"
            yield Line(f"The jackpot is won by a Tie in which {eights}.")
            titles = ((_EIGHTS[outcome], part) for outcome, part in _by_part(percent))
            yield from (Line(f"- {title}: {part}% of the rounded jackpot.") for title, part in titles)
        case Outcome(wager=wager, percent=percent):
            yield Line(f"The jackpot is won by these outcomes of {wager_title(wager)}:", (wager_title(wager),))
            titles = ((wager_title(outcome), part) for outcome, part in _by_part(percent))
            yield from (Line(f"- {title}: {part}% of the rounded jackpot.", (title,)) for title, part in titles)
        case Random(draws=draws, percent=part):
            chosen = tuple(_DRAWN[one] for one in draws)
            yield Line(f"A random draw chooses {_listed(chosen)}. No cards are needed to win.", chosen)
            yield Line(f"The draw pays {part}% of the rounded jackpot.")


def _by_part(percent: dict[str, Part]) -> Iterable[tuple[str, Part]]:
    return sorted(percent.items(), key=lambda one: -share(one[1]))


def _payout(parameters: Parameters) -> Iterator[Line]:
    """Yield who is paid, how much and how it is divided (18.15 to 18.18, 13.4.6 to 13.4.8)."""
    rounding = written(parameters.rounding, parameters.currency)
    yield Line(f"The displayed jackpot is rounded up to a multiple of {rounding}; the percentage is taken of that.")
    if parameters.qualifying:
        names = tuple(map(wager_title, parameters.qualifying))
        yield Line(f"Only valid wagers on {_listed(names)} in the winning coup at the winning table are paid.", names)
    if parameters.division == "equal":
        yield Line("If several wagers win, each of them is paid the same part.")
    else:
        yield Line("If several wagers win, they are paid in proportion to their amounts.")
    yield Line("Every win is confirmed by the casino before it is paid, in chips, cash or cash equivalent.")


def _listed(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _version(parameters: Parameters) -> str:
    since = f", in force from {parameters.in_force}" if parameters.in_force else ""
    return f"Version {parameters.version}{since}."

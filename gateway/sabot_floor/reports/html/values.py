"""Values as people write them: times by the clock on the wall, durations, cards, hands, money, people."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from sabot_protocol.jackpots import currency
from sabot_protocol.topics import Winner

from sabot_floor.gaming_day import Calendar
from sabot_floor.reports.html.markup import NOTHING, Markup, element, joined, note, stack, text, words
from sabot_floor.reports.wording import facts_text

_SUITS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
_RANKS = "A23456789TJQK"


def moment(at: str, calendar: Calendar) -> Markup:
    """Return a time by the clock on the wall; a text that is no time as it is."""
    try:
        local = calendar.local(at)
    except (ValueError, OverflowError):
        return text(at)
    return element("time", *_day_and_time(local), datetime=at) if local else NOTHING


def _day_and_time(local: str) -> list[Markup]:
    """Return day and time apart, so that a narrow column breaks between them only."""
    day, time = local.split(" ")
    return [element("span", text(day), class_="whole"), Markup(" "), element("span", text(time), class_="whole")]


def whole(value: str) -> Markup:
    """Return a name that is not broken at its hyphens."""
    return element("span", text(value), class_="whole") if value else NOTHING


def duration(seconds: float | None) -> Markup:
    """Return seconds as people write them: 4.2 s, 3 min 20 s, 5 h 07 min."""
    if seconds is None:
        return NOTHING
    if seconds < 60:
        return text(f"{seconds:.1f} s".replace(".0 s", " s"))
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes_over = divmod(minutes, 60)
    return text(f"{hours} h {minutes_over:02} min" if hours else f"{minutes} min {rest:02} s")


def hours(seconds: float) -> Markup:
    """Return seconds as hours, for a narrow column."""
    return text(f"{seconds / 3600:,.1f}")


def card(code: str) -> Markup:
    """Return `TD` as 10♦, red suits in red; a text that is no card as it is."""
    if len(code) != 2 or code[0] not in _RANKS or code[1] not in _SUITS:
        return text(code)
    shown = text(code[0].replace("T", "10") + _SUITS[code[1]])
    return element("span", shown, class_="card red" if code[1] in "HD" else "card")


def cards(codes: Iterable[str]) -> Markup:
    """Return cards in a row."""
    return joined(map(card, codes), " ")


def hand(codes: Iterable[str], points: int, counts: bool) -> Markup:
    """Return the cards of a hand and, if it counts, its points."""
    dealt = cards(codes)
    if not dealt:
        return NOTHING
    score = element("small", text("1 point" if points == 1 else f"{points} points"), class_="whole")
    return joined([element("span", dealt, class_="whole"), score if counts else NOTHING], " ")


def result(winner: Winner | None) -> Markup:
    """Return the winner with its colour; a coup without one has no result."""
    return element("span", text(winner.capitalize()), class_=f"result {winner}") if winner else text("no result")


def money(minor: int | None, code: str) -> Markup:
    """Return an amount in minor units with its currency, if that is known."""
    if minor is None:
        return NOTHING
    amount = currency.number(minor, code)
    return element("span", text(f"{code} {amount}" if code else amount), class_="whole")


def parts(shares: Sequence[str], stakes: Sequence[str], code: str) -> Markup:
    """Return each part of a prize with its stake, in lines."""
    lines = [f"{_minor(share, code)} of {_minor(stake, code)}" for share, stake in zip(shares, stakes, strict=False)]
    rest = [_minor(one, code) for one in (*shares[len(stakes) :], *stakes[len(shares) :])]
    return stack(*map(text, [*lines, *rest]))


def _minor(amount: str, code: str) -> str:
    return currency.number(int(amount), code) if amount.isdecimal() else amount


def number(value: int | None) -> Markup:
    """Return a count with a comma for thousands."""
    return NOTHING if value is None else text(f"{value:,}")


def yes(value: bool | None) -> Markup:
    """Return yes, no, or nothing if it is unknown."""
    return NOTHING if value is None else text("yes" if value else "no")


def person(name: str, role: str, before: Literal["", "asked by"] = "") -> Markup:
    """Return a person with the role below."""
    shown = text(f"{before} {name}") if name else NOTHING
    return stack(shown, note(words(role)))


def where(row: Any) -> Markup:
    """Return table, shoe and coup of a row."""
    coup = f", coup {row.coup}" if getattr(row, "coup", 0) else ""
    play = element("span", text(f"shoe {row.shoe}{coup}"), class_="whole") if row.shoe else NOTHING
    return stack(whole(row.table), note(play))


def facts(document: str) -> Markup:
    """Return the members of a JSON object in words; any other text as it is."""
    return text(facts_text(document))

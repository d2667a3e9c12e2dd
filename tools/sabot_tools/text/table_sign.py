"""Text of a table sign: what `sabot sign show` prints."""

from collections.abc import Iterator
from typing import Any

_MORE = {
    "area_maximum": "Maximum of a playing area",
    "differential": "Table differential",
    "aggregate_minimum": "Minimum of all wagers of a player",
    "aggregate_maximum": "Maximum of all wagers of a player",
}
_PER = {"player": "for each player", "area": "for each playing area", "bet_type": "for each type of wager"}


def lines(sign: dict[str, Any]) -> Iterator[str]:
    """Yield the sign line by line, as JSON has it."""
    yield f"{sign['table']}: {sign.get('game') or 'game not known'}{_area(sign)}"
    yield from _limits(sign)
    yield from _announced(sign)
    for wager in sign.get("wagers", ()):
        yield from _wager(wager)
    yield from (f"! {notice['say']}{_clause(notice)}" for notice in sign.get("notices", ()))
    for jackpot in sign.get("jackpots", ()):
        yield from (f"Jackpot {jackpot['title']}", *(f"  {line}" for line in jackpot["lines"]))
    yield from (f"problem: {problem}" for problem in sign.get("problems", ()))


def _area(sign: dict[str, Any]) -> str:
    return f", {sign['area']}" if sign.get("area") else ""


def _clause(notice: dict[str, Any]) -> str:
    return f" ({notice['clause']})" if notice.get("clause") else ""


def _limits(sign: dict[str, Any]) -> Iterator[str]:
    found = sign.get("limits")
    if found:
        yield f"Minimum {found['minimum']}, maximum {found['maximum']} {sign['currency']}, {_PER[sign['per']]}"
    if old := sign.get("old"):
        yield f"Players who were here before: minimum {old['minimum']}, maximum {old['maximum']}"
    for key, amount in sign.get("more", {}).items():
        yield f"{_MORE[key]}: {amount}"
    for one in sign.get("personal", ()):
        yield f"Place {one['place']}: minimum {one['minimum']}, maximum {one['maximum']}"


def _announced(sign: dict[str, Any]) -> Iterator[str]:
    if coming := sign.get("coming"):
        yield f"From {coming['at']}: minimum {coming['minimum']}, maximum {coming['maximum']}"
    if sign.get("next_game"):
        yield f"From {sign['next_game_at']}: {sign['next_game']}"
    closure = sign.get("closure")
    if closure and closure["closed"]:
        yield "This table is closed"
    elif closure:
        when = f"at {closure['at']}" if closure["at"] else f"after {closure['coups']} coups"
        yield f"This table closes {when}"


def _wager(wager: dict[str, Any]) -> Iterator[str]:
    limits = f" {wager['minimum']} to {wager['maximum']}" if wager["minimum"] else ""
    payout = f", pays at most {wager['payout']}" if wager["payout"] else ""
    yield f"{wager['title']}:{limits}{payout}"
    yield from (f"  {pays['odds']}: {pays['when']}" if pays["when"] else f"  {pays['odds']}" for pays in wager["pays"])
    if wager["note"]:
        yield f"  {wager['note']}"

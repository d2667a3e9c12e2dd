"""A jackpot as text: its meters, open wins, missed coups, and the newest closed wins."""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import UNSET
from sabot_protocol.jackpots.currency import written
from sabot_protocol.jackpots.messages import MeterMessage, Win

from sabot_tools.text.jackpots import hand, meter, meters, prize

_MOST_CLOSED = 5


def show_lines(data: dict[str, Any]) -> list[str]:
    """Return the lines about one jackpot."""
    message = msgspec.convert(data["meter"], MeterMessage)
    currency = message.currency
    lines = [
        f"{message.title} ({message.jackpot}): {meter(message, None)}",
        f"  {meters(message)}",
        f"  entry {message.entry}, {message.time}; parameters {message.parameters}, version {message.version}"
        + (f"; {message.waiting} wait until it is won in full" if message.waiting else ""),
        *(f"  not offered at {table}: {reason}" for table, reason in message.not_offered.items()),
        *(
            f"  {table} can be drawn, but {why}: withdraw it if nobody plays there"
            for table, why in data.get("doubtful", {}).items()
        ),
        *(f"  next draw is committed to {message.commitment}" for _ in [1] if message.commitment),
        *(f"  problem: {message.problem}" for _ in [1] if message.problem),
    ]
    lines += _wins("open", [msgspec.convert(win, Win) for win in data["open"]], currency)
    differences = [msgspec.convert(win, Win) for win in data.get("differences", ())]
    lines += _wins("difference", differences, currency)
    closed = [msgspec.convert(win, Win) for win in data["closed"]][-_MOST_CLOSED:]
    shown = {win.win for win in differences}
    lines += _wins("closed", [win for win in closed if win.win not in shown], currency)
    return [*lines, *(_missed(one, currency) for one in data["missed"])]


def _wins(title: str, wins: list[Win], currency: str) -> list[str]:
    return [line for win in wins for line in _win(title, win, currency)]


def _win(title: str, win: Win, currency: str) -> Iterator[str]:
    yield f"  {title}: {win.win}: {hand(win)}: {win.state}" + (f", {prize(win, currency)}" if win.rounded else "")
    if win.undecided:
        yield f"    order not decided against {', '.join(win.undecided)}: sabot jackpot order"
    if win.due is not UNSET:
        settled = "" if win.settled is UNSET else f", {written(win.settled, currency)} as settled"
        yield f"    {written(win.due, currency)} were due, {written(win.prize, currency)} were paid{settled}"
    if title == "difference":
        yield "    not settled: sabot jackpot settle, by a person who had no part in the pay-out"


def _missed(missed: dict[str, Any], currency: str) -> str:
    coup = f" coup {missed['shoe']}/{missed['coup']}" if missed["coup"] else ""
    return (
        f"  missed: {missed['id']}: {missed['table']}{coup}, {written(missed['amount'], currency)}: {missed['reason']}"
    )

"""Jackpots as text: amounts, the meter after a coup, and each step of a win; one short line each."""

from sabot_protocol.jackpots.messages import MeterMessage, Win
from sabot_protocol.service.plain_text import printable

_MINOR = 100  # of the currencies that the rulebooks use


def amount(minor: int) -> str:
    """Return 1000025 as 10,000.25."""
    whole, rest = divmod(abs(minor), _MINOR)
    return f"{'-' if minor < 0 else ''}{whole:,}.{rest:02}"


def meter(message: MeterMessage, before: int | None) -> str:
    """Return the meter and its change since `before`: AUD 10,000.25 (+0.25)."""
    display = message.meters.display
    change = "" if before is None or before == display else f" ({'+' * (display > before)}{amount(display - before)})"
    return f"{printable(message.currency)} {amount(display)}{change}{_trouble(message)}"


def meters(message: MeterMessage) -> str:
    """Return the meters as a sum that balances or not; overflow and reserve only where there is some."""
    found = message.meters
    rest = {"overflow": found.overflow, "reserve": found.reserve}
    parts = {"display": found.display, "wins": found.wins} | {name: value for name, value in rest.items() if value}
    right = " + ".join(f"{name} {amount(value)}" for name, value in parts.items())
    verdict = "balanced" if message.balanced else "NOT BALANCED"
    return f"base {amount(found.base)} + in {amount(found.in_)} = {right}: {verdict}, hits {found.hits}"


def _trouble(message: MeterMessage) -> str:
    tables = ", ".join(message.not_offered)
    return (" NOT BALANCED" if not message.balanced else "") + (
        f", not offered at {printable(tables)}" if tables else ""
    )


def hand(win: Win) -> str:
    """Return where a win was dealt, and its outcome: bac-01 shoe 1 coup 2, suited."""
    coup = f" shoe {win.shoe} coup {win.coup}" if win.coup else ""
    seat = f" seat {win.seat}" if win.seat else ""
    return printable(f"{win.table}{coup}{seat}, {win.outcome.replace('_', ' ')}")


def prize(win: Win) -> str:
    """Return how the prize follows from the meter: value, rounded value, per cent, prize and shares."""
    shares = " + ".join(amount(share) for share in win.shares)
    return (
        f"value {amount(win.value)}, rounded up {amount(win.rounded)}, {win.percent} % = prize {amount(win.prize)}"
        f"{f' = {shares}' if shares else ''}"
    )

"""Jackpots as text: the meter after a coup, the meters as a sum, and each step of a win; one short line each."""

from sabot_protocol.inputs.plain_text import printable
from sabot_protocol.jackpots.currency import number, written
from sabot_protocol.jackpots.messages import MeterMessage, Win


def meter(message: MeterMessage, before: int | None) -> str:
    """Return the meter and its change since `before`: AUD 10,000.25 (+0.25)."""
    display = message.meters.display
    change = 0 if before is None else display - before
    changed = f" ({'+' * (change > 0)}{number(change, message.currency)})" if change else ""
    return printable(f"{written(display, message.currency)}{changed}{_trouble(message)}")


def _trouble(message: MeterMessage) -> str:
    unbalanced = "" if message.balanced else " NOT BALANCED"
    return unbalanced + (f", not offered at {', '.join(message.not_offered)}" if message.not_offered else "")


def meters(message: MeterMessage) -> str:
    """Return the meters as a sum that balances or not; overflow and reserve only where there is some."""
    found, currency = message.meters, message.currency
    rest = {"overflow": found.overflow, "reserve": found.reserve}
    parts = {"display": found.display, "wins": found.wins} | {name: value for name, value in rest.items() if value}
    left, right = (
        " + ".join(f"{name} {number(value, currency)}" for name, value in side.items())
        for side in ({"base": found.base, "in": found.in_}, parts)
    )
    verdict = "balanced" if message.balanced else "NOT BALANCED"
    return printable(f"{left} = {right}: {verdict}, hits {found.hits}")


def hand(win: Win) -> str:
    """Return where a win was dealt or drawn, and its outcome: bac-01 shoe 1 coup 2, suited."""
    coup = f"shoe {win.shoe} coup {win.coup}" if win.coup else ""
    place = " ".join(filter(None, [win.table, coup, win.seat]))
    return printable(f"{place}, {win.outcome.replace('_', ' ')}")


def prize(win: Win, currency: str) -> str:
    """Return how the prize follows from the meter: value, rounded value, per cent, prize."""
    value, rounded, amount = (number(one, currency) for one in (win.value, win.rounded, win.prize))
    return f"value {value}, rounded up {rounded}, {win.percent} %: prize {amount}"


def shares(win: Win, currency: str) -> str:
    """Return the parts of the prize, in the order of the wagers: 2,500.25 + 7,500.75."""
    return " + ".join(number(share, currency) for share in win.shares) or "none"

"""People as text: one line for each."""

from typing import Any


def line(person: dict[str, Any]) -> str:
    """Return a person as a line: id, name, roles, how to log in, and what keeps from it."""
    roles = ", ".join(f"{role} ({rulebook})" for rulebook, role in person["roles"].items()) or "no role"
    means = " and ".join(what for what in ("pin", "badge") if person[what]) or "no pin, no badge"
    return "; ".join(filter(None, [f"{person['person']}  {person['name']}: {roles}", means, _kept(person)]))


def _kept(person: dict[str, Any]) -> str:
    if person["disabled"]:
        return "DISABLED"
    return f"LOCKED OUT until {person['locked_until']}" if person["locked_until"] else ""

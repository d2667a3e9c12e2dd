"""People as text: one line for each, and one for each entry of their log."""

from typing import Any


def line(person: dict[str, Any]) -> str:
    """Return a person as a line: id, name, roles, how to log in, and what keeps from it."""
    roles = ", ".join(f"{role} ({rulebook})" for rulebook, role in person["roles"].items()) or "no role"
    means = " and ".join(what for what in ("pin", "badge") if person[what]) or "no pin, no badge"
    return "; ".join(filter(None, [f"{person['person']}  {person['name']}: {roles}", means, _kept(person)]))


def _kept(person: dict[str, Any]) -> str:
    if person["disabled"]:
        return "DISABLED"
    if person["locked_until"]:
        return f"LOCKED OUT until {person['locked_until']} at {', '.join(person['locked_at'])}"
    return "PIN to be changed" if person.get("initial") else ""


_HASHES = ("hash", "badge", "commitment")


def without_hashes(message: dict[str, Any]) -> dict[str, Any]:
    """Return an entry of the log without what its secrets were hashed to; whether a badge was given stays."""
    kept = {name: value for name, value in message.items() if name not in _HASHES}
    return {**kept, "given": bool(message["badge"])} if "badge" in message else kept


def log_line(number: int, message: dict[str, Any]) -> str:
    """Return an entry of the log as a line: number, time, what happened, and the account that asked."""
    by = f", account {message['by']}" if message.get("by") else ""
    return f"{number} {message.get('time', '')} {_happened(message)}{by}"


def _happened(message: dict[str, Any]) -> str:
    who = message.get("person") or "nobody"
    match message.get("kind"):
        case "opened":
            return "log opened"
        case "added":
            return f"{who} added: {message.get('name', '')}"
        case "role":
            return f"{who}: {message.get('role') or 'no role'} in {message.get('rulebook', '')}"
        case "badge":
            return f"{who}: {'new badge' if message.get('given') else 'badge taken away'}"
        case "secret":
            return f"{who}: new PIN or password"
        case "changed":
            return f"{who} changed the own PIN or password"
        case "unknown":
            return f"nobody has the id {message.get('given', '')}: log-in failed for {message.get('act', '')}"
        case "login":
            return f"{who} logged in with {message.get('means', '')} for {message.get('act', '')}"
        case "failed":
            return f"{who}: log-in failed for {message.get('act', '')}"
        case "locked":
            return f"{who} locked out until {message.get('until', '')}"
        case kind:
            return f"{who} {kind}"

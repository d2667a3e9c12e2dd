"""Rows of the projection as tests need them: each with what a test gives, and plain values for the rest."""

from typing import Any

from sabot_floor.store import rows

GATEWAY = "0123456789abcdef"


def time(minute: int) -> str:
    """The time of a minute of a day in March."""
    return f"2026-03-01T{minute // 60:02}:{minute % 60:02}:00.000Z"


def _made(kind: Any, entry: int, fields: dict[str, Any]) -> Any:
    plain = {name: 0 if of is int else "" for name, of in kind.__annotations__.items()}
    common = {"gateway": GATEWAY, "entry": entry, "time": time(entry), "id": f"u1-{entry}", "table": "t1", "unit": "u1"}
    known = {name: value for name, value in (plain | common | {"shoe": 1} | fields).items() if name in plain}
    return kind(**known)


def coup(entry: int, **fields: Any) -> rows.Coup:
    """A coup message of this entry; its time is the minute of that number."""
    result: rows.Coup = _made(rows.Coup, entry, {"coup": entry, "player": "8HTD", "banker": "4C2S", **fields})
    return result


def confirmed(entry: int, coup_id: str, **fields: Any) -> rows.Confirmed:
    """The confirmation of a coup message."""
    result: rows.Confirmed = _made(rows.Confirmed, entry, {"coup_id": coup_id, "status": "confirmed", **fields})
    return result


def alarm(entry: int, alarm_id: str, state: str, **fields: Any) -> rows.AlarmChange:
    """A message on `alarm`."""
    result: rows.AlarmChange = _made(rows.AlarmChange, entry, {"alarm": alarm_id, "state": state, **fields})
    return result


def shoe(entry: int, state: str, **fields: Any) -> rows.ShoeChange:
    """A message on `shoe`."""
    result: rows.ShoeChange = _made(rows.ShoeChange, entry, {"state": state, **fields})
    return result


def card(entry: int, **fields: Any) -> rows.Card:
    """A burnt card."""
    result: rows.Card = _made(rows.Card, entry, {"slot": "burn", "card": "2S", **fields})
    return result


def attempt(entry: int, **fields: Any) -> rows.Attempt:
    """A request of a person."""
    result: rows.Attempt = _made(rows.Attempt, entry, {"verb": "void", "by": "A. Smith", "args": "{}", **fields})
    return result


def outcome(entry: int, attempt_id: str, **fields: Any) -> rows.Outcome:
    """The answer to a request."""
    result: rows.Outcome = _made(rows.Outcome, entry, {"attempt": attempt_id, "ok": 1, **fields})
    return result


def incident(entry: int, own_id: str, opened: str, **fields: Any) -> rows.Incident:
    """The state of an incident."""
    given = {"incident": own_id, "opened": opened, "state": "open", "facts": "{}", "steps": "[]", **fields}
    result: rows.Incident = _made(rows.Incident, entry, given)
    return result


def health(entry: int, sensor: str, **fields: Any) -> rows.Health:
    """What a sensor saw over a shoe."""
    result: rows.Health = _made(rows.Health, entry, {"sensor": sensor, "reads": 300, "margin_mean_pct": 80, **fields})
    return result


def increment(entry: int, half_hour: str, counted: int, total: int, **fields: Any) -> rows.Increment:
    """Count and total of a table after a half hour."""
    given = {"jackpot": "grand", "half_hour": half_hour, "counted": counted, "total": total, "currency": "AUD"}
    result: rows.Increment = _made(rows.Increment, entry, {**given, **fields})
    return result

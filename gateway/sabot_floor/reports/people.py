"""People: the requests of a time by table and id, and which one stands behind a coup, a card or a check."""

from bisect import bisect_right
from collections import defaultdict
from datetime import datetime
from typing import Any

import msgspec

from sabot_floor.projection.reading import Decision
from sabot_floor.reports.people_rows import DecisionRow
from sabot_floor.reports.source import Source
from sabot_floor.store.rows import Confirmed, Coup


def seconds(start: str, end: str) -> float | None:
    """Return the seconds from one time to another; None if one of them is not known."""
    try:
        return round((datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds(), 3)
    except (ValueError, TypeError):
        return None


def args_of(args: str) -> dict[str, Any]:
    """Return the arguments of a request; empty if they cannot be read."""
    try:
        found = msgspec.json.decode(args or "{}")
    except (msgspec.DecodeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


class People:
    """The requests of a time, and any other by its id."""

    def __init__(self, source: Source, decisions: list[Decision]) -> None:
        self._source = source
        self._by_id: dict[tuple[str, str], Decision | None] = {
            (one.attempt.table, one.attempt.id): one for one in decisions
        }
        self._by_table: dict[str, list[Decision]] = defaultdict(list)
        for one in decisions:
            self._by_table[one.attempt.table].append(one)

    def of(self, message: Coup | Confirmed) -> Decision | None:
        """Return the request behind a message, at its own table; None if there is none in the store."""
        key = message.table, message.attempt
        if message.attempt and key not in self._by_id:
            self._by_id[key] = self._source.reading.attempt(message.attempt, message.table)
        return self._by_id.get(key)

    def role(self, message: Coup | Confirmed) -> str:
        """Return the role of the person who requested a message; empty if it is not known."""
        found = self.of(message)
        return found.attempt.role if found else ""

    def newest(self, table: str, verbs: tuple[str, ...], after: str, until: str, **args: Any) -> Decision | None:
        """Return the newest request of these verbs and arguments in a time that was carried out."""
        listed = self._by_table.get(table, [])
        at = bisect_right(listed, until, key=lambda one: one.attempt.time)
        for one in reversed(listed[:at]):
            if one.attempt.time < after:
                break
            if one.attempt.verb in verbs and one.outcome and one.outcome.ok and _has(one, args):
                return one
        return None

    def between(self, begin: str, end: str) -> list[Decision]:
        """Return the requests of a time, in its order."""
        found = (one for listed in self._by_table.values() for one in listed if begin <= one.attempt.time < end)
        return sorted(found, key=lambda one: one.attempt.time)

    def all(self) -> list[Decision]:
        """Return all requests that are known."""
        return [one for one in self._by_id.values() if one is not None]

    def all_of(self, verb: str) -> list[Decision]:
        """Return all requests of a verb, in the order of time."""
        found = (one for listed in self._by_table.values() for one in listed if one.attempt.verb == verb)
        return sorted(found, key=lambda one: one.attempt.time)


def _has(decision: Decision, args: dict[str, Any]) -> bool:
    given = args_of(decision.attempt.args) if args else {}
    return all(given.get(name) == value for name, value in args.items())


def decision_row(decision: Decision) -> DecisionRow:
    """Return the row of a request."""
    attempt, outcome, args = decision.attempt, decision.outcome, args_of(decision.attempt.args)
    coup = args.pop("coup", "")
    return DecisionRow(
        time=attempt.time,
        table=attempt.table,
        verb=attempt.verb,
        act=attempt.act,
        by=attempt.by,
        role=attempt.role,
        asks=attempt.asks,
        asks_role=attempt.asks_role,
        origin="floor" if attempt.origin == "floor" else "local",
        user=attempt.user,
        clause=attempt.clause,
        coup=str(coup or ""),
        args=msgspec.json.encode(args, order="sorted").decode() if args else "",
        ok=bool(outcome.ok) if outcome else None,
        answered=outcome.time if outcome else "",
        say=outcome.say if outcome else "",
        attempt=attempt.id,
    )

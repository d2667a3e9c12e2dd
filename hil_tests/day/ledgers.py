"""Ledgers: what the gateways have stored of a day, as lines; the message that corrects another replaces it."""

from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
from sabot_gateway.ledger import Reader

from day.compare import Line

Stored = tuple[str, str, dict[str, Any]]  # table, topic, payload


def entries(paths: Iterable[Path]) -> list[Stored]:
    """Return every entry of these ledgers that has a payload of its own."""
    found = []
    for path in paths:
        with closing(Reader(path)) as ledger:
            found += [(one.table, one.topic, msgspec.json.decode(one.payload)) for one in ledger.entries() if one.topic]
    return found


def shoes(stored: list[Stored]) -> list[Line]:
    """Return a line for each shoe."""
    found: dict[tuple[str, int], Line] = {}
    for table, _, one in _on(stored, "shoe"):
        line = found.setdefault((table, one["shoe"]), {"table": table, "shoe": one["shoe"], "opened": "", "closed": ""})
        line["opened" if one["state"] == "open" else "closed"] = one["time"]
        line["decks"] = one["decks"]
    return list(found.values())


def coups(stored: list[Stored]) -> list[Line]:
    """Return a line for each coup, in its final state."""
    final: dict[tuple[str, int, int], Line] = {}
    for topic in ("coup", "confirmed"):
        for table, _, one in _on(stored, topic):
            before = final.get((table, one["shoe"], one["coup"]), {})
            if before.get("status") != "void":
                final[table, one["shoe"], one["coup"]] = one
    return [{**one, "status": "void"} if one["kind"] == "void" else one for one in final.values()]


def alarms(stored: list[Stored]) -> list[Line]:
    """Return a line for each alarm."""
    found: dict[str, Line] = {}
    for table, _, one in _on(stored, "alarm"):
        line = found.setdefault(one["alarm"], {"table": table, "seen": "", "seen_by": "", "over": ""})
        if one["state"] == "raised":
            line |= {name: one[name] for name in ("name", "shoe", "coup", "clause")} | {"raised": one["time"]}
        elif one["state"] == "cleared":
            line["over"] = one["time"]
        elif not line["seen"]:
            line |= {"seen": one["time"], "seen_by": one["by"]}
    return list(found.values())


def decisions(stored: list[Stored]) -> list[Line]:
    """Return a line for each request of a person, with its outcome."""
    outcomes = {one["attempt"]: one["ok"] for _, _, one in _on(stored, "outcome")}
    taken = [{**one, **_person(one), "done": outcomes.get(one["id"])} for _, _, one in _on(stored, "attempt")]
    return taken + [{**one, "by": one["name"], "done": False} for _, _, one in _on(stored, "refused")]


def _person(attempt: Line) -> Line:
    command = attempt.get("command") or {}
    return {name: command.get(name, "") for name in ("role", "asks", "asks_role")}


def incidents(stored: list[Stored]) -> list[Line]:
    """Return a line for each incident, as it is now."""
    return [
        {
            **one,
            "closed": one["time"] if one["state"] == "closed" else "",
            "steps": len(one["steps"]),
            "done": sum(bool(step.get("done")) for step in one["steps"]),
        }
        for one in _newest(stored)
    ]


def steps(stored: list[Stored]) -> list[Line]:
    """Return a line for each step of each incident, as it is now."""
    return [
        {
            **{name: one[name] for name in ("kind", "table", "shoe", "coup")},
            "clause": "",
            "done": "",
            **step,
            "state": "done late" if step.get("late") else "done",
        }
        for one in _newest(stored)
        for step in one["steps"]
    ]


def _newest(stored: list[Stored]) -> list[Line]:
    return list({one["incident"]: {"steps": [], **one} for _, _, one in _on(stored, "incident")}.values())


def _on(stored: list[Stored], topic: str) -> Iterator[Stored]:
    return (one for one in stored if one[1] == topic)

"""One attack at a time, each against a fresh daemon: what it does by itself."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from siege import report
from siege.acts import ACTS
from siege.control import ATTACKS as CONTROL
from siege.files import ATTACKS as FILES
from siege.ground import Order
from siege.mqtt import ATTACKS as MQTT
from siege.mqtt import TAKEOVER
from siege.roles import ROLES
from siege.runner import besiege

_GROUPS: dict[str, Iterable[str]] = {"control": CONTROL, "mqtt": MQTT, "files": FILES, "takeover": TAKEOVER}
_SHOWN = 3  # hostile tables in a row


def names() -> list[str]:
    """Every attack there is."""
    return [*ACTS, *(f"as_{name}" for name in ROLES), *CONTROL, *MQTT, *TAKEOVER, *FILES]


def row(name: str, order: Order) -> dict[str, Any]:
    """What one attack does, as one JSON line."""
    try:
        found = report.document(*besiege(_alone(name, order)))
    except RuntimeError as error:
        return {"attack": name, "failed": [str(error)]}
    hostile = {table: row for table, row in found["under_attack"].items() if table.startswith("x")}
    return {
        "attack": name,
        "failed": [check for check, held in found["checks"].items() if not held],
        "incidents": [f"{one['what']} ({one['lasted_s']} s)" for one in found["incidents"]][:4],
        "p99_more_ms": {table: row["p99_more_ms"] for table, row in found["honest"].items()},
        "slowest": [one["coups"][0] for one in found["slowest"]],
        "broker_alone_ms": found["broker_alone_ms"].get("siege"),
        "status_ms": found["control"]["status_ms"],
        "unanswered": len(found["control"]["unanswered"]),
        "memory_kib": found["daemon"]["memory_kib"],
        "hostile": [_hostile(row, found["waiting"].get(table)) for table, row in hostile.items()][:_SHOWN],
    }


def _alone(name: str, order: Order) -> Order:
    """A short siege; a shoe's act is played by strangers and by keyed units."""
    acts = (name, "as_stranger", "as_keyed") if name in ACTS or name in FILES else (name, "plays")
    return replace(
        order,
        baseline_s=2.0,
        groups=_groups(name),
        acts=acts,
        verify_every_s=4.0,
        drain_s=8.0,
        log=lambda _: None,
    )


def _groups(name: str) -> tuple[str, ...]:
    for group, attacks in _GROUPS.items():
        if name in attacks:
            return ("shoes", group) if group == "files" else (group,)
    return ("shoes",)


def _hostile(row: dict[str, Any], waiting: int | None) -> dict[str, Any]:
    """What the daemon made of a hostile shoe."""
    alarms = sorted({alarm["name"] for alarm in row["alarms"]})
    return {"state": row["state"], "problem": row["problem"], "alarms": alarms, "not_acknowledged": waiting}

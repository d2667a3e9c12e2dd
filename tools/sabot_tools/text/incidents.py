"""Open incidents as text: what happened, each open step, who may do it, until when, and what to type."""

from typing import Any

from sabot_protocol.due import step_due


def incident_lines(table: str, incident: dict[str, Any]) -> list[str]:
    """Return the lines of one incident."""
    about = f"{incident['say']}{_facts(incident.get('facts', {}))}"
    lines = [f"{table}: {incident['kind']} since {incident['opened']}{_place(incident)}: {about}"]
    for step in incident.get("steps", []):
        if not step.get("done"):
            lines.append(f"  {step['name']}: {step['say']}{_details(step)}")
    return [*lines, f"  sabot table {table} step --incident {incident['incident']} --step NAME --by NAME"]


def _place(incident: dict[str, Any]) -> str:
    return f", coup {incident['shoe']}/{incident['coup']}" if incident["coup"] else ""


def _facts(facts: dict[str, Any]) -> str:
    """Return what differs between incidents of a kind: amount, patron, date."""
    cents = facts.get("amount_cents")
    parts = [
        f"amount {cents // 100:,}.{cents % 100:02}" if isinstance(cents, int) else "",
        f"patron {facts['patron']}" if facts.get("patron") else "",
        f"date {facts['date']}" if facts.get("date") else "",
        f"at {facts['at']}" if facts.get("at") else "",
        "intentional" if facts.get("intentional") is True else "",
    ]
    given = ", ".join(part for part in parts if part)
    return f" ({given})" if given else ""


def _details(step: dict[str, Any]) -> str:
    """Return role, time limit and clause of a step."""
    due = step.get("until") or step_due(step.get("due", ""), step.get("clause", ""), step.get("to", []))
    parts = [
        f"lowest role {step['role']}" if step.get("role") else "",
        f"due {due}" if due else "",
        "late" if step.get("late") else "",
        f"rule {step['clause']}" if step.get("clause") else "",
    ]
    given = ", ".join(part for part in parts if part)
    return f" ({given})" if given else ""


def open_line(table: str, incident: dict[str, Any]) -> str:
    """Return one line for the status."""
    waiting = ", ".join(step["name"] for step in incident.get("steps", []) if not step.get("done"))
    return (
        f"{table}: open since {incident['opened']}: {incident['kind']}{_place(incident)} ({incident['incident']}): "
        f"{waiting}; see `sabot table {table} open`"
    )

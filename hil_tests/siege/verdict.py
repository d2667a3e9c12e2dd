"""What finds a changed ledger: as a sentence, a table and JSON."""

import json
from pathlib import Path
from typing import Any

from siege.tampering.ledgers import Case

UNSEEN, LAUNDERED = "UNSEEN", "LAUNDERED: serves at the next start"
UNDONE = "daemon publishes again"


def verdict(row: dict[str, Any]) -> str:
    """Return what finds it."""
    found = []
    if row["verify"]["exit"]:
        found.append("verify" + (", names the entry" if row["verify"]["names_entry"] else ""))
    elif row["verify"].get("heads", {}).get("exit"):
        found.append("verify --heads")
    start = row["start"]
    if start["does"] != "serves":
        found.append(f"daemon {start['does']}")
        found += [LAUNDERED] if row.get("again", {}).get("does") == "serves" else []
    elif start["alarms"]:
        found.append(f"daemon raises {', '.join(start['alarms'])}")
    if any("is published again" in line for line in start["log"]):
        found.append(UNDONE)
    return "; ".join(found) or UNSEEN


def as_it_must(case: Case, row: dict[str, Any]) -> bool:
    """True if the file shows the change, or a head where only that can; an untouched ledger shows none."""
    if case.name.startswith("untouched"):
        return bool(row["verdict"] == UNSEEN)
    if case.undone:
        return UNDONE in row["verdict"]
    by_heads = case.needs_heads and (row["verdict"] != UNSEEN or row["heads_fit"])
    return bool(row["verify"]["exit"] or by_heads) and LAUNDERED not in row["verdict"]


def markdown(rows: list[dict[str, Any]]) -> str:
    """Return the table."""
    names = ("case", "base", "verify", "with heads", "daemon at start", "published", "verify after", "verdict", "ok")
    head = f"| {' | '.join(names)} |\n{'|---' * len(names)}|\n"
    return head + "".join(_line(row) for row in rows)


def _line(row: dict[str, Any]) -> str:
    if row["verdict"] == "not there":
        return f"| {row['case']} | {row['base']} | | | | | | not there: {row['why']} | |\n"
    start, heads = row["start"], row["verify"].get("heads", {}).get("exit", "-")
    cells = (
        *(row["case"], row["base"], row["verify"]["exit"], heads, start["does"], start["published"]),
        *(row["verify_after_start"]["exit"], row["verdict"], "yes" if row["as_it_must"] else "NO"),
    )
    return f"| {' | '.join(map(str, cells))} |\n"


def write(rows: list[dict[str, Any]], out: Path) -> None:
    """tamper.json and tamper.md."""
    (out / "tamper.json").write_text(json.dumps(rows, indent=1) + "\n")
    (out / "tamper.md").write_text(markdown(rows))

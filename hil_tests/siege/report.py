"""The result of a siege: one JSON document, its checks, and a summary."""

import json
import subprocess
from collections import Counter
from dataclasses import asdict
from typing import Any

from siege.honest import Table
from siege.lab import HERE
from siege.runner import Siege
from siege.subscriber import FORGED

GOAL_MORE_MS = 100.0
_LONG = 2000  # characters of a message
_SHOWN = 20  # incidents


def document(siege: Siege, final: dict[str, Any]) -> dict[str, Any]:
    """Return everything that was observed."""
    tables = {table.plan.table: _table(table) for table in siege.ground.house.tables}
    watch = siege.watch
    found: dict[str, Any] = {
        "seed": siege.order.seed,
        "broker": siege.order.broker,
        "commit": _commit(),
        "seconds": {name: getattr(siege.order, f"{name}_s") for name in ("baseline", "siege", "broker", "kill")},
        "honest": tables,
        "broker_alone_ms": {phase: _spread(found) for phase, found in siege.ground.probe.latencies.items()},
        "kills": dict(watch.kills),
        "daemon": {
            "memory_kib": watch.memory_kib,
            "descriptors": watch.descriptors,
            "tracebacks": siege.ground.daemon.log().count("Traceback"),
            "stopped": final["stopped"],
            "starts_again": final["again"],
        },
        "control": {"status_ms": _spread(siege.asker.took_ms), "unanswered": siege.asker.failed[:20]},
        "ledger": {"beside": watch.verified, "after": final["verify"], "differs": final["stored"]},
        "incidents": [asdict(one) for one in watch.incidents],
        "attacks": dict(sorted(Counter(one["act"] for one in watch.attacks()).items())),
        "attackers": dict(sorted(Counter(one["where"] for one in watch.attacks()).items())),
        "slowest": [_slow(siege, table) for table in siege.ground.house.tables if table.slowest],
        "status": {row.get("table", row.get("name")): row for row in final["status"].get("tables", [])},
        "heads": len(siege.ground.heads_path.read_bytes().splitlines()),
        "under_attack": {row["table"]: row for row in siege.asker.last.get("tables", [])},
        "waiting": _waiting(siege),
        "retained": {topic: _short(payload) for topic, payload in final["retained"].items()},
    }
    found["checks"] = checks(siege, found)
    found["passed"] = all(found["checks"].values())
    return found


def checks(siege: Siege, found: dict[str, Any]) -> dict[str, bool]:
    """Return the checks that must hold; none is about time."""
    tables, honest = found["honest"].values(), siege.ground.house.tables
    return {
        "the daemon never ended by itself": not any("ended by itself" in one["what"] for one in found["incidents"]),
        "no honest table stood still": not any("arrives" in one["what"] for one in found["incidents"]),
        "every honest coup arrived": not any(table["missing"] for table in tables),
        "every honest coup is right, under one id": not any(table["wrong"] for table in tables),
        "verify beside the daemon accepts the ledger": all(one["exit"] == 0 for one in found["ledger"]["beside"]),
        "verify after the end accepts the ledger": found["ledger"]["after"]["exit"] == 0,
        "what was acknowledged is stored as sent, once, in order": not found["ledger"]["differs"],
        "the daemon stops cleanly": found["daemon"]["stopped"] == 0,
        "the daemon starts again on the ledger": bool(found["daemon"]["starts_again"]),
        "status of every honest table is right": all(_status_right(found, one) for one in honest),
        "retained status of every honest table is right": all(_retained_right(found, one) for one in honest),
        "no false message stays retained on a topic of the gateway": not _forged(found),
        "status is answered at the control socket": not found["control"]["unanswered"],
        "no traceback in the log": found["daemon"]["tracebacks"] == 0,
    }


def _status_right(found: dict[str, Any], table: Table) -> bool:
    row = found["status"].get(table.plan.table, {})
    return bool(row.get("state") == "online" and row.get("unit") == table.plan.unit)


def _retained_right(found: dict[str, Any], table: Table) -> bool:
    payload = found["retained"].get(f"{table.plan.table}/status")
    return isinstance(payload, dict) and payload.get("state") == "online" and payload.get("unit") == table.plan.unit


def _forged(found: dict[str, Any]) -> list[str]:
    """Return topics of the gateway that still hold an attacker's message."""
    tables = [f"{table}/{name}" for table in found["status"] for name in ("status", "alarms")]
    ours = [*tables, *(f"{table}/shoe" for table in found["honest"]), "status", *(["ledger"] if found["heads"] else [])]
    payload = {topic: str(found["retained"].get(topic, "nothing")) for topic in ours}
    return sorted(topic for topic, one in payload.items() if FORGED in one or one == "nothing" or "no JSON" in one)


def _table(table: Table) -> dict[str, Any]:
    spreads = {phase: _spread(found) for phase, found in table.latencies.items()}
    base, under = spreads.get("baseline"), spreads.get("siege")
    more = round(under["p99"] - base["p99"], 1) if base and under else None
    return {
        "unit": table.plan.unit,
        "keyed": bool(table.plan.key),
        "rulebook": table.plan.rulebook,
        "dealt": table.dealt(),
        "arrived": len(table.arrived),
        "missing": [list(key) for key in table.missing()[:20]],
        "wrong": table.wrong,
        "counts": dict(table.counts),
        "connections": table.port.connections,
        "latency_ms": spreads,
        "p99_more_ms": more,
    }


def _spread(values: list[float]) -> dict[str, float] | None:
    if not values:
        return None
    rising = sorted(values)
    picks = {"p50": 0.5, "p99": 0.99, "max": 1.0}
    spread = {name: round(rising[min(len(rising) - 1, int(len(rising) * part))], 1) for name, part in picks.items()}
    return {"count": len(rising), **spread}


def _short(payload: Any) -> Any:
    """Return a message, or a summary of a long one."""
    size = len(str(payload))
    return payload if size < _LONG else f"{size} characters, {FORGED if FORGED in str(payload) else 'the gateway`s'}"


def _slow(siege: Siege, table: Table) -> dict[str, Any]:
    """Return the slowest coups of a table under attack, when each was stored, and the acts during the first."""
    took_s, sent_s, _ = table.slowest[0]
    acts = Counter(siege.watch.acts_between(sent_s - 1.0, sent_s + took_s))
    coups = [
        {
            "at_s": round(sent - siege.ground.began_s, 1),
            "ms": round(took * 1000, 1),
            "stored_ms": round(stored * 1000, 1),
        }
        for took, sent, stored in table.slowest
    ]
    return {"table": table.plan.table, "coups": coups, "meanwhile": dict(acts.most_common())}


def _waiting(siege: Siege) -> dict[str, int]:
    path = siege.ground.spec.waiting
    found: dict[str, int] = json.loads(path.read_text()) if path.exists() else {}
    return found


def _commit() -> str:
    found = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=HERE, capture_output=True, text=True, check=False
    )
    return found.stdout.strip() or "unknown"


def words(found: dict[str, Any]) -> str:
    """Return the summary as text."""
    lines = [f"siege with seed {found['seed']} on {found['broker']}, commit {found['commit']}"]
    for name, table in found["honest"].items():
        lines += _table_words(name, table)
    lines += [f"  the broker alone, {_times(phase, one)}" for phase, one in found["broker_alone_ms"].items() if phase]
    control, daemon = found["control"], found["daemon"]
    lines.append(f"  attacks: {sum(found['attacks'].values())}; kills: {found['kills']}; KiB: {daemon['memory_kib']}")
    lines.append(f"  status at the socket: {control['status_ms']}, unanswered {len(control['unanswered'])}")
    for one in found["incidents"][:_SHOWN]:
        lines.append(f"  INCIDENT at {one['at_s']} s ({one['phase']}, {one['lasted_s']} s): {one['what']}")
    lines += [f"  {'ok  ' if held else 'FAIL'} {check}" for check, held in found["checks"].items()]
    stays = _forged(found)
    lines += [f"       still false: {', '.join(stays)}"] if stays else []
    return "\n".join([*lines, "passed" if found["passed"] else "FAILED"])


def _table_words(name: str, table: dict[str, Any]) -> list[str]:
    lines = [f"  {name}: {table['arrived']} of {table['dealt']} coups arrived, {len(table['wrong'])} wrong"]
    lines += [f"    {_times(phase, one)}" for phase, one in table["latency_ms"].items() if phase]
    more = table["p99_more_ms"]
    if more is not None:
        verdict = "within" if more <= GOAL_MORE_MS else "BEYOND"
        lines.append(f"    p99 is {more} ms more under attack: {verdict} the goal of {GOAL_MORE_MS:.0f} ms")
    return lines


def _times(phase: str, one: dict[str, float]) -> str:
    return f"{phase}: p50 {one['p50']} ms, p99 {one['p99']} ms, most {one['max']} ms"

"""The judgement: meters and ledger against the arithmetic, projection against ledger; one sentence a difference."""

from collections import Counter
from contextlib import closing
from typing import Any

import msgspec
from sabot_floor.store import audit as store_audit
from sabot_floor.store.opening import open_store
from sabot_floor.store.store import Store
from sabot_gateway.ledger import Reader
from sabot_gateway.ledger import audit as ledger_audit

from floor_kills import projected
from floor_kills.jackpots import Expected, expected
from floor_kills.parts import Parts
from floor_kills.watcher import Watcher


def findings(parts: Parts, watcher: Watcher) -> list[str]:
    """Return what is wrong, nothing if all is as it must be."""
    found = _ledger(parts) + projected.findings(parts) + _suspicions(parts)
    with open_store(parts.store_url, read_only=True) as store:
        found += [f"floor's store: {fault}" for fault in store_audit.verify(store).faults]
        for one in expected(parts.tables):
            found += [f"{one.jackpot.id}: {problem}" for problem in _jackpot(one, store, watcher)]
    return found + [f"fault {fault['name']}: {fault['say']}" for fault in watcher.faults.values()]


def _suspicions(parts: Parts) -> list[str]:
    """Return what the floor workers suspect: everything that they got is true."""
    logs = [(parts.work_dir / f"{worker}.log").read_text() for worker in parts.size.workers]
    return [f"floor's log: {line}" for text in logs for line in text.splitlines() if "forged" in line]


def _ledger(parts: Parts) -> list[str]:
    """Compare the coups that the gateway has confirmed with those of the logs; check its chain."""
    due = {coup_id for table in parts.tables for coup_id in table.coup_ids(unwagered=True)}
    with closing(Reader(parts.ledger)) as ledger:
        ids = [msgspec.json.decode(entry.payload)["id"] for entry in ledger.entries("WHERE topic = 'confirmed'")]
    found = [f"gateway's ledger: {fault}" for fault in ledger_audit.verify(parts.ledger).faults]
    return found + _differences("confirmed coups in the gateway's ledger", ids, due)


def _jackpot(one: Expected, store: Store, watcher: Watcher) -> list[str]:
    """Compare the log of a jackpot and its published meters with the arithmetic."""
    increments, others = dict[str, list[dict[str, Any]]](), Counter[str]()
    for entry in store.entries(f"jackpot/{one.jackpot.id}"):
        logged = msgspec.json.decode(entry.payload)["entry"]
        if logged["kind"] == "increment":
            increments.setdefault(logged["message"]["table"], []).append(logged["message"])
        else:
            others[logged["kind"]] += 1
    found = [] if others == {"opened": 1} else [f"its log has {dict(others)} beside increments, expected opened: 1"]
    for table in sorted({*one.ids, *increments}):
        found += _table(table, increments.get(table, []), one)
    return found + _published(one, watcher)


def _table(table: str, messages: list[dict[str, Any]], one: Expected) -> list[str]:
    """Compare the increments of a table with its coups: each once, counts and totals without a gap."""
    found = _differences(
        f"increments of {table}", [message["coup_id"] for message in messages], one.ids.get(table, set())
    )
    sequence = [(message["count"], message["total"]) for message in messages]
    if sequence != [(number, number * one.jackpot.increment) for number in range(1, len(messages) + 1)]:
        found.append(f"counts and totals of {table} do not go up by one coup: {sequence[-3:]}")
    return found


def _published(one: Expected, watcher: Watcher) -> list[str]:
    """Compare what the floor published last."""
    meter = watcher.meters.get(one.jackpot.id)
    if meter is None:
        return ["no meter was published"]
    found = [] if meter["meters"] == one.meters else [f"meters {meter['meters']}, the arithmetic gives {one.meters}"]
    found += [] if meter["balanced"] else ["the meters are not balanced"]
    found += [f"not offered at {table}: {why}" for table, why in meter.get("not_offered", {}).items()]
    found += [f"problem: {meter['problem']}"] if meter.get("problem") else []
    pending = watcher.pending.get(one.jackpot.id, {"wins": []})["wins"]
    return found + ([f"{len(pending)} wins are pending, none was dealt"] if pending else [])


def _differences(what: str, ids: list[str], due: set[str]) -> list[str]:
    twice = [one for one, times in Counter(ids).items() if times > 1]
    missing, surplus = due - set(ids), set(ids) - due
    kinds = {"missing": sorted(missing), "not in the logs": sorted(surplus), "twice": twice}
    return [f"{what}: {len(some)} {kind}, such as {some[0]}" for kind, some in kinds.items() if some]

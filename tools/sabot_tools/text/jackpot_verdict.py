"""Verdict about the log of a jackpot, as text and as JSON: whether it is intact, and what was recomputed."""

from typing import Any

from sabot_floor.jackpots.audit import Verdict


def verdict_lines(jackpot: str, verdict: Verdict) -> list[str]:
    """Return the lines: whether the log is intact, then each fault and each note."""
    if verdict.faults:
        head = f"{jackpot}: NOT intact, {_entries(verdict.stored)} in the store"
    else:
        draws = f"{verdict.draws} {'draw' if verdict.draws == 1 else 'draws'}"
        head = f"{jackpot}: {_entries(verdict.entries)}, intact; chain, meters, wins and {draws} recomputed"
    return [head, *(f"{jackpot}: {say}" for say in (*verdict.faults, *verdict.notes))]


def _entries(count: int) -> str:
    return f"{count} {'entry' if count == 1 else 'entries'}"


def verdict_json(jackpot: str, verdict: Verdict) -> dict[str, Any]:
    """Return the verdict as JSON values."""
    return {
        "jackpot": jackpot,
        "intact": not verdict.faults,
        "entries": verdict.entries,
        "stored": verdict.stored,
        "draws": verdict.draws,
        "faults": verdict.faults,
        "notes": verdict.notes,
    }

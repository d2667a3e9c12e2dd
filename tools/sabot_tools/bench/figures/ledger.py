"""ledger: one commit for many entries against one commit for each entry, and the check of a whole ledger."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sabot_gateway.ledger import Entry, Ledger

from sabot_tools.bench.figure import Figure, at_least, best_s, children_cpu_s

COUPS: Final = 40_000
_ROUNDS: Final = 3
_CARDS: Final = 5  # entries of a coup beside the two with its result
_COUP: Final = {
    "v": 1, "unit": "5ab0000000000001", "table": "t", "shoe": 1, "time": "2026-01-01T00:00:00.000Z", "kind": "live",
    "rulebook": "star-baccarat", "status": "verified", "winner": "banker", "player": ["4S", "KD", "9C"],
    "banker": ["6H", "KC"], "player_points": 3, "banker_points": 6, "player_pair": False, "banker_pair": False,
    "natural": False, "last_coup": False,
}  # fmt: skip


def figures() -> Iterator[Figure]:
    """Measure on the disk of the temporary directory."""
    with tempfile.TemporaryDirectory() as work:
        ledger, numbers = Ledger(Path(work) / "ledger.db"), iter(range(1, 10**9, 50))
        grouped = best_s(lambda: ledger.append(_entries(next(numbers))))
        single = best_s(lambda: list(map(ledger.append, ([entry] for entry in _entries(next(numbers))))))
        ledger.close()
        what = f"50 entries: {grouped * 1e3:.1f} ms against {single * 1e3:.1f} ms"
        yield at_least("ledger.group_commit_over_single", single / grouped, 5, what)
        yield _verify(Path(work) / "verified.db")


def _entries(first: int) -> list[Entry]:
    return [Entry("u", number, "t", "cards", b"x" * 300, b"y" * 22) for number in range(first, first + 50)]


def _verify(path: Path) -> Figure:
    """Measure `sabot ledger verify`, start included."""
    entries = write_coups(path, COUPS)
    command = [sys.executable, "-m", "sabot_tools", "ledger", "verify", str(path)]
    before_s = children_cpu_s()
    rate = entries / best_s(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL), _ROUNDS)
    cpu_us = (children_cpu_s() - before_s) / _ROUNDS / entries * 1e6
    what = f"{rate:,.0f} entries a second of {entries:,}, start included; {cpu_us:.1f} us of CPU an entry, 2 processes"
    return at_least("ledger.verify_over_300000_a_second", rate / 300_000, 1, what)


def write_coups(path: Path, coups: int, unit: str = "5ab0000000000001") -> int:
    """Write a ledger with so many coups of one unit; return the number of its entries."""
    ledger, number, batch = Ledger(path), 0, list[Entry]()
    for coup in range(1, coups + 1):
        for topic, payload in _messages(coup):
            number += 1
            batch.append(Entry(unit, number, "t", topic, payload, b"y" * 22, f"{coup:024d}"))
        if coup % 1000 == 0 or coup == coups:
            ledger.append(batch)
            batch = []
    ledger.close()
    return number


def _messages(coup: int) -> Iterator[tuple[str, bytes]]:
    """Yield what a coup leaves in the ledger: a message for each card, its result, and that it is confirmed."""
    message = {**_COUP, "coup": coup}
    for card in range(_CARDS):
        yield "cards", json.dumps({**message, "id": f"1-{coup}-{card}"}).encode()[:300]
    yield "coup", json.dumps({**message, "id": f"1-{coup}"}).encode()
    yield "confirmed", json.dumps({**message, "id": f"1-{coup}-c", "coup_id": f"1-{coup}"}).encode()

"""Compares acknowledged events of an honest shoe with the ledger, byte by byte."""

import sqlite3
from contextlib import closing
from pathlib import Path

_MOST_FOUND = 10


def differences(ledger: Path, unit: str, bodies: list[bytes], acked: int) -> list[str]:
    """Return acknowledged events that are missing, doubled, out of order or changed, a sentence each."""
    with closing(sqlite3.connect(f"file:{ledger}?mode=ro", uri=True)) as db:
        query = "SELECT event_no, frame FROM entries WHERE unit = ? AND event_no IS NOT NULL ORDER BY seq"
        rows = db.execute(query, (unit,)).fetchall()
    found = [] if len(rows) >= acked else [f"{unit}: {acked} events acknowledged, {len(rows)} stored"]
    for expected, (number, frame) in enumerate(rows, 1):
        if number != expected:
            found.append(f"{unit}: event {number} stands in the place of {expected}")
        elif number > len(bodies) or not bytes(frame).endswith(bodies[number - 1]):
            found.append(f"{unit}: event {number} was never sent as {bytes(frame).hex()}")
    return found[:_MOST_FOUND]

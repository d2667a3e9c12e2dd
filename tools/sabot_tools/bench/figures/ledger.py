"""ledger: one commit for many entries against one commit for each entry."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from sabot_gateway.ledger import Entry, Ledger

from sabot_tools.bench.figure import Figure, at_least, best_s


def figures() -> Iterator[Figure]:
    """Measure on the disk of the temporary directory."""
    with tempfile.TemporaryDirectory() as work:
        ledger, numbers = Ledger(Path(work) / "ledger.db"), iter(range(0, 10**9, 50))
        grouped = best_s(lambda: ledger.append(_entries(next(numbers))))
        single = best_s(lambda: list(map(ledger.append, ([entry] for entry in _entries(next(numbers))))))
    what = f"50 entries: {grouped * 1e3:.1f} ms against {single * 1e3:.1f} ms"
    yield at_least("ledger.group_commit_over_single", single / grouped, 5, what)


def _entries(first: int) -> list[Entry]:
    return [Entry("u", number, "t", "cards", b"x" * 300, b"y" * 22) for number in range(first, first + 50)]

"""Coverage: which entries of each ledger are in the projection, as intervals; a gap is what lies between two."""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from sabot_floor.projection.writing import upsert
from sabot_floor.store import Store
from sabot_floor.store import tables as schema
from sabot_floor.store.rows import Covered, Head

MOST_INTERVALS = 1000  # of one gateway; the newest are kept
_MOST_GATEWAYS = 200  # in a status
_MOST_GAPS = 5


class GatewayCoverage(NamedTuple):
    """How far the projection has the entries of one ledger."""

    gateway: str
    covered_to: int  # the newest entry
    gaps: int
    first_gaps: list[tuple[int, int]]  # first and last entry of each
    more_gaps: bool  # older intervals were forgotten: their entries count as a gap
    head: int  # newest entry of the ledger that a head named, 0 if none came
    contradictions: int = 0  # entries for which two different messages came, until the ledger is read again


def merged(intervals: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return intervals (after, entry] in order, those that touch each other as one; at most the newest 1,000."""
    found: list[tuple[int, int]] = []
    for after, entry in sorted(intervals):
        if found and after <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], entry)
        else:
            found.append((after, entry))
    return found[-MOST_INTERVALS:]


def gaps(intervals: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return what is missing between intervals in order, and before the first: first and last entry of each gap."""
    ends = [0, *(entry for _, entry in intervals)]
    return [(end + 1, after) for end, (after, _) in zip(ends, intervals, strict=False) if after > end]


def add(store: Store, covered: Iterable[Covered]) -> dict[str, list[tuple[int, int]]]:
    """Add intervals inside a transaction that keeps out other writers; return the gaps of each gateway concerned."""
    found: dict[str, list[tuple[int, int]]] = {}
    by_gateway: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for gateway, after, entry in covered:
        by_gateway[gateway].append((after, entry))
    for gateway, intervals in by_gateway.items():
        before = intervals_of(store, gateway)
        after_all = merged([*before, *intervals])
        gone, new = set(before) - set(after_all), set(after_all) - set(before)
        store.execute_many(
            'DELETE FROM coverage WHERE gateway = ? AND "after" = ?', [(gateway, after) for after, _ in sorted(gone)]
        )
        store.execute_many(upsert(schema.COVERAGE), [(gateway, *interval) for interval in sorted(new)])
        found[gateway] = gaps(after_all)
    return found


def intervals_of(store: Store, gateway: str) -> list[tuple[int, int]]:
    """Return the intervals of a gateway, in order."""
    query = 'SELECT "after", entry FROM coverage WHERE gateway = ? ORDER BY "after"'
    return [(int(after), int(entry)) for after, entry in store.select(query, (gateway,))]


def gateways(store: Store) -> list[GatewayCoverage]:
    """Return the coverage of every gateway, in order."""
    names = store.select(
        "SELECT gateway FROM coverage UNION SELECT gateway FROM ledger_heads UNION SELECT gateway FROM contradictions "
        f"ORDER BY gateway LIMIT {_MOST_GATEWAYS}"
    )
    return [_coverage(store, str(name)) for (name,) in names]


def _coverage(store: Store, gateway: str) -> GatewayCoverage:
    intervals = intervals_of(store, gateway)
    missing, end = gaps(intervals), intervals[-1][1] if intervals else 0
    contradictions = int(store.select("SELECT count(*) FROM contradictions WHERE gateway = ?", (gateway,))[0][0])
    head, full = newest_head(store, gateway), len(intervals) == MOST_INTERVALS
    return GatewayCoverage(gateway, end, len(missing), missing[:_MOST_GAPS], full, head, contradictions)


class Ends(NamedTuple):
    """The newest entry of a gateway that is there, and of its ledger that a head named; 0 for none."""

    covered_to: int
    head: int


def ends(store: Store, gateway: str) -> Ends:
    """Return how far a gateway's entries and heads have come."""
    return Ends(covered_to(store, gateway), newest_head(store, gateway))


def covered_to(store: Store, gateway: str) -> int:
    """Return the newest entry of a gateway that is there, 0 for none."""
    return int(store.select("SELECT coalesce(max(entry), 0) FROM coverage WHERE gateway = ?", (gateway,))[0][0])


def newest_head(store: Store, gateway: str) -> int:
    """Return the newest entry of a gateway's ledger that a head named, 0 if none came."""
    return int(store.select("SELECT coalesce(max(entry), 0) FROM ledger_heads WHERE gateway = ?", (gateway,))[0][0])


def newest_between(store: Store, gateway: str, after: int, begin: str, end: str) -> int:
    """Return the newest entry behind this one with a time in this range, 0 if there is none."""
    where = "gateway = ? AND entry > ? AND time >= ? AND time < ?"
    queries = (f"SELECT max(entry) FROM {table.name} WHERE {where}" for table in schema.OF_MESSAGES)
    found = [store.select(query, (gateway, after, begin, end))[0][0] for query in queries]
    return max((int(entry) for entry in found if entry), default=0)


def heads_of(store: Store, gateway: str) -> list[Head]:
    """Return the heads of a gateway's ledger that came over MQTT, the newest of each day."""
    columns = ", ".join(f'"{name}"' for name in schema.HEADS.columns)
    found = store.select(f"SELECT {columns} FROM ledger_heads WHERE gateway = ? ORDER BY day", (gateway,))
    return [Head._make(row) for row in found]

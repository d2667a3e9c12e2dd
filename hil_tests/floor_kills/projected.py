"""The floor's projection at the end: as it was fed over MQTT against one that is rebuilt from the gateway's ledger."""

from contextlib import closing, suppress
from itertools import zip_longest
from typing import Final

from sabot_floor.projection import coverage, dump
from sabot_floor.projection.rebuild import rebuild
from sabot_floor.store import Store, StoreError, open_store
from sabot_gateway.ledger import LedgerError, Reader
from sabot_tools.stand import ledger_source

from floor_kills.parts import Parts

_ANY: Final = "SELECT 1 FROM {name} LIMIT 1"
_COMPARED: Final = ("coups", "confirmed", "shoes", "cards")  # of every run; the others depend on what was killed


def complete(parts: Parts) -> bool:
    """Return True if the projection has every published entry of the ledger."""
    with suppress(StoreError, LedgerError), open_store(parts.store_url, read_only=True) as store:
        return not _missing(parts, store)
    return False


def _missing(parts: Parts, store: Store) -> str:
    with closing(Reader(parts.ledger)) as ledger:
        gateway, last = ledger.gateway(), ledger.last_published(ledger.newest()[0])
    covered = coverage.intervals_of(store, gateway)
    return "" if covered == [(0, last)] else f"the projection has the entries {covered[:3]}, expected 1 to {last}"


def findings(parts: Parts) -> list[str]:
    """Return where the two differ, byte by byte; the rebuilt one is in a store of its own."""
    rebuilt_path = parts.work_dir / "rebuilt.db"
    rebuilt_path.unlink(missing_ok=True)
    with open_store(parts.store_url, read_only=True) as live, open_store(str(rebuilt_path)) as rebuilt:
        missing = _missing(parts, live)
        heads = coverage.heads_of(live, ledger_source.gateway_of(parts.ledger))
        with ledger_source.opened(parts.ledger, heads) as source:
            made = rebuild(rebuilt, source.span, source.entries)
        found = [missing] if missing else []
        found += [] if made.rows and heads else [f"{made.rows} rows and {len(heads)} heads: nothing was compared"]
        found += [f"no row of {name} was compared" for name in _COMPARED if not rebuilt.select(_ANY.format(name=name))]
        found += [f"{made.unreadable} entries could not be read"] if made.unreadable else []
        return found + _first_difference(live, rebuilt)


def _first_difference(live: Store, rebuilt: Store) -> list[str]:
    for number, (one, other) in enumerate(zip_longest(dump.lines(live), dump.lines(rebuilt)), 1):
        if one != other:
            return [f"line {number} of the projection differs: fed live {one!r}, rebuilt {other!r}"]
    return []

"""Store: hash-chained logs, each with a state, in an SQLite file or a PostgreSQL database."""

from sabot_floor.store.chain import AwayError, DamagedError, Entry, EntryError, Head, Stored, StoreError
from sabot_floor.store.opening import open_store
from sabot_floor.store.store import Cursor, Decide, Decision, Store

__all__ = [
    "AwayError",
    "Cursor",
    "DamagedError",
    "Decide",
    "Decision",
    "Entry",
    "EntryError",
    "Head",
    "Store",
    "StoreError",
    "Stored",
    "open_store",
]

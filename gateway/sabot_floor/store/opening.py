"""Opening: a store by its URL or path."""

from pathlib import Path

from sabot_floor.store import audit
from sabot_floor.store.chain import StoreError
from sabot_floor.store.store import LOCK_S, Store

_SCHEMES = ("postgresql://", "postgres://")


def open_store(url: str, *, read_only: bool = False, lock_s: float = LOCK_S) -> Store:
    """Open a store, or make it: a PostgreSQL database by its URL, anything else is the path of an SQLite file."""
    if url.startswith(_SCHEMES):
        store = _postgres(url, read_only, lock_s)
    elif "://" in url.partition("?")[0] and not url.startswith("sqlite://"):
        raise StoreError(
            f"unknown kind of store {url.partition('://')[0]!r}: expected the path of a file, or a URL that begins "
            "with postgresql://"
        )
    else:
        from sabot_floor.store.sqlite import SqliteStore

        store = SqliteStore(Path(url.removeprefix("sqlite://")), read_only=read_only, lock_s=lock_s)
    if not read_only:
        try:
            audit.check_newest(store)
        except BaseException:
            store.close()
            raise
    return store


def _postgres(url: str, read_only: bool, lock_s: float) -> Store:
    try:
        from sabot_floor.store.postgres import PostgresStore
    except ImportError as error:
        raise StoreError(
            f"the store is a PostgreSQL database, but psycopg cannot be imported ({error}): install Sabot with its "
            "extra `floor`: pip install 'sabot[floor]'"
        ) from error
    return PostgresStore(url, read_only=read_only, lock_s=lock_s)

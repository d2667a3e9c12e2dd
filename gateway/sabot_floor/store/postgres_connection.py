"""A connection to PostgreSQL on which every wait ends."""

from collections.abc import Generator
from time import monotonic
from typing import Any, TypeVar

import psycopg

_CONNECT_S = 5
_UNANSWERED_S = 5.0  # beyond the server's own limit
Row = tuple[Any, ...]
Result = TypeVar("Result")


class Connection(psycopg.Connection[Row]):
    """A connection that raises an OperationalError when the server does not answer in time."""

    answer_s = 30.0

    def wait(self, gen: Generator[Any, Any, Result], *args: Any, **kwargs: Any) -> Result:
        """Wait for the server, but not for ever: it may hang, or be behind a cable that was pulled."""
        return super().wait(_bounded(gen, self.answer_s), *args, **kwargs)


def _bounded(steps: Generator[Any, Any, Result], seconds: float) -> Generator[Any, Any, Result]:
    """Yield what a driver's generator yields; raise an error once nothing has been ready for so long."""
    until = monotonic() + seconds
    try:
        wanted = next(steps)
        while True:
            ready = yield wanted
            if not ready and monotonic() > until:
                raise psycopg.OperationalError(f"the server has not answered for {seconds:g} s")
            wanted = steps.send(ready)
    except StopIteration as end:
        result: Result = end.value
        return result


def connect(settings: dict[str, Any], *, read_only: bool, lock_s: float, statement_s: float) -> Connection:
    """Connect, bound every wait, and have commits made durable."""
    given: dict[str, Any] = {
        "connect_timeout": _CONNECT_S,
        "client_encoding": "utf8",
        "application_name": "sabot-floor",
        "tcp_user_timeout": 30_000,
        **({} if read_only else {"target_session_attrs": "read-write"}),
        **settings,
    }
    db = Connection.connect(**given, autocommit=True)
    try:
        db.answer_s = statement_s + _UNANSWERED_S
        for name, seconds in (
            ("lock_timeout", lock_s),
            ("statement_timeout", statement_s),
            ("idle_in_transaction_session_timeout", statement_s),
        ):
            db.execute("SELECT set_config(%s, %s, false)", (name, f"{seconds * 1000:.0f}ms"))
        if setting(db, "synchronous_commit") in ("off", "local"):
            db.execute("SET synchronous_commit = on")
        if read_only:
            db.execute("SET default_transaction_read_only = on")
    except BaseException:
        db.close()
        raise
    return db


def setting(db: Connection, name: str) -> str:
    """Return a setting of the server."""
    return str(rows(db.execute("SELECT current_setting(%s)", (name,)))[0][0])


def rows(cursor: psycopg.Cursor[Row]) -> list[Row]:
    """Return the rows of a statement; none of one that has no result."""
    return cursor.fetchall() if cursor.description else []

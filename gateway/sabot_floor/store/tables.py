"""Schema: the tables of the projection, made from the types of their rows; the same in SQLite and PostgreSQL."""

from collections.abc import Iterator
from dataclasses import dataclass

from sabot_floor.store import rows

_BY_ENTRY = ("gateway", "entry")
_TYPES = {int: "{integer}", str: "{text}"}


@dataclass(frozen=True)
class Table:
    """A table: its rows, its key, its indexes. A row of `newest` is replaced by one of a newer entry."""

    name: str
    row: type[tuple[object, ...]]
    key: tuple[str, ...] = _BY_ENTRY
    newest: bool = False
    indexes: tuple[str, ...] = ()  # columns, and a condition

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of its columns, in order."""
        return tuple(self.row.__annotations__)


_SHOE = '"table", unit, shoe, coup'
COUPS = Table(
    "coups",
    rows.Coup,
    indexes=("time", _SHOE, "id", '"by", time WHERE "by" <> \'\'', "corrects WHERE corrects <> ''"),
)
CONFIRMED = Table("confirmed", rows.Confirmed, indexes=("time", "coup_id", '"by", time WHERE "by" <> \'\''))
SHOES = Table("shoes", rows.ShoeChange, indexes=("time", _SHOE))
CARDS = Table("cards", rows.Card, indexes=("time", _SHOE))
ALARMS = Table("alarms", rows.AlarmChange, indexes=("time", _SHOE, "alarm", '"by", time WHERE "by" <> \'\''))
ATTEMPTS = Table("attempts", rows.Attempt, indexes=("time", "id", '"by", time'))
OUTCOMES = Table("outcomes", rows.Outcome, indexes=("attempt",))
INCIDENTS = Table(
    "incidents",
    rows.Incident,
    key=("gateway", "incident"),
    newest=True,
    indexes=("opened", "state, opened", _SHOE, "coup_id"),
)
INCREMENTS = Table(
    "increments",
    rows.Increment,
    key=("gateway", "jackpot", '"table"', "half_hour"),
    newest=True,
    indexes=("jackpot, half_hour",),
)
HEALTH = Table("health", rows.Health, indexes=('"table", time',))
DEALT = Table("dealt", rows.Dealt)  # no index: the cards of a coup stand before its own entry
HASHES = Table("entry_hashes", rows.EntryHash)
_FIRST = (COUPS, CONFIRMED, SHOES, CARDS, ALARMS, ATTEMPTS, OUTCOMES, INCIDENTS, INCREMENTS)
OF_MESSAGES = (*_FIRST, HEALTH, DEALT)  # rows with a time and a table
TABLES = (*OF_MESSAGES, HASHES)  # what a ledger gives
HEADS = Table("ledger_heads", rows.Head, key=("gateway", "day"), newest=True)
COVERAGE = Table("coverage", rows.Covered, key=("gateway", '"after"'))
CONTRADICTIONS = Table("contradictions", rows.Contradiction)
BESIDE = (HEADS, CONTRADICTIONS)  # what is kept about the entries
BY_ROW = {table.row: table for table in (*TABLES, *BESIDE)}
BY_NAME = {table.name: table for table in BY_ROW.values()}


BY_VERSION = {
    2: (*_FIRST, HEADS, COVERAGE),
    3: (HEALTH, DEALT, HASHES),
    4: (CONTRADICTIONS,),
}  # the tables that came with each version of the store


def statements(version: int) -> Iterator[str]:
    """Yield what makes the tables of a version; `{integer}` and `{text}` stand for the database's types."""
    for table in BY_VERSION[version]:
        columns = ", ".join(f'"{name}" {_TYPES[kind]} NOT NULL' for name, kind in table.row.__annotations__.items())
        yield f"CREATE TABLE {table.name} ({columns}, PRIMARY KEY ({', '.join(table.key)})){{clustered}}"
        for number, index in enumerate(table.indexes):
            columns, where, condition = index.partition(" WHERE ")
            yield f"CREATE INDEX {table.name}_{number} ON {table.name} ({columns}){where}{condition}"
        if table.newest and "entry" not in table.key:
            yield f"CREATE INDEX {table.name}_entry ON {table.name} (gateway, entry)"

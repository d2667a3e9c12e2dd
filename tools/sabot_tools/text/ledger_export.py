"""The ledger in other formats: CSV, JSON lines, Parquet."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from itertools import islice
from typing import IO, Any

import msgspec
from sabot_gateway.ledger import LedgerError, Reader, Stored
from sabot_protocol.inputs.plain_text import csv_cell

Row = dict[str, Any]
Writer = Callable[[Iterable[Row], IO[bytes]], None]
_GROUP = 10_000


def rows(reader: Reader, what: str) -> Iterator[Row]:
    """Return the entries or a derived table, each row by column names."""
    return map(_plain, reader.entries()) if what == "entries" else reader.rows(what)


def _plain(entry: Stored) -> Row:
    return {
        "seq": entry.seq,
        "unit": entry.unit,
        "event_no": entry.event_no,
        "table": entry.table,
        "topic": entry.topic,
        "time": entry.time,
        "rulebook": entry.rulebook,
        "payload": entry.payload.decode(errors="replace"),
        "frame": entry.frame.hex(),
        "hash": entry.hash.hex(),
    }


def json_line(entry: Stored) -> bytes:
    """Return an entry with its message as JSON, byte for byte as it was stored."""
    return msgspec.json.encode(_with_message(_plain(entry))) + b"\n"


def _with_message(row: Row) -> Row:
    """Return the row with its payload as raw JSON, if it is JSON."""
    try:
        msgspec.json.decode(row["payload"])
    except (msgspec.MsgspecError, RecursionError):
        return row
    return {**row, "payload": msgspec.Raw(row["payload"].encode())}


def _jsonl(found: Iterable[Row], out: IO[bytes]) -> None:
    for row in found:
        out.write(msgspec.json.encode(_with_message(row) if "payload" in row else row) + b"\n")


def _csv(found: Iterable[Row], out: IO[bytes]) -> None:
    """Write CSV with all text quoted, and text that looks like a formula made plain text."""
    text = io.TextIOWrapper(out, encoding="utf-8", newline="", write_through=True)
    table = None
    for row in found:
        if table is None:
            table = csv.DictWriter(text, list(row), lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
            table.writeheader()
        table.writerow({name: csv_cell(value) for name, value in row.items()})
    text.detach()


def _parquet(found: Iterable[Row], out: IO[bytes]) -> None:
    """Write row groups of a fixed size; the first group gives the columns."""
    arrow, parquet = _pyarrow()
    left, columns, file = iter(found), None, None
    while group := list(islice(left, _GROUP)):
        columns = columns or arrow.schema([(name, _arrow_type(arrow, name)) for name in group[0]])
        file = file or parquet.ParquetWriter(out, columns)
        file.write_table(arrow.Table.from_pylist(group, schema=columns))
    if file is None:
        raise LedgerError("there is no row to write, and a Parquet file needs one; use --format csv or jsonl")
    file.close()


def _pyarrow() -> tuple[Any, Any]:
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ModuleNotFoundError:
        raise LedgerError("Parquet needs pyarrow: run `pip install pyarrow`, or use --format csv or jsonl") from None


def _arrow_type(arrow: Any, name: str) -> Any:
    return arrow.int64() if name in _WHOLE else arrow.string()


_WHOLE = {
    *("seq", "event_no", "shoe", "coup", "decks", "card_set", "coups", "opened_seq", "raised_seq"),
    *("player_points", "banker_points", "player_pair", "banker_pair", "natural", "last_coup"),
    *("amount", "count", "total"),
}
_FORMATS: dict[str, Writer] = {"csv": _csv, "jsonl": _jsonl, "parquet": _parquet}


def writer(name: str) -> Writer:
    """Return the writer of a format; LedgerError if a package for it is missing."""
    if name == "parquet":
        _pyarrow()
    return _FORMATS[name]

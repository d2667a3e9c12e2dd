"""Recompute: every hash of a ledger again, from the rows as they lie in the file, which can hold anything."""

from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import Any, Final

from sabot_gateway.ledger.chain import Origin, counted, length
from sabot_gateway.ledger.errors import LedgerError

Row = tuple[Any, ...]  # the columns of Stored, in order
_PROGRESS_EVERY: Final = 1000


def verify(rows: Iterable[Row], origin: Origin, progress: Callable[[int], None] = lambda done: None) -> int:
    """Recompute each hash by the formula of `chain.link`; the number of rows, or an error naming the first bad one."""
    head, seq, second_from = origin.hash, origin.seq, origin.second_from
    since = counted(str(second_from))
    for unit, event_no, table, topic, payload, frame, time, rulebook, number, digest in rows:
        seq += 1
        try:
            seq_text, event = b"%d" % seq, b"" if event_no is None else str(event_no).encode()
            parts = [
                head, length(len(seq_text)), seq_text, counted(unit), length(len(event)), event, counted(table),
                counted(topic), length(len(payload)), payload, length(len(frame)), frame,
            ]  # fmt: skip
            if seq >= second_from:
                parts += counted(time), counted(rulebook), since
            found = sha256(b"".join(parts)).digest()
        except (AttributeError, TypeError, UnicodeError) as error:
            raise _broken(seq) from error
        if number != seq or found != digest:
            raise _broken(seq)
        head = found
        if seq % _PROGRESS_EVERY == 0:
            progress(_PROGRESS_EVERY)
    return seq - origin.seq


def _broken(seq: int) -> LedgerError:
    return LedgerError(f"entry {seq} is not what was written: the chain breaks there")

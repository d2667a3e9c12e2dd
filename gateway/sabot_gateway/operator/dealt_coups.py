"""Dealt coups: whether a coup that a person names was dealt at a table, by its shoe's log and the ledger."""

import msgspec
from sabot_protocol.topics import CoupMessage

from sabot_gateway.ledger import Ledger
from sabot_gateway.verify.state import ShoeState


def find(ledger: Ledger | None, table: str, shoe: int, coup: int) -> tuple[CoupMessage | None, str]:
    """Return the newest message about a coup in the ledger, and the id of what confirmed it; None without one."""
    newest = (
        "WHERE coups.table_name = ? AND shoe = ? AND coup = ? AND corrected_by = '' ORDER BY coups.seq DESC LIMIT 1"
    )
    query = f"SELECT entries.payload, confirmed FROM coups JOIN entries USING (seq) {newest}"
    rows = ledger.query(query, table, shoe, coup) if ledger else []
    return next(
        ((msgspec.json.decode(payload, type=CoupMessage), confirmed) for payload, confirmed in rows), (None, "")
    )


def why_not(ledger: Ledger | None, table: str, state: ShoeState, shoe: int, coup: int) -> str:
    """Return why no such coup was dealt at this table; empty if it was, or if that cannot be known any more."""
    on_table, last = state.coup_on_table(), ledger.last_coup(table, shoe) if ledger else None
    if on_table and on_table[0] == shoe:
        last = max(last or 0, on_table[1])
    if state.phase == "unknown" and shoe == state.shoe_no:
        return ""  # part of its log is missing
    if last is not None:
        return "" if 1 <= coup <= last else f"shoe {shoe} has no coup {coup}: its last one is {shoe}/{last}"
    return _no_such_shoe(ledger, table, state, shoe)


def _no_such_shoe(ledger: Ledger | None, table: str, state: ShoeState, shoe: int) -> str:
    known = [*((ledger.shoe_numbers(table) if ledger else None) or ()), *filter(None, (state.shoe_no,))]
    if not known or (ledger and ledger.pruned() and shoe < max(known)):
        return ""
    first, last = min(known), max(known)
    there = f"shoe {first} is" if first == last else f"shoes {first} to {last} are"
    return f"{table} had no shoe {shoe}: {there} known"

"""Restore: the results of the shoe on the table, read from the ledger after a restart."""

from sabot_protocol.inputs.bounded_json import decoded
from sabot_protocol.topics import CoupMessage, ShoeMessage

from sabot_gateway.ledger import Reader
from sabot_gateway.screens.results import MOST, ShoeResults

_MOST_MESSAGES = 2 * MOST  # of a shoe: most coups have one
_MOST_BYTES = 16_384  # of a message; ours are smaller
_COUPS = "SELECT seq, confirmed FROM coups WHERE table_name = ? AND seq > ? ORDER BY seq DESC LIMIT ?"


def restored_results(ledger: Reader, table: str) -> ShoeResults:
    """Return the results of a table's newest shoe; what another release wrote and this one cannot read is left out."""
    results = ShoeResults()
    shoes = _newest_shoe(ledger, table)
    opened = [seq for seq, message in shoes.items() if message.state == "open"]
    first = opened[0] if opened else _before_first_coup(ledger, table)
    coups = dict(ledger.query(_COUPS, table, first, _MOST_MESSAGES))
    for seq in sorted((*shoes, *coups)):
        if seq in shoes:
            results.shoe(shoes[seq])
            continue
        for entry in ledger.entries("WHERE seq = ?", (seq,)):
            message = decoded(entry.payload, CoupMessage, _MOST_BYTES)
            if message is not None:
                results.coup(message)
                if coups[seq]:
                    results.confirm(message.id)
    return results


def _before_first_coup(ledger: Reader, table: str) -> int:
    """Return the entry before the first coup of the newest shoe, whose opening the ledger has not."""
    ((first,),) = ledger.query("SELECT max(opened_seq) FROM shoes WHERE table_name = ?", table)
    return ledger.newest()[0] if first is None else int(first) - 1


def _newest_shoe(ledger: Reader, table: str) -> dict[int, ShoeMessage]:
    """Return by entry the opening of the newest shoe, and its closing if it is closed."""
    found: dict[int, ShoeMessage] = {}
    for entry in ledger.newest_shoes(table):
        message = decoded(entry.payload, ShoeMessage, _MOST_BYTES)
        if message is None or any((one.unit, one.shoe) != (message.unit, message.shoe) for one in found.values()):
            break
        found[entry.seq] = message
        if message.state == "open":
            break
    return found

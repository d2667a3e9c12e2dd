"""Ledger: SQLite, fully synchronous, hash-chained; an entry is there once and for all."""

from sabot_gateway.ledger.chain import Entry, Stored
from sabot_gateway.ledger.errors import EntryError, LedgerError
from sabot_gateway.ledger.reader import Reader
from sabot_gateway.ledger.writer import Ledger

__all__ = ["Entry", "EntryError", "Ledger", "LedgerError", "Reader", "Stored"]

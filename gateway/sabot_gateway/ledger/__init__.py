"""Ledger: SQLite, fully synchronous, hash-chained; an entry is there once and for all."""

from sabot_gateway.ledger.chain import Entry, EntryError, LedgerError, Stored
from sabot_gateway.ledger.reader import Reader
from sabot_gateway.ledger.writer import Ledger

__all__ = ["Entry", "EntryError", "Ledger", "LedgerError", "Reader", "Stored"]

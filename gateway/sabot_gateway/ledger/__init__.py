"""Ledger: SQLite, fully synchronous, hash-chained, a sum of every page; an entry is there once and for all."""

from sabot_gateway.ledger.chain import Entry, LedgerError, Stored
from sabot_gateway.ledger.reader import Reader
from sabot_gateway.ledger.writer import Ledger

__all__ = ["Entry", "Ledger", "LedgerError", "Reader", "Stored"]

"""Errors of the ledger, and those of Python and SQLite that lie in an entry."""

import sqlite3

# Errors that lie in an entry, and never in the disk.
IN_THE_ENTRY = (
    sqlite3.IntegrityError,
    sqlite3.DataError,
    AttributeError,
    OverflowError,
    TypeError,
    UnicodeError,
)


class LedgerError(RuntimeError):
    """The ledger cannot be trusted or written; nothing may be published."""


class EntryError(LedgerError):
    """An entry cannot be stored, whatever the disk does: its number is used, or a value fits no column."""

"""Backup: copies of a ledger that is written, segments of its entries, and a ledger made from both."""

"""The table PC's daemon: serial -> link -> parse -> verify -> ledger -> publish."""

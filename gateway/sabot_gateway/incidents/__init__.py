"""Incidents: what people must settle at a table, opened and advanced by the records of the same transaction."""

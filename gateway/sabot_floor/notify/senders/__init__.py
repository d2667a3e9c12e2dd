"""Senders: one notice to one receiver, bounded in time and bytes."""

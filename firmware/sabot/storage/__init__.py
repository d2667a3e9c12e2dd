"""Storage: events and small values in flash that survive a power cut."""

"""Notifications: messages of alarms and incidents to people outside the system, each once, and logged."""

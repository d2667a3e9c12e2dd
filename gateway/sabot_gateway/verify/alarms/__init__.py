"""Alarms: the catalogue, the alarms that are active, and their wording."""

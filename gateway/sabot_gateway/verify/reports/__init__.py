"""Reports: the messages that follow from an event: shoes, cards, coups, alarms."""

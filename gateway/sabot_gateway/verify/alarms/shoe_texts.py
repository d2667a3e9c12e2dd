"""Texts for what a shoe reports: faults, rejects, sensors; each says what happened and what to do now."""

HELD = "The exit is locked: call a supervisor."

# By reason of a reject, as messages.py names them; each ends with the next step.
REJECTS = {
    "blank": f"A card without marks left the shoe: it lay face up, or is none of ours. {HELD}",
    "columns": f"A card left the shoe unread: its code does not have ten columns. {HELD}",
    "doubtful": f"A card left the shoe unread: part of its code is worn or dirty. {HELD}",
    "not_in_set": f"A card left the shoe unread: its code is no card's. {HELD}",
    "foreign": f"A card of another set left the shoe. {HELD} The set must be checked.",
    "spacing": f"A card left the shoe unread: its code is not where a card has it, or it moved too unsteadily. {HELD}",
    "short_pull": f"A card was drawn a little and let go. {HELD}",
    "pushed_back": f"A card was pushed back at the exit. {HELD}",
    "pushed_back_midway": f"A card was pushed back while it was drawn. {HELD}",
    "half_drawn": f"A card is left half drawn. {HELD} It must be taken out of the path.",
    "double": f"Two cards may have left the shoe together. {HELD} The cards must be counted.",
    "not_due": f"A card left the shoe though none was due. {HELD}",
    "lid_open": "The lid of the shoe was opened. The exit is locked: a supervisor checks the cards.",
    "noise": "The sensors of the shoe see something though no card passes. Dealing may go on; have them cleaned.",
}

# By fault of the shoe, as fields.py names them.
FAULTS = {
    "none": "",
    "card": f"Something left the shoe that is no certain card. {HELD}",
    "decision": f"A supervisor must say how this coup goes on. {HELD}",
    "lid": "The lid of the shoe is open. The exit is locked: a supervisor checks the cards and shuts it.",
    "journal_full": "The shoe's log is full and it releases no card. Check the line between shoe and gateway.",
    "composition": f"A card came that the decks cannot have. {HELD} The cards must be counted.",
    "sensor": "A sensor of the shoe sees a card where none is. Clear the path, then have the sensor cleaned.",
    "journal": "The shoe's log or settings fail their check. Take the shoe out of service and keep it for inspection.",
    "image": "The shoe's program is not the one released. Take the shoe out of service and reflash it.",
    "program": f"The shoe's program met an error and started again. {HELD} Report it with the shoe's number.",
}

SENSORS = {"entry": "entry sensor", "a": "sensor of track A", "b": "sensor of track B", "exit": "exit sensor"}

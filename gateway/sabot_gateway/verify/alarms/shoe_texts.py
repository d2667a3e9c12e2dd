"""Texts for what a shoe reports: rejects, faults, irregularities, sensors."""

from sabot_protocol import meanings

LOCKED = "The exit is locked. Do not deal. A supervisor must come."

# By reason of a reject, as fields.py names them: what happened, and what to do now.
REJECTS = {
    "blank": f"A card without a code left the shoe. It is face up, or it is not a card of this casino. {LOCKED}",
    "columns": f"A card was not read: its code does not have ten columns. {LOCKED}",
    "doubtful": f"A card was not read: part of its code is worn or dirty. {LOCKED}",
    "not_in_set": f"A card was not read: its code is not that of any card. {LOCKED}",
    "foreign": f"A card of another card set left the shoe. {LOCKED} Have the cards checked.",
    "spacing": f"A card was not read: its code is out of place, or the card moved unevenly. {LOCKED}",
    "short_pull": f"A card was pulled a little and released. {LOCKED}",
    "pushed_back": f"A card was pushed back at the exit. {LOCKED} In the shoe it is drawn again once the fault is "
    "cleared; on the table it cannot be keyed in: void the coup.",
    "pushed_back_midway": f"A card was pushed back while it was drawn. {LOCKED}",
    "half_drawn": f"A card is half out of the shoe. {LOCKED} Push it back: it is drawn again once the fault is "
    "cleared. If it is out already, it cannot be keyed in: void the coup.",
    "double": f"Two cards may have left the shoe together. {LOCKED} Neither can be keyed in: they go back and are "
    "drawn again once the fault is cleared, or the coup is void.",
    "not_due": f"A card left the shoe, but no card was due. {LOCKED}",
    "lid_open": f"The lid of the shoe was opened. {LOCKED} Check the cards.",
    "noise": "The shoe's sensors see something, but no card passes. Play on. Have the sensors cleaned.",
}

# By fault of the shoe, as fields.py names them: what happened, and what to do now.
FAULTS = {
    "none": "",
    "card": f"A card was not read for certain. {LOCKED}",
    "decision": f"This coup needs a supervisor's decision. {LOCKED}",
    "lid": f"The lid of the shoe is open. {LOCKED} Check the cards, then shut the lid.",
    "journal_full": "The shoe's log is full, so it releases no card. Check the cable between shoe and gateway.",
    "composition": f"A card came that these decks cannot have. {LOCKED} Count the cards.",
    "sensor": "A sensor sees a card where none is. Clear the card path. Then have the sensor cleaned.",
    "journal": "The shoe's log or settings are damaged. Take the shoe out of service. Keep it for inspection.",
    "image": "The shoe's program is not the one that was flashed. Take the shoe out of service. Have it reflashed.",
    "program": f"The shoe's program failed and restarted. {LOCKED} Report it with the shoe's number.",
}

# By case of an irregularity: what happened. The rulebook has what to do now.
_EXCESS = {"excess_card": "a card was drawn in excess"}
CASES = {case: f"{text[0].upper()}{text[1:]}." for case, text in (meanings.CASES | _EXCESS).items()}

SENSORS = {"entry": "entry sensor", "a": "sensor of track A", "b": "sensor of track B", "exit": "exit sensor"}

# Alarms of a part that will fail by its trend, by name: what they mean.
WEAR = {
    **{f"wear_{sensor}": f"By its trend the {name} will reject cards soon." for sensor, name in SENSORS.items()},
    "wear_heap": "By its trend the memory of the shoe's controller will be full soon.",
    "wear_flash": "The flash of the shoe, which holds its log, is nearly worn out.",
}


def with_rule(text: str, clause: str) -> str:
    """Return the text with its rule at the end: `Do not pay (rule 12.13).`"""
    return f"{text.removesuffix('.')} (rule {clause})." if clause else text

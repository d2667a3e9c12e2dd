"""Alarms in plain English: each by its name, how severe it is, what ends it; and the words that go with the shoe's."""

from typing import Literal, NamedTuple

from sabot_protocol import irregularities
from sabot_protocol.topics import Severity

# acknowledged: a person has seen it. shoe: the shoe says that its cause is gone. decision: a supervisor confirms
# or voids the coup. new_shoe: new cards are in. gateway: the gateway finds that its cause is gone.
End = Literal["acknowledged", "shoe", "decision", "new_shoe", "gateway"]


class Kind(NamedTuple):
    """One kind of alarm."""

    severity: Severity
    means: str
    ends: tuple[End, ...]

    @property
    def lasts(self) -> bool:
        """It stands for a state, and is active once at most."""
        return "acknowledged" not in self.ends and "decision" not in self.ends


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

# Alarms of the faults that a shoe reports in HELLO; a full journal it does not.
HOLDING = tuple(f"fault_{fault}" for fault in FAULTS if fault not in ("none", "journal_full"))

LEAST_READS = 50  # a mean of fewer cards says little: a shoe that was cut in mid-shoe counts from its start
LEAST_MARGIN_PCT = 60  # a mean below this: cards are still read, and the sensor is on its way to failing
SENSORS = {"entry": "entry sensor", "a": "sensor of track A", "b": "sensor of track B", "exit": "exit sensor"}


def which_columns(doubtful: int) -> str:
    """The doubtful columns, counted from one: `columns 3 and 7`."""
    numbers = [str(column + 1) for column in range(16) if doubtful >> column & 1]
    if not numbers:
        return ""
    return f"column {numbers[0]}" if len(numbers) == 1 else f"columns {', '.join(numbers[:-1])} and {numbers[-1]}"


_SEEN: tuple[End, ...] = ("acknowledged", "new_shoe")
_CRITICAL_CASES = ("missing_or_foreign_card", "scan_discrepancy")
_FAULT_SEVERITY: dict[str, Severity] = {"lid": "warning", "card": "warning", "decision": "warning", "sensor": "warning"}

# Those about a log or a line: while one is active, the status of the table has the first of them as its problem.
CONCERNS = ("log_stalled", "log_lost", "unreadable_event", "forged_frames", "unreadable_frames")

# Every alarm, by name.
ALARMS: dict[str, Kind] = {
    "discrepancy": Kind(
        "critical",
        "The shoe's log and the gateway's own reading of the rules differ; the coup, if it is about one, is disputed.",
        ("decision", "acknowledged"),
    ),
    "not_confirmed": Kind(
        "critical",
        "Play went on and nobody had confirmed the last coup; it is disputed.",
        ("decision", "acknowledged"),
    ),
    "not_verified": Kind("critical", "The gateway's own checks failed on an event.", ("acknowledged",)),
    "log_lost": Kind(
        "critical",
        "Events of the shoe are in no ledger: it has overwritten them, or its journal was erased.",
        ("acknowledged",),
    ),
    "log_damaged": Kind("critical", "A record of the shoe's log fails its check.", ("acknowledged",)),
    "unreadable_event": Kind(
        "critical", "An event of the shoe is none that the protocol has; it is kept as it came.", ("acknowledged",)
    ),
    "ordered_set": Kind("critical", "The first cards of a shoe look unshuffled, to the shoe or to the gateway.", _SEEN),
    "decks_differ": Kind("critical", "A check of the decks has found missing or surplus cards.", ("acknowledged",)),
    "alarm_flood": Kind(
        "critical",
        "More alarms of one name came than anybody can read; those beyond it are counted here.",
        ("acknowledged",),
    ),
    "shoe_restarted": Kind("warning", "The shoe restarted while it was open.", _SEEN),
    "coup_void": Kind("info", "A coup was declared void at the shoe.", _SEEN),
    "handed_over": Kind(
        "warning",
        "A coup in progress left for another shoe, and has come to none of this gateway.",
        ("gateway", "acknowledged"),
    ),
    "coup_came": Kind("info", "A coup in progress came from another shoe.", _SEEN),
    "reject": Kind(
        "warning",
        "Something passed the reader that is no certain card.",
        ("shoe", "acknowledged", "new_shoe"),
    ),
    "sensor_margin": Kind("warning", "A sensor still reads, with little margin.", ("acknowledged",)),
    "drawn_while_locked": Kind("warning", "A card that was due was drawn while the exit was locked by command.", _SEEN),
    "cards_too_fast": Kind("warning", "Two cards came faster than 88 mm pass at 3 m/s.", _SEEN),
    "shoe_clock": Kind("warning", "The shoe's clock went back, or does not keep time.", ("acknowledged",)),
    "gateway_clock": Kind("warning", "The gateway's clock went back.", ("acknowledged",)),
    "ledger_behind": Kind(
        "critical",
        "Entries of the gateway's ledger were missing at its start, and a person accepted that.",
        ("acknowledged",),
    ),
    "not_stored": Kind("critical", "Events of this table cannot be stored; its shoe keeps them.", ("acknowledged",)),
    "log_stalled": Kind(
        "critical", "The shoe has more in its log, and the next event does not come.", ("acknowledged",)
    ),
    "unreadable_frames": Kind("warning", "Frames come again and again that nobody can read.", ("acknowledged",)),
    "forged_frames": Kind(
        "critical", "Many frames on the line are forged, repeated or not of the shoe's session.", ("acknowledged",)
    ),
    "ledger_not_writable": Kind(
        "critical", "The gateway could not use its ledger for a while and took no events.", ("acknowledged",)
    ),
    "gateway_error": Kind(
        "warning", "The gateway met an error of its own, and began anew with this shoe.", ("acknowledged",)
    ),
    **{
        case: Kind(
            "critical" if case in _CRITICAL_CASES else "warning",
            f"Irregularity: {case.replace('_', ' ')}; the book's clause and next step go with it.",
            _SEEN,
        )
        for case in irregularities.CASES
    },
    **{
        f"fault_{fault}": Kind(_FAULT_SEVERITY.get(fault, "critical"), say.split(". ")[0].rstrip(".") + ".", ("shoe",))
        for fault, say in FAULTS.items()
        if say
    },
}

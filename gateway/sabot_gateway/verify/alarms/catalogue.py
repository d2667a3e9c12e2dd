"""Alarms in plain English: each by its name, how severe it is, what ends it; and the words that go with the shoe's."""

from typing import Literal, NamedTuple

from sabot_protocol import irregularities
from sabot_protocol.topics import Severity

from sabot_gateway.verify.alarms.shoe_texts import FAULTS

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


# Alarms of the faults that a shoe reports in HELLO; a full journal it does not.
HOLDING = tuple(f"fault_{fault}" for fault in FAULTS if fault not in ("none", "journal_full"))

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

ENDED_BY_NEW_SHOE = tuple(name for name, kind in ALARMS.items() if "new_shoe" in kind.ends)

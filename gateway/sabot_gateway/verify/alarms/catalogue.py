"""Catalogue: every alarm with its severity, its meaning and what ends it."""

from typing import Literal, NamedTuple

from sabot_protocol import irregularities
from sabot_protocol.topics import Severity

from sabot_gateway.verify.alarms.shoe_texts import CASES, FAULTS, WEAR

# acknowledged: a person has seen it. shoe: the shoe reports that its cause is gone. decision: a supervisor confirms
# or voids the coup. new_shoe: new cards are in. gateway: the gateway finds that its cause is gone. cards: the cards are
# checked or replaced, by a check of the decks or a person's record; where the book asks for that, nothing else ends it.
End = Literal["acknowledged", "shoe", "decision", "new_shoe", "gateway", "cards"]


class AlarmKind(NamedTuple):
    """What is the same for all alarms of one name."""

    severity: Severity
    means: str
    ends: tuple[End, ...]

    @property
    def lasts(self) -> bool:
        """Return True if the alarm shows a state: it is active at most once, until the state ends."""
        return "acknowledged" not in self.ends and "decision" not in self.ends


# Alarms of the faults that a shoe reports in HELLO; `journal_full` is not among them.
LOCKING = tuple(f"fault_{fault}" for fault in FAULTS if fault not in ("none", "journal_full"))

UNIT_TWICE = "unit_id_twice"
# No coup counts until the cards are checked or replaced.
FOREIGN, MISSING, SHOE_VOID = "missing_or_foreign_card", "decks_differ", "shoe_void"
_SEEN: tuple[End, ...] = ("acknowledged", "new_shoe")
_ENDS: dict[str, tuple[End, ...]] = {"misread_card": ("shoe", *_SEEN), FOREIGN: (*_SEEN, "cards")}
_CRITICAL_CASES = (FOREIGN, "scan_discrepancy")
_FAULT_SEVERITY: dict[str, Severity] = {"lid": "warning", "card": "warning", "decision": "warning", "sensor": "warning"}

# About a log or a line: while one is active, the first of them is the `problem` in the table's status.
CONCERNS = (
    "log_stalled",
    "log_lost",
    "unreadable_event",
    "forged_frames",
    "unreadable_frames",
    "message_lost",
    "line_silent",
)

# Every alarm, by name.
ALARMS: dict[str, AlarmKind] = {
    "discrepancy": AlarmKind(
        "critical",
        "The shoe's log and the gateway's own reading of the rules differ; the coup concerned is disputed.",
        ("decision", "acknowledged"),
    ),
    "not_confirmed": AlarmKind(
        "critical",
        "Play went on before the last coup was confirmed; it is disputed.",
        ("decision", "acknowledged"),
    ),
    "not_verified": AlarmKind("critical", "The gateway failed to verify an event.", ("acknowledged",)),
    "log_lost": AlarmKind(
        "critical",
        "Events of the shoe are lost: it has overwritten them, or its journal was erased.",
        ("acknowledged",),
    ),
    "log_damaged": AlarmKind("critical", "A record of the shoe's log is damaged.", ("acknowledged",)),
    "unreadable_event": AlarmKind(
        "critical", "An event of the shoe does not fit the protocol; the ledger holds it as it came.", ("acknowledged",)
    ),
    "ordered_set": AlarmKind("critical", "The first cards of a shoe look unshuffled.", _SEEN),
    "cut_depth": AlarmKind("warning", "The cutting card was not as deep in the shoe as the rulebook has it.", _SEEN),
    MISSING: AlarmKind("critical", "A check of the decks found missing or surplus cards.", ("acknowledged", "cards")),
    "alarm_flood": AlarmKind(
        "critical",
        "Too many alarms of one name; this alarm counts those that are not listed.",
        ("acknowledged",),
    ),
    "shoe_restarted": AlarmKind("warning", "The shoe restarted while it was open.", _SEEN),
    "firmware_reverted": AlarmKind(
        "warning",
        "The shoe's new firmware did not work, and the shoe went back to the firmware before it.",
        ("gateway", "acknowledged"),
    ),
    "outcome_invalid": AlarmKind(
        "warning", "A person has invalidated the outcome of an earlier coup.", ("acknowledged",)
    ),
    "cards_left": AlarmKind(
        "warning", "A coup is void for too few cards, and by its log the shoe has enough for one.", ("acknowledged",)
    ),
    "unwagered_by_order": AlarmKind(
        "warning",
        "A coup in progress became one without wagers by a person's order, and nothing in the log leads to that.",
        ("acknowledged",),
    ),
    "decided_by_word": AlarmKind(
        "critical", "A person decided a winner that the cards of the coup do not give.", ("acknowledged",)
    ),
    "coup_void": AlarmKind("info", "A coup is void.", _SEEN),
    "handed_over": AlarmKind(
        "warning",
        "A coup in progress left for another shoe and has not come to a table of this gateway.",
        ("gateway", "acknowledged"),
    ),
    "coup_came": AlarmKind("info", "A coup in progress came from another shoe.", _SEEN),
    "reject": AlarmKind(
        "warning",
        "A card was not read for certain, or something else passed the reader.",
        ("shoe", "acknowledged", "new_shoe"),
    ),
    "sensor_margin": AlarmKind("warning", "A sensor reads with little margin.", ("acknowledged",)),
    **{name: AlarmKind("warning", means, ("gateway",)) for name, means in WEAR.items()},
    "drawn_while_locked": AlarmKind(
        "warning", "A card that was due was drawn while the exit was locked by command.", _SEEN
    ),
    "exit_locked": AlarmKind(
        "info",
        "The exit is locked by command, for cards that are in doubt, or with the key of an Angel Eye.",
        ("shoe",),
    ),
    "awaiting_authorisation": AlarmKind(
        "warning", "A coup without wagers waits for a supervisor's authorisation; the exit is locked.", ("shoe",)
    ),
    "lid_open": AlarmKind("info", "A shoe was opened while its lid is open; the exit is locked.", ("shoe",)),
    "cards_too_fast": AlarmKind("warning", "Two cards came faster than a hand can draw them.", _SEEN),
    "shoe_clock": AlarmKind("warning", "The shoe's clock went back, or is wrong.", ("acknowledged",)),
    "shoe_error": AlarmKind(
        "critical", "An Angel Eye reports an error, such as an overdraw.", ("shoe", "acknowledged", "new_shoe")
    ),
    "card_outside_game": AlarmKind(
        "warning", "A card left an Angel Eye while it was in error or in set-up; it belongs to no coup.", _SEEN
    ),
    "card_kept": AlarmKind(
        "info",
        "An Angel Eye keeps a card for the next coup, or kept one that did not begin it.",
        ("shoe", "acknowledged", "new_shoe"),
    ),
    "card_sent_again": AlarmKind("warning", "An Angel Eye sent a card again while no coup was on the table.", _SEEN),
    "result_not_used": AlarmKind(
        "critical", "An Angel Eye sent a result for a coup that was not seen, or without a known meaning.", _SEEN
    ),
    "line_interrupted": AlarmKind(
        "warning", "The line to an Angel Eye was interrupted in play; coups may be missing.", _SEEN
    ),
    "gateway_clock": AlarmKind("warning", "The gateway's clock went back.", ("acknowledged",)),
    "clock_offset": AlarmKind("warning", "This PC's clock differs from its time server.", ("gateway",)),
    "clock_not_set": AlarmKind("warning", "No time server has set this PC's clock for an hour.", ("gateway",)),
    "ledger_behind": AlarmKind(
        "critical",
        "Entries of the ledger were missing at the start, and a person accepted that.",
        ("acknowledged",),
    ),
    "not_stored": AlarmKind(
        "critical",
        "Events of this table cannot be stored; the shoe keeps them, or the gateway tries them again.",
        ("acknowledged",),
    ),
    "log_stalled": AlarmKind(
        "critical", "The shoe has more events, but the next one does not come.", ("acknowledged",)
    ),
    "unreadable_frames": AlarmKind("warning", "Many frames on the line cannot be read.", ("acknowledged",)),
    "message_lost": AlarmKind(
        "warning", "The count of an Angel Eye's messages jumped: one of them is lost, perhaps.", ("acknowledged",)
    ),
    "line_silent": AlarmKind("warning", "An Angel Eye sends nothing in an open coup.", ("shoe", "acknowledged")),
    "forged_frames": AlarmKind(
        "critical", "Many frames on the line are forged, repeated, or from another session.", ("acknowledged",)
    ),
    "ledger_not_writable": AlarmKind(
        "critical", "The ledger was not writable for a while, and the gateway took no events.", ("acknowledged",)
    ),
    "gateway_error": AlarmKind(
        "warning", "The gateway had an internal error and started again with this shoe.", ("acknowledged",)
    ),
    "jackpot_not_incremented": AlarmKind(
        "critical", "A confirmed coup did not increment a jackpot as it should.", ("acknowledged",)
    ),
    UNIT_TWICE: AlarmKind(
        "critical", "Two shoes answer with one unit id, at two tables; only the first is served.", ("gateway",)
    ),
    SHOE_VOID: AlarmKind(
        "critical", "The shoe was declared void, because the sequence of its cards was revealed.", ("cards",)
    ),
    **{
        case: AlarmKind("critical" if case in _CRITICAL_CASES else "warning", CASES[case], _ENDS.get(case, _SEEN))
        for case in irregularities.CASES
    },
    **{
        f"fault_{fault}": AlarmKind(
            _FAULT_SEVERITY.get(fault, "critical"), say.split(". ")[0].rstrip(".") + ".", ("shoe",)
        )
        for fault, say in FAULTS.items()
        if say
    },
}

ENDED_BY_NEW_SHOE = tuple(name for name, kind in ALARMS.items() if "new_shoe" in kind.ends)

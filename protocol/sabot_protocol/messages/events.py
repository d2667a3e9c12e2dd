"""The events that a shoe logs, by kind; numbers.py holds their numbers."""

from typing import Final

from construct import Bytes, Int8ul, Int16ul, Mapping, Struct, Switch, this

from sabot_protocol import numbers
from sabot_protocol.fields import (
    AtMost,
    Bool,
    BootCount,
    Burn,
    Button,
    Card,
    CardFlags,
    Case,
    ClearedBy,
    CloseReason,
    Consequence,
    CoupCards,
    CoupFlags,
    CoupKind,
    CoupPlace,
    Facts,
    Fault,
    Hash,
    LinkCounters,
    Margin,
    Outcome,
    Pattern,
    Percent,
    Points,
    ReadSpeed,
    RejectReason,
    ResetCause,
    Sensor,
    ShoeNo,
    Slot,
    Small30,
    Speed,
    Tests,
    Then,
    VoidReason,
    Winner,
    described,
)
from sabot_protocol.messages.commands import COMMANDS, CommandKind, Moved, RefusedKind, Utc

EVENTS: Final = {
    "boot": described(Struct(BootCount, "cause" / ResetCause), "The shoe has started."),
    "profile_set": described(Struct("profile_hash" / Hash), "The shoe now works by this profile."),
    "shoe_opened": described(
        Struct(
            ShoeNo,
            described("card_set" / Int8ul, "card set whose code words are read"),
            "decks" / Int8ul,
            "burn" / Burn,
        ),
        "New cards were loaded and the shoe was opened, by the button New shoe or by command.",
    ),
    "card": described(
        Struct(*CoupPlace, "slot" / Slot, "card" / Card, ReadSpeed, Margin, "flags" / CardFlags),
        "A card was read without doubt as it left the exit, or was keyed in.",
    ),
    "cutting_card": described(
        Struct(
            *CoupPlace,
            described("before_first_card" / AtMost(Int8ul, 1), "1 if no card of the coup had been drawn"),
        ),
        "The cutting card has left the exit.",
    ),
    "coup": described(
        Struct(
            *CoupPlace,
            "winner" / Winner,
            "player_points" / Points,
            "banker_points" / Points,
            "flags" / CoupFlags,
            "kind" / CoupKind,
        ),
        "The coup is complete: its result, computed by the shoe from the cards.",
    ),
    "reject": described(
        Struct(
            *CoupPlace,
            "reason" / RejectReason,
            described("columns" / Int8ul, "number of columns seen; for `noise`, number of signal changes"),
            described("doubtful" / Int16ul, "columns in doubt, one bit each; the first column is bit 0"),
            ReadSpeed,
            Margin,
        ),
        "Something passed the sensors that could not be read as a card without doubt.",
    ),
    "button": described(Struct(*CoupPlace, "button" / Button), "The dealer pressed a button."),
    "shoe_closed": described(
        Struct(ShoeNo, described("coups" / Int16ul, "coups dealt from this shoe"), "reason" / CloseReason),
        "The shoe was closed: no more coups from these cards.",
    ),
    "damaged": described(
        Struct(), "The journal's record of this event failed its check. The event is lost; its number is not reused."
    ),
    "sensor": described(
        Struct(
            ShoeNo,
            "sensor" / Sensor,
            described("reads" / Int16ul, "cards read by it"),
            described("rejects" / Int16ul, "rejects in the whole shoe"),
            described("spikes" / Int16ul, "signal changes too short to count"),
            "margin_mean_pct" / Percent,
            "margin_worst_pct" / Percent,
            "speed_mean_mm_s" / Speed,
            described("speed_least_mm_s" / Speed, "slowest card"),
            described("speed_most_mm_s" / Speed, "fastest card"),
        ),
        "Statistics of one sensor over a shoe, logged when the shoe is closed. Dirt and wear show here first.",
    ),
    "self_test": described(
        Struct("passed" / Tests, described("image_hash" / Hash, "of the program in flash")),
        "Result of the self-test, at start or by command.",
    ),
    "burn": described(
        Struct(
            ShoeNo,
            "mode" / Burn,
            described("cards" / Int8ul, "number of cards burnt"),
            described("missed" / Bool, "1 if the burn was forgotten"),
        ),
        "The burn has ended.",
    ),
    "coup_kind": described(Struct(*CoupPlace, "kind" / CoupKind), "The coup about to be dealt is of this kind."),
    "coup_void": described(
        Struct(*CoupPlace, "reason" / VoidReason, "then" / Then, described("cards" / Int8ul, "cards of it drawn")),
        "The coup is void: it has no result and all stakes are returned.",
    ),
    "handed_over": described(
        Struct(
            *CoupPlace,
            "kind" / CoupKind,
            described("import" / Bool, "1 at the shoe that continues the coup, 0 at the shoe it left"),
            "cards" / CoupCards,
            *Moved,
        ),
        "A coup in progress moved to another shoe, or came from one. It is not void and its wagers stand.",
    ),
    "fault": described(
        Struct(
            "fault" / Fault,
            described("detail" / Int16ul, "a number for the workshop, by fault"),
        ),
        "A fault has locked the exit until it is cleared.",
    ),
    "fault_cleared": described(Struct("fault" / Fault, "by" / ClearedBy), "The fault was cleared."),
    "key": described(Struct(described("on" / Bool, "1 turned on, 0 turned off")), "The supervisor's key was turned."),
    "lid": described(Struct(described("open" / Bool, "1 opened, 0 closed")), "The lid was opened or closed."),
    "lock": described(
        Struct(described("on" / Bool, "1 locked, 0 released")),
        "The exit was locked or released by command. Locks that follow from the draw rules are not logged.",
    ),
    "command_done": described(
        Struct(
            "command_id" / Small30,
            "command" / CommandKind,
            "outcome" / Outcome,
            described("data" / Switch(this.command, COMMANDS), "the command's fields as sent"),
        ),
        "A command was done. The same command sent again is not done again.",
    ),
    "health": described(
        Struct(
            described("heap_free_bytes" / Small30, "free heap after a garbage collection"),
            described("heap_least_bytes" / Small30, "least free heap since the start"),
            described("round_most_us" / Small30, "longest round of the main loop since the last `health` event"),
            *LinkCounters,
        ),
        "Counters of the controller, logged when a shoe is closed.",
    ),
    "irregularity": described(
        Struct(*CoupPlace, "case" / Case, "facts" / Facts, "code" / Consequence),
        "An irregularity that the rulebook has a clause for, and its consequence.",
    ),
    "time_set": described(Struct(*Utc), "The gateway's clock at the shoe time in the frame's `time_ms`."),
    "ordered_set": described(
        Struct(ShoeNo, "pattern" / Pattern, described("cards" / Int8ul, "number of cards that show the pattern")),
        "The first cards look unshuffled.",
    ),
    "deck_check": described(
        Struct(
            ShoeNo,
            "card" / Card,
            described("seen" / Int8ul, "copies seen"),
            described("expected" / Int8ul, "copies that the decks hold"),
        ),
        "A deck check found this card missing or surplus.",
    ),
    "composition": described(
        Struct(
            ShoeNo,
            described("half" / AtMost(Int8ul, 1), "0: clubs and diamonds, 1: hearts and spades"),
            described("counts" / Bytes(13), "4 bits for each card"),
        ),
        "How often each card has been drawn; logged before a checkpoint.",
    ),
    "checkpoint": described(
        Struct(
            *CoupPlace,
            "decks" / Int8ul,
            described("cards_out" / Int16ul, "cards drawn so far"),
            described("coups_left" / Int8ul, "coups left after the cutting card, this one included"),
            "kind" / CoupKind,
            described("authorised" / Int8ul, "authorisations not yet used"),
            described("locked" / Bool, "1 if the exit is locked by command"),
            described("before" / Int8ul, "cards of the previous coup, while it can still be voided"),
        ),
        "The state of a long shoe between two coups, so that older events may be overwritten.",
    ),
    "checked": described(
        Struct(
            ShoeNo,
            described("cards" / Int16ul, "cards fed through"),
            described("differences" / Int8ul, "cards whose count is wrong"),
        ),
        "A deck check has ended.",
    ),
    "command_refused": described(
        Struct(
            "command_id" / Small30,
            described("command" / RefusedKind, "0 if the shoe does not know it"),
            "outcome" / Outcome,
        ),
        "A command was refused, with the reason; nothing has changed.",
    ),
}
EventKind = Mapping(Int8ul, numbers.EVENTS)

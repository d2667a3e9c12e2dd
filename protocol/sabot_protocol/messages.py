"""THE definition of every message between shoe and gateway; its hash is the protocol version in HELLO.

Numbers are little-endian and stay below 2**30, so that a 32-bit MicroPython holds them without allocating.
An EVENT carries an event number that never repeats for a unit; ACK n means "durable up to and including n".
"""

import json
from functools import cache
from hashlib import sha256
from typing import Any, Final

from construct import (
    Bytes,
    Int8ul,
    Int16ul,
    Mapping,
    Struct,
    Switch,
    Terminated,
    this,
)

from sabot_protocol import irregularities, numbers
from sabot_protocol.fields import (
    HASH_BYTES,
    AtMost,
    Bool,
    Burn,
    BurnModes,
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
    EventNo,
    Facts,
    Fault,
    Hash,
    Margin,
    Millis,
    Nonce,
    OrderedBy,
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
    Switches,
    Tests,
    Then,
    Unit,
    VoidReason,
    Winner,
    said,
)
from sabot_protocol.layout import description, layout_of

CODES_BYTES: Final = sum(2 ** len(facts) for facts in irregularities.CASES.values())
# What moves to another shoe beside the coup itself.
Moved: Final = (
    "decks" / AtMost(Int8ul, 8),
    said("cards_out" / Int16ul, "of these decks, the coup's own included"),
    said("coups_left" / Int8ul, "from the cutting card on, this one included; 0 before it"),
    said("awaiting" / Bool, "1 if a supervisor must still authorise the coup"),
)
AUTHENTICATED: Final = 1  # the flag of a frame that has a MAC behind its body

# What a shoe must know of its house; the gateway sends it, the shoe works by it.
Profile = Struct(
    "rulebook_hash" / Hash,
    "card_set" / Int8ul,
    "decks" / Int8ul,
    said("burn" / Burn, "unless the one who opens the shoe says otherwise"),
    said("burn_modes" / BurnModes, "that the book permits"),
    "switches" / Switches,
    said("unwagered" / CoupKind, "what the book calls a coup without wagers"),
    said("ordered" / OrderedBy, "cases in which the book itself orders one: no word of a supervisor is awaited"),
    said("codes" / Bytes(CODES_BYTES), "what follows, by case and facts: a Consequence for each combination"),
)

# Commands, by kind, numbered in numbers.py: each has an id, is done once, and ends as
# event command_done or command_refused.
COMMANDS: Final = {
    "set_time": said(
        Struct(said("utc_s" / Small30, "seconds since 2020-01-01"), said("utc_ms" / Millis, "and milliseconds")),
        "The gateway's clock, now; logged as time_set.",
    ),
    "open_shoe": said(
        Struct("decks" / AtMost(Int8ul, 8), "burn" / Burn),
        "New cards are in: as the button New shoe, with these decks.",
    ),
    "close_shoe": said(Struct(), "No more coups from this shoe."),
    "lock": said(Struct(), "Hold the exit until unlocked."),
    "unlock": said(Struct(), "End what lock began."),
    "confirm": said(Struct(), "As the dealer's Confirm."),
    "clear_fault": said(Struct("fault" / Fault), "The supervisor has seen to it; the coup goes on where it was."),
    "void_coup": said(
        Struct("reason" / VoidReason, "then" / Then), "The coup on the table has no result, as a supervisor decided."
    ),
    "no_bet": said(Struct("kind" / CoupKind), "The next coup is of this kind."),
    "key_card": said(
        Struct("card" / Card, said("flags" / CardFlags, "face_up and exposed are taken")),
        "The card that the shoe could not read, by value and suit.",
    ),
    "authorise": said(
        Struct(said("times" / Int8ul, "so many coups or keyed cards")),
        "A supervisor allows what the book puts under his word: a dummy coup, a keyed card.",
    ),
    "irregularity": said(
        Struct("case" / Case, "facts" / Facts),
        "The dealer or the supervisor reports a case, or corrects the one the shoe took it for.",
    ),
    "export_coup": said(
        Struct(), "The coup in progress and all cards move to another shoe; logged as handed_over, and the shoe closes."
    ),
    "import_coup": said(
        Struct("coup_no" / Int16ul, "kind" / CoupKind, "cards" / CoupCards, *Moved),
        "The coup of another shoe goes on here, under its number and without a burn; opens a shoe if none is open.",
    ),
    "self_test": said(Struct(), "Examine yourself; logged as self_test."),
    "reboot": said(Struct(), "Start again, once this is logged."),
    "burn_card": said(Struct(), "The next card is burnt, before the first of the coup."),
    "card_returned": said(Struct(), "The surplus card was put back into the shoe, and will come out again."),
    "deck_check": said(
        Struct(said("on" / Bool, "1 begins, 0 ends"), "decks" / AtMost(Int8ul, 8)),
        "Every card is fed through once; what is missing or surplus is logged.",
    ),
    "this_no_bet": said(Struct(), "The coup in progress goes on without wagers, where the book has a clause for that."),
}
CommandKind = Mapping(Int8ul, numbers.COMMANDS)
# Of a command that was refused; 0 where its number is none of these.
RefusedKind = Mapping(Int8ul, {"unknown": 0, **numbers.COMMANDS})

# Events, by kind: what the shoe logs, numbered in numbers.py.
EVENTS: Final = {
    "boot": said(
        Struct(said("boot_count" / Int16ul, "starts of this unit"), "cause" / ResetCause), "The shoe has started."
    ),
    "profile_set": said(Struct("profile_hash" / Hash), "The shoe now works by this profile."),
    "shoe_opened": said(
        Struct(
            ShoeNo,
            said("card_set" / Int8ul, "whose code words are read"),
            "decks" / Int8ul,
            "burn" / Burn,
        ),
        "The dealer put cards in and pressed New shoe.",
    ),
    "card": said(
        Struct(*CoupPlace, "slot" / Slot, "card" / Card, ReadSpeed, Margin, "flags" / CardFlags),
        "A certain card has left the exit, or was keyed in.",
    ),
    "cutting_card": said(
        Struct(*CoupPlace, said("before_first_card" / AtMost(Int8ul, 1), "1 if no card of the coup was out")),
        "The cutting card has left the exit.",
    ),
    "coup": said(
        Struct(
            *CoupPlace,
            "winner" / Winner,
            "player_points" / Points,
            "banker_points" / Points,
            "flags" / CoupFlags,
            "kind" / CoupKind,
        ),
        "The coup is complete: what the shoe makes of its cards.",
    ),
    "reject": said(
        Struct(
            *CoupPlace,
            "reason" / RejectReason,
            said("columns" / Int8ul, "how many were seen; of noise, how many changes"),
            said("doubtful" / Int16ul, "a bit a column, the first is bit 0"),
            ReadSpeed,
            Margin,
        ),
        "Something happened in the path that is no certain card.",
    ),
    "button": said(Struct(*CoupPlace, "button" / Button), "A button of the dealer was pressed."),
    "shoe_closed": said(
        Struct(ShoeNo, said("coups" / Int16ul, "dealt from it"), "reason" / CloseReason), "No more coups."
    ),
    "damaged": said(Struct(), "The journal's record of this event failed its check: what it was is lost."),
    "sensor": said(
        Struct(
            ShoeNo,
            "sensor" / Sensor,
            said("reads" / Int16ul, "cards that counted"),
            said("rejects" / Int16ul, "of the whole shoe"),
            said("spikes" / Int16ul, "changes that did not last"),
            "margin_mean_pct" / Percent,
            "margin_worst_pct" / Percent,
            "speed_mean_mm_s" / Speed,
            "speed_least_mm_s" / Speed,
            "speed_most_mm_s" / Speed,
        ),
        "What a sensor saw of a shoe, one event a sensor when it is closed: dirt and age show here first.",
    ),
    "self_test": said(
        Struct("passed" / Tests, said("image_hash" / Hash, "of the program in flash")),
        "What the shoe found when it examined itself, at start or when told to.",
    ),
    "burn": said(
        Struct(
            ShoeNo, "mode" / Burn, said("cards" / Int8ul, "that were burnt"), said("missed" / Bool, "1 if forgotten")
        ),
        "The burn is over.",
    ),
    "coup_kind": said(
        Struct(*CoupPlace, "kind" / CoupKind), "The coup about to be dealt is of this kind from its first card on."
    ),
    "coup_void": said(
        Struct(*CoupPlace, "reason" / VoidReason, "then" / Then, said("cards" / Int8ul, "of it were out")),
        "The coup has no result: stakes are returned.",
    ),
    "handed_over": said(
        Struct(
            *CoupPlace,
            "kind" / CoupKind,
            said("import" / Bool, "1 at the shoe that goes on"),
            "cards" / CoupCards,
            *Moved,
        ),
        "A coup in progress moved to another shoe, or came from one: it is not void, and its wagers stand.",
    ),
    "fault": said(
        Struct("fault" / Fault, said("detail" / Int16ul, "by fault: a number for the workshop")),
        "The exit is locked until the fault is cleared.",
    ),
    "fault_cleared": said(Struct("fault" / Fault, "by" / ClearedBy), "The fault is over."),
    "key": said(Struct(said("on" / Bool, "1 turned, 0 turned back")), "The supervisor's key."),
    "lid": said(Struct(said("open" / Bool, "1 opened, 0 shut")), "The lid of the shoe."),
    "lock": said(
        Struct(said("on" / Bool, "1 locked, 0 released")),
        "The exit was locked or released by command; what the draw order does is not told.",
    ),
    "command_done": said(
        Struct(
            "command_id" / Small30,
            "command" / CommandKind,
            "outcome" / Outcome,
            said("data" / Switch(this.command, COMMANDS), "as it was sent"),
        ),
        "A command was done; the same one sent again is not done again.",
    ),
    "health": said(
        Struct(
            said("heap_free_bytes" / Small30, "after a collection"),
            said("heap_least_bytes" / Small30, "the least it has been since the start"),
            said("round_most_us" / Small30, "the longest turn of the loop since the last such event"),
            said("crc_errors" / Int16ul, "frames that came in damaged"),
            said("resends" / Int16ul, "how often events were sent again"),
            said("refused" / Int16ul, "frames without a right MAC, sent before, or unknown"),
            said("sample_overruns" / Int16ul, "changes of the sensors that found no room"),
        ),
        "Counters of the controller, when a shoe is closed.",
    ),
    "irregularity": said(
        Struct(*CoupPlace, "case" / Case, "facts" / Facts, "code" / Consequence),
        "Something the rules of the house have a clause for, and what follows from it.",
    ),
    "time_set": said(
        Struct(said("utc_s" / Small30, "seconds since 2020-01-01"), said("utc_ms" / Millis, "and milliseconds")),
        "The frame's `time_ms` was this moment by the gateway's clock.",
    ),
    "ordered_set": said(
        Struct(ShoeNo, "pattern" / Pattern, said("cards" / Int8ul, "that show it")),
        "The first cards look unshuffled.",
    ),
    "deck_check": said(
        Struct(ShoeNo, "card" / Card, said("seen" / Int8ul, "in all"), said("expected" / Int8ul, "by its decks")),
        "A check of the decks has found this card missing or surplus.",
    ),
    "composition": said(
        Struct(
            ShoeNo,
            said("half" / AtMost(Int8ul, 1), "0: clubs and diamonds"),
            said("counts" / Bytes(13), "4 bits a card"),
        ),
        "How often each card has come out, before a checkpoint.",
    ),
    "checkpoint": said(
        Struct(
            *CoupPlace,
            "decks" / Int8ul,
            said("cards_out" / Int16ul, "so far"),
            said("coups_left" / Int8ul, "from the cutting card on, this one included"),
            "kind" / CoupKind,
            said("authorised" / Int8ul, "words of a supervisor not yet used"),
            said("locked" / Bool, "by command"),
            said("before" / Int8ul, "cards of the coup before, while it may still be declared void"),
        ),
        "Where a long shoe stands between two coups, so that the log before it may be overwritten.",
    ),
    "checked": said(
        Struct(ShoeNo, said("cards" / Int16ul, "fed through"), said("differences" / Int8ul, "cards that do not agree")),
        "A check of the decks is over.",
    ),
    "command_refused": said(
        Struct("command_id" / Small30, said("command" / RefusedKind, "0 if it is none of them"), "outcome" / Outcome),
        "A command was not done, and why; nothing has changed.",
    ),
}
EventKind = Mapping(Int8ul, numbers.EVENTS)

# Frames, by type, numbered in numbers.py.
FrameType = Mapping(Int8ul, numbers.FRAMES)
FRAMES: Final = {
    "hello": said(
        Struct(
            said("unit" / Unit, "the controller's own number"),
            said("boot_count" / Int16ul, "starts of this unit"),
            said("protocol_hash" / Hash, "must be the gateway's own"),
            said("profile_hash" / Hash, "of the profile it works by; zeros for none"),
            said("firmware_version" / Bytes(3), "major, minor, patch"),
            said("next_event_no" / EventNo, "what the next event will be numbered"),
            said("oldest_event_no" / EventNo, "the first that can still be sent"),
            said("crc_errors" / Int16ul, "frames that came in damaged"),
            said("resends" / Int16ul, "how often it began again from the first event not acknowledged"),
            said("refused" / Int16ul, "frames without a right MAC, sent before, or unknown"),
            said("sample_overruns" / Int16ul, "changes of the sensors that found no room"),
            said("last_command_id" / Small30, "the last command it has done"),
            "cause" / ResetCause,
            said("fault" / Fault, "that holds the exit now"),
            said("gateway_nonce" / Nonce, "of the WHO it answers; zeros where nobody asked"),
            said("shoe_nonce" / Nonce, "of the session that it offers"),
        ),
        "The shoe introduces itself: at start, when asked, and until it is welcomed.",
    ),
    "event": said(
        Struct(
            said("event_no" / EventNo, "never repeats for a unit"),
            "kind" / EventKind,
            said("data" / Switch(this.kind, EVENTS), "by kind"),
        ),
        "An event of the shoe's log; `time_ms` of the frame is when it happened.",
    ),
    "alive": said(Struct(), "Nothing to say, but there: sent once a second while nothing else is."),
    "busy": said(
        Struct(said("gateway" / Unit, "that serves this shoe"), said("nonce" / Nonce, "of the WHO it answers")),
        "Another gateway serves this shoe and was heard within five seconds.",
    ),
    "who": said(
        Struct(
            said("gateway" / Unit, "who asks: a gateway keeps its own"), said("nonce" / Nonce, "used for one session")
        ),
        "The gateway asks who is there; the shoe answers HELLO, and goes on as it was until WELCOME.",
    ),
    "welcome": said(
        Struct(
            said("protocol_hash" / Hash, "the gateway's own"),
            said("shoe_nonce" / Nonce, "of the HELLO it answers: the session begins"),
            said("durable_event_no" / EventNo, "the shoe goes on with the next"),
        ),
        "The gateway has checked HELLO and holds everything up to `durable_event_no`.",
    ),
    "ack": said(
        Struct("event_no" / EventNo),
        "Everything up to and including this event is durable; repeated once a second to keep the session.",
    ),
    "set_profile": said(
        Struct(said("profile_hash" / Hash, "of the profile below"), "profile" / Profile),
        "Ends as event profile_set, which comes when no shoe is open; repeated until then.",
    ),
    "command": said(
        Struct(
            said("command_id" / Small30, "rises; one that is not above the last is not done again"),
            "kind" / CommandKind,
            said("data" / Switch(this.kind, COMMANDS), "by kind"),
        ),
        "What a supervisor or the house wants of the shoe; repeated until command_done or command_refused.",
    ),
    "resend": said(Struct("event_no" / EventNo), "An event is missing: go on from this one."),
}
Frame = Struct(
    "type" / FrameType,
    said("flags" / AtMost(Int8ul, AUTHENTICATED), "1: eight bytes of HMAC stand between the body and the CRC"),
    said("seq" / Int16ul, "counts frames of this sender in this session; with a MAC it must rise"),
    said("time_ms" / Small30, "of the sender's clock; of an event: when it happened"),
    said("body" / Switch(this.type, FRAMES), "by type"),
    Terminated,
)


# The definition as plain values: other modules read these and leave the constructs alone.
LAYOUT: Final = layout_of(Frame)
FRAME_LAYOUTS: Final = LAYOUT.cases()
EVENT_LAYOUTS: Final = FRAME_LAYOUTS["event"].cases()
COMMAND_LAYOUTS: Final = FRAME_LAYOUTS["command"].cases()
PROFILE_LAYOUT: Final = layout_of(Profile)


@cache
def protocol_hash() -> bytes:
    """Eight bytes that change whenever the definition does."""
    text = json.dumps(description(LAYOUT), separators=(",", ":"))
    return sha256(text.encode()).digest()[:HASH_BYTES]


def profile_hash(profile: dict[str, Any]) -> bytes:
    """Eight bytes that name a profile, the same on both sides."""
    return sha256(Profile.build(profile)).digest()[:HASH_BYTES]

"""The frames between shoe and gateway, by type, and the protocol hash; numbers.py holds their numbers."""

import json
from functools import cache
from hashlib import sha256
from typing import Final

from construct import Bytes, Int8ul, Int16ul, Mapping, Struct, Switch, Terminated, this

from sabot_protocol import numbers
from sabot_protocol.fields import (
    HASH_BYTES,
    AtMost,
    Bool,
    BootCount,
    EventNo,
    Fault,
    Hash,
    LinkCounters,
    Nonce,
    ResetCause,
    Small30,
    Unit,
    UpdateState,
    described,
)
from sabot_protocol.layout import description, layout_of
from sabot_protocol.messages.commands import COMMANDS, CommandKind
from sabot_protocol.messages.events import EVENTS, EventKind
from sabot_protocol.messages.profile import Profile

AUTHENTICATED: Final = 1  # flag: a MAC follows the body

SIGNATURE_BYTES: Final = 64
DATA_BYTES: Final = 96
# What a publisher signs of an image (sabot_protocol.firmware.signed).
Manifest: Final = (
    described("version" / Bytes(3), "major, minor, patch"),
    described("length" / Small30, "bytes of the archive"),
    described("image_hash" / Hash, "of the program in it, as the self-test computes it"),
    described("sha256" / Bytes(32), "of the archive"),
)

FrameType = Mapping(Int8ul, numbers.FRAMES)
FRAMES: Final = {
    "hello": described(
        Struct(
            described("unit" / Unit, "unit id of the shoe's controller"),
            BootCount,
            described("protocol_hash" / Hash, "must equal the gateway's own"),
            described("profile_hash" / Hash, "of the profile in use; zeros if none"),
            described("firmware_version" / Bytes(3), "major, minor, patch"),
            described("image_hash" / Hash, "of the program that runs"),
            described("next_event_no" / EventNo, "number of the next event to be logged"),
            described("oldest_event_no" / EventNo, "oldest event still held"),
            *LinkCounters,
            described("last_command_id" / Small30, "last command done"),
            "cause" / ResetCause,
            described("fault" / Fault, "fault that locks the exit now"),
            described("gateway_nonce" / Nonce, "from the WHO that this answers; zeros if unsolicited"),
            described("shoe_nonce" / Nonce, "of the session that the shoe offers"),
        ),
        "The shoe introduces itself: at start, in answer to WHO, and repeatedly until WELCOME.",
    ),
    "event": described(
        Struct(
            described("event_no" / EventNo, "never repeats for a unit"),
            "kind" / EventKind,
            described("data" / Switch(this.kind, EVENTS), "by kind"),
        ),
        "An event from the shoe's log; the frame's `time_ms` is when it happened.",
    ),
    "alive": described(Struct(), "Keep-alive: sent after a second in which the shoe sent nothing else."),
    "busy": described(
        Struct(
            described("gateway" / Unit, "id of the gateway that serves this shoe"),
            described("nonce" / Nonce, "from the WHO that this answers"),
        ),
        "Another gateway serves this shoe and has sent a frame within the last five seconds.",
    ),
    "update_state": described(
        Struct(
            described("image_hash" / Hash, "of the image that is being received; zeros if none"),
            "state" / UpdateState,
            described("received" / Small30, "bytes of the archive that are received"),
        ),
        "How far an update is; answers every `update` and `update_data`, and is sent when the state changes.",
    ),
    "who": described(
        Struct(
            described("gateway" / Unit, "id of the gateway; it never changes"),
            described("nonce" / Nonce, "used for one session only"),
        ),
        "The gateway asks which shoe is connected. The shoe answers HELLO; a running session continues until WELCOME.",
    ),
    "welcome": described(
        Struct(
            described("protocol_hash" / Hash, "the gateway's own"),
            described("shoe_nonce" / Nonce, "from the HELLO that this answers: the session begins"),
            described("durable_event_no" / EventNo, "the shoe continues with the event after this one"),
        ),
        "The gateway has checked HELLO and has stored everything up to `durable_event_no`.",
    ),
    "ack": described(
        Struct("event_no" / EventNo),
        "Everything up to and including this event is durable. Repeated every second as a keep-alive.",
    ),
    "set_profile": described(
        Struct(described("profile_hash" / Hash, "of the profile below"), "profile" / Profile),
        "Ends as event `profile_set`, which is logged once no shoe is open; repeated until then.",
    ),
    "command": described(
        Struct(
            described("command_id" / Small30, "rises; an id not above the last one is not done again"),
            "kind" / CommandKind,
            described("data" / Switch(this.kind, COMMANDS), "by kind"),
        ),
        "A command to the shoe; repeated until event `command_done` or `command_refused`.",
    ),
    "resend": described(Struct("event_no" / EventNo), "An event is missing: send again from this one."),
    "update": described(
        Struct(
            described("allow_older" / Bool, "1: also if the running image is newer"),
            *Manifest,
            described("signature" / Bytes(SIGNATURE_BYTES), "of the publisher, over the four fields above"),
        ),
        "Receive this image, or go on with it. Nothing is written before the signature is checked.",
    ),
    "update_data": described(
        Struct(
            described("offset" / Small30, "must be `received` of the last `update_state`"),
            described("part" / Bytes(DATA_BYTES), "of the archive; zeros after its end"),
        ),
        "The next part of the archive. Any other offset is answered and changes nothing.",
    ),
}
Frame = Struct(
    "type" / FrameType,
    described("flags" / AtMost(Int8ul, AUTHENTICATED), "1: an eight-byte MAC is between the body and the CRC"),
    described("seq" / Int16ul, "counts this sender's frames in this session; with a MAC it must rise"),
    described("time_ms" / Small30, "the sender's clock; for an event, when it happened"),
    described("body" / Switch(this.type, FRAMES), "by type"),
    Terminated,
)

# The definition as plain values: other modules read these, not the constructs.
LAYOUT: Final = layout_of(Frame)
FRAME_LAYOUTS: Final = LAYOUT.cases()
EVENT_LAYOUTS: Final = FRAME_LAYOUTS["event"].cases()
COMMAND_LAYOUTS: Final = FRAME_LAYOUTS["command"].cases()


@cache
def protocol_hash() -> bytes:
    """Return eight bytes made of all names, formats, numbers and bounds; descriptions do not count."""
    text = json.dumps(description(LAYOUT), separators=(",", ":"))
    return sha256(text.encode()).digest()[:HASH_BYTES]

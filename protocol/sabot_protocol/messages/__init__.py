"""THE definition of every message between shoe and gateway; its hash is the protocol version in HELLO.

Numbers are little-endian and stay below 2**30, so that a 32-bit MicroPython holds them without allocating.
An EVENT carries an event number that never repeats for a unit; ACK n means "durable up to and including n".
"""

from sabot_protocol.messages.commands import COMMANDS, CommandKind
from sabot_protocol.messages.events import EVENTS, EventKind
from sabot_protocol.messages.frames import (
    AUTHENTICATED,
    COMMAND_LAYOUTS,
    EVENT_LAYOUTS,
    FRAME_LAYOUTS,
    FRAMES,
    LAYOUT,
    Frame,
    FrameType,
    protocol_hash,
)
from sabot_protocol.messages.profile import CODES_BYTES, PROFILE_LAYOUT, Profile, profile_hash

__all__ = [
    "AUTHENTICATED",
    "CODES_BYTES",
    "COMMANDS",
    "COMMAND_LAYOUTS",
    "EVENTS",
    "EVENT_LAYOUTS",
    "FRAMES",
    "FRAME_LAYOUTS",
    "LAYOUT",
    "PROFILE_LAYOUT",
    "CommandKind",
    "EventKind",
    "Frame",
    "FrameType",
    "Profile",
    "profile_hash",
    "protocol_hash",
]

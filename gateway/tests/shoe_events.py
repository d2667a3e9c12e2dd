"""A shoe as the gateway's tests need it: frames, and events of whole coups."""

from typing import Any

from sabot_gateway import parse
from sabot_gateway.parse import Event
from sabot_protocol import framing, messages, rulebooks

UNIT = "5ab0000000000001"
BOOK = rulebooks.load("star-baccarat")
PROFILE = BOOK.profile(8, 1)
FLAGS = {"player_pair": False, "banker_pair": False, "natural": False, "last_coup": False}
SLOTS = ("player_1", "banker_1", "player_2", "banker_2", "player_3", "banker_3")


def frame(kind: str, body: dict[str, Any]) -> bytes:
    return bytes(messages.Frame.build({"type": kind, "flags": 0, "seq": 0, "time_ms": 1000, "body": body}))


def hello(**changes: Any) -> bytes:
    body: dict[str, Any] = {
        "unit": bytes.fromhex(UNIT),
        "boot_count": 1,
        "protocol_hash": messages.protocol_hash(),
        "profile_hash": bytes(8),
        "firmware_version": bytes(3),
        "next_event_no": 10,
        "oldest_event_no": 1,
        "crc_errors": 0,
        "resends": 0,
        "sample_overruns": 0,
    }
    return framing.encode(frame("hello", {**body, **changes}))


def event_frame(event_no: int, kind: str, **data: Any) -> bytes:
    return frame("event", {"event_no": event_no, "kind": kind, "data": data})


def event(event_no: int, kind: str, **data: Any) -> Event:
    return parse.event(UNIT, parse.frame(event_frame(event_no, kind, **data)))


def cards(first_no: int, dealt: str, slots: tuple[str, ...] = SLOTS, coup_no: int = 1) -> list[Event]:
    """Card events of one coup, in these slots."""
    return [
        event(first_no + i, "card", shoe_no=1, coup_no=coup_no, slot=slot, card=card, speed_mm_s=900, margin_pct=80)
        for i, (card, slot) in enumerate(zip(dealt.split(), slots, strict=False))
    ]


def result(event_no: int, winner: str, player: int, banker: int, **flags: bool) -> Event:
    return event(
        event_no,
        "coup",
        shoe_no=1,
        coup_no=1,
        winner=winner,
        player_points=player,
        banker_points=banker,
        flags={**FLAGS, **flags},
    )

"""A shoe for the gateway's tests: its end of the link, frames, and events of whole coups."""

from collections.abc import Iterator
from itertools import count
from typing import Any

from sabot_gateway.shoe import parse
from sabot_gateway.shoe.link import ShoeLink
from sabot_gateway.shoe.parse import Event, Frame
from sabot_protocol import framing, messages, rulebooks
from sabot_protocol.auth import TO_GATEWAY, Seal

UNIT = "5ab0000000000001"
GATEWAY = bytes.fromhex("6a7e000000000001")
KEY, OTHER_KEY = bytes(range(32)), bytes(range(1, 33))
BOOK = rulebooks.load("star-baccarat")
PROFILE = BOOK.profile(8, 1)
KNOWN = messages.profile_hash(PROFILE)
FLAGS = {"player_pair": False, "banker_pair": False, "natural": False, "last_coup": False}
SLOTS = ("player_1", "banker_1", "player_2", "banker_2", "player_3", "banker_3")
NOBODY = bytes(8)


def frame(kind: str, body: dict[str, Any], seq: int = 0, flags: int = 0) -> bytes:
    return bytes(messages.Frame.build({"type": kind, "flags": flags, "seq": seq, "time_ms": 1000, "body": body}))


def hello_body(**changes: Any) -> dict[str, Any]:
    """Return the body of a HELLO that answers no gateway."""
    return {
        "unit": bytes.fromhex(UNIT),
        "boot_count": 1,
        "protocol_hash": messages.protocol_hash(),
        "profile_hash": KNOWN,
        "firmware_version": bytes(3),
        "image_hash": bytes(8),
        "next_event_no": 10,
        "oldest_event_no": 1,
        "crc_errors": 0,
        "resends": 0,
        "refused": 0,
        "sample_overruns": 0,
        "last_command_id": 0,
        "cause": "power",
        "fault": "none",
        "gateway_nonce": NOBODY,
        "shoe_nonce": NOBODY,
        **changes,
    }


class Shoe:
    """One shoe's end of the line: offers sessions, and seals its frames with its key."""

    def __init__(self, key: bytes | None = None) -> None:
        self.key = key
        self._seal: Seal | None = None
        self._seqs: Iterator[int] = count()
        self._offers = count(1)
        self.nonces = (NOBODY, NOBODY)

    def say(self, kind: str, body: dict[str, Any] | None = None, seq: int | None = None) -> bytes:
        """Return a frame of the session, as sent."""
        raw = frame(kind, body or {}, next(self._seqs) if seq is None else seq, int(self._seal is not None))
        return framing.encode(raw + self._seal.mac(raw) if self._seal else raw)

    def hello(self, gateway_nonce: bytes = NOBODY, **changes: Any) -> bytes:
        """Offer a session to the gateway that sent WHO with this nonce."""
        self._seqs, self._seal = count(), None
        self.nonces = (gateway_nonce, next(self._offers).to_bytes(8, "little"))
        if gateway_nonce == NOBODY:
            return self.say("hello", hello_body(**changes))
        if self.key is not None:
            self._seal = Seal(self.key, TO_GATEWAY, *self.nonces)
        return self.hello_again(**changes)

    def hello_again(self, **changes: Any) -> bytes:
        """Offer the same session again."""
        gateway_nonce, shoe_nonce = self.nonces
        return self.say("hello", hello_body(gateway_nonce=gateway_nonce, shoe_nonce=shoe_nonce, **changes))

    def event(self, event_no: int, kind: str, /, **data: Any) -> bytes:
        """Return the frame of an event."""
        return self.say("event", {"event_no": event_no, "kind": kind, "data": data})

    def logged(self, event: Event) -> bytes:
        """Return the frame of an event that exists already, in this session."""
        return self.event(event.event_no, event.kind, **event.data)

    def button(self, *event_nos: int) -> bytes:
        """Return the frames of these events, all Confirm."""
        return b"".join(self.event(no, "button", shoe_no=1, coup_no=1, button="confirm") for no in event_nos)


def frames_in(data: bytes) -> list[Frame]:
    """Return the gateway's frames in these bytes."""
    return [parse.sealed_frame(raw) for raw in framing.Deframer().feed(data)]


def sent(link: ShoeLink) -> list[Frame]:
    """Take the frames that the gateway sends."""
    data = link.output()
    link.written(len(data))
    return frames_in(data)


def kinds(link: ShoeLink) -> list[str]:
    """Take the frames that the gateway sends; return their types."""
    return [frame.type for frame in sent(link)]


def who_nonce(link: ShoeLink, now_s: float) -> bytes:
    """Return the nonce of the WHO that the gateway sends now."""
    link.tick(now_s)
    nonce: bytes = next(frame.body["nonce"] for frame in sent(link) if frame.type == "who")
    return nonce


def event_frame(event_no: int, kind: str, /, **data: Any) -> bytes:
    return frame("event", {"event_no": event_no, "kind": kind, "data": data})


def event(event_no: int, kind: str, /, **data: Any) -> Event:
    return parse.event(UNIT, parse.frame(event_frame(event_no, kind, **data)))


def cards(first_no: int, dealt: str, slots: tuple[str, ...] = SLOTS, coup_no: int = 1) -> list[Event]:
    """Return the card events of one coup, in these slots."""
    seen = {"speed_mm_s": 900, "margin_pct": 80, "flags": {}}
    return [
        event(first_no + i, "card", shoe_no=1, coup_no=coup_no, slot=slot, card=card, **seen)
        for i, (card, slot) in enumerate(zip(dealt.split(), slots, strict=False))
    ]


def result(event_no: int, winner: str, player: int, banker: int, coup_no: int = 1, **flags: bool) -> Event:
    return event(
        event_no,
        "coup",
        shoe_no=1,
        coup_no=coup_no,
        winner=winner,
        player_points=player,
        banker_points=banker,
        flags={**FLAGS, **flags},
        kind="live",
    )

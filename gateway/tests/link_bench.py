"""A link without a port, and a shoe that it serves; for tests of the link."""

from itertools import count
from typing import Any

from sabot_gateway.shoe.link import ShoeLink
from shoe_events import (
    GATEWAY,
    PROFILE,
    Shoe,
    sent,
    who_nonce,
)  # fmt: skip


def new_link(durable: int = 0, *keys: bytes) -> ShoeLink:
    numbers = count(1)
    return ShoeLink(PROFILE, lambda unit: durable, GATEWAY, lambda unit: keys, lambda: next(numbers).to_bytes(8, "big"))


def greet(link: ShoeLink, shoe: Shoe, now_s: float = 0.0, **changes: Any) -> None:
    """Let the shoe answer, be welcomed, and use the session."""
    link.receive(shoe.hello(who_nonce(link, now_s), **changes), now_s)
    link.receive(shoe.say("alive"), now_s)


def served(durable: int = 0, key: bytes | None = None, **changes: Any) -> tuple[ShoeLink, Shoe]:
    """Return a link that serves a shoe, and the shoe; the frames of the handshake are taken out."""
    shoe = Shoe(key)
    link = new_link(durable, *([key] if key else []))
    greet(link, shoe, **changes)
    sent(link)
    return link, shoe


def numbers(link: ShoeLink, data: bytes, now_s: float = 0.0) -> list[int]:
    """Return the numbers of the new events in these bytes."""
    return [event.event_no for event in link.receive(data, now_s)]


def counted(link: ShoeLink) -> dict[str, int]:
    return {name: number for name, number in link.line_counters().items() if number}

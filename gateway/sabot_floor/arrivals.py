"""Arrivals: what the broker has sent, but for messages whose gateway may still name the table that they are about."""

from collections.abc import Callable

from sabot_floor.inbox import Arrived, Inbox
from sabot_floor.projection.feed import Feed


def arrived_in_time(inbox: Inbox, feed: Feed, most: int, now_s: float) -> list[Arrived]:
    """Return the oldest messages; one whose gateway's own topic is not here yet stays in the inbox for some seconds."""
    arrived = inbox.take(most)
    try:
        early, others = parted(arrived, lambda one: feed.waits(one, now_s))
    except BaseException:
        inbox.put_back(arrived)
        raise
    inbox.put_back(early)
    return others


def parted(messages: list[Arrived], by: Callable[[Arrived], bool]) -> tuple[list[Arrived], list[Arrived]]:
    """Return the messages of which something is true, and the others, both in order."""
    found: tuple[list[Arrived], list[Arrived]] = [], []
    for one in messages:
        found[0 if by(one) else 1].append(one)
    return found

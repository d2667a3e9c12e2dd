"""Listing: the open incidents of a table as a message, and in the status; as many as fit."""

import msgspec
from sabot_protocol.topics import IncidentMessage, OpenMessage

from sabot_gateway.incidents.book import IncidentBook

_MOST_BYTES = 16_384


def open_message(table: str, book: IncidentBook, time: str) -> bytes:
    """Return the payload of the topic `open`."""
    incidents, more = listed(book)
    return msgspec.json.encode(OpenMessage(table=table, time=time, incidents=incidents, more=more))


def listed(book: IncidentBook) -> tuple[list[IncidentMessage], int]:
    """Return the newest open incidents that fit into a message, oldest first; and how many do not."""
    found = book.open()
    incidents = newest_that_fit(found, _MOST_BYTES)
    return incidents, len(found) - len(incidents) + book.more


def newest_that_fit(found: list[IncidentMessage], most_bytes: int) -> list[IncidentMessage]:
    """Return the newest incidents that fit into so many bytes, oldest first."""
    listed = list[IncidentMessage]()
    for incident in reversed(found):
        most_bytes -= len(msgspec.json.encode(incident)) + 1
        if most_bytes < 0:
            break
        listed.append(incident)
    return listed[::-1]

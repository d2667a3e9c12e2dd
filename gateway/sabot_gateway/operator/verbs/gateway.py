"""Verbs for the gateway itself: status, accept-ledger, capture."""

from typing import Annotated

from msgspec import Meta

from sabot_gateway.operator.capture_limits import MOST_CAPTURE_BYTES, MOST_CAPTURE_S
from sabot_gateway.operator.verbs.verb import Verb


class Status(Verb, frozen=True):
    """Report which tables the daemon serves, and what is wrong."""


class AcceptLedger(Verb, frozen=True):
    """Accept a ledger of which entries are missing, so that the daemon goes on."""

    reason: Annotated[str, Meta(min_length=1, max_length=500)]


class Capture(Verb, frozen=True):
    """Stream what the serial line of a table carries, both ways."""

    seconds: Annotated[float, Meta(gt=0, le=MOST_CAPTURE_S)] = 60.0
    bytes: Annotated[int, Meta(ge=1, le=MOST_CAPTURE_BYTES)] = 1 << 22

"""One table: what our own checks cannot take does not end the daemon."""

from typing import Any, cast

import msgspec
from sabot_gateway.config import Table
from sabot_gateway.incidents.book import IncidentBook
from sabot_gateway.shoe.driver import Driver
from sabot_gateway.shoe.parse import Event
from sabot_gateway.shoe.ports import Line
from sabot_gateway.table_session import TableSession
from sabot_gateway.verify import Verifier
from sabot_protocol import rulebooks

BOOK = rulebooks.load("star-baccarat")
PROFILE = BOOK.profile(8, 1)
UNIT, TIME = "5ab0000000000001", "2026-11-16T10:00:00.000Z"


class Says:
    """A driver that has these events to tell."""

    lost = None
    greeting = None

    def __init__(self, *events: Event) -> None:
        self._events = list(events)

    def receive(self, _data: bytes, _now_s: float) -> list[Event]:
        return self._events


def event(number: int, kind: str, **data: Any) -> Event:
    return Event(UNIT, number, kind, number * 1000, data, b"frame %d" % number)


def test_an_error_in_our_own_checks_keeps_the_event_raises_an_alarm_and_goes_on() -> None:
    opened = event(1, "shoe_opened", shoe_no=1, decks=8, card_set=1, burn="none", burn_count=0)
    broken = event(2, "card", shoe_no=1, coup_no=1)  # no codec makes it: it stands for a check that is wrong
    button = event(3, "button", shoe_no=1, coup_no=1, button="confirm")
    session = TableSession(
        Table(name="bac-01", port="/dev/null", rulebook="star-baccarat"),
        Line("/dev/null", 115_200),
        cast(Driver, Says(opened, broken, button)),
        Verifier("bac-01", BOOK, PROFILE),
        IncidentBook("bac-01", BOOK),
    )
    session.receive(b"", 0.0, TIME)
    kept = [(entry.event_no, entry.topic, entry.frame) for entry in session.pending]
    assert kept == [(1, "shoe", b"frame 1"), (2, "", b"frame 2"), (None, "alarm", b""), (3, "", b"frame 3")]
    alarm = msgspec.json.decode(session.pending[2].payload)
    assert (alarm["name"], alarm["severity"], alarm["id"]) == ("not_verified", "critical", f"{UNIT}-2-not_verified")
    assert "The gateway failed to verify" in alarm["say"]
    assert alarm["shoe_says"] == "event 2, card: KeyError: 'flags'"

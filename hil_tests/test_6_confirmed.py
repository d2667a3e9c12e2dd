"""Careless shoes of the real firmware: what may be settled is what was confirmed and is not void, also over restarts.

SABOT_SHOES=500 .venv/bin/pytest hil_tests/test_6_confirmed.py plays more of them.
"""

import random
from typing import Any

import pytest
from msgspec.structs import replace
from sabot_gateway.verify import Verifier
from sabot_protocol import rulebooks
from sabot_protocol.topics import ConfirmedMessage, CoupMessage
from support.firmware_logs import SHOES, Log, careless_log, every_book

Where = tuple[int, int]  # shoe and coup
CONFIRMS = (("button", "confirm"), ("command_done", "confirm"))


def by_the_log(log: Log) -> dict[Where, str]:
    """Return the winners of coups that are confirmed and not void, from the shoe's events alone."""
    complete: tuple[Where, str] | None = None
    found: dict[Where, str] = {}
    for event in log:
        data = event.data
        if event.kind == "coup":
            complete = (data["shoe_no"], data["coup_no"]), data["winner"]
        elif event.kind == "coup_void":
            found.pop((data["shoe_no"], data["coup_no"]), None)
            complete = None
        elif complete and (event.kind, data.get("button", data.get("command"))) in CONFIRMS:
            found[complete[0]] = complete[1]
            complete = None
    return found


class Table:
    """A verifier that can be restarted, as the daemon restarts one from its ledger; and all its messages."""

    def __init__(self, book: str, profile: dict[str, Any]) -> None:
        self.verifier, self._log = Verifier("bac-01", rulebooks.load(book), profile), list[Any]()
        self.coups, self.confirmed = list[CoupMessage](), list[ConfirmedMessage]()

    def take(self, event: Any, time: str) -> None:
        messages = [record.message for record in self.verifier.take(event, time)]
        self.coups += [message for message in messages if isinstance(message, CoupMessage)]
        self.confirmed += [message for message in messages if isinstance(message, ConfirmedMessage)]
        if event.kind in ("shoe_opened", "shoe_closed"):
            self._log.clear()
        self._log.append((event, time))

    def restart(self) -> None:
        """From the last opening or closing on, as `TableSession.catch_up` does it."""
        waiting, active = self.verifier.disputed(), self.verifier.active()
        self.verifier = self.verifier.unread_copy()
        for event, time in self._log:
            self.verifier.take(event, time)
        self.verifier.restore(active, waiting)
        confirmed = {message.coup_id: message.id for message in self.confirmed}
        disputed = {coup.id: confirmed[coup.corrects] for coup in waiting if coup.corrects in confirmed}
        self.verifier.confirmations.restore(disputed)

    def settled(self) -> dict[Where, str]:
        """Return what a consumer settles that follows `corrects`."""
        stands: dict[str, ConfirmedMessage] = {}
        for message in self.confirmed:
            assert (message.corrects == "") or stands.pop(message.corrects)
            stands[message.id] = message
        results = [(message.shoe, message.coup, message.winner) for message in stands.values() if message.winner]
        found: dict[Where, str] = {(shoe, coup): winner for shoe, coup, winner in results}
        assert len(found) == len(results), "a coup stands twice"
        return found

    def undecided(self) -> set[Where]:
        return {(coup.shoe, coup.coup) for coup in self.verifier.disputed()}


def play(book: str, profile: dict[str, Any], log: Log, restarts: random.Random | None) -> Table:
    table = Table(book, profile)
    for place, event in enumerate(log):
        numbered = replace(event, event_no=place + 1, time_ms=500 * place)
        table.take(numbered, f"2027-01-15T{8 + place // 7200:02}:{place // 120 % 60:02}:{place // 2 % 60:02}.000Z")
        if restarts and restarts.random() < 0.02:
            table.restart()
    return table


@every_book
@pytest.mark.parametrize("part", range(2))
def test_what_may_be_settled_is_what_was_confirmed_and_is_not_void(book: str, part: int) -> None:
    profile, log = careless_log(book, part, max(1, SHOES // 10))
    whole = play(book, profile, log, None)
    expected, undecided = by_the_log(log), whole.undecided()
    assert {where: winner for where, winner in expected.items() if where not in undecided} == whole.settled()
    assert len(expected) > 5
    restarted = play(book, profile, log, random.Random(part))
    assert [message.id for message in restarted.confirmed] == [message.id for message in whole.confirmed]
    assert restarted.settled() == whole.settled()

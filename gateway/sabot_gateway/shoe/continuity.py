"""Continuity: whether the log that a shoe offers is the one that the ledger holds the beginning of.

Numbers alone do not prove it: a journal that was erased counts from 1 again and passes the ledger's last number one
day. Its `last_command_id` shows it: that comes from the journal too, and every shoe that is served gets commands. Where
that or `boot_count` is below the one in the ledger, or nothing is known, the shoe sends its log again from the first
event it holds, and each event is compared with the ledger before it is acknowledged and before anything new is taken.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Protocol

from sabot_protocol import messages

from sabot_gateway.shoe.parse import TIME_AT

_KIND_AT, _DATA_AT = 12, 13  # of an event frame
_NUMBERS = messages.EventKind.encmapping
_DAMAGED = bytes([_NUMBERS["damaged"]])
_BOOT, _COMMAND = [_NUMBERS["boot"]], [_NUMBERS["command_done"]]
_BOOTS = 2**16  # then they are counted from 0 again
_LOOK_BACK, _LOOK_FAR_BACK = 5_000, 50_000  # events of the ledger; a shoe's own journal holds 2,220 or a few more
_MOST_PASSED_OVER = 3

Verdict = Literal["same", "another_log", "missing"]


@dataclass
class Proof:
    """Compares the events that the shoe sends again with the ledger. Of all these only the last must have come."""

    same_no: int  # up to here the two logs are the same
    last_no: int
    held: Callable[[int], bytes | None]  # the frame of an event in the ledger
    _passed_over: int = 0
    _goes_back: bool = False  # the shoe sends events that the ledger holds

    def compare(self, event_no: int, raw: bytes) -> Verdict:
        """Return what this event of the shoe is to the ledger.

        If the shoe sends only newer events three times, it believes that the older ones are acknowledged. A shoe with
        an erased journal does not: nobody has acknowledged these numbers to it.
        """
        if event_no > self.last_no:
            self._passed_over += event_no == self.last_no + 1
            return "missing"
        self._goes_back = True
        if not _same(self.held(event_no), raw):
            return "another_log"
        self.same_no = max(self.same_no, event_no)
        return "same"

    def done(self) -> bool:
        """Return True if nothing more is to be compared."""
        return self.same_no >= self.last_no or (self._passed() and not self._goes_back)

    def stuck(self) -> bool:
        """Return True if the last event got lost on the line: only a new session brings it again."""
        return self._passed() and self._goes_back

    def _passed(self) -> bool:
        return self._passed_over >= _MOST_PASSED_OVER


def _same(held: bytes | None, raw: bytes) -> bool:
    """Return True for the same event; one that was pruned here, or damaged there, proves nothing against the shoe."""
    if held is None or _DAMAGED in (held[_KIND_AT : _KIND_AT + 1], raw[_KIND_AT : _KIND_AT + 1]):
        return True
    return held[TIME_AT:] == raw[TIME_AT:]


class StoredFrames(Protocol):
    """What the ledger has of a unit."""

    def frame_of(self, unit: str, event_no: int) -> bytes | None:
        """Return the frame of an event, None where it is not held any more."""

    def newest_event(self, unit: str, kinds: Sequence[int], within: int) -> bytes | None:
        """Return the frame of the newest event of these kinds among so many last ones."""


class NothingStored:
    """A ledger that has nothing to compare."""

    def frame_of(self, unit: str, event_no: int) -> bytes | None:
        """Return None."""

    def newest_event(self, unit: str, kinds: Sequence[int], within: int) -> bytes | None:
        """Return None."""


def proof(unit: str, body: Mapping[str, Any], durable: int, held: StoredFrames) -> Proof | None:
    """Return what the shoe of this HELLO has to send again, or None if its log is certain or cannot be compared."""
    oldest = max(1, body["oldest_event_no"])
    if oldest > durable or held.frame_of(unit, durable) is None or _certain(unit, oldest, body, held):
        return None
    return Proof(oldest - 1, durable, partial(held.frame_of, unit))


def _certain(unit: str, oldest: int, body: Mapping[str, Any], held: StoredFrames) -> bool:
    """Return True if HELLO alone shows that the shoe's log is the one in the ledger.

    A journal that has overwritten something was acknowledged by a gateway; an erased one has its first event.
    """
    within = _LOOK_BACK if oldest > 1 else _LOOK_FAR_BACK
    boot, command = (held.newest_event(unit, kinds, within) for kinds in (_BOOT, _COMMAND))
    if boot is not None and (_number(boot, 2) - body["boot_count"]) % _BOOTS in range(1, _BOOTS // 2):
        return False
    return oldest > 1 if command is None else bool(body["last_command_id"] >= _number(command, 4))


def _number(frame: bytes, size: int) -> int:
    """Return the first number of an event's data."""
    return int.from_bytes(frame[_DATA_AT : _DATA_AT + size], "little")


def log_lost(unit: str, first: int, last: int) -> str:
    """Return the text of the alarm: part of the log of a shoe is lost."""
    return (
        f"Events {first} to {last} of shoe {unit} are in no ledger here: the shoe has overwritten them, as it does "
        "with what a gateway has acknowledged. Look for the gateway or the ledger that has them."
    )

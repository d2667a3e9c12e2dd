"""Shoe log: takes the events of one shoe in order, each once, after its log has proved to be the one stored here."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sabot_gateway.shoe import refusals
from sabot_gateway.shoe.continuity import NothingStored, Proof, StoredFrames, log_lost, proof
from sabot_gateway.shoe.line_watch import Stall, log_stalled
from sabot_gateway.shoe.parse import TIME_AT, UNREADABLE, Frame

# taken: it is the next one. same: the ledger holds it. repeated: it was taken before. missing: one before it has not
# come. doubted: it cannot be read, and may be damaged. another_log: the ledger holds another event under its number.
Step = Literal["taken", "same", "repeated", "missing", "doubted", "another_log"]

_NOT_WANTED = ("missing", "doubted")


@dataclass
class ShoeLog:
    """How far the ledger, the link and the shoe are in one log. `reports` gets the alarms about it, by name."""

    reports: dict[str, str]
    stored: StoredFrames = field(default_factory=NothingStored)
    lost: tuple[int, int] | None = None  # events that the shoe no longer holds and the ledger never had
    next_no: int = 0  # of the event to be taken next
    greeted_no: int = 0  # what the shoe would number next when the session began
    durable_no: int = 0
    _proof: Proof | None = None
    _doubted: bytes = b""
    _stall: Stall = field(default_factory=Stall)
    _erased: tuple[str, str] | None = None  # the unit whose log is another one than the ledger's, and the problem
    _reported: set[str] = field(default_factory=set)  # units whose erased journal has been reported

    def refusal(self, unit: str, body: Mapping[str, Any], durable: int, *, authenticated: bool) -> str | None:
        """Return why the log of this HELLO does not go on where the ledger ends; an erased one is an alarm too."""
        oldest, next_no = body["oldest_event_no"], body["next_event_no"]
        if self._erased and self._erased[0] == unit:
            return self._erased[1]
        problem = refusals.wrong_numbers(unit, oldest, next_no, durable, authenticated=authenticated)
        if problem and oldest <= next_no <= durable:
            self._report_erased(unit, problem)
        return problem

    def _report_erased(self, unit: str, problem: str) -> None:
        """Raise an alarm, once for each unit that the ledger knows."""
        if unit not in self._reported:
            self._reported.add(unit)
            self.reports["log_lost"] = f"What this shoe has logged since is in no ledger: {problem}."

    def erased(self, unit: str, problem: str) -> None:
        """Refuse this unit from now on: its journal was erased."""
        self._erased = unit, problem
        self._report_erased(unit, problem)

    def forget_erased(self) -> None:
        """Judge the next shoe on this line anew."""
        self._erased = None

    def join(self, unit: str, body: Mapping[str, Any], durable: int, *, same_shoe: bool) -> None:
        """Begin a session; what has been taken may be ahead of the ledger by what waits for its commit."""
        oldest = body["oldest_event_no"]
        first = max(durable + 1, self.next_no if same_shoe and self.lost is None else 0)
        self._proof, self._doubted = proof(unit, body, durable, self.stored), b""
        self.lost = (first, oldest - 1) if oldest > first else None
        self.durable_no, self.next_no = durable, max(first, oldest)
        self.greeted_no = body["next_event_no"]
        if self.lost and durable:
            self.reports["log_lost"] = log_lost(unit, *self.lost)

    def up_to_date(self) -> bool:
        """Return True if everything that the shoe had logged when the session began has come."""
        return self.next_no >= self.greeted_no

    def acknowledged_no(self) -> int:
        """Return up to where the ledger holds what this shoe has logged, as far as that is proved."""
        return self._proof.same_no if self._proof else self.durable_no

    def wanted_no(self) -> int:
        """Return the event that the shoe is to go on from."""
        return self._proof.same_no + 1 if self._proof else self.next_no

    def stuck(self) -> bool:
        """Return True if what is to be compared cannot come in this session any more."""
        return self._proof is not None and self._proof.stuck()

    def watch(self, unit: str, step: Step | None, now_s: float) -> None:
        """Raise an alarm if frames come, but never the event that is wanted; `step` is None for another frame."""
        stalled = self.next_no < self.greeted_no or step in _NOT_WANTED
        if stalled and self._stall.frame(now_s):
            self.reports["log_stalled"] = log_stalled(unit, self.wanted_no())

    def take(self, frame: Frame) -> Step:
        """Return what an event frame of the session is."""
        event_no: int = frame.body["event_no"]
        if self._proof is not None:
            step = self._proof.compare(event_no, frame.raw)
            if self._proof.done():
                self._proof = None
            if self._proof is not None or step != "missing":
                return step
        if event_no != self.next_no:
            return "missing" if event_no > self.next_no else "repeated"
        if frame.body["kind"] == UNREADABLE and not self._certain(frame):
            return "doubted"
        self.next_no = event_no + 1
        if self._stall.frames:
            self._stall.progress()
        return "taken"

    def _certain(self, frame: Frame) -> bool:
        """Return True if the shoe means it: it has a MAC, or came twice alike; a damaged frame may have a right CRC."""
        doubted, self._doubted = self._doubted, frame.raw[TIME_AT:]
        return bool(frame.mac) or doubted == self._doubted

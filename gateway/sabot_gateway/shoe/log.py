"""Shoe log: takes the events of one shoe in order, each once, after its log has proved to be the one stored here."""

from dataclasses import dataclass, field
from typing import Literal

from sabot_gateway.shoe.continuity import Proof
from sabot_gateway.shoe.line_watch import Stall
from sabot_gateway.shoe.parse import TIME_AT, UNREADABLE, Frame

# taken: it is the next one. same: the ledger holds it. repeated: it was taken before. missing: it is behind the one
# wanted. doubted: nobody can read it, and it may be damaged. another_log: the ledger holds another one.
Step = Literal["taken", "same", "repeated", "missing", "doubted", "another_log"]


@dataclass
class ShoeLog:
    """How far the ledger, the link and the shoe are in one log."""

    lost: tuple[int, int] | None = None  # events that the shoe no longer holds and the ledger never had
    next_no: int = 0  # of the event to be taken next
    greeted_no: int = 0  # what the shoe would number next when the session began
    durable_no: int = 0
    _proof: Proof | None = None
    _doubted: bytes = b""
    _stall: Stall = field(default_factory=Stall)

    def join(self, oldest: int, next_no: int, durable: int, proof: Proof | None, *, same_shoe: bool) -> None:
        """A session begins; what has been taken may be ahead of the ledger by what waits for its commit."""
        first = max(durable + 1, self.next_no if same_shoe and self.lost is None else 0)
        self.lost = (first, oldest - 1) if oldest > first else None
        self.durable_no, self.next_no = durable, max(first, oldest)
        self.greeted_no = next_no
        self._proof, self._doubted = proof, b""

    def up_to_date(self) -> bool:
        """Everything that the shoe had logged when the session began has come."""
        return self.next_no >= self.greeted_no

    def acknowledged_no(self) -> int:
        """Up to where the ledger holds what this shoe has logged, as far as that is proved."""
        return self._proof.same_no if self._proof else self.durable_no

    def wanted_no(self) -> int:
        """The event that the shoe is to go on from."""
        return self._proof.same_no + 1 if self._proof else self.next_no

    def stuck(self) -> bool:
        """What is to be compared does not come in this session any more."""
        return self._proof is not None and self._proof.stuck()

    def stalled(self, step: Step | None, now_s: float) -> bool:
        """A frame has come, an event or None for another; True when it is never the one that the shoe has to send."""
        if step in ("missing", "doubted") or not self.up_to_date():
            return self._stall.heard(now_s)
        return False

    def take(self, frame: Frame) -> Step:
        """What an event frame of the session is."""
        event_no: int = frame.body["event_no"]
        if self._proof is not None:
            step = self._proof.judge(event_no, frame.raw)
            if self._proof.done():
                self._proof = None
            if self._proof is not None or step != "missing":
                return step
        return self._place(event_no, frame)

    def _place(self, event_no: int, frame: Frame) -> Step:
        if event_no != self.next_no:
            return "missing" if event_no > self.next_no else "repeated"
        if frame.body["kind"] == UNREADABLE and not self._certain(frame):
            return "doubted"
        self.next_no += 1
        self._stall.progress()
        return "taken"

    def _certain(self, frame: Frame) -> bool:
        """The shoe means it: its MAC says so, or it comes again as it was; a damaged frame may have a right CRC."""
        doubted, self._doubted = self._doubted, frame.raw[TIME_AT:]
        return bool(frame.mac) or doubted == self._doubted

"""Batch: entries for one jackpot in one transaction: the engine decides, and the log keeps what it did."""

from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec
from sabot_protocol.jackpots.draws import DrawError
from sabot_protocol.jackpots.messages import FaultMessage, WinMessage

from sabot_floor.jackpots import draws, engine
from sabot_floor.jackpots.engine import Applied, Entry, Fault, JackpotState, Refused
from sabot_floor.jackpots.engine.entries import RULES, Adjusted, Drawn, Increment, Opened, Recorded
from sabot_floor.store import Decision, Head
from sabot_floor.store import Entry as LogEntry

WIN, FAULT = "win", "fault"  # kinds of entries that are published; the engine makes no others of them

_logged = msgspec.json.Encoder()


class DrawRequest(NamedTuple):
    """A person asks for a random draw; the entry is made of the state and of the hash before it."""

    id: str
    by: str
    role: str
    person: str = ""  # the id of a person who has logged in


class NotOpenedError(Exception):
    """The jackpot has no log yet; it is opened at the start of the service."""

    def __init__(self, jackpot: str) -> None:
        super().__init__(f"jackpot {jackpot} has no log in the store; restart the floor service")


def log_name(jackpot: str) -> str:
    """Return the name of a jackpot's log."""
    return f"jackpot/{jackpot}"


@dataclass
class Batch:
    """`decide` is called inside the transaction, and may be called again; then `results` and `state` are the newest."""

    jackpot: str
    time: str
    entries: list[Entry | DrawRequest] = field(default_factory=list)  # a draw is alone in its batch
    faults: list[Fault] = field(default_factory=list)  # about messages that never became entries
    secret: bytes = b""  # of the next random draw
    results: list[Applied | Refused] = field(default_factory=list)  # one for each entry
    state: JackpotState | None = None
    _made: list[LogEntry] = field(default_factory=list)
    seq: int = 0  # of the newest entry after this batch

    def decide(self, head: Head) -> Decision:
        """Apply every entry to the state at the head of the log; return what the log keeps, and the new state."""
        self.results, self._made, self.seq = [], [], head.seq
        self.state = engine.decode(head.state) if head.state is not None else None
        for entry in self.entries:
            self.results.append(self._draw(entry, head) if isinstance(entry, DrawRequest) else self._apply(entry))
        for fault in self.faults:
            self._add_fault(fault)
        return Decision(self._made, engine.encode(self.state) if self._made and self.state else head.state)

    def _apply(self, entry: Entry) -> Applied | Refused:
        if self.state is None:
            return self._open(entry)
        result = engine.apply(self.state, entry)
        if isinstance(result, Applied):
            self._keep(result)
            return result
        if result.then is not None:
            self._apply(result.then)
        if result.fault is not None:
            self._add_fault(result.fault)
        return result

    def _draw(self, request: DrawRequest, head: Head) -> Applied | Refused:
        """Draw with the secret that was committed to, and keep the next one."""
        if self.state is None:
            raise NotOpenedError(self.jackpot)
        try:
            made = draws.draw(self.state, head.hash, self.secret)
        except DrawError as error:
            return Refused("state", f"{str(error)[0].upper()}{str(error)[1:]}.")
        result = self._apply(Drawn(time=self.time, draw=made, rules=RULES, **request._asdict()))
        if isinstance(result, Applied):
            self.state.secret = self.secret.hex()
        return result

    def _open(self, entry: Entry) -> Applied:
        if not isinstance(entry, Opened):
            raise NotOpenedError(self.jackpot)
        self.state = engine.open_jackpot(entry)
        self.state.secret = self.secret.hex()
        parameters = entry.parameters
        opened = Applied(entry, parameters.digest, parameters.version, parameters.in_force, pending=True, status=True)
        self._keep(opened)
        return opened

    def _keep(self, applied: Applied) -> None:
        assert self.state is not None
        payload = _logged.encode(engine.logged(self.state, applied))
        self._add(_id(applied.entry, self._next()), applied.entry.__struct_config__.tag, payload)
        for win in applied.wins:
            message = WinMessage(
                id=self._next(),
                jackpot=self.jackpot,
                title=self.state.parameters.title,
                time=self.time,
                currency=self.state.parameters.currency,
                win=win,
                display=self.state.display,
            )
            self._add(message.id, WIN, msgspec.json.encode(message))
        for fault in applied.faults:
            self._add_fault(fault)

    def _add_fault(self, fault: Fault) -> None:
        if self.state is None:
            return
        message = FaultMessage(
            id=self._next(),
            jackpot=self.jackpot,
            time=self.time,
            table=fault.table,
            name=fault.name,
            say=fault.say,
            clause=fault.clause,
            active=fault.active,
        )
        self._add(message.id, FAULT, msgspec.json.encode(message))

    def _next(self) -> str:
        """Return the id of the next entry that has no id of its own."""
        return f"{self.jackpot}-{self.seq + 1}"

    def _add(self, own_id: str, kind: object, payload: bytes) -> None:
        self._made.append(LogEntry(own_id, str(kind), payload, self.time))
        self.seq += 1


def _id(entry: Entry, otherwise: str) -> str:
    match entry:
        case Increment() | Recorded():
            return entry.message.id
        case Adjusted() | Drawn():
            return entry.id
    return otherwise

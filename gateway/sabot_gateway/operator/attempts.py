"""Attempts: the ledger's records of a request, and which person each command and decision goes back to."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec
from sabot_protocol.topics import CoupMessage

from sabot_gateway.ledger import Stored
from sabot_gateway.verify.deciders import Decider

ATTEMPT, SENT, OUTCOME = "attempt", "sent", "outcome"  # topics of the ledger that are not published
RECALLED_ENTRIES = 2000  # of the gateway's own, read again after a restart
_MOST_COMMANDS, _MOST_DECISIONS = 1000, 100


class FloorCommand(msgspec.Struct, kw_only=True, frozen=True):
    """What a request has of the signed command that it came with."""

    id: str
    digest: str  # of the payload
    nonce: str
    person: str
    role: str
    asks: str  # the person who asks, if another approves
    asks_role: str
    act: str  # of the rulebook; empty if it has none
    coup: str  # that must be on the table; empty if any may be
    issued: str
    expires: str
    key: str


class Attempt(msgspec.Struct, kw_only=True, frozen=True):
    """A request, stored before anything is done."""

    id: str
    time: str
    table: str
    verb: str
    by: str
    user: str
    clause: str
    args: dict[str, Any]
    origin: Literal["local", "floor"] = "local"  # the control socket, or a command of the floor service
    command: FloorCommand | None = None  # of the floor service

    def decider(self) -> Decider:
        """Return the person and the clause, as a coup message names them."""
        return Decider(self.by, self.clause, self.time, self.id)


class Sent(msgspec.Struct, kw_only=True, frozen=True):
    """The command that an attempt became, stored before the shoe gets it."""

    id: str
    time: str
    table: str
    attempt: str
    unit: str
    command_id: int
    command: str


class Outcome(msgspec.Struct, kw_only=True, frozen=True):
    """The answer to an attempt, stored before the person gets it."""

    id: str
    time: str
    table: str
    attempt: str
    ok: bool
    say: str


@dataclass
class Attempts:
    """Bounded: the newest commands of all tables, the newest decisions of each table."""

    _commands: dict[tuple[str, int], tuple[str, Decider]] = field(default_factory=dict)  # unit and id: kind and person
    _decisions: dict[str, deque[CoupMessage]] = field(default_factory=dict)

    def add_command(self, unit: str, command_id: int, kind: str, decider: Decider) -> None:
        """Remember for whom a command goes to a shoe."""
        self._commands[unit, command_id] = (kind, decider)
        if len(self._commands) > _MOST_COMMANDS:
            del self._commands[next(iter(self._commands))]

    def decider_of(self, unit: str, command_id: int, kind: str) -> Decider | None:
        """Return the person for whom a command that the shoe logged was sent; None if it is not known here."""
        sent_kind, decider = self._commands.get((unit, command_id), ("", None))
        return decider if sent_kind == kind else None

    def add_decision(self, coup: CoupMessage) -> None:
        """Remember a person's decision of a disputed coup."""
        self._decisions.setdefault(coup.table, deque(maxlen=_MOST_DECISIONS)).append(coup)

    def decisions(self, table: str) -> list[CoupMessage]:
        """Return the newest decisions of a table, oldest first."""
        return list(self._decisions.get(table, ()))

    def recall(self, entries: Iterable[Stored]) -> None:
        """Read the gateway's own entries again, in order; skip those that cannot be decoded."""
        attempts: dict[str, Attempt] = {}
        for entry in entries:
            try:
                self._recall(entry, attempts)
            except (msgspec.MsgspecError, UnicodeError):
                continue

    def _recall(self, entry: Stored, attempts: dict[str, Attempt]) -> None:
        if entry.topic == ATTEMPT:
            attempt = msgspec.json.decode(entry.payload, type=Attempt)
            attempts[attempt.id] = attempt
        elif entry.topic == SENT:
            sent = msgspec.json.decode(entry.payload, type=Sent)
            if sent.attempt in attempts:
                self.add_command(sent.unit, sent.command_id, sent.command, attempts[sent.attempt].decider())
        elif entry.topic == "coup":
            self.add_decision(msgspec.json.decode(entry.payload, type=CoupMessage))

"""Attempts: the ledger's records of a request, and which person each command and decision goes back to."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

import msgspec
from sabot_protocol.attempts import Attempt
from sabot_protocol.topics import CoupMessage, Message

from sabot_gateway.ledger import Stored
from sabot_gateway.screens.calls import TOPICS, CallMessage
from sabot_gateway.verify.deciders import Decider

ATTEMPT, SENT, OUTCOME = "attempt", "sent", "outcome"  # topics of the ledger; `sent` is not published
RECALLED_ENTRIES = 2000  # of the gateway's own, read again after a restart
_MOST_COMMANDS, _MOST_DECISIONS, _MOST_CALLS = 1000, 100, 10


def decider(attempt: Attempt) -> Decider:
    """Return the person and the clause of a request, as a coup message names them."""
    role = attempt.role or (attempt.command.role if attempt.command else "")  # an earlier release has only the latter
    return Decider(attempt.by, attempt.clause, attempt.time, attempt.id, role)


class Sent(msgspec.Struct, kw_only=True, frozen=True):
    """The command that an attempt became, stored before the shoe gets it."""

    id: str
    time: str
    table: str
    attempt: str
    unit: str
    command_id: int
    command: str


@dataclass
class Attempts:
    """Bounded: the newest commands of all tables, the newest decisions of each table."""

    _commands: dict[tuple[str, int], tuple[str, Decider]] = field(default_factory=dict)  # unit and id: kind and person
    _decisions: dict[str, deque[CoupMessage]] = field(default_factory=dict)
    _calls: dict[str, deque[CallMessage]] = field(default_factory=dict)

    def add_command(self, unit: str, command_id: int, kind: str, decider: Decider) -> None:
        """Remember for whom a command goes to a shoe."""
        self._commands[unit, command_id] = (kind, decider)
        if len(self._commands) > _MOST_COMMANDS:
            del self._commands[next(iter(self._commands))]

    def decider_of(self, unit: str, command_id: int, kind: str) -> Decider | None:
        """Return the person for whom a command that the shoe logged was sent; None if it is not known here."""
        sent_kind, decider = self._commands.get((unit, command_id), ("", None))
        return decider if sent_kind == kind else None

    def add_act(self, message: Message | None) -> None:
        """Remember a person's decision of a disputed coup, or what was called or recorded about wagers."""
        if isinstance(message, CoupMessage):
            self._decisions.setdefault(message.table, deque(maxlen=_MOST_DECISIONS)).append(message)
        elif isinstance(message, CallMessage):
            self._calls.setdefault(message.table, deque(maxlen=_MOST_CALLS)).append(message)

    def decisions(self, table: str) -> list[CoupMessage]:
        """Return the newest decisions of a table, oldest first."""
        return list(self._decisions.get(table, ()))

    def calls(self, table: str) -> list[CallMessage]:
        """Return what was called or recorded about wagers at a table, oldest first."""
        return list(self._calls.get(table, ()))

    def recall(self, entries: Iterable[Stored]) -> None:
        """Read the gateway's own entries again, in order; skip those that cannot be decoded."""
        attempts: dict[str, Attempt] = {}
        for entry in entries:
            try:
                self._recall(entry, attempts)
            except (msgspec.MsgspecError, UnicodeError, RecursionError):
                continue

    def _recall(self, entry: Stored, attempts: dict[str, Attempt]) -> None:
        if entry.topic == ATTEMPT:
            attempt = msgspec.json.decode(entry.payload, type=Attempt)
            attempts[attempt.id] = attempt
        elif entry.topic == SENT:
            sent = msgspec.json.decode(entry.payload, type=Sent)
            if sent.attempt in attempts:
                self.add_command(sent.unit, sent.command_id, sent.command, decider(attempts[sent.attempt]))
        elif entry.topic == "coup":
            self.add_act(msgspec.json.decode(entry.payload, type=CoupMessage))
        elif entry.topic in TOPICS.values():
            self.add_act(msgspec.json.decode(entry.payload, type=CallMessage))

"""Commands: the queue to a shoe, in order, one at a time; each is sent again until the shoe has logged its outcome."""

import math
from collections import deque
from dataclasses import dataclass, field
from typing import Any

UNKNOWN = "unknown"  # the name in the refusal of a shoe that does not know the command's number
_MOST_WAITING = 16
_LAST_WAIT_S = 8.0  # between two sendings; the first wait is one second
_MOST_ID = 2**30 - 1


@dataclass(eq=False)
class Command:
    """`command_id` is given when it is the first that waits; one that is `held` is not sent."""

    kind: str
    data: dict[str, Any]
    command_id: int = 0
    wait_s: float = 0.0  # until it is sent again
    sent_s: float = 0.0
    held: bool = False
    sent: bool = False  # at least once: the shoe may have it

    def answered_by(self, data: dict[str, Any]) -> bool:
        """Return True if an event has the outcome of this command; a shoe may not know its name."""
        return data["command_id"] == self.command_id and data["command"] in (self.kind, UNKNOWN)


@dataclass
class CommandQueue:
    """A bounded queue; the first of it is at the shoe."""

    waiting: deque[Command] = field(default_factory=deque)
    last_id: int = 0  # the highest that is known to have been used

    def add(self, kind: str, data: dict[str, Any]) -> Command | None:
        """Queue a command; None if too many wait."""
        if len(self.waiting) >= _MOST_WAITING:
            return None
        self.waiting.append(Command(kind, data))
        return self.waiting[-1]

    def number(self, command: Command) -> int:
        """Return the id under which the shoe will log a command; 0 while others wait before it."""
        if self.waiting and self.waiting[0] is command and self.last_id < _MOST_ID:
            command.command_id = command.command_id or self.last_id + 1
        return command.command_id

    def is_due(self, now_s: float) -> bool:
        """Return True if a command is to be sent now."""
        if not self.waiting or self.last_id >= _MOST_ID:
            return False
        command = self.waiting[0]
        return not command.held and now_s - command.sent_s >= command.wait_s

    def rest_s(self, now_s: float) -> float:
        """Return the time until the command that was sent last is sent again."""
        return self.waiting[0].sent_s + self.waiting[0].wait_s - now_s if self.waiting else math.inf

    def take_due(self, now_s: float) -> Command:
        """Return the command that is to be sent now, with its id."""
        command = self.waiting[0]
        command.command_id, command.sent = command.command_id or self.last_id + 1, True
        command.sent_s, command.wait_s = now_s, min(2 * command.wait_s or 1.0, _LAST_WAIT_S)
        return command

    def done(self, data: dict[str, Any]) -> None:
        """Take an outcome from the log; where another gateway used the id for something else, ours gets a new one."""
        command_id: int = data["command_id"]
        self.last_id = max(self.last_id, command_id)
        if not self.waiting or self.waiting[0].command_id != command_id:
            return
        if self.waiting[0].answered_by(data) and self.waiting[0].sent:
            self.waiting.popleft()
        else:
            self.waiting[0].command_id, self.waiting[0].wait_s, self.waiting[0].sent = 0, 0.0, False

    def withdraw(self, command: Command) -> bool:
        """Send it no more; return whether it was sent before."""
        if command in self.waiting:
            self.waiting.remove(command)
        self.last_id = max(self.last_id, command.command_id)
        return command.sent

    def begin(self, last_id: int, *, log_lost: bool) -> int:
        """Begin a session; return how many were dropped: one that was done, if the log with its outcome is lost."""
        self.last_id = max(self.last_id, last_id)
        if not self.waiting:
            return 0
        first = self.waiting[0]
        first.wait_s = 0.0
        if not first.sent and first.command_id <= last_id:
            first.command_id = 0  # another gateway has used it
        if log_lost and 0 < first.command_id <= last_id:
            self.waiting.popleft()
            return 1
        return 0

    def forget(self) -> int:
        """Drop all, for another shoe is there; return how many."""
        dropped = len(self.waiting)
        self.waiting.clear()
        self.last_id = 0
        return dropped

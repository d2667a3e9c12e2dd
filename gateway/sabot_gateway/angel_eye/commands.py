"""Commands to an Angel Eye: one at a time, each for a person, with an answer in three seconds; nothing by timer."""

from dataclasses import dataclass, field
from typing import Any, Final

from sabot_protocol.angel_eye import build
from sabot_protocol.angel_eye.messages import Message
from sabot_protocol.angel_eye.tables import NAK_CODES

from sabot_gateway.angel_eye import refusals
from sabot_gateway.angel_eye.condition import Condition
from sabot_gateway.shoe.commands import Command, CommandQueue

ANSWER_S: Final = 3.0  # a shoe answers a command within this time
LOCAL: Final = ("confirm", "no_bet", "this_no_bet", "void_coup", "open_shoe")  # the gateway does them itself
KEEP, DISCARD = "keep", "discard"  # what happens with the card of an overdraw
NO_ANSWER, NOT_NOW = "no answer", "not_now"  # outcomes
LOCKS: Final = {"lock": ("LK", "02"), "unlock": ("LK", "01")}
_CLEARS: Final = {None: ("EC", "00"), KEEP: ("EC", "01"), DISCARD: ("EC", "02")}
_WRONG_BCC: Final = NAK_CODES["bcc"]


@dataclass
class _Sent:
    """A command that is at the shoe."""

    command: Command
    sent_s: float
    with_stx: bool
    again: bool = False  # with the other BCC


@dataclass
class Outcome:
    """How a command ended."""

    command: Command
    outcome: str
    with_stx: bool | None = None  # None: it was not sent


@dataclass
class ShoeCommands:
    """Sans-I/O: commands and the shoe's answers in, bytes and outcomes out."""

    enabled: bool
    with_stx: bool = True  # how the shoe's hardware counts the BCC of a command, as far as it is known
    condition: Condition = field(default_factory=Condition)  # of the shoe
    queue: CommandQueue = field(default_factory=CommandQueue)
    output: bytes = b""
    _sent: _Sent | None = None

    def refuses(self, kind: str, data: dict[str, Any]) -> str:
        """Return why a command is not taken; empty if it is."""
        if kind in LOCAL:
            return ""
        if kind not in LOCKS and kind != "clear_error":
            return refusals.own_shoe(kind, commands=self.enabled)
        if not self.enabled:
            return refusals.SWITCHED_OFF
        return self._why_not_clear(data.get("card")) if kind == "clear_error" else ""

    def _why_not_clear(self, card: str | None) -> str:
        """Return why the error cannot be cleared in this way; an overdraw wants a choice, no other error has one."""
        error = self.condition.error
        if error is None:
            return refusals.NO_ERROR if self.condition.error_known else refusals.ERROR_NOT_KNOWN
        if error == "overdraw":
            return "" if card else refusals.OVERDRAW
        return refusals.no_overdraw(error) if card else ""

    def local_due(self) -> bool:
        """Return True if the next command is one that the gateway does itself."""
        waiting = self.queue.waiting
        return bool(waiting) and not waiting[0].held and waiting[0].kind in LOCAL

    def local(self) -> list[Outcome]:
        """Do what the gateway does itself, in the order in which it was asked for."""
        done = []
        while self.local_due():
            done.append(self._end(self.queue.waiting[0], "done"))
        return done

    def tick(self, now_s: float) -> Outcome | None:
        """Send the next command if none is at the shoe; return the outcome of one that was not answered in time."""
        if self._sent is not None:
            return self._end_sent(NO_ANSWER) if now_s - self._sent.sent_s >= ANSWER_S else None
        waiting = self.queue.waiting
        if not waiting or waiting[0].held or waiting[0].kind in LOCAL:
            return None
        command = waiting[0]
        if self.refuses(command.kind, command.data):  # since it was queued
            return self._end(command, NOT_NOW)
        command.sent = True
        self._send(_Sent(command, now_s, self.with_stx))
        return None

    def answer(self, message: Message, now_s: float) -> Outcome | None:
        """Take an ACK or a NAK; return the outcome. One that nobody here waits for is another client's."""
        sent = self._sent
        if sent is None or self.output or message.t not in ("ACK", "NAK"):
            return None
        if message.t == "ACK":
            self.with_stx = sent.with_stx
            return self._end_sent("ack")
        if message.code == _WRONG_BCC and not sent.again:
            self._send(_Sent(sent.command, now_s, not sent.with_stx, again=True))
            return None
        if message.code != _WRONG_BCC:
            self.with_stx = sent.with_stx
        return self._end_sent(f"nak {message.code:02X}")

    def port_lost(self) -> Outcome | None:
        """Return the outcome of the command that was at the shoe: no answer can come."""
        self.output = b""
        self.condition.forget()
        return self._end_sent(NO_ANSWER) if self._sent is not None else None

    def _send(self, sent: _Sent) -> None:
        command = sent.command
        kind, data = LOCKS.get(command.kind) or _CLEARS[command.data.get("card")]
        self._sent, self.output = sent, build.command(kind, data, with_stx=sent.with_stx)

    def _end_sent(self, outcome: str) -> Outcome:
        assert self._sent is not None
        sent, self._sent, self.output = self._sent, None, b""
        return self._end(sent.command, outcome, sent.with_stx)

    def _end(self, command: Command, outcome: str, with_stx: bool | None = None) -> Outcome:
        command.sent = True
        self.queue.done({"command_id": command.command_id, "command": command.kind})
        return Outcome(command, outcome, with_stx)

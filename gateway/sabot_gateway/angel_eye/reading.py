"""Reading of a line: bytes with their times in; messages, coups and final state out, in the form of the test data."""

from typing import Any, Final

from sabot_protocol.angel_eye.build import Command, CommandReader
from sabot_protocol.angel_eye.decoder import Decoder
from sabot_protocol.angel_eye.messages import Message, fact, report
from sabot_protocol.angel_eye.repeats import RepeatFilter
from sabot_protocol.angel_eye.tables import ADDRESS

from sabot_gateway.angel_eye.commands import ANSWER_S, LOCKS
from sabot_gateway.angel_eye.steps import CoupClosed, Step
from sabot_gateway.angel_eye.tracker import Tracker

_LOCKS: Final = {(ADDRESS, *command): name for name, command in LOCKS.items()}


class Reading:
    """Decoder, repeat filter and tracker of one line, and all that they found: for files, not for a running gateway."""

    def __init__(self) -> None:
        self._decoder, self._repeats, self._tracker = Decoder(), RepeatFilter(), Tracker()
        self._commands = CommandReader()
        self._asked: tuple[Command, float] | None = None  # the last command, and when it was sent
        self._messages: list[dict[str, Any]] = []
        self._coups: list[dict[str, Any]] = []

    def connect(self) -> None:
        """The line was opened."""
        self._decoder.reset()
        self._repeats.forget()
        self._asked = None
        self._collect(self._tracker.connect())

    def received(self, data: bytes, now_s: float) -> None:
        """Take bytes from the shoe."""
        for message in self._decoder.feed(data, now_s):
            if not self._repeats.is_repeat(message, now_s):
                self._messages.append(report(message))
                self._collect(self._tracker.take(message))
                self._answered(message, now_s)

    def sent(self, data: bytes, now_s: float) -> None:
        """Take bytes from the host to the shoe: they are no messages, but the shoe's answer to them counts."""
        for command in self._commands.feed(data):
            self._asked = command, now_s

    def answer(self) -> dict[str, Any]:
        """Return everything found so far."""
        still_open = self._tracker.open_coup()
        return {
            "messages": self._messages,
            "repeats": self._repeats.count,
            "rejected": dict(self._decoder.rejected),
            "coups": self._coups + ([still_open.report()] if still_open else []),
            "final": self._tracker.final(),
        }

    def left_over(self) -> list[str]:
        """Return in words what was no whole frame, and is in no answer."""
        decoder, found = self._decoder, []
        if decoder.half:
            found.append(f"half a frame at the end: {decoder.half.hex(' ').upper()}")
        if decoder.cut_off:
            found.append(f"frames that were begun and not ended: {decoder.cut_off}")
        if decoder.too_long:
            found.append(f"frames without an end: {decoder.too_long}")
        if not (found or decoder.frames or decoder.rejected or self._messages) and decoder.bytes:
            found.append("no frame in these bytes: a frame begins with 05, an answer is 06 or 15 and a code")
        return found

    def _answered(self, message: Message, now_s: float) -> None:
        """Trust the ACK of a lock command: the shoe reports only the key's acts."""
        if message.t not in ("ACK", "NAK") or self._asked is None:
            return
        (command, asked_s), self._asked = self._asked, None
        name = _LOCKS.get(command.parts)
        if message.t == "ACK" and name and now_s - asked_s <= ANSWER_S:
            self._collect(self._tracker.take(fact("command", command=name, outcome="ack")))

    def _collect(self, steps: list[Step]) -> None:
        self._coups += [step.coup.report() for step in steps if isinstance(step, CoupClosed)]

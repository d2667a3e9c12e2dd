"""Driver of an Angel Eye: one shoe on one port; its frames become numbered events, commands go to it for a person.

The protocol is built from public facts. No recording of a real shoe exists, and the driver was never tried on one.
"""

from collections.abc import Sequence
from typing import Any, Final, Literal

from sabot_protocol.angel_eye.decoder import Decoder
from sabot_protocol.angel_eye.messages import Message, fact
from sabot_protocol.angel_eye.repeats import RepeatFilter
from sabot_protocol.codec import CodecError

from sabot_gateway.angel_eye import events
from sabot_gateway.angel_eye.commands import LOCAL, Outcome, ShoeCommands
from sabot_gateway.angel_eye.condition import Condition
from sabot_gateway.angel_eye.line_watch import SILENT, LineWatch
from sabot_gateway.shoe.commands import Command
from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.deciders import Who, nobody

_MOST_HELD_BYTES: Final = 65_536  # while nothing may be taken: two minutes of a line at 4800 baud

_READ_ALL_S: Final = 0.5  # after a pause: then everything is read that the kernel kept, and what comes is new
_KERNEL_KEEPS_S: Final = 3600.0  # of a line in play, and more; after a longer pause the newest bytes may be dropped


class AngelEyeDriver:
    """Sans-I/O: bytes in by receive(), bytes out by output() and written(), time as an argument.

    The shoe keeps no log, so nothing is acknowledged to it: what came is numbered on behind the ledger, and held here
    until the ledger has it. One class because the loop has one `Driver` a table; what it does is in `Decoder`,
    `RepeatFilter`, `ShoeCommands` and `LineWatch`.
    """

    keeps_log: Final = False
    authenticated: Final = False
    rotation: Final[Literal["old", "new"] | None] = None
    last_frame_s: Final[float | None] = None  # silence is normal: a table stays online while its port is open

    def __init__(
        self,
        unit: str,
        durable_no: int,
        *,
        baud: int,
        commands: bool = False,
        with_stx: bool = True,
        who: Who = nobody,
    ) -> None:
        """Number events on behind `durable_no`, the last that the ledger has of this unit."""
        self._unit, self._durable_no, self._next_no, self._who = unit, durable_no, durable_no + 1, who
        self.lost: tuple[int, int] | None = None
        self.greeting: tuple[int, str] | None = None
        self.reports: dict[str, str] = {}
        self.problem: str | None = None
        self.decoder, self.filter = Decoder(), RepeatFilter()
        self.condition = condition = Condition()
        self.watch = LineWatch(self.decoder, condition, baud)
        self.commands = ShoeCommands(commands, with_stx, condition)
        self._open = False
        self._inbox: list[tuple[bytes | None, float, float]] = []  # bytes, read when, came since; None: port opened
        self._held_bytes = 0  # in the inbox
        self._facts: list[Message] = []  # that no bytes brought
        self._again: list[Message] = []  # were refused by the ledger
        self._unstored: list[Message] = []  # not in the ledger yet
        self._connect_due = True  # something came since the last connect, or none is known
        self._refused_until_s = 0.0
        self._late = (0.0, 0.0)  # bytes that are read before the second may have come at any time since the first
        self._late_unread = False  # nothing was read since that was noted
        self._overrun = False  # behind the late bytes some may be dropped
        self.dropped_bytes = 0

    @property
    def unit(self) -> str | None:
        """The id of the shoe while its port is open: the line itself has none."""
        return self._unit if self._open else None

    @property
    def firmware(self) -> None:
        """None: the maker's tools update this shoe."""

    @property
    def note(self) -> str | None:
        """What the table's status shows though nothing is wrong."""
        return self.watch.note

    # The port

    def reset(self) -> None:
        """Begin again: the port was opened."""
        self.port_lost()
        self._open, self._overrun = True, False
        self._begin_again()

    def _begin_again(self) -> None:
        """Have what comes from now on begin as after an opening of the port."""
        if not self._inbox or self._inbox[-1][0] is not None:
            self._inbox.append((None, 0.0, 0.0))

    def port_lost(self) -> None:
        """Note that the port is gone."""
        self._open = False
        self._ended(self.commands.port_lost())
        self.watch.opened()

    def refuse(self, problem: str, until_s: float = 0.0) -> None:
        """Hold everything that comes before `until_s`, and what the ledger has not taken, for this reason."""
        self.problem, self._refused_until_s = problem, until_s
        self._again, self._unstored = [*self._unstored, *self._again], []
        self._next_no = self._durable_no + 1

    def read_late(self, since_s: float, now_s: float) -> None:
        """Note that the port was not read since then: what is read now may have come at any time since."""
        self._overrun |= now_s - since_s > _KERNEL_KEEPS_S
        before_s, until_s = self._late
        if self._late_unread and since_s <= until_s:  # one pause after the other
            since_s = min(before_s, since_s)
        self._late, self._late_unread = (since_s, now_s + _READ_ALL_S), True

    def restart_silence(self, now_s: float) -> None:
        """Count the silence of the shoe from now on: what came meanwhile is read now."""
        self.reports.pop(SILENT, None)
        self.watch.resumed(now_s)

    # From the shoe

    def quiet(self, now_s: float) -> bool:
        """Return False: commands and the watch of the line count in parts of a second."""
        return False

    def rest_s(self, now_s: float) -> float:
        """Return 0: something may be due at any time."""
        return 0.0

    def events_due(self, now_s: float) -> bool:
        """Return True if `receive` has events though no bytes have come."""
        waiting = self._inbox or self._facts or self._again or self.commands.local_due()
        return bool(waiting) and now_s >= self._refused_until_s

    def receive(self, data: bytes, now_s: float) -> list[Event]:
        """Return the new events in these bytes and before them, in order, none twice and none skipped."""
        if data:
            since_s, until_s = self._late
            self._late_unread = False
            if self._overrun and now_s >= until_s:
                self._overrun, self._connect_due = False, True
                self._begin_again()
            self._inbox.append((data, now_s, since_s if now_s < until_s else now_s))
            self._held_bytes += len(data)
        if now_s < self._refused_until_s:
            self._bound_inbox()
            return []
        taken, self._again = self._again, []
        if self.commands.local_due():  # before what has come now: it is about the coup that was on the table
            taken += [self._fact(outcome) for outcome in self.commands.local()]
        inbox, self._inbox, self._held_bytes = self._inbox, [], 0
        for piece, read_s, since_s in inbox:
            self._take(piece, read_s, since_s, taken)
        taken += self._facts
        self._facts.clear()
        self._unstored += taken
        return self._numbered(taken) if taken else []

    def _take(self, piece: bytes | None, read_s: float, since_s: float, taken: list[Message]) -> None:
        """Add the messages of a piece of the line; an opening of the port is one, if anything came since the last."""
        if piece is None:
            self.decoder.reset()
            self.filter.forget()
            if self._connect_due:
                taken.append(events.connect())
            self._connect_due = False
            return
        for message in self.decoder.feed(piece, read_s, since_s):
            if not self.filter.is_repeat(message, read_s, since_s):
                taken.append(message)
                self._follow(message, read_s, taken)

    def _follow(self, message: Message, now_s: float, taken: list[Message]) -> None:
        self._connect_due = True
        self.watch.take(message, now_s)
        self.condition.follow(message)
        outcome = self.commands.answer(message, now_s)
        if outcome is not None:
            taken.append(self._fact(outcome))

    def _numbered(self, taken: Sequence[Message]) -> list[Event]:
        first, self._next_no = self._next_no, self._next_no + len(taken)
        return [events.event_of(self._unit, first + at, message) for at, message in enumerate(taken)]

    def _bound_inbox(self) -> None:
        """Drop the newest bytes if too many are held; what follows then begins as after an opening of the port."""
        if self._held_bytes > _MOST_HELD_BYTES:
            dropped = len(self._inbox.pop()[0] or b"")
            self._held_bytes -= dropped
            self.dropped_bytes += dropped
            self._connect_due = True
            self._begin_again()

    def acknowledge(self, event_no: int, now_s: float) -> None:
        """Forget what is durable; the shoe gets no acknowledgement."""
        self._durable_no = event_no
        self._unstored.clear()

    def skip_numbers(self, count: int) -> None:
        """Leave out so many numbers of events, which a ledger that was lost may have had."""
        self._durable_no += count
        self._next_no += count

    def caught_up(self) -> bool:
        """Return True: the shoe has no log that could come later."""
        return self._open

    # To the shoe

    def command(self, kind: str, data: dict[str, Any]) -> Command | None:
        """Queue a command; None if too many wait, or if the shoe has no use for it, as for the time."""
        return None if kind == "set_time" else self.prepare_command(kind, data)

    def prepare_command(self, kind: str, data: dict[str, Any]) -> Command | None:
        """Queue a command that is held until the caller clears its `held`; CodecError if the shoe has none such."""
        refused = self.commands.refuses(kind, data)
        if refused:
            raise CodecError(refused)
        command = self.commands.queue.add(kind, data)
        if command is not None:
            command.held = True
        return command

    def refuses(self, kind: str, data: dict[str, Any]) -> str:
        """Return why a command is not taken; empty if it is."""
        return self.commands.refuses(kind, data)

    def done_here(self, kind: str) -> bool:
        """Return True if the gateway does it itself."""
        return kind in LOCAL

    def number_command(self, command: Command) -> int:
        """Return the id under which the outcome is logged; 0 while others wait before it."""
        queue = self.commands.queue
        queue.last_id = max(queue.last_id, self._next_no - 1)  # no id of a run before this one
        return queue.number(command)

    def withdraw(self, command: Command) -> bool:
        """Send this command no more; return whether it was sent before."""
        return self.commands.queue.withdraw(command)

    def tick(self, now_s: float) -> None:
        """Send the next command, end one that has no answer, watch the line."""
        if self.problem and now_s >= self._refused_until_s:
            self.problem = None
        if self._open:
            self._ended(self.commands.tick(now_s))
            self.reports |= self.watch.look(now_s)

    def output(self) -> bytes:
        """Return what waits to be written."""
        return self.commands.output

    def written(self, count: int) -> None:
        """Drop the first `count` bytes of the output: the port has taken them."""
        self.commands.output = self.commands.output[count:]

    def _ended(self, *outcomes: Outcome | None) -> None:
        self._facts += [self._fact(outcome) for outcome in outcomes if outcome is not None]

    def _fact(self, outcome: Outcome) -> Message:
        """Return how a command ended as the ledger gets it: who, what, the answer."""
        command = outcome.command
        person = self._who(self._unit, command.command_id, command.kind)
        return fact(
            events.COMMAND,
            id=command.command_id,
            command=command.kind,
            data=command.data,
            by=person.by if person else "",
            outcome=outcome.outcome,
            **({} if outcome.with_stx is None else {"with_stx": outcome.with_stx}),
        )

    # For the status and for captures

    def mid_frame(self) -> list[str]:
        """Return the senders of whose current frame only a part was on the line."""
        return ["shoe"] * self.decoder.mid_frame + ["gateway"] * bool(self.commands.output)

    def line_counters(self) -> dict[str, int]:
        """Return how often something was damaged, dropped, refused or repeated on this line."""
        decoder, rejected = self.decoder, self.decoder.rejected
        return {
            "bytes": decoder.bytes,
            "frames": decoder.frames,
            "repeated": self.filter.count,
            "cut_off": decoder.cut_off,
            "too_long": decoder.too_long,
            **{f"wrong_{reason}": rejected[reason] for reason in ("bcc", "short", "bit7", "value")},
            "sequence_jumps": self.watch.sequence.jumps,
            "dropped_bytes": self.dropped_bytes,
        }

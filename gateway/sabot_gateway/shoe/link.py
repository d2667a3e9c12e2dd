"""Link: one shoe on one port. The handshake finds out who is there, the log takes its events, commands go to it."""

import secrets
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal

from sabot_protocol import fields, messages
from sabot_protocol.firmware import PublisherKey

from sabot_gateway.shoe import parse, refusals
from sabot_gateway.shoe.commands import Command, CommandQueue
from sabot_gateway.shoe.continuity import NothingStored, StoredFrames
from sabot_gateway.shoe.firmware_push import FirmwarePush
from sabot_gateway.shoe.handshake import ASK_EVERY_S, ASK_SOONEST_S, Handshake
from sabot_gateway.shoe.line_watch import LineDiagnosis, LineWatch
from sabot_gateway.shoe.log import ShoeLog, Step
from sabot_gateway.shoe.outbox import Outbox
from sabot_gateway.shoe.parse import Event, Frame, Parser
from sabot_gateway.shoe.session import Session, frame_bytes

_RESEND_EVERY_S = 0.25
_KEEP_ALIVE_S = 1.0
_REFUSED: Final = ("unauthenticated", "forged", "replayed", "strays", "unreadable")
_COUNTERS: Final = ("repeated", "gaps", "dropped_commands", *_REFUSED)

_FOLLOWED: Final = frozenset(("profile_set", "command_done", "command_refused"))  # kinds of events


def _claim_any(unit: str, authenticated: bool, now_s: float) -> None:
    """Let a link that has no others beside it serve any unit."""


def _new_nonce() -> bytes:
    return secrets.token_bytes(fields.NONCE_BYTES)


class ShoeLink:
    """Sans-I/O: bytes in by receive(), bytes out by output() and written(), time as an argument.

    One class because the loop has one `Driver` a table; what it does is in `Handshake`, `ShoeLog`, `CommandQueue` and
    `Outbox`.
    """

    keeps_log: Final = True
    note: Final[str | None] = None

    def __init__(
        self,
        profile: dict[str, Any],
        durable: Callable[[str], int | None],  # the last event number the ledger holds of a unit; None: unknown now
        gateway: bytes = bytes(fields.UNIT_BYTES),
        keys: Callable[[str], Sequence[bytes]] = lambda unit: (),
        nonce: Callable[[], bytes] = _new_nonce,
        *,
        keys_required: bool = False,
        stored: StoredFrames | None = None,  # to compare with
        claim: Callable[[str, bool, float], str | None] = _claim_any,  # why a unit is not served at this table
        firmware_key: Callable[[], PublisherKey | None] = lambda: None,  # of the publisher of images
    ) -> None:
        self.profile, self._durable, self._claim = profile, durable, claim
        self.greeting: tuple[int, str] | None = None  # of the last HELLO: the number of the next event, and the fault
        self.reports: dict[str, str] = {}  # alarms for the daemon to raise: text by name
        self.counters = dict.fromkeys(_COUNTERS, 0)
        self.parser, self.commands = Parser(), CommandQueue()
        self.log = ShoeLog(self.reports, stored or NothingStored())
        self._outbox, self._line, self._watch = Outbox(), LineDiagnosis(), LineWatch()
        self.handshake = Handshake(self._outbox, self._line, self.counters, gateway, keys, nonce, keys_required)
        self.firmware = FirmwarePush(firmware_key)
        self._switch: Command | None = None  # to the image that was pushed
        self._commanded: str | None = None  # the unit that the commands are for
        self._acknowledge_due = self._profile_known = self._gap_asked = False

    @property
    def unit(self) -> str | None:
        """The shoe that is served."""
        return self.handshake.unit

    @property
    def authenticated(self) -> bool:
        """True if the shoe has proved its key."""
        return self.handshake.authenticated

    @property
    def rotation(self) -> Literal["old", "new"] | None:
        """While a rotation is under way: which key the shoe uses."""
        return self.handshake.rotation

    @property
    def problem(self) -> str | None:
        """Why no shoe is served."""
        return self.handshake.problem

    @property
    def last_frame_s(self) -> float | None:
        """When the shoe that is served, or else any, last sent a sound frame."""
        return self._line.last_frame_s

    @property
    def lost(self) -> tuple[int, int] | None:
        """Events that the shoe no longer holds and the ledger never had."""
        return self.log.lost

    @lost.setter
    def lost(self, numbers: tuple[int, int] | None) -> None:
        self.log.lost = numbers

    def reset(self) -> None:
        """Forget who was there: the port was opened again, or the shoe has fallen silent."""
        self.handshake.reset()
        self._line.reset()
        self.log.forget_erased()
        self._profile_known = False
        self.parser.other_release = None
        self._outbox.clear()

    def port_lost(self) -> None:
        """Keep the session: the shoe's log goes on when the port is open again."""

    def refuse(self, problem: str, until_s: float = 0.0) -> None:
        """Serve nobody for this reason; take nothing from this line before `until_s`."""
        self.reset()
        self.handshake.refuse(problem, until_s)

    def tick(self, now_s: float) -> None:
        """Send again what has not been answered; find out what is wrong where nobody is served."""
        if self.handshake.refusing(now_s):
            return
        handshake, served = self.handshake, self.handshake.unit is not None
        if self._watch.due(self._watched(), now_s):
            self.reports |= self._watch.look(self.line_counters(), now_s, served=served)
        handshake.problem = self._line.diagnose(handshake.problem, self.parser.misfit, now_s, served=served)
        handshake.tick(now_s)
        if handshake.session is not None:
            self._send_again(now_s)

    def quiet(self, now_s: float) -> bool:
        """Return True if nothing waits to be written, answered or reported, and the keep-alive is not due."""
        settled = self.handshake.settled() and self._profile_known and self._switch is None
        waiting = self._command_due(now_s) or self.reports or self.firmware.active()
        return settled and not waiting and self._outbox.quiet("ack", now_s, _KEEP_ALIVE_S)

    def rest_s(self, now_s: float) -> float:
        """Return the time until keep-alive, command or silence of the shoe are due; 0 while something else may be."""
        if not self.quiet(now_s):
            return 0.0
        command_s = self.commands.rest_s(now_s) if self.log.up_to_date() else _KEEP_ALIVE_S
        return min(self._outbox.rest_s("ack", now_s, _KEEP_ALIVE_S), self._line.rest_s(now_s), command_s)

    def _command_due(self, now_s: float) -> bool:
        """Return True if one is to be sent: by the time that it is up to date, the log shows what the shoe has done."""
        return self.commands.is_due(now_s) and self.log.up_to_date()

    def _watched(self) -> int:
        """Return how many frames were counted, those that the line is watched for among them."""
        return sum(self.counters.values()) + self.parser.unknown + self.parser.deframer.oversize

    def _send_again(self, now_s: float) -> None:
        if not self.handshake.confirmed and self._outbox.due("welcome", now_s, ASK_EVERY_S):
            self._welcome(now_s)
        if not self._profile_known and self._outbox.due("set_profile", now_s, ASK_EVERY_S):
            self._send_profile(now_s)
        pushing = self.firmware.active()
        if self._switch is not None and not pushing:
            self.withdraw(self._switch)
            self._switch = None
        if self.handshake.confirmed and self._command_due(now_s):
            command = self.commands.take_due(now_s)
            self._send("command", now_s, {"command_id": command.command_id, "kind": command.kind, "data": command.data})
        if pushing and self.handshake.confirmed:
            self._push(now_s)
        if self._outbox.due("ack", now_s, _KEEP_ALIVE_S):
            self.acknowledge(self.log.durable_no, now_s)

    def _push(self, now_s: float) -> None:
        """Go on with the push of an image."""
        due, switch = self.firmware.due(now_s), self.firmware.switch_due()
        if due is not None:
            self._send(due[0], now_s, due[1])
        if switch is not None:
            self._switch = self.command("switch_image", switch)

    def receive(self, data: bytes, now_s: float) -> list[Event]:
        """Return the new events in these bytes, in order, none twice and none skipped."""
        events: list[Event] = []
        if self.handshake.refusing(now_s):
            return events
        self._line.unreadable_bytes += len(data)
        self._acknowledge_due = False
        for frame in self.parser.feed(data):
            self._frame(frame, events, now_s)
        if self.parser.other_release:
            self._sound(now_s)
            self.firmware.other_release(self.parser.other_release[1])
            self.handshake.refuse_offer(refusals.another_release(*self.parser.other_release))
            self.parser.other_release = None
        if self._acknowledge_due and self.handshake.unit is not None:
            self.acknowledge(self.log.durable_no, now_s)
        return events

    def events_due(self, now_s: float) -> bool:
        """Return False: every event comes from the shoe."""
        return False

    def _frame(self, frame: Frame, events: list[Event], now_s: float) -> None:
        handshake, kind = self.handshake, frame.type
        if handshake.unit is None:
            self._sound(now_s)
        if kind == "hello":
            self._hello(frame, now_s)
        elif kind == "busy":
            handshake.busy(frame)
        elif handshake.takes(frame):
            self._line.last_frame_s = now_s
            unit = handshake.unit
            if kind == "update_state":
                self.firmware.take(frame.body, now_s)
            if unit is not None:
                step = self._event(frame, unit, events, now_s) if kind == "event" else None
                if handshake.unit is not None:
                    self.log.watch(unit, step, now_s)

    def _sound(self, now_s: float) -> None:
        """Take note of a frame of any sender; while a shoe is served only its own session counts."""
        if self.handshake.unit is None and self._line.sound_frame(now_s):
            self.handshake.problem = None
            self.log.forget_erased()

    def _hello(self, frame: Frame, now_s: float) -> None:
        session = self.handshake.hello(frame, now_s)
        if session is None:
            return
        if session is not self.handshake.session:
            self._offered(session, frame.body, now_s)
        elif self._outbox.due("welcome", now_s, ASK_SOONEST_S):
            self._welcome(now_s)

    def _offered(self, session: Session, body: dict[str, Any], now_s: float) -> None:
        """Serve the shoe that offers this session, if no other table serves it and its log goes on where ours ends."""
        unit, authenticated = body["unit"].hex(), session.key is not None
        durable = self._durable(unit)
        if durable is None:  # the ledger cannot be read: the shoe is asked again
            return
        problem = self._claim(unit, authenticated, now_s)
        problem = problem or self.log.refusal(unit, body, durable, authenticated=authenticated)
        if problem:
            self.handshake.refuse_offer(problem)
        else:
            self._begin(unit, session, body, durable, now_s)

    def _begin(self, unit: str, session: Session, body: dict[str, Any], durable: int, now_s: float) -> None:
        self.log.join(unit, body, durable, same_shoe=unit == self.handshake.unit)
        self.handshake.begin(unit, session, now_s)
        self.greeting = (body["next_event_no"], body["fault"])
        self.firmware.hello(body)
        if self._commanded not in (None, unit):
            self.counters["dropped_commands"] += self.commands.forget()
        self._commanded = unit
        self.counters["dropped_commands"] += self.commands.begin(
            body["last_command_id"], log_lost=self.lost is not None
        )
        self._profile_known = body["profile_hash"] == messages.profile_hash(self.profile)
        self._welcome(now_s)
        if not self._profile_known:
            self._send_profile(now_s)

    def _event(self, frame: Frame, unit: str, events: list[Event], now_s: float) -> Step:
        if frame.body["kind"] == parse.UNREADABLE:
            self.counters["unreadable"] += 1
        step = self.log.take(frame)
        if step == "taken":
            event = parse.event(unit, frame)
            events.append(event)
            if self._gap_asked or event.kind in _FOLLOWED:
                self._taken(event)
        elif step == "another_log":
            self._refuse_log(unit, frame.body["event_no"], now_s)
        elif step in ("same", "repeated"):  # repeated: our last acknowledgement was lost
            self.counters["repeated"] += step == "repeated"
            self._acknowledge_due = True
        else:
            self.counters["gaps"] += step == "missing"
            if self._outbox.due("resend", now_s, _RESEND_EVERY_S):
                self._send("resend", now_s, {"event_no": self.log.wanted_no()})
                self._gap_asked = True
            if self.log.stuck():
                self.handshake.ask(now_s, ASK_EVERY_S)
        return step

    def _refuse_log(self, unit: str, event_no: int, now_s: float) -> None:
        """Refuse a shoe whose log is another one: nothing of it was acknowledged, and nothing will be."""
        problem = refusals.another_log(unit, event_no, self.log.durable_no)
        self.refuse(problem)
        self.log.erased(unit, problem)
        self._line.last_frame_s = now_s

    def _taken(self, event: Event) -> None:
        """Follow an event that ends a gap, or that shows what the shoe has done with what was sent to it."""
        self._outbox.mark_due("resend")  # the next gap is another one, asked for at once
        self._gap_asked = False
        if event.kind == "profile_set":
            self._profile_known = event.data["profile_hash"] == messages.profile_hash(self.profile)
        elif event.kind in ("command_done", "command_refused"):
            self.commands.done(event.data)
            self.firmware.outcome(event.data)

    def command(self, kind: str, data: dict[str, Any]) -> Command | None:
        """Queue a command; None if too many wait, CodecError if its values cannot be sent."""
        frame_bytes("command", {"command_id": 0, "kind": kind, "data": data}, 0, 0.0)
        command = self.commands.add(kind, data)
        if command is None:
            self.counters["dropped_commands"] += 1
        return command

    def prepare_command(self, kind: str, data: dict[str, Any]) -> Command | None:
        """Queue a command that is held until the caller clears its `held`."""
        command = self.command(kind, data)
        if command is not None:
            command.held = True
        return command

    def refuses(self, kind: str, data: dict[str, Any]) -> str:
        """Return that a command is for another shoe; what our own shoe refuses it logs."""
        return refusals.for_angel_eye(kind)

    def done_here(self, kind: str) -> bool:
        """Return False: our own shoe carries out and logs every command."""
        return False

    def number_command(self, command: Command) -> int:
        """Return the id under which the shoe will log this command; 0 while others wait before it."""
        return self.commands.number(command)

    def withdraw(self, command: Command) -> bool:
        """Send this command no more; return whether it was sent before."""
        return self.commands.withdraw(command)

    def skip_numbers(self, count: int) -> None:
        """Do nothing: the shoe numbers its events."""

    def caught_up(self) -> bool:
        """Return True if everything that the shoe had logged at its HELLO has come."""
        return self.handshake.unit is not None and self.log.up_to_date()

    def line_counters(self) -> dict[str, int]:
        """Return how often something was damaged, dropped, refused or repeated on this line."""
        deframer = self.parser.deframer
        return {
            **self.counters,
            "unsent": self._outbox.dropped,
            "malformed": self.parser.malformed,
            "unknown": self.parser.unknown,
            "crc_errors": deframer.crc_errors,
            "cobs_errors": deframer.cobs_errors,
            "oversize": deframer.oversize,
        }

    def acknowledge(self, event_no: int, now_s: float) -> None:
        """Acknowledge to the shoe that the ledger holds everything up to this event."""
        self.log.durable_no = event_no
        self._send("ack", now_s, {"event_no": self.log.acknowledged_no()})

    def _welcome(self, now_s: float) -> None:
        session = self.handshake.session
        assert session is not None
        self._outbox.mark_sent("ack", now_s)  # WELCOME acknowledges too
        body = {
            "protocol_hash": messages.protocol_hash(),
            "shoe_nonce": session.shoe_nonce,
            "durable_event_no": self.log.acknowledged_no(),
        }
        self._send("welcome", now_s, body)

    def _send_profile(self, now_s: float) -> None:
        body = {"profile_hash": messages.profile_hash(self.profile), "profile": self.profile}
        self._send("set_profile", now_s, body)

    def _send(self, kind: str, now_s: float, body: dict[str, Any]) -> None:
        self._outbox.send(self.handshake.session, kind, now_s, body)

    def mid_frame(self) -> list[str]:
        """Return the senders of whose current frame only a part was on the line."""
        receiving, sending = self.parser.deframer.mid_frame, bool(self._outbox.waiting())
        return ["shoe"] * receiving + ["gateway"] * sending

    def read_late(self, since_s: float, now_s: float) -> None:
        """Wait longer for the shoe and for a push: nobody listened."""
        self._line.read_late(now_s - since_s)
        self.firmware.read_late(since_s, now_s)

    def restart_silence(self, now_s: float) -> None:
        """Count the silence of the shoe from now on."""
        self._line.last_frame_s = now_s

    def output(self) -> bytes:
        """Return what waits to be written."""
        return self._outbox.waiting()

    def written(self, count: int) -> None:
        """Drop the first `count` bytes of the output: the port has taken them."""
        self._outbox.written(count)

"""Link: greets a shoe, checks its version and key in words, takes its log in order, acknowledges what is durable."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from sabot_protocol import fields, messages

from sabot_gateway.shoe import parse, refusals
from sabot_gateway.shoe.commands import Command, CommandQueue
from sabot_gateway.shoe.continuity import NothingStored, StoredFrames, log_lost, proof
from sabot_gateway.shoe.keys import KeysError
from sabot_gateway.shoe.line_watch import LineWatch, log_stalled
from sabot_gateway.shoe.log import ShoeLog, Step
from sabot_gateway.shoe.parse import Event, Frame, Parser
from sabot_gateway.shoe.session import Session, frame_bytes

_ASK_EVERY_S = 1.0
_ASK_SOONEST_S = 0.2
_RESEND_EVERY_S = 0.25
_KEEP_ALIVE_S = 1.0
_LIVE_S = 1.5  # a shoe says something once a second
_TAKE_UP_S = 3.0  # less than the shoe waits for a word of its session
_SILENT_AFTER_S = 5.0
_MOST_UNSENT_BYTES = 4096
_COUNTERS = (
    "repeated",
    "gaps",
    "unsent",
    "dropped_commands",
    "unauthenticated",
    "forged",
    "replayed",
    "strays",
    "unreadable",
)
SILENT = "nothing comes on this port: the shoe is switched off, or its cable is not in, or this is another port"
UNREADABLE = "bytes come on this port, but no frame: the baud rate is wrong, or another device is on it"
DEAF = "the shoe speaks on this port, but does not hear this gateway: check the wire to the shoe and its connector"


def _alone(unit: str, authenticated: bool) -> None:
    """The claim of a link that has no others beside it."""


@dataclass
class ShoeLink:
    """One port, sans-I/O: bytes in by receive(), bytes out by output() and written(), time as an argument."""

    profile: dict[str, Any]
    durable: Callable[[str], int | None]  # the last event number the ledger holds of a unit; None: not known now
    gateway: bytes = bytes(fields.UNIT_BYTES)  # which gateway this is
    keys: Callable[[str], Sequence[bytes]] = lambda unit: ()  # of a unit, the newest first; or KeysError
    nonce: Callable[[], bytes] = lambda: secrets.token_bytes(fields.NONCE_BYTES)
    keys_required: bool = False  # a shoe without a key is not served
    stored: StoredFrames = field(default_factory=NothingStored)  # by the ledger, to compare
    claim: Callable[[str, bool], str | None] = _alone  # why a unit is not served at this table
    unit: str | None = None  # that is served
    authenticated: bool = False
    rotation: Literal["old", "new"] | None = None  # while one is under way: which key the shoe uses
    problem: str | None = None  # why no shoe is served, in words
    log: ShoeLog = field(default_factory=ShoeLog)
    greeting: tuple[int, str] | None = None  # of the last HELLO: the number of the next event, and the fault
    reports: dict[str, str] = field(default_factory=dict)  # alarms that the daemon is to raise, by name, in words
    counters: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_COUNTERS, 0))
    parser: Parser = field(default_factory=Parser)
    last_frame_s: float | None = None  # when the shoe that is served, or else anybody, last said something sound
    commands: CommandQueue = field(default_factory=CommandQueue)
    _commanded: str | None = None  # the unit that the commands are for
    _session: Session | None = None
    _before: Session | None = None  # holds until the shoe speaks in the session that is to follow it
    _confirmed: bool = False  # the shoe speaks in this session
    _begun_s: float = 0.0
    _asked: bytes = b""  # the nonce of a WHO that no HELLO has answered
    _answer_due: bool = False  # the shoe is to hear how far the ledger is
    _erased: tuple[str, str] | None = None  # the unit whose log is another one than the ledger's, and the problem
    _reported: set[str] = field(default_factory=set)  # units whose erased journal has been reported
    _refused_until_s: float = 0.0
    _watch: LineWatch = field(default_factory=LineWatch)
    _profile_known: bool = False
    _said_s: dict[str, float] = field(default_factory=dict)  # when each kind of frame was last sent
    _since_s: float | None = None  # since when nothing, or something, comes
    _heard_bytes: int = 0  # since the last sound frame
    _out: bytearray = field(default_factory=bytearray)

    @property
    def lost(self) -> tuple[int, int] | None:
        """Events that the shoe no longer holds and the ledger never had."""
        return self.log.lost

    @lost.setter
    def lost(self, numbers: tuple[int, int] | None) -> None:
        self.log.lost = numbers

    def reset(self) -> None:
        """The port has just been opened: nothing is known of who is there."""
        self.unit = self.last_frame_s = self.rotation = self._since_s = self._erased = None
        self.problem = self.problem if self._refused_until_s else None
        self._session = self._before = None
        self.authenticated = self._confirmed = self._profile_known = False
        self.parser.other_release = None
        self._heard_bytes = 0
        self._asked = b""
        self._said_s.clear()
        self._out.clear()

    def refuse(self, problem: str, until_s: float = 0.0) -> None:
        """Serve nobody, and say why; take nothing from this line before `until_s`."""
        self.reset()
        self.problem, self._refused_until_s = problem, until_s

    def _refusing(self, now_s: float) -> bool:
        if self._refused_until_s and now_s >= self._refused_until_s:
            self.problem, self._refused_until_s = None, 0.0
        return bool(self._refused_until_s)

    def tick(self, now_s: float) -> None:
        """Say again what has not been answered; say so when nobody is served, and why."""
        if self._refusing(now_s):
            return
        self.reports |= self._watch.look(self.line_counters(), now_s, served=self.unit is not None)
        self._diagnose(now_s)
        if self._before is not None and now_s - self._begun_s >= _TAKE_UP_S:  # the shoe has not taken up the new one
            self._session, self._before, self._confirmed = self._before, None, True
        if self._session is None or self._session.old():
            self._ask(now_s, _ASK_EVERY_S)
        if self._session is not None:
            self._say_again(now_s)

    def _diagnose(self, now_s: float) -> None:
        """What is wrong with a line on which nobody is served."""
        self._since_s = now_s if self._since_s is None else self._since_s
        if self.unit is not None:
            return
        if now_s - (self._since_s if self.last_frame_s is None else self.last_frame_s) >= _SILENT_AFTER_S:
            self.problem = UNREADABLE if self._heard_bytes else SILENT
        elif self.problem is None and self.last_frame_s is not None and now_s - self._since_s >= _SILENT_AFTER_S:
            self.problem = DEAF

    def _say_again(self, now_s: float) -> None:
        if not self._confirmed and self._due("welcome", now_s, _ASK_EVERY_S):
            self._welcome(now_s)
        if not self._profile_known and self._due("set_profile", now_s, _ASK_EVERY_S):
            self._send_profile(now_s)
        if self._confirmed and self.log.up_to_date():  # what the shoe has done, its log has said by now
            self._send_command(now_s)
        if self._due("ack", now_s, _KEEP_ALIVE_S):
            self.acknowledge(self.log.durable_no, now_s)

    def _due(self, kind: str, now_s: float, every_s: float) -> bool:
        said_s = self._said_s.get(kind)
        return said_s is None or now_s - said_s >= every_s

    def _ask(self, now_s: float, every_s: float) -> None:
        if self._due("who", now_s, every_s):
            self._asked = self._asked or self.nonce()
            self._send("who", now_s, gateway=self.gateway, nonce=self._asked)

    def receive(self, data: bytes, now_s: float) -> list[Event]:
        """The new events in these bytes, in order, none twice and none skipped."""
        events: list[Event] = []
        if self._refusing(now_s):
            return events
        self._heard_bytes += len(data)
        self._answer_due = False
        for frame in self.parser.feed(data):
            self._frame(frame, events, now_s)
        if self.parser.other_release:
            self._sound(now_s)
            self._refuse(refusals.another_release(*self.parser.other_release))
            self.parser.other_release = None
        if self._answer_due and self.unit is not None:
            self.acknowledge(self.log.durable_no, now_s)
        return events

    def _frame(self, frame: Frame, events: list[Event], now_s: float) -> None:
        self._sound(now_s)
        if frame.type == "hello":
            self._hello(frame, now_s)
        elif frame.type == "busy":
            self._busy(frame)
        elif self._takes(frame):
            self.last_frame_s = now_s
            if self.unit is not None:
                step = self._event(frame, self.unit, events, now_s) if frame.type == "event" else None
                self._watch_log(step, now_s)

    def _sound(self, now_s: float) -> None:
        """Somebody speaks our language; while a shoe is served only its own session counts."""
        if self.unit is not None:
            return
        if self.last_frame_s is None or now_s - self.last_frame_s >= _SILENT_AFTER_S:
            self._since_s, self.problem, self._erased = now_s, None, None
        self.last_frame_s, self._heard_bytes = now_s, 0

    def _takes(self, frame: Frame) -> bool:
        """Whether the frame is of this session, or of the one before until this is taken up, and new."""
        if self._session is None:
            return False
        refusal = self._session.refuses(frame)
        if refusal is None:
            self._confirmed, self._before = True, None
        elif self._before is not None and self._before.refuses(frame) is None:
            return True
        else:
            self._count(refusal)
        return refusal is None

    def _count(self, refusal: str) -> None:
        """Until the shoe speaks in this session it may speak in one that this gateway no longer knows."""
        self.counters["strays" if refusal == "forged" and not self._confirmed else refusal] += 1

    def _busy(self, frame: Frame) -> None:
        if frame.body["nonce"] == self._asked:
            self._refuse(refusals.another_gateway(frame.body["gateway"].hex()))

    def _hello(self, frame: Frame, now_s: float) -> None:
        body = frame.body
        if body["protocol_hash"] != messages.protocol_hash():
            self._refuse(refusals.another_release(body["unit"].hex(), body["protocol_hash"].hex()))
        elif self._session is not None and self._session.is_of(body["gateway_nonce"], body["shoe_nonce"]):
            self._offered_again(frame, self._session, now_s)
        elif self._asked and body["gateway_nonce"] == self._asked:
            self._answered(frame, now_s)
        elif self._live(now_s):  # not the shoe that is served: that one speaks in its session
            self.counters["strays"] += 1
        else:  # it has just started, or answers somebody else
            self._ask(now_s, _ASK_SOONEST_S)

    def _live(self, now_s: float) -> bool:
        """The shoe has just proved that it is in its session: a HELLO cannot be its own."""
        held = self.authenticated and (self._confirmed or self._before is not None)
        return held and self.last_frame_s is not None and now_s - self.last_frame_s < _LIVE_S

    def _refuse(self, problem: str) -> None:
        """A forger can make this happen: a shoe that is served stays served."""
        if self.unit is None:
            self.problem = problem

    def _offered_again(self, frame: Frame, session: Session, now_s: float) -> None:
        """The shoe still offers what was welcomed: our word was lost."""
        refusal = session.refuses(frame)
        if refusal is not None:
            self._count(refusal)
            return
        self._confirmed = False
        if self._due("welcome", now_s, _ASK_SOONEST_S):
            self._welcome(now_s)

    def _answered(self, frame: Frame, now_s: float) -> None:
        """A shoe has answered our WHO: it is served if its key and its numbers are right."""
        unit = frame.body["unit"].hex()
        if self.unit not in (None, unit):  # the one that is served must fall silent first
            self.counters["strays"] += 1
            return
        session = self._session_of(unit, frame)
        if session is None:
            return
        authenticated, durable = session.key is not None, self.durable(unit)
        if durable is None:  # the ledger cannot be read: the shoe is asked again
            return
        problem = refusals.no_unit(unit, self.gateway.hex()) or self.claim(unit, authenticated)
        problem = problem or self._wrong_log(unit, frame.body, durable, authenticated=authenticated)
        if problem:
            self._refuse(problem)
        else:
            self._begin(unit, session, frame.body, durable, now_s)

    def _wrong_log(self, unit: str, body: dict[str, Any], durable: int, *, authenticated: bool) -> str | None:
        """Why the shoe's log does not go on where the ledger ends; one that was erased is an alarm too."""
        oldest, next_no = body["oldest_event_no"], body["next_event_no"]
        if self._erased and self._erased[0] == unit:
            return self._erased[1]
        problem = refusals.wrong_numbers(unit, oldest, next_no, durable, authenticated=authenticated)
        if problem and oldest <= next_no <= durable:
            self._report_erased(unit, problem)
        return problem

    def _report_erased(self, unit: str, problem: str) -> None:
        """Once for each unit that the ledger knows."""
        if unit not in self._reported:
            self._reported.add(unit)
            self.reports["log_lost"] = f"What this shoe has logged since is in no ledger: {problem}."

    def _begin(self, unit: str, session: Session, body: dict[str, Any], durable: int, now_s: float) -> None:
        """Welcome the shoe into a session; what it says in the one before still counts until it takes this one up."""
        self._join_log(unit, body, durable)
        self._before = self._session if self._confirmed else self._before
        self._session, self._asked, self._confirmed, self._begun_s = session, b"", False, now_s
        self.unit, self.problem, self.authenticated = unit, None, session.key is not None
        self.last_frame_s = now_s
        self.greeting = (body["next_event_no"], body["fault"])
        self._greet_commands(unit, body["last_command_id"])
        self._profile_known = body["profile_hash"] == messages.profile_hash(self.profile)
        self._welcome(now_s)
        if not self._profile_known:
            self._send_profile(now_s)

    def _join_log(self, unit: str, body: dict[str, Any], durable: int) -> None:
        needed, same = proof(unit, body, durable, self.stored), unit == self.unit
        self.log.join(body["oldest_event_no"], body["next_event_no"], durable, needed, same_shoe=same)
        if self.lost and durable:
            self.reports["log_lost"] = log_lost(unit, *self.lost)

    def _greet_commands(self, unit: str, last_id: int) -> None:
        if self._commanded not in (None, unit):
            self.counters["dropped_commands"] += self.commands.forget()
        self._commanded = unit
        self.counters["dropped_commands"] += self.commands.begin(last_id, log_lost=self.lost is not None)

    def _session_of(self, unit: str, frame: Frame) -> Session | None:
        """The session that this HELLO begins; None, and why in words, where its key is not right."""
        try:
            keys = self.keys(unit)
        except KeysError as error:
            self._refuse(str(error))
            return None
        nonces = frame.body["gateway_nonce"], frame.body["shoe_nonce"]
        if not keys and not frame.mac and not self.keys_required:
            self.rotation = None
            return Session(*nonces, None)
        for key in keys:
            session = Session(*nonces, key)
            if session.refuses(frame) is None:
                self.rotation = None if len(keys) == 1 else "new" if key == keys[0] else "old"
                return session
        self.counters["forged" if frame.mac else "unauthenticated"] += 1
        self._refuse(refusals.wrong_key(unit, known=bool(keys), proved=bool(frame.mac)))
        return None

    def _watch_log(self, step: Step | None, now_s: float) -> None:
        if self.unit is not None and self.log.stalled(step, now_s):
            self.reports["log_stalled"] = log_stalled(self.unit, self.log.wanted_no())

    def _event(self, frame: Frame, unit: str, events: list[Event], now_s: float) -> Step:
        self.counters["unreadable"] += frame.body["kind"] == parse.UNREADABLE
        step = self.log.take(frame)
        if step == "taken":
            self._taken(parse.event(unit, frame), events)
        elif step == "another_log":
            self._give_up_erased(unit, frame.body["event_no"], now_s)
        elif step in ("same", "repeated"):  # of a repeated one, our last word was lost
            self.counters["repeated"] += step == "repeated"
            self._answer_due = True
        else:
            self.counters["gaps"] += step == "missing"
            if self._due("resend", now_s, _RESEND_EVERY_S):
                self._send("resend", now_s, event_no=self.log.wanted_no())
            if self.log.stuck():
                self._ask(now_s, _ASK_EVERY_S)
        return step

    def _give_up_erased(self, unit: str, event_no: int, now_s: float) -> None:
        """NothingStored of this log has been acknowledged, and nothing will be."""
        problem = refusals.another_log(unit, event_no, self.log.durable_no)
        self.refuse(problem)
        self._erased, self.last_frame_s = (unit, problem), now_s
        self._report_erased(unit, problem)

    def _taken(self, event: Event, events: list[Event]) -> None:
        self._said_s.pop("resend", None)  # it has come: the next gap is another one, asked for at once
        if event.kind == "profile_set":
            self._profile_known = event.data["profile_hash"] == messages.profile_hash(self.profile)
        elif event.kind in ("command_done", "command_refused"):
            self.commands.done(event.data)
        events.append(event)

    def command(self, kind: str, /, **data: Any) -> Command | None:
        """Have the shoe do this, behind what waits; None if too much waits, CodecError if it makes no sense."""
        frame_bytes("command", {"command_id": 0, "kind": kind, "data": data}, 0, 0.0)
        command = self.commands.add(kind, data)
        if command is None:
            self.counters["dropped_commands"] += 1
        return command

    def prepare_command(self, kind: str, data: dict[str, Any]) -> Command | None:
        """The same, held until the caller lets it go."""
        command = self.command(kind, **data)
        if command is not None:
            command.held = True
        return command

    def number_command(self, command: Command) -> int:
        """The id under which the shoe will log this command; 0 while others wait before it."""
        return self.commands.number(command)

    def caught_up(self) -> bool:
        """Everything that the shoe had logged when it was greeted has come."""
        return self.unit is not None and self.log.up_to_date()

    def withdraw(self, command: Command) -> bool:
        """Nobody waits for this command any more; whether the shoe may have heard of it."""
        return self.commands.withdraw(command)

    def _send_command(self, now_s: float) -> None:
        command = self.commands.due(now_s)
        if command is not None:
            self._send("command", now_s, command_id=command.command_id, kind=command.kind, data=command.data)

    def line_counters(self) -> dict[str, int]:
        """Everything that was damaged, dropped, refused or said twice on this line."""
        deframer = self.parser.deframer
        return {
            **self.counters,
            "malformed": self.parser.malformed,
            "unknown": self.parser.unknown,
            "crc_errors": deframer.crc_errors,
            "cobs_errors": deframer.cobs_errors,
            "oversize": deframer.oversize,
        }

    def acknowledge(self, event_no: int, now_s: float) -> None:
        """The ledger holds everything up to this event."""
        self.log.durable_no = event_no
        self._send("ack", now_s, event_no=self.log.acknowledged_no())

    def _welcome(self, now_s: float) -> None:
        assert self._session is not None
        self._said_s["ack"] = now_s  # it says the same, and more
        self._send(
            "welcome",
            now_s,
            protocol_hash=messages.protocol_hash(),
            shoe_nonce=self._session.shoe_nonce,
            durable_event_no=self.log.acknowledged_no(),
        )

    def _send_profile(self, now_s: float) -> None:
        self._send("set_profile", now_s, profile_hash=messages.profile_hash(self.profile), profile=self.profile)

    def _send(self, kind: str, now_s: float, /, **body: Any) -> None:
        self._said_s[kind] = now_s
        if len(self._out) > _MOST_UNSENT_BYTES - parse.MOST_FRAME_BYTES:  # nobody reads; it will be said again
            self.counters["unsent"] += 1
        elif kind == "who":
            self._out += frame_bytes(kind, body, 0, now_s)
        elif self._session is not None:
            self._out += self._session.build(kind, body, now_s)

    def mid_frame(self) -> list[str]:
        """Return the senders of whose current frame only a part was on the line."""
        receiving, sending = self.parser.deframer.mid_frame, bool(self._out)
        return ["shoe"] * receiving + ["gateway"] * sending

    def restart_silence(self, now_s: float) -> None:
        """Count the silence of the shoe from now on."""
        self.last_frame_s = now_s

    def output(self) -> bytes:
        """What waits to be written."""
        return bytes(self._out)

    def written(self, count: int) -> None:
        """The port took the first `count` bytes of the output."""
        del self._out[:count]

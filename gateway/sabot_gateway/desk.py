"""Desk: what people ask of a table; each attempt is in the ledger before it is carried out, and then its outcome."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

import msgspec
from sabot_protocol.codec import CodecError
from sabot_protocol.messages import COMMANDS
from sabot_protocol.topics import Winner

from sabot_gateway.commands import Command
from sabot_gateway.control import Answer, Request
from sabot_gateway.driver import Driver
from sabot_gateway.ledger import Entry
from sabot_gateway.parse import Event
from sabot_gateway.verify import NotThereError, Record, Source, Verifier
from sabot_gateway.verify.disputes import Decision

ATTEMPT, OUTCOME = "attempt", "outcome"  # topics of the ledger that nobody publishes
_ANSWER_WITHIN_S = 10.0
_MOST_UNDER_WAY = 64
_MOST_NAME = 64
_OUTCOMES = {
    "done": "Done.",
    "not_now": "The shoe did not do it: not in the state it is in now.",
    "not_permitted": "The shoe did not do it: its rulebook does not permit it.",
    "not_authorised": "The shoe did not do it: turn the supervisor's key, or authorise it first.",
    "bad_value": "The shoe did not do it: a value makes no sense there.",
    "unknown": "The shoe did not do it: its firmware does not know this; reflash it.",
}


class Seat(Protocol):
    """What the desk needs of a table."""

    @property
    def name(self) -> str:
        """The table's."""

    @property
    def link(self) -> Driver:
        """To its shoe."""

    @property
    def verifier(self) -> Verifier:
        """Of its log."""


@dataclass(frozen=True)
class At:
    """A moment, by both clocks."""

    now_s: float
    time: str


class Attempt(msgspec.Struct, kw_only=True, frozen=True):
    """Somebody asked for something."""

    id: str
    time: str
    table: str
    verb: str
    by: str
    user: str
    clause: str
    args: dict[str, Any]


class Outcome(msgspec.Struct, kw_only=True, frozen=True):
    """What came of an attempt."""

    id: str
    time: str
    table: str
    attempt: str
    ok: bool
    say: str


@dataclass(eq=False)
class Ask:
    """One request under way."""

    request: Request
    attempt: str
    seat: Seat | None
    reply: Callable[[Answer], None]
    until_s: float
    command: Command | None = None


class RefusedError(Exception):
    """Why a request is not carried out, in words."""


@dataclass
class Desk:
    """Sans-I/O: requests in, ledger entries out; answers go out when what they tell is durable."""

    gateway: str  # the gateway's own id, the unit of these entries
    own_no: int  # of the next entry
    entries: list[Entry] = field(default_factory=list)  # to be committed
    _new: list[Ask] = field(default_factory=list)  # their attempts are not durable yet
    _waiting: list[Ask] = field(default_factory=list)  # for the shoe's word
    _answers: list[tuple[Ask, Answer]] = field(default_factory=list)  # their outcomes are not durable yet

    def take(self, request: Request, user: str, seat: Seat | None, reply: Callable[[Answer], None], at: At) -> None:
        """Somebody asks."""
        if len(self._new) + len(self._waiting) >= _MOST_UNDER_WAY:
            reply(Answer(False, "too much is under way at this gateway; try again in a moment"))
            return
        source = self._source(at.time)
        asked = Attempt(
            id=source.id,
            time=at.time,
            table=request.table,
            verb=request.verb,
            by=request.by,
            user=user,
            clause=request.clause,
            args=dict(request.args),
        )
        self._keep(source, request.table, ATTEMPT, msgspec.json.encode(asked))
        self._new.append(Ask(request, asked.id, seat, reply, at.now_s + _ANSWER_WITHIN_S))

    def _source(self, time: str) -> Source:
        self.own_no += 1
        return Source(self.gateway, self.own_no - 1, time)

    def _keep(self, source: Source, table: str, topic: str, payload: bytes) -> None:
        self.entries.append(Entry(source.unit, source.event_no, table, topic, payload, b"", source.time))

    def committed(self, at: At) -> None:
        """All entries are durable: answer whose outcome is, carry out whose attempt is."""
        answers, self._answers = self._answers, []
        for ask, answer in answers:
            ask.reply(answer)
        new, self._new = self._new, []
        for ask in new:
            try:
                self._carry_out(ask, at)
            except (RefusedError, NotThereError) as refused:
                self._end(ask, Answer(False, str(refused)), at)

    def _carry_out(self, ask: Ask, at: At) -> None:
        seat, request = ask.seat, ask.request
        if seat is None:
            raise RefusedError(f"there is no table {request.table!r} here; `sabot gateway status` lists them")
        if not request.by.strip() or len(request.by) > _MOST_NAME:
            raise RefusedError("say who you are: --by NAME, at most 64 letters")
        if request.verb == "ack-alarm":
            self._acknowledge(ask, seat, at)
        elif request.verb in ("confirm", "void") and seat.verifier.disputed():
            self._decide(ask, seat, at)
        else:
            self._send(ask, seat)

    def _acknowledge(self, ask: Ask, seat: Seat, at: At) -> None:
        wanted = str(ask.request.args.get("alarm", "all"))
        active = [alarm.alarm for alarm in seat.verifier.active()]
        chosen = active if wanted == "all" else [wanted]
        if not chosen:
            raise RefusedError(f"no alarm is active at {seat.name}")
        for alarm in chosen:
            source = self._source(at.time)
            self._store(seat, seat.verifier.acknowledge(alarm, ask.request.by, source), source)
        self._end(ask, Answer(True, f"{len(chosen)} acknowledged."), at)

    def _decide(self, ask: Ask, seat: Seat, at: At) -> None:
        request, source = ask.request, self._source(at.time)
        if not request.clause:
            raise RefusedError("a disputed coup is decided under a clause of the rulebook: --clause N")
        coup, winner = (request.args.get(name) for name in ("coup", "winner"))
        if winner not in (None, "player", "banker", "tie"):
            raise RefusedError(f"nobody called {winner!r} can win; it is player, banker or tie")
        verdict: Decision = "confirmed" if request.verb == "confirm" else "void"
        records = seat.verifier.decide(
            verdict, request.by, request.clause, source, cast(str | None, coup), cast(Winner | None, winner)
        )
        self._store(seat, records, source)
        self._end(ask, Answer(True, f"The disputed coup is {verdict}."), at)

    def _store(self, seat: Seat, records: list[Record], source: Source) -> None:
        """What the verifier says of an act of a person: the first under the act's own number."""
        for place, record in enumerate(records):
            number = source.event_no if place == 0 else None
            payload, book = msgspec.json.encode(record.message), seat.verifier.digest
            entry = Entry(source.unit, number, seat.name, record.topic or "", payload, b"", source.time, book)
            self.entries.append(entry)

    def note(self, seat: Seat, name: str, say: str, at: At) -> None:
        """An alarm about the gateway itself."""
        source = self._source(at.time)
        self._store(seat, seat.verifier.gateway_alarm(name, say, source), source)

    def _send(self, ask: Ask, seat: Seat) -> None:
        kind = "void_coup" if ask.request.verb == "void" else ask.request.verb.replace("-", "_")
        if kind not in COMMANDS:
            raise RefusedError(f"{ask.request.verb!r} is nothing a table can do; `sabot table --help` lists it")
        if seat.link.unit is None:
            raise RefusedError(f"no shoe is served at {seat.name}: {seat.link.problem or 'it has not answered yet'}")
        args = {name: value for name, value in ask.request.args.items() if name not in ("coup", "winner")}
        for name in args.keys() - {part.name for part in COMMANDS[kind].subcons}:
            raise RefusedError(f"{ask.request.verb} takes no {name!r}")
        try:
            ask.command = seat.link.command(kind, **args)
        except (CodecError, TypeError, KeyError) as error:
            raise RefusedError(f"{ask.request.verb}: {error}") from error
        if ask.command is None:
            raise RefusedError("too many commands wait for this shoe already; look at `sabot gateway status`")
        self._waiting.append(ask)

    def heard(self, seat: Seat, event: Event, at: At) -> None:
        """An event of a shoe: it may be the outcome that somebody waits for."""
        if event.kind not in ("command_done", "command_refused"):
            return
        named = event.data["command_id"], event.data["command"]
        for ask in self._waiting:
            command = ask.command
            if ask.seat is seat and command is not None and (command.command_id, command.kind) == named:
                self._waiting.remove(ask)
                outcome = event.data["outcome"]
                self._end(ask, Answer(outcome == "done", _OUTCOMES[outcome]), at)
                return

    def expire(self, at: At) -> None:
        """Nobody waits for ever, and a command that comes too late must not be carried out."""
        for ask in [ask for ask in self._waiting if at.now_s >= ask.until_s]:
            assert ask.seat is not None
            assert ask.command is not None
            self._waiting.remove(ask)
            sent = ask.seat.link.withdraw(ask.command)
            say = (
                "The shoe was told and has not answered: look at it, and at `sabot ledger show`, before you repeat it."
                if sent
                else "The shoe was not told: it does not answer. Nothing was done."
            )
            self._end(ask, Answer(False, say), at)

    def _end(self, ask: Ask, answer: Answer, at: At) -> None:
        source, table = self._source(at.time), ask.request.table
        outcome = Outcome(id=source.id, time=at.time, table=table, attempt=ask.attempt, ok=answer.ok, say=answer.say)
        self._keep(source, table, OUTCOME, msgspec.json.encode(outcome))
        self._answers.append((ask, answer))

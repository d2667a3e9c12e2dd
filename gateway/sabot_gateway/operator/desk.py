"""Desk: what people ask of a table; each attempt is in the ledger before it is carried out, and then its outcome."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

import msgspec
import structlog
from sabot_protocol import clauses
from sabot_protocol.clauses import ClauseError
from sabot_protocol.codec import CodecError
from sabot_protocol.topics import CoupMessage, Winner

from sabot_gateway.ledger import Entry
from sabot_gateway.operator.attempts import ATTEMPT, OUTCOME, SENT, Attempt, Attempts, Outcome, Sent
from sabot_gateway.operator.messages import INTERNAL_ERROR, Answer
from sabot_gateway.operator.requests import (
    AckAlarm,
    Confirm,
    Decide,
    Irregularity,
    OnTheTable,
    TableRequest,
    ThisNoBet,
    Void,
)
from sabot_gateway.operator.requests import Command as CommandRequest
from sabot_gateway.operator.seat import (
    RefusedError,
    TableView,
    consequence,
    exported,
    filled_in,
    meant,
    refuse_unserved,
    refuse_without_clause,
    still_disputed,
)
from sabot_gateway.ops.moment import Moment
from sabot_gateway.shoe.commands import Command
from sabot_gateway.shoe.fault import next_step
from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify import NotThereError, Record, Source
from sabot_gateway.verify.deciders import Decider
from sabot_gateway.verify.disputes import Decision, coup_label, where_dealt

log: structlog.stdlib.BoundLogger = structlog.get_logger()

_ANSWER_WITHIN_S = 10.0
_MOST_UNDER_WAY = 64
_OUTCOMES = {
    "done": "Done.",
    "not_now": "The shoe did not do it: not in the state it is in now.",
    "not_permitted": "The shoe did not do it: its rulebook does not permit it.",
    "not_authorised": "The shoe did not do it: turn the supervisor's key, or authorise it first.",
    "bad_value": "The shoe did not do it: a value makes no sense there.",
    "unknown": "The shoe did not do it: it does not know this command; reflash it.",
}
_NO_ANSWER = (
    "The command was sent and the shoe has not answered: look at it, and at `sabot ledger show`, before you repeat it."
)
_NOT_SENT = "The command was not sent: the shoe does not answer. Nothing was done."


@dataclass(eq=False)
class Ask:
    """One request under way."""

    request: TableRequest
    attempt: Attempt
    seat: TableView | None
    reply: Callable[[Answer], None]
    until_s: float
    command: Command | None = None
    noted: int = 0  # the command id that is in the ledger
    on: tuple[int, int] | None = None  # shoe and coup that are meant
    decided: str = ""  # what stands already, whatever the shoe answers
    reported: str = ""  # the case that the shoe has taken; what follows from it is its next word


@dataclass
class Desk:
    """Sans-I/O: requests in, ledger entries out; answers go out when what they say is durable."""

    gateway: str  # the gateway's own id, the unit of these entries
    own_no: int  # of the next entry
    attempts: Attempts = field(default_factory=Attempts)
    entries: list[Entry] = field(default_factory=list)  # to be committed
    _new: list[Ask] = field(default_factory=list)  # their attempts are not durable yet
    _numbered: list[Ask] = field(default_factory=list)  # the ids of their commands are not durable yet
    _waiting: list[Ask] = field(default_factory=list)  # for the shoe's answer
    _answers: list[tuple[Ask, Answer]] = field(default_factory=list)  # their outcomes are not durable yet

    def take(
        self, request: TableRequest, user: str, seat: TableView | None, reply: Callable[[Answer], None], at: Moment
    ) -> None:
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
            clause=_as_the_book_has_it(request.clause, seat),
            args=msgspec.to_builtins(request.act),
        )
        self._keep(source, request.table, ATTEMPT, asked)
        self._new.append(Ask(request, asked, seat, reply, at.now_s + _ANSWER_WITHIN_S))

    def _source(self, time: str) -> Source:
        self.own_no += 1
        return Source(self.gateway, self.own_no - 1, time)

    def _keep(self, source: Source, table: str, topic: str, said: Attempt | Sent | Outcome) -> None:
        payload = msgspec.json.encode(said)
        self.entries.append(Entry(source.unit, source.event_no, table, topic, payload, b"", source.time))

    def committed(self, at: Moment) -> None:
        """All entries are durable: answer whose outcome is, send whose command id is, carry out whose attempt is."""
        answers, self._answers = self._answers, []
        for ask, answer in answers:
            try:
                ask.reply(answer)
            except Exception:
                log.exception("an answer could not be given", attempt=ask.attempt.id)
        numbered, self._numbered = self._numbered, []
        for ask in numbered:
            assert ask.command is not None
            ask.command.held = False
        new, self._new = self._new, []
        for ask in new:
            try:
                self._carry_out(ask, at)
            except (RefusedError, NotThereError, ClauseError) as refused:
                self._end(ask, Answer(False, str(refused)), at)
            except Exception:
                log.exception("a request could not be carried out", attempt=ask.attempt.id)
                self._end(ask, Answer(False, INTERNAL_ERROR), at)

    def drop(self, why: str) -> None:
        """The entries cannot be stored, now or ever: whoever waits for them gets that for an answer."""
        waiting = [*self._new, *(ask for ask, _ in self._answers)]
        self.entries, self._new, self._answers = [], [], []
        for ask in waiting:
            ask.reply(Answer(False, f"nothing is known to have been done: {why}; report this with the ledger"))

    def _carry_out(self, ask: Ask, at: Moment) -> None:
        seat, act = ask.seat, ask.request.act
        if seat is None:
            raise RefusedError(f"there is no table {ask.request.table!r} here; `sabot gateway status` lists them")
        decider = _decider(ask, seat)
        if isinstance(act, AckAlarm):
            self._acknowledge(ask, seat, act.alarm, at)
        elif isinstance(act, Decide):
            self._decide(ask, seat, act, decider, at)
        elif isinstance(act, CommandRequest):
            refuse_unserved(seat)
            ask.on = meant(act.coup, seat) if isinstance(act, OnTheTable) else None
            if isinstance(act, ThisNoBet):
                refuse_without_clause(seat)
            self._order(ask, seat, act.kind, filled_in(act, seat), at)

    def _acknowledge(self, ask: Ask, seat: TableView, wanted: str, at: Moment) -> None:
        active = [alarm.alarm for alarm in seat.verifier.active()]
        chosen = active if wanted == "all" else [wanted]
        if not chosen:
            raise RefusedError(f"no alarm is active at {seat.name}")
        for alarm in chosen:
            source = self._source(at.time)
            self._store(seat, seat.verifier.acknowledge(alarm, ask.request.by, source), source)
        stay = ", ".join(dict.fromkeys(alarm.name for alarm in seat.verifier.active() if alarm.alarm in chosen))
        more = f"These stay active until their cause is gone: {stay}." if stay else ""
        say = _sentences(f"{len(chosen)} acknowledged.", more, _next_step(seat))
        self._end(ask, Answer(True, say), at)

    def _decide(self, ask: Ask, seat: TableView, act: Decide, decider: Decider, at: Moment) -> None:
        """The decision stands as soon as it is stored; then the shoe ends the fault that the dispute caused."""
        coup, source = seat.verifier.dispute(act.coup), self._source(at.time)
        verdict, winner = cast(Decision, act.verdict), cast(Winner | None, act.winner)
        records = seat.verifier.decide(coup, verdict, decider, source, winner)
        self._store(seat, records, source)
        self.attempts.decided(cast(CoupMessage, records[0].message))
        ask.decided = f"Coup {coup_label(coup)} is {verdict}."
        on_table = seat.verifier.state.awaits_confirm(*where_dealt(coup))
        if not on_table or seat.fault != "decision":
            confirm = "The dealer presses Confirm to go on." if on_table and seat.fault == "none" else ""
            self._end(ask, Answer(True, _sentences(ask.decided, confirm, _next_step(seat))), at)
            return
        ask.on = (coup.shoe, coup.coup)
        kind, data = ("confirm", {}) if verdict == "confirmed" else ("void_coup", _VOID)
        try:
            self._order(ask, seat, kind, data, at)
        except RefusedError as refused:
            self._end(ask, self._answer(ask, ok=False, say=f"The command was not sent: {refused}."), at)

    def _store(self, seat: TableView, records: list[Record], source: Source) -> None:
        """What the verifier makes of an act of a person: the first under the act's own number."""
        for place, record in enumerate(records):
            number = source.event_no if place == 0 else None
            payload, book = msgspec.json.encode(record.message), seat.verifier.digest
            entry = Entry(source.unit, number, seat.name, record.topic or "", payload, b"", source.time, book)
            self.entries.append(entry)

    def raise_alarm(self, seat: TableView, name: str, say: str, at: Moment) -> None:
        """An alarm about the gateway itself."""
        source = self._source(at.time)
        self._store(seat, seat.verifier.gateway_alarm(name, say, source), source)

    def match_fault(self, seat: TableView, at: Moment) -> None:
        """The shoe was greeted and its log has come: its alarms must show the fault that it reports, and no other."""
        source = Source(self.gateway, self.own_no, at.time)
        records = seat.verifier.match_fault(seat.fault, source)
        self.own_no += bool(records)
        self._store(seat, records, source)

    def match_moves(self, seat: TableView, at: Moment) -> None:
        """A coup has come to a table: the alarm of the table that it left is over."""
        source = Source(self.gateway, self.own_no, at.time)
        records = seat.verifier.match_moves(source)
        self.own_no += bool(records)
        self._store(seat, records, source)

    def _order(self, ask: Ask, seat: TableView, kind: str, data: dict[str, Any], at: Moment) -> None:
        """Have the shoe do this, once the id of the command is in the ledger with the attempt."""
        refuse_unserved(seat)
        try:
            ask.command = seat.link.prepare_command(kind, data)
        except (CodecError, TypeError, KeyError) as error:
            raise RefusedError(f"{ask.request.verb}: {error}") from error
        if ask.command is None:
            raise RefusedError("too many commands wait for this shoe already; look at `sabot gateway status`")
        self._waiting.append(ask)
        self._number(ask, at)

    def _number(self, ask: Ask, at: Moment) -> None:
        """Store under which id the shoe will log the command, whenever that is known or another."""
        assert ask.seat is not None
        assert ask.command is not None
        link, command = ask.seat.link, ask.command
        command_id = link.number_command(command)
        if command_id in (0, ask.noted) or link.unit is None:
            return
        ask.noted, source, table = command_id, self._source(at.time), ask.request.table
        names = {"attempt": ask.attempt.id, "unit": link.unit, "command_id": command_id, "command": command.kind}
        self._keep(source, table, SENT, Sent(id=source.id, time=at.time, table=table, **cast(Any, names)))
        self.attempts.sent(link.unit, command_id, command.kind, _decider(ask, ask.seat))
        self._numbered.append(ask)

    def follow(self, seat: TableView, event: Event, at: Moment) -> None:
        """An event of a shoe: it may be the outcome that somebody waits for."""
        if event.kind == "irregularity":
            self._follows(seat, event, at)
        if event.kind not in ("command_done", "command_refused"):
            return
        for ask in self._waiting:
            command = ask.command
            if ask.seat is seat and command and command.sent and command.answered_by(event.data):
                outcome, act = event.data["outcome"], ask.request.act
                if outcome == "done" and isinstance(act, Irregularity):
                    ask.reported = act.case
                    return
                self._waiting.remove(ask)
                say = exported(seat, event) if event.data["command"] == "export_coup" and outcome == "done" else ""
                self._end(ask, self._answer(ask, ok=outcome == "done", say=_sentences(_OUTCOMES[outcome], say)), at)
                return

    def _follows(self, seat: TableView, event: Event, at: Moment) -> None:
        """What follows from an irregularity, for the person who reported it."""
        for ask in self._waiting:
            if ask.seat is seat and ask.reported == event.data["case"]:
                self._waiting.remove(ask)
                self._end(ask, Answer(True, _sentences(_OUTCOMES["done"], consequence(seat, event))), at)
                return

    def withdraw_outdated(self, seat: TableView, at: Moment) -> None:
        """Another coup is on the table than the one that somebody meant: his command is not sent, or not again."""
        bound = [ask for ask in self._waiting if ask.seat is seat and ask.on is not None]
        on_table = seat.verifier.state.coup_on_table() if bound else None
        for ask in (ask for ask in bound if ask.on != on_table):
            self._withdraw(ask, "Another coup is on the table by now.", at)

    def expire(self, at: Moment) -> None:
        """Nobody waits for ever, and a command that comes too late must not be carried out."""
        for ask in list(self._waiting):
            if at.now_s >= ask.until_s:
                self._withdraw(ask, "", at)
            else:
                self._number(ask, at)

    def _withdraw(self, ask: Ask, why: str, at: Moment) -> None:
        assert ask.seat is not None
        assert ask.command is not None
        self._waiting.remove(ask)
        if ask.reported:
            self._end(ask, Answer(True, _OUTCOMES["done"]), at)
            return
        sent = ask.seat.link.withdraw(ask.command)
        not_sent = "The command was not sent. Nothing was done." if why else _NOT_SENT
        self._end(ask, self._answer(ask, ok=False, say=_sentences(why, _NO_ANSWER if sent else not_sent)), at)

    def _answer(self, ask: Ask, *, ok: bool, say: str) -> Answer:
        """What the shoe made of a command; of one that follows from a decision, beside what stands already."""
        seat = ask.seat
        assert seat is not None
        if ask.decided:
            said = ("The shoe goes on.",) if ok else (say, _next_step(seat))
            return Answer(True, _sentences(ask.decided, *said))
        more = still_disputed(seat, ask.on) if ok and isinstance(ask.request.act, Confirm) else ""
        return Answer(ok, _sentences(say, more))

    def close_table(self, seat: TableView, at: Moment) -> None:
        """This table is closed: its shoe's answer would come to nobody."""
        say = (
            f"{seat.name} was taken out of the config, or changed there, before its shoe had answered: look at the "
            "shoe, and at `sabot ledger show`, before you repeat it."
        )
        for ask in [ask for ask in self._waiting if ask.seat is seat]:
            self._waiting.remove(ask)
            self._end(ask, Answer(False, say), at)

    def _end(self, ask: Ask, answer: Answer, at: Moment) -> None:
        source, table = self._source(at.time), ask.request.table
        outcome = Outcome(id=source.id, time=at.time, table=table, attempt=ask.attempt.id, ok=answer.ok, say=answer.say)
        self._keep(source, table, OUTCOME, outcome)
        self._answers.append((ask, answer))


_VOID = {"reason": "discrepancy", "then": "go_on"}


def _decider(ask: Ask, seat: TableView) -> Decider:
    """Who asks, under a clause that the table's book has; ClauseError or RefusedError where it has not."""
    if ask.attempt.clause:
        clauses.named(seat.verifier.rulebook, ask.attempt.clause)
    elif isinstance(ask.request.act, Decide | Void | ThisNoBet) or ask.request.verb == "export-coup":
        raise RefusedError(f"{ask.request.verb} needs a clause of the rulebook: --clause N")
    return ask.attempt.decider()


def _as_the_book_has_it(clause: str, seat: TableView | None) -> str:
    try:
        return clauses.named(seat.verifier.rulebook, clause) if seat and clause else clause
    except ClauseError:
        return clause


def _next_step(seat: TableView) -> str:
    return next_step(seat.name, seat.fault, dealing=seat.verifier.state.dealing())


def _sentences(*said: str) -> str:
    return " ".join(filter(None, said))

"""Desk: carries out requests. Store the attempt, send the command, store the outcome, answer; each durable first."""

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import msgspec
import structlog
from sabot_protocol import clauses
from sabot_protocol.attempts import Attempt, FloorCommand, Outcome
from sabot_protocol.clauses import ClauseError
from sabot_protocol.codec import CodecError
from sabot_service.daemons import GATEWAY
from sabot_service.messages import Answer
from sabot_service.moment import Moment

from sabot_gateway.operator.attempts import ATTEMPT, OUTCOME, SENT, Attempts, Sent, decider
from sabot_gateway.operator.command_acts import act_of, act_of_verb, refuse_foreign_clause
from sabot_gateway.operator.local_roles import NOT_CHECKED, Granted
from sabot_gateway.operator.requests import TableRequest
from sabot_gateway.operator.table_view import TableView, next_step
from sabot_gateway.operator.verbs.verb import (
    Coup,
    RefusedError,
    ShoeVerb,
    TableVerb,
    refuse_for_driver,
    refuse_without_shoe,
)
from sabot_gateway.own_entries import OwnEntries
from sabot_gateway.shoe.commands import Command
from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify import NotThereError

log: structlog.stdlib.BoundLogger = structlog.get_logger()

_ANSWER_WITHIN_S = 10.0
_MOST_IN_PROGRESS, _NEWEST = 64, 10
_FOLLOWED = ("command_done", "command_refused", "irregularity")  # events that can complete a command
_TOO_MANY = "Too many requests are in progress at this gateway. Try again in a moment."


@dataclass(eq=False)
class PendingRequest:
    """A request that is not answered yet."""

    attempt: Attempt
    verb: TableVerb
    table: TableView | None
    reply: Callable[[Answer], None]
    until_s: float
    decided: str = ""  # a decision that is stored, and true whatever the shoe answers
    ended: str = ""  # the time of the outcome
    refused: str = ""  # why the person may not do it
    act: str | None = None  # for which the role was checked; None if none was

    def answer(self, *, ok: bool, say: str) -> Answer:
        """Return the answer, with the decision that is stored and what still locks the shoe."""
        step = next_step(self.table) if self.table is not None and not ok else ""
        if not self.decided:
            return Answer(ok, _sentences(say, step))
        return Answer(True, _sentences(self.decided, "The shoe goes on." if ok else say, step))


@dataclass(eq=False)
class PendingCommand:
    """A command that waits for the shoe."""

    request: PendingRequest
    table: TableView
    verb: ShoeVerb
    queued: Command  # in the queue of the link
    coup: Coup | None  # must still be on the table when the command is sent
    stored_id: int = 0  # the command id that is in the ledger
    accepted: bool = False  # the shoe has done it; the event that completes the answer is still to come

    def outcome(self, event: Event) -> str:
        """Return how this event ends the command; empty if it does not."""
        if self.accepted:
            return "done" if self.verb.completed_by(event) else ""
        if event.kind == "irregularity" or not self.queued.sent or not self.queued.answered_by(event.data):
            return ""
        outcome: str = event.data["outcome"]
        self.accepted = outcome == "done" and not self.verb.completed_by(event)
        return "" if self.accepted else outcome


@dataclass
class Desk:
    """Sans-I/O: requests and events in, ledger entries out; call `committed` when the entries are durable."""

    own: OwnEntries
    attempts: Attempts = field(default_factory=Attempts)
    _new: list[PendingRequest] = field(default_factory=list)  # attempt not durable yet
    _numbered: list[PendingCommand] = field(default_factory=list)  # command id not durable yet
    _waiting: list[PendingCommand] = field(default_factory=list)  # for the shoe's answer
    _answers: list[tuple[PendingRequest, Answer]] = field(default_factory=list)  # outcome not durable yet
    _then: list[Callable[[], None]] = field(default_factory=list)  # to be called when all entries are durable
    taken: Counter[str] = field(default_factory=Counter)  # requests since the start, by origin
    newest: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=_NEWEST))  # with outcome, for the status

    def take(
        self,
        request: TableRequest,
        user: str,
        table: TableView | None,
        reply: Callable[[Answer], None],
        at: Moment,
        command: FloorCommand | None = None,  # of the floor service; None: of the control socket
        granted: Granted = NOT_CHECKED,
    ) -> PendingRequest | None:
        """Store the attempt; it is carried out once that is durable. None if there are too many."""
        if len(self._new) + len(self._waiting) >= _MOST_IN_PROGRESS:
            reply(Answer(False, _TOO_MANY))
            return None
        source = self.own.new_source(at.time)
        attempt = Attempt(
            id=source.id,
            time=at.time,
            table=request.table,
            verb=request.name,
            by=request.by,
            user=user,
            clause=_as_the_book_writes_it(request.clause, table),
            args=msgspec.to_builtins(request.verb),
            origin="floor" if command else "local",
            command=command,
            role=command.role if command else granted.role,
            asks=command.asks if command else request.asks,
        )
        self.taken[attempt.origin] += 1
        self.own.add(source, request.table if table else "", ATTEMPT, attempt)
        until_s = at.now_s + _ANSWER_WITHIN_S
        act = command.act if command else act_of(request, table) if table and granted.role else None
        pending = PendingRequest(attempt, request.verb, table, reply, until_s, refused=granted.refused, act=act)
        self._new.append(pending)
        return pending

    def when_stored(self, action: Callable[[], None]) -> None:
        """Call this when the entries that wait now are durable."""
        self._then.append(action)

    def committed(self, at: Moment) -> None:
        """All entries are durable: give the answers, release the commands, carry out the new attempts."""
        answers, self._answers = self._answers, []
        for pending, answer in answers:
            try:
                pending.reply(answer)
            except Exception:
                log.exception("an answer could not be given", attempt=pending.attempt.id)
        then, self._then = self._then, []
        for action in then:
            action()
        numbered, self._numbered = self._numbered, []
        for command in numbered:
            command.queued.held = False
        new, self._new = self._new, []
        for pending in new:
            self._carry_out(pending, at)

    def drop(self, reason: str) -> None:
        """The entries cannot be stored, now or later: answer everyone who waits for them."""
        waiting = [*self._new, *(pending for pending, _ in self._answers)]
        self._new, self._answers = [], []
        self.own.waiting, self._then = [], []
        say = f"It is not known whether anything was done: {reason}. Look at the shoe, and report this with the ledger."
        for pending in waiting:
            pending.reply(Answer(False, say))

    def _carry_out(self, pending: PendingRequest, at: Moment) -> None:
        try:
            self._do(pending, at)
        except (RefusedError, NotThereError, ClauseError) as refused:
            say = f"{pending.verb.title} refused: {refused}"
            self._end(pending, pending.answer(ok=False, say=say) if pending.decided else Answer(False, say), at)
        except Exception:
            log.exception("a request could not be carried out", attempt=pending.attempt.id)
            self._end(pending, Answer(False, GATEWAY.internal_error), at)

    def _do(self, pending: PendingRequest, at: Moment) -> None:
        """Store what the verb decides, then answer or queue its command."""
        table, attempt = pending.table, pending.attempt
        if table is None:
            raise RefusedError(f"this gateway has no table {attempt.table!r}. See `sabot gateway status`.")
        if pending.refused:
            raise RefusedError(pending.refused)
        if attempt.command is not None and (say := other_coup(table, attempt.command.coup)):
            raise RefusedError(say)
        if pending.act is not None and pending.act != act_of_verb(attempt.verb, pending.verb, table):
            raise RefusedError("the table has changed since this was asked. Look at it, then give the command again.")
        pending.verb.check_clause(table, attempt.clause)
        refuse_foreign_clause(attempt.verb, pending.verb, table, attempt.clause)
        effect = pending.verb.carry_out(table, decider(attempt), partial(self.own.new_source, at.time))
        for source, records in effect.stored:
            self.own.add_records(table, records, source, decider(attempt))
            if records:
                self.attempts.add_act(records[0].message)
        if effect.command is None:
            self._end(pending, Answer(True, effect.say), at)
            return
        pending.decided, pending.verb = effect.say, effect.command
        self._queue(pending, table, effect.command, at)

    def _queue(self, pending: PendingRequest, table: TableView, verb: ShoeVerb, at: Moment) -> None:
        """Queue the command; it is held until its id is in the ledger with the attempt."""
        refuse_without_shoe(table)
        refuse_for_driver(table, verb)
        coup = verb.bound_to(table)
        if pending.attempt.command is not None and pending.attempt.command.coup:
            coup = verb.coup_meant(table)
        verb.check(table)
        try:
            queued = table.link.prepare_command(verb.command, verb.data(table))
        except (CodecError, TypeError, KeyError) as error:
            raise RefusedError(f"the shoe has no such command: {error}. Check the values.") from error
        if queued is None:
            raise RefusedError("too many commands wait for this shoe. See `sabot gateway status`, then repeat it.")
        command = PendingCommand(pending, table, verb, queued, coup)
        self._waiting.append(command)
        self._store_id(command, at)

    def _store_id(self, command: PendingCommand, at: Moment) -> None:
        """Store the id under which the shoe will log the command, once it is known and whenever it changes."""
        link, kind, attempt = command.table.link, command.queued.kind, command.request.attempt
        command_id = link.number_command(command.queued)
        if command_id in (0, command.stored_id) or link.unit is None:
            return
        command.stored_id, source = command_id, self.own.new_source(at.time)
        fields: dict[str, Any] = {"id": source.id, "time": at.time, "table": attempt.table, "attempt": attempt.id}
        sent = Sent(**fields, unit=link.unit, command_id=command_id, command=kind)
        self.own.add(source, attempt.table, SENT, sent)
        self.attempts.add_command(link.unit, command_id, kind, decider(attempt))
        self._numbered.append(command)

    def follow(self, table: TableView, event: Event, at: Moment) -> None:
        """An event of a shoe may be the outcome of a command that waits."""
        if not self._waiting or event.kind not in _FOLLOWED:
            return
        for command in self._waiting:
            outcome = command.outcome(event) if command.table is table else ""
            if outcome:
                self._complete(command, event, outcome, at)
                return

    def _complete(self, command: PendingCommand, event: Event, outcome: str, at: Moment) -> None:
        table, verb, pending = command.table, command.verb, command.request
        self._waiting.remove(command)
        done = outcome == "done"
        say = _sentences("Done.", verb.done(table, event, command.coup)) if done else verb.refused(table, outcome)
        self._end(pending, pending.answer(ok=done, say=say), at)

    def withdraw_outdated(self, table: TableView, at: Moment) -> None:
        """Withdraw commands whose coup is no longer on the table."""
        bound = [command for command in self._waiting if command.table is table and command.coup is not None]
        for command in bound:
            if command.coup != command.verb.coup_meant(table):
                self._withdraw(command, at, outdated=True)

    def expire(self, at: Moment) -> None:
        """Withdraw commands that the shoe has not answered in time: it must not carry them out later."""
        for command in list(self._waiting):
            if at.now_s >= command.request.until_s:
                self._withdraw(command, at, outdated=False)
            else:
                self._store_id(command, at)

    def _withdraw(self, command: PendingCommand, at: Moment, *, outdated: bool) -> None:
        pending, title = command.request, command.verb.title
        self._waiting.remove(command)
        if command.accepted:
            self._end(pending, Answer(True, "Done."), at)
            return
        if command.table.link.withdraw(command.queued):
            moved = ", and another coup is on the table now" if outdated else ""
            say = (
                f"{title} was sent, but the shoe has not answered{moved}. Look at the shoe, and at `sabot ledger "
                "show`, before you repeat it."
            )
        elif outdated:
            say = f"{title} was not sent: another coup is on the table now. Name the coup that you mean with --coup."
        else:
            say = f"{title} was not sent: the shoe does not answer. Check its cable and power, then repeat it."
        self._end(pending, pending.answer(ok=False, say=say), at)

    def close_table(self, table: TableView, at: Moment) -> None:
        """Answer everyone who waits for the shoe of a table that is closed."""
        say = (
            f"{table.name} was removed from the config, or changed there, before its shoe had answered. Look at the "
            "shoe, and at `sabot ledger show`, before you repeat it."
        )
        for command in [command for command in self._waiting if command.table is table]:
            self._waiting.remove(command)
            self._end(command.request, Answer(False, say), at)

    def _end(self, pending: PendingRequest, answer: Answer, at: Moment) -> None:
        """Store the outcome; the answer is given once that is durable."""
        source, attempt, pending.ended = self.own.new_source(at.time), pending.attempt, at.time
        fields: dict[str, Any] = {"id": source.id, "time": at.time, "table": attempt.table, "attempt": attempt.id}
        outcome = Outcome(**fields, ok=answer.ok, say=answer.say)
        self.own.add(source, attempt.table if pending.table else "", OUTCOME, outcome)
        self._answers.append((pending, answer))
        named = {name: getattr(attempt, name) for name in ("time", "table", "verb", "by", "role", "user", "origin")}
        self.newest.append({**named, "ok": answer.ok})


def other_coup(table: TableView, bound: str) -> str:
    """Return why a command that is bound to a coup is refused; empty if that coup is on the table, or any may be."""
    on_table = table.verifier.state.coup_on_table() if bound else None
    if not bound or (on_table is not None and bound == f"{on_table[0]}/{on_table[1]}"):
        return ""
    now = f"coup {on_table[0]}/{on_table[1]} is on the table" if on_table else "the coup on the table is not known"
    return f"it was for coup {bound}, and {now}. Look at the table, then give the command again."


def _as_the_book_writes_it(clause: str, table: TableView | None) -> str:
    try:
        return clauses.named(table.verifier.rulebook, clause) if table and clause else clause
    except ClauseError:
        return clause


def _sentences(*parts: str) -> str:
    return " ".join(filter(None, parts))

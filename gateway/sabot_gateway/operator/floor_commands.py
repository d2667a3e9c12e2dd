"""Floor commands: checks each signed command that comes over MQTT, and passes it to the desk like a local request."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec
import structlog
from sabot_protocol import command_acts, commands
from sabot_protocol.attempts import FloorCommand
from sabot_protocol.authority import Person
from sabot_protocol.command_keys import PublicKey
from sabot_protocol.commands import MOST_BYTES, CommandError, CommandMessage
from sabot_service.messages import Answer, RequestError
from sabot_service.moment import Moment
from sabot_service.rate_limit import LogLimiter, TokenBucket

from sabot_gateway.ledger import Stored
from sabot_gateway.operator import requests
from sabot_gateway.operator.command_acts import act_of, facts_of
from sabot_gateway.operator.command_memory import KEEP_S, CommandMemory, Known, reply
from sabot_gateway.operator.command_refusals import CommandRefusals
from sabot_gateway.operator.desk import Desk, other_coup
from sabot_gateway.operator.requests import TableRequest
from sabot_gateway.operator.table_view import TableView
from sabot_gateway.operator.verbs import TABLE_VERBS

_MOST_WAITING, _IN_A_TURN = 64, 16
_ANSWERS_AT_ONCE, _ANSWERS_EVERY_S = 50, 0.1  # to what the floor service has not signed
_NO_KEY = "this gateway takes no commands over MQTT: set `floor_key` in its config to the floor's public key"
_INTERNAL = "an internal error in the gateway; report it with the log"

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class FloorCommands:
    """Sans-I/O: payloads in, attempts for the desk and replies out; `send` gets a table and the payload of a reply."""

    def __init__(
        self,
        site: str,
        desk: Desk,
        tables: Mapping[str, TableView],
        problem: Callable[[], str | None],
        send: Callable[[str, bytes], None],
    ) -> None:
        self._site, self._desk, self._tables, self._problem, self._send = site, desk, tables, problem, send
        self.key: PublicKey | None = None  # without it every command is refused
        self._memory, self._refusals = CommandMemory(), CommandRefusals(desk.own)
        self._waiting: deque[tuple[str, bytes]] = deque()
        self._answers = TokenBucket(_ANSWERS_AT_ONCE, _ANSWERS_EVERY_S)
        self._limiter = LogLimiter()
        self._accepted = self._repeated = 0

    def recall(self, entries: Iterable[Stored], at: Moment) -> None:
        """Remember from the ledger which commands were taken before a restart."""
        self._memory.recall(entries, at)

    def received(self, topic: str, payload: bytes) -> None:
        """Take a message on sabot/v1/<site>/<table>/cmd; it is handled in the next turn."""
        if len(self._waiting) >= _MOST_WAITING:
            self._refusals.counts["flood"] += 1
            return
        self._waiting.append((topic.split("/")[-2], payload[: MOST_BYTES + 1]))

    def step(self, at: Moment) -> None:
        """Handle what has come, a few in a turn."""
        self._memory.forget_old(at.now_s)
        for _ in range(min(len(self._waiting), _IN_A_TURN)):
            table, payload = self._waiting.popleft()
            self._take(table, payload, at)

    def status(self) -> dict[str, Any]:
        """Return the part of `sabot gateway status` about commands, counted since the start."""
        return {
            "floor_key": self.key.id if self.key else None,
            "accepted": self._accepted,
            "repeated": self._repeated,
            "refused": dict(sorted(self._refusals.counts.items())),
            "local": self._desk.taken["local"],
        }

    def _take(self, name: str, payload: bytes, at: Moment) -> None:
        table, digest = self._tables.get(name), commands.digest(payload)
        if table is None:
            return  # another gateway of the site may serve it
        same = self._memory.find_same(digest, name)
        if same is not None:
            self._repeated += 1
            if same.reply:
                self._send(name, same.reply)
            return
        try:
            message = self._signed(payload)
        except CommandError as error:
            self._refuse_unsigned(name, payload, digest, error, at)
            return
        self._take_signed(message, table, digest, at)

    def _signed(self, payload: bytes) -> CommandMessage:
        """Return a command that the floor service has signed."""
        if self.key is None:
            raise CommandError("no_key", _NO_KEY)
        message = commands.read(payload)
        self.key.check(message)
        return message

    def _take_signed(self, message: CommandMessage, table: TableView, digest: str, at: Moment) -> None:
        known = None
        try:
            self._check_new(message, table.name, at)
            known = Known(message.id, message.nonce, digest, table.name, message.expires, at.now_s + KEEP_S)
            self._memory.add(known)
            request, command = self._request(message, table, digest)
        except CommandError as error:
            self._refuse(message, table.name, digest, known, error, at)
        except Exception:
            log.exception("a command of the floor could not be taken", command=message.id)
            self._refuse(message, table.name, digest, known, CommandError("internal", _INTERNAL), at)
        else:
            self._accepted += 1
            self._pass_on(request, command, table, known, at)

    def _check_new(self, message: CommandMessage, table: str, at: Moment) -> None:
        """Raise CommandError unless the command is for this table, valid now, and new."""
        commands.check_address(message, self._site, table)
        commands.check_time(message, at.time)
        self._memory.check_new(message)
        problem = self._problem()
        if problem:
            raise CommandError("held", f"the gateway takes no commands now: {problem}")

    def _request(self, message: CommandMessage, table: TableView, digest: str) -> tuple[TableRequest, FloorCommand]:
        """Return the request as the control socket would have it; CommandError if the person may not make it."""
        if message.act.verb not in TABLE_VERBS:
            raise CommandError("unknown_verb", f"there is no command {message.act.verb!r}: see `sabot table --help`")
        line = {"verb": message.act.verb, "table": message.table, "by": message.name, "clause": message.clause}
        try:
            request = requests.parse(msgspec.json.encode({**line, "args": message.act.args}))
        except RequestError as error:
            raise CommandError("bad_request", str(error)) from None
        assert isinstance(request, TableRequest)
        act = act_of(request, table)
        asks = Person(message.asks, message.asks_role) if message.asks else None
        by, facts = Person(message.name, message.role), facts_of(request.verb)
        command_acts.check(table.verifier.rulebook, act, by, asks, facts)
        if say := other_coup(table, message.coup):
            raise CommandError("other_coup", say)
        names = ("id", "nonce", "person", "role", "asks", "asks_role", "coup", "issued", "expires", "key")
        fields = {name: getattr(message, name) for name in names}
        return request, FloorCommand(**fields, digest=digest, act=act)

    def _pass_on(
        self, request: TableRequest, command: FloorCommand, table: TableView, known: Known, at: Moment
    ) -> None:
        """Have the desk carry it out; the reply follows when the outcome is stored."""

        def answered(answer: Answer) -> None:
            time = pending.ended if pending is not None and pending.ended else at.time
            known.reply = reply(known.id, known.digest, known.table, time, answer.say, ok=answer.ok)
            self._send(known.table, known.reply)

        pending = None
        pending = self._desk.take(request, f"floor {command.key}", table, answered, at, command)

    def _refuse(
        self, message: CommandMessage, table: str, digest: str, known: Known | None, error: CommandError, at: Moment
    ) -> None:
        """Refuse a signed command: in the ledger, then answered; one that is remembered gets the same reply again."""
        payload = reply(message.id, digest, table, at.time, str(error), reason=error.reason)

        def answer() -> None:
            if known is not None:
                known.reply = payload
            self._send(table, payload)

        held = error.reason == "held"  # nothing can be stored
        if held:
            self._refusals.counts["held"] += 1
        elif self._refusals.add(error, table, message.id, digest, message, at, remembered=known is not None):
            self._desk.when_stored(answer)
            return
        answer()

    def _refuse_unsigned(self, table: str, payload: bytes, digest: str, error: CommandError, at: Moment) -> None:
        """Refuse what anybody can have sent: in the ledger and answered, both at a bounded rate."""
        if self._limiter.take(error.reason, at.now_s) is not None:
            log.warning(f"a command over MQTT was refused: {error}", table=table)
        command = commands.id_in(payload)
        if self._problem():
            self._refusals.counts[error.reason] += 1
            stored = False
        else:
            stored = self._refusals.add(error, table, command, digest, None, at)
        if not self._answers.take(at.now_s):
            return
        answer = reply(command, digest, table, at.time, str(error), reason=error.reason)
        if stored:
            self._desk.when_stored(lambda: self._send(table, answer))
        else:
            self._send(table, answer)

"""Desk of commands: checks who asks, stores that, sends the signed command until the gateway replies, answers."""

import re
import secrets
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, NamedTuple

import msgspec
import structlog
from sabot_protocol import authority, command_acts, commands
from sabot_protocol.command_keys import SigningKey
from sabot_protocol.commands import CLOCK_SLACK_S, MOST_BYTES, CommandAct, CommandError, CommandMessage, CommandReply
from sabot_protocol.inputs.plain_text import plain
from sabot_protocol.topics import command_topic, reply_topic
from sabot_service.messages import Answer
from sabot_service.moment import Moment, utc
from sabot_service.rate_limit import TokenBucket

from sabot_floor.commands.entries import Answered, Asked, Entry, Refused, Unanswered
from sabot_floor.commands.log import CommandLog
from sabot_floor.commands.tables import Served, Tables
from sabot_floor.commands.verbs import TableCommand
from sabot_floor.people.state import Person
from sabot_floor.store import StoreError

VALID_S, AGAIN_S = 10.0, 1.0
# A gateway takes a command until it expires, by its own clock, and answers it within 10 seconds.
GIVE_UP_S = VALID_S + CLOCK_SLACK_S + 10.0
_MOST_PENDING = 32
_MOST_UNSTORED = 100
_MOST_SAY = 1000
_REFUSALS_AT_ONCE, _REFUSAL_EVERY_S = 20, 3.0  # entries of the log; a flood must not fill the disk
# Verbs about the coup on the table, or the next one, which their argument `coup` names.
_BOUND = ("confirm", "void", "this-no-bet", "no-more-bets", "reopen-wagers", "card-exposed")
# Their act depends on what is on the table: the gateway decides.
_BY_TABLE = ("irregularity", "open-shoe", "burn-card", "this-no-bet")
_COUP = re.compile(r"[0-9]{1,9}/[0-9]{1,9}")
_NO_KEY = (
    "This floor service gives no commands to tables: make a key with `sabot keys floor DIR`, set `floor_key` in its "
    "config to DIR/floor.key, and give every gateway DIR/floor.pub."
)
_NO_BROKER = "The floor service is not connected to the broker: nothing was sent. See `sabot floor status`."
_UNKNOWN = (
    "it is not known whether it was carried out. Look at the table, and at `sabot ledger show` on its PC, before you "
    "repeat it."
)
_NO_REPLY = f"The gateway has not replied in {GIVE_UP_S:.0f} seconds: {_UNKNOWN}"
_RESTARTED = f"The floor service was stopped before the gateway replied: {_UNKNOWN}"

log: structlog.stdlib.BoundLogger = structlog.get_logger()
Reply = Callable[[Answer], None]


class Asker(NamedTuple):
    """A person who asks, or was named: the id or the name as typed, and the role as far as it is known."""

    person: str = ""
    role: str = ""


class Attempted(NamedTuple):
    """What was asked for and refused."""

    verb: str
    table: str
    act: str
    clause: str
    args: dict[str, Any]


@dataclass(eq=False)
class _Pending:
    """A command without a reply."""

    asked: Asked
    payload: bytes
    reply: Reply
    again_s: float
    give_up_s: float


class CommandDesk:
    """Sans-I/O: requests and replies in, messages and entries out; `send` gets a topic and a payload."""

    def __init__(
        self,
        site: str,
        worker: str,
        command_log: CommandLog,
        key: SigningKey | None,
        send: Callable[[str, bytes], object],
        connected: Callable[[], bool],
        new_token: Callable[[], str] = lambda: secrets.token_hex(16),
    ) -> None:
        self._site, self._worker, self._log, self._key = site, worker, command_log, key
        self._send, self._connected, self._new_token = send, connected, new_token
        self.tables = Tables(site)
        self._pending: dict[str, _Pending] = {}  # by id
        self._unstored: list[Entry] = []  # outcomes that the store did not take yet
        self._refusals, self._left_out = TokenBucket(_REFUSALS_AT_ONCE, _REFUSAL_EVERY_S), 0
        self._counts: Counter[str] = Counter()

    def filters(self) -> list[str]:
        """Return the topics to subscribe to, beside those of the tables' statuses."""
        return [*self.tables.filters(), reply_topic(self._site, "+")]

    def recall(self, at: Moment) -> None:
        """Store that commands of before a restart have no reply."""
        left = self._log.open_of(self._worker)
        if left:
            self._log.append([Unanswered(time=at.time, id=command, say=_RESTARTED) for command in left])

    def problem(self, request: TableCommand) -> str:
        """Return why nobody can give this command now; empty if somebody may."""
        if self._key is None:
            return _NO_KEY
        served = self.tables.find(request.table)
        return served if isinstance(served, str) else "" if self._connected() else _NO_BROKER

    def refuse(self, request: TableCommand, people: Sequence[Asker], account: str, say: str, at: Moment) -> None:
        """Store that the floor refused a command."""
        asked = Attempted(request.command, request.table, act_of(request), plain(request.clause), request.args)
        self.refuse_other(asked, people, account, say, at)

    def refuse_other(self, asked: Attempted, people: Sequence[Asker], account: str, say: str, at: Moment) -> None:
        """Store that the floor refused something; at a bounded rate, the others are counted."""
        self._counts["refused"] += 1
        if not self._refusals.take(at.now_s):
            self._left_out += 1
            return
        one, other, *_ = (*people, Asker(), Asker())
        left_out, self._left_out = self._left_out, 0
        self._store(
            Refused(
                time=at.time,
                **asked._asdict(),
                person=one.person,
                role=one.role,
                second=other.person,
                second_role=other.role,
                say=say,
                by=account,
                left_out=left_out,
            )
        )

    def begin(self, request: TableCommand, people: Sequence[Person], account: str, reply: Reply, at: Moment) -> None:
        """Give the command for people who have logged in; `reply` is called once, now or later."""
        try:
            asked, payload = self._command(request, people, account, at)
        except CommandError as error:
            status = self.tables.status(request.table)
            book = status.rulebook or "" if status is not None else ""
            askers = [Asker(one.id, one.roles.get(book, "")) for one in people]
            self.refuse(request, askers, account, str(error), at)
            reply(Answer(False, f"Refused: {error}"))
            return
        try:
            self._log.append([asked])
        except StoreError as error:
            reply(Answer(False, f"Nothing was sent: {error}."))
            return
        self._counts["sent"] += 1
        pending = _Pending(asked, payload, reply, at.now_s, at.now_s + GIVE_UP_S)
        self._pending[asked.id] = pending
        self._send_if_due(pending, at)

    def _command(
        self, request: TableCommand, people: Sequence[Person], account: str, at: Moment
    ) -> tuple[Asked, bytes]:
        """Return what the log keeps of a command, and its signed payload; CommandError if it may not be given."""
        problem, served = self.problem(request), self.tables.find(request.table)
        if problem or self._key is None or isinstance(served, str):
            raise CommandError("problem", problem)
        if len(self._pending) >= _MOST_PENDING:
            raise CommandError("busy", "too many commands wait for their gateways; try again in a moment")
        act, role, asks_role = _allowed(request, people, served)
        *asking, person = people
        asks = asking[0] if asking else Person("", "")
        message = CommandMessage(
            id=f"floor-{self._new_token()}",
            site=self._site,
            table=request.table,
            person=person.id,
            name=person.name,
            role=role,
            act=CommandAct(verb=request.command, args=request.args),
            nonce=self._new_token(),
            issued=at.time,
            expires=utc((commands.moment(at.time) + timedelta(seconds=VALID_S)).timestamp()),
            key=self._key.public.id,
            clause=plain(request.clause),
            coup=_bound_to(request),
            asks=asks.name,
            asks_role=asks_role,
        )
        payload = self._signed(self._key, message)
        asked = Asked(
            time=at.time,
            id=message.id,
            table=message.table,
            verb=request.command,
            args=request.args,
            clause=message.clause,
            rulebook=served.rulebook,
            act=act,
            person=person.id,
            name=person.name,
            role=role,
            asks_person=asks.id,
            asks=asks.name,
            asks_role=asks_role,
            expires=message.expires,
            digest=commands.digest(payload),
            worker=self._worker,
            by=account,
        )
        return asked, payload

    def _signed(self, key: SigningKey, message: CommandMessage) -> bytes:
        try:
            payload = key.sign(message)
        except (ValueError, RecursionError):
            raise CommandError("unreadable", "its arguments cannot be written as a command; check them") from None
        if len(payload) > MOST_BYTES:
            raise CommandError("too_long", f"the command has more than {MOST_BYTES} bytes; give fewer arguments")
        return payload

    def _send_if_due(self, pending: _Pending, at: Moment) -> None:
        if at.now_s >= pending.again_s and self._connected():
            pending.again_s = at.now_s + AGAIN_S
            self._send(command_topic(self._site, pending.asked.table), pending.payload)

    def received(self, topic: str, payload: bytes, at: Moment) -> None:
        """Take a message on a topic of `filters`."""
        if not topic.endswith("/cmd/reply"):
            self.tables.received(topic, payload)
            return
        try:
            found = msgspec.json.decode(payload, type=CommandReply)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            self._counts["unreadable"] += 1
            return
        pending = self._pending.get(found.id)
        table = topic.split("/")[-3]
        if pending is None or (found.digest, table) != (pending.asked.digest, pending.asked.table):
            return  # to another worker, or for the second time
        say, reason = plain(found.say)[:_MOST_SAY], plain(found.reason)[:64]
        entry = Answered(time=at.time, id=found.id, ok=found.ok, say=say, reason=reason, replied=plain(found.time)[:64])
        self._end(pending, entry, Answer(found.ok, say))

    def step(self, at: Moment) -> None:
        """Send again what is not answered, and give up what is not answered in time; call it at least every second."""
        if self._unstored:
            waiting, self._unstored = self._unstored, []
            self._store(*waiting)
        for pending in list(self._pending.values()):
            if at.now_s >= pending.give_up_s:
                unanswered = Unanswered(time=at.time, id=pending.asked.id, say=_NO_REPLY)
                self._end(pending, unanswered, Answer(False, _NO_REPLY))
            else:
                self._send_if_due(pending, at)

    def _end(self, pending: _Pending, entry: Answered | Unanswered, answer: Answer) -> None:
        """Store the outcome and answer; the gateway's ledger has it already."""
        del self._pending[pending.asked.id]
        self._counts["unanswered" if isinstance(entry, Unanswered) else "done" if answer.ok else "not_done"] += 1
        self._store(entry)
        pending.reply(answer)

    def _store(self, *entries: Entry) -> None:
        """Store entries now, or with a later step."""
        try:
            self._log.append(entries)
        except StoreError as error:
            self._unstored = [*self._unstored, *entries][-_MOST_UNSTORED:]
            log.warning(f"the log of commands could not be written, and is tried again: {error}")

    def status(self) -> dict[str, Any]:
        """Return the part of `sabot floor status` about commands, counted since the start."""
        return {
            "key": self._key.public.id if self._key else None,
            "waiting": len(self._pending),
            "unstored": len(self._unstored),
            **{name: self._counts[name] for name in ("sent", "done", "not_done", "unanswered", "refused")},
        }


def act_of(request: TableCommand) -> str:
    """Return the act of a command, empty if it has none or only the gateway can tell."""
    if request.command in _BY_TABLE or request.command not in command_acts.ACTS:
        return ""
    try:
        return command_acts.act_of(request.command, request.args) or ""
    except (CommandError, ValueError, TypeError):
        return ""


def _allowed(request: TableCommand, people: Sequence[Person], served: Served) -> tuple[str, str, str]:
    """Return the act, the role of the person who decides, and that of the person who asks; CommandError if refused."""
    book = served.rulebook
    for one in people:
        if book not in one.roles:
            say = f"{one.id} has no role in {book}, the rulebook of {served.table}; give one"
            raise CommandError("unknown_role", f"{say}: `sabot users role {one.id} {book} ROLE`.")
    *asking, by = (authority.Person(one.name, one.roles[book]) for one in people)
    asks = asking[0] if asking else None
    act = command_acts.act_of(request.command, request.args) if request.command not in _BY_TABLE else None
    if act is not None:
        facts = request.args.get("facts") if request.command == "record" else None
        command_acts.check(book, act, by, asks, facts if isinstance(facts, Mapping) else {})
    return act or "", by.role, asks.role if asks else ""


def _bound_to(request: TableCommand) -> str:
    """Return the coup that must be on the table, as 3/17; empty if any may be."""
    coup = request.args.get("coup")
    bound = request.command in _BOUND and isinstance(coup, str) and _COUP.fullmatch(coup)
    return coup if bound and isinstance(coup, str) else ""

"""Command memory: the signed commands of the last minute, so that none is carried out twice; also after a restart."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta

import msgspec
from sabot_protocol.attempts import Attempt, Outcome
from sabot_protocol.commands import (
    CLOCK_SLACK_S,
    MOST_VALID_S,
    CommandError,
    CommandMessage,
    CommandReply,
    moment,
)
from sabot_service.moment import Moment, utc

from sabot_gateway.ledger import Stored
from sabot_gateway.operator.attempts import ATTEMPT, OUTCOME
from sabot_gateway.operator.command_refusals import REFUSED, Refused

KEEP_S = 2 * MOST_VALID_S
_MOST = 4096
_NOT_KNOWN = (
    "The gateway was restarted before this command had an outcome: it is not known whether it was carried out. Look "
    "at the shoe, and at `sabot ledger show`, before you repeat it."
)


@dataclass(eq=False)
class Known:
    """A command that was taken, and its reply once there is one."""

    id: str
    nonce: str
    digest: str
    table: str
    expires: str
    until_s: float
    reply: bytes = b""


@dataclass
class CommandMemory:
    """Bounded. What it forgets cannot come back: no command is taken that expires as early as a forgotten one."""

    forgotten: str = ""  # the latest `expires` of those forgotten
    _by_nonce: dict[str, Known] = field(default_factory=dict)  # oldest first
    _by_id: dict[str, Known] = field(default_factory=dict)
    _by_digest: dict[str, Known] = field(default_factory=dict)

    def find_same(self, digest: str, table: str) -> Known | None:
        """Return the command that came with exactly these bytes for this table."""
        known = self._by_digest.get(digest)
        return known if known is not None and known.table == table else None

    def check_new(self, message: CommandMessage) -> None:
        """Raise CommandError if id or nonce were used before, or may have been."""
        if message.nonce in self._by_nonce or message.id in self._by_id:
            raise CommandError("repeated", "another command had this id or nonce; sign a new command")
        if message.expires <= self.forgotten:
            say = f"the command expires at {message.expires}, as early as commands that are forgotten by now"
            raise CommandError("expired", f"{say}; sign a new command")

    def add(self, known: Known) -> None:
        """Remember a command, until its time is over or there are too many."""
        self._by_nonce[known.nonce] = self._by_id[known.id] = self._by_digest[known.digest] = known
        if len(self._by_nonce) > _MOST:
            self._forget(next(iter(self._by_nonce.values())))

    def forget_old(self, now_s: float) -> None:
        """Forget the commands whose time is over."""
        for known in list(self._by_nonce.values()):
            if now_s < known.until_s:
                return
            self._forget(known)

    def _forget(self, known: Known) -> None:
        self.forgotten = max(self.forgotten, known.expires)
        del self._by_nonce[known.nonce], self._by_id[known.id], self._by_digest[known.digest]

    def recall(self, entries: Iterable[Stored], at: Moment) -> None:
        """Read the gateway's own entries again, in order: the newest, from whichever one on."""
        attempts: dict[str, Known] = {}
        for number, entry in enumerate(entries):
            if number == 0 and entry.event_no != 1:  # there are older ones
                self.forgotten = max(self.forgotten, _latest_before(entry.time))
            try:
                self._recall(entry, attempts, at.now_s + KEEP_S)
            except (msgspec.MsgspecError, UnicodeError, RecursionError):
                continue
        for known in attempts.values():
            known.reply = known.reply or _reply(known, at.time, _NOT_KNOWN)

    def _recall(self, entry: Stored, attempts: dict[str, Known], until_s: float) -> None:
        if entry.topic == ATTEMPT:
            attempt = msgspec.json.decode(entry.payload, type=Attempt)
            if attempt.command is not None:
                one = attempt.command
                known = Known(one.id, one.nonce, one.digest, attempt.table, one.expires, until_s)
                attempts[attempt.id] = known
                self.add(known)
        elif entry.topic == OUTCOME:
            outcome = msgspec.json.decode(entry.payload, type=Outcome)
            if outcome.attempt in attempts:
                known = attempts[outcome.attempt]
                known.reply = _reply(known, outcome.time, outcome.say, ok=outcome.ok)
        elif entry.topic == REFUSED:
            refused = msgspec.json.decode(entry.payload, type=Refused)
            if refused.remembered:
                known = Known(refused.command, refused.nonce, refused.digest, refused.table, refused.expires, until_s)
                known.reply = _reply(known, refused.time, refused.say, reason=refused.reason)
                self.add(known)


def _latest_before(time: str) -> str:
    """Return the latest `expires` of a command that was taken before this time and is not recalled."""
    try:
        latest = moment(time) + timedelta(seconds=MOST_VALID_S + CLOCK_SLACK_S)
    except CommandError:
        return ""
    return utc(latest.timestamp())


def _reply(known: Known, time: str, say: str, *, ok: bool = False, reason: str = "") -> bytes:
    return reply(known.id, known.digest, known.table, time, say, ok=ok, reason=reason)


def reply(command: str, digest: str, table: str, time: str, say: str, *, ok: bool = False, reason: str = "") -> bytes:
    """Return the payload of a reply."""
    local = moment(time).astimezone().isoformat(timespec="milliseconds")
    message = CommandReply(
        id=command, digest=digest, table=table, ok=ok, say=say, reason=reason, time=time, local_time=local
    )
    return msgspec.json.encode(message)

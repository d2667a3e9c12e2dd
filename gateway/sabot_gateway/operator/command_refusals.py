"""Command refusals: what the ledger holds of a command that was refused, and how many of them."""

from collections import Counter

import msgspec
from sabot_protocol.commands import CommandError, CommandMessage
from sabot_service.moment import Moment
from sabot_service.rate_limit import TokenBucket

from sabot_gateway.own_entries import OwnEntries

REFUSED = "refused"  # a topic of the ledger that is not published
_AT_ONCE, _EVERY_S = 20, 3.0  # entries; a flood must not fill the disk
_SIGNED_AT_ONCE, _SIGNED_EVERY_S = 200, 0.5


class Refused(msgspec.Struct, kw_only=True, frozen=True):
    """A command that was refused before it became an attempt."""

    id: str
    time: str
    table: str
    reason: str
    say: str
    digest: str
    command: str = ""  # its id
    signed: bool = False  # by the floor service; the fields below are then those of the command, else empty
    remembered: bool = False  # not carried out later either
    person: str = ""
    name: str = ""
    role: str = ""
    asks: str = ""  # the person who asks, if another approves
    asks_role: str = ""
    verb: str = ""
    clause: str = ""
    nonce: str = ""
    expires: str = ""
    left_out: int = 0  # refusals since the last entry that are only counted


class CommandRefusals:
    """Counts every refusal; adds entries at a bounded rate, those of signed commands apart from all others."""

    def __init__(self, own: OwnEntries) -> None:
        self._own = own
        self.counts: Counter[str] = Counter()
        self._buckets = {False: TokenBucket(_AT_ONCE, _EVERY_S), True: TokenBucket(_SIGNED_AT_ONCE, _SIGNED_EVERY_S)}
        self._left_out = 0

    def add(
        self, error: CommandError, table: str, command: str, digest: str, message: CommandMessage | None, at: Moment,
        *, remembered: bool = False,
    ) -> bool:  # fmt: skip
        """Count a refusal; return False if it is not stored, for there were too many. `message` if it is signed."""
        self.counts[error.reason] += 1
        if not self._buckets[message is not None].take(at.now_s):
            self._left_out += 1
            return False
        source, signed = self._own.new_source(at.time), {}
        if message is not None:
            names = ("person", "name", "role", "asks", "asks_role", "clause", "nonce", "expires")
            signed = {name: getattr(message, name) for name in names} | {"verb": message.act.verb}
        refused = Refused(
            id=source.id, time=at.time, table=table, reason=error.reason, say=str(error), digest=digest,
            command=command, signed=message is not None, remembered=remembered, left_out=self._left_out, **signed,
        )  # fmt: skip
        self._left_out = 0
        self._own.add(source, table, REFUSED, refused)
        return True

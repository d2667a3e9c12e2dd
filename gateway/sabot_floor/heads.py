"""Heads: the end of each log of the store, signed and retained at the broker; compared with what was kept elsewhere."""

import secrets
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec
from sabot_protocol.auth import KEY_BYTES
from sabot_protocol.inputs.config_file import ConfigError
from sabot_protocol.inputs.secret_file import SecretError, read_key, write_new
from sabot_protocol.signed_heads import is_signed, sign
from sabot_protocol.topics import LedgerMessage, log_head_topic
from sabot_service.moment import Moment

from sabot_floor.store import Head, Store, StoreError, audit
from sabot_floor.store.recompute import Verdict

EVERY_S = 60.0
_NAME = "floor/"  # begins the name of a log in its head, in the place of a gateway


def key_of(path: Path) -> bytes:
    """Return the key that signs heads, made where there is none; ConfigError if it cannot be used."""
    try:
        found = read_key(path)
        if found is None:
            found = secrets.token_bytes(KEY_BYTES)
            write_new(path, found.hex().encode() + b"\n")
    except SecretError as error:
        raise ConfigError(f"head_key: {error}") from None
    except OSError as error:
        raise ConfigError(f"head_key: {path}: {error.strerror}; let the service's user write there") from None
    return found


class Heads:
    """Gives `publish` the head of each log once a minute, and of every log at `now`."""

    def __init__(self, store: Store, site: str, key: bytes, publish: Callable[[str, bytes], None]) -> None:
        self._store, self._site, self._key, self._publish = store, site, key, publish
        self._due_s = 0.0
        self._last: dict[str, int] = {}  # by log: the newest entry that was published

    def step(self, at: Moment) -> None:
        """Publish what has changed, if a minute is over; StoreError if the store cannot be read."""
        if at.now_s >= self._due_s:
            self.now(at)

    def now(self, at: Moment) -> None:
        """Publish what has changed; StoreError if the store cannot be read."""
        self._due_s = at.now_s + EVERY_S
        for log in self._store.logs():
            head = self._store.head(log)
            if head is not None and head.seq and self._last.get(log) != head.seq:
                unsigned = LedgerMessage(gateway=f"{_NAME}{log}", entry=head.seq, hash=head.hash.hex(), time=at.time)
                self._publish(log_head_topic(self._site, log), msgspec.json.encode(sign(unsigned, self._key)))
                self._last[log] = head.seq


def compare(store: Store, kept: Iterable[LedgerMessage], key: bytes | None) -> Verdict:
    """Return which heads that were kept elsewhere the store contradicts; without the key no signature is checked."""
    verdict, by_log = Verdict(), defaultdict[str, list[LedgerMessage]](list)
    for head in kept:
        by_log[head.gateway.removeprefix(_NAME)].append(head)
    for log, heads in sorted(by_log.items()):
        verdict.entries += len(heads)
        try:
            wrong = [said for head in heads if (said := _refused(log, head, key))]
            known = [Head(head.entry, bytes.fromhex(head.hash)) for head in heads if not _refused(log, head, key)]
            verdict.faults += [*wrong, *(audit.verify_log(store, log, known=known).faults if known else [])]
        except StoreError as error:
            verdict.faults.append(str(error))
    return verdict


def _refused(log: str, head: LedgerMessage, key: bytes | None) -> str:
    """Return why a head proves nothing; empty if it does."""
    if not head.gateway.startswith(_NAME):
        return f"a head of {head.gateway!r:.80} is not one of a floor's log: give it to `sabot ledger verify`"
    if key is not None and not is_signed(head, key):
        return f"the head of log {log} with entry {head.entry} is not signed by this store's key: it is not its own"
    try:
        bytes.fromhex(head.hash)
    except ValueError:
        return f"the head of log {log} with entry {head.entry} has no hash"
    return ""

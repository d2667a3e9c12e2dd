"""Random draws (002 18.8(d)): a secret, committed to beforehand, chooses among candidates; an auditor recomputes it.

The choice: HMAC-SHA256 with the secret as key over counter (4 bytes, big-endian), hash of the entry before (32 bytes)
and canonical JSON of the candidates. Its first bits, as many as the greatest index has, are the index; an index that
no candidate has is rejected and the counter, from 0, grows by one. So each candidate is equally likely.
"""

import hmac
import itertools
import re
from collections.abc import Collection
from hashlib import sha256
from typing import Annotated

import msgspec
from msgspec import Meta

from sabot_protocol.jackpots.parameters import Drawn, Random

SECRET_BYTES = 32
_HASH_BITS = 256
_HEX_64 = re.compile(r"[0-9a-f]{64}\Z")


class Candidates(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What may be drawn: every combination of the axes in `draws`; canonical if names are sorted and unique."""

    draws: tuple[Drawn, ...]
    tables: tuple[str, ...]  # those that offer the jackpot, also if no table is drawn
    seats: Annotated[int, Meta(ge=0, le=99)] = 0  # numbered from 1
    locations: tuple[str, ...] = ()

    def count(self) -> int:
        """Return the number of candidates; 0 without a table."""
        tables = len(self.tables) if "table" in self.draws else min(1, len(self.tables))
        return tables * self._seats() * self._locations()

    def canonical(self) -> bytes:
        """Return the JSON that goes into the draw: sorted keys, no spaces, UTF-8."""
        return msgspec.json.encode(self, order="sorted")

    def at(self, index: int) -> "Chosen":
        """Return the candidate with this index: the location changes fastest, the table slowest."""
        rest, location = divmod(index, self._locations())
        table, seat = divmod(rest, self._seats())
        return Chosen(
            table=self.tables[table] if "table" in self.draws else "",
            seat=seat + 1 if "seat" in self.draws else 0,
            location=self.locations[location] if "location" in self.draws else "",
        )

    def _seats(self) -> int:
        return self.seats if "seat" in self.draws else 1

    def _locations(self) -> int:
        return len(self.locations) if "location" in self.draws else 1


class Chosen(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What was drawn; an axis that was not drawn is empty, and a seat without a table wins at every table."""

    table: str = ""
    seat: int = 0
    location: str = ""


class Draw(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A draw as the log keeps it, with its secret revealed; all that `check` needs. Hashes and secret are hex."""

    commitment: Annotated[str, Meta(description="SHA-256 of the secret, published before the draw")]
    secret: str
    head_hash: Annotated[str, Meta(description="hash of the entry before this draw")]
    candidates: Candidates
    index: int
    chosen: Chosen
    next_commitment: Annotated[str, Meta(description="SHA-256 of the secret of the next draw")]


class DrawError(ValueError):
    """A draw that cannot be made; the message gives the next step."""


def commitment(secret: bytes) -> str:
    """Return what is published before the draw: SHA-256 of the secret, hex."""
    return sha256(secret).hexdigest()


def candidates(trigger: Random, tables: Collection[str], not_offered: Collection[str] = ()) -> Candidates:
    """Return the candidates of a trigger at these tables, without those that do not offer the jackpot now."""
    return Candidates(
        draws=tuple(sorted(set(trigger.draws))),
        tables=tuple(sorted(set(tables) - set(not_offered))),
        seats=trigger.seats if "seat" in trigger.draws else 0,
        locations=tuple(sorted(set(trigger.locations))) if "location" in trigger.draws else (),
    )


def choose(secret: bytes, found: Candidates, head_hash: str) -> int:
    """Return the index of the candidate that the secret chooses; DrawError if there is none to choose."""
    count = found.count()
    if not count:
        raise DrawError("no table offers this jackpot now, so nothing can be drawn: restore a table first")
    bits = (count - 1).bit_length()
    message = bytes.fromhex(head_hash) + found.canonical()
    digests = (hmac.digest(secret, counter.to_bytes(4, "big") + message, "sha256") for counter in itertools.count())
    indexes = (int.from_bytes(digest, "big") >> (_HASH_BITS - bits) for digest in digests)
    return next(index for index in indexes if index < count)  # each is rejected with a chance below one half


def draw(secret: bytes, found: Candidates, head_hash: str, next_secret: bytes) -> Draw:
    """Return the draw that this secret makes, and the commitment to the next."""
    index = choose(secret, found, head_hash)
    return Draw(
        commitment=commitment(secret),
        secret=secret.hex(),
        head_hash=head_hash,
        candidates=found,
        index=index,
        chosen=found.at(index),
        next_commitment=commitment(next_secret),
    )


def check(made: Draw, published: str, head_hash: str, expected: Candidates) -> list[str]:
    """Return what is wrong with a draw, in sentences; empty if it is as it must be.

    `published` is the commitment before the draw, `head_hash` that of the entry before, `expected` what could be drawn.
    """
    problems = _check_links(made, published, head_hash)
    if made.candidates != expected:
        problems.append(_differs("candidates", made.candidates.canonical().decode(), expected.canonical().decode()))
    if not (_HEX_64.match(made.secret) and _HEX_64.match(made.head_hash)):
        return [*problems, "secret or head hash is not 64 hex digits, so the choice cannot be computed"]
    return problems + _check_choice(made)


def _check_links(made: Draw, published: str, head_hash: str) -> list[str]:
    """Compare the draw with what was published before it, and the commitment to the next with its form."""
    problems = []
    if made.commitment != published:
        problems.append(_differs("commitment", made.commitment, f"{published or 'none'}, published before"))
    if made.head_hash != head_hash:
        problems.append(_differs("head hash", made.head_hash, f"{head_hash}, the hash of the entry before"))
    if not _HEX_64.match(made.next_commitment) or made.next_commitment == made.commitment:
        problems.append("next commitment is not that of another secret")
    return problems


def _check_choice(made: Draw) -> list[str]:
    """Recompute commitment, index and candidate from the revealed secret."""
    problems = []
    secret = bytes.fromhex(made.secret)
    if commitment(secret) != made.commitment:
        problems.append("the secret does not give the commitment")
    try:
        index = choose(secret, made.candidates, made.head_hash)
    except DrawError as error:
        return [*problems, str(error)]
    if made.index != index:
        problems.append(_differs("index", str(made.index), str(index)))
    chosen = made.candidates.at(index)
    if made.chosen != chosen:
        problems.append(_differs("chosen", _text(made.chosen), _text(chosen)))
    return problems


def _text(chosen: Chosen) -> str:
    return msgspec.json.encode(chosen).decode()


def _differs(name: str, found: str, expected: str) -> str:
    return f"{name} is {found}, expected {expected}"

"""Results of an entry: what it changed, or why it was refused."""

from typing import Literal, get_args

import msgspec
from sabot_protocol.jackpots.messages import Meters, Win

from sabot_floor.jackpots.engine.entries import Entry, Withdrawn

# Short names of refusals, for counters. The first two come from the intake.
Reason = Literal[
    "forged",
    "malformed",
    "amount",
    "currency",
    "table",
    "gap",
    "repeat",
    "parameters",
    "unreasonable",
    "coup",
    "win",
    "role",
    "people",
    "state",
    "unbalanced",
]
REASONS: tuple[str, ...] = get_args(Reason)


class Fault(msgspec.Struct, frozen=True):
    """Something that a person must look at; `active` is False at its end."""

    name: str
    say: str
    table: str = ""
    clause: str = ""
    active: bool = True


class Refused(msgspec.Struct, frozen=True):
    """The entry was not applied and the state is as it was; `then` is an entry to apply because of it."""

    reason: Reason
    say: str
    then: Withdrawn | None = None
    fault: Fault | None = None


class Applied(msgspec.Struct, frozen=True):
    """The entry was applied; `increment` is its effect on In."""

    entry: Entry
    digest: str  # of the parameters that govern the entry
    version: int
    in_force: str
    increment: int = 0
    wins: tuple[Win, ...] = ()  # that were recorded, paid, deemed invalid or cancelled by it
    faults: tuple[Fault, ...] = ()
    pending: bool = False  # the list of pending wins may have changed
    status: bool = False  # more than the meters changed: parameters, tables, commitment
    missing: tuple[int, ...] = ()  # numbers of coups before this one, in its shoe, that have no increment yet
    not_counted: str = ""  # why an increment is not on the meters


class Logged(msgspec.Struct, frozen=True, omit_defaults=True):
    """An entry as the log keeps it: with the version, date and digest of its parameters, and the meters after it."""

    entry: Entry
    version: int
    in_force: str
    digest: str
    meters: Meters
    not_counted: str = ""  # why an increment is not on the meters

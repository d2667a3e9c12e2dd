"""Entries of a jackpot's log: everything that can change its meters, its wins or its tables."""

from typing import Annotated

import msgspec
from msgspec import Meta
from sabot_protocol.jackpots.draws import Draw
from sabot_protocol.jackpots.messages import IncrementMessage, RecordedMessage
from sabot_protocol.jackpots.parameters import Parameters

PersonId = Annotated[str, Meta(description="id of the person who logged in; empty if the name is as typed")]
RULES = 3  # of this release, in the acts of people and in receipts
SETTLED_BY_OTHERS, PUT_BACK, MADE_BY_OTHERS = 2, 3, 3
Rules = Annotated[
    int,
    Meta(
        description="what was checked; 0: nothing of this; 1: in order, by others than those who made the win, "
        "notified by record; 2: settled by others than those who made the pay-out; 3: confirmed by others than those "
        "who made good the sum in which it lies, put in order by others than those who recorded one of the wins, and "
        "what was paid behind a late win is put back for it, also if that is void since"
    ),
]


class Receipt(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the floor knows of a record when it comes, without the clock of any table."""

    entry: Annotated[int, Meta(description="number of the first record in its gateway's ledger; 0: not known")] = 0
    prompt: Annotated[bool, Meta(description="it came within seconds, so after everything received before")] = False
    heard: Annotated[dict[str, int], Meta(description="newest entry of each other gateway that was heard then")] = {}
    rules: Rules = 0


class Opened(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="opened", omit_defaults=True):
    """The first entry of every log."""

    time: str
    parameters: Parameters
    commitment: Annotated[str, Meta(description="SHA-256 of the secret of the first random draw, hex")] = ""
    by: str = ""


class Changed(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="parameters", omit_defaults=True):
    """New parameters; they wait until the jackpot is won in full, unless it has not begun."""

    time: str
    parameters: Parameters
    by: str = ""
    role: Annotated[str, Meta(description="empty if they come from the configuration file")] = ""


class Increment(msgspec.Struct, frozen=True, tag_field="kind", tag="increment"):
    """A table's contribution or its reversal; its signature and its topic were checked before."""

    time: str
    message: IncrementMessage


class Recorded(msgspec.Struct, frozen=True, tag_field="kind", tag="recorded", omit_defaults=True):
    """A dealer recorded a win; its signature and its topic were checked before."""

    time: str
    message: RecordedMessage
    receipt: Annotated[Receipt | None, Meta(description="null: by an older release, ordered by the gateway's time")] = (
        None
    )


class Confirmed(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="confirmed", omit_defaults=True):
    """A pay-out is confirmed on the console."""

    time: str
    win: Annotated[str, Meta(description="id of the coup's message on `confirmed`, or of the draw")]
    by: str
    role: str
    notified: Annotated[str, Meta(description="the person who was notified, where the book demands it")] = ""
    person: PersonId = ""
    notified_person: PersonId = ""
    notified_role: str = ""
    rules: Rules = 0


class Ordered(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="ordered", omit_defaults=True):
    """A person decides the place of a win whose order the messages do not show."""

    time: str
    win: str
    by: str
    role: str
    reason: str
    before: Annotated[str, Meta(description="the win that it comes before; empty: after all of them")] = ""
    person: PersonId = ""
    rules: Rules = 0


class Settled(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="settled", omit_defaults=True):
    """A person closes the difference between what a win was paid and what it was worth."""

    time: str
    win: str
    by: str
    role: str
    reason: str
    person: PersonId = ""
    rules: Rules = 0


class Invalid(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="invalid", omit_defaults=True):
    """A win is deemed invalid; the meter continues as if it had not been hit."""

    time: str
    win: str
    by: str
    role: str
    reason: str
    person: PersonId = ""


class Adjusted(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="adjusted", omit_defaults=True):
    """Two people change the meter by an amount."""

    time: str
    id: Annotated[str, Meta(description="of the request; the same id counts once")]
    amount: int
    by: tuple[str, ...]
    role: str
    reason: str
    people: tuple[PersonId, ...] = ()
    rules: Rules = 0


class Withdrawn(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="withdrawn", omit_defaults=True):
    """The jackpot is not offered at a table until it is restored."""

    time: str
    table: str
    reason: str
    by: Annotated[str, Meta(description="a person; empty if a fault withdrew it")] = ""
    role: str = ""
    person: PersonId = ""


class Restored(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="restored", omit_defaults=True):
    """The malfunction is rectified; the table's next increment sets its count and total."""

    time: str
    table: str
    by: str = ""
    role: str = ""
    person: PersonId = ""
    reason: str = ""


class Proposed(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="proposed", omit_defaults=True):
    """A coup without increment was found; a person may make it good."""

    time: str
    table: str
    unit: str
    shoe: int
    coup: int
    coup_id: Annotated[str, Meta(description="id of the message on `confirmed`; empty if there was none")] = ""
    amount: Annotated[int | None, Meta(description="null: the operator's amount for a coup")] = None
    outcome: Annotated[str, Meta(description="outcome of the trigger that the cards gave; empty if none")] = ""
    reason: str = ""


class MadeGood(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="made_good", omit_defaults=True):
    """A person approves the contribution of a missed coup."""

    time: str
    missed: Annotated[str, Meta(description="id of the missed coup or sum, as listed")]
    by: str
    role: str
    reason: str = ""
    amount: Annotated[int | None, Meta(description="null: the amount as listed")] = None
    person: PersonId = ""
    rules: Rules = 0


class Drawn(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="drawn", omit_defaults=True):
    """A random draw: a win that no card triggers."""

    time: str
    id: str
    draw: Draw
    by: str = ""
    role: str = ""
    person: PersonId = ""
    rules: Rules = 0


class Accepted(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="accepted"):
    """A person accepts the log as it is, although the meter at the broker named an entry that it does not have."""

    time: str
    entry: Annotated[int, Meta(description="that the meter at the broker named")]
    hash: Annotated[str, Meta(description="of that entry, hex")]
    by: str
    role: str
    reason: str
    person: PersonId = ""


Entry = (
    Opened
    | Changed
    | Increment
    | Recorded
    | Confirmed
    | Invalid
    | Adjusted
    | Withdrawn
    | Restored
    | Proposed
    | MadeGood
    | Drawn
    | Accepted
    | Ordered
    | Settled
)

"""Rows about play, jackpots and sums: flat, so that text, CSV, JSON and HTML show the same columns.

Times are ISO 8601, UTC; an empty time has not come yet. Money is in minor units. `_s` is in seconds, null if unknown.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from sabot_protocol.topics import CoupKind, CoupStatus, Winner


class Row(msgspec.Struct, kw_only=True, frozen=True):
    """A row of a section."""


class ShoeRow(Row, frozen=True):
    """A shoe; `coups` counts those of the period, a corrected coup once."""

    table: str
    unit: Annotated[str, Meta(description="unit id of the shoe's controller")]
    shoe: int
    opened: Annotated[str, Meta(description="empty if its opening is not in the store")]
    closed: str
    decks: int
    card_set: int
    burn: str
    coups: int


class PlayedRow(Row, frozen=True):
    """How long a table played: `open_s` are the seconds of the period in which a shoe was open."""

    table: str
    open_s: float
    first: Annotated[str, Meta(description="time of the first coup of the period")]
    last: str
    shoes: int
    coups: int


class CoupCountRow(Row, frozen=True):
    """The number of coups of a table, each in its current state: that of its newest correction."""

    table: str
    kind: CoupKind
    status: CoupStatus
    coups: int


class CoupRow(Row, frozen=True):
    """A message about a coup; the state of the coup is that of the message that nothing corrects."""

    coup_id: Annotated[str, Meta(description="id of the message")]
    time: str
    table: str
    unit: str
    shoe: int
    coup: int
    kind: CoupKind
    status: CoupStatus
    winner: Winner | None
    player: list[str]
    banker: list[str]
    player_points: int
    banker_points: int
    player_pair: bool
    banker_pair: bool
    natural: bool
    last_coup: bool
    confirmed: Annotated[str, Meta(description="time at which this result was confirmed")] = ""
    by: Annotated[str, Meta(description="who decided; empty if no decision was needed")] = ""
    role: str = ""
    clause: str = ""
    decided: str = ""
    attempt: Annotated[str, Meta(description="id of the request, as in the decisions")] = ""
    corrects: Annotated[str, Meta(description="id of the message that this one replaces")] = ""
    corrected_by: Annotated[str, Meta(description="id of the message that replaces this one")] = ""
    began: Annotated[str, Meta(description="where the coup began, if it came from another shoe")] = ""


class CardRow(Row, frozen=True):
    """A card that is in no hand (burn, surplus), or with a note (keyed, face up, returned) beside `exposed`."""

    time: str
    table: str
    unit: str
    shoe: int
    coup: int
    slot: str
    card: str
    notes: list[str]


class IrregularityRow(Row, frozen=True):
    """Something that the rules do not foresee in play, and what followed from it."""

    time: str
    table: str
    shoe: int
    coup: int
    name: Annotated[str, Meta(description="name of the alarm")]
    case: Annotated[str, Meta(description="the case, if the rulebook has one; as `sabot irregularity` takes it")]
    clause: str
    say: str
    followed: Annotated[list[str], Meta(description="state of the coup, decisions and incident that followed")]
    alarm: Annotated[str, Meta(description="id of the message that raised the alarm")]


class VoidRow(Row, frozen=True):
    """A void coup: who voided it, by which clause and why."""

    time: str
    table: str
    unit: str
    shoe: int
    coup: int
    by: str
    role: str
    clause: str
    reason: str
    cards: Annotated[list[str], Meta(description="that were dealt to it")]
    attempt: str
    coup_id: str


class DiscrepancyRow(Row, frozen=True):
    """A coup on which the shoe's log and the cards differ, or that nobody confirmed, and how it was decided."""

    raised: str
    table: str
    shoe: int
    coup: int
    name: str
    clause: str
    shoe_says: str
    cards_say: str
    verdict: Annotated[Literal["confirmed", "void", ""], Meta(description="empty while it is open")]
    winner: Winner | None
    by: str
    role: str
    decided: str
    response_s: Annotated[float | None, Meta(description="from the alarm to the decision")]
    alarm: str


class UnwageredRow(Row, frozen=True):
    """A coup without wagers, and who authorised it; `by` is empty if a rule ordered it."""

    time: str
    table: str
    unit: str
    shoe: int
    coup: int
    kind: CoupKind
    status: CoupStatus
    by: str
    role: str
    clause: str
    attempt: str
    coup_id: str


class DeckCheckRow(Row, frozen=True):
    """A check of the composition of the decks, and its result."""

    time: str
    table: str
    shoe: int
    decks: Annotated[int, Meta(description="that were checked; 0: as many as the table plays with")]
    cards: Annotated[int, Meta(description="that were fed, as far as they are in the store")]
    by: str
    role: str
    result: Annotated[Literal["complete", "differs", "refused", "open"], Meta(description="open: its end is unknown")]
    say: str
    alarm: Annotated[str, Meta(description="of the difference; empty if there is none")]
    attempt: str


class KeyedCardRow(Row, frozen=True):
    """A card that a person keyed in because the shoe could not read it, and who approved that."""

    time: str
    table: str
    unit: str
    shoe: int
    coup: int
    slot: str
    card: str
    by: str
    role: str
    asks: Annotated[str, Meta(description="the person who asked, if `by` approved")]
    asks_role: str
    clause: str
    attempt: str


class WinRow(Row, frozen=True):
    """A jackpot that was won: paid, or deemed invalid, or not confirmed yet."""

    jackpot: str
    time: str
    state: str
    outcome: str
    table: str
    shoe: int
    coup: int
    at: Annotated[str, Meta(description="time for settlement; empty before the dealer's record")]
    value: Annotated[int, Meta(description="of the display at settlement")]
    rounded: Annotated[int, Meta(description="value rounded up to the smallest payable amount")]
    percent: Annotated[str, Meta(description="of the rounded value")]
    amount: Annotated[int, Meta(description="the prize")]
    shares: Annotated[list[str], Meta(description="parts of the prize, one for each qualifying wager")]
    stakes: Annotated[list[str], Meta(description="of the qualifying wagers, in the same order")]
    currency: str
    recorder: Annotated[str, Meta(description="who recorded it at the table; empty for a draw")]
    by: str
    role: str
    notified: str
    reason: str
    win: Annotated[str, Meta(description="id of the win")]


class JackpotActRow(Row, frozen=True):
    """What people did to a jackpot: adjustments, sums made good, tables withdrawn and restored, parameters."""

    jackpot: str
    time: str
    act: str
    table: str
    amount: int | None
    currency: str
    by: list[str]
    role: str
    reason: str


class IncrementRow(Row, frozen=True):
    """The contributions of a table to a jackpot in the period."""

    jackpot: str
    gateway: str
    table: str
    currency: str
    count: int
    amount: int


class NotCountedRow(Row, frozen=True):
    """A contribution that was missed, or that is not on the meter: the sum of all less these is what came in."""

    jackpot: str
    time: str
    gateway: Annotated[str, Meta(description="empty if none sent it")]
    table: str
    shoe: int
    coup: int
    count: Annotated[int, Meta(description="of contributions; 0: the gateway sent none")]
    amount: Annotated[int | None, Meta(description="that the gateway sent; null: it sent none")]
    currency: str
    reason: str


class MeterRow(Row, frozen=True):
    """The meters of a jackpot at one end of the period: base + came_in = display + wins + overflow + reserve."""

    jackpot: str
    at: Literal["begin", "end"]
    time: Annotated[str, Meta(description="of the newest entry of its log then")]
    currency: str
    base: int
    came_in: Annotated[int, Meta(description="all contributions, adjustments, and what was made good")]
    display: int
    hits: int
    wins: int
    overflow: int
    reserve: int


class JackpotFaultRow(Row, frozen=True):
    """A fault of a jackpot, such as the difference of a pay-out that was corrected, or its end."""

    jackpot: str
    time: str
    name: str
    table: str
    state: Literal["open", "ended"]
    say: str
    clause: str


class GapRow(Row, frozen=True):
    """Entries of a gateway's ledger that are not in the store; what they hold is in no section."""

    gateway: str
    first: Annotated[int, Meta(description="number of the first entry that is missing")]
    last: int
    after: Annotated[str, Meta(description="time of the entry before them; empty if there is none")]
    before: Annotated[str, Meta(description="time of the entry after them; empty if there is none")]


class DaySumRow(Row, frozen=True):
    """The sums of one gaming day; `complete` is false if entries of that time are missing."""

    day: str
    shoes: int
    coups: int
    live: int
    unwagered: int
    voids: int
    irregularities: int
    discrepancies: int
    deck_checks: int
    keyed_cards: int
    alarms: int
    decisions: int
    refused: int
    incidents: int
    notifications: int
    late: int
    wins: int
    open_s: float
    complete: bool

"""The states of a table that screens show: `history` for everybody, `hand` for staff."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from sabot_protocol.topics import Card, CoupKind, CoupStatus, Time, Winner

HistoryState = Literal["open", "closed", "unknown"]
BetsPhase = Literal["bets", "no_more_bets", "none"]
HandPhase = Literal["unknown", "closed", "checking", "burning", "bets", "dealing", "complete"]


class LastHand(msgspec.Struct, kw_only=True, frozen=True, omit_defaults=True):
    """The newest coup whose result is out, with its cards."""

    coup: int
    kind: CoupKind
    winner: Winner
    player: list[Card]
    banker: list[Card]
    player_points: int
    banker_points: int
    player_pair: bool = False
    banker_pair: bool = False
    natural: bool = False
    time: Annotated[Time, Meta(description="time of its last card")]


class HistoryMessage(msgspec.Struct, kw_only=True, frozen=True, omit_defaults=True):
    """What everybody may see of the shoe on the table: no card before its result is out, never the burn card.

    A result is out when it is confirmed, when the next coup's first card has left the shoe, or when the shoe is closed.
    """

    table: str
    time: Time
    unit: Annotated[str, Meta(description="unit id of the shoe's controller; empty if no shoe is known")] = ""
    shoe: Annotated[int, Meta(description="shoe number, per unit; 0 if no shoe is known")] = 0
    state: Annotated[
        HistoryState, Meta(description="unknown: no shoe came yet, or the log does not show whether one is open")
    ]
    gap: Annotated[bool, Meta(description="part of the log of this shoe is missing, so results may be missing")] = False
    results: Annotated[
        str,
        Meta(
            description="the results that are out, in the order of coups, separated by spaces: B, P or T, then b for a "
            "banker pair, p for a player pair, n for a natural: Pbn; X for a coup without wagers. A void coup is left "
            "out, a corrected one is as corrected"
        ),
    ] = ""
    coups: Annotated[list[int], Meta(description="the coup number of each of `results`")] = []
    undecided: Annotated[list[int], Meta(description="coups in dispute: over, without a result yet")] = []
    phase: Annotated[
        BetsPhase,
        Meta(
            description="bets: wagers may be placed; no_more_bets: from the dealer's call, or what closes wagers by "
            "the rulebook, until the coup is over, and before a coup without wagers; none: no shoe is ready for play, "
            "as far as the log shows"
        ),
    ]
    coup: Annotated[int, Meta(description="number of the coup on the table, or of the next; 0 without a shoe")] = 0
    kind: Annotated[CoupKind, Meta(description="kind of that coup, as soon as it is known")] = "live"
    next_kind: Annotated[CoupKind, Meta(description="kind of the coup after that one, as soon as it is known")] = "live"
    last_coup: Annotated[bool, Meta(description="that coup is the last of the shoe")] = False
    last: Annotated[LastHand | None, Meta(description="missing until a result of this shoe is out")] = None


class HandCard(msgspec.Struct, kw_only=True, frozen=True, omit_defaults=True):
    """A card that left the shoe in the coup on the table."""

    slot: Annotated[str, Meta(description="player_1, banker_1 … banker_3; unused for a surplus card")]
    card: Card
    notes: Annotated[list[str], Meta(description="any of keyed, face_up, exposed, returned, surplus, kept")] = []


class HandResult(msgspec.Struct, kw_only=True, frozen=True, omit_defaults=True):
    """The result of the coup on the table, as on `coup`."""

    id: Annotated[str, Meta(description="id of the message on `coup`")]
    status: CoupStatus
    winner: Annotated[Winner | None, Meta(description="null for a void coup")]
    player_points: int
    banker_points: int
    player_pair: bool = False
    banker_pair: bool = False
    natural: bool = False


class HandMessage(msgspec.Struct, kw_only=True, frozen=True, omit_defaults=True):
    """The coup on the table as the shoe reads it. Only for staff: it has cards that may not be turned yet."""

    table: str
    time: Time
    unit: Annotated[str, Meta(description="unit id of the shoe's controller; empty if no shoe is known")] = ""
    shoe: Annotated[int, Meta(description="shoe number, per unit; 0 if no shoe is known")] = 0
    phase: Annotated[
        HandPhase,
        Meta(
            description="unknown: the log does not show it; complete: the coup has its result and is not confirmed; "
            "bets: before the first card, also after the dealer's call of no more bets (`called`)"
        ),
    ]
    coup: Annotated[int, Meta(description="number of the coup on the table, or of the next; 0 without a shoe")] = 0
    kind: Annotated[CoupKind, Meta(description="kind of that coup, as soon as it is known")] = "live"
    next_kind: Annotated[CoupKind, Meta(description="kind of the coup after that one, as soon as it is known")] = "live"
    called: Annotated[bool, Meta(description="the dealer has called no more bets for that coup")] = False
    wagers: Annotated[
        BetsPhase | None, Meta(description="whether wagers may be placed, as on `history`; missing: an earlier release")
    ] = None
    exposed: Annotated[bool, Meta(description="a card of that coup was seen, or handled by a patron")] = False
    cards: Annotated[list[HandCard], Meta(description="in the order in which they left the shoe")] = []
    player_points: Annotated[int, Meta(description="points of Player's cards so far")] = 0
    banker_points: Annotated[int, Meta(description="points of Banker's cards so far")] = 0
    due: Annotated[str, Meta(description="slot of the card that is due; empty if none is")] = ""
    surplus: Annotated[int, Meta(description="number of surplus cards among `cards`")] = 0
    locked: Annotated[bool | None, Meta(description="whether the exit is locked; missing if it is not known")] = None
    fault: Annotated[str, Meta(description="fault that locks the shoe's exit; empty if none")] = ""
    next_step: Annotated[str, Meta(description="what a person must do about that fault")] = ""
    last_coup: Annotated[bool, Meta(description="that coup is the last of the shoe")] = False
    result: Annotated[HandResult | None, Meta(description="the result, once the coup is complete")] = None
    unread: Annotated[
        int | None,
        Meta(description="cards that left the shoe, were not read and may be keyed in; missing if it is not known"),
    ] = None
    authorisation_needed: Annotated[
        bool, Meta(description="a supervisor must authorise before the next card, by the rulebook")
    ] = False

    def waits_for_card(self) -> bool:
        """Return True if a card may be keyed in; a gateway that does not publish `unread` shows only the fault."""
        return self.fault == "card" if self.unread is None else self.unread > 0

"""Records: what the ledger stores for an event or a person's act, and how its messages are made."""

import re
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace
from sabot_protocol.angel_eye.tables import UNIT_PREFIX
from sabot_protocol.topics import CoupMessage, CoupStatus, HealthMessage, Message

from sabot_gateway import rules
from sabot_gateway.shoe.parse import NO_CLOCK, Event
from sabot_gateway.verify.state import Dealt

_NO_RESULT = frozenset(("partial", "first_card_missing", "conflict", "again_unclear"))  # flags
_UNIT = re.compile(rf"({UNIT_PREFIX})?[^-]*")


class Record(msgspec.Struct, frozen=True):
    """One ledger entry: only the event, or a message under a topic."""

    topic: str | None = None  # a TopicName, or of a jackpot
    message: Message | None = None


class Source(NamedTuple):
    """The origin of a message: an event of a shoe, or an act under the gateway's own id and number; and its time."""

    unit: str
    event_no: int
    time: str
    suffix: str = ""  # of the id, where one event has several parts

    @property
    def id(self) -> str:
        """The id of the first message that follows."""
        return f"{self.unit}-{self.event_no}{self.suffix}"


def unit_of(message_id: str) -> str:
    """Return the unit, or the gateway, whose event or act is the cause of a message with this id."""
    found = _UNIT.match(message_id)
    return found[0] if found else ""


def coup_message(event: Event, common: dict[str, Any], dealt: Dealt, status: CoupStatus) -> CoupMessage:
    """Return the shoe's result, with its cards."""
    data, flags = event.data, event.data["flags"]
    return CoupMessage(
        **common,
        kind=data["kind"],
        status=status,
        winner=data["winner"],
        **_hands(dealt),
        player_points=data["player_points"],
        banker_points=data["banker_points"],
        player_pair=flags["player_pair"],
        banker_pair=flags["banker_pair"],
        natural=flags["natural"],
        last_coup=flags["last_coup"],
        flags=data.get("notes") or UNSET,
        shoe_time_ms=shoe_time_ms(event),
    )


def no_result(event: Event, common: dict[str, Any], dealt: Dealt, **changes: Any) -> CoupMessage:
    """Return a coup without a result of the shoe: void or lost."""
    hands = _hands(dealt)
    message = CoupMessage(
        **common,
        kind="void",
        status="verified",
        winner=None,
        **hands,
        player_points=rules.points(hands["player"]),
        banker_points=rules.points(hands["banker"]),
        player_pair=False,
        banker_pair=False,
        natural=False,
        last_coup=False,
        shoe_time_ms=shoe_time_ms(event),
    )
    return replace(message, **changes)


def shoe_time_ms(event: Event) -> int | UnsetType:
    """Return the shoe's time of an event; UNSET if the shoe has no clock."""
    return UNSET if event.time_ms == NO_CLOCK else event.time_ms


def _hands(dealt: Dealt) -> dict[str, Any]:
    player = [card for slot, card in dealt if slot.startswith("player")]
    return {"player": player, "banker": [card for slot, card in dealt if slot.startswith("banker")]}


def by_the_cards(coup: CoupMessage) -> rules.Coup | None:
    """Return the coup that the cards of a message make, or None; not if cards are missing or in doubt."""
    if not _NO_RESULT.isdisjoint(coup.flags or ()):
        return None
    player, banker = coup.player, coup.banker
    drawn = [card for pair in zip(player[:2], banker[:2], strict=False) for card in pair] + player[2:] + banker[2:]
    try:
        played = rules.play(drawn)
    except rules.NotACoupError:
        return None
    return played if (list(played.player), list(played.banker)) == (player, banker) else None


def health_message(data: dict[str, Any], common: dict[str, Any]) -> HealthMessage:
    """Return what one sensor has seen."""
    same = ("sensor", "reads", "rejects", "spikes", "speed_mean_mm_s", "speed_least_mm_s", "speed_most_mm_s")
    return HealthMessage(
        **common,
        **{name: data[name] for name in same},
        margin_mean=data["margin_mean_pct"] / 100,
        margin_worst=data["margin_worst_pct"] / 100,
    )

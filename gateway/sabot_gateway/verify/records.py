"""Records: what the ledger stores for an event or a person's act, and how its messages are made."""

import re
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace
from sabot_protocol.angel_eye.tables import UNIT_PREFIX
from sabot_protocol.topics import CoupMessage, HealthMessage, Message

from sabot_gateway import rules
from sabot_gateway.shoe.parse import NO_CLOCK, Event
from sabot_gateway.verify.state import Dealt

_NO_RESULT = frozenset(("partial", "first_card_missing", "conflict", "again_unclear"))  # flags
_PLAYER = frozenset(("player_1", "player_2", "player_3"))  # slots
_BANKER = frozenset(("banker_1", "banker_2", "banker_3"))
_UNIT = re.compile(rf"({UNIT_PREFIX})?[^-]*")


class Record(msgspec.Struct, frozen=True, gc=False):  # one or more an event
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


def no_result(event: Event, common: dict[str, Any], dealt: Dealt, **changes: Any) -> CoupMessage:
    """Return a coup without a result of the shoe: void or lost."""
    player, banker = hands(dealt)
    message = CoupMessage(
        **common,
        kind="void",
        status="verified",
        winner=None,
        player=player,
        banker=banker,
        player_points=rules.points(player),
        banker_points=rules.points(banker),
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


def hands(dealt: Dealt) -> tuple[list[str], list[str]]:
    """Return the Player's cards and the Banker's."""
    player = [card for slot, card in dealt if slot in _PLAYER]
    return player, [card for slot, card in dealt if slot in _BANKER]


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

"""Entries of the log `signs`: what people changed on the signs of tables, and the limits of the config."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

Minor = Annotated[int, Meta(ge=0, le=10**15, description="minor units")]
Starts = Annotated[str, Meta(description="time from which it applies, UTC; never before `time`")]
Notice = Annotated[int, Meta(ge=0, description="seconds that the rulebook wants between `time` and `starts`")]
What = Literal["minimum", "closure", "game"]


class Configured(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="configured"):
    """The limits of a table in the config; they are in force from now on."""

    time: str
    table: str
    currency: str
    minimum: Minor
    maximum: Minor


class _Act(msgspec.Struct, frozen=True, kw_only=True):
    """Fields of every act of a person who has logged in."""

    time: str
    table: str
    rulebook: str
    clause: str
    person: str
    name: str
    role: str
    by: Annotated[str, Meta(description="the account that asked")]


class LimitsSet(_Act, frozen=True, kw_only=True, tag_field="kind", tag="limits"):
    """New limits; with `keeps_old`, players who are at the table keep the old ones."""

    starts: Starts
    notice_s: Notice
    minimum: Minor
    maximum: Minor
    keeps_old: bool = False


class OldEnded(_Act, frozen=True, kw_only=True, tag_field="kind", tag="old_ended"):
    """No player with the old limits is at the table any more."""


class ClosureSet(_Act, frozen=True, kw_only=True, tag_field="kind", tag="closure"):
    """The table closes at a time, or after a number of coups."""

    starts: Starts
    notice_s: Notice
    coups: Annotated[int, Meta(ge=0, le=9)] = 0
    shoe: Annotated[int, Meta(description="of the newest result when it was announced; 0 if not known")] = 0
    coup: int = 0


class GameSet(_Act, frozen=True, kw_only=True, tag_field="kind", tag="game"):
    """The table changes to another game."""

    starts: Starts
    notice_s: Notice
    game: str
    players_agree: bool = False


class PersonalSet(_Act, frozen=True, kw_only=True, tag_field="kind", tag="personal"):
    """Limits of the player at a place."""

    place: str
    minimum: Minor
    maximum: Minor


class PersonalEnded(_Act, frozen=True, kw_only=True, tag_field="kind", tag="personal_ended"):
    """The player at a place has the limits of the table."""

    place: str


class RestrictionSet(_Act, frozen=True, kw_only=True, tag_field="kind", tag="restriction"):
    """A wager is for players with a main wager only, or for all again."""

    wager: str
    restricted: bool
    notified: str = ""


class Cancelled(_Act, frozen=True, kw_only=True, tag_field="kind", tag="cancelled"):
    """An announced change does not happen; a closed table is open again."""

    what: What


Entry = (
    Configured | LimitsSet | OldEnded | ClosureSet | GameSet | PersonalSet | PersonalEnded | RestrictionSet | Cancelled
)

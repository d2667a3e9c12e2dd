"""Verbs about table signs, as the control socket and the pages take them."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from sabot_floor.people.verbs import Login
from sabot_floor.signs.entries import What

TableName = Annotated[str, Meta(pattern=r"\A[A-Za-z0-9_-]{1,64}\Z")]
Text = Annotated[str, Meta(max_length=160)]
Short = Annotated[str, Meta(max_length=24)]
Change = Literal["minimum", "one-minimum", "close", "game", "personal", "restrict", "cancel"]


class ShowSign(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Report the sign of a table, and what is wrong with it."""

    table: TableName


class ChangeSign(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Change the sign of a table; each change uses the fields that it needs. Amounts are money as people write it."""

    table: TableName
    change: Change
    login: Login
    minimum: Short = ""
    maximum: Short = ""  # empty: as it is
    at: Short = ""  # 21:30 or 2026-11-17 21:30 by the clock of the site; empty: as early as the book allows
    keep_old: bool = False  # minimum: at once, and players at the table keep the old one
    game: Annotated[str, Meta(max_length=48)] = ""
    players_agree: bool = False  # game: all players consent
    place: Annotated[str, Meta(max_length=12)] = ""
    wager: Annotated[str, Meta(max_length=48)] = ""
    notified: Text = ""  # restrict: whom at surveillance
    end: bool = False  # personal, restrict: it ends
    what: What = "minimum"  # cancel

    def logins(self) -> tuple[Login, ...]:
        """Return how the person logs in."""
        return (self.login,)

    def title(self) -> str:
        """Return what is asked for, for the log of people."""
        return f"sign {self.change} {self.table}"

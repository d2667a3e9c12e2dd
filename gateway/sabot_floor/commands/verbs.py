"""The verb for a table, as the control socket takes it: what `sabot table` has, and who logs in for it."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from sabot_floor.people.verbs import Login

TableName = Annotated[str, Meta(pattern=r"\A[A-Za-z0-9_-]{1,64}\Z")]
Command = Annotated[str, Meta(pattern=r"\A[a-z][a-z0-9-]{0,31}\Z")]


class TableCommand(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A command to a table: the first person asks for it; if there is a second one, that person approves it."""

    table: TableName
    command: Command
    login: Login
    second_login: Login | None = None
    args: dict[str, Any] = {}
    clause: Annotated[str, Meta(max_length=64)] = ""

    def logins(self) -> tuple[Login, ...]:
        """Return how the people log in."""
        return (self.login, self.second_login) if self.second_login else (self.login,)

    def title(self) -> str:
        """Return what is asked for, for the log of people."""
        return f"{self.command} {self.table}"

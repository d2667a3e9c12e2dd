"""Acts: what a page may ask for in the name of the person who has logged in; a body of JSON becomes a request."""

from collections.abc import Callable
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from sabot_service.messages import RequestError

from sabot_floor.commands.verbs import TableCommand
from sabot_floor.people.sessions import SESSION
from sabot_floor.people.verbs import Login
from sabot_floor.requests import VERBS, Act, FloorRequest, Show
from sabot_floor.signs.verbs import ChangeSign

Make = Callable[[Login], FloorRequest]
_OWN = ("login", "second_login", "role", "second")  # who acts is not for the body to say


class _Act(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="do"):
    """An act; `second` is how a second person logs in for it."""

    second: Login | None = None

    def request(self, login: Login) -> FloorRequest:
        """Return the request in the name of the person who has logged in; RequestError if it is none."""
        raise NotImplementedError


class TableAct(_Act, frozen=True, kw_only=True, tag="table"):
    """A command to a table: the person asks for it, and the second person, if there is one, approves it."""

    table: Annotated[str, Meta(max_length=64)]
    command: Annotated[str, Meta(max_length=32)]
    args: dict[str, Any] = {}
    clause: Annotated[str, Meta(max_length=64)] = ""

    def request(self, login: Login) -> FloorRequest:
        """Return the command."""
        given = {"table": self.table, "command": self.command, "args": self.args, "clause": self.clause}
        return FloorRequest(_converted({**given, "login": login, "second_login": self.second}, TableCommand))


class JackpotAct(_Act, frozen=True, kw_only=True, tag="jackpot"):
    """A verb of `sabot jackpot`, with its arguments; `show` reports everything about one."""

    verb: Annotated[str, Meta(max_length=32)]
    args: dict[str, Any] = {}

    def request(self, login: Login) -> FloorRequest:
        """Return the request of the verb."""
        kind = VERBS.get(self.verb)
        if kind is None or not issubclass(kind, Act | Show):
            raise RequestError(f"Unknown verb {self.verb!r} of a jackpot.")
        if any(name in self.args for name in _OWN):
            raise RequestError("Who acts is the person who has logged in; give no name and no role.")
        if issubclass(kind, Show):
            return FloorRequest(_converted({**self.args, "login": login}, kind))
        second = {"second_login": self.second} if self.second is not None else {}
        verb: Act = _converted({**self.args, "login": login, **second}, kind)
        verb.logins()
        return FloorRequest(verb)


class SignAct(_Act, frozen=True, kw_only=True, tag="sign"):
    """A change of the sign of a table, with its arguments."""

    table: Annotated[str, Meta(max_length=64)]
    change: Annotated[str, Meta(max_length=32)]
    args: dict[str, Any] = {}

    def request(self, login: Login) -> FloorRequest:
        """Return the change."""
        if self.second is not None or any(name in self.args for name in (*_OWN, "table", "change")):
            raise RequestError("Who acts is the person who has logged in; give no other person.")
        given = {**self.args, "table": self.table, "change": self.change, "login": login}
        return FloorRequest(_converted(given, ChangeSign))


def _converted(values: dict[str, Any], kind: type[Any]) -> Any:
    plain = {name: msgspec.structs.asdict(one) if isinstance(one, Login) else one for name, one in values.items()}
    try:
        return msgspec.convert(plain, kind)
    except msgspec.ValidationError as error:
        raise RequestError(f"Bad request: {error}") from None


AnyAct = TableAct | JackpotAct | SignAct
_decoder: msgspec.json.Decoder[TableAct | JackpotAct | SignAct] = msgspec.json.Decoder(AnyAct)


def parse(body: bytes) -> Make:
    """Return what makes the request of a body; RequestError for any other bytes."""
    try:
        act = _decoder.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise RequestError(f"Bad request: {error}") from None
    if act.second is not None and act.second.secret.startswith(SESSION):
        raise RequestError("The second person logs in with a PIN, a password or a badge.")
    return act.request

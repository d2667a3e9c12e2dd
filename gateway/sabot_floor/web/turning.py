"""Serves `/turned`: a person at the table turns the cards of a hand, and from then on pages show them."""

from typing import Annotated, Literal

import msgspec
import structlog
from msgspec import Meta
from sabot_protocol import authority
from sabot_protocol.authority import AuthorityError
from sabot_service.messages import Answer
from starlette.requests import Request
from starlette.responses import Response

from sabot_floor.people.logins import change_first
from sabot_floor.people.sessions import ACCOUNT
from sabot_floor.people.state import Person
from sabot_floor.web.accounts import Accounts, RefusedRequestError, body_of, check_token
from sabot_floor.web.hub import Hub
from sabot_floor.web.unturned import book_of

_UNREADABLE = Answer(False, "Give table, coup, side and the number of cards that are turned.")
_NOT_YOURS = Answer(False, "Cards are turned by people who deal or supervise at this table: you have no such role.")

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class TurnedBody(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What the Dealer Terminal sends."""

    table: Annotated[str, Meta(max_length=64)]
    coup: Annotated[str, Meta(max_length=16)]  # as 3/17
    side: Literal["player", "banker"]
    cards: Annotated[int, Meta(ge=1, le=3)]


class TurningRoute:
    """Notes what is turned for a person with a role at the table, with a line in the log of the service."""

    def __init__(self, hub: Hub, accounts: Accounts) -> None:
        self._hub, self._accounts = hub, accounts

    async def turn(self, request: Request) -> Response:
        """Answer with what is shown now, or why nothing is."""
        try:
            body = msgspec.json.decode(await body_of(request), type=TurnedBody)
            check_token(request)
        except RefusedRequestError as error:
            return _json(Answer(False, error.say), error.status)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return _json(_UNREADABLE, 400)
        outcome = await self._accounts.look(request, touch=True)
        if outcome.session is None or outcome.person is None:
            return _json(outcome.answer, 401)
        return _json(self._turned(body, outcome.person))

    def _turned(self, body: TurnedBody, person: Person) -> Answer:
        if not self._has_role(body.table, person):
            return _NOT_YOURS
        if person.initial:
            return Answer(False, change_first(person.id, ACCOUNT))
        problem = self._hub.turn(body.table, body.coup, body.side, body.cards)
        if problem:
            return Answer(False, problem)
        about = {"table": body.table, "coup": body.coup, "side": body.side, "cards": body.cards, "by": person.id}
        log.info("cards are turned", **about)
        return Answer(True, "")

    def _has_role(self, table: str, person: Person) -> bool:
        """Return True if the person has a role in the order of the table's rulebook."""
        found = self._hub.site.tables.get(table)
        book = book_of(found.status) if found else None
        role = person.roles.get(book.id) if book else None
        if book is None or role is None:
            return False
        try:
            return not authority.find_role(book.id, role).beside
        except AuthorityError:
            return False


def _json(answer: Answer, status: int = 200) -> Response:
    return Response(msgspec.json.encode(answer), status, {"cache-control": "no-store"}, media_type="application/json")

"""Routes of data: what a page of staff asks for beside its channel, as JSON; the store is read in a worker thread."""

import re
from collections.abc import Callable
from typing import Any, Protocol

import anyio.to_thread
import msgspec
import structlog
from sabot_service.messages import Answer
from sabot_service.moment import Moment
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sabot_floor.config import Config
from sabot_floor.gaming_day import Span
from sabot_floor.projection.in_play import Known
from sabot_floor.projection.reading import Reading
from sabot_floor.reports.source import Scope, Source
from sabot_floor.store import Store, StoreError, open_store
from sabot_floor.web.accounts import sees_unturned
from sabot_floor.web.bridge import Outcome
from sabot_floor.web.data import books, coup, shoes, trends

MOST_READING = 4  # at a time; others wait
LOCK_S = 2.0
_NAME = re.compile(r"\A[A-Za-z0-9_.-]{1,64}\Z")
_NUMBER = re.compile(r"\A[0-9]{1,9}\Z")
_NOT_THE_PIT = Answer(False, "This is for supervisors: log in at the pit console.")
_NOT_FOUND = Answer(False, "There is nothing of this name.")

log: structlog.stdlib.BoundLogger = structlog.get_logger()
Sight = tuple[frozenset[str], Known]  # books whose cards may be seen before they are turned, coups that are turned
Ask = Callable[[Store, Sight], Any]  # returns what is answered, None if there is no such thing


class HasSessions(Protocol):
    """Who finds the session of a request."""

    async def look(self, request: Request, *, touch: bool = False) -> Outcome:
        """Return the session of a request; its `session` is None without one."""


class Data:
    """Answers for `/data/…`, to people who have logged in."""

    def __init__(
        self,
        config: Config,
        accounts: HasSessions,
        clock: Callable[[], Moment],
        turned: Callable[[], Known] = frozenset,
    ) -> None:
        self._config, self._accounts, self._clock, self._turned = config, accounts, clock, turned
        self._limit: anyio.CapacityLimiter | None = None

    def routes(self) -> list[Route]:
        """Return the paths."""
        return [
            Route("/data/trends/{table}", self.trends),
            Route("/data/shoe/{table}", self.shoe),
            Route("/data/book/{rulebook}", self.book),
            Route("/data/coup/{id:path}", self.coup),
        ]

    async def trends(self, request: Request) -> Response:
        """Answer with what the sensors of a table saw over its last shoes."""
        table = request.path_params["table"]
        return await self.read(request, lambda store, _: trends.read(Reading(store), table), _NAME.match(table))

    async def shoe(self, request: Request) -> Response:
        """Answer with the last coups of a shoe, and what people asked for."""
        table, unit = request.path_params["table"], request.query_params.get("unit", "")
        shoe = request.query_params.get("shoe", "")
        known = _NAME.match(table) and _NAME.match(unit) and _NUMBER.match(shoe)
        return await self.read(
            request, lambda store, sight: shoes.read(Reading(store, *sight), table, unit, int(shoe)), known
        )

    async def book(self, request: Request) -> Response:
        """Answer with clauses, roles, acts and reports of a rulebook."""
        if (await self._accounts.look(request)).session is None:
            return _no_session()
        found = books.read(request.path_params["rulebook"])
        return _json(_NOT_FOUND, 404) if found is None else _json(found)

    async def coup(self, request: Request) -> Response:
        """Answer with the evidence about a coup; `?download` gives it a file name."""
        wanted, config = request.path_params["id"], self._config
        scope = Scope(Span("", ""), (), config.calendar(), config.site, self._clock().time)
        try:
            answer = await self.read(request, lambda store, sight: coup.evidence(Source(store, *sight), scope, wanted))
        except coup.NotThereError as error:
            return _json(error.missing, 404)
        if "download" in request.query_params and answer.status_code == 200:
            name = f"coup-{wanted.replace('/', '-')}.json"
            answer.headers["content-disposition"] = f'attachment; filename="{name}"'
        return answer

    async def read(self, request: Request, ask: Ask, known: object = True) -> Response:
        """Answer with what `ask` returns of the store, to a session of the pit; 404 if it is None."""
        outcome = await self._accounts.look(request)
        session, sight = outcome.session, (sees_unturned(outcome), self._turned())
        if session is None or session.kind != "pit":
            return _no_session() if session is None else _json(_NOT_THE_PIT, 403)
        if not known:
            return _json(_NOT_FOUND, 404)
        self._limit = self._limit or anyio.CapacityLimiter(MOST_READING)
        try:
            found = await anyio.to_thread.run_sync(lambda: self._asked(ask, sight), limiter=self._limit)
        except StoreError as error:
            log.warning(f"a page could not read the store: {error}")
            return _json(Answer(False, f"The store cannot be read now: {error}."), 503)
        return _json(_NOT_FOUND, 404) if found is None else _json(found)

    def _asked(self, ask: Ask, sight: Sight) -> Any:
        with open_store(self._config.store, read_only=True, lock_s=LOCK_S) as store:
            return ask(store, sight)


def _no_session() -> Response:
    return _json(Answer(False, "Log in first."), 401)


def _json(answer: object, status: int = 200) -> Response:
    return Response(msgspec.json.encode(answer), status, {"cache-control": "no-store"}, media_type="application/json")

"""Events: a stream of the hub as an HTTP answer that does not end."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from sabot_service.moment import Moment
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from sabot_floor.web.accounts import Accounts, address, reads_jackpots, sees_unturned
from sabot_floor.web.channels import find
from sabot_floor.web.hub import LOCKED, Hub, RefusedError, Stream
from sabot_floor.web.site_state import NO_RIGHTS, Rights

_NO_STORE = {"cache-control": "no-store"}
_HEADERS = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-store"), (b"x-accel-buffering", b"no")]


class Events:
    """Serves `/events/<channel>`."""

    def __init__(self, hub: Hub, accounts: Accounts, clock: Callable[[], Moment]) -> None:
        self._hub, self._accounts, self._clock = hub, accounts, clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send states and beats until the reader leaves or the stream ends; `locked` where a session is missing."""
        name = scope["path_params"]["channel"]
        session, rights = await self._session(name, scope)
        if session is None:
            await Response(LOCKED, headers=_NO_STORE, media_type="text/event-stream")(scope, receive, send)
            return
        try:
            stream = self._hub.open(name, address(scope), session, self._clock(), rights)
        except RefusedError as error:
            status = 404 if "no channel" in str(error) else 503
            await PlainTextResponse(f"{error}\n", status, {"retry-after": "5"})(scope, receive, send)
            return
        try:
            await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
            await self._run(stream, scope, receive, send)
        finally:
            self._hub.close(stream)

    async def _session(self, name: str, scope: Scope) -> tuple[str | None, Rights]:
        """Return the id of the session that a channel needs, None if it is missing; and the rights of its person."""
        found = find(name)
        if found is None or found[0].public:
            return "", NO_RIGHTS
        outcome = await self._accounts.look(Request(scope))
        session = outcome.session
        if session is None or (session.kind == "dealer" and name.partition("/")[0] != "dealer"):
            return None, NO_RIGHTS
        jackpots = reads_jackpots(outcome) if found[0].reads_jackpots else NO_RIGHTS.jackpots
        return session.id, Rights(sees_unturned(outcome), jackpots)

    async def _run(self, stream: Stream, scope: Scope, receive: Receive, send: Send) -> None:
        woken = asyncio.Event()
        stream.wake = woken.set
        woken.set()
        if connection := scope.get("sabot.connection"):
            stream.drop = connection.drop
        left = asyncio.create_task(_left(stream, receive))
        try:
            while not stream.ended or stream.waits():
                await woken.wait()
                woken.clear()
                body = stream.take()
                if body:
                    stream.taken_s = self._clock().now_s
                    await send({"type": "http.response.body", "body": body, "more_body": True})
                    stream.taken_s = None
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            left.cancel()
            with suppress(asyncio.CancelledError):
                await left


async def _left(stream: Stream, receive: Receive) -> None:
    """End the stream when the reader has left."""
    while (await receive())["type"] != "http.disconnect":
        pass
    stream.end()

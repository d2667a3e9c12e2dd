"""Routes: what is served at which path."""

import re
from collections.abc import Callable, Mapping

import msgspec
from sabot_service.moment import Moment
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from sabot_floor.config import Config
from sabot_floor.web import files, languages
from sabot_floor.web.accounts import Accounts
from sabot_floor.web.assistant_route import AssistantRoute
from sabot_floor.web.bridge import Bridge
from sabot_floor.web.config import Web
from sabot_floor.web.data.routes import Data
from sabot_floor.web.events import Events
from sabot_floor.web.files import File
from sabot_floor.web.guard import Guard
from sabot_floor.web.hub import Hub
from sabot_floor.web.turning import TurningRoute

_KEYS = re.compile(r"\A[A-Za-z0-9_-]{1,64}(/[A-Za-z0-9_-]{1,64}){0,3}\Z")
_MISSING = "missing"  # the page for every address that has none


class Site:
    """Answers for pages, their files and their words."""

    def __init__(self, web: Web, words: Mapping[str, languages.Words], zone: str) -> None:
        self._web, self._pages, self._static = web, files.pages(), files.static()
        self._missing = self._pages.pop(_MISSING)
        self._words = {
            name: files.make(
                msgspec.json.encode({"language": name, "languages": sorted(words), "zone": zone, "words": found}), ".js"
            )
            for name, found in words.items()
        }

    async def page(self, request: Request) -> Response:
        """Answer with pages/NAME.html for /NAME and /NAME/<key>."""
        found = self._pages.get(request.path_params["name"])
        key = request.path_params.get("key", "")
        if found is None or (key and not _KEYS.match(key)):
            return Response(self._missing.body, 404, media_type=self._missing.kind)
        return _sent(request, found)

    async def static(self, request: Request) -> Response:
        """Answer with a script, a style sheet or a picture."""
        found = self._static.get(request.path_params["path"])
        return PlainTextResponse("There is no such file.\n", 404) if found is None else _sent(request, found)

    async def words(self, request: Request) -> Response:
        """Answer with the sentences of the language that the reader wants."""
        asked, accepted = request.query_params.get("lang", ""), request.headers.get("accept-language", "")
        name = languages.choose(self._words, asked, accepted, self._web.language)
        found = self._words[name]._replace(kind="application/json")
        return _sent(request, found, {"vary": "accept-language"})


def _sent(request: Request, file: File, more: Mapping[str, str] | None = None) -> Response:
    headers = {"etag": file.tag, "cache-control": "no-cache", **(more or {})}
    if request.headers.get("if-none-match") == file.tag:
        return Response(status_code=304, headers=headers)
    return Response(file.body, headers=headers, media_type=file.kind)


async def _home(_request: Request) -> Response:
    return RedirectResponse("/wall", 302)


def application(
    web: Web,
    hub: Hub,
    bridge: Bridge,
    words: Mapping[str, languages.Words],
    clock: Callable[[], Moment],
    data: Config,
) -> ASGIApp:
    """Return everything that is served, behind the guard; `data`: the store from which data are read, and its site."""
    site, accounts = Site(web, words, data.time_zone), Accounts(bridge)
    routes = [
        Route("/", _home),
        Route("/events/{channel:path}", Events(hub, accounts, clock)),
        Route("/login", accounts.log_in, methods=["POST"]),
        Route("/pin", accounts.change_pin, methods=["POST"]),
        Route("/session", accounts.session, methods=["GET", "POST"]),
        Route("/logout", accounts.log_out, methods=["POST"]),
        Route("/act", accounts.act, methods=["POST"]),
        Route("/turned", TurningRoute(hub, accounts).turn, methods=["POST"]),
        Route("/data/assistant/{table}", AssistantRoute(hub, accounts).answer),
        *Data(data, accounts, clock, hub.site.turned_coups).routes(),
        Route("/static/{path:path}", site.static),
        Route("/words", site.words),
        Route("/{name}", site.page),
        Route("/{name}/{key:path}", site.page),
    ]
    return Guard(Starlette(routes=routes), [*web.hosts, web.address().host])

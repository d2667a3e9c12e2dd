"""Part: the web part as the floor's loop sees it: the thread that serves pages, the bridge to it, and its desk here."""

import selectors
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sabot_service.messages import Answer
from sabot_service.moment import Moment

from sabot_floor.people.desk import PeopleDesk
from sabot_floor.requests import FloorRequest
from sabot_floor.signs.desk import SignDesk
from sabot_floor.web.bridge import Bridge
from sabot_floor.web.desk import WebDesk

if TYPE_CHECKING:
    from sabot_floor.config import Config
    from sabot_floor.web.server import WebServer

Begin = Callable[[FloorRequest, str, Callable[[Answer], None]], None]


class WebPart:
    """Nothing without `[web]` in the config; only with it the libraries of the web part are needed."""

    def __init__(
        self,
        config: "Config",
        selector: selectors.BaseSelector,
        people: PeopleDesk,
        begin: Begin,
        clock: Callable[[], Moment],
        signs: SignDesk,
    ) -> None:
        self._server: WebServer | None = None
        self._desk: WebDesk | None = None
        if config.web is not None:
            from sabot_floor.web import server

            self._bridge = Bridge(selector)
            self._desk = WebDesk(config.web, self._bridge, people, begin, clock, config.worker)
            self._server = server.WebServer(config, config.web, self._bridge, signs.board)
            signs.newest = self._server.newest

    def start(self) -> None:
        """Serve pages."""
        if self._server is not None:
            self._server.start()

    def serve(self) -> None:
        """Answer what pages have asked: the bridge is readable."""
        if self._desk is not None:
            self._desk.serve()

    def step(self, at: Moment) -> None:
        """Do what is due by time."""
        if self._desk is not None:
            self._desk.step(at)

    def status(self) -> dict[str, Any] | None:
        """Return the part of `sabot floor status` about pages, None without them."""
        return self._server.status() if self._server is not None else None

    def close(self) -> None:
        """End all streams and the thread, then give the bridge back."""
        if self._server is not None:
            self._server.stop()
            self._bridge.close()

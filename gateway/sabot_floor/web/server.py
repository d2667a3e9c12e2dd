"""Server: the thread of the web part, with its own loop: pages, streams, and the connection to the broker."""

import asyncio
import resource
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import structlog
import uvicorn
from sabot_service.moment import Moment, utc

from sabot_floor.config import Config
from sabot_floor.signs.board import SignBoard
from sabot_floor.web import languages
from sabot_floor.web.bridge import Bridge
from sabot_floor.web.check import listen, why
from sabot_floor.web.config import Web
from sabot_floor.web.connection import Connection
from sabot_floor.web.hub import Hub
from sabot_floor.web.listener import Listener
from sabot_floor.web.routes import application

_BIND_AGAIN_S = 5.0
_STOP_WITHIN_S = 1.5
_MOST_FILES = 8192
_BACKLOG = 1024

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class WebServer:
    """`start` the thread, `stop` it; a port in use is tried again until it is free."""

    def __init__(
        self, config: Config, web: Web, bridge: Bridge, signs: SignBoard, clock: Callable[[], float] = time.time
    ) -> None:
        self._config, self._web, self._bridge, self._wall_clock = config, web, bridge, clock
        self.hub = Hub(config.site, config.table, signs)
        self._listener = Listener(config.broker, config.login, _client_id(config), self.hub, self._at)
        self._words = languages.load(Path(web.languages) if web.languages else None)
        self._thread = threading.Thread(target=self._run, name="web", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping = threading.Event()
        self._stop: asyncio.Event | None = None
        self.problem = ""  # why no pages are served
        self.port = 0  # where pages are served; 0 before

    def _at(self) -> Moment:
        return Moment(time.monotonic(), utc(self._wall_clock()))

    def newest(self, table: str) -> tuple[int, int]:
        """Return the shoe of a table and its newest coup that has ended; zeros where that is not known."""
        return self.hub.site.newest(table)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """End all streams and the thread."""
        self._stopping.set()
        if self._loop is not None and self._stop is not None:
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._stop.set)
        if self._thread.ident is not None:
            self._thread.join(_STOP_WITHIN_S + 0.5)

    def status(self) -> dict[str, Any]:
        """Return the part of `sabot floor status` about pages; called in the floor's loop."""
        hub = self.hub
        return {
            "url": self._web.url(),
            "problem": self.problem or self._listener.problem() or None,
            "streams": hub.streams(),
            "refused": hub.refused,
            "dropped": hub.dropped,
            "broken": hub.broken,
            "unreadable": hub.site.unreadable,
        }

    def _run(self) -> None:
        try:
            asyncio.run(self._main())
        except Exception as error:
            self.problem = f"internal error in the web part ({type(error).__name__}: {error}); restart the service"
            log.exception("the web part has ended by an internal error; restart the floor service and report this")

    async def _main(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        if self._stopping.is_set():
            return
        self._bridge.on_ended = self._ended
        _allow_many_files()
        self._listener.start()
        try:
            listening = await self._bound()
            if listening is not None:
                await self._serve(listening)
        finally:
            self._listener.close()

    def _ended(self, sessions: set[str]) -> None:
        """Called in the floor's loop: end the streams of sessions that have ended."""
        assert self._loop is not None
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self.hub.end_sessions, sessions)

    async def _bound(self) -> socket.socket | None:
        """Return the socket as soon as its port is free; None if the service is stopped before."""
        assert self._stop is not None
        while not self._stop.is_set():
            try:
                listening = listen(self._web, _BACKLOG)
                self.problem, self.port = "", listening.getsockname()[1]
                log.info("pages are served", url=self._web.url())
                return listening
            except OSError as error:
                said = (
                    f"no pages are served: {self._web.listen}: {why(error)}; free the port or change `listen` of [web]"
                )
                if said != self.problem:
                    log.error(f"{said}; tried again every {_BIND_AGAIN_S:.0f} s")
                self.problem = said
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stop.wait(), _BIND_AGAIN_S)
        return None

    async def _serve(self, listening: socket.socket) -> None:
        assert self._stop is not None
        app = application(self._web, self.hub, self._bridge, self._words, self._at, self._config)
        config = uvicorn.Config(
            app,
            http=Connection,
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            proxy_headers=bool(self._web.proxies),
            forwarded_allow_ips=list(self._web.proxies),
            timeout_keep_alive=30,
            timeout_graceful_shutdown=1,
            backlog=_BACKLOG,
        )
        config.load()
        config.ssl = self._web.context()
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        waiting = asyncio.create_task(self._stop.wait())
        await asyncio.wait((serving, waiting), return_when=asyncio.FIRST_COMPLETED)
        self.hub.end_all()
        server.should_exit = True
        await serving
        waiting.cancel()


def _client_id(config: Config) -> str:
    return f"sabot-web-{config.site}-{config.worker}"


def _allow_many_files() -> None:
    """Raise our own limit of open files: each stream is one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
    if soft < most:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))

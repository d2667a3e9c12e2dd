"""The gateway of a replay: the daemon's App in this process, started and killed as a daemon is."""

import io
import resource
import selectors
from collections import deque
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final, TextIO, cast

import structlog
from sabot_gateway.app import App
from sabot_gateway.config import Config
from sabot_gateway.ledger import Reader, Stored
from sabot_protocol.topics import ROOT
from sabot_service.mqtt import NO_KEEPALIVE

from sabot_tools.replay.table_setup import TABLE

_LOG_PARTS: Final = 40


class ReplayGateway:
    """`app` is None while the gateway is not running."""

    def __init__(
        self,
        config: Config,
        line_clock: Callable[[], float],
        wall_clock: Callable[[], float],
        selector: selectors.BaseSelector,
    ) -> None:
        self.config = config
        self.app: App | None = None
        self.disk_full = False
        self.paused = False  # step() does nothing
        self._clocks, self._selector = (line_clock, wall_clock), selector
        self._log = _log_to_memory()

    def start(self) -> None:
        """Start as the daemon does."""
        self.app = self.new_app(self.config)
        self._selector.register(self.app, selectors.EVENT_READ)
        self.app.begin()

    def new_app(self, config: Config) -> App:
        """Return an App with the clocks of this replay, for which the broker waits however slow it is; not started."""
        return App(config, *self._clocks, sleep=lambda _s: None, keepalive_s=NO_KEEPALIVE)

    def kill(self) -> None:
        """End as kill -9 does."""
        assert self.app is not None
        self._selector.unregister(self.app)
        self.app.crash()
        self.app = None

    def close(self) -> None:
        """Stop, if it is running; files can be written again."""
        self.set_disk_full(full=False)
        if self.app is not None:
            self._selector.unregister(self.app)
            self.app.close()

    def step(self) -> bool:
        """Do one turn of the daemon's loop; return False if it is not running."""
        if self.app is None or self.paused:
            return False
        self.app.step(0)
        return True

    def set_disk_full(self, *, full: bool) -> None:
        """Make every write to a file of this process fail, or work again. No shoe can be started meanwhile."""
        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        resource.setrlimit(resource.RLIMIT_FSIZE, (0 if full else hard, hard))
        self.disk_full = full

    def retained_topics(self) -> dict[str, bytes]:
        """Return the gateway's retained messages by full topic, whether the broker has them or not."""
        return self.app.retained_topics() if self.app else {}

    def retained(self, topic: str) -> str:
        """Return the retained message of a topic below the site, or an empty string."""
        return self.retained_topics().get(f"{ROOT}/{self.config.site}/{topic}", b"").decode()

    def online(self) -> bool:
        """Return True if the gateway reports the shoe as online."""
        return '"online"' in self.retained(f"{TABLE}/status")

    def ledger(self) -> list[Stored]:
        """Return every entry of the ledger."""
        with closing(Reader(Path(self.config.ledger))) as ledger:
            return list(ledger.entries())

    def last_log(self) -> str:
        """Return the last lines of the gateway's log."""
        return "".join(self._log.parts)


class _MemoryLog(io.TextIOBase):
    """Keeps the last parts that were written."""

    def __init__(self) -> None:
        self.parts: deque[str] = deque(maxlen=_LOG_PARTS)

    def write(self, text: str) -> int:
        self.parts.append(text)
        return len(text)


def _log_to_memory() -> _MemoryLog:
    """Keep the gateway's log in memory: a replay may fill the disk."""
    log = _MemoryLog()
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback),
        ],
        logger_factory=structlog.PrintLoggerFactory(file=cast(TextIO, log)),
    )
    return log

"""Notices: what is told of tables and broker, each thing once: in the log, and retained on the status topics."""

import os

import structlog

from sabot_gateway.driver import Driver
from sabot_gateway.place import Place
from sabot_gateway.publish import Publisher

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class Notices:
    """What was told last is not told again."""

    def __init__(self, publisher: Publisher) -> None:
        self._publisher = publisher
        self._broker: str | None = None

    def connected(self, place: Place, keys: str | None, time: str) -> None:
        """A shoe is served; how, and what is to be done about its key."""
        link, unit = place.link, place.link.unit
        assert unit is not None
        log.info("shoe connected", table=place.name, unit=unit, authenticated="yes" if link.authenticated else "no")
        advice = _advice(unit, link, keys)
        if advice:
            log.warning(advice, table=place.name)
        self._publisher.say_table(place.name, "online", time, unit=unit, authenticated=link.authenticated)

    def problem(self, place: Place, problem: str, time: str) -> None:
        """Why a table has no shoe."""
        if place.told != problem:
            place.told = problem
            log.warning(problem, table=place.name)
            self._publisher.say_table(place.name, "offline", time, problem=problem)

    def broker(self, problem: str | None) -> None:
        """Why nothing is published."""
        if problem != self._broker:
            self._broker = problem
            if problem:
                log.warning(f"{problem}; the ledger keeps everything until then")


def _advice(unit: str, link: Driver, keys: str | None) -> str | None:
    """What is to be done about the key of a shoe that is served."""
    if not link.authenticated:
        return (
            f"shoe {unit} is not authenticated: who is on its line can speak for it; make a key with "
            f"`sabot keys new {unit} --dir {keys or 'DIR'} --shoe key.bin` and put key.bin into the shoe"
            + ("" if keys else ", and give `keys` in the config")
        )
    finish = f"`sabot keys rotate {unit} --finish --dir {keys}`"
    if link.rotation == "old":
        return f"shoe {unit} still uses its old key: put the new one into it, then end the rotation with {finish}"
    return f"shoe {unit} uses its new key: end the rotation with {finish}" if link.rotation == "new" else None


def configure_logging() -> None:
    """Plain lines on stderr."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.dev.ConsoleRenderer(colors=False),
        ],
        logger_factory=structlog.PrintLoggerFactory(file=os.fdopen(os.dup(2), "w", buffering=1)),
    )

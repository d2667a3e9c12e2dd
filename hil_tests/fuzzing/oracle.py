"""Oracle: an internal error counts as found, also where the program catches it, logs it and goes on."""

import logging
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any

import structlog


class FindingError(AssertionError):
    """A target did what it must never do."""


class _Errors(logging.Handler):
    """Keeps what is logged with a traceback."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[BaseException | str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info:
            self.found.append(record.exc_info[1] or record.getMessage())

    def processor(self, _logger: object, _name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        error = event.get("exc_info")
        if error:
            self.found.append(_raised(error) or str(event.get("event")))
        raise structlog.DropEvent


def _raised(error: object) -> BaseException | None:
    if isinstance(error, BaseException):
        return error
    import sys

    return sys.exc_info()[1]


_errors = _Errors()


@contextmanager
def watched() -> Iterator[None]:
    """Collect what is logged instead of writing it."""
    before = structlog.get_config()
    structlog.configure(processors=[_errors.processor])
    others = [logging.getLogger(name) for name in ("uvicorn.error", "asyncio")]
    for one in others:
        one.addHandler(_errors)
    try:
        yield
    finally:
        structlog.configure(**before)
        for one in others:
            one.removeHandler(_errors)


def check_log() -> None:
    """Raise FindingError if an internal error was logged since the last call."""
    found, _errors.found = _errors.found, []
    if found:
        first = found[0]
        cause = first if isinstance(first, BaseException) else None
        raise FindingError(f"an internal error was logged: {first!r}") from cause


def require(holds: object, what: str) -> None:
    """Raise FindingError unless it holds."""
    if not holds:
        raise FindingError(what)

"""Lean: what tests leave out in their own process: the cost of a secret's hash, and tracebacks with values."""

import structlog
from sabot_floor.people import hashing


def pytest_configure() -> None:
    """Before the tests are imported: some make hashes then."""
    hashing.PASSES, hashing.MEMORY_KIB = 1, 8
    hashing.NOBODY = hashing.make_hash("of nobody")
    plain = structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)
    structlog.configure(processors=[*structlog.get_config()["processors"][:-1], plain])  # as the daemons write them

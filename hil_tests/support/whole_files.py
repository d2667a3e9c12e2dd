"""Whole files: a worker of xdist gets all tests of a file of pages, which share a site and build on each other."""

from collections.abc import Sequence
from typing import Any

import pytest
from xdist.scheduler import LoadScheduling  # type: ignore[import-untyped]

_WHOLE = "hil_tests/test_7_screens"


def whole(nodeids: Sequence[str], pending: Sequence[int], number: int) -> int:
    """Return how many of the pending tests to send if `number` would be: no file of pages is divided."""
    while 0 < number < len(pending):
        last, following = (nodeids[pending[place]].partition("::")[0] for place in (number - 1, number))
        if last != following or not last.startswith(_WHOLE):
            break
        number += 1
    return number


def scheduler(config: pytest.Config, log: Any) -> Any:
    """Return xdist's usual distribution, in chunks that end where a file of pages does."""
    made: Any = LoadScheduling(config, log)
    send = made._send_tests
    made._send_tests = lambda node, number: send(node, whole(made.collection or (), made.pending, number))
    return made

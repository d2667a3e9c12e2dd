"""Whole files: a worker of xdist gets all tests of a file of pages, which share a site and build on each other.

The tests of this folder take seconds each, and come first: a worker gets few of them at a time, so that none has many
left while others have none. The thousands of short ones that follow fill the end evenly.
"""

from collections.abc import Sequence
from typing import Any

import pytest
from xdist.scheduler import LoadScheduling  # type: ignore[import-untyped]

_SLOW, _WHOLE = "hil_tests/", "hil_tests/test_7_screens"
_MOST_SLOW = 16  # that wait at one worker, and at least 2: a worker runs a test when it knows the next


def whole(nodeids: Sequence[str], pending: Sequence[int], number: int) -> int:
    """Return how many of the pending tests to send if `number` would be: no file of pages is divided."""
    while 0 < number < len(pending):
        last, following = (nodeids[pending[place]].partition("::")[0] for place in (number - 1, number))
        if last != following or not last.startswith(_WHOLE):
            break
        number += 1
    return number


def few(nodeids: Sequence[str], pending: Sequence[int], number: int, waiting: int) -> int:
    """Return how many of the pending tests to send to a worker where `waiting` wait: few of the slow ones."""
    if pending and nodeids[pending[0]].startswith(_SLOW):
        return max(0, min(number, _MOST_SLOW - waiting))
    return number


def scheduler(config: pytest.Config, log: Any) -> Any:
    """Return xdist's usual distribution: few slow tests at a time, and no file of pages divided."""
    made: Any = LoadScheduling(config, log)
    send = made._send_tests

    def send_tests(node: Any, number: int) -> None:
        nodeids = made.collection or ()
        number = few(nodeids, made.pending, number, len(made.node2pending[node]))
        send(node, whole(nodeids, made.pending, number))

    made._send_tests = send_tests
    return made

"""Verifies a ledger by two processes, begun in a process of one thread: a copy of one with threads can wait for ever.

Another thread may hold a lock of SQLite's at the moment of the fork, and the tests leave threads behind.
"""

import atexit
import os
import signal
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from unittest import mock

from sabot_gateway.ledger import audit
from sabot_gateway.ledger.audit import Verdict


def verify(path: Path, key: bytes | None = None) -> tuple[Verdict, list[int]]:
    """Return the verdict, and how far each step of the progress went."""
    return _clean_process().submit(_verify, path, key).result()


def verify_with_a_killed_process(path: Path) -> Verdict:
    """Return the verdict if the second process is killed."""
    return _clean_process().submit(_verify_killed, path).result()


@cache
def _clean_process() -> ProcessPoolExecutor:
    """Return a process that imports anew and has one thread; it ends with the tests."""
    pool = ProcessPoolExecutor(1, get_context("spawn"))
    atexit.register(pool.shutdown)
    return pool


def _verify(path: Path, key: bytes | None) -> tuple[Verdict, list[int]]:
    done = list[int]()
    return audit.verify(path, key, done.append, fork=True), done


def _verify_killed(path: Path) -> Verdict:
    with mock.patch.object(audit, "_tables", _kill_this_process):
        return audit.verify(path, fork=True)


def _kill_this_process(path: Path) -> None:
    os.kill(os.getpid(), signal.SIGKILL)

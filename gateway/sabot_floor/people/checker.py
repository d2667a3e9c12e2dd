"""Checker: one thread for work that would hold up the loop; its results come back to the loop."""

import contextlib
import selectors
import socket
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

MOST_WAITING = 16
Result = TypeVar("Result")


class Checker:
    """Registers itself with the loop's selector; call `take` when it is readable."""

    def __init__(self, selector: selectors.BaseSelector) -> None:
        self._selector, self._waiting = selector, 0
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="people")
        self._done: deque[tuple[Future[Any], Callable[[Future[Any]], None]]] = deque()
        self._wake, self._woken = socket.socketpair()
        self._wake.setblocking(False)
        self._woken.setblocking(False)
        selector.register(self._woken, selectors.EVENT_READ, self)

    def submit(self, work: Callable[[], Result], then: Callable[[Future[Result]], None]) -> bool:
        """Do the work in the thread, then call `then` in the loop; False if too much waits."""
        if self._waiting >= MOST_WAITING:
            return False
        self._waiting += 1
        self._thread.submit(work).add_done_callback(lambda future: self._finished(future, then))
        return True

    def _finished(self, future: Future[Any], then: Callable[[Future[Any]], None]) -> None:
        """In the thread: keep the result and wake the loop."""
        self._done.append((future, then))
        with contextlib.suppress(OSError):  # full: the loop is awake; closed: nobody waits
            self._wake.send(b"\0")

    def take(self) -> None:
        """Pass on what is done."""
        with contextlib.suppress(BlockingIOError):
            self._woken.recv(MOST_WAITING)
        while self._done:
            future, then = self._done.popleft()
            self._waiting -= 1
            then(future)

    def close(self) -> None:
        """Drop what waits; what is being done is not passed on."""
        self._thread.shutdown(wait=False, cancel_futures=True)
        self._selector.unregister(self._woken)
        self._wake.close()
        self._woken.close()

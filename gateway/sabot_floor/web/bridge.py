"""Bridge: what pages ask goes from the thread of the web part to the floor's loop, and the answer back; bounded."""

import asyncio
import contextlib
import selectors
import socket
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

from sabot_service.messages import Answer

from sabot_floor.people.sessions import Session
from sabot_floor.people.state import Person

MOST_WAITING = 200  # asked and not answered yet
ANSWER_WITHIN_S = 60.0  # longer than a gateway may take
BUSY = Answer(False, "Too many requests wait for their answer. Try again in a moment.")
LATE = Answer(False, "The floor service has not answered; look at what has happened before you repeat it.")


class Outcome(NamedTuple):
    """The answer to a page; with it the session, if there is one, and the token of a new one."""

    answer: Answer
    session: Session | None = None
    person: Person | None = None
    token: str = ""


Reply = Callable[[Outcome], None]


class Bridge:
    """`ask` in the thread of the web part; `take` in the floor's loop, when this is readable there."""

    def __init__(self, selector: selectors.BaseSelector) -> None:
        self._selector, self._waiting = selector, 0
        self._asked: deque[tuple[Any, Reply]] = deque()
        self._wake, self._woken = socket.socketpair()
        self._wake.setblocking(False)
        self._woken.setblocking(False)
        self.on_ended: Callable[[set[str]], None] = lambda ended: None  # gets the ids of sessions that have ended
        selector.register(self._woken, selectors.EVENT_READ, self)

    async def ask(self, asked: object) -> Outcome:
        """Return the answer of the floor's loop."""
        if self._waiting >= MOST_WAITING:
            return Outcome(BUSY)
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[Outcome] = loop.create_future()

        def settle(outcome: Outcome) -> None:
            if not answered.done():
                answered.set_result(outcome)

        def reply(outcome: Outcome) -> None:
            with contextlib.suppress(RuntimeError):  # the web part has ended
                loop.call_soon_threadsafe(settle, outcome)

        self._waiting += 1
        try:
            self.put(asked, reply)
            return await asyncio.wait_for(answered, ANSWER_WITHIN_S)
        except TimeoutError:
            return Outcome(LATE)
        finally:
            self._waiting -= 1

    def put(self, asked: object, reply: Reply) -> None:
        """Queue a request and wake the floor's loop; `reply` is called there."""
        self._asked.append((asked, reply))
        with contextlib.suppress(OSError):  # full: the loop is awake; closed: it has ended
            self._wake.send(b"\0")

    def take(self) -> list[tuple[Any, Reply]]:
        """Return what was asked; each reply is called once, now or later."""
        with contextlib.suppress(BlockingIOError):
            self._woken.recv(MOST_WAITING)
        return [self._asked.popleft() for _ in range(len(self._asked))]

    def close(self) -> None:
        """Give the descriptors back."""
        self._selector.unregister(self._woken)
        self._wake.close()
        self._woken.close()

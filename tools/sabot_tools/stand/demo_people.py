"""The people of the demo, their roles in each rulebook and their PINs; added to the floor as `sabot users` does."""

import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sabot_protocol import authority, rulebooks
from sabot_service.client import ask
from sabot_service.daemons import FLOOR
from sabot_service.messages import ControlError, Request

_SOCKET_WITHIN_S: Final = 60.0
_LOOK_S: Final = 0.05
_MOMENT_S: Final = 1.0
_FIRST_PIN: Final = "577215"


@dataclass(frozen=True)
class DemoPerson:
    """A person who can log in at the pages; the PIN is known to everybody who sees the demo."""

    id: str
    name: str
    pin: str

    def role(self, book: str) -> str:
        """Return the role in a rulebook."""
        demo = rulebooks.load(book).demo
        roles = {"supervisor": demo.supervisor, "manager": demo.manager, "head": notified(book) or demo.manager}
        return roles.get(self.id, self.id)

    def line(self, books: Iterable[str]) -> str:
        """Return who it is, for the terminal: id, PIN, name, and the titles in these rulebooks."""
        titles = dict.fromkeys(authority.find_role(book, self.role(book)).title for book in books)
        return f"log in   {self.id:<10}  PIN {self.pin}   {self.name}, {' / '.join(titles)}"


DEALER_PERSON: Final = DemoPerson("dealer", "A. Novak", "271828")
SUPERVISOR_PERSON: Final = DemoPerson("supervisor", "L. Marsh", "314159")
MANAGER_PERSON: Final = DemoPerson("manager", "R. Chen", "161803")
HEAD_PERSON: Final = DemoPerson("head", "E. Walsh", "662607")  # is notified of jackpots
PEOPLE: Final = (DEALER_PERSON, SUPERVISOR_PERSON, MANAGER_PERSON, HEAD_PERSON)


def notified(book: str) -> str:
    """Return the role that is notified before the pay-out of a jackpot; empty if the book demands nobody."""
    act = authority.load(book).act["jackpot_confirm"]
    return next((party for party in act.notify if party in {role.id for role in authority.load(book).role}), "")


def requests(books: Iterable[str]) -> Iterator[Request]:
    """Yield what `sabot users` asks to add these people."""
    found = list(dict.fromkeys(books))
    for person in PEOPLE:
        yield Request("user-add", args={"person": person.id, "name": person.name})
        yield Request("user-pin", args={"person": person.id, "secret": _FIRST_PIN})
        own = {"login": {"person": person.id, "secret": _FIRST_PIN}, "secret": person.pin}
        yield Request("user-own-pin", args=own)  # as each of them does at the first log-in
        for book in found:
            yield Request("user-role", args={"person": person.id, "rulebook": book, "role": person.role(book)})


class Enrolment:
    """Adds the people through the floor's socket, in a thread of its own so that the tables need not wait."""

    def __init__(self, socket: Path, books: Iterable[str]) -> None:
        self._socket, self._requests = socket, list(requests(books))
        self.done = False
        self.problem = ""
        self.problem_s = 0.0
        self._thread = threading.Thread(target=self._run, name="people", daemon=True)

    def start(self) -> None:
        """Begin; `done` or `problem` shows the end."""
        self._thread.start()

    def _run(self) -> None:
        found = self._added()
        self.problem_s = time.monotonic()
        self.problem, self.done = found, not found

    def lasting_problem(self, now_s: float) -> str:
        """Return why people are missing, a moment after it came: a floor service that has ended is found before."""
        return self.problem if now_s - self.problem_s > _MOMENT_S else ""

    def _added(self) -> str:
        give_up_s = time.monotonic() + _SOCKET_WITHIN_S
        while not self._socket.exists() and time.monotonic() < give_up_s:
            time.sleep(_LOOK_S)
        for request in self._requests:
            if problem := self._ask(request, give_up_s):
                return problem
        return ""

    def _ask(self, request: Request, give_up_s: float) -> str:
        """Return why it was not done; a floor service that does not answer is asked again."""
        while True:
            try:
                answer = ask(self._socket, request, FLOOR)
            except ControlError as error:
                if time.monotonic() > give_up_s:
                    return str(error)
                time.sleep(_LOOK_S)
                continue
            return "" if answer.ok else f"the floor service refused {request.verb}: {answer.say}"

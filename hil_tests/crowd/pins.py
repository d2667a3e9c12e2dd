"""PINs: people log in, mistype, change theirs and are locked out; what must never open a page stays shut."""

import random
from typing import Any, Final

from sabot_service.messages import Request
from support.visitor import Visitor

from crowd.pages import Pages
from crowd.site import Site

_BOOK, _ROLE = "crown-baccarat", "area_manager"
_PINS: Final = range(10**7, 10**8)  # of eight digits
_LOCKS_OUT: Final = 5  # failures of a person in a row (gateway/sabot_floor/web/README.md, bounds)
_NUMBERS_OF_WRONG: Final = (0, 0, 1, 3, _LOCKS_OUT)
Line = dict[str, Any]


class PinPeople:
    """Three people with a PIN; `step` does one thing, `wrong` gets what must not have happened."""

    def __init__(self, site: Site, pages: Pages, rng: random.Random, wrong: list[str]) -> None:
        self._site, self._pages, self._rng, self._wrong = site, pages, rng, wrong
        self._pin, self._screens = dict[str, str](), 0
        self._people = ("pin-1", "pin-2", "pin-3")

    def add(self) -> None:
        """Add the people; an administrator has set their PINs."""
        for person in self._people:
            self._ask("user-add", person, name=f"{person} of Crown")
            self._ask("user-role", person, rulebook=_BOOK, role=_ROLE)
            self._set(person)

    def _ask(self, verb: str, person: str, **args: str) -> None:
        answer = self._site.ask_floor(Request(verb, args={"person": person, **args}))
        assert answer.ok, answer.say

    def _set(self, person: str) -> None:
        self._pin[person] = self._new()
        self._ask("user-pin", person, secret=self._pin[person])

    def _new(self) -> str:
        """Return a PIN that nobody has had."""
        return str(self._rng.choice(_PINS))

    def step(self) -> Line:
        """Let one of them do something, at a screen where nobody was before."""
        rng, person = self._rng, self._rng.choice(self._people)
        if rng.random() < 0.2:
            self._set(person)
            return {"pin": "set by an administrator", "person": person}
        self._screens += 1
        wrong = [self._new() for _ in range(rng.choice(_NUMBERS_OF_WRONG))]
        new = self._new() if rng.random() < 0.5 else ""
        done = self._pages.run(lambda: self._log_in(person, wrong, new), "a PIN is checked")
        return {"pin": "given", "person": person, "wrong": len(wrong), "new": bool(new), "done": done}

    def _screen(self) -> Visitor:
        return Visitor(self._site.url, f"127.0.{2 + self._screens // 250}.{1 + self._screens % 250}")

    def _opens(self, person: str, pin: str) -> bool:
        return self._screen().log_in(person, pin).status == 200

    def _log_in(self, person: str, wrong: list[str], new: str) -> str:
        """Give wrong PINs and then the right one, act, and change the PIN if there is a new one."""
        if sum(self._opens(person, pin) for pin in wrong):
            self._wrong.append(f"{person} logged in with a wrong PIN")
        screen = self._screen()
        if screen.log_in(person, self._pin[person]).status != 200:
            return "refused"
        if len(wrong) >= _LOCKS_OUT:
            self._wrong.append(f"{person} logged in where {len(wrong)} log-ins in a row had failed")
        self._act(screen, person)
        if not new or "person" not in screen.post("/pin", {"secret": self._pin[person], "new": new}).json():
            return "opened"
        before, self._pin[person] = self._pin[person], new
        if self._opens(person, before):
            self._wrong.append(f"{person} logged in with the PIN of before")
        return "changed"

    def _act(self, screen: Visitor, person: str) -> None:
        """Act: refused until the person has changed the PIN that an administrator has set."""
        initial = screen.get("/session").json()["change_pin"]
        act = {"do": "table", "table": "crown-01", "command": "lock", "args": {}, "clause": ""}
        say = screen.post("/act", act).json()
        if initial and say["ok"]:
            self._wrong.append(f"{person} acted with the PIN that an administrator had set: {say}")

"""Pages: what people with browsers get from the floor service, by HTTP, while its loop goes on in this thread."""

import json
import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any, Final, NamedTuple

from sabot_floor.web.channels import CHANNELS
from support.visitor import Visitor

from crowd.site import JACKPOTS, Site
from crowd.staff import Member

_STATE: Final = b"event: state"
_SHELLS: Final = ("wall", "pit", "display/{}", "dealer/{}", "sign/{}", "console/jackpots")
Who = tuple[str, str]  # the id of a person and the kind of the session; empty for somebody who has not logged in
NOBODY: Final[Who] = ("", "")


class Page(NamedTuple):
    """What one path gave."""

    path: str
    status: int
    state: Any  # None unless it is JSON


class Pages:
    """One browser for each person and kind of session; it logs in by badge when it must."""

    def __init__(self, site: Site, stack: ExitStack) -> None:
        self._site, self._visitors = site, dict[Who, Visitor]()
        self._thread = stack.enter_context(ThreadPoolExecutor(1))

    def run(self, work: Callable[[], Any], awaited: str) -> Any:
        """Do something that waits for the floor's loop in another thread, and go on with the loop here."""
        done = self._thread.submit(work)
        self._site.until(done.done, awaited)
        return done.result()

    def of(self, person: Member | None, kind: str) -> tuple[Visitor, Who]:
        """Return the browser of a person."""
        who = (person.id, kind) if person else NOBODY
        if who not in self._visitors:
            self._visitors[who] = Visitor(self._site.url)
        made = self._visitors[who]
        if person and made.get("/session").json().get("person") is None:
            reply = made.log_in("badge", person.badge, kind)
            assert reply.status == 200, (who, reply.body)
        return made, who

    def look(self, rng: random.Random, table: str, person: Member | None, kind: str, coup: str) -> list[Page]:
        """Return what a person gets at paths that show something of a table: always the hands, and some others."""
        streams = [f"{name}/{_key(name, table)}" if one.keyed else name for name, one in CHANNELS.items()]
        paths = [*(f"/events/{one}" for one in streams if one), *_data(table, coup), f"/{rng.choice(_SHELLS)}"]
        chosen = [f"/events/dealer/{table}", f"/events/pit_table/{table}", *rng.sample(paths, 5)]
        return list(self.run(lambda: list(self._fetched(person, kind, table, chosen)), "pages are read"))

    def _fetched(self, person: Member | None, kind: str, table: str, paths: list[str]) -> Iterator[Page]:
        made, _ = self.of(person, kind)
        for path in paths:
            if path.startswith("/events/"):
                body = made.first_event(path)
                yield Page(path, 200 if _STATE in body else 401, _json(body.partition(b"data: ")[2]))
            else:
                reply = made.get(path.format(table))
                yield Page(path, reply.status, _json(reply.body))

    def newest(self, person: Member, channel: str) -> Any:
        """Return the newest state of a channel, as a person of the pit gets it."""
        return self.run(
            lambda: _json(self.of(person, "pit")[0].first_event(f"/events/{channel}").partition(b"data: ")[2]),
            f"{channel} is read",
        )

    def post(self, person: Member, kind: str, path: str, body: object) -> dict[str, Any]:
        """Send a form, and return the answer."""
        found: dict[str, Any] = self.run(lambda: self.of(person, kind)[0].post(path, body).json(), f"{path} is taken")
        return found


def _key(channel: str, table: str) -> str:
    return next(iter(JACKPOTS.values())).id if channel == "jackpot" else table


def _data(table: str, coup: str) -> Iterator[str]:
    yield from (f"/data/coup/{table}/{coup}", f"/data/trends/{table}", f"/data/assistant/{table}?case=bad_order")


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None

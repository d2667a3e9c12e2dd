"""python -m sabot_tools.stand.demo_pictures DIR: pictures of the main pages, from a demo with seeded cards."""

import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec
from sabot_protocol.topics import CoupMessage
from sabot_sim.dealing.troubled_dealer import TroubledDealer

from sabot_tools.stand import chromium
from sabot_tools.stand.demo_floor import MIXED, Pages
from sabot_tools.stand.demo_people import DEALER_PERSON, MANAGER_PERSON, SUPERVISOR_PERSON, DemoPerson, Enrolment
from sabot_tools.stand.demo_plan import with_jackpots, with_pages
from sabot_tools.stand.local_site import LocalSite, SitePlan

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_TABLES, _SPEED, _SEED = 10, 60.0, 7
_COUPS: Final = (34, 3)  # of the first table, and how many more each table after it has
_WITHIN_S: Final = 240.0
_COLOURS: Final = 200


class Picture(NamedTuple):
    """A page, who is logged in, its size, and by how much it is made smaller."""

    name: str
    path: str
    person: DemoPerson | None = None
    size: tuple[int, int] = (1280, 720)
    smaller: int = 1


class PictureSite:
    """A demo whose tables stop after a fixed number of coups, some of them with a trouble that nobody settles."""

    def __init__(self, work_dir: Path) -> None:
        plan = SitePlan(work_dir, _TABLES, MIXED, _SPEED, _SEED)
        plan = with_pages(with_jackpots(plan, None), 0, trouble=True)
        self.site = LocalSite(replace(plan, first_trouble=_COUPS[0]))
        self.newest: dict[str, str] = {}  # table: id of the newest coup

    def __enter__(self) -> "PictureSite":
        """Start everything, and deal until every table has stopped."""
        self.site.__enter__()
        floor = self.site.floor
        assert floor is not None
        assert floor.web_port is not None
        self.pages = Pages(floor.web_port)
        people = Enrolment(floor.socket_path, self.site.plan.books)
        people.start()
        self._until(lambda: people.done and self._stopped())
        return self

    def __exit__(self, *_: object) -> None:
        """Stop everything."""
        self.site.close()

    def _until(self, done: Callable[[], bool]) -> None:
        give_up_s = time.monotonic() + _WITHIN_S
        while not done():
            if time.monotonic() > give_up_s:
                raise TimeoutError(f"the tables have not dealt their coups within {_WITHIN_S:.0f} s")
            self.step()

    def step(self) -> None:
        """Let the tables deal that have not stopped."""
        self.site.waiting = {name for name in self.site.tables if self._has_stopped(name)}
        self.site.step()
        for message in self.site.take_inbox():
            if message.topic.endswith("/coup"):
                coup = msgspec.json.decode(message.payload, type=CoupMessage)
                self.newest[coup.table] = coup.id

    def _has_stopped(self, name: str) -> bool:
        table, number = self.site.tables[name], self.site.plan.table_names().index(name)
        if isinstance(table.dealer, TroubledDealer):
            return table.dealer.held and not table.under_way()
        return table.dealer.coups_seen >= _COUPS[0] + number * _COUPS[1] and not table.under_way()

    def _stopped(self) -> bool:
        return all(map(self._has_stopped, self.site.tables))


def pictures(newest: dict[str, str]) -> list[Picture]:
    """Return what to take; the evidence is that of the newest coup of bac-02."""
    return [
        Picture("wall", "wall"),
        Picture("display", "display/bac-09"),
        Picture("display-portrait", "display/bac-08", size=(1080, 1920), smaller=2),
        Picture("sign", "sign/bac-04"),
        Picture("jackpot", "jackpot/lucky-tie"),
        Picture("dealer", "dealer/bac-01", DEALER_PERSON),
        Picture("pit", "pit", SUPERVISOR_PERSON),
        Picture("console", "console/jackpots", MANAGER_PERSON),
        Picture("evidence", f"coup/{newest['bac-02']}", SUPERVISOR_PERSON),
    ]


def log_in(page: "Page", person: DemoPerson) -> None:
    """Log in with the page's own form."""
    page.locator("input").first.fill(person.id)
    page.locator("input[type=password]").fill(person.pin)
    page.keyboard.press("Enter")
    page.locator("input[type=password]").wait_for(state="detached")


def take(browser: "Browser", site: PictureSite, picture: Picture) -> bytes:
    """Return the picture of a page as a small PNG."""
    page = chromium.open_page(browser, site.pages.url(picture.path), *picture.size)
    if picture.person is not None:
        log_in(page, picture.person)
    settled_s = time.monotonic() + 1.5  # fonts, the first state, what a page asks for after it
    while time.monotonic() < settled_s:
        site.step()
    png = page.screenshot()
    page.context.close()
    return _small(png, picture.smaller)


def _small(png: bytes, smaller: int) -> bytes:
    from PIL import Image

    with Image.open(BytesIO(png)) as image:
        out = BytesIO()
        image.convert("RGB").reduce(smaller).quantize(_COLOURS).save(out, "PNG", optimize=True)
    return out.getvalue()


def main(directory: Path) -> None:
    """Write every picture into the directory."""
    directory.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as work, PictureSite(Path(work)) as site, chromium.browser() as browser:
        for picture in pictures(site.newest):
            png = take(browser, site, picture)
            (directory / f"{picture.name}.png").write_bytes(png)
            print(f"{directory / picture.name}.png  {len(png) // 1000} kB")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "pictures"))

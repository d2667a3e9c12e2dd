"""Screens: a real site for pages (broker, floor service), and pages in Debian's chromium."""

import asyncio
import json
import os
import re
import shutil
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, Playwright, Response, expect, sync_playwright
from playwright.sync_api import Request as PageRequest
from sabot_protocol import command_keys
from sabot_protocol.topics import ROOT
from sabot_service.client import ask
from sabot_service.daemons import FLOOR
from sabot_service.messages import Answer, Request
from sabot_tools.stand.broker import LocalBroker
from sabot_tools.stand.children import Children
from sabot_tools.stand.floor_service import floor_command
from sabot_tools.stand.ports import free_port

from support.mqtt_clients import MqttClient, step_until
from support.patience import PATIENCE_S, crowd

SITE = "sydney"
FIRST_PIN = "577215"  # that an administrator gives; the person changes it
NOT_LIVE_WITHIN_S = 5.0
# On cores that four workers share, each process of the way (broker, floor, browser) may wait for its turn.
LOAD_S = 3.0
# A process of the way may stand still for some seconds; without beats and pings a loss shows after 45 s, or never.
STANDSTILL_S = 15.0
expect.set_options(timeout=PATIENCE_S * 1000)
# Tables of the shared site that are in its config.
FLOOR_TABLES = """
[[table]]
name = "area-01"
area = "Salon"
minimum = "25"
maximum = "2,500"

[[table]]
name = "area-02"
area = "Main floor"
"""
TIME = "2026-10-17T09:00:00.000Z"


def chromium() -> str:
    """Return SABOT_CHROMIUM, else the one on PATH; skip the test if there is none."""
    found = os.environ.get("SABOT_CHROMIUM") or shutil.which("chromium")
    if not found:
        pytest.skip("chromium is not installed: apt-get install chromium")
    return found


class Publisher:
    """Publishes retained messages as a gateway would, and waits until the broker has them."""

    def __init__(self, site: "ScreenSite") -> None:
        self._client = MqttClient(site.broker.address, f"gateway-{time.monotonic_ns()}")
        self._client.connect()

    def put(self, topic: str, message: object, *, retain: bool = True) -> None:
        """Publish below the site's root, such as `bac-01/status`; None removes what is retained."""
        payload = b"" if message is None else msgspec.json.encode(message)
        sent = self._client.mqtt.publish(f"{ROOT}/{SITE}/{topic}", payload, retain=retain)
        step_until(lambda: sent in self._client.acknowledged, self._client)

    def table(self, name: str, **status: Any) -> None:
        """Publish a gateway and a table that are online."""
        self.put("status", {"state": "online", "time": TIME})
        self.put(
            f"{name}/status", {"state": "online", "time": TIME, "unit": "SHOE1", "rulebook": "crown-baccarat", **status}
        )

    def close(self) -> None:
        """Leave the broker."""
        self._client.mqtt.close()


class ScreenSite:
    """A broker and a floor service with pages, each a process; `url` is where the pages are."""

    def __init__(self, work_dir: Path, web: str = "", more: str = "") -> None:
        self.work_dir, self._web, self._more = work_dir, web, more
        self.broker = LocalBroker(work_dir)
        self.port = free_port()
        self.children = Children(work_dir)
        self.url = f"http://127.0.0.1:{self.port}"
        self.config = work_dir / "floor.toml"
        self.control = work_dir / "floor.sock"
        self.floor_pub = work_dir / "keys" / "floor.pub"  # for the gateways of this site
        self.floor_pub.parent.mkdir()
        command_keys.make(self.floor_pub.parent)
        self.config.write_text(self._text())
        self._publisher: Publisher | None = None
        self.start_floor()

    def _text(self) -> str:
        values = {
            "site": SITE,
            "store": self.work_dir / "floor.db",
            "broker": self.broker.address,
            "control": self.control,
            "floor_key": self.work_dir / "keys" / "floor.key",
        }
        head = "".join(f'{name} = "{value}"\n' for name, value in values.items())
        return f'{head}{self._more}\n[web]\nlisten = "127.0.0.1:{self.port}"\n{self._web}\n'

    def start_floor(self) -> None:
        """Start the floor service, and wait until it serves pages."""
        self.children.start("floor", floor_command(self.config))
        wait_for(lambda: answers(f"{self.url}/words"), lambda: (self.work_dir / "floor.log").read_text())

    def stop_floor(self) -> None:
        """Stop the floor service with SIGTERM."""
        self.children.stop()

    def floor_pid(self) -> int:
        """Return the process id of the floor service."""
        return self.children.pid("floor")

    def ask(self, verb: str, **args: Any) -> Answer:
        """Return the answer of the floor service's own socket."""
        return ask(self.control, Request(verb, args=args), FLOOR)

    def person(self, person: str, pin: str, *, badge: str = "", **roles: str) -> None:
        """Add a person with a PIN; `roles` by rulebook, - written as _: crown_baccarat="area_manager"."""
        changes: list[tuple[str, dict[str, str]]] = [("user-add", {"name": f"{person.title()} of {person}"})]
        changes += [("user-role", {"rulebook": book.replace("_", "-"), "role": role}) for book, role in roles.items()]
        changes += [("user-pin", {"secret": FIRST_PIN})]
        changes += [("user-badge", {"code": badge})] if badge else []
        for verb, args in changes:
            answer = self.ask(verb, person=person, **args)
            assert answer.ok, answer.say
        answer = self.ask("user-own-pin", login={"person": person, "secret": FIRST_PIN}, secret=pin)
        assert answer.ok, answer.say

    def publisher(self) -> Publisher:
        """Return a client that publishes as a gateway would."""
        if self._publisher is None:
            self._publisher = Publisher(self)
        return self._publisher

    def close(self) -> None:
        """End everything."""
        if self._publisher is not None:
            self._publisher.close()
        self.children.stop()
        self.broker.stop()


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=1) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def wait_for(done: Callable[[], object], trouble: Callable[[], str] = str) -> None:
    """Wait until the condition holds; fail after PATIENCE_S."""
    give_up_s = time.monotonic() + PATIENCE_S
    while not done():
        if time.monotonic() > give_up_s:
            pytest.fail(trouble() or "it did not happen in time")
        time.sleep(0.02)


class _PlaywrightLoop:
    """The loop that playwright marks as running in this thread until it ends: hidden from tests without a browser."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None

    def started(self) -> None:
        """Remember the loop of a browser that was just launched."""
        self._loop = asyncio.get_running_loop()

    def show(self) -> None:
        """Mark it as running: playwright is about to be called."""
        if self._loop is not None:
            asyncio._set_running_loop(self._loop)

    def hide(self) -> None:
        """Let others use asyncio.run."""
        if self._loop is not None:
            asyncio._set_running_loop(None)

    def ended(self) -> None:
        """Forget it."""
        self._loop = None


playwright_loop = _PlaywrightLoop()


class Screens:
    """Opens pages of one browser; `check` fails if a page had an error that the test did not expect."""

    def __init__(self, browser: Browser) -> None:
        self._browser, self.errors = browser, list[str]()
        self.expected: list[str] = []  # patterns of errors that this test provokes

    @contextmanager
    def page(
        self, url: str, size: tuple[int, int] = (1280, 720), language: str = "en-AU", **context: Any
    ) -> Iterator[Page]:
        """Yield an open page of this size and language."""
        width, height = size
        made = self._browser.new_context(viewport={"width": width, "height": height}, locale=language, **context)
        try:
            page = made.new_page()
            page.set_default_timeout(PATIENCE_S * 1000)
            page.on("console", self._console)
            page.on("pageerror", lambda error: self.errors.append(f"script: {error}"))
            page.on("requestfailed", self._failed)
            page.on("response", self._answered)
            page.goto(url)
            yield page
        finally:
            playwright_loop.show()
            made.close()

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.errors.append(f"console: {message.text}")

    def _failed(self, request: PageRequest) -> None:
        if request.failure != "net::ERR_ABORTED":  # a page that is left ends its streams
            self.errors.append(f"request: {request.url} {request.failure}")

    def _answered(self, response: Response) -> None:
        if response.status >= 400:
            self.errors.append(f"answer: {response.url} {response.status}")

    def check(self) -> None:
        """Fail if there was an error that is not expected."""
        odd = [error for error in self.errors if not any(re.search(pattern, error) for pattern in self.expected)]
        self.errors.clear()
        self.expected.clear()
        assert odd == [], json.dumps(odd, indent=1)


# A page hears of its new size in the next frame, before what waits for that frame, and draws itself anew at once.
_DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))"


def resize(page: Page, size: tuple[int, int]) -> None:
    """Give an open page this size, and wait until its script has followed."""
    width, height = size
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_function("([wide, high]) => innerWidth === wide && innerHeight === high", arg=[width, height])
    page.evaluate(_DRAWN)


def attributes(found: Locator, name: str) -> list[str]:
    """Return this attribute of every element, all of one moment: a page may draw itself anew at any time."""
    values: list[str] = found.evaluate_all("(all, name) => all.map((one) => one.getAttribute(name))", name)
    return values


def log_in(page: Page, person: str, pin: str) -> None:
    """Log in by keyboard at a page in English that asks for it."""
    expect(page.get_by_label("Person", exact=True)).to_be_focused()
    page.keyboard.type(person)
    page.keyboard.press("Tab")
    page.keyboard.type(f"{pin}\n")


# Notes when each text of the bar "not live" came, by the clock of this machine.
_WATCH_BAR = """
window.bars = [];
const note = () => {
  const text = document.querySelector(".not-live")?.textContent ?? "";
  if (text !== (window.bars.at(-1)?.text ?? "")) window.bars.push({text, at_s: Date.now() / 1000});
};
new MutationObserver(note).observe(document, {subtree: true, childList: true, characterData: true});
"""


def watch_bar(page: Page) -> None:
    """Let a live page note when it shows that it is not live."""
    page.evaluate(_WATCH_BAR)


def not_live(page: Page, text: str, since_s: float) -> None:
    """Expect the bar with this text soon after `since_s` (time.time()), by the page's own note of it."""
    page.wait_for_function("text => window.bars.some(bar => bar.text.includes(text))", arg=text)
    shown_s = page.evaluate("text => window.bars.find(bar => bar.text.includes(text)).at_s", text)
    assert shown_s - since_s <= NOT_LIVE_WITHIN_S + LOAD_S * crowd() + STANDSTILL_S


def launched(playwright: Playwright) -> Browser:
    """Return Debian's chromium without a window."""
    return playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox", "--disable-dev-shm-usage"])


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Yield one browser for all tests of this worker."""
    chromium()
    with sync_playwright() as playwright:
        made = launched(playwright)
        playwright_loop.started()
        yield made
        playwright_loop.show()
        made.close()
    playwright_loop.ended()


@pytest.fixture(scope="session")
def screen_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ScreenSite]:
    """Yield one site for all tests of this worker; each test uses tables of its own."""
    with ExitStack() as stack:
        made = ScreenSite(tmp_path_factory.mktemp("screens"), FLOOR_TABLES)
        stack.callback(made.close)
        yield made


@pytest.fixture
def screens(browser: Browser) -> Iterator[Screens]:
    """Yield a way to open pages; fails at the end if a page had an error."""
    made = Screens(browser)
    yield made
    made.check()

"""The pages of a day: those about one table and one jackpot, each in a context of its own, staff logged in."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Final

from playwright.sync_api import Page
from support.screens import Screens, ScreenSite

TABLE, JACKPOT, PIN = "day-01", "day-jackpot", "718281"
PATHS: Final = {
    "display": f"display/{TABLE}",
    "wall": "wall",
    "jackpot": f"jackpot/{JACKPOT}",
    "dealer": f"dealer/{TABLE}",
    "pit": "pit",
}
_STAFF: Final = ("dealer", "pit")
# Not a part of the page: counts how often it was changed.
_COUNT: Final = """
window.sabotChanges = 0;
new MutationObserver(() => { window.sabotChanges += 1; }).observe(document, {subtree: true, childList: true,
  characterData: true, attributes: true});
"""


@contextmanager
def open_pages(site: ScreenSite, screens: Screens) -> Iterator[dict[str, Page]]:
    """Yield every page by name, counting its changes."""
    site.person("daymanager", PIN, crown_baccarat="area_manager")
    with ExitStack() as stack:
        found = {name: stack.enter_context(screens.page(f"{site.url}/{path}")) for name, path in PATHS.items()}
        for name in _STAFF:
            _log_in(found[name])
        for page in found.values():
            page.evaluate(_COUNT)
        yield found


def _log_in(page: Page) -> None:
    """Log in with the page's own form, by the keyboard."""
    page.locator("input").first.wait_for()
    page.locator("input").first.fill("daymanager")
    page.locator("input[type=password]").fill(PIN)
    page.keyboard.press("Enter")
    page.locator("input[type=password]").wait_for(state="detached")


def changes(page: Page) -> int:
    """Return how often the page was changed."""
    found: int = page.evaluate("() => window.sabotChanges")
    return found


def is_locked(page: Page) -> bool:
    """Return True if the page asks for a log-in."""
    return page.locator("input[type=password]").count() > 0

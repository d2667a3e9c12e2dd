"""Pages in Debian's chromium, driven by playwright: when a change is on the screen, and what memory a page holds."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sabot_sim.rigs.rig import BenchError

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

# Not a part of the page: notes the time of the second frame after each change that shows a new coup.
_WATCH: Final = """
window.sabotFrames = [];
addEventListener("DOMContentLoaded", () => {
  let newest = 0;
  const look = () => {
    const coups = [...document.body.textContent.matchAll(/Coup (\\d+)/g)].map((found) => Number(found[1]));
    const coup = Math.max(0, ...coups);
    if (coup <= newest) return;
    newest = coup;
    requestAnimationFrame(() => requestAnimationFrame(() => {
      window.sabotFrames.push([coup, performance.timeOrigin + performance.now()]);
    }));
  };
  new MutationObserver(look).observe(document.body, {subtree: true, childList: true, characterData: true});
});
"""
_TAKE: Final = "() => window.sabotFrames.splice(0)"


class Memory(NamedTuple):
    """What a page holds after the garbage was collected."""

    heap_bytes: int
    nodes: int
    listeners: int


def program() -> str:
    """Return SABOT_CHROMIUM, else the one on PATH; BenchError with the next step if there is none."""
    found = os.environ.get("SABOT_CHROMIUM") or shutil.which("chromium")
    if not found:
        raise BenchError("chromium is not installed: apt-get install chromium, or set SABOT_CHROMIUM to its path")
    return found


@contextmanager
def browser() -> Iterator["Browser"]:
    """Yield a browser without a window."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise BenchError("playwright is not installed: pip install '.[dev]' in a checkout of Sabot") from None
    with sync_playwright() as found:
        made = found.chromium.launch(executable_path=program(), args=["--no-sandbox"])
        try:
            yield made
        finally:
            made.close()


def open_page(found: "Browser", url: str, width: int = 1280, height: int = 720, *, watch: bool = False) -> "Page":
    """Open a page in a context of its own; with `watch` it notes when coups are on the screen."""
    context = found.new_context(viewport={"width": width, "height": height}, locale="en-AU")
    page = context.new_page()
    if watch:
        page.add_init_script(_WATCH)
    page.goto(url)
    return page


def frames(page: "Page") -> list[tuple[int, float]]:
    """Return each coup and when it was on the screen (seconds, wall clock), since the last call."""
    found: list[list[float]] = page.evaluate(_TAKE)
    return [(int(coup), at_ms / 1000) for coup, at_ms in found]


class Probe:
    """Measures the memory of a page through the browser's own protocol."""

    def __init__(self, page: "Page") -> None:
        self._session = page.context.new_cdp_session(page)
        self._session.send("Performance.enable")

    def memory(self) -> Memory:
        """Collect the garbage, then measure."""
        for _ in range(2):
            self._session.send("HeapProfiler.collectGarbage")
        sent: dict[str, Any] = self._session.send("Performance.getMetrics")
        values = {one["name"]: int(one["value"]) for one in sent["metrics"]}
        return Memory(values["JSHeapUsedSize"], values["Nodes"], values["JSEventListeners"])

"""Run: publishes a day of a table as a gateway would, and measures each page at the same state, again and again."""

from collections.abc import Callable
from typing import Final, NamedTuple

from playwright.sync_api import Page
from sabot_protocol.jackpots.messages import MeterMessage, Meters
from sabot_tools.bench.table_story import TIME, TableStory
from sabot_tools.stand.chromium import Memory, Probe
from support.screens import Publisher, ScreenSite

from screens_day.pages import JACKPOT, TABLE, changes

COUPS_AN_HOUR: Final = 90  # one in 40 s
_SETTLE_MS: Final = 300.0
# What a page may have more at the end than in the middle: what a browser keeps for itself varies by so much.
MORE_BYTES, MORE_NODES, MORE_LISTENERS = 200_000, 10, 2


class Row(NamedTuple):
    """One page: what it held at the start, in the middle and at the end, and how often it was changed."""

    page: str
    start: Memory
    middle: Memory
    end: Memory
    changes: int

    def grew(self) -> list[str]:
        """Return what grew from the middle to the end."""
        allowed = (MORE_BYTES, MORE_NODES, MORE_LISTENERS)
        names = ("bytes of heap", "nodes", "listeners")
        both = zip(names, self.middle, self.end, allowed, strict=True)
        return [f"{self.page}: {name} {middle} → {end}" for name, middle, end, more in both if end > middle + more]

    def line(self) -> str:
        """Return the row of a Markdown table."""
        places = (self.start, self.middle, self.end)
        heap = " → ".join(f"{one.heap_bytes / 1e6:.2f}" for one in places)
        nodes = " → ".join(str(one.nodes) for one in places)
        listeners = " → ".join(str(one.listeners) for one in places)
        return f"| {self.page} | {self.changes} | {heap} MB | {nodes} | {listeners} |"


class ScreensDay:
    """The table's day: `play` coups, `measure` between shoes."""

    def __init__(self, site: ScreenSite, pages: dict[str, Page], pause_ms: float = 0.0) -> None:
        self._pause_ms = pause_ms  # after each message: a channel sends at most 20 states a second
        self._publisher: Publisher = site.publisher()
        self._pages = pages
        self._story = TableStory(TABLE)
        self._probes = {name: Probe(page) for name, page in pages.items()}
        self.coups = 0

    def play(self, coups: int) -> None:
        """Publish so many coups; each must be on the display before the next."""
        for _ in range(coups):
            for one in self._story.coup():
                self._publisher.put(f"{TABLE}/{one.topic}", one.message)
                if self._pause_ms:
                    self._pages["display"].wait_for_timeout(self._pause_ms)
            self.coups += 1
            self._publisher.put(f"jackpot/{JACKPOT}/meter", self._meter())
            self._drawn()

    def _drawn(self) -> None:
        """Wait until the display has the last hand; the text is the same each time, since the browser keeps each."""
        wanted = "coup => document.querySelector('[data-hand]')?.dataset.hand === String(coup)"
        self._pages["display"].wait_for_function(wanted, arg=self._story.number)

    def _meter(self) -> MeterMessage:
        added = 25 * self.coups
        meters = Meters(base=100_000, in_=added, display=100_000 + added, hits=0, wins=0, overflow=0, reserve=0)
        return MeterMessage(
            jackpot=JACKPOT, title="Day", time=TIME, entry=self.coups, hash="", parameters="", version=1,
            currency="AUD", meters=meters, balanced=True, tables=[TABLE],
        )  # fmt: skip

    def measure(self) -> dict[str, Memory]:
        """Begin a new shoe, so that the pages show the same at every measurement, and measure."""
        self._story.results.clear()
        self._story.last = None
        self._publisher.put("status", {"state": "online", "time": TIME})
        for one in self._story.begin():
            self._publisher.put(f"{TABLE}/{one.topic}", one.message)
        self._pages["display"].wait_for_function("() => !document.querySelector('[data-hand]')")
        self._pages["display"].wait_for_timeout(_SETTLE_MS)  # the other pages have it, too
        return {name: probe.memory() for name, probe in self._probes.items()}

    def rows(self, coups: int, show: Callable[[str], None]) -> list[Row]:
        """Play so many coups in two halves, after a tenth to warm up; return each page's row."""
        self.measure()
        self.play(max(1, coups // 10))
        start = self.measure()
        show(f"start: {self.coups} coups played to warm up")
        self.play(coups // 2)
        middle = self.measure()
        show(f"middle: {self.coups} coups")
        self.play(coups - coups // 2)
        end = self.measure()
        return [Row(name, start[name], middle[name], end[name], changes(page)) for name, page in self._pages.items()]

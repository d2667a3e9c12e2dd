"""python -m screens_day: 24 hours of a table in minutes, on every page, in chromium; status 1 if a page grew."""

import argparse
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from playwright.sync_api import sync_playwright
from support.screens import Screens, ScreenSite, launched

from screens_day.pages import is_locked, open_pages
from screens_day.run import COUPS_AN_HOUR, ScreensDay

PAUSE_MS = 20.0
NEVER_IDLE = "idle_s = 86400\ndealer_idle_s = 86400"


def main() -> int:
    """Play the hours, print a row for each page."""
    parser = argparse.ArgumentParser(prog="screens_day", description=__doc__)
    parser.add_argument("--hours", type=float, default=24.0, help="of a table with a coup every 40 s")
    coups = int(parser.parse_args().hours * COUPS_AN_HOUR)
    began_s = time.monotonic()
    with tempfile.TemporaryDirectory() as work, sync_playwright() as playwright:
        browser, site = launched(playwright), ScreenSite(Path(work), NEVER_IDLE)
        screens = Screens(browser)
        with closing(site), open_pages(site, screens) as pages:
            rows = ScreensDay(site, pages, PAUSE_MS).rows(coups, lambda text: print(text, file=sys.stderr, flush=True))
            locked = [name for name, page in pages.items() if is_locked(page)]
        browser.close()
    print(f"{coups} coups in {time.monotonic() - began_s:.0f} s\n")
    print("| page | changes drawn | heap after garbage collection | DOM nodes | listeners |\n|---|---|---|---|---|")
    for row in rows:
        print(row.line())
    grew = [text for row in rows for text in row.grew()] + [f"{name} was locked" for name in locked]
    print("\nnothing grew" if not grew else "\nFAILED: " + "; ".join(grew))
    screens.check()
    return int(bool(grew))


sys.exit(main())

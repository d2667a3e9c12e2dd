"""A short day of a table on every page that shows it: heap, nodes and listeners of the pages do not grow."""

from screens_day.pages import open_pages
from screens_day.run import ScreensDay
from support.screens import Screens, ScreenSite

COUPS = 20


def test_no_page_grows_over_a_short_day(screen_site: ScreenSite, screens: Screens) -> None:
    with open_pages(screen_site, screens) as pages:
        rows = ScreensDay(screen_site, pages).rows(COUPS, lambda _: None)
    assert [text for row in rows for text in row.grew()] == []
    assert all(row.changes >= COUPS for row in rows if row.page in ("display", "dealer", "jackpot"))

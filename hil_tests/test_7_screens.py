"""Pages in a real browser: a wall that follows the broker, in three languages; and what the other files rely on."""

import asyncio

import pytest
from playwright.sync_api import expect
from support.screens import Screens, ScreenSite
from support.whole_files import whole


def test_the_wall_shows_a_table_as_soon_as_its_gateway_publishes_it(screen_site: ScreenSite, screens: Screens) -> None:
    site = screen_site.publisher()
    with screens.page(f"{screen_site.url}/") as page:
        expect(page.get_by_role("heading", name="All tables")).to_be_visible()
        site.table("wall-01")
        expect(page.get_by_text("wall-01")).to_be_visible()
        expect(page.locator(".not-live")).to_have_count(0)
        site.put("wall-01/status", None)
        expect(page.get_by_text("wall-01")).to_have_count(0)


def test_the_reader_chooses_the_language(screen_site: ScreenSite, screens: Screens) -> None:
    with screens.page(f"{screen_site.url}/wall", language="zh-TW") as page:
        expect(page.get_by_role("heading", name="全部賭枱")).to_be_visible()
        page.goto(f"{screen_site.url}/wall?lang=zh-Hans")
        expect(page.get_by_role("heading", name="全部赌台")).to_be_visible()
        assert page.evaluate("document.documentElement.lang") == "zh-Hans"


def test_another_test_may_run_a_loop_of_its_own_after_one_with_a_browser() -> None:
    """The two before have left a browser open in this worker; playwright's loop must be hidden."""
    with pytest.raises(RuntimeError, match="no running event loop"):
        asyncio.get_running_loop()
    assert asyncio.run(asyncio.sleep(0, "done")) == "done"


def test_the_browser_goes_on_after_that_loop(screen_site: ScreenSite, screens: Screens) -> None:
    with screens.page(f"{screen_site.url}/wall") as page:
        expect(page.get_by_role("heading", name="All tables")).to_be_visible()


@pytest.mark.parametrize(("asked", "sent"), [(0, 0), (1, 1), (2, 4), (3, 4), (4, 4), (5, 6), (6, 6), (7, 7), (9, 9)])
def test_no_file_of_pages_is_divided_between_workers(asked: int, sent: int) -> None:
    files = ["hil_tests/test_6_play.py", *["hil_tests/test_7_screens_a.py"] * 3, *["hil_tests/test_7_screens_b.py"] * 2]
    nodeids = [f"{file}::test_{number}" for number, file in enumerate(["x.py", *files, "hil_tests/test_7_siege.py"])]
    assert whole(nodeids[1:], range(7), asked) == sent

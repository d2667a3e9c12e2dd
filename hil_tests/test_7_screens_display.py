"""The Winning Result Display in a real browser: a scripted shoe with cells written by hand, notices, loss of data."""

import re
import time
from typing import Any

from playwright.sync_api import Page, expect
from support.screens import TIME, Screens, ScreenSite, attributes, not_live, watch_bar

OPEN = {"time": TIME, "state": "open", "phase": "bets", "unit": "SHOE1", "shoe": 3}
LAST = {
    "coup": 10, "kind": "live", "winner": "banker", "player": ["8H", "TD", "3C"], "banker": ["KS", "7D"],
    "player_points": 1, "banker_points": 7, "banker_pair": True, "time": TIME,
}  # fmt: skip
SHOE = "T Bb Bn T T P X B P B"
COLOURS = {"#c8102e": "red", "#0b4fb3": "blue", "#1a7f37": "green", "#57606a": "grey"}
SETUP = {"game": "crown", "decks": 8, "wagers": ["banker", "player", "dragon_tail_banker_late"]}


def history(table: str, **more: Any) -> dict[str, Any]:
    return {**OPEN, "table": table, **more}


def cells(page: Page, road: str) -> list[str]:
    """Return the cells of a road as they are drawn, in the order drawn."""
    return attributes(page.locator(f'[data-road="{road}"] [data-cell]'), "data-cell")


def drawn_at(page: Page, road: str) -> list[tuple[float, float, str]]:
    """Return row, column and colour of each circle as it is drawn; a cell has 20 units."""
    found = page.locator(f'[data-road="{road}"] [data-cell] > circle:first-child').evaluate_all(
        "all => all.map(one => [one.cy.baseVal.value, one.cx.baseVal.value, one.getAttribute('stroke')])"
    )
    return [((y - 10) / 20, (x - 10) / 20, COLOURS[ink]) for y, x, ink in found]


def test_a_scripted_shoe(screen_site: ScreenSite, screens: Screens) -> None:
    gateway = screen_site.publisher()
    gateway.table("area-01", setup=SETUP)
    gateway.put("area-01/history", history("area-01", results=SHOE, coup=11, last=LAST))
    with screens.page(f"{screen_site.url}/display/area-01", size=(1920, 1080)) as page:
        expect(page.locator('[data-notice="bets"]')).to_have_text("Place your bets")
        assert cells(page, "bead") == SHOE.split()
        assert cells(page, "big") == ["B0.0b=1", "B1.0n=2", "P0.1", "B0.2", "P0.3", "B0.4"]
        assert drawn_at(page, "bead") == [
            (0, 0, "green"), (1, 0, "red"), (2, 0, "red"), (3, 0, "green"), (4, 0, "green"), (5, 0, "blue"),
            (0, 1, "grey"), (1, 1, "red"), (2, 1, "blue"), (3, 1, "red"),
        ]  # fmt: skip
        assert drawn_at(page, "big") == [
            (0, 0, "red"), (1, 0, "red"), (0, 1, "blue"), (0, 2, "red"), (0, 3, "blue"), (0, 4, "red"),
        ]  # fmt: skip
        assert drawn_at(page, "big_eye") == [(0, 0, "blue"), (0, 1, "red"), (1, 1, "red")]
        assert cells(page, "big_eye") == ["L0.0", "R0.1", "R1.1"]
        assert (cells(page, "small"), cells(page, "cockroach")) == (["L0.0", "R0.1"], ["L0.0"])
        assert attributes(page.locator("[data-ask]"), "data-ask") == ["RRR", "LLL"]
        counts = page.locator("[data-count]")
        expect(counts).to_have_text(["4", "2", "3", "1", "0", "1", "1"])
        expect(page.locator("[data-points=player]")).to_have_text("1")
        expect(page.locator("[data-points=banker]")).to_have_text("7")
        drawn = attributes(page.locator("[data-card]"), "data-card")
        assert drawn == ["8H", "TD", "3C", "KS", "7D"]
        expect(page.get_by_text("Banker wins")).to_be_visible()
        expect(page.locator("[data-tail]")).to_have_attribute("data-tail", "0-1")
        expect(page.locator(".limits")).to_have_text(re.compile("Min AUD\\s*25\\s*Max AUD\\s*2,500"))
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")


def test_the_main_numbers_can_be_read_at_five_metres(screen_site: ScreenSite, screens: Screens) -> None:
    gateway = screen_site.publisher()
    gateway.table("read-01", setup=SETUP)
    gateway.put("read-01/history", history("read-01", results=SHOE, coup=11, last=LAST))
    with screens.page(f"{screen_site.url}/display/read-01", size=(1280, 720)) as page:
        for where in ("[data-points]", "[data-count]", "[data-notice] strong", ".winner", ".numbers b", "header h1"):
            shown = page.locator(where).first
            expect(shown).to_be_visible()
            assert float(shown.evaluate("one => parseFloat(getComputedStyle(one).fontSize)")) >= 0.04 * 720, where


def test_corrections_new_shoe_and_notices(screen_site: ScreenSite, screens: Screens) -> None:
    gateway = screen_site.publisher()
    gateway.table("coup-01")
    gateway.put("coup-01/history", history("coup-01", results="B B P", coup=4))
    with screens.page(f"{screen_site.url}/display/coup-01") as page:
        expect(page.locator('[data-cell="P0.1"]')).to_be_visible()
        gateway.put("coup-01/history", history("coup-01", results="B P", undecided=[3], coup=4))
        expect(page.get_by_text("Coup 3: result under review")).to_be_visible()
        assert cells(page, "big") == ["B0.0", "P0.1"]
        gateway.put("coup-01/history", history("coup-01", results="B P", kind="dummy", phase="no_more_bets", coup=4))
        expect(page.locator('[data-notice="special"]')).to_contain_text("Dummy Coup")
        page.reload()  # in mid-coup
        expect(page.locator('[data-notice="special"]')).to_contain_text("Dummy Coup")
        gateway.put("coup-01/history", history("coup-01", results="B P X", last_coup=True, coup=5))
        expect(page.get_by_text("Last coup")).to_be_visible()
        assert cells(page, "bead") == ["B", "P", "X"]
        gateway.put("coup-01/history", history("coup-01", results="B P X", state="closed", phase="none"))
        expect(page.locator('[data-notice="closed"]')).to_have_text("Shoe closed")
        gateway.put("coup-01/history", history("coup-01", results="", shoe=4, coup=1))
        expect(page.locator("[data-road=bead] [data-cell]")).to_have_count(0)
        expect(page.get_by_text("No result yet")).to_be_visible()


def test_at_1080p_every_column_of_a_long_shoe_is_shown_and_20_on_a_tile_of_the_wall(
    screen_site: ScreenSite, screens: Screens
) -> None:
    gateway = screen_site.publisher()
    gateway.table("long-02")
    gateway.put("long-02/history", history("long-02", results="B P P B B B P B " * 10, coup=81))
    with screens.page(f"{screen_site.url}/display/long-02", size=(1920, 1080)) as page:
        expect(page.locator('[data-road="big"] [data-cell="B0.40"]')).to_have_count(1)
        for road in ("big", "big_eye", "small", "cockroach"):
            expect(page.locator(f'[data-road="{road}"] [data-cell$="0.0"]')).to_have_count(1)
            assert off_the_box(page, road) == []
    with screens.page(f"{screen_site.url}/wall", size=(1920, 1080)) as page:
        tile = page.locator('[data-road="big"]').filter(has=page.locator('[data-cell="B0.19"]'))
        expect(tile).to_have_count(1)


def off_the_box(page: Page, road: str) -> list[str]:
    """Return the cells of a road that are drawn beside its box."""
    found: list[str] = page.locator(f'[data-road="{road}"]').evaluate(
        """box => [...box.querySelectorAll("[data-cell]")].filter((cell) => cell.getBoundingClientRect().right
           > box.getBoundingClientRect().right + 1).map((cell) => cell.dataset.cell)"""
    )
    return found


def test_a_road_that_is_longer_than_its_box_shows_its_newest_columns(screen_site: ScreenSite, screens: Screens) -> None:
    gateway = screen_site.publisher()
    gateway.table("long-01")
    gateway.put("long-01/history", history("long-01", results="B P " * 30, coup=61))
    with screens.page(f"{screen_site.url}/display/long-01", size=(390, 844)) as page:
        expect(page.locator('[data-cell="P0.59"]')).to_have_count(1)
        drawn = cells(page, "big")
        assert len(drawn) < 30
        assert drawn == [f"{'BP'[column % 2]}0.{column}" for column in range(60 - len(drawn), 60)]
        newest = page.locator('[data-cell="P0.59"]').bounding_box()
        assert newest is not None
        assert newest["x"] + newest["width"] <= 390
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_lost_gateway_shows_within_five_seconds(screen_site: ScreenSite, screens: Screens) -> None:
    gateway = screen_site.publisher()
    gateway.put("gateway/pc-9/status", {"state": "online", "time": TIME})
    gateway.table("lost-01", gateway="pc-9")
    gateway.put("lost-01/history", history("lost-01", results="B", coup=2))
    with screens.page(f"{screen_site.url}/display/lost-01") as page:
        expect(page.locator("[data-road=bead] [data-cell]")).to_have_count(1)
        expect(page.locator(".not-live")).to_have_count(0)
        watch_bar(page)
        gateway.put("gateway/pc-9/status", {"state": "offline", "time": TIME})
        not_live(page, "Not live", time.time())
        gateway.put("gateway/pc-9/status", {"state": "online", "time": TIME})
        expect(page.locator(".not-live")).to_have_count(0)


def test_names_are_text_and_unknown_tables_have_a_page(screen_site: ScreenSite, screens: Screens) -> None:
    gateway = screen_site.publisher()
    meter = {
        "jackpot": "xss", "title": "<img src=x onerror=alert(1)>", "time": TIME, "entry": 1, "hash": "",
        "parameters": "", "version": 1, "currency": "AUD", "balanced": True, "tables": ["xss-01"],
        "not_offered": {"xss-01": "<b>display dark</b>"},
        "meters": {"base": 0, "in": 0, "display": 1, "hits": 0, "wins": 0, "overflow": 0, "reserve": 0},
    }  # fmt: skip
    gateway.table("xss-01")
    gateway.put("jackpot/xss/meter", meter)
    with screens.page(f"{screen_site.url}/display/xss-01", language="zh-CN") as page:
        expect(page.get_by_text("<img src=x onerror=alert(1)>")).to_be_visible()
        expect(page.get_by_text("<b>display dark</b>")).to_be_visible()
        expect(page.get_by_text("本台暂停累积奖")).to_be_visible()
        page.goto(f"{screen_site.url}/display/nix-77?lang=en")
        expect(page.get_by_role("heading", name="There is no table nix-77")).to_be_visible()
        expect(page.get_by_role("link", name="All tables")).to_be_visible()


def test_the_wall_by_keyboard(screen_site: ScreenSite, screens: Screens) -> None:
    gateway = screen_site.publisher()
    gateway.table("area-01")
    gateway.table("area-02")
    gateway.put("area-01/history", history("area-01", results="P B B B B B B", coup=8))
    with screens.page(f"{screen_site.url}/wall", size=(1920, 1080)) as page:
        tile = page.locator('[data-table="area-01"]')
        expect(tile.locator("[data-hot]")).to_have_text("Streak")
        expect(tile.locator(".totals")).to_contain_text("B 6")
        drawn = attributes(tile.locator("[data-cell]"), "data-cell")
        assert drawn == ["P0.0", "B0.1", "B1.1", "B2.1", "B3.1", "B4.1", "B5.1"]
        page.get_by_role("button", name="Salon").focus()
        page.keyboard.press("Enter")
        expect(page.locator("[data-table]")).to_have_count(1)
        assert page.url.endswith("?area=Salon")
        page.keyboard.press("ArrowDown")
        expect(tile.get_by_role("link", name="Results of area-01")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="area-01")).to_be_visible()
        page.go_back()
        expect(page.locator("[data-table]")).to_have_count(1)
        page.get_by_role("button", name="All areas").click()
        expect(page.locator('[data-table="area-02"]')).to_be_visible()

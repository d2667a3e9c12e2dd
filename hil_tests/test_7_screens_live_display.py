"""The Winning Result Display of a real shoe: no card before its result is out, a Dummy Coup at once, the indicator."""

from pathlib import Path

from playwright.sync_api import Page, expect
from support.live_table import LiveTable
from support.screens import Screens, ScreenSite, attributes

TABLE = "live-03"


def notice(page: Page, look: str, text: str) -> None:
    expect(page.locator(f'[data-notice="{look}"] strong')).to_have_text(text)


def beads(page: Page, *expected: str) -> None:
    drawn = page.locator("[data-road=bead] [data-cell]")
    expect(drawn).to_have_count(len(expected))
    assert attributes(drawn, "data-cell") == [*expected]


def cards(page: Page) -> list[str]:
    return attributes(page.locator("[data-card]"), "data-card")


def test_crown_from_the_first_card_to_a_dummy_coup(screen_site: ScreenSite, screens: Screens, tmp_path: Path) -> None:
    """Crown: a card too many for a Banker who stands starts a Dummy Coup (10.6.1(b)), indicated at once (10.8.3)."""
    table = LiveTable(screen_site, tmp_path, TABLE, "crown-baccarat", 78)
    try:
        with screens.page(f"{screen_site.url}/display/{TABLE}", size=(1920, 1080)) as page:
            table.open()
            notice(page, "bets", "Place your bets")
            table.deal("2S 4S 3D")
            notice(page, "no_more_bets", "No more bets")
            page.reload()  # in mid-coup
            notice(page, "no_more_bets", "No more bets")
            table.deal("TS 6H 2C")
            beads(page)
            assert cards(page) == []
            table.press("confirm")
            beads(page, "B")
            assert cards(page) == ["2S", "3D", "6H", "4S", "TS", "2C"]
            expect(page.locator("[data-tail]")).to_have_attribute("data-tail", "0-1")
            table.deal("6S 2H TS 4D 9C")  # 6 and 6: both stand, and a fifth card comes
            expect(page.locator(".notice.next")).to_have_text("Next coup: Dummy Coup")
            assert cards(page)[0] == "2S"
            table.press("confirm")
            notice(page, "special", "Dummy Coup")
            beads(page, "B", "T")
            expect(page.locator("[data-tail]")).to_have_attribute("data-tail", "0-0")
            table.deal("2H KD 5C")  # with the 9C: a natural of the Player
            table.press("confirm")
            beads(page, "B", "T", "X")
            expect(page.locator("[data-count=player]")).to_have_text("0")
            expect(page.locator("[data-tail]")).to_have_attribute("data-tail", "0-0")
            notice(page, "bets", "Place your bets")
    finally:
        table.close()
